"""All solvers of composite problems: known solutions, tolerances, units, batches, derivatives."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from _problems import FlatProblem, composite, composite_least_squares

import _public
import torchopt
from _cases import covering, first_of_each
from _differences import assert_derivatives_are_differences
from torchopt import diff, sets, solver
from torchopt.errors import NotConvergedWarning

DTYPE = torch.float64

#: The gap is an error of the objective, and its root one of the solution.
ACCURATE = {"FrankWolfe": {"rtol": 1e-16}}
#: Sets with a mirror map or a linear minimizer; all other solvers have a box.
ON_SIMPLEX = ("MirrorDescent", "FrankWolfe")

SOLVERS: dict[str, tuple[solver.Solver[Any], str]] = {
    "plain": (solver.ProximalGradient(acceleration=False), "composite"),
    "restart_by_value": (solver.ProximalGradient(restart="value"), "composite"),
    "fixed_step": (solver.ProximalGradient(stepsize=0.25), "composite"),
    "mirror_fixed_step": (solver.MirrorDescent(stepsize=0.7), "composite"),
    "away": (solver.FrankWolfe(rtol=1e-16, variant="away"), "composite"),
    "exact": (solver.FrankWolfe(rtol=1e-16, line_search="exact"), "composite"),
    "relaxed": (solver.DouglasRachford(relaxation=1.6, stepsize=0.5), "composite"),
    "admm_by_lbfgs": (
        solver.DouglasRachford(inner=solver.LBFGS(rtol=1e-12, on_failure="ignore")),
        "composite",
    ),
}
DEFAULTS = {
    f"{name}-{kind}": (cls(**ACCURATE.get(name, {})), kind)
    for name, cls in _public.exported(solver, solver.Solver).items()
    for kind in sorted(cls.kinds & _public.COMPOSITE)
}
SOLVERS |= DEFAULTS
solvers = pytest.mark.parametrize(("method", "kind"), SOLVERS.values(), ids=SOLVERS)
#: For tests that take long: each class once, and the rest when there is time.
LIST = {"relaxed": SOLVERS["relaxed"]} | DEFAULTS | SOLVERS  # of fewer steps than the default
classes = pytest.mark.parametrize(
    ("method", "kind"), first_of_each(LIST, lambda case: type(case[0]))
)

MATRIX = torch.tensor(
    [[1.4, 0.3, -0.2], [-0.4, 1.1, 0.3], [0.1, -0.5, 1.3]], dtype=DTYPE
)  # not symmetric; eigenvalues near one
TARGET = torch.tensor([0.9, -0.4, 1.2], dtype=DTYPE)
LOWER = torch.tensor([0.2, -0.1, -0.3], dtype=DTYPE)
UPPER = torch.tensor([0.8, 0.9, 1.5], dtype=DTYPE)


def on_simplex(method: solver.Solver[Any]) -> bool:
    return type(method).__name__ in ON_SIMPLEX


def constraint(method: solver.Solver[Any], like: torch.Tensor, unit: Any = 1.0) -> sets.Set:
    if on_simplex(method):
        return sets.Simplex(1.5 * unit)
    return sets.Box(LOWER.to(like) * unit, UPPER.to(like) * unit)


def start(method: solver.Solver[Any]) -> torch.Tensor:
    return torch.tensor([0.5, 0.6, 0.4] if on_simplex(method) else [0.3, 0.4, 0.5], dtype=DTYPE)


def for_precision(method: solver.Solver[Any], dtype: torch.dtype) -> solver.Solver[Any]:
    """Return a solver with the tolerance of single precision, or as it is."""
    if dtype == DTYPE:
        return method
    return dataclasses.replace(with_inner(method, 1e-6), rtol=None)


def with_inner(method: solver.Solver[Any], rtol: float) -> solver.Solver[Any]:
    """Return a solver with another tolerance of the L-BFGS that its steps run, if they do."""
    if not isinstance(inner := getattr(method, "inner", None), solver.LBFGS):
        return method
    return dataclasses.replace(method, inner=dataclasses.replace(inner, rtol=rtol))


def residuals(x: torch.Tensor, theta: Any, curve: float = 0.0) -> torch.Tensor:
    """Return residuals that are linear in x, or bent a little."""
    r = MATRIX.to(x) @ x * (1 + 0.1 * theta) - TARGET.to(x) * theta
    return r + curve * torch.sin(x.flip(0))


def pose(
    method: solver.Solver[Any], kind: str, theta: Any, curve: float = 0.0, dtype: Any = DTYPE
) -> FlatProblem:
    plus = constraint(method, torch.empty(0, dtype=dtype))
    if kind == "composite_least_squares":
        return composite_least_squares(lambda x: residuals(x, theta, curve), plus)
    return composite(lambda x: residuals(x, theta, curve).square().sum() / 2, plus)


def by_faces(method: solver.Solver[Any], theta: Any) -> torch.Tensor:
    """Return the solution of the linear problem: the best of the minimizers on all faces.

    It is differentiable in theta.
    """
    A, b = MATRIX * (1 + 0.1 * theta), TARGET * theta
    points = []
    for places in itertools.product((-1, 0, 1), repeat=3):
        free = torch.tensor([p == 0 for p in places])
        if on_simplex(method):
            if 1 in places or not free.any():
                continue
            n = int(free.sum())
            H = torch.zeros(n + 1, n + 1, dtype=DTYPE)
            H[:n, n] = H[n, :n] = 1
            J = torch.zeros_like(H)
            J[:n, :n] = 1
            Q = torch.nn.functional.pad((A.T @ A)[free][:, free], (0, 1, 0, 1)) + H
            rhs = torch.cat([(A.T @ b)[free], torch.full((1,), 1.5, dtype=DTYPE)])
            x = torch.zeros(3, dtype=DTYPE).masked_scatter(free, torch.linalg.solve(Q, rhs)[:n])
            inside = (x >= 0).all()
        else:
            x = torch.where(torch.tensor(places) < 0, LOWER, UPPER)
            if free.any():
                rest = b - A @ torch.where(free, 0.0, x)
                B = A[:, free]
                x = x.masked_scatter(free, torch.linalg.solve(B.T @ B, B.T @ rest))
            inside = (x >= LOWER).all() & (x <= UPPER).all()
        if inside:
            points.append((float((A @ x - b).square().sum()), x))
    return min(points, key=lambda pair: pair[0])[1]


@pytest.mark.parametrize(("name", "dtype"), covering([*SOLVERS], [DTYPE, torch.float32]), ids=str)
def test_constrained_problem_is_solved_within_tolerance(name: str, dtype: torch.dtype) -> None:
    method, kind = SOLVERS[name]
    method = for_precision(method, dtype)
    run = method.run(pose(method, kind, 1.3, dtype=dtype), start(method).to(dtype))
    assert run.stats.converged
    assert 0 < run.stats.iterations < method.maxiter
    assert run.x.dtype == run.stats.error.dtype == dtype
    tol = 3e-8 if dtype == DTYPE else 3e-2 if type(method) is solver.FrankWolfe else 1e-3
    torch.testing.assert_close(run.x.to(DTYPE), by_faces(method, 1.3), rtol=0, atol=tol)


def test_truth_has_active_and_free_elements() -> None:
    for method in (solver.ProjectedGradient(), solver.FrankWolfe()):
        x = by_faces(method, 1.3)
        active = (x == LOWER) | (x == UPPER) | (x == 0)
        assert active.any()
        assert (~active).sum() > (1 if on_simplex(method) else 0)


@classes
def test_a_smaller_tolerance_is_met_too(method: solver.Solver[Any], kind: str) -> None:
    problem = pose(method, kind, 1.1, 0.2)
    loose, tight = (dataclasses.replace(method, rtol=0.0, atol=t) for t in (1e-3, 1e-12))
    run, better = loose.run(problem, start(method)), tight.run(problem, start(method))
    assert run.stats.converged
    assert better.stats.converged
    assert better.stats.error <= 1e-12 < run.stats.error <= 1e-3
    assert better.stats.iterations > run.stats.iterations
    tol = 1e-5 if isinstance(method, solver.FrankWolfe) else 2e-11
    assert problem.residual(better.x).norm() <= tol


@classes
def test_a_start_at_the_solution_needs_no_steps(method: solver.Solver[Any], kind: str) -> None:
    x = by_faces(method, 1.3)
    if type(method) is solver.MirrorDescent:  # what is zero stays zero, which may be no solution
        x = method.run(pose(method, kind, 1.3), start(method)).x
    run = method.run(pose(method, kind, 1.3), x)
    assert run.stats.iterations <= 3  # of the gap, the first test is rounding
    assert run.stats.converged
    torch.testing.assert_close(run.x, x, rtol=0, atol=1e-8)


@classes
def test_too_few_steps_are_not_converged(method: solver.Solver[Any], kind: str) -> None:
    problem = pose(method, kind, 1.1, 0.2)
    short = dataclasses.replace(method, rtol=0.0, atol=1e-14, maxiter=2, on_failure="ignore")
    run = short.run(problem, start(method))
    assert run.stats.iterations == 2
    assert not run.stats.converged
    none = dataclasses.replace(short, maxiter=0).run(problem, start(method))
    assert none.stats.iterations == 0
    assert torch.equal(none.x, start(method))


def in_units(method: solver.Solver[Any], unit: Any, size: Any) -> solver.Solver[Any]:
    """Return a solver with its fixed step in other units, of x and of the objective."""
    if getattr(method, "stepsize", None) is None:
        return method
    gradient = size / unit
    step = method.stepsize / gradient * (1 if on_simplex(method) else unit)
    return dataclasses.replace(method, stepsize=step)


#: Units of x and of the objective: the extremes, one in each precision, and more when there is time.
EXTREMES = [(DTYPE, (1e-12, 1e12)), (torch.float32, (1e12, 1e-12))]
SCALES = [(1e-12, 1.0), (1.0, 1e-12), (1e12, 1e12), (1e12, 1e-12), (1e-12, 1e12), (1e6, 1.0)]


@classes
@pytest.mark.parametrize(
    ("dtype", "case"),
    [
        pytest.param(*case, marks=() if case in EXTREMES else pytest.mark.slow)
        for case in itertools.product([DTYPE, torch.float32], SCALES)
    ],
)
def test_solutions_scale_with_the_problem(
    method: solver.Solver[Any], kind: str, dtype: torch.dtype, case: tuple[float, float]
) -> None:
    unit, size = case
    method = for_precision(method, dtype)
    # In the user's units, squares of gradients underflow.
    own = getattr(method, "stepsize", None) is not None
    own = own or type(method) is solver.BlockCoordinateDescent
    if own and dtype == torch.float32:
        unit, size = max(unit, 1e-6), max(size, 1e-6)
    plus = constraint(method, torch.empty(0, dtype=dtype), unit)
    face, root = torchopt.minimize, size
    if kind == "composite_least_squares":
        face, root = torchopt.least_squares, size**0.5

    def function(x: torch.Tensor) -> torch.Tensor:
        r = residuals(x / unit, 1.3)
        return r * root if face is torchopt.least_squares else r.square().sum() / 2 * size

    found = face(
        function,
        start(method).to(dtype) * unit,
        plus=plus,
        solver=in_units(method, unit, size),
        diff=diff.Implicit(),
    )
    assert found.converged
    tol = 3e-8 if dtype == DTYPE else 3e-2 if type(method) is solver.FrankWolfe else 1e-3
    torch.testing.assert_close(
        found.params.to(DTYPE) / unit, by_faces(method, 1.3), rtol=0, atol=tol
    )


def sooner(method: solver.Solver[Any]) -> solver.Solver[Any]:
    """Return a solver that ends sooner, if it takes many steps or these are runs of another solver."""
    if isinstance(method, solver.FrankWolfe):
        return dataclasses.replace(method, rtol=1e-9)
    if not isinstance(method, solver.DouglasRachford):
        return method
    return dataclasses.replace(with_inner(method, 1e-9), rtol=1e-4)


@classes
def test_batch_equals_loop_and_each_problem_stops_by_itself(
    method: solver.Solver[Any], kind: str
) -> None:
    thetas = torch.tensor([0.3, 1.1, 2.0], dtype=DTYPE)
    soon = sooner(method)

    def run(theta: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found = soon.run(pose(method, kind, theta, 0.2), start(method))
        return found.x, found.stats.iterations, found.stats.converged

    x, iterations, converged = torch.func.vmap(run)(thetas)
    loop = [run(theta) for theta in thetas]
    assert converged.all()
    assert len(iterations.unique()) > 1
    for i, (alone, count, _) in enumerate(loop):
        torch.testing.assert_close(x[i], alone, rtol=1e-7, atol=1e-8)
        if (
            type(method) is not solver.FrankWolfe
        ):  # it ends where the gap is of the size of rounding
            assert abs(int(iterations[i]) - int(count)) <= 3 + int(count) // 5


@classes
def test_a_problem_that_becomes_nan_leaves_the_others_of_its_batch_alone(
    method: solver.Solver[Any], kind: str
) -> None:
    def run(theta: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found = method.run(pose(method, kind, theta), start(method))
        return found.x, found.stats.converged

    with pytest.warns(NotConvergedWarning, match="for some problems"):
        x, converged = torch.func.vmap(run)(torch.tensor([1.3, torch.nan], dtype=DTYPE))
    assert converged.tolist() == [True, False]
    torch.testing.assert_close(x[0], by_faces(method, 1.3), rtol=0, atol=3e-8)


def unrolled(method: solver.Solver[Any], kind: str, steps: int) -> Callable[..., torch.Tensor]:
    def solve(theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        problem = pose(method, kind, theta, 0.2)
        state = method.init(problem, x)
        for _ in range(steps):
            x, state = method.step(problem, x, state)
        return x

    return solve


@classes
def test_steps_are_differentiable(method: solver.Solver[Any], kind: str) -> None:
    solve = unrolled(method, kind, 2)
    theta = torch.tensor(1.1, dtype=DTYPE, requires_grad=True)
    x = start(method).requires_grad_()
    assert_derivatives_are_differences(solve, (theta, x), second=False, rtol=1e-4, atol=1e-6)
    weights = torch.tensor([0.3, -1.0, 0.7], dtype=DTYPE)
    (gradient,) = torch.autograd.grad(weights @ solve(theta, x), theta)
    forward = torch.func.jvp(
        lambda t: weights @ solve(t, start(method)), (theta.detach(),), (torch.ones_like(theta),)
    )[1]
    torch.testing.assert_close(forward.detach(), gradient, rtol=1e-8, atol=1e-10)


def differences(function: Callable[[float], torch.Tensor], at: float, h: float) -> torch.Tensor:
    return (function(at + h) - function(at - h)) / (2 * h)


def of_theta(method: solver.Solver[Any], kind: str, mode: Any) -> Callable[..., torch.Tensor]:
    plus = constraint(method, torch.empty(0, dtype=DTYPE))
    face = torchopt.least_squares if kind == "composite_least_squares" else torchopt.minimize

    def function(x: torch.Tensor, theta: Any) -> torch.Tensor:
        r = residuals(x, theta)
        return r if face is torchopt.least_squares else r.square().sum() / 2

    return lambda theta: (
        face(function, start(method), (theta,), plus=plus, solver=method, diff=mode).params
    )


@classes
def test_implicit_derivatives_are_those_of_the_solution_on_its_face(
    method: solver.Solver[Any], kind: str
) -> None:
    weights = torch.tensor([0.3, -1.0, 0.7], dtype=DTYPE)
    solve = of_theta(method, kind, diff.Implicit())
    theta = torch.tensor(1.3, dtype=DTYPE, requires_grad=True)
    (first,) = torch.autograd.grad(weights @ solve(theta), theta, create_graph=True)
    (second,) = torch.autograd.grad(first, theta)
    expected = differences(lambda t: weights @ by_faces(method, t), 1.3, 1e-5)
    torch.testing.assert_close(first.detach(), expected, rtol=1e-6, atol=1e-7)
    expected = (
        sum(k * (weights @ by_faces(method, 1.3 + h * 1e-3)) for h, k in ((-1, 1), (0, -2), (1, 1)))
        / 1e-6
    )
    torch.testing.assert_close(second, expected, rtol=1e-4, atol=1e-5)
    forward = torch.func.jvp(solve, (theta.detach(),), (torch.ones_like(theta),))[1]
    torch.testing.assert_close(weights @ forward, first.detach(), rtol=1e-6, atol=1e-7)


@classes
def test_derivatives_through_all_steps_are_those_of_the_solution(
    method: solver.Solver[Any], kind: str
) -> None:
    weights = torch.tensor([0.3, -1.0, 0.7], dtype=DTYPE)
    theta = torch.tensor(1.3, dtype=DTYPE, requires_grad=True)
    x = of_theta(method, kind, diff.Explicit())(theta)
    (found,) = torch.autograd.grad(weights @ x, theta)
    expected = differences(lambda t: weights @ by_faces(method, t), 1.3, 1e-5)
    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-4)


@classes
def test_derivatives_of_a_batch_are_those_of_its_problems(
    method: solver.Solver[Any], kind: str
) -> None:
    solve = of_theta(method, kind, diff.Implicit())
    thetas = torch.tensor([1.1, 1.3], dtype=DTYPE)
    found = torch.func.vmap(torch.func.jacrev(solve))(thetas)
    expected = torch.stack(
        [differences(lambda t: by_faces(method, t), float(t), 1e-5) for t in thetas]
    )
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)


@classes
def test_the_value_is_that_of_the_objective_at_the_solution(
    method: solver.Solver[Any], kind: str
) -> None:
    problem = pose(method, kind, 1.3)
    face = torchopt.least_squares if kind == "composite_least_squares" else torchopt.minimize
    found = face(problem.of.function, start(method), plus=problem.plus, solver=method)
    x = by_faces(method, 1.3)
    torch.testing.assert_close(
        found.value, residuals(x, 1.3).square().sum() / 2, rtol=1e-7, atol=0.0
    )


def test_block_coordinate_descent_takes_leaves_without_elements() -> None:
    start = {"a": torch.zeros(0), "b": torch.zeros(2)}
    method = solver.BlockCoordinateDescent()

    def loss(p: dict[str, torch.Tensor]) -> torch.Tensor:
        return sum((q - 2).square().sum() for q in p.values())

    found = torchopt.minimize(loss, start, solver=method)
    torch.testing.assert_close(found.params["b"], torch.full((2,), 2.0), rtol=1e-4, atol=0)
    alone = torchopt.minimize(loss, {"a": start["a"]}, solver=method)
    assert alone.params["a"].shape == (0,)


def test_lbfgsb_runs_in_half_precision() -> None:
    start = torch.zeros(3, dtype=torch.bfloat16)
    target = torch.tensor([-1.0, 0.5, 2.0])
    found = torchopt.minimize(
        lambda x: (x - target.to(x.dtype)).square().sum(),
        start,
        plus=sets.Box(0.0, 1.0),
        solver=solver.LBFGSB(),
    )
    assert found.params.tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize("dtype", [torch.float32, DTYPE], ids=str)
@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([0.5, 0.0, 0.5], [0.25] * 4),
        ([0.2, 0.3, 0.5], [0.5, 0.0, 0.25, 0.25]),
        ([0.0, 1.0, 0.0], [0.0, 0.5, 0.5, 0.0]),
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
            plus=sets.TransportPolytope(p, q),
            solver=solver.MirrorDescent(rtol=1e-3),
        )

    rest = cost[p > 0][:, q > 0], p[p > 0], q[q > 0]
    tol = 1e-5 if dtype == torch.float32 else 1e-9
    for function in (step, lambda *a: torch.func.grad(lambda *a: step(*a).square().sum())(*a)):
        found = torch.func.vmap(function, in_dims=(0, None, None))(torch.stack([cost] * 2), p, q)[1]
        torch.testing.assert_close(found[full], function(*rest).flatten(), rtol=tol, atol=tol)
        assert (found[~full] == 0).all()
    for length in (5.0, 20.0, 60.0, 200.0):
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
            plus=sets.TransportPolytope(p, q),
            solver=solver.MirrorDescent(),
        )
