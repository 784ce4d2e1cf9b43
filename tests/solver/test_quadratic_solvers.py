"""Solvers of other packages: SciPy's, ProxSuite, problems of CVXPY; and the errors without them."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import torch

import torchopt
from torchopt import Constraints
from torchopt.errors import NotConvergedError, NotConvergedWarning
from torchopt.solver import ProxSuite, SciPy, from_cvxpy

DTYPE = torch.float64


def projected(centre: torch.Tensor, **options: Any) -> torchopt.diff.Solution:
    """Return the nearest point to a centre, subject to something."""
    return torchopt.minimize(
        lambda x, centre: (x - centre).square().sum() / 2,
        torch.full((2,), 0.9, dtype=DTYPE),
        (centre,),
        **options,
    )


DISK = Constraints(inequality=lambda x, centre: x.square().sum() - 4)


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr"])
def test_methods_of_scipy_know_constraints(method: str) -> None:
    pytest.importorskip("scipy", reason="scipy is optional")
    centre = torch.tensor([3.0, 4.0], dtype=DTYPE, requires_grad=True)
    solution = projected(centre, subject_to=DISK, solver=SciPy(method))
    expected = torch.tensor([1.2, 1.6], dtype=DTYPE)
    torch.testing.assert_close(solution.params.detach(), expected, rtol=1e-6, atol=0)
    (gradient,) = torch.autograd.grad(solution.params[0], centre)
    expected = torch.tensor([0.256, -0.192], dtype=DTYPE)
    torch.testing.assert_close(gradient, expected, rtol=1e-5, atol=1e-6)


def test_scipy_solves_a_batch_one_by_one_with_equalities_too() -> None:
    pytest.importorskip("scipy", reason="scipy is optional")
    line = Constraints(equality=lambda x, centre: x.sum() - 1)
    centres = torch.tensor([[3.0, 4.0], [0.0, -1.0]], dtype=DTYPE)

    def of(centre: torch.Tensor) -> torch.Tensor:
        return projected(centre, subject_to=line, solver=SciPy()).params

    expected = centres + (1 - centres.sum(1, keepdim=True)) / 2
    torch.testing.assert_close(torch.func.vmap(of)(centres), expected)
    jacobian = torch.func.vmap(torch.func.jacrev(of))(centres)
    expected = torch.tensor([[0.5, -0.5], [-0.5, 0.5]], dtype=DTYPE).expand(2, 2, 2)
    torch.testing.assert_close(jacobian, expected)


@pytest.mark.parametrize("method", ["L-BFGS-B", "SLSQP"])
def test_methods_of_scipy_know_bounds_and_problems_without(method: str) -> None:
    pytest.importorskip("scipy", reason="scipy is optional")
    centre = torch.tensor([3.0, 0.4], dtype=DTYPE, requires_grad=True)
    solver = SciPy(method)
    box = projected(centre, subject_to=torchopt.sets.Box(0.0, 1.0), solver=solver)
    torch.testing.assert_close(box.params.detach(), torch.tensor([1.0, 0.4], dtype=DTYPE))
    jacobian = torch.stack(
        [torch.autograd.grad(x, centre, retain_graph=True)[0] for x in box.params]
    )
    torch.testing.assert_close(jacobian, torch.tensor([[0.0, 0.0], [0.0, 1.0]], dtype=DTYPE))
    torch.testing.assert_close(projected(centre, solver=solver).params, centre)


@torch.no_grad()
def test_a_relative_tolerance_of_scipy_is_that_of_its_method() -> None:
    pytest.importorskip("scipy", reason="scipy is optional")

    def valley(x: torch.Tensor) -> torch.Tensor:
        return (1 - x[0]).square() + 100 * (x[1] - x[0].square()).square()

    start, minimum = torch.tensor([-1.2, 1.0], dtype=DTYPE), torch.ones(2, dtype=DTYPE)
    for method in ("L-BFGS-B", "BFGS"):
        fine, rough = (
            torchopt.minimize(valley, start, solver=SciPy(method, rtol=rtol, on_failure="ignore"))
            for rtol in (None, 0.5)
        )
        torch.testing.assert_close(fine.params, minimum)
        assert (rough.params - minimum).norm() > 0.1
    with pytest.raises(ValueError, match="SciPy's SLSQP has no relative tolerance"):
        SciPy(rtol=0.1)


@torch.no_grad()
def test_failures_of_scipy_are_reported() -> None:
    pytest.importorskip("scipy", reason="scipy is optional")
    centre, options = torch.tensor([3.0, 4.0], dtype=DTYPE), {"maxiter": 1}
    with pytest.warns(NotConvergedWarning, match="SLSQP did not converge") as told:
        projected(centre, subject_to=DISK, solver=SciPy(options=options))
    assert told[0].message.iterations == 1  # type: ignore[union-attr]
    with pytest.raises(NotConvergedError, match="Iteration limit"):
        projected(centre, subject_to=DISK, solver=SciPy(options=options, on_failure="raise"))
    projected(centre, subject_to=DISK, solver=SciPy(options=options, on_failure="ignore"))


def programs() -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    n, batch = 6, 3
    root = torch.randn(batch, n, n, dtype=DTYPE)
    return {
        "Q": root @ root.mT + torch.eye(n, dtype=DTYPE),
        "c": torch.randn(batch, n, dtype=DTYPE),
        "G": torch.randn(batch, 4, n, dtype=DTYPE),
        "h": torch.rand(batch, 4, dtype=DTYPE),
        "A": torch.randn(batch, 2, n, dtype=DTYPE),
        "b": torch.randn(batch, 2, dtype=DTYPE),
    }


def test_proxsuite_finds_the_solution_of_the_interior_point_method() -> None:
    pytest.importorskip("proxsuite", reason="proxsuite is optional")
    blocks = programs()
    c = blocks.pop("c").requires_grad_()
    Q = blocks.pop("Q")
    gradients = []
    for solver in (ProxSuite(num_threads=2), torchopt.solver.InteriorPoint()):
        solution = torchopt.quadratic_program(Q, c, **blocks, solver=solver)
        assert solution.converged is not None
        assert solution.converged.all()
        total = solution.params.square().sum() + solution.stats.inequality_duals.sum()
        gradients.append((solution.params, *torch.autograd.grad(total, c)))
    torch.testing.assert_close(*gradients, rtol=1e-9, atol=1e-10)
    plain = torchopt.quadratic_program(Q, c, solver=ProxSuite()).params
    torch.testing.assert_close(plain, -torch.linalg.solve(Q, c))


def test_a_quadratic_problem_of_cvxpy_has_derivatives_of_every_order() -> None:
    cvxpy = pytest.importorskip("cvxpy", reason="cvxpy is optional")
    x, y = cvxpy.Variable((2, 3)), cvxpy.Variable()
    p, weight = cvxpy.Parameter((2, 3)), cvxpy.Parameter(nonneg=True)
    cost = cvxpy.sum_squares(x - p) + weight * cvxpy.norm1(x) + cvxpy.square(y - x[0, 1])
    problem = cvxpy.Problem(cvxpy.Minimize(cost), [cvxpy.sum(x) == 1, x >= -1, y <= 0.2])
    solve = from_cvxpy(problem, [p, weight], [x, y])
    assert p.value is None
    torch.manual_seed(0)
    points = torch.randn(3, 2, 3, dtype=DTYPE)
    weights = torch.tensor([0.1, 0.2, 0.3], dtype=DTYPE)
    solution = solve(points, weights)
    for i in range(3):
        p.value, weight.value = points[i].numpy(), float(weights[i])
        problem.solve()
        for found, variable in zip(solution.params, (x, y), strict=True):
            expected = torch.tensor(variable.value)
            torch.testing.assert_close(found[i], expected, rtol=0, atol=1e-4)
    one = points[0].requires_grad_(), weights[0].requires_grad_()
    assert torch.autograd.gradcheck(lambda *v: solve(*v).params, one)
    assert torch.autograd.gradgradcheck(lambda *v: solve(*v).params[0], one)
    mapped = torch.func.vmap(lambda v, w: solve(v, w).params[0])(points.detach(), weights.detach())
    torch.testing.assert_close(mapped, solution.params[0])
    with pytest.raises(ValueError, match="there are 2 parameters, but 1 values"):
        solve(points)
    with pytest.raises(ValueError, match=r"has shape \(3,\)"):
        solve(weights, weights)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of cvxpylayers
def test_cones_of_cvxpy_are_differentiated_once() -> None:
    cvxpy = pytest.importorskip("cvxpy", reason="cvxpy is optional")
    pytest.importorskip("cvxpylayers", reason="cvxpylayers is optional")
    x, p = cvxpy.Variable(2), cvxpy.Parameter(2)
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.norm(x - p)), [cvxpy.norm(x) <= 1])
    point = torch.tensor([3.0, 4.0], dtype=DTYPE, requires_grad=True)
    (found,) = from_cvxpy(problem, [p], [x])(point).params
    torch.testing.assert_close(found.detach(), point.detach() / 5, rtol=1e-4, atol=1e-4)
    (gradient,) = torch.autograd.grad(found[0], point)
    expected = torch.tensor([0.128, -0.096], dtype=DTYPE)
    torch.testing.assert_close(gradient, expected, rtol=1e-3, atol=1e-3)


def test_problems_of_cvxpy_that_have_no_derivative_are_refused() -> None:
    cvxpy = pytest.importorskip("cvxpy", reason="cvxpy is optional")
    x, p, q = cvxpy.Variable(2, name="x"), cvxpy.Parameter(2), cvxpy.Parameter(nonneg=True)
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(x - p)), [x >= q])
    with pytest.raises(ValueError, match="pass exactly these"):
        from_cvxpy(problem, [p], [x])
    product = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(x - p * q)))
    with pytest.raises(ValueError, match="product of parameters"):
        from_cvxpy(product, [p, q], [x])
    z = cvxpy.Variable(2, nonneg=True)
    signed = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(z - p)))
    with pytest.raises(ValueError, match="has an attribute"):
        from_cvxpy(signed, [p], [z])
    k = cvxpy.Variable(2, integer=True)
    whole = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(k - p)))
    with pytest.raises(ValueError, match="integer variables"):
        from_cvxpy(whole, [p], [k])


@pytest.mark.parametrize("package", ["scipy", "proxsuite", "cvxpy"])
def test_a_missing_package_is_named_with_its_extra(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (package, f"{package}.optimize"):
        monkeypatch.setitem(sys.modules, name, None)
    uses = {
        "scipy": lambda: projected(torch.ones(2, dtype=DTYPE), solver=SciPy()),
        "proxsuite": lambda: torchopt.quadratic_program(**programs(), solver=ProxSuite()),
        "cvxpy": lambda: from_cvxpy(None, [], []),
    }
    with pytest.raises(ImportError, match=rf'pip install "torchopt-diff\[{package}\]"'):
        uses[package]()
