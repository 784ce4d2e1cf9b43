"""Hooks on the gradients that flow back through updates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.io.calls import Partial, records_call
from torchopt.pytree import flattening as pytree
from torchopt.transform._rule import check_state
from torchopt.transform.chaining import EmptyState, GradientTransformation

Hook = Callable[[torch.Tensor], "torch.Tensor | None"]


def zero_nan_hook(g: torch.Tensor) -> torch.Tensor:
    """Return a gradient with zero in place of NaN.

    Example:
        >>> import torch
        >>> zero_nan_hook(torch.tensor([float("nan"), 1.0]))
        tensor([0., 1.])
    """
    return torch.where(torch.isnan(g), 0.0, g)


@records_call
def nan_to_num_hook(
    nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Hook:
    """Return a hook that replaces NaN and infinite values of a gradient.

    Args:
        nan: What NaN becomes.
        posinf: What positive infinity becomes; by default the largest finite number of the dtype.
        neginf: What negative infinity becomes; by default the smallest finite number of the dtype.

    Example:
        >>> import torch
        >>> nan_to_num_hook(posinf=9.0)(torch.tensor([float("inf"), 1.0]))
        tensor([9., 1.])
    """
    return Partial(torch.nan_to_num, nan=nan, posinf=posinf, neginf=neginf)


@dataclass(frozen=True, eq=False)
class _RegisterHook:
    hook: Hook

    def init(self, params: Any) -> EmptyState:
        checks.check_floating(*pytree.flatten(params), "params")
        return EmptyState()

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, EmptyState]:
        if torch.compiler.is_compiling() and transforms.are_active():
            # PyTorch would trace the forward pass only and drop the hook without a word.
            raise RuntimeError(
                "register_hook cannot be compiled inside torch.func: leave the hook out, or compile "
                "a function that is differentiated by autograd afterwards."
            )
        check_state(state, (EmptyState,))
        leaves, spec = pytree.flatten(updates)
        checks.check_floating(leaves, spec, "updates")

        def hooked(g: torch.Tensor | None) -> torch.Tensor | None:
            if g is None or not g.requires_grad:
                return g
            g = g if inplace else g.view_as(g)  # an alias leaves the caller's tensor alone
            g.register_hook(self.hook)
            return g

        return pytree.unflatten(spec, map(hooked, leaves)), EmptyState()


@records_call
def register_hook(hook: Hook) -> GradientTransformation:
    """Pass updates on unchanged, with a hook on the gradient that flows back through each.

    With ``inplace=False`` the hook is on an alias, and the tensors given stay as they were.

    Args:
        hook: Called with the gradient with respect to an update, in the backward pass; returns a
            replacement or None. See :meth:`torch.Tensor.register_hook`.

    Returns:
        A gradient transformation.

    Raises:
        TypeError: If ``hook`` cannot be called.
        RuntimeError: In ``update``, inside ``torch.compile`` of a ``torch.func`` transform, which
            would drop the hook.

    Example:
        >>> import torch, torchopt
        >>> tx = register_hook(torchopt.transform.zero_nan_hook)
        >>> g = torch.tensor([0.0], requires_grad=True)
        >>> (u,), _ = tx.update((g,), tx.init((g,)))
        >>> (u / u).sum().backward()
        >>> g.grad
        tensor([0.])
    """
    checks.check("hook", hook, checks.a_function("a gradient"))
    registered = _RegisterHook(hook)
    return GradientTransformation(registered.init, registered.update)
