"""What an argument ``solver`` may be besides a gradient transformation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.compiler import is_dynamo_compiling

from torchopt import checks
from torchopt.diff.flat_problem import External
from torchopt.linear_solve import LinearSolver, WarmStart
from torchopt.solver._solver import Solver
from torchopt.transform.checking import refuse_optimizer

_SOLVER = checks.Word(
    "pass a gradient transformation, such as `torchopt.sgd(0.1)`, a solver of `torchopt.solver`, or a "
    "function of `(params, *args)`",
    (Solver, External, Callable),
    lambda solver: not isinstance(solver, type),
    TypeError,
)


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
    if issubclass(kind, (LinearSolver, WarmStart)):
        raise TypeError(
            f"`solver` is the linear solver {kind.__name__}, which is for derivatives: pass it to the "
            f"mode, `diff=torchopt.diff.Implicit(linear_solve=...)`."
        )
    if not is_dynamo_compiling():
        refuse_optimizer(solver, "solver")
    if not callable(solver) and callable(getattr(solver, "solver", None)):
        raise TypeError(
            f"`solver` is an object of type {kind.__name__}, which makes one for `minimize`: pass "
            f"`solver=search.solver(steps=...)`."
        )
    checks.check("solver", solver, _SOLVER)
    for name, value in options.items():
        if value is not None:
            advice = "a function stops by itself: leave it out, or make a `GradientTransformation`"
            if name == "batches":
                advice = "pass all data in `args`"
            elif isinstance(solver, Solver):
                own = "maxiter" if name == "steps" else name
                advice = f"pass `solver={kind.__module__}.{kind.__name__}({own}={value!r})`"
            raise ValueError(
                f"`{name}` is for gradient transformations, such as `solver=torchopt.adam(0.1)`; "
                f"{advice}."
            )
