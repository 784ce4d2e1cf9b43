"""Estimates by what the published TorchOpt and ours share: one program runs on either."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

import torchopt
from benchmarks._zero_order import Params, Step, problem


def decorator(case: dict[str, Any]) -> Step:
    """`zero_order` with the case's method, of as many samples as the evaluations allow."""
    given = problem(case)
    method = case.get("method", "antithetic")
    normal = torch.distributions.Normal(0.0, 1.0)
    count = given.evaluations // (2 if method == "antithetic" else 1)

    @torchopt.diff.zero_order.zero_order(
        normal, method=method, argnums=0, num_samples=count, sigma=given.sigma
    )
    def loss(params: Params) -> Tensor:
        return given.loss(params)

    leaves = given.leaves()
    return lambda: torch.autograd.grad(loss(leaves), leaves)
