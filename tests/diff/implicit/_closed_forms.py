"""Inner problems whose solutions are known otherwise, and the linear solvers that apply to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

import torchopt
from torchopt import linear_solve, solver

Tensors = tuple[torch.Tensor, ...]

LINEAR_SOLVERS: dict[str, Callable[[], Any]] = {
    "cg": linear_solve.CG,
    "cg_nystrom": lambda: linear_solve.CG(preconditioner=linear_solve.Nystrom(rank=2, rho=0.1)),
    "normal_cg": lambda: linear_solve.NormalCG(rtol=1e-12, maxiter=200),
    "neumann": linear_solve.Neumann,
    "fixed_point": linear_solve.Richardson,
    "phantom": lambda: linear_solve.Phantom(steps=200),
    "neumann_scaled": lambda: linear_solve.Neumann(step_size=0.3),
    "fixed_point_scaled": lambda: linear_solve.Richardson(step_size=0.3),
    "phantom_scaled": lambda: linear_solve.Phantom(steps=400, step_size=0.3),
    "gmres": linear_solve.GMRES,
    "gmres_restarted": lambda: linear_solve.GMRES(restart=2, maxiter=500),
    "bicgstab": linear_solve.BiCGSTAB,
    "minres": linear_solve.MINRES,
    "dense_lu": linear_solve.Dense,
    "dense_cholesky": lambda: linear_solve.Dense(method="cholesky"),
    "dense_lstsq": lambda: linear_solve.Dense(method="lstsq", batched=False),
    "nystrom": lambda: linear_solve.Nystrom(rank=100, rho=1e-12),
    "warm_start": lambda: linear_solve.WarmStart(linear_solve.CG()),
}
GENERAL = ("gmres", "bicgstab", "normal_cg", "dense_lu", "dense_lstsq")
SYMMETRIC = (*GENERAL, "minres")
CONTRACTION = (*GENERAL, "gmres_restarted", "neumann", "fixed_point", "phantom")
POSITIVE = (
    *SYMMETRIC, "gmres_restarted", "cg", "cg_nystrom", "dense_cholesky", "neumann_scaled",
    "fixed_point_scaled", "phantom_scaled", "nystrom", "warm_start",
)  # fmt: skip
TOLERANCE = 1e-10
"""Of the linear solvers in float64, relative."""


@dataclass(frozen=True)
class ClosedForm:
    """A problem whose solution is one vector.

    Attributes:
        theta: What the solution is a function of.
        solve: ``solve(diff, *theta)``, by the package.
        truth: ``truth(*theta)``, by ``torch.linalg``; differentiable.
        linear_solvers: Names of those that apply.
    """

    theta: Tensors
    solve: Callable[..., torch.Tensor]
    truth: Callable[..., torch.Tensor]
    linear_solvers: tuple[str, ...]


def normal(seed: int, *shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, dtype=torch.float64, generator=generator)


def scalar(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64)


# Ridge regression: minimize 1/2n |X w - y|^2 + penalty/2 |w|^2.


def _ridge(diff: Any, penalty: torch.Tensor, X: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    def objective(w: torch.Tensor, penalty: Any, X: Any, y: Any) -> torch.Tensor:
        return (X @ w - y).square().mean() / 2 + penalty * w.square().sum() / 2

    start = torch.zeros(3, dtype=torch.float64)
    return torchopt.minimize(
        objective, start, (penalty, X, y), solver=solver.Newton(rtol=0.0, atol=1e-13), diff=diff
    ).params


def _ridge_truth(penalty: torch.Tensor, X: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    n, d = X.shape
    eye = torch.eye(d, dtype=X.dtype)
    return torch.linalg.solve(X.T @ X / n + penalty * eye, X.T @ y / n)


# Weighted least squares: minimize 1/2 sum_i a_i (x_i w - y_i)^2.


def _weighted(diff: Any, a: torch.Tensor, X: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    def residuals(w: torch.Tensor, a: Any, X: Any, y: Any) -> torch.Tensor:
        return a.sqrt() * (X @ w - y)

    start = torch.ones(2, dtype=torch.float64)
    problem_solver = solver.LevenbergMarquardt(rtol=0.0, atol=1e-13)
    return torchopt.least_squares(
        residuals, start, (a, X, y), solver=problem_solver, diff=diff
    ).params


def _weighted_truth(a: torch.Tensor, X: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.linalg.solve(X.T @ (a[:, None] * X), X.T @ (a * y))


# Logistic regression, by Newton's method from torch.linalg, done to the last bit.


def _logistic_loss(w: torch.Tensor, penalty: torch.Tensor, X: torch.Tensor) -> torch.Tensor:
    labels = torch.tensor([1.0, -1.0, 1.0, 1.0, -1.0], dtype=X.dtype)
    margins = labels * (X @ w)
    return torch.nn.functional.softplus(-margins).sum() + (penalty.exp() * w.square()).sum() / 2


def _logistic(diff: Any, penalty: torch.Tensor, X: torch.Tensor) -> torch.Tensor:
    start = torch.zeros(2, dtype=torch.float64)
    return torchopt.minimize(
        _logistic_loss, start, (penalty, X), solver=solver.LBFGS(rtol=0.0, atol=1e-13), diff=diff
    ).params


def _logistic_truth(penalty: torch.Tensor, X: torch.Tensor) -> torch.Tensor:
    labels = torch.tensor([1.0, -1.0, 1.0, 1.0, -1.0], dtype=X.dtype)
    w = torch.zeros(2, dtype=X.dtype)
    for _ in range(9):
        p = torch.sigmoid(-labels * (X @ w))
        gradient = -X.T @ (labels * p) + penalty.exp() * w
        hessian = X.T @ ((p * (1 - p))[:, None] * X) + torch.diag(penalty.exp())
        w = w - torch.linalg.solve(hessian, gradient)
    return w


# A quadratic program with equality constraints: minimize 1/2 x'Px + q'x subject to A x = b.


def _program(diff: Any, P: torch.Tensor, q: Any, A: torch.Tensor, b: Any) -> torch.Tensor:
    def kkt(z: dict[str, torch.Tensor], P: Any, q: Any, A: Any, b: Any) -> dict[str, torch.Tensor]:
        P = (P + P.T) / 2
        return {"dual": A @ z["x"] - b, "x": P @ z["x"] + q + A.T @ z["dual"]}

    start = {"x": torch.zeros_like(q), "dual": torch.zeros_like(b)}
    z = torchopt.root(
        kkt, start, (P, q, A, b), solver=solver.Newton(rtol=0.0, atol=1e-12), diff=diff
    ).params
    return torch.cat([z["x"], z["dual"]])


def _program_truth(P: torch.Tensor, q: Any, A: torch.Tensor, b: Any) -> torch.Tensor:
    m = b.numel()
    zero = torch.zeros(m, m, dtype=P.dtype)
    matrix = torch.cat([torch.cat([(P + P.T) / 2, A.T], dim=1), torch.cat([A, zero], dim=1)], dim=0)
    return torch.linalg.solve(matrix, torch.cat([-q, b]))


# The lasso, minimize 1/2 |X w - y|^2 + penalty |w|_1, as a fixed point of the proximal gradient.


def _lasso(diff: Any, penalty: torch.Tensor, X: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    def proximal_gradient(w: Any, penalty: Any, X: Any, y: Any) -> torch.Tensor:
        step = 0.1
        v = w - step * X.T @ (X @ w - y)
        return torch.sign(v) * torch.relu(v.abs() - step * penalty)

    start = torch.zeros(4, dtype=torch.float64)
    return torchopt.fixed_point(
        proximal_gradient,
        start,
        (penalty, X, y),
        solver=solver.FixedPointIteration(rtol=0.0, atol=1e-14, maxiter=2000),
        diff=diff,
    ).params


def _lasso_truth(penalty: torch.Tensor, X: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The closed form on the support of the known solution, and with its signs."""
    S, signs = X[:, [0, 2, 3]], torch.tensor([1.0, -1.0, 1.0], dtype=X.dtype)
    on = torch.linalg.solve(S.T @ S, S.T @ y - penalty * signs)
    return torch.stack([on[0], torch.zeros_like(on[0]), on[1], on[2]])


def _lasso_data() -> Tensors:
    # Nearly orthogonal columns, so that the iteration is short.
    X = 2.5 * torch.linalg.qr(normal(40, 6, 4))[0] + 0.3 * normal(42, 6, 4)
    weights = torch.tensor([1.5, 0.0, -1.0, 0.7], dtype=torch.float64)
    return scalar(0.8), X, X @ weights + 0.1 * normal(41, 6)


# iMAML's inner problem: 1/2 |X w - y|^2 + strength/2 |w - prior|^2.


_X, _Y = normal(50, 5, 3) / 3, normal(51, 5)


def _proximal(diff: Any, prior: torch.Tensor, strength: torch.Tensor) -> torch.Tensor:

    def objective(w: torch.Tensor, prior: Any, strength: Any) -> torch.Tensor:
        return (_X @ w - _Y).square().sum() / 2 + strength * (w - prior).square().sum() / 2

    # Started from the prior itself, as iMAML is.
    descent = torchopt.sgd(0.27)
    return torchopt.minimize(
        objective, prior, (prior, strength), solver=descent, maxiter=3000, atol=1e-13, diff=diff
    ).params


def _proximal_truth(prior: torch.Tensor, strength: torch.Tensor) -> torch.Tensor:
    matrix = _X.T @ _X + strength * torch.eye(3, dtype=_X.dtype)
    return torch.linalg.solve(matrix, _X.T @ _Y + strength * prior)


# A linear fixed point, x = M x + b, whose Jacobian is far from symmetric.


def _affine(diff: Any, M: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torchopt.fixed_point(
        lambda x, M, b: M @ x + b,
        torch.zeros_like(b),
        (M, b),
        solver=solver.Anderson(rtol=0.0, atol=1e-13),
        diff=diff,
    ).params


def _affine_truth(M: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.linalg.solve(torch.eye(len(b), dtype=b.dtype) - M, b)


def _rotating(seed: int, n: int) -> torch.Tensor:
    """A contraction that is not symmetric at all."""
    M = normal(seed, n, n)
    return 0.5 * (M - M.T) / torch.linalg.matrix_norm(M - M.T, 2) + 0.1 * M.triu(1)


# A deep equilibrium layer, z = tanh(W z + U u), against many iterations.


def _equilibrium(diff: Any, W: torch.Tensor, U: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    return torchopt.fixed_point(
        lambda z, W, U, u: torch.tanh(W @ z + U @ u),
        torch.zeros(4, dtype=torch.float64),
        (W, U, u),
        solver=solver.Broyden(rtol=0.0, atol=1e-13),
        diff=diff,
    ).params


def _equilibrium_truth(W: torch.Tensor, U: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    z = torch.zeros(4, dtype=torch.float64)
    for _ in range(60):
        z = torch.tanh(W @ z + U @ u)
    return z


def _contraction(seed: int, n: int) -> torch.Tensor:
    W = normal(seed, n, n)
    return 0.5 * W / torch.linalg.matrix_norm(W, 2)


PROBLEMS: dict[str, ClosedForm] = {
    "ridge": ClosedForm(
        (scalar(0.3), normal(0, 5, 3), normal(1, 5)), _ridge, _ridge_truth, POSITIVE
    ),
    "weighted_least_squares": ClosedForm(
        (normal(10, 5).exp(), normal(11, 5, 2) / 2, normal(12, 5)),
        _weighted,
        _weighted_truth,
        POSITIVE,
    ),
    "logistic_regression": ClosedForm(
        (normal(20, 2) / 2, normal(21, 5, 2)), _logistic, _logistic_truth, POSITIVE
    ),
    "quadratic_program": ClosedForm(
        (
            normal(30, 3, 3) / 3 + 2 * torch.eye(3, dtype=torch.float64),
            normal(31, 3),
            normal(32, 2, 3),
            normal(33, 2),
        ),
        _program,
        _program_truth,
        SYMMETRIC,
    ),
    "lasso": ClosedForm(_lasso_data(), _lasso, _lasso_truth, CONTRACTION),
    "proximal": ClosedForm((normal(52, 3), scalar(2.5)), _proximal, _proximal_truth, POSITIVE),
    "affine": ClosedForm((_rotating(60, 4), normal(61, 4)), _affine, _affine_truth, CONTRACTION),
    "equilibrium": ClosedForm(
        (_contraction(70, 4), normal(71, 4, 2), normal(72, 2)),
        _equilibrium,
        _equilibrium_truth,
        CONTRACTION,
    ),
}
