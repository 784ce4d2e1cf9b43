"""A mode that makes the double backward of normalizations right.

That of batch, instance and layer normalization is wrong in PyTorch (2.13) under ``vmap`` where their
weights are batched, as a task's adapted weights are; normalizing without weights, and scaling and
shifting by plain operations, is right. That of weight normalization is wrong everywhere. Other routes,
and third derivatives, need :func:`torchopt.higher_order`.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

from torchopt.autodiff.decompositions import weight_norm

# The leading parameters of each, up to its weight and bias.
_PARAMETERS = {
    F.batch_norm: ("input", "running_mean", "running_var", "weight", "bias", "training"),
    F.instance_norm: ("input", "running_mean", "running_var", "weight", "bias", "use_input_stats"),
    F.layer_norm: ("input", "normalized_shape", "weight", "bias", "eps"),
}
_REST = ("momentum", "eps")


class ExactDerivatives(TorchFunctionMode):
    """Makes the double backward of normalizations right, at little cost."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Intercept the operations; everything else runs as it is."""
        if func is torch._weight_norm:
            return weight_norm(*args, **(kwargs or {}))
        if func not in _PARAMETERS:
            return func(*args, **(kwargs or {}))
        given = dict(zip(_PARAMETERS[func] + _REST, args, strict=False)) | (kwargs or {})
        weight, bias = given.pop("weight", None), given.pop("bias", None)
        out = func(**given)
        if func is not F.layer_norm:
            ones = (1,) * (out.dim() - 2)
            weight = None if weight is None else weight.reshape(-1, *ones)
            bias = None if bias is None else bias.reshape(-1, *ones)
        dtype: torch.dtype = out.dtype
        if weight is not None:
            out = out * weight
        if bias is not None:
            out = out + bias
        return out.to(dtype)
