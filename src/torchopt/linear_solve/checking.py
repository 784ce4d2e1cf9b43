"""What an argument that is a linear solver must be."""

from __future__ import annotations

import inspect
from typing import Any

from torchopt.linear_solve._base import AbstractLinearSolver

__all__ = ["check_linear_solver"]


def check_linear_solver(solver: Any, name: str = "linear_solve") -> None:
    """Raise ``TypeError`` for what cannot be called as ``solver(matvec, b)``; None is allowed.

    Args:
        solver: The argument.
        name: Its name.

    Example:
        >>> import torchopt
        >>> check_linear_solver(torchopt.linear_solve.solve_cg)
        Traceback (most recent call last):
        TypeError: `linear_solve` is the class CG: make a solver of it, such as `CG()`.
    """
    if isinstance(solver, type) and issubclass(solver, AbstractLinearSolver):
        kind = solver.__name__
        raise TypeError(f"`{name}` is the class {kind}: make a solver of it, such as `{kind}()`.")
    if inspect.isfunction(solver) and solver.__module__.startswith("torchopt.linear_solve"):
        function = solver.__name__
        raise TypeError(
            f"`{name}` is the function `{function}` itself: call it, and pass what it returns, such "
            f"as `{function}()`."
        )
    if solver is not None and (isinstance(solver, type) or not callable(solver)):
        kind = "class" if isinstance(solver, type) else type(solver).__name__
        raise TypeError(
            f"`{name}` is an object of type {kind}: pass a linear solver, such as "
            f"`torchopt.linear_solve.solve_cg()`."
        )
