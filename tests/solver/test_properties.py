"""All solvers: known solutions, tolerances, units, batches, precisions, derivatives."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
import torch
from _problems import constrained, fixed_point, least_squares, minimum, root

import _public
import torchopt
from _cases import covering
from _differences import assert_derivatives_are_differences
from solver._rows import (
    DISTINCT,
    DTYPE,
    LOWER,
    ROWS,
    UPPER,
    accuracy,
    by_faces,
    constraint,
    curved,
    each_class,
    each_composite,
    each_group,
    each_group_but_dear,
    each_kind,
    each_smooth_class,
    each_smooth_group,
    each_solution,
    every,
    for_precision,
    group,
    linear,
    on_simplex,
    residuals,
    sooner,
    start,
    unrolled,
)
from torchopt import diff, solver
from torchopt.errors import NotConvergedWarning

Method = solver.Solver[Any]
THETA = torch.tensor(1.1, dtype=DTYPE)
WEIGHTS = torch.tensor([0.3, -1.0, 0.7], dtype=DTYPE)


@pytest.mark.parametrize(("name", "dtype"), covering([*ROWS], [torch.float32, DTYPE]), ids=str)
def test_linear_problem_is_solved_within_tolerance(name: str, dtype: torch.dtype) -> None:
    method, kind = ROWS[name]
    method = for_precision(method, dtype)
    problem, solution = linear(method, kind, 1.3, dtype)
    run = method.run(problem, start(method, kind).to(dtype))
    assert run.stats.converged
    assert 0 < run.stats.iterations < method.maxiter
    assert run.x.dtype == run.stats.error.dtype == dtype
    tol = accuracy(method, kind, dtype)
    torch.testing.assert_close(run.x.to(DTYPE), solution.to(DTYPE), rtol=0, atol=tol)
    if group(kind) == "composite":
        return
    tol /= 3
    assert run.stats.error <= tol
    there, _ = method.measured(problem, run.x, run.state)
    error = problem.residual(there).norm()
    torch.testing.assert_close(run.stats.error, error, rtol=1e-2, atol=tol / 50)
    assert problem.residual(run.x).norm() <= 2 * run.stats.error + tol / 50


def test_truth_has_active_and_free_elements() -> None:
    for method in (solver.ProjectedGradient(), solver.FrankWolfe()):
        x = by_faces(method, 1.3)
        active = (x == LOWER) | (x == UPPER) | (x == 0)
        assert active.any()
        assert (~active).sum() > (1 if on_simplex(method) else 0)


@each_kind
def test_a_smaller_tolerance_is_met_too(method: Method, kind: str) -> None:
    problem, x = curved(method, kind, THETA), start(method, kind)
    loose, tight = (dataclasses.replace(method, rtol=0.0, atol=t) for t in (1e-3, 1e-12))
    run, better = loose.run(problem, x), tight.run(problem, x)  # a warning is an error
    assert run.stats.converged
    assert better.stats.converged
    assert better.stats.error <= 1e-12 < run.stats.error <= 1e-3
    assert better.stats.iterations > run.stats.iterations
    composite = 1e-5 if isinstance(method, solver.FrankWolfe) else 2e-11
    assert problem.residual(better.x).norm() <= (composite if group(kind) == "composite" else 2e-12)


@pytest.mark.parametrize(
    ("name", "size"), covering([n for n in DISTINCT if group(ROWS[n][1]) != "composite"], [1, 2])
)
def test_problems_of_one_and_two_unknowns_are_solved(name: str, size: int) -> None:
    method, kind = ROWS[name]
    target = torch.tensor([0.6, -0.3], dtype=DTYPE)[:size]
    problem = {
        "minimum": minimum(lambda x: ((x - target) ** 2 + (x - target) ** 4).sum()),
        "root": root(lambda x: x - target + (x - target) ** 3 / 2),
        "fixed_point": fixed_point(lambda x: target + 0.4 * torch.sin(x - target)),
        "least_squares": least_squares(
            lambda x: torch.cat([torch.exp(x - target) - 1, x - target])
        ),
        "constrained": constrained(
            lambda x: (x - target).square().sum() + (x - target)[0], lambda x: x[:1] - target[:1]
        ),
    }[kind]
    run = method.run(problem, torch.ones(size, dtype=DTYPE))
    assert run.stats.converged
    torch.testing.assert_close(run.x, target, rtol=0, atol=1e-7)


@each_kind
def test_a_start_at_the_solution_needs_no_steps(method: Method, kind: str) -> None:
    problem, x = linear(method, kind, 1.3)
    if type(method) is solver.MirrorDescent:  # what is zero stays zero, which may be no solution
        x = method.run(problem, start(method, kind)).x
    run = method.run(problem, x)
    composite = group(kind) == "composite"
    assert run.stats.iterations <= (3 if composite else 0)  # of the gap, the first is rounding
    assert run.stats.converged
    torch.testing.assert_close(run.x, x, rtol=0, atol=1e-8 if composite else 0)


@each_kind
def test_too_few_steps_are_not_converged(method: Method, kind: str) -> None:
    problem, x = curved(method, kind, THETA), start(method, kind)
    few = 1 if kind == "constrained" else 2  # each of which is a run of another solver
    short = dataclasses.replace(method, rtol=0.0, atol=1e-14, maxiter=few, on_failure="ignore")
    run = short.run(problem, x)
    assert run.stats.iterations == few
    assert not run.stats.converged
    assert run.stats.error > 1e-14
    none = dataclasses.replace(short, maxiter=0).run(problem, x)
    assert none.stats.iterations == 0
    assert torch.equal(none.x, x)


@each_group_but_dear  # for the constrained ones, `test_constrained.py` has a batch
def test_batch_equals_loop_and_each_problem_stops_by_itself(method: Method, kind: str) -> None:
    composite, soon = group(kind) == "composite", sooner(method, kind)
    thetas, starts = torch.tensor([0.3, 1.1, 2.0], dtype=DTYPE), start(method, kind).expand(3, 3)
    if not composite:
        starts = torch.linspace(-0.4, 0.9, 9, dtype=DTYPE).reshape(3, 3).flip(1)
        starts = starts * torch.tensor([[3.0], [0.1], [2.0]])

    def run(theta: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found = soon.run(curved(method, kind, theta), x)
        return found.x, found.stats.iterations, found.stats.converged

    x, iterations, converged = torch.func.vmap(run)(thetas, starts)
    assert converged.all()
    assert len(iterations.unique()) > 1
    for i, (theta, begin) in enumerate(zip(thetas, starts, strict=True)):
        alone, count, _ = run(theta, begin)
        tol = 1e-8 if composite else 1e-10
        torch.testing.assert_close(x[i], alone.detach(), rtol=10 * tol, atol=tol)
        # Rounding decides when it is near enough; Frank and Wolfe's gap ends at its size.
        apart = 3 + int(count) // 5 if composite else 2
        assert abs(int(iterations[i] - count)) <= apart or type(method) is solver.FrankWolfe


@each_class
def test_a_problem_that_becomes_nan_leaves_the_others_of_its_batch_alone(
    method: Method, kind: str
) -> None:
    soon = sooner(method, kind)
    if group(kind) != "composite":
        soon = dataclasses.replace(soon, rtol=0.0, atol=1e-2)

    def run(theta: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found = soon.run(curved(method, kind, theta), start(method, kind))
        return found.x, found.stats.converged

    thetas = torch.tensor([1.1, torch.nan, 0.4], dtype=DTYPE)
    with pytest.warns(NotConvergedWarning, match="for some problems") as told:
        x, converged = torch.func.vmap(run)(thetas)
    assert told[0].message.failed == 1  # type: ignore[union-attr]
    assert converged.tolist() == [True, False, True]
    for i in (0, 2):
        torch.testing.assert_close(x[i], run(thetas[i])[0].detach(), rtol=1e-7, atol=1e-8)


@each_group
def test_steps_are_differentiable(method: Method, kind: str) -> None:
    solve = unrolled(method, kind, 2)
    theta, x = THETA.clone().requires_grad_(), start(method, kind).requires_grad_()
    reverse, forward = assert_derivatives_are_differences(
        solve, (theta, x), second=False, rtol=1e-4, atol=1e-6
    )
    torch.testing.assert_close(forward, reverse, rtol=1e-8, atol=1e-10)


@each_smooth_class  # the composite ones by their faces, below
def test_derivatives_of_a_batch_are_those_of_its_problems(method: Method, kind: str) -> None:
    thetas = torch.tensor([0.4, 1.1], dtype=DTYPE)

    def loss(theta: torch.Tensor) -> torch.Tensor:
        return unrolled(method, kind, 2)(theta, start(method, kind)).sum()

    variables = [theta.clone().requires_grad_() for theta in thetas]
    expected = torch.stack([torch.autograd.grad(loss(v), v)[0] for v in variables])
    for found in (
        torch.func.vmap(torch.func.grad(loss))(thetas),
        torch.func.grad(lambda thetas: torch.func.vmap(loss)(thetas).sum())(thetas),
        torch.func.vmap(torch.func.jacfwd(loss))(thetas),
    ):
        torch.testing.assert_close(found, expected, rtol=1e-7, atol=1e-10)


@each_smooth_group
def test_steps_far_past_the_solution_keep_its_derivative(method: Method, kind: str) -> None:
    """At an exact solution nothing is 0 / 0, in the derivatives neither."""
    theta = THETA.clone().requires_grad_()
    fast = isinstance(method, (solver.Newton, solver.LevenbergMarquardt))
    # Of one block, block coordinate descent is plain gradient descent.
    slow = isinstance(method, (solver.BlockCoordinateDescent, solver.FixedPointIteration))
    dear = isinstance(method, (solver.LBFGSB, solver.NonlinearCG))  # of many trial steps
    solution = method.run(curved(method, kind, THETA), start(method, kind)).x
    near = solution + torch.tensor([0.01, -0.02, 0.03], dtype=DTYPE)
    x = unrolled(method, kind, 7 if fast else 80 if slow else 10 if dear else 30)(theta, near)
    rest = curved(method, kind, theta).residual(x.detach())
    assert rest.norm() < 1e-12
    # The implicit function theorem: J dx = -dF.
    residual = curved(method, kind, THETA).residual
    J = torch.autograd.functional.jacobian(residual, x.detach())
    dF = torch.stack([torch.autograd.grad(r, theta, retain_graph=True)[0] for r in rest])
    found = torch.stack([torch.autograd.grad(v, theta, retain_graph=True)[0] for v in x])
    # L-BFGS does not learn from rounding errors, but its last steps have their lengths from them.
    rough = isinstance(method, (solver.BFGS, solver.LBFGS, solver.LBFGSB, solver.NonlinearCG))
    rtol = 0.5 if rough else 1e-6
    torch.testing.assert_close(found, -torch.linalg.solve(J, dF), rtol=rtol, atol=rtol / 10)


@every
def test_a_wrong_kind_is_refused_with_a_solver_that_fits(method: Method, kind: str) -> None:
    for other in {"minimum", "root", "fixed_point", "least_squares"} - _public.solved_by(method):
        with pytest.raises(
            ValueError, match=f"^`{type(method).__name__}` is a solver for .*: use `"
        ):
            method.run(curved(method, other, THETA), start(method, other))


# --- problems with a set -----------------------------------------------------------------------------


def differences(function: Callable[[float], torch.Tensor], at: float, h: float) -> torch.Tensor:
    return (function(at + h) - function(at - h)) / (2 * h)


def solved(method: Method, kind: str, theta: Any, mode: Any) -> Any:
    face = torchopt.least_squares if kind == "composite_least_squares" else torchopt.minimize

    def function(x: torch.Tensor, theta: Any) -> torch.Tensor:
        r = residuals(x, theta)
        return r if face is torchopt.least_squares else r.square().sum() / 2

    inside = constraint(method, torch.empty(0, dtype=DTYPE))
    return face(
        function, start(method, kind), (theta,), subject_to=inside, solver=method, diff=mode
    )


@each_solution
def test_implicit_derivatives_are_those_of_the_solution_on_its_face(
    method: Method, kind: str
) -> None:
    def solve(theta: torch.Tensor) -> torch.Tensor:
        return solved(method, kind, theta, diff.Implicit()).params

    theta = torch.tensor(1.3, dtype=DTYPE, requires_grad=True)
    (first,) = torch.autograd.grad(WEIGHTS @ solve(theta), theta, create_graph=True)
    (second,) = torch.autograd.grad(first, theta)
    expected = differences(lambda t: WEIGHTS @ by_faces(method, t), 1.3, 1e-5)
    torch.testing.assert_close(first.detach(), expected, rtol=1e-6, atol=1e-7)
    points = [WEIGHTS @ by_faces(method, 1.3 + h * 1e-3) for h in (-1, 0, 1)]
    expected = (points[0] - 2 * points[1] + points[2]) / 1e-6
    torch.testing.assert_close(second, expected, rtol=1e-4, atol=1e-5)
    forward = torch.func.jvp(solve, (theta.detach(),), (torch.ones_like(theta),))[1]
    torch.testing.assert_close(WEIGHTS @ forward, first.detach(), rtol=1e-6, atol=1e-7)
    thetas = torch.tensor([1.1, 1.3], dtype=DTYPE)
    found = torch.func.vmap(torch.func.jacrev(solve))(thetas)
    expected = [differences(lambda t: by_faces(method, t), float(t), 1e-5) for t in thetas]
    torch.testing.assert_close(found, torch.stack(expected), rtol=1e-5, atol=1e-6)


@each_composite
def test_derivatives_through_all_steps_are_those_of_the_solution(method: Method, kind: str) -> None:
    theta = torch.tensor(1.3, dtype=DTYPE, requires_grad=True)
    solution = solved(method, kind, theta, diff.Explicit())
    (found,) = torch.autograd.grad(WEIGHTS @ solution.params, theta)
    expected = differences(lambda t: WEIGHTS @ by_faces(method, t), 1.3, 1e-5)
    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-4)
    value = residuals(by_faces(method, 1.3), 1.3).square().sum() / 2
    torch.testing.assert_close(solution.value.detach(), value, rtol=1e-7, atol=0.0)
