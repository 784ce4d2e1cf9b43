"""What cannot be solved is said in one sentence; what is finite has no solution that is NaN."""

import dataclasses

import pytest
import torch

from _cases import by_error
from linear_solve._systems import EXACT, F64, SOLVERS, spd, symmetric, vector
from torchopt import linear_solve as ls
from torchopt.errors import LinearSolveError, LinearSolveWarning


def both(table):
    return pytest.mark.parametrize(("solver", "make"), table.values(), ids=table.keys())


ITERATIVE = {k: v for k, v in EXACT.items() if isinstance(v[0], ls.IterativeLinearSolver)}


@both(ITERATIVE)
def test_too_few_iterations_warn_raise_or_are_ignored(solver, make):
    A, b = make(12), vector(12)
    short = dataclasses.replace(solver, maxiter=2)
    if isinstance(solver, ls.Neumann):
        short = dataclasses.replace(short, maxiter=None, rtol=0.0)
    name = type(solver).__name__
    with pytest.warns(LinearSolveWarning, match=f"{name} did not converge: .* raise `maxiter`"):
        solution = short.solve(lambda v: A @ v, b)
    x, stats = solution.x, solution.stats
    assert x.isfinite().all()
    assert not stats.converged
    with pytest.raises(LinearSolveError, match="the tolerance is"):
        dataclasses.replace(short, on_failure="raise")(lambda v: A @ v, b)
    quiet = dataclasses.replace(short, on_failure="ignore")
    torch.testing.assert_close(quiet(lambda v: A @ v, b), x)


def test_failures_of_a_batch_are_counted():
    A, b = spd(8), vector(8)
    batch = torch.stack([A, torch.eye(8, dtype=F64), A])
    with pytest.warns(LinearSolveWarning, match="for some problems") as told:
        torch.func.vmap(lambda A: ls.CG(maxiter=2)(lambda v: A @ v, b))(batch)
    assert (told[0].message.failed, told[0].message.iterations) == (2, 2)


@both(SOLVERS)
@pytest.mark.parametrize("kind", ["zero", "singular", "negative", "huge"])
def test_no_system_gives_nan(solver, make, kind):
    A = {
        "zero": torch.zeros(4, 4, dtype=F64),
        "singular": symmetric([0.0, 1.0, 2.0, 3.0]),
        "negative": -spd(4),
        "huge": 1e200 * make(4),
    }[kind]
    quiet = dataclasses.replace(solver, on_failure="ignore")
    overflowing = isinstance(solver, ls.Phantom | ls.NormalCG)  # sixty steps; the square of A
    if overflowing and kind == "huge":
        with pytest.raises(ValueError, match="the solution of a linear solve has NaN or infinity"):
            quiet.solve(lambda v: A @ v, vector(4))
        return
    solution = quiet.solve(lambda v: A @ v, vector(4))
    x, stats = solution.x, solution.stats
    assert x.isfinite().all()
    assert not stats.error.isnan()


@pytest.mark.parametrize("method", ["lu", "cholesky"])
def test_a_singular_matrix_is_an_error(method):
    A = torch.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=F64)
    with pytest.raises(LinearSolveError, match="the matrix is singular: add a `ridge`"):
        ls.Dense(method=method)(lambda v: A @ v, vector(2))
    for seed in range(20):  # singular but for rounding: a factor exists, and its solution is noise
        B = symmetric([0.0, 1.0, 2.0, 3.0], seed)
        with pytest.raises(LinearSolveError, match="the matrix is singular"):
            ls.Dense(method=method)(lambda v, B=B: B @ v, vector(4))


def test_least_squares_without_a_solution_say_so_in_the_statistics():
    A = torch.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=F64)
    solution = ls.Dense(method="lstsq").solve(lambda v: A @ v, vector(2))
    x, stats = solution.x, solution.stats
    torch.testing.assert_close(x, torch.linalg.pinv(A) @ vector(2))
    assert not stats.converged


def test_a_diverging_neumann_series_is_said_even_if_truncated():
    A = 3 * spd(4)
    with pytest.warns(LinearSolveWarning, match="Neumann did not converge"):
        ls.Neumann(maxiter=10)(lambda v: A @ v, vector(4))


@both(SOLVERS)
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_values_that_are_not_finite_are_an_error(solver, make, value):
    A, b = make(4), vector(4)
    wrong = b.clone()
    wrong[2] = value
    with pytest.raises(ValueError, match=r"the right-hand side `b` .* NaN or infinity"):
        solver(lambda v: A @ v, wrong)
    with pytest.raises(ValueError, match=r"the right-hand side `b` .* NaN or infinity"):
        torch.func.vmap(lambda b: solver(lambda v: A @ v, b))(torch.stack([wrong, wrong]))
    with pytest.raises(ValueError, match="NaN or infinity"):
        solver.solve(lambda v: (A + value) @ v, b)


B = {"w": vector(2), "v": vector(3)}
TALL = vector(12).reshape(6, 2)
WRONG = {
    ValueError: [
        (
            lambda: ls.CG()(lambda v: v, vector(2), x0=torch.full((2,), torch.nan, dtype=F64)),
            r"the start `x0` .* NaN",
        ),
        (
            lambda: ls.CG()(lambda v: v, vector(2), x0=vector(3)),
            r"`x0` is a tensor of shape \(3,\), but `b` has shape",
        ),
        (
            lambda: ls.CG()(lambda v: {"w": v["w"]}, B),
            r"`matvec\(x\)` does not have the tree structure of `b`",
        ),
        (
            lambda: ls.CG()(lambda v: {"w": v["w"], "v": v["w"]}, B),
            r"`matvec\(x\)\['v'\]` is a tensor of shape \(2,\)",
        ),
        (lambda: ls.CG()(lambda v: v, {}), "`b` has no leaves"),
        (lambda: ls.CG()(lambda v: v, {"w": None}), "nothing but None"),
        (
            lambda: ls.NormalCG()(lambda v: TALL @ v, vector(6)),
            r"does not take a vector like `b` .* `x0`",
        ),
        (lambda: ls.CG(rtol=-1.0), "`rtol` is -1.0"),
        (lambda: ls.CG(atol=float("nan")), "`atol` is nan"),
        (lambda: ls.CG(maxiter=-3), "`maxiter` is -3"),
        (lambda: ls.GMRES(maxiter=2.5), "`maxiter` is 2.5"),
        (lambda: ls.CG(ridge=torch.ones(2)), "`ridge` has shape"),
        (lambda: ls.CG(on_failure="shout"), "`on_failure` is 'shout'"),
        (lambda: ls.GMRES(restart=0), "`restart` is 0"),
        (lambda: ls.Dense(method="qr"), "`method` is 'qr'"),
        (lambda: ls.Dense(chunk_size=0), "`chunk_size` is 0"),
        (lambda: ls.Neumann(step_size=0.0), "`step_size` is 0.0"),
        (lambda: ls.Richardson(step_size=-1), "`step_size` is -1"),
        (lambda: ls.Phantom(steps=0), "`steps` is 0"),
        (lambda: ls.JacobianFree(step_size=0), "`step_size` is 0"),
        (lambda: ls.Nystrom(rank=0), "`rank` is 0"),
        (lambda: ls.Nystrom(rho=0.0), "`rho` is 0.0"),
    ],
    TypeError: [
        (
            lambda: ls.CG()(lambda v: v, {"w": torch.ones(2, dtype=torch.int64)}),
            r"`b\['w'\]` is a tensor of dtype",
        ),
        (
            lambda: ls.CG()(lambda v: v, {"w": torch.ones(2, dtype=torch.complex64)}),
            "real floating-point",
        ),
        (lambda: ls.CG()(lambda v: v, {"w": 1.0}), r"`b\['w'\]` is an object of type float"),
        (lambda: ls.CG()(TALL, vector(6)), r"shape \(6, 2\), but it must be a square matrix"),
        (lambda: ls.CG(rtoll=1e-3), "rtoll"),
        (lambda: ls.WarmStart(lambda matvec, b: b), "pass an iterative linear solver"),
        (lambda: ls.WarmStart(ls.Dense()), "type Dense: pass an iterative linear solver"),
    ],
}


@pytest.mark.parametrize(("call", "error", "words"), by_error(WRONG))
def test_wrong_calls_are_refused_with_the_leaf_or_the_argument(call, error, words):
    with pytest.raises(error, match=words):
        call()


@both(SOLVERS)
@pytest.mark.parametrize("kind", ["affine", "curved"])
def test_the_residual_is_that_of_the_operator_linear_or_not(solver, make, kind):
    A, constant = make(4), vector(4, 9)

    def matvec(v):
        return A @ v + (constant if kind == "affine" else 0.1 * v.sin())

    quiet = dataclasses.replace(solver, on_failure="ignore")
    for size in (1.0, 1e-3, 1e3):
        b = size * vector(4)
        solution = quiet.solve(matvec, b)
        x, stats = solution.x, solution.stats
        rest = b - matvec(x)
        if isinstance(solver, ls.NormalCG):
            (rest,) = torch.func.vjp(matvec, torch.zeros_like(x))[1](rest)
        torch.testing.assert_close(stats.error, rest.norm(), rtol=1e-6, atol=1e-9)
        assert stats.converged == (rest.norm() <= 1e-10 * b.norm()) or rest.norm() < 1e-8


@pytest.mark.parametrize("method", ["lu", "cholesky", "lstsq"])
def test_a_matrix_of_what_is_not_linear_is_an_error(method):
    solver = ls.Dense(method=method)
    A, constant = spd(4), vector(4, 9)

    def affine(v):
        return A @ v + constant

    with pytest.raises(LinearSolveError, match=r"Dense needs a linear `matvec`: .* leave out what"):
        solver(affine, vector(4))
    linear = solver(lambda v: affine(v) - affine(torch.zeros_like(v)), vector(4))
    torch.testing.assert_close(linear, torch.linalg.solve(A, vector(4)))


@both(SOLVERS)
def test_a_problem_that_is_not_finite_is_nan_and_others_are_right(solver, make):
    A, b, weight = make(5), vector(5), vector(5, 11)
    quiet = dataclasses.replace(solver, on_failure="ignore")

    def solve(A, b):
        return quiet.solve(lambda v: A @ v, b)

    def gradients(A, b):
        return torch.func.grad(lambda A, b: solve(A, b).x @ weight, argnums=(0, 1))(A, b)

    right, wanted = solve(A, b), gradients(A, b)
    As, bs = [A], [b]
    for value in (torch.nan, torch.inf):
        wrong = b.clone()
        wrong[2] = value
        As, bs = [*As, A, value * A], [*bs, wrong, b]
    As, bs = torch.stack(As), torch.stack(bs)
    solution = torch.func.vmap(solve)(As, bs)
    x, stats = solution.x, solution.stats
    torch.testing.assert_close(x[0], right.x)
    assert x[1:].isnan().all()
    assert stats.converged.tolist() == [bool(right.stats.converged), *4 * [False]]
    for found, expected in zip(torch.func.vmap(gradients)(As, bs), wanted, strict=True):
        torch.testing.assert_close(found[0], expected, rtol=1e-6, atol=1e-9)
        assert found[1:].isnan().flatten(1).any(1).all()


def test_problems_without_a_solution_are_counted():
    A, b = spd(4), torch.stack([vector(4), float("nan") * vector(4), vector(4, 2)])
    with pytest.warns(LinearSolveWarning, match="CG has a solution that is NaN for some problems"):
        torch.func.vmap(lambda b: ls.CG()(lambda v: A @ v, b))(b)
    with pytest.raises(LinearSolveError, match="has a solution that is NaN for 1 of 3 problems"):
        torch.func.vmap(lambda b: ls.CG(on_failure="raise")(lambda v: A @ v, b))(b)


@pytest.mark.parametrize("name", ["cg", "minres", "gmres", "bicgstab", "normal_cg"])
def test_a_product_that_is_not_finite_is_not_passed_over_in_the_only_step(name):
    once = dataclasses.replace(SOLVERS[name][0], maxiter=1, on_failure="ignore")
    with pytest.raises(ValueError, match="NaN or infinity"):
        once(lambda v: float("nan") * v, vector(4))


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("shape", [(6, 2), (3, 4)])
def test_a_rectangular_product_is_said_by_each_solver(name, shape):
    A, b = vector(shape[0] * shape[1]).reshape(shape), vector(shape[0])
    with pytest.raises(ValueError, match=r"does not take a vector like `b` .*a rectangular system"):
        SOLVERS[name][0](lambda v: A @ v, b)


def test_another_error_of_a_product_is_not_taken_for_a_rectangular_system():
    def broken(v):
        raise RuntimeError("the simulator is out of licences")

    for solve in (ls.CG(), ls.NormalCG()):
        with pytest.raises(RuntimeError, match=r"^the simulator is out of licences$"):
            solve(broken, vector(3))


def test_a_step_that_is_too_long_for_the_dtype_is_said():
    solve = ls.CG(preconditioner=lambda r: r)  # which is not scaled
    with pytest.raises(ValueError, match="the solution of a linear solve has NaN or infinity"):
        solve(lambda v: 1e-39 * v, torch.ones(2))
