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

from torchopt.autodiff.decompositions.normalization import NAMES, scaled_and_shifted, weight_norm


class ExactDerivatives(TorchFunctionMode):
    """Makes the double backward of normalizations right, at little cost."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Intercept the operations; everything else runs as it is."""
        if func is torch._weight_norm:
            return weight_norm(*args, **(kwargs or {}))
        if func not in (F.batch_norm, F.instance_norm, F.layer_norm):
            return func(*args, **(kwargs or {}))
        given = dict(zip(NAMES[func], args, strict=False)) | (kwargs or {})
        weight, bias = given.pop("weight", None), given.pop("bias", None)
        out = func(**given)
        return scaled_and_shifted(func, out, weight, bias).to(out.dtype)
