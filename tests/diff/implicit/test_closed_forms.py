"""Solutions and hypergradients against closed forms, for every linear solver that applies."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch
from _closed_forms import LINEAR_SOLVERS, PROBLEMS, TOLERANCE, ClosedForm, normal
from torch.autograd import forward_ad
from torch.func import grad, vmap

import torchopt
from _cases import first_of_each
from torchopt import diff, linear_solve
from torchopt.operators import _equations

CASES = [(name, key) for name, p in PROBLEMS.items() for key in p.linear_solvers]


def leaves(problem: ClosedForm) -> list[torch.Tensor]:
    return [t.clone().requires_grad_() for t in problem.theta]


def assert_near(found: Any, expected: Any, tolerance: float) -> None:
    for f, e in zip(found, expected, strict=True):
        assert torch.linalg.vector_norm(f - e) <= tolerance * torch.linalg.vector_norm(e)


@pytest.mark.parametrize("name", PROBLEMS)
def test_solution_equals_the_closed_form(name: str) -> None:
    problem = PROBLEMS[name]
    found = problem.solve(diff.Implicit(), *problem.theta)
    torch.testing.assert_close(found, problem.truth(*problem.theta), rtol=0, atol=1e-10)
    assert not found.requires_grad


@pytest.mark.parametrize(
    ("name", "key"),
    first_of_each(  # each linear solver with each kind of matrix that it is for
        {"-".join(case): case for case in CASES},
        lambda case: (case[1], PROBLEMS[case[0]].linear_solvers),
    ),
)
def test_hypergradient_equals_the_closed_form_within_ten_tolerances(name: str, key: str) -> None:
    problem = PROBLEMS[name]
    mode = diff.Implicit(linear_solve=LINEAR_SOLVERS[key]())
    theta = leaves(problem)
    solution = problem.solve(mode, *theta)
    cotangent = normal(99, solution.numel())
    found = torch.autograd.grad(solution @ cotangent, theta)
    theta = leaves(problem)
    expected = torch.autograd.grad(problem.truth(*theta) @ cotangent, theta)
    assert_near(found, expected, 10 * TOLERANCE)


@pytest.mark.parametrize(
    ("name", "key"), [(name, key) for name, key in CASES if name in ("ridge", "affine")]
)
def test_linear_solvers_in_a_batch_of_problems_of_unlike_difficulty(name: str, key: str) -> None:
    problem = PROBLEMS[name]
    mode = diff.Implicit(linear_solve=LINEAR_SOLVERS[key]())
    first, *rest = problem.theta
    batch = torch.stack([first, 0.5 * first, 3 * first if name == "ridge" else 0 * first])

    def gradient(solve: Any) -> torch.Tensor:
        return vmap(grad(lambda t: (solve(t, *rest) ** 2).sum()))(batch)

    found = gradient(functools.partial(problem.solve, mode))
    torch.testing.assert_close(found, gradient(problem.truth), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("hvp", ["reverse", "forward"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_every_product_gives_the_hypergradient(name: str, hvp: Any) -> None:
    problem = PROBLEMS[name]
    general = linear_solve.GMRES()
    theta = leaves(problem)
    solution = problem.solve(diff.Implicit(linear_solve=general, hvp=hvp), *theta)
    cotangent = normal(99, solution.numel())
    found = torch.autograd.grad(solution @ cotangent, theta)
    theta = leaves(problem)
    expected = torch.autograd.grad(problem.truth(*theta) @ cotangent, theta)
    assert_near(found, expected, 1e-9)


# One of each kind: a minimum, a nonsmooth one, conditions with constraints, a fixed point.
@pytest.mark.parametrize("name", ["ridge", "lasso", "quadratic_program", "affine"])
def test_first_and_second_derivatives_pass_finite_differences(name: str) -> None:
    problem = PROBLEMS[name]
    mode = diff.Implicit(linear_solve=linear_solve.Dense())

    def solution(*theta: torch.Tensor) -> torch.Tensor:
        return problem.solve(mode, *theta)

    theta = leaves(problem)
    assert torch.autograd.gradcheck(solution, theta, check_forward_ad=True, fast_mode=True)
    assert torch.autograd.gradgradcheck(solution, leaves(problem), fast_mode=True)


@pytest.mark.parametrize("name", PROBLEMS)
def test_forward_mode_equals_the_closed_form(name: str) -> None:
    problem = PROBLEMS[name]
    tangents = tuple(normal(80 + k, *t.shape) for k, t in enumerate(problem.theta))
    _, expected = torch.func.jvp(problem.truth, problem.theta, tangents)

    def solution(*theta: torch.Tensor) -> torch.Tensor:
        return problem.solve(diff.Implicit(), *theta)

    value, found = torch.func.jvp(solution, problem.theta, tangents)
    torch.testing.assert_close(value, problem.truth(*problem.theta))
    torch.testing.assert_close(found, expected)
    with forward_ad.dual_level():
        dual = solution(*map(forward_ad.make_dual, problem.theta, tangents))
        value, tangent = forward_ad.unpack_dual(dual)
    torch.testing.assert_close(value, problem.truth(*problem.theta))
    torch.testing.assert_close(tangent, expected)


@pytest.mark.parametrize("transform", [torch.func.jacfwd, torch.func.jacrev])
@pytest.mark.parametrize("name", PROBLEMS)
def test_jacobian_equals_the_closed_form(name: str, transform: Any) -> None:
    problem = PROBLEMS[name]
    argnums = tuple(range(len(problem.theta)))

    def solution(*theta: torch.Tensor) -> torch.Tensor:
        return problem.solve(diff.Implicit(), *theta)

    found = transform(solution, argnums)(*problem.theta)
    expected = torch.func.jacrev(problem.truth, argnums)(*problem.theta)
    for f, e in zip(found, expected, strict=True):
        torch.testing.assert_close(f, e)


def test_conjugate_gradients_are_wrong_where_the_jacobian_is_not_symmetric() -> None:
    """Why the default for roots and fixed points is another solver."""
    problem = PROBLEMS["affine"]
    theta = leaves(problem)
    cotangent = normal(99, 4)
    expected = torch.autograd.grad(problem.truth(*theta) @ cotangent, theta)
    careless = linear_solve.CG(on_failure="ignore")
    solution = problem.solve(diff.Implicit(linear_solve=careless), *theta)
    wrong = torch.autograd.grad(solution @ cotangent, theta)
    assert torch.linalg.vector_norm(wrong[1] - expected[1]) > 0.01
    told = problem.solve(diff.Implicit(linear_solve=linear_solve.CG()), *theta)
    with pytest.warns(torchopt.errors.LinearSolveWarning, match="CG did not converge"):
        torch.autograd.grad(told @ cotangent, theta)


def test_one_step_and_phantom_are_truncated_series() -> None:
    """Jacobian-free: u = v; phantom: u = sum of (M')^i v."""
    problem = PROBLEMS["affine"]
    M, _ = problem.theta
    v = normal(99, 4)
    for solver, expected in (
        (linear_solve.JacobianFree(), v),
        (linear_solve.Phantom(steps=3), v + M.T @ v + M.T @ M.T @ v),
        (linear_solve.Neumann(maxiter=3), v + M.T @ v + M.T @ M.T @ v),
    ):
        theta = leaves(problem)
        solution = problem.solve(diff.Implicit(linear_solve=solver), *theta)
        (_, found) = torch.autograd.grad(solution @ v, theta)
        torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("hvp", ["reverse", "forward"])
def test_every_product_under_transforms_and_to_second_order(hvp: Any) -> None:
    """How products are computed inside the linear solve is not differentiated."""
    problem = PROBLEMS["logistic_regression"]
    penalty, X = problem.theta
    mode = diff.Implicit(linear_solve=linear_solve.CG(rtol=1e-10), hvp=hvp)

    def by_mode(penalty: torch.Tensor) -> torch.Tensor:
        return (problem.solve(mode, penalty, X) ** 2).sum()

    def by_truth(penalty: torch.Tensor) -> torch.Tensor:
        return (problem.truth(penalty, X) ** 2).sum()

    batch = torch.stack([penalty, penalty - 1])
    near = {"rtol": 1e-7, "atol": 1e-7}
    torch.testing.assert_close(vmap(grad(by_mode))(batch), vmap(grad(by_truth))(batch), **near)
    hessian = torch.func.hessian(by_truth)(penalty)
    torch.testing.assert_close(torch.func.hessian(by_mode)(penalty), hessian, **near)
    variable = penalty.clone().requires_grad_()
    (first,) = torch.autograd.grad(by_mode(variable), variable, create_graph=True)
    (second,) = torch.autograd.grad(first[0], variable)
    torch.testing.assert_close(second, hessian[0], **near)


def test_a_small_system_is_solved_by_the_matrix_that_judged_the_solution(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two leaves and a Jacobian that is not symmetric; the graph is not asked for each product."""
    n, generator = 5, torch.Generator().manual_seed(0)
    A, phi, weights = torch.randn(n + 2, n, generator=generator, dtype=torch.float64).split(
        [n, 1, 1]
    )
    A = A + 4 * torch.eye(n)
    asked = []
    pulled_back = _equations.pulled_back
    monkeypatch.setattr(
        _equations,
        "pulled_back",
        lambda *args, **more: asked.append(1) or pulled_back(*args, **more),
    )

    def tree(v: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"a": v[:2].reshape(2, 1), "b": v[2:]}

    def vector(x: dict[str, torch.Tensor]) -> torch.Tensor:
        return torch.cat([x["a"][:, 0], x["b"]])

    def residual(x: dict[str, torch.Tensor], phi: torch.Tensor) -> dict[str, torch.Tensor]:
        return tree(A @ vector(x) + 0.1 * vector(x) ** 3 - phi)

    def solver(x: dict[str, torch.Tensor], phi: torch.Tensor) -> dict[str, torch.Tensor]:
        v = vector(x)
        for _ in range(50):
            slope = A + torch.diag(0.3 * v**2)
            v = v - torch.linalg.solve(slope, A @ v + 0.1 * v**3 - phi)
        return tree(v)

    def solution(phi: torch.Tensor) -> torch.Tensor:
        start = tree(torch.ones(n, dtype=torch.float64))
        return vector(torchopt.root(residual, start, (phi,), solver=solver).params)

    phi = phi[0].requires_grad_()
    x = solution(phi)
    (gradient,) = torch.autograd.grad(x @ weights[0], phi)
    truth = torch.linalg.solve((A + torch.diag(0.3 * x.detach() ** 2)).mT, weights[0])
    torch.testing.assert_close(gradient, truth, rtol=1e-9, atol=1e-12)
    if x.is_cpu:  # on a device a dense matrix would be waited for
        assert len(asked) <= 2  # for all rows of the matrix
    assert torch.autograd.gradgradcheck(solution, phi, fast_mode=True)
