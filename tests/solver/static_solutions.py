"""What type checkers know of a solution; `make types` checks this file, and no test imports it."""

from __future__ import annotations

import torch
from typing_extensions import assert_type

import torchopt
from torchopt.linear_solve import Stats


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
