"""Hypergradients as hypertorch computes them, which no package index has: its algorithms, by hand.

The inner problem is a fixed point ``w = T(w)`` of gradient descent. ``(I - dT/dw)ᵀ v = g`` with the
outer gradient ``g`` is solved by conjugate gradients, by iterating the map's pullback, or by its
Neumann series. By default one graph of ``T`` is held for all products; in its stochastic mode, each
product builds its own.

References:
    Grazzi et al., *On the Iteration Complexity of Hypergradient Computation*, ICML 2020.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch import Tensor

from benchmarks._implicit import Params, Problem, Step, gradient, problem

Product: TypeAlias = Callable[[Params], Params]
Solve: TypeAlias = Callable[[Product, Params, Problem], Params]


def cg(case: dict[str, Any]) -> Step:
    """Conjugate gradients on one graph."""
    return _hypergradient(problem(case), _conjugate_gradients)


def cg_anew(case: dict[str, Any]) -> Step:
    """Conjugate gradients, a graph for each product."""
    return _hypergradient(problem(case), _conjugate_gradients, anew=True)


def fixed_point(case: dict[str, Any]) -> Step:
    """``v <- (dT/dw)ᵀ v + g`` on one graph."""
    return _hypergradient(problem(case), _iterated)


def neumann(case: dict[str, Any]) -> Step:
    """The sum of ``(dT/dw)ᵀ`` to the powers, applied to the outer gradient, on one graph."""
    return _hypergradient(problem(case), _summed)


def _hypergradient(given: Problem, solve: Solve, *, anew: bool = False) -> Step:
    hyper = given.hyper

    def mapped(params: Params) -> Params:
        found = gradient(given, params, hyper, graph=True)
        return tuple(p - given.step * g for p, g in zip(params, found, strict=True))

    def run() -> tuple[Tensor, ...]:
        params = tuple(p.detach().requires_grad_() for p in given.solution)
        outer = torch.autograd.grad(given.outer(params), params)
        held = None if anew else mapped(params)

        def product(v: Params) -> Params:
            return torch.autograd.grad(
                mapped(params) if held is None else held, params, v, retain_graph=held is not None
            )

        v = solve(product, outer, given)
        return torch.autograd.grad(mapped(params) if held is None else held, hyper, v)

    return run


def _conjugate_gradients(product: Product, b: Params, given: Problem) -> Params:
    tolerance = given.rtol * float(_norm(b))
    x = tuple(torch.zeros_like(t) for t in b)
    r = p = b
    square = _dot(r, r)
    for _ in range(given.maxiter):
        image = tuple(a - j for a, j in zip(p, product(p), strict=True))
        alpha = square / _dot(p, image)
        x = tuple(a + alpha * d for a, d in zip(x, p, strict=True))
        r = tuple(a - alpha * d for a, d in zip(r, image, strict=True))
        if float(_norm(r)) <= tolerance:
            break
        before, square = square, _dot(r, r)
        p = tuple(a + square / before * d for a, d in zip(r, p, strict=True))
    return x


def _iterated(product: Product, b: Params, given: Problem) -> Params:
    tolerance = given.rtol * float(_norm(b))
    v = tuple(torch.zeros_like(t) for t in b)
    for _ in range(given.maxiter):
        before, v = v, tuple(j + g for j, g in zip(product(v), b, strict=True))
        if float(_norm(tuple(a - c for a, c in zip(v, before, strict=True)))) <= tolerance:
            break
    return v


def _summed(product: Product, b: Params, given: Problem) -> Params:
    tolerance = given.rtol * float(_norm(b))
    term = total = b
    for _ in range(given.maxiter):
        term = product(term)
        total = tuple(a + t for a, t in zip(total, term, strict=True))
        if float(_norm(term)) <= tolerance:
            break
    return total


def _dot(a: Params, b: Params) -> Tensor:
    return _vector(a) @ _vector(b)


def _norm(a: Params) -> Tensor:
    return _vector(a).norm()


def _vector(a: Params) -> Tensor:
    return torch.cat([t.reshape(-1) for t in a])
