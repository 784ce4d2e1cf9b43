"""Block coordinate descent in far units."""

from __future__ import annotations

import pytest
import torch

import torchopt
from torchopt.diff import Implicit
from torchopt.solver import BlockCoordinateDescent

Tensor = torch.Tensor
F64 = torch.float64


def chained(dtype: torch.dtype, unit: float) -> tuple[dict[str, Tensor], Tensor]:
    """Solve ``a = t`` and ``b = 2 a``, and return the derivative of the sum of b by t: 2 each."""
    t = torch.tensor([1.0, 2.0], dtype=dtype).mul(unit).requires_grad_()

    def objective(p: dict[str, Tensor], t: Tensor) -> Tensor:
        return (p["a"] - t).square().sum() + (p["b"] - 2 * p["a"]).square().sum()

    start = {"a": torch.zeros(2, dtype=dtype), "b": torch.full((2,), unit, dtype=dtype)}
    solver = BlockCoordinateDescent()
    params = torchopt.minimize(objective, start, (t,), solver=solver, diff=Implicit()).params
    (grad,) = torch.autograd.grad(params["b"].sum(), t)
    return {name: p.detach() / unit for name, p in params.items()}, grad


@pytest.mark.parametrize("unit", [1e-100, 1e100])
def test_a_scaled_problem_has_the_scaled_solution(unit: float) -> None:
    (params, grad), (expected, slope) = chained(F64, unit), chained(F64, 1.0)
    torch.testing.assert_close(params, expected, rtol=1e-12, atol=0)
    torch.testing.assert_close(grad, slope, rtol=1e-12, atol=0)
    torch.testing.assert_close(slope, torch.tensor([2.0, 2.0], dtype=F64), rtol=1e-12, atol=0)
