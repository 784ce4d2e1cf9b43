"""Products that are scattered, and gradients that would be sparse."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchopt.autodiff.decompositions.wrappers import Rules

Op = Callable[..., Tensor]


def _no_products(func: Op) -> Op:
    """Refuse products, whose derivatives of a forward derivative are wrong in PyTorch (2.13)."""

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Tensor:
        if "prod" in (*args[4:5], kwargs.get("reduce")):
            raise NotImplementedError(
                "`scatter_reduce` of products has no higher derivatives: take `torch.prod` of rows "
                "that are padded by ones."
            )
        return func(*args, **kwargs)

    return run


def _dense_gradient(func: Op, name: str, position: int) -> Op:
    """Let the gradient be dense, since what a sparse one is made of loses its graph."""

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Tensor:
        args = tuple(x if i != position else False for i, x in enumerate(args))
        return func(*args, **kwargs | {name: False} if name in kwargs else kwargs)

    return run


_WITH_SPARSE_GRADIENTS: dict[Op, tuple[str, int]] = {
    F.embedding: ("sparse", 6),
    torch.embedding: ("sparse", 4),
    torch.gather: ("sparse_grad", 3),
    Tensor.gather: ("sparse_grad", 3),
}
RULES: Rules = {
    **{func: _dense_gradient(func, *place) for func, place in _WITH_SPARSE_GRADIENTS.items()},
    **{func: _no_products(func) for func in (torch.scatter_reduce, Tensor.scatter_reduce)},
}
