"""A closure, as those of ``torch.optim``, as a function of parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchopt.autodiff.conversion import as_tensor
from torchopt.optim._group_state import as_tree
from torchopt.pytree import flattening as pytree


class ClosureLoss:
    """The loss as a function of the parameters of a group; those of other groups stay as they are.

    A call writes values into the parameters, calls the closure, and puts back values and gradients. The
    gradient of the result is what the closure's ``backward`` computed; it has no derivative.

    Args:
        closure: Reevaluates the model, calls ``backward`` and returns the loss.
        group: The parameters of the group.
        params: Those of all groups.
    """

    def __init__(
        self, closure: Callable[[], Any], group: list[Any], params: Sequence[torch.Tensor]
    ) -> None:
        self._closure, self._group, self._params = closure, group, params

    def __call__(self, params: Any) -> torch.Tensor:
        """Return the loss."""
        leaves = pytree.leaves(params)
        own = pytree.leaves(as_tree(self._group, self._group))
        pairs = [(p, x) for p, x in zip(own, leaves, strict=True) if p is not None]
        loss: torch.Tensor = _Evaluated.apply(self, [p for p, _ in pairs], *(x for _, x in pairs))
        return loss

    def evaluate(
        self, params: Sequence[torch.Tensor], values: Sequence[torch.Tensor]
    ) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """Return loss and gradients where some parameters have other values."""
        grads = [p.grad for p in self._params]
        before = [p.detach().clone() for p in params]
        try:
            for p in self._params:
                p.grad = None
            _write(params, values)
            with torch.enable_grad():
                loss = self._closure()
            found = [torch.zeros_like(p) if p.grad is None else p.grad for p in params]
        finally:
            _write(params, before)
            for p, g in zip(self._params, grads, strict=True):
                p.grad = g
        return as_tensor(loss).detach().squeeze().clone(), found


def _write(params: Sequence[torch.Tensor], values: Sequence[torch.Tensor]) -> None:
    with torch.no_grad():
        for p, x in zip(params, values, strict=True):
            p.copy_(x)


class _Evaluated(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, loss: ClosureLoss, params: Sequence[torch.Tensor], *values: torch.Tensor
    ) -> torch.Tensor:
        out, grads = loss.evaluate(params, values)
        ctx.save_for_backward(*grads)
        return out

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> Any:
        if torch.is_grad_enabled():
            raise TypeError(
                "a transformation differentiates the loss twice, and a closure that calls `backward` "
                "has one derivative only: use `torchopt.MetaOptimizer` or `torchopt.minimize`."
            )
        return None, None, *(cotangent * g for g in ctx.saved_tensors)
