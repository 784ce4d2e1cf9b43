"""An implicit derivative that is noise is said to be, by numbers that closed forms confirm."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import torchopt
from torchopt.diff import Implicit
from torchopt.linear_solve import CG, MINRES
from torchopt.meta import Measure, SoundnessCheck

F64 = torch.float64


def randn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=F64)


X, Y = randn(9, 4), randn(9, seed=1)


def ridge(
    penalty: Tensor,
    where: Tensor | None = None,
    linear_solve: Any = None,
    *,
    closes_over: bool = False,
) -> Any:
    """Return the solution of a ridge regression, or a point that is none."""
    solver: Any = torchopt.solver.LBFGS() if where is None else lambda w, *args: where
    outside = 2 * penalty
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torchopt.minimize(
            lambda w, *args: (
                (X @ w - Y).square().sum() + (args[0] if args else outside / 2) * w.square().sum()
            ),
            torch.zeros(4, dtype=F64),
            () if closes_over else (penalty,),
            solver=solver,
            diff=Implicit(linear_solve),
        )


def outer(w: Tensor) -> Tensor:
    return w.square().sum()


def hypergradient(w: Tensor, penalty: float, u: Tensor | None = None) -> Tensor:
    """Return -uᵀ (2 w) with A u = 2 w."""
    A = 2 * (X.T @ X + penalty * torch.eye(4, dtype=F64))
    return -(torch.linalg.solve(A, 2 * w) if u is None else u) @ (2 * w)


@pytest.mark.parametrize("closes_over", [False, True])
def test_the_error_of_an_unsolved_ridge_regression_is_that_of_the_closed_form(
    closes_over: bool,
) -> None:
    penalty = torch.tensor(0.5, dtype=F64, requires_grad=True)
    best = torch.linalg.solve(X.T @ X + 0.5 * torch.eye(4, dtype=F64), X.T @ Y)
    exact = hypergradient(best, 0.5)
    for distance in (1e-3, 1e-2, 0.5):
        w = best + distance * randn(4, seed=2)
        check = torchopt.check_solution(ridge(penalty, w, closes_over=closes_over), outer)
        true = float((hypergradient(w, 0.5) - exact).abs() / exact.abs())
        assert check["error"] == pytest.approx(true, rel=1e-5)
        assert bool(check) == (true <= 0.2)


def test_a_linear_solve_that_stops_early_has_the_residual_and_the_error_of_one_step_of_cg() -> None:
    penalty = torch.tensor(0.5, dtype=F64, requires_grad=True)
    A = 2 * (X.T @ X + 0.5 * torch.eye(4, dtype=F64))
    w = torch.linalg.solve(A, 2 * X.T @ Y)
    v = 2 * w
    u = (v @ v) / (v @ A @ v) * v
    check = torchopt.check_solution(ridge(penalty, w, CG(maxiter=1, on_failure="ignore")), outer)
    residual = float((v - A @ u).norm() / v.norm())
    assert check["linear_residual"] == pytest.approx(residual, rel=1e-9)
    error = float((hypergradient(w, 0.5, u) / hypergradient(w, 0.5) - 1).abs())
    assert check["error"] == pytest.approx(error, rel=1e-9)
    assert [m.name for m in check.measures if m.is_noise] == ["linear_residual"]


@pytest.mark.filterwarnings("ignore::torchopt.errors.NotConvergedWarning")
@pytest.mark.parametrize("eigenvalues", [(1.0, 2.0, 30.0), (-0.01, 1.0, 2.0), (-3.0, -1.0, -0.5)])
def test_condition_and_curvature_are_those_of_the_hessian(eigenvalues: tuple[float, ...]) -> None:
    Q = torch.linalg.qr(randn(3, 3))[0]
    d = torch.tensor(eigenvalues, dtype=F64)
    b = randn(3, seed=1).requires_grad_()
    solution = torchopt.minimize(
        lambda x, b: x @ (Q * d) @ Q.T @ x / 2 - b @ x,
        torch.zeros(3, dtype=F64),
        (b,),
        solver=lambda x, b: (Q / d) @ Q.T @ b,
        diff=Implicit(MINRES()),
    )
    check = torchopt.check_solution(solution)
    assert check["condition"] == pytest.approx(float(d.abs().max() / d.abs().min()))
    assert check["curvature"] == pytest.approx(float(d.min() / d.abs().max()))
    assert bool(check) == (float(d.min()) > 0)
    assert check or "no minimum" in check.sentence


def test_the_condition_of_a_root_is_that_of_its_jacobian_which_is_not_symmetric() -> None:
    A, b = randn(5, 5), randn(5, seed=1).requires_grad_()
    solution = torchopt.root(lambda x: A @ x - b, torch.zeros(5, dtype=F64))  # `b` is closed over
    check = torchopt.check_solution(solution)
    assert check
    assert check["condition"] == pytest.approx(float(torch.linalg.cond(A)))
    assert "curvature" not in check
    assert check["error"] < 1e-8


def test_few_steps_find_the_negative_eigenvalue_of_many_unknowns() -> None:
    d = torch.linspace(1, 2, 500, dtype=F64)
    d[123] = -1.0
    b = torch.ones(500, dtype=F64, requires_grad=True)
    solution = torchopt.minimize(
        lambda x, b: (d * x.square()).sum() / 2 - (b * x).sum(),
        torch.zeros(500, dtype=F64),
        (b,),
        solver=lambda x, b: b / d,
        diff=Implicit(MINRES()),
    )
    assert torchopt.check_solution(solution)["curvature"] == pytest.approx(-0.5, rel=1e-2)


@pytest.mark.parametrize("dtype", [torch.float32, F64])
def test_the_error_of_a_curved_problem_is_right_in_its_first_digit(dtype: torch.dtype) -> None:
    phi = torch.tensor([0.3, -0.2], dtype=dtype, requires_grad=True)

    def objective(x: Tensor, phi: Tensor) -> Tensor:
        return (
            torch.logsumexp(x * torch.tensor([1.0, -2.0], dtype=dtype), 0)
            + (x - phi).square().sum()
        )

    def gradient(where: Tensor | None) -> Tensor:
        solver: Any = torchopt.solver.Newton() if where is None else lambda x, phi: where
        return torch.autograd.grad(solved(solver).params.square().sum(), phi)[0]

    def solved(solver: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = torch.ones(2, dtype=dtype)
            return torchopt.minimize(objective, start, (phi,), solver=solver, diff=Implicit())

    best = solved(torchopt.solver.Newton()).params.detach()
    for distance in (0.01, 0.1):
        near = best + distance * torch.tensor([1.0, 0.7], dtype=dtype)
        true = float((gradient(near) - gradient(None)).norm() / gradient(None).norm())
        check = torchopt.check_solution(solved(lambda x, phi, near=near: near), outer)
        assert check["error"] == pytest.approx(true, rel=0.2)
    assert torchopt.check_solution(solved(torchopt.solver.Newton()), outer)


def test_a_singular_hessian_is_noise() -> None:
    b = torch.ones(2, dtype=F64, requires_grad=True)
    solution = torchopt.minimize(
        lambda x, b: (x.sum() - b.sum()).square(),
        torch.zeros(2, dtype=F64),
        (b,),
        solver=lambda x, b: b,
        diff=Implicit(),
    )
    check = torchopt.check_solution(solution, lambda x: x.sum())
    assert not check
    assert "singular" in check.sentence


def test_the_report_is_a_table_numbers_and_a_sentence() -> None:
    check = torchopt.check_solution(ridge(torch.tensor(1.0, dtype=F64, requires_grad=True)), outer)
    assert isinstance(check, SoundnessCheck)
    assert all(isinstance(m, Measure) for m in check.measures)
    assert check.sentence == "No number says that the derivative is noise."
    assert str(check).splitlines()[0].split() == ["measure", "value", "sound", "verdict"]
    assert check["condition"] == pytest.approx(
        float(torch.linalg.cond(X.T @ X + torch.eye(4, dtype=F64))), rel=1e-6
    )
    with pytest.raises(KeyError, match="'growth' was not measured: norm"):
        check["growth"]
    with pytest.raises(ValueError, match="no adjoint to draw"):
        check.to_svg()


def freed() -> Any:
    solution = ridge(torch.tensor(1.0, dtype=F64, requires_grad=True))
    solution.params.sum().backward()
    return solution


@pytest.mark.parametrize(
    ("make", "outer", "message"),
    [
        (lambda: torch.zeros(2), None, "what `torchopt.minimize` returns"),
        (lambda: ridge(torch.tensor(1.0, dtype=F64)), None, "no optimality conditions to look at"),
        (freed, None, "before a backward pass frees the graph"),
        (None, lambda w: w, "must be a scalar"),
        (None, lambda w: w.detach().sum(), "does not require grad"),
    ],
    ids=["no solution", "no grad", "freed", "no scalar", "detached"],
)
def test_a_wrong_call_is_told(make: Callable[[], Any] | None, outer: Any, message: str) -> None:
    solution = freed_not() if make is None else make()
    with pytest.raises((TypeError, ValueError), match=message):
        torchopt.check_solution(solution, outer)


def freed_not() -> Any:
    return ridge(torch.tensor(1.0, dtype=F64, requires_grad=True))


def test_nothing_is_left_behind() -> None:
    solution = freed_not()
    before = torch.get_rng_state()
    torchopt.check_solution(solution, outer)
    assert torch.equal(before, torch.get_rng_state())
    solution.params.sum().backward()  # the graph is as it was
