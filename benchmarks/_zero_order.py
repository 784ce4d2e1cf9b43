"""The functions that all contenders of `benchmarks.zero_order` estimate the gradient of.

It needs torch alone, so that every environment can import it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.nn.functional import linear, softplus

Params: TypeAlias = tuple[Tensor, ...]
Step: TypeAlias = Callable[[], tuple[Tensor, ...]]


@dataclass(frozen=True)
class Problem:
    """The loss of a perceptron on some examples.

    Attributes:
        x: The inputs.
        y: Signs.
        start: The parameters.
        sigma: The scale of perturbations.
        evaluations: How many an estimate may cost.
    """

    x: Tensor
    y: Tensor
    start: Params
    sigma: float
    evaluations: int

    def loss(self, params: Params) -> Tensor:
        """Return the logistic loss."""
        first, bias, last, offset = params
        output = linear(linear(self.x, first, bias).tanh(), last, offset)[..., 0]
        return softplus(-self.y * output).mean()

    def leaves(self) -> Params:
        """Return copies of the parameters that require gradients."""
        return tuple(p.clone().requires_grad_() for p in self.start)


def problem(case: dict[str, Any]) -> Problem:
    """Make the problem of a case, the same in each process."""
    generator = torch.Generator().manual_seed(0)
    dtype, device = getattr(torch, case["dtype"]), case["device"]

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    n, features, hidden = (case[key] for key in ("examples", "features", "hidden"))
    x = normal(n, features)
    y = (x[:, 0] * x[:, 1] + 0.3 * normal(n)).sign()
    start = (
        normal(hidden, features) / features**0.5,
        0.1 * normal(hidden),
        normal(1, hidden) / hidden**0.5,
        0.1 * normal(1),
    )
    x, y, *moved = (t.to(device, dtype) for t in (x, y, *start))
    torch.manual_seed(case.get("seed", 0))  # of the directions
    return Problem(x, y, tuple(moved), case.get("sigma", 0.01), case["evaluations"])


def exact(case: dict[str, Any]) -> Step:
    """Return the gradient by backpropagation."""
    given = problem(case)
    leaves = given.leaves()
    return lambda: torch.autograd.grad(given.loss(leaves), leaves)
