"""An optimizer as in ``torch.optim``: it holds parameters and state, and steps in place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch

from torchopt import checks
from torchopt.pytree import flattening as pytree
from torchopt.transform.applying import apply_updates
from torchopt.transform.chaining import GradientTransformation

__all__ = ["Optimizer", "check_transformation", "replace_states"]


class Optimizer:
    """Plain training with a gradient transformation: reads ``.grad``, writes the parameters.

    Args:
        params: An iterable of tensors (such as ``module.parameters()``), or any tree of them.
        impl: The gradient transformation.

    Raises:
        ValueError: If there are no parameters, or none requires grad.
        TypeError: If a leaf is not a real floating tensor, or ``impl`` is no transformation.

    Example:
        >>> import torch, torchopt
        >>> x = torch.nn.Parameter(torch.tensor([1.0]))
        >>> optimizer = Optimizer([x], torchopt.sgd(lr=0.5))
        >>> (x ** 2).sum().backward()
        >>> optimizer.step()
        >>> x.data
        tensor([0.])
    """

    def __init__(self, params: Any, impl: GradientTransformation) -> None:
        check_transformation(impl)
        self.impl = impl
        self.param_groups: list[list[Any]] = []
        self.param_treespecs: list[Any] = []
        self.state_groups: list[Any] = []
        self.add_param_group(params)

    def add_param_group(self, params: Any) -> None:
        """Add parameters, with a state of their own.

        Args:
            params: An iterable of tensors, or any tree of them.
        """
        if not isinstance(params, (torch.Tensor, dict, list, tuple)) and isinstance(
            params, Iterable
        ):
            params = list(params)
        leaves, spec = pytree.flatten(params)
        checks.check_not_empty(spec, "params")
        checks.check_floating(leaves, spec, "params")
        if not any(leaf is not None and leaf.requires_grad for leaf in leaves):
            raise ValueError("no parameter requires grad: there is nothing to optimize.")
        known = {id(p) for group in self.param_groups for p in group if p is not None}
        for index, leaf in enumerate(leaves):
            if leaf is not None and id(leaf) in known:
                raise ValueError(
                    f"`{checks.leaf_path(spec, index, 'params')}` is in the optimizer already: give "
                    f"each parameter once (tied weights too)."
                )
            known.add(id(leaf))
        state = self.impl.init(params)
        self.param_groups.append(leaves)
        self.param_treespecs.append(spec)
        self.state_groups.append(state)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of all parameters.

        Args:
            set_to_none: Whether to set them to None instead of to zero, as ``torch.optim`` does: a
                parameter that is frozen then stays where it is, momentum and weight decay or not.
        """
        for p in (p for group in self.param_groups for p in group):
            if p is None or p.grad is None:
                continue
            if set_to_none:
                p.grad = None
            else:
                p.grad = torch.zeros_like(p.grad)

    def state_dict(self) -> tuple[Any, ...]:
        """Return the states of all groups."""
        return tuple(self.state_groups)

    def load_state_dict(self, state_dict: Iterable[Any]) -> None:
        """Take over the states of all groups.

        Args:
            state_dict: What :meth:`state_dict` of an optimizer with the same groups returned.

        Raises:
            ValueError: If the number of groups differs.
        """
        replace_states(self.state_groups, state_dict)

    def step(self, closure: Callable[[], torch.Tensor] | None = None) -> torch.Tensor | None:
        """Update the parameters from their gradients.

        Args:
            closure: Reevaluates the model, calls ``backward`` and returns the loss.

        Returns:
            What ``closure`` returned.

        Raises:
            ValueError: If the closure's loss is NaN or no scalar; nothing is then updated.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
            if isinstance(loss, torch.Tensor):  # torch.optim takes anything
                checks.check_loss(loss, what="the closure's loss", needs_grad=False)
        with torch.no_grad():
            pending = []
            for leaves, spec, state in zip(
                self.param_groups, self.param_treespecs, self.state_groups, strict=True
            ):
                params = pytree.unflatten(spec, leaves)
                grads = pytree.unflatten(spec, [None if p is None else p.grad for p in leaves])
                # Not in place: `.grad` is the user's.
                pending.append(
                    (params, *self.impl.update(grads, state, params=params, inplace=False))
                )
            # Write only after all updates are computed: an error must leave everything unchanged.
            for index, (params, updates, state) in enumerate(pending):
                apply_updates(params, updates, inplace=True)
                self.state_groups[index] = state
        return loss


def check_transformation(impl: Any) -> None:
    """Raise ``TypeError`` unless ``impl`` is a gradient transformation."""
    if not isinstance(impl, GradientTransformation):
        raise TypeError(
            f"`impl` is an object of type {type(impl).__name__}: pass a gradient transformation, such "
            f"as `torchopt.adam(1e-3)`."
        )


def replace_states(groups: list[Any], state_dict: Iterable[Any]) -> None:
    """Replace the states of all groups in place; raise ``ValueError`` if their number differs."""
    states = list(state_dict)
    if len(states) != len(groups):
        raise ValueError(
            f"the state has {len(states)} groups, but the optimizer has {len(groups)}: load the "
            f"state of an optimizer with the same groups."
        )
    groups[:] = states
