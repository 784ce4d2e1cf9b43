"""Estimates by evotorch: its functional gradient of a symmetric Gaussian's mean (as in PGPE)."""

from __future__ import annotations

from typing import Any

import torch
from evotorch.distributions import (  # type: ignore[import-not-found]
    SymmetricSeparableGaussian,
    make_functional_grad_estimator,
)
from torch import Tensor

from benchmarks._zero_order import Step, problem


def batched(case: dict[str, Any]) -> Step:
    """All points at once, by `torch.func.vmap`."""
    given = problem(case)
    sizes = [p.numel() for p in given.start]

    def unflat(vector: Tensor) -> tuple[Tensor, ...]:
        parts = vector.split(sizes)
        return tuple(v.reshape(p.shape) for v, p in zip(parts, given.start, strict=True))

    values = torch.func.vmap(lambda vector: given.loss(unflat(vector)))
    gradient = make_functional_grad_estimator(
        SymmetricSeparableGaussian,
        function=values,
        objective_sense="max",
        required_parameters=["mu", "sigma"],
        fixed_parameters={"divide_mu_grad_by": "num_directions"},
        ranking_method="raw",
    )
    mean = torch.cat([p.reshape(-1) for p in given.start])
    sigma = torch.full_like(mean, given.sigma)
    # Its noise is already scaled by sigma, and so is its gradient, twice.
    return lambda: unflat(gradient(given.evaluations, mu=mean, sigma=sigma)["mu"] / given.sigma**2)
