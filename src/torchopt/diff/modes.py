"""Check that an argument is a differentiation mode."""

from __future__ import annotations

from typing import Any

from torchopt.diff.zero_order import Estimator
from torchopt.linear_solve import AbstractLinearSolver, WarmStart

__all__ = ["check_mode"]


def check_mode(diff: Any, name: str = "`diff`") -> None:
    """Raise ``TypeError`` unless an argument is a differentiation mode; say what to pass instead.

    Args:
        diff: The argument.
        name: Its name in the error.
    """
    kind = diff if isinstance(diff, type) else type(diff)
    if issubclass(kind, (AbstractLinearSolver, WarmStart)):
        raise TypeError(
            f"{name} is the linear solver {kind.__name__}: pass it to the mode that uses it, "
            f"`diff=torchopt.diff.Implicit(linear_solve=...)`."
        )
    if issubclass(kind, Estimator):
        raise TypeError(
            f"{name} is the estimator {kind.__name__}: pass it to the mode that uses it, "
            f"`diff=torchopt.diff.ZeroOrder(...)`."
        )
    if kind is not diff and callable(getattr(diff, "solve", None)):
        return
    advice = (
        "pass a differentiation mode, such as `torchopt.diff.Implicit()` or "
        "`torchopt.diff.Explicit()`"
    )
    if kind is diff and callable(getattr(diff, "solve", None)):
        advice = f"make a mode of it, such as `diff={kind.__name__}()`"
    what = f"a {kind.__name__}"
    if kind is diff:
        what = f"the class {kind.__name__}"
    elif isinstance(diff, str):
        what = f"the string {diff!r}"
    raise TypeError(f"{name} is {what}: {advice}.")
