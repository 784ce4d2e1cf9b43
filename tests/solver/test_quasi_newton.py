"""Classic functions; claims of conjugate gradients, BFGS, dogleg steps and block descent."""

from __future__ import annotations

from typing import Any, get_args

import pytest
import torch
from _bounded import CLASSICS
from _problems import (
    fixed_point,
    least_squares,
    minimum,
    powell_singular,
    root,
    rosenbrock,
    rosenbrock_residuals,
)

import torchopt
from torchopt import solver
from torchopt.linear_solve import CG
from torchopt.solver._nonlinear_cg import Method

DTYPE = torch.float64
START = torch.tensor([-1.2, 1.0], dtype=DTYPE).repeat(3)
FORMULAS = [solver.NonlinearCG(method=method, rtol=0.0, atol=1e-8) for method in get_args(Method)]


NEWTON, MARQUARDT = solver.Newton, solver.LevenbergMarquardt
TIGHT = {"rtol": 0.0, "atol": 1e-8}
#: The function as a problem: an objective, equations, and a sum of squares.
AS = {
    "minimum": minimum(rosenbrock),
    "root": root(rosenbrock_residuals),
    "least_squares": least_squares(rosenbrock_residuals),
}


@pytest.mark.parametrize(
    ("method", "kinds", "most"),
    [
        (FORMULAS[0], "minimum least_squares", 60),
        *((method, "minimum", 60) for method in FORMULAS[1:]),
        (solver.NonlinearCG(restart=3, **TIGHT), "minimum", 100),
        (solver.BFGS(**TIGHT), "minimum least_squares", 60),
        (solver.Dogleg(**TIGHT), "minimum least_squares", 80),
        (solver.Dogleg(radius=0.1, **TIGHT), "minimum", 80),
        (solver.LBFGS(**TIGHT), "minimum", 80),
        (NEWTON(**TIGHT), "minimum", 30),
        (NEWTON(**TIGHT), "root", 15),
        (solver.GaussNewton(**TIGHT), "least_squares", 15),
        (MARQUARDT(**TIGHT), "least_squares", 30),
    ],
)
def test_rosenbrock_is_solved(method: solver.Solver[Any], kinds: str, most: int) -> None:
    for kind in kinds.split():
        run = method.run(AS[kind], START)
        assert run.stats.converged
        assert run.stats.iterations <= most
        torch.testing.assert_close(run.x, torch.ones_like(START), rtol=0, atol=1e-6)


def vector(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=DTYPE)


def normal(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, dtype=DTYPE, generator=torch.Generator().manual_seed(0))


def contraction(radius: float) -> tuple[Any, torch.Tensor, torch.Tensor]:
    """Return a linear map that is not symmetric, with this spectral radius, a start, the solution."""
    A, b = normal(12, 12), normal(13, 12)[12]
    A = A * radius / torch.linalg.eigvals(A).abs().max()
    solution = torch.linalg.solve(torch.eye(12, dtype=DTYPE) - A, b)
    return fixed_point(lambda x: A @ x + b), torch.zeros(12, dtype=DTYPE), solution


def quadratic(H: torch.Tensor, b: torch.Tensor) -> tuple[Any, torch.Tensor, torch.Tensor]:
    return minimum(lambda x: x @ H @ x / 2 - b @ x), torch.ones_like(b), torch.linalg.solve(H, b)


H = normal(6, 6) @ normal(6, 6).T + torch.eye(6, dtype=DTYPE)
TURN, RIGHT = torch.tensor([[0.5, -2.0], [2.0, 0.5]], dtype=DTYPE), vector(1.0, -2.0)
ATAN = (root(torch.atan), vector(3.0, -2.0), vector(0.0, 0.0))
DIVERGES = (fixed_point(lambda x: 3 - 2 * x), vector(1.5), vector(1.0))
TINY = {"rtol": 0.0, "atol": 1e-14}
#: A solver, a problem with a start and its solution, how far off it may be, the most steps.
KNOWN: list[tuple[solver.Solver[Any], tuple[Any, torch.Tensor, torch.Tensor], float, int]] = [
    (NEWTON(), quadratic(H, normal(6)), 1e-10, 1),
    (NEWTON(linear_solve=CG()), quadratic(H[:2, :2], RIGHT), 1e-10, 1),
    # The slope of the residual's square along the step has the transpose of what turns.
    (
        NEWTON(),
        (root(lambda x: TURN @ x - RIGHT), vector(1.0, 1.0), torch.linalg.solve(TURN, RIGHT)),
        1e-10,
        1,
    ),
    (NEWTON(), ATAN, 1e-8, 20),
    (solver.Broyden(scale=10.0), ATAN, 1e-7, 60),
    # With (almost) exact line searches it is conjugate gradients: Nocedal and Wright, theorem 6.4.
    (solver.LBFGS(c1=1e-4, c2=1e-3, rtol=0.0, atol=1e-9), quadratic(H, normal(6)), 1e-8, 8),
    (solver.FixedPointIteration(relaxation=0.3), DIVERGES, 1e-7, 100),
    # In n + 1 steps it is exact, contraction or not: Walker and Ni (2011), theorem 2.2.
    *(
        (solver.Anderson(history_size=12, rtol=0.0, atol=1e-9), contraction(r), 1e-7, 14)
        for r in (0.9, 3.0)
    ),
    # All changes of the residual are parallel: the least-squares problem is singular.
    (
        solver.Anderson(**TINY),
        (fixed_point(lambda x: 0.5 * x + 1), vector(0.0, 1.0, 2.0, 3.0), vector(2, 2, 2, 2)),
        1e-13,
        50,
    ),
    *(
        (solver.Broyden(history_size=m, maxiter=400), contraction(0.8), 1e-6, 400)
        for m in (3, 12, 40)
    ),
    # The scale and the sign of the Jacobian are found.
    (
        solver.Broyden(),
        (root(lambda x: 8 - 40 * torch.sinh(x)), vector(1.0, -1.0), vector(0.2, 0.2).asinh()),
        1e-8,
        50,
    ),
    # Where the residuals are not defined, points are refused.
    (
        MARQUARDT(),
        (least_squares(lambda p: p.log() * vector(1.0, 2.0)), vector(30.0, 200.0), vector(1, 1)),
        1e-7,
        50,
    ),
]


@pytest.mark.parametrize(("method", "known", "off", "most"), KNOWN)
def test_what_has_a_known_solution_is_solved(
    method: solver.Solver[Any], known: Any, off: float, most: int
) -> None:
    problem, start, solution = known
    run = method.run(problem, start)
    assert run.stats.converged
    assert run.stats.iterations <= most
    torch.testing.assert_close(run.x, solution, rtol=0, atol=off)


@pytest.mark.parametrize(
    ("method", "known"),
    [
        (NEWTON(line_search=False, on_failure="ignore"), ATAN),
        (solver.Broyden(scale=10.0, line_search=False, on_failure="ignore"), ATAN),
        (solver.FixedPointIteration(maxiter=50, on_failure="ignore"), DIVERGES),
    ],
)
def test_without_a_line_search_or_damping_it_is_not(method: Any, known: Any) -> None:
    assert not method.run(*known[:2]).stats.converged


@pytest.mark.parametrize(
    ("method", "kind", "off"),
    [
        # Of fourth order, the solution is known only to the third root of the tolerance.
        *((m, "minimum", 2e-2) for m in (solver.BFGS(), solver.Dogleg(), FORMULAS[0])),
        *((m, "minimum", 5e-3) for m in (NEWTON(), solver.LBFGS())),
        (NEWTON(), "root", 5e-3),
        *((m, "least_squares", 5e-3) for m in (solver.GaussNewton(), MARQUARDT())),
    ],
)
def test_powells_function_is_solved_where_its_jacobian_has_no_inverse(
    method: solver.Solver[Any], kind: str, off: float
) -> None:
    problem = {
        "minimum": minimum(lambda x: powell_singular(x).square().sum()),
        "root": root(powell_singular),
        "least_squares": least_squares(powell_singular),
    }[kind]
    run = method.run(problem, torch.tensor([3.0, -1.0, 0.0, 1.0], dtype=DTYPE))
    assert run.stats.converged
    assert run.x.norm() < off


def test_on_a_quadratic_function_conjugate_gradients_end_after_as_many_steps_as_unknowns() -> None:
    H = torch.diag(torch.tensor([1.0, 4.0, 9.0, 16.0], dtype=DTYPE)) + 0.5
    b = torch.tensor([1.0, -2.0, 0.5, 3.0], dtype=DTYPE)
    expected = torch.linalg.solve(H, b)
    for method in get_args(Method):
        # With an exact line search; the first step has to find its length.
        run = solver.NonlinearCG(method=method, c1=1e-9, c2=1e-8, rtol=0.0, atol=1e-6).run(
            minimum(lambda x: x @ H @ x / 2 - b @ x), torch.zeros(4, dtype=DTYPE)
        )
        assert run.stats.iterations <= 6 if method in ("hager_zhang", "polak_ribiere") else 20
        torch.testing.assert_close(run.x, expected, rtol=0, atol=1e-6)


def test_bfgs_learns_the_hessian() -> None:
    H = torch.diag(torch.tensor([1.0, 4.0, 9.0], dtype=DTYPE)) + 0.5
    problem, start = minimum(lambda x: x @ H @ x / 2), torch.tensor([1.0, -2.0, 0.5], dtype=DTYPE)
    exact = solver.BFGS(c1=1e-9, c2=1e-8, rtol=0.0, atol=1e-9).run(problem, start)
    torch.testing.assert_close(exact.state.inverse, torch.linalg.inv(H), rtol=0, atol=1e-4)
    state = solver.Dogleg(rtol=0.0, atol=1e-9).run(problem, start).state
    torch.testing.assert_close(
        state.hessian @ state.inverse, torch.eye(3, dtype=DTYPE), rtol=0, atol=1e-8
    )


def test_dogleg_evaluates_once_a_step() -> None:
    calls = [0]

    def objective(x: torch.Tensor) -> torch.Tensor:
        calls[0] += 1
        return CLASSICS["beale"].function(x)

    method = solver.Dogleg(rtol=0.0, atol=1e-9)
    run = method.run(minimum(objective), torch.ones(2, dtype=DTYPE))
    # The start, in the user's units and maybe in others, and the end.
    assert run.stats.iterations < calls[0] <= run.stats.iterations + 3
    torch.testing.assert_close(run.x, torch.tensor([3.0, 0.5], dtype=DTYPE), rtol=0, atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", [solver.BFGS(), solver.Dogleg(maxiter=2000), solver.LBFGS()], ids=repr
)
def test_ill_conditioned_problems_converge_in_single_precision(method: solver.Solver[Any]) -> None:
    generator = torch.Generator().manual_seed(30)
    A = torch.randn(10, 40, 10, generator=generator) * torch.logspace(0, -1.5, 10)
    b = torch.randn(10, 40, generator=generator)

    def solve(A: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        def loss(w: torch.Tensor) -> torch.Tensor:
            return (A @ w - b).square().mean() / 2 + 1e-3 * w.square().sum()

        return torchopt.minimize(loss, torch.full((10,), 0.05), solver=method).params

    x = torch.func.vmap(solve)(A, b)  # a warning, were one not converged, is an error
    H = A.double().mT @ A.double() / 40 + 2e-3 * torch.eye(10, dtype=torch.float64)
    right = (A.double().mT @ b.double()[..., None]) / 40
    exact = torch.linalg.solve(H, right).squeeze(-1)
    torch.testing.assert_close(x.double(), exact, rtol=0, atol=2e-2 * float(exact.abs().max()))


def test_blocks_have_lengths_of_their_own() -> None:
    """Leaves in units that are far apart do not slow one another down."""
    found = torchopt.minimize(
        lambda p: (1e4 * (p["a"] - 2).square() + 1e-4 * (p["b"] + 3).square()).sum(),
        {"a": torch.zeros(2, dtype=DTYPE), "b": torch.zeros(2, dtype=DTYPE)},
        solver=solver.BlockCoordinateDescent(rtol=0.0, atol=1e-12),
    )
    assert found.iterations < 60
    torch.testing.assert_close(
        found.params,
        {"a": torch.full((2,), 2.0, dtype=DTYPE), "b": torch.full((2,), -3.0, dtype=DTYPE)},
    )
