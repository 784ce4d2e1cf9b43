"""What an argument that is a linear solver must be."""

from __future__ import annotations

from typing import Any

from torchopt import checks


def _is_solver(solver: Any) -> bool:
    return callable(solver) and not isinstance(solver, type)  # a class makes one


#: What can be called as ``solver(matvec, b)``, or None.
LINEAR_SOLVER = checks.or_none(
    checks.Word(
        "pass a linear solver, such as `CG()`",
        holds=_is_solver,
        error=TypeError,
    )
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
