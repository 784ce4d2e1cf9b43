"""Implicit derivatives from compiled code equal closed forms.

Most tests stop after tracing: what is traced is what is compiled, and compiling takes long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchopt
from _traced import TRACED
from torchopt import linear_solve
from torchopt.autodiff import compiler
from torchopt.autodiff.region import Region
from torchopt.autodiff.scan import Meta
from torchopt.diff import Implicit
from torchopt.errors import LinearSolveError, LinearSolveWarning, NotCompiledWarning
from torchopt.solver import iterate

F64 = torch.float64
pytestmark = [
    pytest.mark.compiled,
    # Dynamo looks at the `grad` of what is no leaf.
    pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor"),
]


@pytest.fixture(autouse=True)
def anew() -> None:
    torch._dynamo.reset()  # else one function of this file has too many versions


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "current", TRACED)


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=F64)


X, Y, HELD_X, HELD_Y = draw(30, 5), draw(30, seed=1), draw(20, 5, seed=2), draw(20, seed=3)
PENALTY = torch.linspace(-3, -1, 5, dtype=F64)
TIGHT = linear_solve.CG(rtol=1e-13)
DENSE = linear_solve.Dense()  # traced much faster: where the solver is not the claim


def closed_form(h: torch.Tensor, y: torch.Tensor = Y) -> torch.Tensor:
    return torch.linalg.solve(X.T @ X / 30 + h.exp().diag(), X.T @ y / 30)


def ridge(w: torch.Tensor, h: torch.Tensor, y: torch.Tensor = Y) -> torch.Tensor:
    return (X @ w - y).square().mean() + w.square() @ h.exp()  # few operations: each is traced


def held_out(w: torch.Tensor) -> torch.Tensor:
    return (HELD_X @ w - HELD_Y).square().mean()


def given_the_solution(w: torch.Tensor, *args: torch.Tensor) -> torch.Tensor:
    return closed_form(*args)


def outer(h: torch.Tensor, mode: Any = None, **options: Any) -> torch.Tensor:
    solution = torchopt.minimize(
        ridge,
        torch.zeros(5, dtype=F64),
        (h,),
        **(options or {"solver": given_the_solution}),
        diff=mode or Implicit(TIGHT),
    )
    return held_out(solution.params)


def compiled(function: Callable[..., Any], backend: str = "eager") -> Callable[..., Any]:
    return torch.compile(function, fullgraph=True, backend=backend)


def hypergradient() -> torch.Tensor:
    return torch.func.grad(lambda h: held_out(closed_form(h)))(PENALTY)


def test_hypergradient_within_compiled_code_equals_closed_form(traced: None) -> None:
    def loss(h: torch.Tensor) -> torch.Tensor:
        return outer(h, Implicit(DENSE, hvp="forward"))  # forward mode writes to tensors of its own

    found = compiled(torch.func.grad(loss), "aot_eager")(PENALTY)
    torch.testing.assert_close(found, hypergradient(), rtol=1e-7, atol=1e-9)


def test_other_values_need_no_other_code(traced: None) -> None:
    gradient = torchopt.meta_grad_and_value(lambda h: outer(h, Implicit(DENSE)), compile=True)
    gradient(PENALTY)
    with torch.compiler.set_stance("fail_on_recompile"):
        found, _ = gradient(PENALTY + 1)
    expected = torch.func.grad(lambda h: held_out(closed_form(h)))(PENALTY + 1)
    torch.testing.assert_close(found, expected)


def test_under_vmap_each_problem_has_its_own_derivative(traced: None) -> None:
    ys = draw(3, 30, seed=4)

    def loss(h: torch.Tensor) -> torch.Tensor:
        def task(y: torch.Tensor) -> torch.Tensor:
            solution = torchopt.minimize(
                ridge,
                torch.zeros(5, dtype=F64),
                (h, y),
                solver=given_the_solution,
                diff=Implicit(DENSE),
            )
            return held_out(solution.params)

        return torch.vmap(task)(ys).sum()

    def exact(h: torch.Tensor) -> torch.Tensor:
        return torch.stack([held_out(closed_form(h, y)) for y in ys]).sum()

    expected = torch.func.grad(exact)(PENALTY)
    torch.testing.assert_close(compiled(torch.func.grad(loss))(PENALTY), expected)


def test_second_derivatives_within_compiled_code(traced: None) -> None:
    direction, mode = draw(5, seed=5), Implicit(DENSE)

    def exact(h: torch.Tensor) -> torch.Tensor:
        return held_out(closed_form(h))

    def curvature(h: torch.Tensor) -> torch.Tensor:
        return torch.func.grad(lambda h: torch.func.grad(outer)(h, mode) @ direction)(h)

    expected = torch.func.hessian(exact)(PENALTY) @ direction
    torch.testing.assert_close(compiled(curvature)(PENALTY), expected)


A = draw(5, 5, seed=6) / 5


def exact(b: torch.Tensor) -> torch.Tensor:
    return torch.linalg.solve(torch.eye(5, dtype=F64) - A, b)


def fixed_point(b: torch.Tensor, mode: Any) -> torch.Tensor:
    return torchopt.fixed_point(
        lambda x, b: A @ x + b,
        torch.zeros(5, dtype=F64),
        (b,),
        solver=lambda x, b: exact(b),
        diff=mode,
    ).params


def least_squares(h: torch.Tensor, mode: Any) -> torch.Tensor:
    return torchopt.least_squares(
        lambda w, h: ((X @ w - Y) / 30**0.5, (h / 2).exp() * w),
        torch.zeros(5, dtype=F64),
        (h,),
        solver=given_the_solution,
        diff=mode,
    ).params


@pytest.mark.parametrize(
    ("problem", "truth", "mode"),
    [
        (fixed_point, exact, Implicit(DENSE)),
        (least_squares, closed_form, Implicit(DENSE, hvp="gauss_newton")),
    ],
)
def test_fixed_points_and_least_squares(traced: None, problem: Any, truth: Any, mode: Any) -> None:
    v = draw(5, seed=7)
    found = compiled(torch.func.grad(lambda b: problem(b, mode) @ v))(PENALTY)
    torch.testing.assert_close(found, torch.func.grad(lambda b: truth(b) @ v)(PENALTY))


def test_a_root_compiles_by_itself(traced: None) -> None:
    v, b = draw(5, seed=7), PENALTY.clone().requires_grad_()
    x = torchopt.root(
        lambda x, b: {"x": x["x"] - A @ x["x"] - b},
        {"x": torch.zeros(5, dtype=F64)},
        (b,),
        solver=lambda x, b: {"x": exact(b)},
        diff=Implicit(DENSE),
        compile=True,
    ).params["x"]
    (found,) = torch.autograd.grad(x @ v, b)
    torch.testing.assert_close(found, torch.func.grad(lambda b: exact(b) @ v)(PENALTY))


def test_the_steps_of_a_transformation_are_not_differentiated(traced: None) -> None:
    # So that little is traced: few steps, of what is made here.
    start, sgd = closed_form(PENALTY), torchopt.sgd(0.3)

    def loss(h: torch.Tensor) -> torch.Tensor:
        solution = torchopt.minimize(ridge, start, (h,), solver=sgd, steps=2, diff=Implicit(DENSE))
        return held_out(solution.params)

    found, _ = torchopt.meta_grad_and_value(loss, compile=True)(PENALTY)
    torch.testing.assert_close(found, hypergradient())


def test_minimize_compiles_and_says_how_far_from_a_solution_it_ends(traced: None) -> None:
    h = PENALTY.clone().requires_grad_()
    solution = torchopt.minimize(
        ridge,
        torch.zeros(5, dtype=F64),
        (h,),
        solver=lambda w, h: closed_form(h) + 0.01,
        diff=Implicit(DENSE),
        compile=True,
    )
    at = closed_form(PENALTY) + 0.01
    gradient = torch.func.grad(ridge)(at, PENALTY)
    torch.testing.assert_close(solution.error, gradient.norm())
    torch.testing.assert_close(solution.value, ridge(at, PENALTY))
    (found,) = torch.autograd.grad(solution.params.sum(), h)
    hessian = X.T @ X / 30 + PENALTY.exp().diag()
    expected = -PENALTY.exp() * at * torch.linalg.solve(hessian, torch.ones(5, dtype=F64))
    torch.testing.assert_close(found, expected)


def test_an_unsolved_linear_system_warns_or_raises_from_compiled_code(traced: None) -> None:
    def loss(h: torch.Tensor, on_failure: Any) -> torch.Tensor:
        return outer(h, Implicit(linear_solve.CG(maxiter=1, on_failure=on_failure)))

    # By "eager" an error would leave PyTorch in the middle of its derivative.
    gradient = compiled(torch.func.grad(loss), "aot_eager")
    with pytest.warns(LinearSolveWarning, match="CG did not converge"):
        gradient(PENALTY, "warn")
    with pytest.raises(LinearSolveError, match="CG did not converge"):
        gradient(PENALTY, "raise")


def test_a_linear_solver_that_cannot_be_traced_runs_eagerly_and_says_why(traced: None) -> None:
    def dense(A: Any, b: torch.Tensor) -> torch.Tensor:
        matrix = torch.stack([A(e) for e in torch.eye(5, dtype=F64)])
        return torch.linalg.solve(matrix, b)

    gradient = compiled(torch.func.grad(lambda h: outer(h, Implicit(dense))))
    with pytest.warns(NotCompiledWarning, match="dense.*a function that may keep a state"):
        found = gradient(PENALTY)
    torch.testing.assert_close(found, hypergradient())


def test_a_solver_that_looks_at_values_runs_eagerly_and_says_why(traced: None) -> None:
    gradient = torchopt.meta_grad_and_value(
        lambda h: outer(h, solver=torchopt.solver.LBFGS(rtol=1e-12)), compile=True
    )
    with pytest.warns(NotCompiledWarning, match="the solver looks at values"):
        found, _ = gradient(PENALTY)
    torch.testing.assert_close(found, hypergradient())


@pytest.mark.filterwarnings("ignore:`Implicit` differentiates a point")  # as the noise is drawn
def test_a_random_objective_runs_eagerly_and_says_why(traced: None) -> None:
    def loss(h: torch.Tensor) -> torch.Tensor:
        return torchopt.minimize(
            lambda w, h: ridge(torch.nn.functional.dropout(w, 0.5), h),
            torch.zeros(5, dtype=F64),
            (h,),
            solver=given_the_solution,
            diff=Implicit(linear_solve.MINRES(on_failure="ignore")),
        ).params.sum()

    with pytest.warns(NotCompiledWarning, match="draws random numbers"):
        torchopt.meta_grad_and_value(loss, compile=True)(PENALTY)


def test_a_function_that_breaks_the_graph_still_has_its_derivative(traced: None) -> None:
    def loss(h: torch.Tensor) -> torch.Tensor:
        weights = h.exp()

        def objective(w: torch.Tensor) -> torch.Tensor:
            torch._dynamo.graph_break()
            return (X @ w - Y).square().mean() + w.square() @ weights

        solution = torchopt.minimize(
            objective, closed_form(h).detach(), solver=lambda w: w.detach(), diff=Implicit(DENSE)
        )
        return held_out(solution.params)

    h = PENALTY.clone().requires_grad_()
    torch.compile(loss, backend="eager")(h).backward()
    torch.testing.assert_close(h.grad, hypergradient())


def halve(x: torch.Tensor, most: torch.Tensor) -> list[torch.Tensor]:
    """Halve until less than one, twice: a loop in a loop."""

    def step(carry: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        y, total = carry
        y, count = iterate(lambda z: z / 2, y, lambda z: z >= 1, maxiter=100)
        return y + most, total + count

    start = (x, torch.zeros_like(x, dtype=torch.int64))
    (y, total), times = iterate(step, start, lambda carry: carry[1] < 8, maxiter=5)
    return [y, total, times]


@pytest.mark.parametrize(
    "compile_region", [TRACED, pytest.param(compiler.INDUCTOR, marks=pytest.mark.slow)]
)
def test_loops_within_loops_are_those_of_python_for_each_problem(
    monkeypatch: pytest.MonkeyPatch, compile_region: Any
) -> None:
    monkeypatch.setattr(compiler, "current", compile_region)
    xs, most = torch.tensor([0.5, 3.0, 1000.0], dtype=F64), torch.tensor(5.0, dtype=F64)
    metas = [Meta.of(xs[0]), Meta.of(most)]
    single = Region(halve, metas, [Meta.of(t) for t in halve(xs[0], most)], "halve")
    each = [halve(x, most) for x in xs]
    for x, expected in zip(xs, each, strict=True):
        torch.testing.assert_close(single.run([x, most]), expected)
    batch, _, _ = single.batched([True, False], 3)
    expected = [torch.stack(column) for column in zip(*each, strict=True)]
    torch.testing.assert_close(batch.run([xs, most]), expected)
