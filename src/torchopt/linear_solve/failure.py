"""What is done about a solve that did not converge, linear or not: a warning, an error, or nothing."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias

import torch

from torchopt import checks
from torchopt.autodiff.loops import any_true
from torchopt.autodiff.transforms import value_of
from torchopt.errors import NotConvergedError, NotConvergedWarning, TorchOptError, TorchOptWarning
from torchopt.linear_solve.stats import Stats

OnFailure: TypeAlias = Literal["warn", "raise", "ignore"]
"""What is done about a solve that did not converge."""

ON_FAILURE = checks.one_of(OnFailure)

Outcome: TypeAlias = tuple[type[TorchOptError], type[TorchOptWarning]]
"""The classes to raise and to warn with."""

_NOT_CONVERGED: Outcome = (NotConvergedError, NotConvergedWarning)


def report(
    who: str,
    stats: Stats,
    advice: str,
    *,
    on_failure: OnFailure,
    failed: torch.Tensor | None = None,
    tolerance: torch.Tensor | None = None,
    outcome: Outcome = _NOT_CONVERGED,
    why: str | None = None,
) -> None:
    """Raise or warn where problems did not converge.

    Args:
        who: The name of the solver.
        stats: How the solve went; under ``vmap``, for each problem.
        advice: What to do.
        on_failure: Whether to warn, to raise, or neither.
        failed: For which problems; None: those that did not converge.
        tolerance: What the error should be at most; None where this is no number.
        outcome: The classes to raise and to warn with.
        why: Why it did not; None: its residual is too large.
    """
    assert stats.converged is not None
    assert stats.error is not None
    assert stats.iterations is not None
    failed = ~stats.converged if failed is None else failed
    if on_failure == "ignore" or not any_true(failed):
        return
    numbers: dict[str, float] = {
        "error": float(value_of(torch.where(failed, stats.error, 0)).max()),
        "iterations": int(value_of(stats.iterations).max()),
    }
    if tolerance is not None:
        numbers["tolerance"] = float(value_of(torch.where(failed, tolerance, 0)).max())
    large = (
        "the norm of the residual, the attribute `error` of this warning, is above the tolerance"
    )
    if not math.isfinite(numbers["error"]):
        why = "the norm of the residual is not finite"
        advice = (
            "look for the values at which the function gives NaN or infinity, or start elsewhere"
        )
    elif on_failure == "raise" and why is None:
        wanted = "" if tolerance is None else ", but the tolerance is {tolerance:.3g}"
        why = "the norm of the residual is {error:.3g} after {iterations} iterations" + wanted
        why = why.format(**numbers)
    fail(
        f"{who} did not converge",
        f"{why or large}; {advice}",
        failed,
        on_failure=on_failure,
        outcome=outcome,
        **numbers,
    )


def fail(
    what: str,
    why: str,
    failed: torch.Tensor,
    *,
    on_failure: OnFailure,
    outcome: Outcome,
    **numbers: Any,
) -> None:
    """Raise or warn.

    Args:
        what: What is wrong.
        why: Why, and what to do.
        failed: For which problems, at least one.
        on_failure: Whether to warn, to raise, or neither.
        outcome: The classes to raise and to warn with.
        **numbers: Their attributes, besides ``failed``, the number of problems.
    """
    failed = value_of(failed)
    count, of = int(failed.sum()), failed.numel()
    if on_failure == "raise":
        which = f" for {count} of {of} problems" if of > 1 else ""
        error = outcome[0](f"{what}{which}: {why}.")
        vars(error).update(numbers, failed=count)
        raise error
    if on_failure == "warn":
        which = " for some problems" if of > 1 else ""
        checks.warn(f"{what}{which}: {why}.", outcome[1], failed=count, **numbers)
