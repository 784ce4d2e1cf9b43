"""What solvers of composite problems do with empty leaves, half precision and transports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchopt
from torchopt import sets, solver

DTYPE = torch.float64


def test_block_coordinate_descent_takes_leaves_without_elements() -> None:
    start = {"a": torch.zeros(0), "b": torch.zeros(2)}
    method = solver.BlockCoordinateDescent()

    def loss(p: dict[str, torch.Tensor]) -> torch.Tensor:
        return sum((q - 2).square().sum() for q in p.values())

    found = torchopt.minimize(loss, start, solver=method)
    torch.testing.assert_close(found.params["b"], torch.full((2,), 2.0), rtol=1e-4, atol=0)
    alone = torchopt.minimize(loss, {"a": start["a"]}, solver=method)
    assert alone.params["a"].shape == (0,)


#: A solve by the solver that each kind of problem has by default, and the solution for a target.
HALF: dict[str, tuple[Callable[..., Any], list[float]]] = {
    "minimum": (lambda f, x: torchopt.minimize(lambda x: f(x).square().sum(), x), [-1, 0.5, 2]),
    "root": (lambda f, x: torchopt.root(lambda x: f(x) + f(x) ** 3, x), [-1, 0.5, 2]),
    "fixed point": (lambda f, x: torchopt.fixed_point(lambda x: x - f(x) / 2, x), [-1, 0.5, 2]),
    "least squares": (torchopt.least_squares, [-1, 0.5, 2]),
    "box": (
        lambda f, x: torchopt.minimize(
            lambda x: f(x).square().sum(), x, subject_to=sets.Box(0.0, 1.0)
        ),
        [0, 0.5, 1],
    ),
    "fit in a box": (
        lambda f, x: torchopt.least_squares(f, x, subject_to=sets.Box(0.0, 1.0)),
        [0, 0.5, 1],
    ),
    "constraints": (
        lambda f, x: torchopt.minimize(
            lambda x: f(x).square().sum(),
            x,
            subject_to=torchopt.Constraints(lambda x: x[0], lambda x: x - 1),
        ),
        [0, 0.5, 1],
    ),
}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("problem", HALF)
def test_default_solvers_run_in_half_precision(problem: str, dtype: torch.dtype) -> None:
    solve, solution = HALF[problem]
    target = torch.tensor([-1.0, 0.5, 2.0], dtype=dtype, requires_grad=True)
    found = solve(lambda x: x - target, torch.zeros(3, dtype=dtype)).params
    rounding = 8 * torch.finfo(dtype).eps
    torch.testing.assert_close(found.float(), torch.tensor(solution), rtol=0, atol=rounding)
    (slope,) = torch.autograd.grad(found[1], target)
    torch.testing.assert_close(slope.float(), torch.tensor([0.0, 1.0, 0.0]), rtol=0, atol=rounding)


@pytest.mark.parametrize(
    ("rows", "columns", "dtype"),
    [
        ([0.5, 0.0, 0.5], [0.25] * 4, torch.float32),
        ([0.2, 0.3, 0.5], [0.5, 0.0, 0.25, 0.25], DTYPE),
        ([0.0, 1.0, 0.0], [0.0, 0.5, 0.5, 0.0], torch.float32),
    ],
)
def test_an_empty_row_or_column_of_a_transport_changes_no_other(
    rows: list[float], columns: list[float], dtype: torch.dtype
) -> None:
    p, q = torch.tensor(rows, dtype=dtype), torch.tensor(columns, dtype=dtype)
    cost = torch.tensor([[0.3, 1.1, 0.4, 0.9], [0.8, 0.2, 0.7, 0.1], [0.5, 0.6, 1.0, 0.35]]).to(
        dtype
    )
    full = (p > 0)[:, None] & (q > 0)

    def step(
        cost: torch.Tensor, p: torch.Tensor, q: torch.Tensor, length: float = 1.0
    ) -> torch.Tensor:
        return sets.TransportPolytope(p, q).mirror_step(p[:, None] * q, cost, length)

    def solve(cost: torch.Tensor, p: torch.Tensor, q: torch.Tensor) -> Any:
        return torchopt.minimize(
            lambda x, c: (x * (c + x / 4)).sum(),
            p[:, None] * q,
            (cost,),
            subject_to=sets.TransportPolytope(p, q),
            solver=solver.MirrorDescent(rtol=1e-3),
        )

    rest = cost[p > 0][:, q > 0], p[p > 0], q[q > 0]
    tol = 1e-5 if dtype == torch.float32 else 1e-9
    for function in (step, lambda *a: torch.func.grad(lambda *a: step(*a).square().sum())(*a)):
        found = torch.func.vmap(function, in_dims=(0, None, None))(torch.stack([cost] * 2), p, q)[1]
        torch.testing.assert_close(found[full], function(*rest).flatten(), rtol=tol, atol=tol)
        assert (found[~full] == 0).all()
    for length in (5.0, 200.0):
        found = step(cost, p, q, length)
        expected = step(*rest, length).flatten()
        torch.testing.assert_close(found[full], expected, rtol=0, atol=tol)
    one, other = solve(cost, p, q), solve(*rest)
    torch.testing.assert_close(one.params[full], other.params.flatten(), rtol=1e-2, atol=1e-3)
    assert (one.params[~full] == 0).all()
    assert one.stats.iterations <= 1.2 * other.stats.iterations + 2


def test_totals_that_differ_are_refused_with_both() -> None:
    p, q = torch.tensor([0.3, 0.7]), torch.tensor([0.5, 0.6])
    cost = torch.tensor([[0.3, 1.1], [0.8, 0.2]])
    words = "the set is empty: `rows` have the sum 1, and `columns` 1.1: make both the same"
    with pytest.raises(ValueError, match=words):
        torchopt.minimize(
            lambda x: (x * cost).sum(),
            p[:, None] * q,
            subject_to=sets.TransportPolytope(p, q),
            solver=solver.MirrorDescent(),
        )
