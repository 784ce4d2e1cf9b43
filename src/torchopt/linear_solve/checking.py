"""What an argument that is a linear solver must be."""

from __future__ import annotations

from typing import Any

from torchopt import checks

#: What can be called as ``solver(matvec, b)``, or None: no class, which makes one.
LINEAR_SOLVER = checks.Word(
    "pass a linear solver, such as `CG()`",
    holds=lambda solver: callable(solver) and not isinstance(solver, type),
    error=TypeError,
    none=True,
)


def check_linear_solver(solver: Any, name: str = "linear_solve") -> None:
    """Raise ``TypeError`` for what cannot be called as ``solver(matvec, b)``; None is allowed.

    Args:
        solver: The argument.
        name: Its name.

    Example:
        >>> import torchopt
        >>> check_linear_solver(torchopt.linear_solve.CG)
        Traceback (most recent call last):
        TypeError: `linear_solve` is the class CG: pass a linear solver, such as `CG()`, or None.
    """
    checks.check(name, solver, LINEAR_SOLVER)
