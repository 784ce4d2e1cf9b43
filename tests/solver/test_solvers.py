"""All solvers: known solutions, tolerances, batches, precisions, derivatives through their steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from _problems import (
    FlatProblem,
    broyden_tridiagonal,
    constrained,
    fixed_point,
    least_squares,
    minimum,
    powell_singular,
    root,
    rosenbrock,
    rosenbrock_residuals,
)

import _public
from _cases import covering, first_of_each
from _differences import assert_derivatives_are_differences
from torchopt.errors import NotConvergedWarning
from torchopt.linear_solve import CG, GMRES
from torchopt.solver import (
    BFGS,
    LBFGS,
    LBFGSB,
    Anderson,
    AugmentedLagrangian,
    BlockCoordinateDescent,
    Broyden,
    FixedPointIteration,
    GaussNewton,
    LevenbergMarquardt,
    Newton,
    NonlinearCG,
    Solver,
)

DTYPE = torch.float64

SOLVERS: dict[str, tuple[Solver[Any], str]] = {
    "fixed_point_iteration": (FixedPointIteration(), "fixed_point"),
    "fixed_point_iteration_damped": (FixedPointIteration(damping=0.6), "fixed_point"),
    "anderson": (Anderson(), "fixed_point"),
    "anderson_mixed": (Anderson(history=3, mixing=0.7), "fixed_point"),
    "anderson_root": (Anderson(), "root"),
    "broyden": (Broyden(), "root"),
    "broyden_short": (Broyden(history=4), "root"),
    "broyden_plain": (Broyden(line_search=False, scale=0.5), "root"),
    "broyden_fixed_point": (Broyden(), "fixed_point"),
    "newton": (Newton(), "root"),
    "newton_plain": (Newton(line_search=False), "root"),
    "newton_gmres": (Newton(linear_solve=GMRES()), "root"),
    "newton_fixed_point": (Newton(), "fixed_point"),
    "newton_minimum": (Newton(), "minimum"),
    "newton_cg": (Newton(linear_solve=CG(on_failure="ignore")), "minimum"),
    "lbfgs": (LBFGS(), "minimum"),
    "lbfgs_short": (LBFGS(history=2, c2=0.5), "minimum"),
    "lbfgs_least_squares": (LBFGS(), "least_squares"),
    "gauss_newton": (GaussNewton(), "least_squares"),
    "gauss_newton_cg": (GaussNewton(linear_solve=CG()), "least_squares"),
    "levenberg_marquardt": (LevenbergMarquardt(), "least_squares"),
    "levenberg_marquardt_identity": (LevenbergMarquardt(scaling="identity"), "least_squares"),
    "levenberg_marquardt_cg": (
        LevenbergMarquardt(scaling="identity", linear_solve=CG()),
        "least_squares",
    ),
}

SOLVERS["augmented_lagrangian"] = AugmentedLagrangian(), "constrained"
SOLVERS |= _public.other_solvers(SOLVERS)
solvers = pytest.mark.parametrize(("solver", "kind"), SOLVERS.values(), ids=SOLVERS)
#: For tests that take long: each class with each kind of problem, and its options when there is time.
classes = pytest.mark.parametrize(
    ("solver", "kind"), first_of_each(SOLVERS, lambda case: (type(case[0]), case[1]))
)
#: Each class with equations and with an objective, and the other kinds of these when there is time.
#: Of those whose steps are runs of another solver, `test_constrained.py` differentiates the steps.
FEW = {name: case for name, case in SOLVERS.items() if case[1] != "constrained"}
plain = pytest.mark.parametrize(
    ("solver", "kind"),
    first_of_each(FEW, lambda case: (type(case[0]), case[1] in ("root", "fixed_point"))),
)


MATRIX = torch.tensor(
    [[1.4, 0.3, -0.2], [-0.4, 1.1, 0.3], [0.1, -0.5, 1.3]], dtype=DTYPE
)  # not symmetric; eigenvalues near one
TARGET = torch.tensor([0.7, -0.4, 1.2], dtype=DTYPE)


def linear(kind: str, theta: torch.Tensor) -> tuple[FlatProblem, torch.Tensor]:
    """Pose a linear problem, whose Jacobian and right-hand side depend on theta; and solve it."""
    A, b = MATRIX.to(theta) * (1 + 0.1 * theta), TARGET.to(theta) * theta
    if kind == "minimum":
        H = A.T @ A
        return minimum(lambda x: x @ H @ x / 2 - b @ x), torch.linalg.solve(H, b)
    problem = {
        "root": root(lambda x: A @ x - b),
        "fixed_point": fixed_point(lambda x: x - 0.8 * (A @ x - b)),
        "least_squares": least_squares(lambda x: torch.cat([A @ x - b, 0 * b[:1] + 0.3])),
        "constrained": constrained(
            lambda x: (A @ x - b).square().sum() / 2 + (A @ x - b)[0], lambda x: (A @ x - b)[:1]
        ),
    }[kind]
    return problem, torch.linalg.solve(A, b)


def curved(kind: str, theta: torch.Tensor) -> FlatProblem:
    """Pose a nonlinear problem that depends on theta."""

    def f(x: torch.Tensor) -> torch.Tensor:
        return x + 0.3 * torch.sin(theta * x.flip(0)) - TARGET.to(x)

    return {
        "minimum": minimum(lambda x: f(x).square().sum() / 2 + torch.cosh(0.5 * x).sum()),
        "root": root(f),
        "fixed_point": fixed_point(lambda x: x - 0.9 * f(x)),
        "least_squares": least_squares(lambda x: torch.cat([f(x), 0.1 * theta * x[:2] + 0.2])),
        "constrained": constrained(
            lambda x: f(x).square().sum() / 2 + torch.cosh(0.5 * x).sum(),
            lambda x: x[:1] * x[-1:] - 0.2 * theta,
            lambda x: x.square() - theta,
        ),
    }[kind]


def start(n: int = 3) -> torch.Tensor:
    return torch.linspace(-0.4, 0.9, n, dtype=DTYPE)


@pytest.mark.parametrize(("name", "dtype"), covering([*SOLVERS], [torch.float32, DTYPE]), ids=str)
def test_linear_problem_is_solved_within_tolerance(name: str, dtype: torch.dtype) -> None:
    solver, kind = SOLVERS[name]
    problem, solution = linear(kind, torch.tensor(1.3, dtype=dtype))
    run = solver.run(problem, start().to(dtype))
    tol = torch.finfo(dtype).eps ** 0.5
    assert run.stats.converged
    assert run.stats.error <= tol
    assert 0 < run.stats.iterations < solver.maxiter
    assert run.x.dtype == run.stats.error.dtype == dtype
    there, _ = solver.measured(problem, run.x, run.state)
    torch.testing.assert_close(
        run.stats.error, problem.residual(there).norm(), rtol=1e-2, atol=tol / 50
    )
    assert problem.residual(run.x).norm() <= 2 * run.stats.error + tol / 50
    # The smallest singular value of the matrices is about one.
    torch.testing.assert_close(run.x, solution, rtol=0, atol=3 * tol)


@classes
def test_a_smaller_tolerance_is_met_too(solver: Solver[Any], kind: str) -> None:
    problem = curved(kind, torch.tensor(1.1, dtype=DTYPE))
    loose, tight = (type(solver)(**{**vars(solver), "rtol": 0.0, "atol": t}) for t in (1e-3, 1e-12))
    run, better = loose.run(problem, start()), tight.run(problem, start())  # a warning is an error
    assert run.stats.converged
    assert better.stats.converged
    assert better.stats.error <= 1e-12 < run.stats.error <= 1e-3
    assert better.stats.iterations > run.stats.iterations
    assert problem.residual(better.x).norm() <= 2e-12


@pytest.mark.parametrize(("name", "size"), covering([*SOLVERS], [1, 2]))
def test_problems_of_one_and_two_unknowns_are_solved(name: str, size: int) -> None:
    solver, kind = SOLVERS[name]
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
    run = solver.run(problem, torch.ones(size, dtype=DTYPE))
    assert run.stats.converged
    torch.testing.assert_close(run.x, target, rtol=0, atol=1e-7)


@solvers
def test_a_start_at_the_solution_needs_no_steps(solver: Solver[Any], kind: str) -> None:
    problem, solution = linear(kind, torch.tensor(1.3, dtype=DTYPE))
    run = solver.run(problem, solution)
    assert run.stats.iterations == 0
    assert run.stats.converged
    assert torch.equal(run.x, solution)


@solvers
def test_too_few_steps_are_not_converged(solver: Solver[Any], kind: str) -> None:
    problem = curved(kind, torch.tensor(1.1, dtype=DTYPE))
    few = 1 if kind == "constrained" else 2  # each of which is a run of another solver
    short = type(solver)(
        **{**vars(solver), "rtol": 0.0, "atol": 1e-13, "maxiter": few, "on_failure": "ignore"}
    )
    run = short.run(problem, start())
    assert run.stats.iterations == few
    assert not run.stats.converged
    assert run.stats.error > 1e-13
    none = type(short)(**{**vars(short), "maxiter": 0}).run(problem, start())
    assert none.stats.iterations == 0
    assert torch.equal(none.x, start())


@plain  # for the others, `test_constrained.py` has a batch
def test_batch_equals_loop_and_each_problem_stops_by_itself(solver: Solver[Any], kind: str) -> None:
    thetas = torch.tensor([0.0, 1.1, 2.0], dtype=DTYPE)
    starts = start(9).reshape(3, 3).flip(1) * torch.tensor([[3.0], [0.1], [2.0]])

    def run(theta: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found = solver.run(curved(kind, theta), x)
        return found.x, found.stats.iterations, found.stats.error, found.stats.converged

    batch = torch.func.vmap(run)(thetas, starts)
    loop = [run(theta, x) for theta, x in zip(thetas, starts, strict=True)]
    x, iterations, _, converged = (torch.stack(parts) for parts in zip(*loop, strict=True))
    assert converged.all()
    assert len(iterations.unique()) > 1
    assert ((batch[1] - iterations).abs() <= 2).all()  # rounding decides when it is near enough
    assert torch.equal(batch[3], converged)
    torch.testing.assert_close(batch[0], x.detach(), rtol=1e-9, atol=1e-10)
    assert (batch[2] <= torch.finfo(DTYPE).eps ** 0.5).all()


@plain
def test_a_problem_that_becomes_nan_leaves_the_others_of_its_batch_alone(
    solver: Solver[Any], kind: str
) -> None:
    thetas = torch.tensor([1.1, torch.nan, 0.4], dtype=DTYPE)
    soon = type(solver)(**{**vars(solver), "rtol": 0.0, "atol": 1e-2})

    def run(theta: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found = soon.run(curved(kind, theta), start())
        return found.x, found.stats.iterations, found.stats.converged

    with pytest.warns(NotConvergedWarning, match="for some problems") as told:
        x, iterations, converged = torch.func.vmap(run)(thetas)
    assert told[0].message.failed == 1  # type: ignore[union-attr]
    assert converged.tolist() == [True, False, True]
    assert iterations[1] == 0
    for i in (0, 2):
        torch.testing.assert_close(x[i], run(thetas[i])[0].detach(), rtol=1e-9, atol=1e-10)


def unrolled(solver: Solver[Any], kind: str, steps: int) -> Callable[..., torch.Tensor]:
    def solve(theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        problem = curved(kind, theta)
        state = solver.init(problem, x)
        for _ in range(steps):
            x, state = solver.step(problem, x, state)
        return x

    return solve


@plain
def test_steps_are_differentiable(solver: Solver[Any], kind: str) -> None:
    solve = unrolled(solver, kind, 2)
    theta = torch.tensor(1.1, dtype=DTYPE, requires_grad=True)
    x = start().requires_grad_()
    assert_derivatives_are_differences(solve, (theta, x), second=False, rtol=1e-4, atol=1e-6)
    weights = torch.tensor([0.3, -1.0, 0.7], dtype=DTYPE)
    (gradient,) = torch.autograd.grad(weights @ solve(theta, x), theta)
    forward = torch.func.jvp(
        lambda t: weights @ solve(t, start()), (theta.detach(),), (torch.ones_like(theta),)
    )[1]
    torch.testing.assert_close(forward.detach(), gradient, rtol=1e-8, atol=1e-10)


@plain
def test_derivatives_of_a_batch_are_those_of_its_problems(solver: Solver[Any], kind: str) -> None:
    thetas = torch.tensor([0.4, 1.1], dtype=DTYPE)

    def loss(theta: torch.Tensor) -> torch.Tensor:
        return unrolled(solver, kind, 2)(theta, start()).sum()

    variables = [theta.clone().requires_grad_() for theta in thetas]
    expected = torch.stack([torch.autograd.grad(loss(v), v)[0] for v in variables])
    for found in (
        torch.func.vmap(torch.func.grad(loss))(thetas),
        torch.func.grad(lambda thetas: torch.func.vmap(loss)(thetas).sum())(thetas),
        torch.func.vmap(torch.func.jacfwd(loss))(thetas),
    ):
        torch.testing.assert_close(found, expected, rtol=1e-7, atol=1e-10)


@plain
def test_steps_far_past_the_solution_keep_its_derivative(solver: Solver[Any], kind: str) -> None:
    """At an exact solution nothing is 0 / 0, in the derivatives neither."""
    theta = torch.tensor(1.1, dtype=DTYPE, requires_grad=True)
    fast = isinstance(solver, (Newton, LevenbergMarquardt))
    # Of one block, block coordinate descent is plain gradient descent.
    slow = isinstance(solver, (BlockCoordinateDescent, FixedPointIteration))
    dear = isinstance(solver, (LBFGSB, NonlinearCG))  # of many trial steps
    solution = solver.run(curved(kind, theta.detach()), start()).x
    near = solution + torch.tensor([0.01, -0.02, 0.03], dtype=DTYPE)
    x = unrolled(solver, kind, 7 if fast else 80 if slow else 10 if dear else 30)(theta, near)
    rest = curved(kind, theta).residual(x.detach())
    assert rest.norm() < 1e-12
    # The implicit function theorem: J dx = -dF.
    J = torch.autograd.functional.jacobian(curved(kind, theta.detach()).residual, x.detach())
    dF = torch.stack([torch.autograd.grad(r, theta, retain_graph=True)[0] for r in rest])
    found = torch.stack([torch.autograd.grad(v, theta, retain_graph=True)[0] for v in x])
    # L-BFGS does not learn from rounding errors, but its last steps have their lengths from them.
    rtol = 0.5 if isinstance(solver, (BFGS, LBFGS, LBFGSB, NonlinearCG)) else 1e-6
    torch.testing.assert_close(found, -torch.linalg.solve(J, dF), rtol=rtol, atol=rtol / 10)


@solvers
def test_a_wrong_kind_is_refused_with_a_solver_that_fits(solver: Solver[Any], kind: str) -> None:
    for other in {"minimum", "root", "fixed_point", "least_squares"} - solver.kinds:
        with pytest.raises(
            ValueError, match=f"^`{type(solver).__name__}` is a solver for .*: use `"
        ):
            solver.run(curved(other, torch.tensor(1.1, dtype=DTYPE)), start())


def test_rosenbrock_is_minimized_by_each_solver_that_can() -> None:
    x = torch.tensor([-1.2, 1.0], dtype=DTYPE).repeat(3)
    runs = {
        "lbfgs": (LBFGS(rtol=0.0, atol=1e-10).run(minimum(rosenbrock), x), 80),
        "newton": (Newton(rtol=0.0, atol=1e-10).run(minimum(rosenbrock), x), 30),
        "newton_root": (Newton(rtol=0.0, atol=1e-10).run(root(rosenbrock_residuals), x), 15),
        "gauss_newton": (
            GaussNewton(rtol=0.0, atol=1e-10).run(least_squares(rosenbrock_residuals), x),
            15,
        ),
        "levenberg_marquardt": (
            LevenbergMarquardt(rtol=0.0, atol=1e-10).run(least_squares(rosenbrock_residuals), x),
            30,
        ),
    }
    for name, (run, most) in runs.items():
        assert run.stats.converged, name
        assert run.stats.iterations <= most, name
        torch.testing.assert_close(run.x, torch.ones_like(x), rtol=0, atol=1e-8)


def test_powells_singular_function_is_solved_where_its_jacobian_has_no_inverse() -> None:
    x = torch.tensor([3.0, -1.0, 0.0, 1.0], dtype=DTYPE)
    for run in (
        Newton().run(root(powell_singular), x),
        Newton().run(minimum(lambda x: powell_singular(x).square().sum()), x),
        LBFGS().run(minimum(lambda x: powell_singular(x).square().sum()), x),
        GaussNewton().run(least_squares(powell_singular), x),
        LevenbergMarquardt().run(least_squares(powell_singular), x),
        LevenbergMarquardt(scaling="identity").run(least_squares(powell_singular), x),
    ):
        assert run.stats.converged
        # Of fourth order, the solution is known only to the third root of the tolerance.
        assert run.x.norm() < 5e-3


def test_broydens_tridiagonal_function_is_solved() -> None:
    x = -torch.ones(40, dtype=DTYPE)
    problem = root(broyden_tridiagonal)
    newton, broyden = Newton().run(problem, x), Broyden().run(problem, x)
    assert newton.stats.converged
    assert broyden.stats.converged
    assert newton.stats.iterations <= 6
    assert broyden.stats.iterations <= 30
    assert broyden_tridiagonal(broyden.x).norm() <= 1e-7
    torch.testing.assert_close(broyden.x, newton.x, rtol=0, atol=1e-7)
