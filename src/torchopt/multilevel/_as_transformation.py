"""The user's optimizer as a gradient transformation: a pure function with the same numbers.

Unrolled levels step by this function, under autograd. Then parameters and state are written back to
the user's optimizer, as if it had done the steps.
"""

from __future__ import annotations

from typing import Any

import torch

from torchopt.autodiff.tracking import constant
from torchopt.multilevel._functional_optimizer import (
    FunctionalOptimizer,
    OptimizerPart,
    join,
    refuse_other_steps,
)
from torchopt.multilevel._torch_optimizer import of_torch
from torchopt.optim import Optimizer
from torchopt.transform.chaining import GradientTransformation, identity

__all__ = ["as_transformation"]


def as_transformation(optimizer: Any) -> FunctionalOptimizer:
    """Return an optimizer as a gradient transformation on the list of its parameters.

    Args:
        optimizer: One of ``torch.optim``'s SGD, Adam, AdamW, RAdam, Adamax, Adadelta, Adagrad and
            RMSprop, with any parameter groups and at any time of its life; or a
            :class:`torchopt.Optimizer`.

    Returns:
        The optimizer as a transformation, which looks at the optimizer whenever it is asked.

    Raises:
        TypeError: If the optimizer is none of these, or a subclass that steps in its own way.
        ValueError: If it has hooks on its step, an option that is not known here, a parameter twice,
            or no parameter that requires grad.

    Example:
        >>> import torch, torchopt
        >>> w, rate = torch.tensor([1.0]), torch.tensor(0.5, requires_grad=True)
        >>> optimizer = torch.optim.SGD([w.requires_grad_()], lr=rate, momentum=0.9)
        >>> function = as_transformation(optimizer)
        >>> params, state = torchopt.transform.advance(
        ...     function.transformation(), [torch.tensor([3.0])], function.state(), function.params)
        >>> torch.autograd.grad(params[0].sum(), rate)
        (tensor(-3.),)
        >>> function.write(params, state)
        >>> w, optimizer.state_dict()["state"]
        (tensor([-0.5000], requires_grad=True), {0: {'momentum_buffer': tensor([3.])}})
    """
    function = _Own(optimizer) if isinstance(optimizer, Optimizer) else of_torch(optimizer)
    params = function.params
    if not params:
        raise ValueError(
            f"no parameter of {type(optimizer).__name__} requires grad: there is nothing to optimize."
        )
    places: dict[int, int] = {}
    for index, p in enumerate(params):
        if places.setdefault(id(p), index) != index:
            raise ValueError(
                f"parameters {places[id(p)]} and {index} of {type(optimizer).__name__} are one "
                f"tensor: give each parameter once (tied weights too)."
            )
    return function


class _Own(FunctionalOptimizer):
    """An optimizer of this library as a transformation: that of its own update rule."""

    def __init__(self, optimizer: Optimizer) -> None:
        refuse_other_steps(optimizer, Optimizer, "step")
        self.optimizer = optimizer
        self._parts: list[OptimizerPart] = []
        self._together = identity()

    @property
    def groups(self) -> list[list[torch.Tensor]]:
        return [
            [p for p in group if p is not None and p.requires_grad]
            for group in self.optimizer.param_groups
        ]

    def transformation(self) -> GradientTransformation:
        parts = [
            OptimizerPart(
                self.optimizer.impl, tuple(p is not None and p.requires_grad for p in group), spec
            )
            for group, spec in zip(
                self.optimizer.param_groups, self.optimizer.param_treespecs, strict=True
            )
        ]
        if parts != self._parts:
            self._parts, self._together = parts, join(parts)
        return self._together

    def state(self) -> Any:
        return tuple(map(constant, self.optimizer.state_groups))

    def _write_state(self, state: Any) -> None:
        self.optimizer.load_state_dict(map(constant, state))
