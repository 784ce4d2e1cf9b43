"""What an argument ``solver`` may be besides a gradient transformation."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import torch

from torchopt.linear_solve import AbstractLinearSolver, WarmStart
from torchopt.optim import MetaOptimizer, Optimizer
from torchopt.solver._solver import Solver

__all__ = ["check_solver"]


def check_solver(solver: Any, **options: Any) -> None:
    """Raise for what is neither a solver nor a function of ``(params, *args)``.

    Args:
        solver: The argument, no gradient transformation.
        **options: Arguments that are for gradient transformations only.

    Raises:
        TypeError: If it is a class, a factory, a linear solver, a stateful optimizer, or not callable.
        ValueError: If one of the options is not None.
    """
    kind = solver if isinstance(solver, type) else type(solver)
    what = f"{'the class' if kind is solver else 'an object of type'} {kind.__name__}"
    if issubclass(kind, (AbstractLinearSolver, WarmStart)):
        raise TypeError(
            f"`solver` is the linear solver {kind.__name__}, which is for derivatives: pass it to the "
            f"mode, `diff=torchopt.diff.Implicit(linear_solve=...)`."
        )
    if issubclass(kind, (Optimizer, MetaOptimizer, torch.optim.Optimizer)):
        raise TypeError(
            f"`solver` is {what}, which changes parameters of its own in place: pass a gradient "
            f"transformation, such as `torchopt.sgd(0.1)`."
        )
    if kind is solver:
        advice = "pass a solver, such as `torchopt.sgd(0.1)` or `torchopt.solver.Newton()`"
        if issubclass(kind, Solver):
            advice = f"make a solver of it, such as `{kind.__name__}()`"
        raise TypeError(f"`solver` is {what}: {advice}.")
    function = solver
    while isinstance(function, functools.partial):
        function = function.func
    module = function.__globals__["__name__"] if inspect.isfunction(function) else ""
    if module.startswith(("torchopt.alias", "torchopt.transform")):
        alias = module.startswith("torchopt.alias")
        example = f"torchopt.{function.__name__}(0.1)" if alias else "torchopt.sgd(0.1)"
        raise TypeError(
            f"`solver` is the function `{function.__name__}` itself: call it, and pass what it "
            f"returns, such as `{example}`."
        )
    if not (isinstance(solver, Solver) or callable(solver)):
        raise TypeError(
            f"`solver` is an object of type {type(solver).__name__}: pass a gradient transformation, "
            f"such as `torchopt.sgd(0.1)`, a solver of `torchopt.solver`, or a function of "
            f"`(params, *args)`."
        )
    for name, value in options.items():
        if value is not None:
            raise ValueError(
                f"`{name}` is for gradient transformations: a solver has `maxiter`, `rtol` and "
                f"`atol`, and a function stops by itself."
            )
