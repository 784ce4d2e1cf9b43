"""Hypergradients by what the published TorchOpt and ours share: one program runs on either."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

import torchopt
from benchmarks._implicit import Params, Step, problem


def root(case: dict[str, Any]) -> Step:
    """`custom_root` with conjugate gradients."""
    given = problem(case)
    solve = torchopt.linear_solve.solve_cg(rtol=given.rtol, maxiter=given.maxiter)
    stationary = torch.func.grad(given.inner)

    @torchopt.diff.implicit.custom_root(stationary, argnums=1, solve=solve)
    def solver(params: Params, hyper: Tensor) -> Params:
        return given.solution

    def run() -> tuple[Tensor, ...]:
        return torch.autograd.grad(given.outer(solver(given.start, given.hyper)), given.hyper)

    return run


def module(case: dict[str, Any]) -> Step:
    """`ImplicitMetaGradientModule` with an `objective`."""
    given = problem(case)
    solve = torchopt.linear_solve.solve_cg(rtol=given.rtol, maxiter=given.maxiter)
    names = [f"p{i}" for i in range(len(given.solution))]

    class Inner(torchopt.nn.ImplicitMetaGradientModule, linear_solve=solve):
        def __init__(self, hyper: Tensor) -> None:
            super().__init__()
            self.hyper = hyper
            for name, p in zip(names, given.start, strict=True):
                setattr(self, name, nn.Parameter(p.clone()))

        def tensors(self) -> Params:
            return tuple(getattr(self, name) for name in names)

        def objective(self) -> Tensor:
            return given.inner(self.tensors(), self.hyper)

        def solve(self) -> None:
            with torch.no_grad():
                for p, x in zip(self.parameters(), given.solution, strict=True):
                    p.copy_(x)

    def run() -> tuple[Tensor, ...]:
        inner = Inner(given.hyper)
        inner.solve()
        return torch.autograd.grad(given.outer(inner.tensors()), given.hyper)

    return run
