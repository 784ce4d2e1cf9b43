"""Linear solves as functions, and the published makers of linear solvers."""

import pytest
import torch

import torchopt
from torchopt import linalg, linear_solve

F64 = torch.float64


def draw(*shape, seed=0):
    return torch.randn(shape, dtype=F64, generator=torch.Generator().manual_seed(seed))


def spd(n, seed=0):
    root = draw(n, n, seed=seed)
    return root @ root.T / n + torch.eye(n, dtype=F64)


@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3)])
def test_cg_solves_tensors_of_any_shape(shape):
    b = draw(*shape)
    A = spd(max(b.numel(), 1))
    x = linalg.cg(lambda v: (A @ v.reshape(-1)).reshape(shape), b, rtol=1e-12)
    torch.testing.assert_close(x.reshape(-1), torch.linalg.solve(A, b.reshape(-1)))


def test_cg_takes_matrices_a_start_and_a_preconditioner():
    A = {"a": spd(3), "b": spd(4, 1)}
    b = {"a": draw(3), "b": draw(4)}
    wanted = {k: torch.linalg.solve(A[k], b[k]) for k in A}
    M = {k: torch.linalg.inv(A[k]) for k in A}
    torch.testing.assert_close(linalg.cg(A, b, rtol=1e-12), wanted)
    torch.testing.assert_close(linalg.cg(A, b, M=M, maxiter=2), wanted, rtol=1e-5, atol=1e-5)
    near = {k: x + 1e-9 for k, x in wanted.items()}
    torch.testing.assert_close(linalg.cg(A, b, near, maxiter=0), near)


def test_cg_has_the_published_tolerance():
    A, b = torch.diag(torch.logspace(0, 4, 30, dtype=F64)), draw(30)
    rest = (A @ linalg.cg(A, b) - b).norm() / b.norm()
    assert 1e-10 < rest <= 1e-5
    assert (A @ linalg.cg(A, b, atol=1.0) - b).norm() <= 1
    with pytest.warns(torchopt.errors.LinearSolveWarning, match="not converge") as told:
        linalg.cg(A, b, maxiter=3)
    assert told[0].message.iterations == 3


@pytest.mark.parametrize(("maxiter", "terms"), [(None, 11), (0, 1), (3, 4)])
@pytest.mark.parametrize("alpha", [None, 0.4])
def test_ns_sums_the_series(maxiter, terms, alpha):
    A, b = torch.eye(3, dtype=F64) + 0.2 * draw(3, 3), draw(3)
    a = 1.0 if alpha is None else alpha
    step = torch.eye(3, dtype=F64) - a * A
    wanted = a * sum(torch.linalg.matrix_power(step, k) @ b for k in range(terms))
    torch.testing.assert_close(linalg.ns(A, b, maxiter, alpha=alpha), wanted)
    tree = linalg.ns(lambda v: {"x": A @ v["x"]}, {"x": b}, maxiter, alpha=alpha)
    torch.testing.assert_close(tree["x"], wanted)


@pytest.mark.parametrize(("maxiter", "terms"), [(None, 10), (1, 1), (4, 4)])
@pytest.mark.parametrize("alpha", [None, 0.4])
def test_ns_inv_sums_the_series(maxiter, terms, alpha):
    A = torch.eye(3, dtype=F64) + 0.2 * draw(3, 3)
    a = 1.0 if alpha is None else alpha
    step = torch.eye(3, dtype=F64) - a * A
    wanted = a * sum(torch.linalg.matrix_power(step, k) for k in range(terms))
    torch.testing.assert_close(linalg.ns_inv(A, maxiter, alpha=alpha), wanted)
    torch.testing.assert_close(linalg.ns_inv({"A": A}, maxiter, alpha=alpha)["A"], wanted)


def test_ns_is_differentiable_through_its_terms():
    A = (torch.eye(3, dtype=F64) + 0.1 * draw(3, 3)).requires_grad_()
    b = draw(3).requires_grad_()
    assert torch.autograd.gradcheck(lambda A, b: linalg.ns(A, b, 3), (A, b))


def test_matrices_that_are_not_square_are_named():
    for call in (lambda A: linalg.ns_inv(A), lambda A: linalg.cg(A, {"m": draw(3)})):
        with pytest.raises(TypeError, match=r"`A\['m'\]` is a tensor of shape \(2, 3\)"):
            call({"m": draw(2, 3)})


def test_solve_inv_is_the_inverse_of_the_whole_matrix():
    # 0.7.3 kept the diagonal blocks only.
    def matvec(v):
        return {"a": 2 * v["a"] + v["b"].sum(), "b": 5 * v["b"] + v["a"].sum()}

    b = {"a": draw(2), "b": draw(3, 2)}
    torch.testing.assert_close(matvec(linear_solve.solve_inv()(matvec, b)), b)


def test_solve_inv_has_the_terms_of_a_neumann_series():
    A, b = spd(3), draw(3)
    step = torch.eye(3, dtype=F64) - 0.3 * A
    for given, alpha, terms in ({"maxiter": 4, "alpha": 0.3}, 0.3, 5), ({"alpha": 0.3}, 0.3, 11):
        wanted = alpha * sum(torch.linalg.matrix_power(step, k) @ b for k in range(terms))
        x = linear_solve.solve_inv(ns=True, **given)(lambda v: A @ v, b)
        torch.testing.assert_close(x, wanted)
    with pytest.warns(torchopt.errors.LinearSolveWarning, match="Neumann did not converge"):
        linear_solve.solve_inv(ns=True)(lambda v: 3 * (A @ v), b)
    with pytest.raises(TypeError, match="maxiters"):
        linear_solve.solve_inv(maxiters=3)
