"""What programs take from modules of TorchOpt 0.7.3 that have no such place here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import rpc

from torchopt import pytree
from torchopt.linalg import as_operator
from torchopt.pytree import flattening
from torchopt.pytree.typing import TensorTree
from torchopt.transform import (
    EmptyState,
    GradientTransformation,
    ScaleByAdamState,
    add_decayed_weights,
    chain,
    scale,
    scale_by_adam,
    scale_by_learning_rate,
)
from torchopt.transform.chaining import IdentityGradientTransformation
from torchopt.transform.options import with_forms

__all__ = [
    "AdamOp",
    "IdentityGradientTransformation",
    "ScaleState",
    "cat_shapes",
    "dist",
    "flip_sign_and_add_weight_decay",
    "inc_count",
    "normalize_matvec",
    "rpc",
    "scale_by_accelerated_adam",
    "scale_by_neg_lr",
    "tree_map_flat",
    "tree_map_flat_",
    "update_moment",
]

ScaleState = EmptyState

#: The published package's second implementation of the same mathematics: here there is one.
scale_by_accelerated_adam = scale_by_adam


@with_forms
def flip_sign_and_add_weight_decay(
    weight_decay: float = 0.0, maximize: bool = False
) -> GradientTransformation:
    """Negate gradients to maximize, and add weight decay."""
    decay = [add_decayed_weights(weight_decay)] if weight_decay else []
    return chain(*([scale(-1.0)] if maximize else []), *decay)


@with_forms
def scale_by_neg_lr(lr: Any) -> GradientTransformation:
    """Multiply by the negative learning rate, a number or a schedule."""
    return scale_by_learning_rate(lr)


class AdamOp:
    """The arithmetic of Adam on one tensor: ``op(mu, nu, updates, count) -> (mu, nu, updates)``.

    ``count`` is the number of the step, from 1. With ``inplace`` the results are written into the
    arguments.
    """

    def __init__(
        self,
        b1: float = 0.9,
        b2: float = 0.999,
        eps: float = 1e-8,
        *,
        eps_root: float = 0.0,
        inplace: bool = True,
    ) -> None:
        self.b1, self.b2, self.eps, self.eps_root, self.inplace = b1, b2, eps, eps_root, inplace

    def __call__(
        self, mu: torch.Tensor, nu: torch.Tensor, updates: torch.Tensor | None, count: Any
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Return the moments after step ``count``, and the rescaled update."""
        if updates is None:
            return mu, nu, None
        state = ScaleByAdamState(mu, nu, torch.as_tensor(count) - 1)
        tx = scale_by_adam((self.b1, self.b2), self.eps, self.eps_root)
        new, state = tx.update(updates, state, inplace=self.inplace)
        return state.mu, state.nu, updates.copy_(new) if self.inplace else new


def cat_shapes(tree: TensorTree) -> tuple[int, ...]:
    """Return the sizes of all leaves, one after the other."""
    return tuple(size for leaf in flattening.leaves(tree) for size in leaf.shape)


def normalize_matvec(
    matvec: TensorTree | Callable[[TensorTree], TensorTree],
) -> Callable[[TensorTree], TensorTree]:
    """Return a linear function for itself, a matrix, or a tree of matrices, one for each leaf."""
    return matvec if callable(matvec) else as_operator(matvec, matvec)


def tree_map_flat(
    func: Callable[..., Any], flat_arg: Any, *flat_args: Any, none_is_leaf: bool = False
) -> Any:
    """Return a function's values at the elements of lists, in the class of the first list."""

    def of_tensors(x: Any, *xs: Any) -> Any:
        return None if x is None else func(x, *xs)

    return type(flat_arg)(map(func if none_is_leaf else of_tensors, flat_arg, *flat_args))


def tree_map_flat_(
    func: Callable[..., Any], flat_arg: Any, *flat_args: Any, none_is_leaf: bool = False
) -> Any:
    """Call a function with the elements of lists, for what it changes, and return the first list."""
    tree_map_flat(func, list(flat_arg), *flat_args, none_is_leaf=none_is_leaf)
    return flat_arg


def _with_flat(function: Callable[..., Any]) -> Any:
    function.impl = function  # type: ignore[attr-defined]
    function.flat = partial(function, already_flattened=True)  # type: ignore[attr-defined]
    return function


@_with_flat
def inc_count(updates: Any, count: Any, *, already_flattened: bool = False) -> Any:
    """Return counters, one higher for each update that is not None, up to the largest integer."""

    def higher(c: torch.Tensor, g: torch.Tensor | None) -> torch.Tensor:
        return c if g is None else c + (c != torch.iinfo(torch.int64).max).to(torch.int64)

    mapped = tree_map_flat if already_flattened else pytree.tree_map
    return mapped(higher, count, updates, none_is_leaf=True)


@_with_flat
def update_moment(
    updates: Any,
    moments: Any,
    decay: float,
    *,
    order: int,
    inplace: bool = True,
    already_flattened: bool = False,
) -> Any:
    """Return moving averages of updates (``order=1``) or of their squares (``order=2``).

    With ``decay=1`` they are sums.
    """
    weight = 1 - decay if decay != 1 else 1

    def moved(g: torch.Tensor | None, t: torch.Tensor) -> torch.Tensor:
        if g is None:
            return t
        t = t.mul_(decay) if inplace else t.mul(decay)
        return t.add_(g, alpha=weight) if order == 1 else t.addcmul_(g, g, value=weight)

    mapped = tree_map_flat if already_flattened else pytree.tree_map
    return mapped(moved, updates, moments, none_is_leaf=True)
