"""Nonlinear constraints: known solutions and multipliers, derivatives, degenerate problems, errors."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import torch

import torchopt
from _cases import diagonal
from _differences import assert_derivatives_are_differences
from torchopt import Constraints
from torchopt.errors import DegenerateWarning, NotConvergedWarning
from torchopt.solver import AugmentedLagrangian

DTYPE = torch.float64
Tensors = Callable[[torch.Tensor], torch.Tensor]


def vector(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=DTYPE)


class Case(NamedTuple):
    """A problem of Hock and Schittkowski, with the value at its solution that they give."""

    objective: Tensors
    equality: Tensors | None
    inequality: Tensors | None
    start: tuple[float, ...]
    value: float


def _hs43(x: torch.Tensor) -> torch.Tensor:
    a, b, c, d = x
    return torch.stack(
        [
            x.square().sum() + a - b + c - d - 8,
            x.square().sum() + b**2 + d**2 - a - d - 10,
            x.square().sum() + a**2 - d**2 + 2 * a - b - d - 5,
        ]
    )


#: Hock and Schittkowski, *Test Examples for Nonlinear Programming Codes*, 1981.
CASES = {
    "6": Case(
        lambda x: (1 - x[0]) ** 2, lambda x: 10 * (x[1] - x[0] ** 2), None, (-1.2, 1.0), 0.0
    ),
    "7": Case(
        lambda x: torch.log(1 + x[0] ** 2) - x[1],
        lambda x: (1 + x[0] ** 2) ** 2 + x[1] ** 2 - 4,
        None,
        (2.0, 2.0),
        -math.sqrt(3),
    ),
    "28": Case(
        lambda x: (x[0] + x[1]) ** 2 + (x[1] + x[2]) ** 2,
        lambda x: x[0] + 2 * x[1] + 3 * x[2] - 1,
        None,
        (-4.0, 1.0, 1.0),
        0.0,
    ),
    "35": Case(
        lambda x: (
            9 - 8 * x[0] - 6 * x[1] - 4 * x[2] + 2 * x[0] ** 2 + 2 * x[1] ** 2 + x[2] ** 2
            + 2 * x[0] * x[1] + 2 * x[0] * x[2]
        ),
        None,
        lambda x: torch.cat([(x[0] + x[1] + 2 * x[2] - 3)[None], -x]),
        (0.5, 0.5, 0.5),
        1 / 9,
    ),
    "40": Case(
        lambda x: -x.prod(),
        lambda x: torch.stack(
            [x[0] ** 3 + x[1] ** 2 - 1, x[0] ** 2 * x[3] - x[2], x[3] ** 2 - x[1]]
        ),
        None,
        (0.8, 0.8, 0.8, 0.8),
        -0.25,
    ),
    "43": Case(
        lambda x: x.square().sum() + x[2] ** 2 - 5 * x[0] - 5 * x[1] - 21 * x[2] + 7 * x[3],
        None,
        _hs43,
        (0.0, 0.0, 0.0, 0.0),
        -44.0,
    ),
    "71": Case(
        lambda x: x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2],
        lambda x: x.square().sum() - 40,
        lambda x: torch.cat([(25 - x.prod())[None], 1 - x, x - 5]),
        (1.0, 5.0, 5.0, 1.0),
        17.0140173,
    ),
}  # fmt: skip


def solve(
    case: Case, theta: torch.Tensor, unit: float = 1.0, diff: Any = None, **options: Any
) -> torchopt.diff.Solution:
    """Solve a case whose functions theta shifts."""

    def objective(x: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        return unit * (case.objective(x) + theta[0] * x[0] + theta[1] * x.square().sum())

    def shifted(function: Tensors | None) -> Callable[..., torch.Tensor] | None:
        return None if function is None else lambda x, theta: function(x) + theta[2]

    return torchopt.minimize(
        objective,
        vector(*case.start),
        (theta,),
        subject_to=Constraints(shifted(case.equality), shifted(case.inequality)),
        solver=AugmentedLagrangian(on_failure="raise", **options),
        diff=diff,
    )


@functools.cache
def solved(name: str) -> torchopt.diff.Solution:
    return solve(CASES[name], vector(0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow if n == "43" else ()) for n in CASES]
)
def test_problems_of_hock_and_schittkowski_are_solved(name: str) -> None:
    case, solution = CASES[name], solved(name)
    assert solution.value is not None
    assert abs(float(solution.value) - case.value) < 1e-6 * max(1, abs(case.value))
    for function, broken in ((case.equality, torch.abs), (case.inequality, torch.relu)):
        if function is not None:
            assert broken(function(solution.params)).max() < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize(("name", "unit"), diagonal(["6", "7", "35", "71"], [1e-10, 1e10]))
def test_units_of_the_objective_do_not_matter(name: str, unit: float) -> None:
    params = solve(CASES[name], vector(0.0, 0.0, 0.0), unit).params
    torch.testing.assert_close(params, solved(name).params, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", ["7", pytest.param("71", marks=pytest.mark.slow)])
def test_derivatives_of_solution_and_multipliers_equal_differences(name: str) -> None:
    def of(theta: torch.Tensor) -> torch.Tensor:
        solution = solve(CASES[name], theta)
        duals = (solution.stats.equality_duals, solution.stats.inequality_duals)
        return torch.cat([solution.params, *(d.reshape(-1) for d in duals if d is not None)])

    theta, direction = vector(0.01, -0.02, 0.03), vector(0.8, -0.5, 0.6)
    move = 1e-5 * direction
    difference = (of(theta + move) - of(theta - move)) / 2e-5
    found = torch.func.jacrev(of)(theta) @ direction
    torch.testing.assert_close(found, difference, rtol=1e-6, atol=1e-7)


def disk(radius: torch.Tensor, centre: torch.Tensor, **options: Any) -> torchopt.diff.Solution:
    """Return the nearest point of a disk, whose multiplier is ``(|centre| / radius - 1) / 2``."""
    return torchopt.minimize(
        lambda x, radius: (x - centre).square().sum() / 2,
        torch.full((2,), 0.9, dtype=DTYPE),
        (radius,),
        subject_to=Constraints(inequality=lambda x, radius: x.square().sum() - radius**2),
        **{"solver": AugmentedLagrangian(), **options},
    )


def test_projection_onto_a_disk_and_its_multiplier_equal_the_closed_form() -> None:
    radius, centre = vector(2.0)[0].requires_grad_(), vector(3.0, 4.0).requires_grad_()
    solution = disk(radius, centre)
    torch.testing.assert_close(solution.params.detach(), vector(1.2, 1.6))
    assert isinstance(solution.stats, torchopt.diff.ConstrainedStats)
    multiplier = solution.stats.inequality_duals
    torch.testing.assert_close(multiplier.detach(), vector(0.75)[0])
    of_radius, of_centre = torch.autograd.grad(
        solution.params[0], (radius, centre), retain_graph=True
    )
    torch.testing.assert_close(of_radius, vector(0.6)[0])
    torch.testing.assert_close(of_centre, vector(0.256, -0.192))
    of_radius, of_centre = torch.autograd.grad(multiplier, (radius, centre))
    torch.testing.assert_close(of_radius, vector(-0.625)[0])
    torch.testing.assert_close(of_centre, vector(0.15, 0.2))


def test_first_and_second_derivatives_are_those_of_differences() -> None:
    def of(radius: torch.Tensor, centre: torch.Tensor) -> torch.Tensor:
        solution = disk(radius, centre)
        return torch.cat([solution.params, solution.stats.inequality_duals.reshape(1)])

    assert_derivatives_are_differences(of, (vector(2.0)[0], vector(3.0, 4.0)))


def test_a_batch_has_its_own_active_constraints() -> None:
    radius, centre = vector(1.0, 2.0, 6.0), vector(3.0, 4.0).expand(3, 2)
    solution = torch.func.vmap(disk)(radius, centre)
    expected = torch.stack([centre[0] / 5, centre[0] * 2 / 5, centre[0]])
    torch.testing.assert_close(solution.params, expected, rtol=1e-7, atol=1e-8)
    torch.testing.assert_close(solution.stats.inequality_duals, vector(2.0, 0.75, 0.0))
    assert solution.converged.all()
    jacobian = torch.func.vmap(torch.func.jacrev(lambda r, c: disk(r, c).params))(radius, centre)
    expected = torch.stack([vector(0.6, 0.8), vector(0.6, 0.8), vector(0.0, 0.0)])
    torch.testing.assert_close(jacobian, expected, rtol=1e-6, atol=1e-8)
    tangent = torch.func.jvp(
        lambda r: disk(r, centre[0]).params, (radius[1],), (torch.ones_like(radius[1]),)
    )[1]
    torch.testing.assert_close(tangent, vector(0.6, 0.8))


@pytest.mark.parametrize("dtype", [torch.float32, DTYPE])
def test_trees_and_auxiliary_outputs(dtype: torch.dtype) -> None:
    a = torch.tensor([1.0, 2.0, 3.0], dtype=dtype, requires_grad=True)
    solution = torchopt.minimize(
        lambda x: ((x["a"] - a).square().sum() + (x["b"] - 4) ** 2, x["a"].sum()),
        {"a": torch.zeros(3, dtype=dtype), "b": torch.ones((), dtype=dtype)},
        subject_to=Constraints(
            equality=lambda x: {"sum": x["a"].sum() - x["b"]},
            inequality=lambda x: [x["a"] - 2.0, x["b"].reshape(1) - 10],
        ),
        solver=AugmentedLagrangian(),
        has_aux=True,
    )
    # The third is at its bound; the others and the sum move equally to meet each other.
    expected = torch.tensor([2 / 3, 5 / 3, 2.0], dtype=dtype)
    torch.testing.assert_close(solution.params["a"].detach(), expected, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(solution.aux, expected.sum(), rtol=1e-5, atol=1e-5)
    assert set(solution.stats.equality_duals) == {"sum"}
    assert [d.shape for d in solution.stats.inequality_duals] == [(3,), (1,)]
    assert solution.stats.inequality_duals[1] == 0
    (gradient,) = torch.autograd.grad(solution.params["a"][0], a)
    expected = torch.tensor([2 / 3, -1 / 3, 0.0], dtype=dtype)
    torch.testing.assert_close(gradient, expected, rtol=1e-4, atol=1e-4)


def test_a_function_that_returns_no_solution_is_reported() -> None:
    radius, centre = vector(2.0)[0].requires_grad_(), vector(3.0, 4.0)
    for wrong in (0.5, 0.3):  # outside of the disk, and in it, where the gradient is not zero
        with pytest.warns(NotConvergedWarning, match="no solution"):
            disk(radius, centre, solver=lambda x, radius, w=wrong: w * centre)


def simple(theta: torch.Tensor, maxiter: int = 50, **constraints: Any) -> torchopt.diff.Solution:
    """Minimize the distance to (3, 3) subject to constraints."""
    return torchopt.minimize(
        lambda x, theta: (x - 3).square().sum() + theta * x.sum(),
        vector(0.3, 0.2),
        (theta,),
        subject_to=Constraints(**constraints),
        solver=AugmentedLagrangian(maxiter=maxiter),
    )


def test_redundant_constraints_are_reported_and_have_the_derivative_of_independent_ones() -> None:
    theta, bound = vector(0.0)[0].requires_grad_(), vector(1.0)[0].requires_grad_()
    for kind in ("equality", "inequality"):
        with pytest.warns(DegenerateWarning, match="depend on one another") as told:
            solution = simple(theta, **{kind: lambda x, theta: torch.cat([x - bound, x - bound])})
        assert told[0].message.failed == 1  # type: ignore[union-attr]
        torch.testing.assert_close(solution.params.detach(), vector(1.0, 1.0))
        gradients = torch.autograd.grad(solution.params[0], (theta, bound))
        torch.testing.assert_close(gradients, (vector(0.0)[0], vector(1.0)[0]))


def test_an_active_inequality_without_a_multiplier_is_reported() -> None:
    theta = vector(0.0)[0].requires_grad_()
    with pytest.warns(DegenerateWarning, match="multiplier near zero"):
        simple(theta, inequality=lambda x, theta: x - 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simple(theta.detach(), inequality=lambda x, theta: x - 3)  # nothing is differentiated


@pytest.mark.parametrize(
    "contradiction",
    [
        pytest.param(
            {"equality": lambda x: torch.stack([x.sum() - 1, x.sum() - 2])}, marks=pytest.mark.slow
        ),
        pytest.param(
            {"inequality": lambda x: torch.stack([x.square().sum() - 1, 3 - x.sum()])},
            marks=pytest.mark.slow,
        ),
        {"equality": lambda x: x[0] - 5, "inequality": lambda x: x[0] - 1},
        {"equality": lambda x: x.square().sum() + 1},
    ],
)
def test_contradictory_constraints_advise_no_more_steps(contradiction: dict[str, Any]) -> None:
    with pytest.warns(NotConvergedWarning, match="constraints that contradict") as caught:
        torchopt.minimize(
            lambda x: (x - 3).square().sum(),
            torch.ones(2, dtype=torch.float64),
            subject_to=torchopt.Constraints(**contradiction),
            solver=torchopt.solver.AugmentedLagrangian(),
        )
    assert "maxiter" not in str(caught[0].message)


@pytest.mark.slow
def test_a_batch_does_not_wait_long_for_a_problem_without_feasible_points() -> None:
    def solve(square: torch.Tensor) -> tuple[torch.Tensor, ...]:
        sphere = torchopt.Constraints(equality=lambda x: x.square().sum() - square)
        method = torchopt.solver.AugmentedLagrangian(on_failure="ignore")
        start = torch.tensor([1.0, 2.0, 0.5], dtype=torch.float64)
        found = torchopt.minimize(
            lambda x: (x - 2).square().sum(), start, subject_to=sphere, solver=method
        )
        return found.params, found.stats.iterations, found.stats.converged

    squares = torch.tensor([0.75, -1.0, 3.0], dtype=torch.float64)
    x, iterations, converged = torch.func.vmap(solve)(squares)
    assert converged.tolist() == [True, False, True]
    nearest = torch.tensor([[0.5], [1.0]], dtype=torch.float64).expand(2, 3)
    torch.testing.assert_close(x[[0, 2]], nearest)
    assert iterations.max() < 25  # of 50


def test_without_newton_the_method_converges_too() -> None:
    solution = disk(vector(2.0)[0], vector(3.0, 4.0), solver=AugmentedLagrangian(newton=False))
    assert solution.converged
    torch.testing.assert_close(solution.params, vector(1.2, 1.6), rtol=1e-7, atol=0)


def test_a_function_that_returns_the_solution_is_a_solver() -> None:
    radius, centre = vector(2.0)[0].requires_grad_(), vector(3.0, 4.0)
    solution = disk(radius, centre, solver=lambda x, radius: radius * centre / centre.norm())
    torch.testing.assert_close(solution.stats.inequality_duals.detach(), vector(0.75)[0])
    (gradient,) = torch.autograd.grad(solution.params[0], radius)
    torch.testing.assert_close(gradient, vector(0.6)[0])
    assert solution.error < 1e-12


def test_functions_without_constraints_leave_the_minimum_as_it_is() -> None:
    theta = vector(1.0)[0].requires_grad_()
    solution = simple(theta, inequality=lambda x, theta: x[:0])
    torch.testing.assert_close(solution.params.detach(), vector(2.5, 2.5))
    torch.testing.assert_close(torch.autograd.grad(solution.params[0], theta)[0], vector(-0.5)[0])
