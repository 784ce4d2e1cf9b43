import contextlib
import dataclasses

import pytest
import torch

import _public
from linear_solve._systems import (
    EXACT,
    F64,
    SOLVERS,
    ConjugateResiduals,
    general,
    indefinite,
    spd,
    symmetric,
    vector,
)
from torchopt import linear_solve as ls
from torchopt.errors import LinearSolveError
from torchopt.linalg import LinearOperator


def both(table):
    return pytest.mark.parametrize(("solver", "make"), table.values(), ids=table.keys())


@both(SOLVERS)
@pytest.mark.parametrize("n", [1, 2, 17])
def test_solution_is_that_of_torch(solver, make, n):
    A, b = make(n), vector(n)
    solution = solver.solve(lambda v: A @ v, b)
    x, stats = solution.x, solution.stats
    torch.testing.assert_close(x, torch.linalg.solve(A, b), rtol=1e-8, atol=1e-9)
    torch.testing.assert_close(solver(lambda v: A @ v, b), x)
    assert stats.error <= 1e-9 * b.norm()


@both(EXACT)
def test_statistics_say_what_was_done(solver, make):
    A, b = make(9), vector(9)
    solution = solver.solve(lambda v: A @ v, b)
    x, stats = solution.x, solution.stats
    assert stats.iterations.dtype == torch.int64
    assert stats.converged
    rest = A.T @ (b - A @ x) if isinstance(solver, ls.NormalCG) else b - A @ x
    torch.testing.assert_close(stats.error, rest.norm(), rtol=0, atol=1e-13)


@both(EXACT)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_tolerance_by_default_is_that_of_the_precision(solver, make, dtype):
    A, b = make(12).to(dtype), vector(12).to(dtype)
    solution = solver.solve(lambda v: A @ v, b)
    x, stats = solution.x, solution.stats
    assert x.dtype == dtype
    assert stats.converged
    if isinstance(solver, ls.NormalCG):
        A, b = A.T @ A, A.T @ b
    tolerance = 1e-5 if dtype == torch.float32 else 1e-10
    assert (A @ x - b).norm() <= 1.1 * tolerance * b.norm()


@both(SOLVERS)
def test_zero_right_hand_side_has_the_solution_zero(solver, make):
    A, b = make(5), torch.zeros(5, dtype=F64)
    solution = solver.solve(lambda v: A @ v, b, x0=vector(5))
    x, stats = solution.x, solution.stats
    assert torch.equal(x, b)
    assert stats.error == 0
    assert stats.converged


@both(SOLVERS)
def test_start_at_the_solution_stays_finite(solver, make):
    b = vector(5)
    solution = solver.solve(lambda v: 1.0 * v, b, x0=b)
    x, stats = solution.x, solution.stats
    if not isinstance(solver, ls.JacobianFree | ls.Dense | ls.Nystrom):
        assert torch.equal(x, b)
        assert stats.error == 0
    assert x.isfinite().all()


@both(SOLVERS)
def test_vmap_equals_a_loop(solver, make):
    n = 6
    As = torch.stack([make(n) * s for s in (1.0, 0.9, 1.05)])
    bs = torch.stack([vector(n, 3), vector(n, 4) * 1e-3, torch.zeros(n, dtype=F64)])

    def solve(A, b):
        return solver.solve(lambda v: A @ v, b)

    batched = torch.func.vmap(solve)(As, bs)
    for i, (A, b) in enumerate(zip(As, bs, strict=True)):
        alone = solve(A, b)
        x, stats = alone.x, alone.stats
        torch.testing.assert_close(batched.x[i], x, rtol=1e-7, atol=1e-9)
        assert batched.stats.converged[i] == stats.converged
    if isinstance(solver, ls.KrylovSolver):
        # What is done waits. Other counts may differ by rounding.
        assert (batched.stats.iterations > 0).tolist() == [True, True, False]


@both(SOLVERS)
def test_problems_that_do_not_converge_do_not_disturb_others(solver, make):
    A, b = make(6), vector(6)
    quiet = dataclasses.replace(solver, on_failure="ignore")
    hard = torch.stack([A, torch.zeros_like(A), -A, 1e3 * A])
    x = torch.func.vmap(lambda A: quiet(lambda v: A @ v, b))(hard)
    assert x.isfinite().all()
    torch.testing.assert_close(x[0], quiet(lambda v: A @ v, b), rtol=1e-9, atol=1e-11)


@both(SOLVERS)
@pytest.mark.parametrize("ridge", [0.7, torch.tensor(0.7, dtype=F64)])
def test_ridge_is_added_to_the_diagonal(solver, make, ridge):
    A, b = make(7), vector(7)
    unit = torch.eye(7, dtype=F64)
    ridged = dataclasses.replace(solver, ridge=ridge)
    expected = torch.linalg.solve(A + 0.7 * unit, b)
    if isinstance(solver, ls.NormalCG):
        expected = torch.linalg.solve(A.T @ A + 0.7 * unit, A.T @ b)
    if isinstance(solver, ls.JacobianFree):
        ridged, expected = dataclasses.replace(ridged, step_size=1 / 4.7), b / 4.7
    if isinstance(solver, ls.Phantom | ls.Richardson) and solver.step_size == 1:
        ridged = dataclasses.replace(ridged, step_size=0.5)
    elif isinstance(solver, ls.Richardson):
        ridged = dataclasses.replace(ridged, step_size=0.25)
    torch.testing.assert_close(ridged(lambda v: A @ v, b), expected, rtol=1e-7, atol=1e-8)


def test_every_solver_of_the_package_is_in_the_list():
    exported = _public.exported(ls, ls.LinearSolver).values()
    assert {type(solver) for solver, _ in SOLVERS.values()} == {*exported, ConjugateResiduals}


@pytest.mark.parametrize("k", [1, 2, 4])
def test_cg_returns_the_iterate_that_it_has_converged_to(k):
    """Of the Krylov space of so many dimensions the best one: not that of the iteration before."""
    A, b = spd(10), vector(10)
    space = torch.stack([torch.linalg.matrix_power(A, i) @ b for i in range(k)], dim=1)
    best = space @ torch.linalg.solve(space.T @ A @ space, space.T @ b)
    solution = ls.CG(maxiter=k, on_failure="ignore").solve(lambda v: A @ v, b)
    x, stats = solution.x, solution.stats
    torch.testing.assert_close(x, best, rtol=1e-8, atol=1e-10)
    torch.testing.assert_close(stats.error, (b - A @ best).norm(), rtol=1e-8, atol=1e-10)
    solution = ls.CG(maxiter=1).solve(lambda v: 3.0 * v, b)  # one iteration solves it
    x, stats = solution.x, solution.stats
    torch.testing.assert_close(x, b / 3)
    assert stats.converged


@pytest.mark.parametrize("solver", [ls.GMRES(), ls.MINRES()])
def test_residual_is_the_least_over_the_krylov_space(solver):
    A, b, k = indefinite(10), vector(10), 4
    solver = dataclasses.replace(solver, maxiter=k, on_failure="ignore")
    space = torch.stack([torch.linalg.matrix_power(A, i) @ b for i in range(k)], dim=1)
    best = torch.linalg.lstsq(A @ space, b.unsqueeze(1)).solution
    stats = solver.solve(lambda v: A @ v, b).stats
    least = (A @ space @ best - b.unsqueeze(1)).norm()
    torch.testing.assert_close(stats.error, least, rtol=1e-6, atol=1e-9)
    assert stats.iterations == k


def test_gmres_solves_what_breaks_bicgstab():
    A = general([1.0, 1.0, 1.0, 1.0])
    A = A - A.T  # skew-symmetric
    b = vector(4)
    solution = ls.BiCGSTAB(on_failure="ignore").solve(lambda v: A @ v, b)
    x, stats = solution.x, solution.stats
    assert x.isfinite().all()
    assert not stats.converged
    torch.testing.assert_close(ls.GMRES()(lambda v: A @ v, b), torch.linalg.solve(A, b))


@pytest.mark.parametrize(
    ("solver", "A"),
    [
        (ls.CG(), symmetric(torch.logspace(0, 4, 40))),
        (ls.NormalCG(), symmetric(torch.logspace(0, 2, 40))),
        (ls.GMRES(restart=40), symmetric(torch.logspace(0, 4, 40))),
        (ls.BiCGSTAB(maxiter=4000), symmetric(torch.logspace(0, 4, 40))),
        (ls.MINRES(), symmetric(torch.logspace(0, 4, 40))),
        (ls.Richardson(step_size=0.02, maxiter=10_000), symmetric(torch.linspace(1, 90, 40))),
    ],
)
def test_a_good_preconditioner_saves_iterations(solver, A):
    b = vector(40)
    target = A @ A if isinstance(solver, ls.NormalCG) else A
    eigenvalues, q = torch.linalg.eigh(target)
    rough = q @ torch.diag(1 / (eigenvalues * torch.linspace(0.9, 1.1, 40, dtype=F64))) @ q.T
    plain = solver.solve(lambda v: A @ v, b)
    alpha = {"step_size": 1.0} if isinstance(solver, ls.Richardson) else {}
    for M in (rough, lambda v: rough @ v):
        solution = dataclasses.replace(solver, preconditioner=M, **alpha).solve(lambda v: A @ v, b)
        x, stats = solution.x, solution.stats
        assert stats.iterations < plain.stats.iterations / 2
        torch.testing.assert_close(x, torch.linalg.solve(A, b), rtol=1e-6, atol=1e-8)


def test_nystrom_preconditioner_saves_iterations():
    A, b = symmetric(torch.logspace(4, -8, 60) + 1e-2), vector(60)
    solver = ls.CG(maxiter=2000)
    plain = solver.solve(lambda v: A @ v, b).stats
    better = dataclasses.replace(solver, preconditioner=ls.Nystrom(rank=40, rho=1e-2))
    solution = better.solve(lambda v: A @ v, b)
    x, stats = solution.x, solution.stats
    assert stats.iterations < plain.iterations / 2
    torch.testing.assert_close(x, torch.linalg.solve(A, b), rtol=1e-6, atol=1e-6)


def test_warm_start_remembers_values_without_their_graph():
    A, b = spd(9).requires_grad_(), vector(9)
    solver = ls.WarmStart(ls.CG())
    first = solver.solve(lambda v: A @ v, b)
    assert first.x.requires_grad
    assert not solver._last.requires_grad
    assert solver.solve(lambda v: A @ v, b).stats.iterations == 0
    assert solver.solve(lambda v: A @ v, 1.001 * b).stats.iterations > 0
    solver.reset()
    assert solver.solve(lambda v: A @ v, b).stats.iterations > 0


def test_warm_start_begins_anew_with_other_shapes_and_inside_transformations():
    A, B = spd(9), spd(4)
    solver = ls.WarmStart(ls.CG())
    solver(lambda v: A @ v, vector(9))
    torch.testing.assert_close(solver(lambda v: B @ v, vector(4)), torch.linalg.solve(B, vector(4)))
    kept = solver._last
    batch = torch.stack([vector(4, 7), vector(4, 8)])
    x = torch.func.vmap(lambda b: solver(lambda v: B @ v, b))(batch)
    torch.testing.assert_close(x, torch.linalg.solve(B, batch.T).T)
    assert solver._last is kept


@pytest.mark.parametrize("on_failure", ["raise", "ignore"])
def test_warm_start_forgets_what_has_failed(on_failure):
    A, b = spd(12), vector(12)
    solver = ls.WarmStart(ls.CG(maxiter=15, on_failure=on_failure))
    singular, wild = torch.diag(torch.arange(12.0, dtype=F64)), 1e9 * spd(12).flip(0, 1)
    with contextlib.suppress(LinearSolveError):
        solver(lambda v: singular @ v, b)  # b is not in its range
    expected = torch.linalg.solve(A, b)
    torch.testing.assert_close(solver(lambda v: A @ v, b), expected)
    for matrix in (A, 1e-9 * A, wild, A):
        x = solver(lambda v, matrix=matrix: matrix @ v, b)
        torch.testing.assert_close(x, torch.linalg.solve(matrix, b), rtol=1e-7, atol=0)


@pytest.mark.parametrize("scale", [1e20, 1e300])
def test_a_start_that_is_worse_than_zero_is_not_taken(scale):
    A, b = spd(12), vector(12)
    solver = ls.CG(maxiter=15, on_failure="raise")
    x = solver(lambda v: A @ v, b)
    rough = ls.WarmStart(solver)
    rough._last = scale * torch.ones(12, dtype=F64)
    torch.testing.assert_close(rough(lambda v: A @ v, b), x)


@pytest.mark.parametrize(("m", "n"), [(9, 4), (4, 9)])
def test_rectangular_matrices_and_operators_know_the_structure_of_the_solution(m, n):
    A, b = vector(m * n, 3).reshape(m, n), vector(m)
    expected = torch.linalg.lstsq(A, b.unsqueeze(1), driver="gelsd").solution.squeeze(1)
    solve = ls.NormalCG()
    operator = LinearOperator(lambda v: A @ v["w"], lambda u: {"w": A.T @ u})
    for x in (
        solve(A, b),
        solve(operator, b)["w"],
        solve({"p": A}, {"p": b})["p"],
        solve(lambda v: A @ v, b, x0=torch.zeros(n, dtype=F64)),
        ls.NormalCG(x0=torch.zeros(n, dtype=F64))(lambda v: A @ v, b),
        torch.func.vmap(lambda A: solve(A, b))(torch.stack([2 * A, A]))[1],
    ):
        torch.testing.assert_close(x, expected, rtol=1e-7, atol=1e-8)
    if m > n:
        A.requires_grad_()
        found = torch.autograd.grad(solve(A, b) @ vector(n, 6), A)[0]
        wanted = torch.autograd.grad(torch.linalg.pinv(A) @ b @ vector(n, 6), A)[0]
        torch.testing.assert_close(found, wanted, rtol=1e-6, atol=1e-8)


def test_singular_but_consistent_systems_have_a_solution():
    A = symmetric([0.0, 0.0, 1.0, 2.0, -3.0, 4.0])
    b = A @ vector(6)
    for solver in (ls.MINRES(), ls.GMRES(), ls.Dense(method="lstsq")):
        solution = solver.solve(lambda v: A @ v, b)
        x, stats = solution.x, solution.stats
        assert stats.converged
        torch.testing.assert_close(A @ x, b)
    torch.testing.assert_close(x, torch.linalg.pinv(A) @ b)


def test_truncated_neumann_series_has_the_terms_that_it_says():
    A, b = symmetric([0.2, 0.9, 1.7]), vector(3)
    step = torch.eye(3, dtype=F64) - 0.6 * A
    expected = 0.6 * sum(torch.linalg.matrix_power(step, k) @ b for k in range(5))
    x = ls.Neumann(maxiter=5, step_size=0.6)(lambda v: A @ v, b)
    torch.testing.assert_close(x, expected)
    phantom = ls.Phantom(steps=5, step_size=0.6)
    torch.testing.assert_close(phantom(lambda v: A @ v, b), expected)


def test_nystrom_is_the_formula_of_its_paper():
    A, b, rho = symmetric([0.1, 0.5, 1.0, 2.0, 5.0, 9.0]), vector(6), 0.3
    solver = ls.Nystrom(rank=3, rho=rho, generator=4)
    x = solver(lambda v: A @ v, b)
    unit = torch.eye(6, dtype=F64)
    candidates = []
    for chosen in torch.combinations(torch.arange(6), 3):
        C, W = A[:, chosen], A[chosen][:, chosen]
        candidates.append(torch.linalg.solve(C @ torch.linalg.inv(W) @ C.T + rho * unit, b))
    nearest = min(candidates, key=lambda y: (x - y).norm())
    torch.testing.assert_close(x, nearest)
    assert torch.equal(solver(lambda v: A @ v, b), x)


def test_jacobian_free_asks_for_no_product():
    def forbidden(v):
        raise AssertionError("a product was asked for")

    b = vector(3)
    with torch.no_grad():
        assert torch.equal(ls.JacobianFree(step_size=0.5)(forbidden, b), 0.5 * b)


def test_phantom_of_k_steps_asks_for_k_minus_one_products():
    calls = []

    def matvec(v):
        calls.append(v)
        return 0.5 * v

    with torch.no_grad():
        ls.Phantom(steps=4)(matvec, vector(3))
    assert len(calls) == 3
