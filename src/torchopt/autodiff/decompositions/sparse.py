"""Sparse tensors whose values require grad: their derivatives have no graph in PyTorch (2.13).

Every second derivative in them would be zero without a word, and so they are refused.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor

from torchopt.autodiff import transforms
from torchopt.autodiff.decompositions.wrappers import Rules
from torchopt.autodiff.second_order import REFUSED_SPARSE
from torchopt.errors import LostGraphError

Op: TypeAlias = Callable[..., Any]


def _refusing(func: Op) -> Op:
    """Refuse to make a sparse tensor of values that require grad, or to read one that does."""
    makes = func in _CONSTRUCTORS

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        for x in (*args, *kwargs.values()):  # nearly all are dense
            if not isinstance(x, Tensor) or not (makes or x.layout != torch.strided):
                continue
            if transforms.requires_grad(x) and torch.is_grad_enabled():
                raise LostGraphError(REFUSED_SPARSE)
        return func(*args, **kwargs)

    return run


_CONSTRUCTORS: set[Op] = {
    torch.sparse_coo_tensor,
    torch.sparse_compressed_tensor,
    torch.sparse_csr_tensor,
    torch.sparse_csc_tensor,
}
_READERS: tuple[Op, ...] = (
    *(torch.mm, Tensor.mm, torch.sparse.mm, torch.mv, Tensor.mv, torch.bmm, Tensor.bmm),
    *(torch.matmul, Tensor.matmul, Tensor.__matmul__, Tensor.__rmatmul__),
    *(torch.addmm, Tensor.addmm, torch.sparse.addmm, torch.addmv, Tensor.addmv),
    *(F.linear, Tensor.to_dense, Tensor.values),
)
RULES: Rules = {func: _refusing(func) for func in _CONSTRUCTORS.union(_READERS)}
