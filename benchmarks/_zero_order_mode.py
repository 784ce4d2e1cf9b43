"""Estimates by our mode, with the estimator and the evaluation that the case names."""

from __future__ import annotations

from typing import Any

import torch

import torchopt
from benchmarks._zero_order import Problem, Step, exact, problem
from torchopt.diff import zero_order

#: How good each of the surrogate gradients of guided search is.
SURROGATES, COSINE = 4, 0.5


def looped(case: dict[str, Any]) -> Step:
    """One point after the other."""
    return _estimate(case, zero_order.Loop())


def batched(case: dict[str, Any]) -> Step:
    """All points at once."""
    return _estimate(case, zero_order.Vmap())


def _estimate(case: dict[str, Any], evaluation: zero_order.Evaluation) -> Step:
    given = problem(case)
    estimator = _estimator(case.get("estimator", "Antithetic"), given, case)
    # The same directions in each evaluation of a case, where it has a seed.
    mode = torchopt.diff.ZeroOrder(estimator, evaluation, generator=case.get("seed"))
    loss = mode(given.loss)
    leaves = given.leaves()
    return lambda: torch.autograd.grad(loss(leaves), leaves)


def _estimator(name: str, given: Problem, case: dict[str, Any]) -> zero_order.Estimator:
    pairs: dict[str, Any] = {"num_samples": given.evaluations // 2, "sigma": given.sigma}
    each = {**pairs, "num_samples": given.evaluations}
    if name == "Naive, baseline":
        return zero_order.Naive(**each, baseline="leave_one_out")
    if name in ("Naive", "ForwardDifference"):
        return getattr(zero_order, name)(**each)
    if name == "ForwardGradient":  # a jvp costs about two evaluations
        return zero_order.ForwardGradient(num_samples=given.evaluations // 2)
    if name == "Guided":
        return zero_order.Guided(subspace=_surrogates(case), **pairs)
    return getattr(zero_order, name)(**pairs)


def _surrogates(case: dict[str, Any]) -> torch.Tensor:
    """Return rough gradients: the gradient, and noise so that the cosine is what it is."""
    g = torch.cat([t.reshape(-1).double().cpu() for t in exact(case)()])
    generator = torch.Generator().manual_seed(case.get("seed", 0) + 1)
    noise = torch.randn((SURROGATES, len(g)), generator=generator, dtype=torch.float64)
    noise -= (noise @ g)[:, None] * g / g.dot(g)
    noise *= g.norm() / noise.norm(dim=1, keepdim=True)
    return COSINE * g + (1 - COSINE**2) ** 0.5 * noise
