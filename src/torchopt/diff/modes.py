"""Say what to pass instead of an argument that is no differentiation mode."""

from __future__ import annotations

from typing import Any, NoReturn

import torch

from torchopt.diff.flat_problem import External, Iterative
from torchopt.diff.zero_order import Estimator
from torchopt.linear_solve import LinearSolver, WarmStart
from torchopt.transform.chaining import GradientTransformation


def refuse_mode(diff: Any, name: str = "`diff`") -> NoReturn:
    """Raise ``TypeError`` for an argument that is no mode; see :func:`torchopt.diff.problem.is_mode`.

    Args:
        diff: The argument.
        name: Its name in the error.
    """
    kind = diff if isinstance(diff, type) else type(diff)
    if issubclass(kind, (LinearSolver, WarmStart)):
        raise TypeError(
            f"{name} is the linear solver {kind.__name__}: pass it to the mode that uses it, "
            f"`diff=torchopt.diff.Implicit(linear_solve=...)`."
        )
    if issubclass(kind, Estimator):
        raise TypeError(
            f"{name} is the estimator {kind.__name__}: pass it to the mode that uses it, "
            f"`diff=torchopt.diff.ZeroOrder(...)`."
        )
    is_solver = callable(getattr(kind, "solve", None)) and not issubclass(kind, torch.nn.Module)
    if is_solver or issubclass(kind, (Iterative, External, GradientTransformation)):
        raise TypeError(f"{name} is the solver {kind.__name__}: pass it as `solver=`.")
    advice = (
        "pass a differentiation mode, such as `torchopt.diff.Implicit()` or "
        "`torchopt.diff.Explicit()`"
    )
    if kind is diff and callable(getattr(diff, "differentiate", None)):
        advice = f"make a mode of it, such as `diff={kind.__name__}()`"
    what = f"a {kind.__name__}"
    if kind is diff:
        what = f"the class {kind.__name__}"
    elif isinstance(diff, str):
        what = f"the string {diff!r}"
    raise TypeError(f"{name} is {what}: {advice}.")
