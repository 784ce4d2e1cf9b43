"""``Explicit("step")`` of a solver: its steps are computed again, one by one, to any order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import torchopt
from _alive import Alive
from torchopt import sets, solver
from torchopt.diff import Explicit

DOUBLE = torch.float64
X = torch.linspace(0, 1, 1200, dtype=DOUBLE).mul(7000).cos().view(400, 3) / 12
Y = torch.linspace(0, 2, 400, dtype=DOUBLE).sin() / 12

SOLVERS: dict[str, tuple[str, dict[str, Any]]] = {
    "Newton": ("minimize", {}),
    "BFGS": ("minimize", {}),
    "LBFGS": ("minimize", {}),
    "NonlinearCG": ("minimize", {}),
    "Dogleg": ("minimize", {}),
    "GaussNewton": ("least_squares", {}),
    "LevenbergMarquardt": ("least_squares", {}),
    "Broyden": ("root", {}),
    "Anderson": ("fixed_point", {}),
    "FixedPointIteration": ("fixed_point", {}),
    "ProximalGradient": ("minimize", {"subject_to": sets.Box(lower=-9.0, upper=9.0)}),
}


def solve(name: str, penalty: Tensor, diff: Any) -> Tensor:
    """Solve a ridge regression with a penalty for each unknown."""
    face, options = SOLVERS[name]
    weights = penalty.exp()

    def residual(w: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        return X @ w - Y, weights.sqrt() * w

    def gradient(w: Tensor, weights: Tensor) -> Tensor:
        return X.T @ (X @ w - Y) + weights * w

    functions: dict[str, Callable[..., Any]] = {
        "minimize": lambda w, weights: sum(r.square().sum() for r in residual(w, weights)) / 2,
        "least_squares": residual,
        "root": gradient,
        "fixed_point": lambda w, weights: w - gradient(w, weights) / 4,
    }
    method = getattr(solver, name)(rtol=0.0, atol=1e-10, maxiter=300)
    start = torch.zeros(3, dtype=DOUBLE)
    face_of: Callable[..., Any] = getattr(torchopt, face)
    w: Tensor = face_of(
        functions[face], start, (weights,), solver=method, diff=diff, **options
    ).params
    return w


def exact(penalty: Tensor) -> Tensor:
    return torch.linalg.solve(X.T @ X + torch.diag(penalty.exp()), X.T @ Y)


def derivatives(function: Callable[[Tensor], Tensor]) -> tuple[Tensor, Tensor, int]:
    """Return a gradient, a gradient of that, and how many residuals are kept for them."""
    penalty = torch.tensor([0.1, -0.2, 0.3], dtype=DOUBLE, requires_grad=True)
    with Alive(Y.nbytes) as alive:
        value = function(penalty).pow(3).sum()
        kept = alive.now // Y.nbytes
    (first,) = torch.autograd.grad(value, penalty, create_graph=True)
    (second,) = torch.autograd.grad(first.square().sum(), penalty)
    return first.detach(), second, kept


@pytest.mark.parametrize("name", SOLVERS)
def test_the_steps_of_a_solver_are_kept_one_by_one(name: str) -> None:
    *graph, many = derivatives(lambda p: solve(name, p, Explicit()))
    *steps, few = derivatives(lambda p: solve(name, p, Explicit("step")))
    *truth, _ = derivatives(exact)
    assert few <= 2
    assert many > 3 or SOLVERS[name][0] != "minimize"  # linear residuals are not kept
    for found, whole, wanted in zip(steps, graph, truth, strict=True):
        torch.testing.assert_close(found, whole, rtol=1e-9, atol=1e-12)
        torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("transform", [torch.func.grad, torch.func.hessian])
def test_inside_of_torch_func(transform: Any) -> None:
    penalty = torch.tensor([0.1, -0.2, 0.3], dtype=DOUBLE)

    def value(p: Tensor) -> Tensor:
        return solve("LBFGS", p, Explicit("step")).pow(3).sum()

    wanted = transform(lambda p: exact(p).pow(3).sum())(penalty)
    torch.testing.assert_close(transform(value)(penalty), wanted, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    "mode", [Explicit("tree"), Explicit("step", offload="cpu"), Explicit("tree", carries=3)]
)
def test_other_policies_are_refused(mode: Explicit) -> None:
    with pytest.raises(ValueError, match=r'memory="step" is also for a solver'):
        solve("LBFGS", torch.zeros(3, dtype=DOUBLE), mode)
