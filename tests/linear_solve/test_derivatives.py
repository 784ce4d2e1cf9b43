"""Derivatives of x(b, A): closed forms and finite differences, by every route and order."""

import dataclasses

import pytest
import torch
from torch.autograd import forward_ad

from _cases import covering
from _differences import assert_derivatives_are_differences
from linear_solve._systems import EXACT, F64, SOLVERS, is_symmetric, near_identity, spd, vector
from torchopt import linear_solve as ls
from torchopt.errors import LinearSolveWarning
from torchopt.linalg import hessian_operator

N = 3


def tight(solver):
    """The same solver with a tolerance below the errors of finite differences."""
    return dataclasses.replace(solver, rtol=1e-13, on_failure="ignore")


def system(solver, make, n=N):
    """x as a function of b and of what A reads, at a generic point, and the same by torch."""
    solver, base = tight(solver), make(n)
    jacobian_free = isinstance(solver, ls.JacobianFree)
    theta = torch.zeros(n, n, dtype=F64) if jacobian_free else 0.02 * vector(n * n, 7).reshape(n, n)

    def matrix(theta):
        return base + ((theta + theta.T) / 2 if is_symmetric(solver) else theta)

    def solve(b, theta):
        A = matrix(theta)
        return solver(lambda v: A @ v, b)

    def expected(b, theta):
        return torch.linalg.solve(matrix(theta), b)

    return solve, expected, (vector(n), theta)


def both(table):
    return pytest.mark.parametrize(("solver", "make"), table.values(), ids=table.keys())


@both({name: case for name, case in EXACT.items() if not name.endswith("-alpha")})
def test_derivatives_are_those_of_finite_differences(solver, make):
    solve, _, inputs = system(solver, make, n=2)
    assert_derivatives_are_differences(solve, inputs, fwd_over_rev=True)


@pytest.mark.parametrize(
    ("name", "transform"),
    covering([*SOLVERS], [torch.func.jacrev, torch.func.jacfwd, torch.func.hessian]),
)
def test_transformations_give_the_derivatives_of_torch(name, transform):
    solve, expected, inputs = system(*SOLVERS[name])
    weight = vector(N, 11)
    found = transform(lambda *a: solve(*a) @ weight, argnums=(0, 1))(*inputs)
    wanted = transform(lambda *a: expected(*a) @ weight, argnums=(0, 1))(*inputs)
    torch.testing.assert_close(found, wanted, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["cg", "normal_cg", "gmres", "dense-lu", "minres"])
def test_third_derivatives_are_those_of_torch(name):
    solve, expected, (b, theta) = system(*EXACT[name])
    direction = vector(N * N, 13).reshape(N, N)

    def along(f):
        def value(t):
            return f(b, theta + t * direction) @ vector(N, 11)

        return torch.func.grad(torch.func.grad(torch.func.grad(value)))(
            torch.tensor(0.1, dtype=F64)
        )

    torch.testing.assert_close(along(solve), along(expected), rtol=1e-6, atol=1e-8)


@both(SOLVERS)
def test_derivatives_of_a_batch_are_those_of_each(solver, make):
    solve, expected, (b, theta) = system(solver, make)
    bs = torch.stack([b, -2 * b, vector(N, 5)])
    thetas = torch.stack([theta, -theta, 0.5 * theta])
    weight = vector(N, 11)

    def gradients(f):
        return torch.func.grad(lambda b, theta: f(b, theta) @ weight, argnums=(0, 1))

    found = torch.func.vmap(gradients(solve))(bs, thetas)
    wanted = torch.func.vmap(gradients(expected))(bs, thetas)
    torch.testing.assert_close(found, wanted, rtol=1e-6, atol=1e-8)

    thetas.requires_grad_()
    total = (torch.func.vmap(solve)(bs, thetas) @ weight).sum()
    torch.testing.assert_close(
        torch.autograd.grad(total, thetas)[0], wanted[1], rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize("name", ["cg", "minres"])
def test_derivatives_do_not_assume_the_symmetry_that_a_solver_needs(name):
    solver = dataclasses.replace(EXACT[name][0], rtol=1e-7)
    A, b, dA = near_identity(N, norm=0.1), vector(N), vector(N * N, 3).reshape(N, N)

    def solve(A):
        return solver(lambda v: A @ v, b)

    def expected(A):
        return torch.linalg.solve(A, b)

    for transform in (torch.func.jacfwd, torch.func.jacrev):
        torch.testing.assert_close(
            transform(solve)(A), transform(expected)(A), rtol=1e-5, atol=1e-5
        )
    found, wanted = (torch.func.jvp(f, (A,), (dA,))[1] for f in (solve, expected))
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)


def test_ridge_gets_its_gradient():
    A, b = spd(4), vector(4)
    unit = torch.eye(4, dtype=F64)

    def solve(ridge):
        return ls.CG(rtol=1e-13, ridge=ridge)(lambda v: A @ v, b).sum()

    def normal(ridge):
        return ls.NormalCG(rtol=1e-13, ridge=ridge)(lambda v: A @ v, b).sum()

    ridge = torch.tensor(0.3, dtype=F64, requires_grad=True)
    for f, wanted in (
        (solve, torch.linalg.solve(A + ridge * unit, b)),
        (normal, torch.linalg.solve(A.T @ A + ridge * unit, A.T @ b)),
    ):
        (expected,) = torch.autograd.grad(wanted.sum(), ridge)
        torch.testing.assert_close(torch.autograd.grad(f(ridge), ridge)[0], expected)
        torch.testing.assert_close(torch.func.grad(f)(ridge.detach()), expected)


@pytest.mark.parametrize(
    "name",
    ["cg", "dense-lu", *(pytest.param(n, marks=pytest.mark.slow) for n in ("gmres", "minres"))],
)
def test_operators_that_hold_a_graph_are_differentiated_anew(name):
    solver = tight(EXACT[name][0])
    x, b, t, dt = vector(N), vector(N, 2), vector(N, 3).abs() + 0.5, vector(N, 4)

    def objective(x, t):
        return (t * x**2).sum() + (x.sum() * t[0]) ** 2 + t[1] ** 2 * (x**4).sum()

    def solve(t):
        return solver(hessian_operator(lambda x: objective(x, t), x), b)

    def expected(t):
        return torch.linalg.solve(torch.func.hessian(lambda x: objective(x, t))(x), b)

    def second(f):
        return torch.func.hessian(lambda t: f(t) @ b)

    def batch(f):
        return lambda t: torch.func.vmap(f)(torch.stack([t, 2 * t]))

    for transform in (torch.func.jacrev, torch.func.jacfwd, second):
        torch.testing.assert_close(transform(solve)(t), transform(expected)(t))
    for transform in (torch.func.jacrev, torch.func.jacfwd):
        found, wanted = (transform(batch(f))(t) for f in (solve, expected))
        torch.testing.assert_close(found, wanted)
    with forward_ad.dual_level():
        tangent = forward_ad.unpack_dual(solve(forward_ad.make_dual(t, dt))).tangent
    torch.testing.assert_close(tangent, torch.func.jacfwd(expected)(t) @ dt)


def test_a_solve_without_grad_has_no_graph():
    A, b = spd(N).requires_grad_(), vector(N).requires_grad_()
    with torch.no_grad():
        assert not ls.CG()(lambda v: A @ v, b).requires_grad


def test_memory_of_the_graph_does_not_grow_with_iterations():
    A = spd(40).requires_grad_()
    sizes = []
    for maxiter in (3, 30):
        saved = []

        def pack(t, saved=saved):
            saved.append(t.numel())
            return t

        solver = ls.CG(maxiter=maxiter, on_failure="ignore")
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            solver(lambda v: A @ v, vector(40))
        sizes.append(sum(saved))
    assert sizes[0] == sizes[1]


def test_what_the_backward_pass_cannot_solve_is_said():
    solver = ls.CG(maxiter=2)
    A = spd(6).requires_grad_()
    b = spd(6).detach() @ torch.linalg.eigh(spd(6))[1][:, 0]  # an eigenvector: one iteration
    x = solver(lambda v: A @ v, b)
    with pytest.warns(LinearSolveWarning, match="CG did not converge"):
        torch.autograd.grad(x @ vector(6), A)
