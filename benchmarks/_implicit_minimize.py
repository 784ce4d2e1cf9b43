"""Hypergradients by `torchopt.minimize`: implicit in several ways, and unrolled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

import torchopt
from benchmarks._implicit import Params, Problem, Step, gradient, problem
from torchopt import linear_solve
from torchopt.diff import DifferentiationMode, Explicit, Implicit


def cg(case: dict[str, Any]) -> Step:
    """Conjugate gradients on one held graph; ``hvp`` in the case says how products are computed."""
    given = problem(case)
    return _given_the_solution(given, Implicit(_cg(given, case), hvp=case.get("hvp", "reverse")))


def cg_compiled(case: dict[str, Any]) -> Step:
    """The same from compiled code, which is compiled before it is returned."""
    given = problem(case)
    mode = Implicit(_cg(given, case), hvp=case.get("hvp", "reverse"))

    def solver(params: Params, hyper: Tensor) -> Params:
        return given.solution

    def outer(hyper: Tensor) -> Tensor:
        solution = torchopt.minimize(given.inner, given.start, (hyper,), solver=solver, diff=mode)
        return given.outer(solution.params)

    gradient = torchopt.meta_grad_and_value(outer, compile=True)
    hyper = given.hyper.detach()

    def run() -> tuple[Tensor, ...]:
        return (gradient(hyper)[0],)

    torch._dynamo.config.recompile_limit = 64  # a process compiles all problems
    run()
    return run


def cg_anew(case: dict[str, Any]) -> Step:
    """The same, but that each product builds a graph of its own."""
    given = problem(case)
    solve = _cg(given, case)

    def linear_solve(_: Any, b: Params) -> Any:
        return solve(lambda v: product(v), b)

    def product(v: Params) -> Params:
        with torch.enable_grad():
            params = tuple(p.detach().requires_grad_() for p in given.solution)
            found = gradient(given, params, given.hyper, graph=True)
        return torch.autograd.grad(found, params, v)

    return _given_the_solution(given, Implicit(linear_solve))


def neumann(case: dict[str, Any]) -> Step:
    """The Neumann series."""
    given = problem(case)
    solve = linear_solve.Neumann(rtol=given.rtol, step_size=given.step, maxiter=given.maxiter)
    return _given_the_solution(given, Implicit(solve))


def fixed_point(case: dict[str, Any]) -> Step:
    """The fixed-point iteration."""
    given = problem(case)
    solve = linear_solve.Richardson(rtol=given.rtol, step_size=given.step, maxiter=given.maxiter)
    return _given_the_solution(given, Implicit(solve))


def descent_implicit(case: dict[str, Any]) -> Step:
    """Gradient descent, differentiated by its optimality conditions."""
    given = problem(case)
    return _descent(given, case["steps"], Implicit(_cg(given, case)))


def descent_graph(case: dict[str, Any]) -> Step:
    """Gradient descent, unrolled."""
    return _descent(problem(case), case["steps"], Explicit(memory="graph"))


def descent_step(case: dict[str, Any]) -> Step:
    """Gradient descent, unrolled with rematerialized steps."""
    return _descent(problem(case), case["steps"], Explicit(memory="step"))


def _cg(given: Problem, case: dict[str, Any]) -> Callable[..., Any]:
    # A number of iterations that is given is what was meant.
    on_failure: Any = "ignore" if "iterations" in case else "warn"
    return linear_solve.CG(rtol=given.rtol, maxiter=given.maxiter, on_failure=on_failure)


def _given_the_solution(given: Problem, mode: DifferentiationMode) -> Step:
    def solver(params: Params, hyper: Tensor) -> Params:
        return given.solution

    def run() -> tuple[Tensor, ...]:
        solution = torchopt.minimize(
            given.inner, given.start, (given.hyper,), solver=solver, diff=mode
        )
        return torch.autograd.grad(given.outer(solution.params), given.hyper)

    return run


def _descent(given: Problem, steps: int, mode: DifferentiationMode) -> Step:
    solver = torchopt.sgd(given.step)

    def run() -> tuple[Tensor, ...]:
        solution = torchopt.minimize(
            given.inner, given.start, (given.hyper,), solver=solver, steps=steps, diff=mode
        )
        return torch.autograd.grad(given.outer(solution.params), given.hyper)

    return run
