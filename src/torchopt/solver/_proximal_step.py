"""What solvers of composite problems share: the search for a step, and checks of its length."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.loops import iterate
from torchopt.prox.term import check_parameter

#: How many times their noise a step must change the values, for them to say how long it may be.
NOISY = 2000


class Trial(NamedTuple):
    """A step that is tried.

    Attributes:
        length: Its length.
        point: Where it leads.
        value: The objective there.
        refused: Whether it is too long.
        gradient: That of the objective there, for a search that asks for it.
    """

    length: torch.Tensor
    point: torch.Tensor
    value: torch.Tensor
    refused: torch.Tensor
    gradient: Any = None


def attempts(
    move: Callable[[torch.Tensor], torch.Tensor],
    evaluate: Callable[[torch.Tensor], torch.Tensor],
    allowed: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
) -> Callable[[torch.Tensor], Trial]:
    """Return a function of the length of a step, which tries it.

    Args:
        move: ``move(length)`` returns where a step leads.
        evaluate: Returns the value at a point.
        allowed: ``allowed(length, point)`` returns the largest value to accept.
    """

    def attempt(length: torch.Tensor) -> Trial:
        point = move(length)
        value = evaluate(point)
        low = value.isfinite() & (value <= allowed(length, point))
        return Trial(length, point, value, ~low)

    return attempt


def search(
    attempt: Callable[[torch.Tensor], Trial], first: Trial, start: torch.Tensor, maxiter: int
) -> Trial:
    """Halve the length of a step until the value where it leads is small enough.

    Args:
        attempt: Tries a length.
        first: The first trial.
        start: The value where the step starts; if it is not finite, nothing is searched for.
        maxiter: The most halvings.

    Returns:
        The last trial, which may be refused.
    """
    trial, _ = iterate(
        lambda trial: attempt(trial.length / 2),
        first,
        lambda trial: trial.refused & start.isfinite(),
        maxiter=maxiter,
    )
    return trial


def rounding(value: torch.Tensor) -> torch.Tensor:
    """Return how much of a value may be rounding errors, as a constant."""
    return 10 * torch.finfo(value.dtype).eps * value.detach().abs()


def _is_step_size(step_size: Any) -> bool:
    if callable(step_size) and not isinstance(step_size, type):
        return True
    check_parameter("step_size", step_size, above=0)
    return not (isinstance(step_size, float) and math.isnan(step_size))


#: A positive number or tensor, a function of the number of steps, or None.
STEP_SIZE = checks.or_none(checks.Word("use a positive number", holds=_is_step_size))
