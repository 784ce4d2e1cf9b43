"""The same hypergradient by several ways: linear solvers of the implicit mode, and unrolling."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import torch

import torchopt
from torchopt import linear_solve
from torchopt.diff import DifferentiationMode
from torchopt.examples.hpo.problems import InnerProblem, Params

__all__ = ["Way", "compare"]


class Way(NamedTuple):
    """A way to the hypergradient.

    Attributes:
        name: What was done.
        cosine: Of the angle to the hypergradient by a dense solve.
        difference: The norm of the difference to it, relative to its norm.
        seconds: What it took.
    """

    name: str
    cosine: float
    difference: float
    seconds: float


def compare(
    problem: InnerProblem, log_penalties: torch.Tensor, params: Params, *, terms: int
) -> list[Way]:
    """Compare ways to the gradient of the validation loss with respect to the penalties.

    Args:
        problem: The inner problem.
        log_penalties: Where.
        params: The inner solution there; unrolling starts from it too, as gradient descent from
            elsewhere could find another minimum of a network.
        terms: Of the Neumann series, and steps of unrolling.
    """
    step = 1 / _largest_eigenvalue(problem, log_penalties, params)
    size = sum(p.numel() for p in params.values())
    # Half the rank is as good as the spectrum is steep; then rho stands for the rest of it.
    half = linear_solve.solve_nystrom(rank=size // 2, rho=float(log_penalties.exp().mean()))
    implicit = {
        "dense": linear_solve.solve_dense(),
        "conjugate gradients": linear_solve.solve_cg(rtol=1e-6),
        f"Neumann, {terms} terms": linear_solve.solve_neumann(alpha=step, maxiter=terms),
        f"Nyström, rank {size}": linear_solve.solve_nystrom(rank=size, rho=1e-6),
        f"Nyström, rank {size // 2}": half,
    }
    found, seconds = {}, {}
    for name, solve in implicit.items():
        mode = torchopt.diff.Implicit(linear_solve=solve)

        def known(at: torch.Tensor, mode: DifferentiationMode = mode) -> torchopt.diff.Solution:
            return torchopt.minimize(
                problem.objective, params, (at,), solver=lambda params, _: params, diff=mode
            )

        found[name], seconds[name] = _hypergradient(problem, log_penalties, known)

    def unrolled(at: torch.Tensor) -> torchopt.diff.Solution:
        descent = torchopt.sgd(step)
        return torchopt.minimize(problem.objective, params, (at,), solver=descent, steps=terms)

    name = f"unrolled, {terms} steps"
    found[name], seconds[name] = _hypergradient(problem, log_penalties, unrolled)
    exact = found["dense"]
    return [
        Way(
            name,
            torch.cosine_similarity(g, exact, dim=0).item(),
            ((g - exact).norm() / exact.norm()).item(),
            seconds[name],
        )
        for name, g in found.items()
    ]


def _hypergradient(
    problem: InnerProblem,
    log_penalties: torch.Tensor,
    solve: Callable[[torch.Tensor], torchopt.diff.Solution],
) -> tuple[torch.Tensor, float]:
    """Return the gradient of the validation loss, and the seconds that it took."""
    began = time.perf_counter()
    at = log_penalties.detach().clone().requires_grad_()
    (gradient,) = torch.autograd.grad(problem.loss(solve(at).params, problem.validation), at)
    return gradient, time.perf_counter() - began


def _largest_eigenvalue(
    problem: InnerProblem, log_penalties: torch.Tensor, params: Params, *, iterations: int = 50
) -> float:
    """Return the largest eigenvalue of the objective's Hessian, by power iteration."""
    hessian = torchopt.linalg.hessian_operator(
        lambda p: problem.objective(p, log_penalties.detach()), params
    )
    generator = torch.Generator().manual_seed(0)
    v = {
        name: torch.randn(p.shape, generator=generator, dtype=p.dtype) for name, p in params.items()
    }
    norm = 1.0
    with torch.no_grad():
        for _ in range(iterations):
            norm = _length(v)
            v = hessian({name: w / norm for name, w in v.items()})
        norm = _length(v)
    return 1.1 * norm  # power iteration comes from below


def _length(v: Params) -> float:
    return torch.cat([w.flatten() for w in v.values()]).norm().item()
