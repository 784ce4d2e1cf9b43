"""A functional optimizer that keeps its state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import torch

from torchopt import checks
from torchopt.io.calls import called
from torchopt.optim.differentiating import differentiate
from torchopt.pytree import flattening as pytree
from torchopt.transform.advancing import advance
from torchopt.transform.applying import apply_updates
from torchopt.transform.chaining import GradientTransformation, UninitializedState
from torchopt.transform.checking import check_transformation
from torchopt.transform.extra_args import select

__all__ = ["FuncOptimizer"]

_Params = TypeVar("_Params")


class FuncOptimizer:
    """A gradient transformation that keeps its state between steps.

    Args:
        impl: The gradient transformation.
        inplace: Whether steps write into the parameters (plain training), or return new ones that
            can be differentiated through.

    Example:
        >>> import torch, torchopt
        >>> from torchopt.compat import FuncOptimizer
        >>> optimizer = FuncOptimizer(torchopt.sgd(lr=0.25))
        >>> phi = torch.tensor(1.0, requires_grad=True)
        >>> params = (torch.tensor(3.0, requires_grad=True),)
        >>> params = optimizer.step((params[0] - phi) ** 2, params)
        >>> params[0].backward()
        >>> phi.grad
        tensor(0.5000)
    """

    def __init__(self, impl: GradientTransformation, *, inplace: bool = False) -> None:
        check_transformation(impl)
        self.impl = impl
        self.optim_state: Any = UninitializedState()
        self.inplace = bool(inplace)

    def __repr__(self) -> str:
        arguments = {"impl": self.impl, "inplace": self.inplace}
        return called(type(self).__name__, arguments, {"inplace": False})

    def step(
        self,
        loss: torch.Tensor,
        params: _Params,
        inplace: bool | None = None,
        *,
        value_fn: Callable[[_Params], torch.Tensor] | None = None,
    ) -> _Params:
        """Differentiate a loss and return the parameters after one update.

        Args:
            loss: A scalar computed from ``params``.
            params: A tree of tensors that require grad.
            inplace: In place of the optimizer's own setting.
            value_fn: A function of the parameters that returns the loss, for transformations that read
                it; they read the loss itself as ``value``.

        Returns:
            The new parameters; the same tensors if ``inplace``.

        Raises:
            TypeError: If the loss is not a floating tensor; or if the transformation reads
                ``value_fn``, which is not given.
            ValueError: If the loss is not a scalar, or does not depend on the parameters. The
                parameters and the state are then left as they were.
            NonFiniteError: If the loss is NaN; these are left, too.
        """
        inplace = self.inplace if inplace is None else inplace
        checks.check_loss(loss)
        leaves, spec = pytree.flatten(params)
        checks.check_not_empty(spec, "params")
        checks.check_floating(leaves, spec, "params")
        state = self.optim_state
        if isinstance(state, UninitializedState):
            state = self.impl.init(params)
        grads = pytree.unflatten(spec, differentiate(loss, leaves, create_graph=not inplace))
        extra: dict[str, Any] = {"value": (loss.detach() if inplace else loss).squeeze()}
        if value_fn is not None:
            extra["value_fn"] = value_fn
        if inplace:
            more = select(self.impl, extra)
            updates, state = self.impl.update(grads, state, params=params, inplace=True, **more)
            params = apply_updates(params, updates, inplace=True)
        else:
            params, state = advance(self.impl, grads, state, params, **extra)
        self.optim_state = state
        return params

    def state_dict(self) -> Any:
        """Return the state: :class:`torchopt.transform.UninitializedState` before the first step."""
        return self.optim_state

    def load_state_dict(self, state_dict: Any) -> None:
        """Take over a state.

        Args:
            state_dict: What :meth:`state_dict` returned.
        """
        self.optim_state = state_dict
