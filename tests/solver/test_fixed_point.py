"""The face `torchopt.fixed_point`."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.func import vmap

import torchopt
from torchopt import diff, linear_solve, solver
from torchopt.errors import NotConvergedWarning

DOUBLE = torch.float64


def layer(z: torch.Tensor, W: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    return torch.tanh(W @ z + u)


def weights() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    W = torch.randn(4, 4, dtype=DOUBLE, generator=generator)
    u = torch.randn(4, dtype=DOUBLE, generator=generator)
    return (0.5 * W / torch.linalg.matrix_norm(W, 2)).requires_grad_(), u.requires_grad_()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"solver": solver.FixedPointIteration(rtol=0.0, atol=1e-12)},
        {"solver": solver.Anderson(rtol=0.0, atol=1e-12)},
        {"solver": solver.Broyden(rtol=0.0, atol=1e-12)},
        {"solver": solver.Newton(rtol=0.0, atol=1e-12)},
        {"solver": torchopt.sgd(1.0), "maxiter": 100, "tol": 1e-12},
        {"diff": diff.Implicit(linear_solve=linear_solve.solve_neumann())},
        {"diff": diff.Explicit(), "solver": solver.FixedPointIteration(rtol=0.0, atol=1e-12)},
        {"diff": diff.Explicit(), "solver": torchopt.sgd(1.0), "steps": 60},
    ],
    ids=[
        "default",
        "iteration",
        "anderson",
        "broyden",
        "newton",
        "descent",
        "neumann",
        "unrolled_iteration",
        "unrolled_descent",
    ],
)
def test_value_and_derivatives_equal_those_of_many_iterations(options: Any) -> None:
    W, u = weights()
    start = torch.zeros(4, dtype=DOUBLE)
    z = torchopt.fixed_point(layer, start, (W, u), **options).params
    expected = start
    for _ in range(60):
        expected = layer(expected, W, u)
    torch.testing.assert_close(z, expected, rtol=1e-6, atol=1e-7)
    found = torch.autograd.grad((z**3).sum(), (W, u))
    torch.testing.assert_close(
        found, torch.autograd.grad((expected**3).sum(), (W, u)), rtol=1e-5, atol=1e-7
    )


def test_each_problem_of_a_batch_stops_by_itself() -> None:
    slopes = torch.tensor([0.1, 0.9, -0.5], dtype=DOUBLE)

    def solve(slope: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        solution = torchopt.fixed_point(
            lambda z, slope: slope * z + 1,
            torch.zeros((), dtype=DOUBLE),
            (slope,),
            solver=solver.FixedPointIteration(rtol=0.0, atol=1e-10),
        )
        return solution.params, solution.iterations

    z, iterations = vmap(solve)(slopes)
    torch.testing.assert_close(z, 1 / (1 - slopes))
    alone = torch.stack([solve(s)[1] for s in slopes])
    assert ((iterations - alone).abs() <= 1).all()  # the last step may be rounding's
    assert len(set(iterations.tolist())) == 3


def test_an_expansion_is_told() -> None:
    with pytest.warns(NotConvergedWarning, match="FixedPointIteration did not converge"):
        solution = torchopt.fixed_point(
            lambda z: 1.5 * z + 1,
            torch.zeros((), dtype=DOUBLE),
            solver=solver.FixedPointIteration(maxiter=20),
        )
    assert not solution.converged


def test_auxiliary_output_is_that_at_the_solution() -> None:
    solution = torchopt.fixed_point(
        lambda z: (z / 2 + 1, {"z": z}), torch.zeros((), dtype=DOUBLE), has_aux=True
    )
    torch.testing.assert_close(solution.aux["z"], solution.params)
