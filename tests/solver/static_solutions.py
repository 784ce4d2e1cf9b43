"""What type checkers know of a solution; `make types` checks this file, and no test imports it."""

from __future__ import annotations

import torch
from typing_extensions import assert_type

import torchopt
from torchopt import diff, nn
from torchopt.diff import Stats


def loss(params: dict[str, torch.Tensor]) -> torch.Tensor:
    return params["w"].square().sum()


PARAMS = {"w": torch.ones(2)}

solution = torchopt.minimize(loss, PARAMS, solver=torchopt.sgd(0.1), steps=1)
assert_type(solution.params, dict[str, torch.Tensor])
assert_type(solution.stats, Stats)
assert_type(solution.value, torch.Tensor | None)


def residual(x: torch.Tensor) -> torch.Tensor:
    return x - 1


def half(x: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    return x[0] / 2, x[1] / 2


root = torchopt.root(residual, torch.zeros(2))
assert_type(root.params, torch.Tensor)
point = torchopt.fixed_point(half, (torch.ones(1), torch.ones(2)))
assert_type(point.params, tuple[torch.Tensor, torch.Tensor])
fit = torchopt.least_squares(residual, torch.zeros(2))
assert_type(fit.params, torch.Tensor)


# The derivative of a quadratic program is that of its solution, or of the central path.

Q, c = torch.eye(2), torch.ones(2)
torchopt.quadratic_program(Q, c, diff=diff.Implicit())
torchopt.quadratic_program(Q, c, diff=diff.CentralPath(0.1))
torchopt.quadratic_program(Q, c, diff=diff.Explicit())  # type: ignore[arg-type]
nn.QuadraticLayer(Q, diff=diff.ZeroOrder())  # type: ignore[arg-type]


# A mode has `differentiate`, and a solver is none.


class Mine:
    def differentiate(self, problem: diff.Problem) -> diff.Solution:
        return problem.run()


torchopt.root(residual, torch.zeros(2), diff=Mine())
torchopt.root(residual, torch.zeros(2), diff=torchopt.solver.Newton())  # type: ignore[call-overload]
torchopt.root(residual, torch.zeros(2), diff=torchopt.solver.InteriorPoint())  # type: ignore[call-overload]
