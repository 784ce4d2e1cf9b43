"""What programs take from modules of TorchOpt 0.7.3 that have no such place here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import rpc

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
    "normalize_matvec",
    "rpc",
    "scale_by_accelerated_adam",
    "scale_by_neg_lr",
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
