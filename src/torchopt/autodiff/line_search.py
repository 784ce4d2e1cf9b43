"""Directions and line searches without branches on values, for solvers and transformations.

Under ``vmap`` each problem has its own step length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import torch

from torchopt.autodiff.loops import repeat_while


class LineSearch(NamedTuple):
    """What a line search returns.

    Attributes:
        step: The step length; zero where none was acceptable.
        value: The merit function there.
        vector: What else was evaluated there: a gradient or a residual.
    """

    step: torch.Tensor
    value: torch.Tensor
    vector: torch.Tensor


def backtrack(
    evaluate: Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]],
    allowed: Callable[[torch.Tensor], torch.Tensor],
    start: LineSearch,
    maxiter: int,
) -> LineSearch:
    """Halve the step length, from one on, until the value is small enough.

    Args:
        evaluate: ``evaluate(step) -> (value, vector)``.
        allowed: ``allowed(step)``, the largest value to accept there; such as
            ``f(0) + c1 * step * slope``, Nocedal and Wright, algorithm 3.1.
        start: What is known at step length zero, and returned where no length is accepted.
        maxiter: The most halvings.
    """

    def refused(trial: LineSearch) -> torch.Tensor:
        usable = trial.value.isfinite() & trial.vector.isfinite().all()
        return ~(usable & (trial.value <= allowed(trial.step)))

    def halve(trial: LineSearch) -> LineSearch:
        step = trial.step / 2
        return LineSearch(step, *evaluate(step))

    two = torch.full_like(start.value, 2.0)
    far = LineSearch(two, torch.full_like(two, torch.inf), start.vector)
    trial, _ = repeat_while(halve, far, refused, maxiter + 1, begun=True)
    failed = refused(trial)
    return _choose(failed, start, trial)


class _Point(NamedTuple):
    step: torch.Tensor
    value: torch.Tensor
    slope: torch.Tensor


_At = TypeVar("_At", LineSearch, _Point)


class _Search(NamedTuple):
    low: _Point
    vector: torch.Tensor
    high: _Point
    trial: torch.Tensor
    done: torch.Tensor


def zoom(
    evaluate: Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor, torch.Tensor]],
    start: LineSearch,
    slope: torch.Tensor,
    first: torch.Tensor,
    *,
    c1: float,
    c2: float,
    maxiter: int,
    most: torch.Tensor | None = None,
    repeat: Callable[..., _Search] | None = None,
) -> LineSearch:
    r"""Find a step length that satisfies the strong Wolfe conditions.

    .. math::
        \phi(t) \le \phi(0) + c_1 t \, \phi'(0), \qquad |\phi'(t)| \le c_2 \, |\phi'(0)|

    Bracketing and zooming are one loop: while no step was too long, the upper end is at infinity,
    and the next trial is further out instead of in between. The first condition gives way to
    rounding: near a minimum, a value that is the same up to rounding is low enough.

    Args:
        evaluate: ``evaluate(t) -> (value, slope, gradient)``.
        start: The value and the gradient at zero.
        slope: :math:`\phi'(0)`, negative.
        first: The first trial.
        c1: The constant of sufficient decrease.
        c2: The constant of curvature.
        maxiter: The most evaluations. After these, the lowest point with sufficient decrease is
            returned, if there is one; beside a point that is too far, by more than rounding errors.
        most: The longest step, if there is one: it need not be flat there, where the slope is negative.
        repeat: Repeats a step, ``repeat(step, carry, active, maxiter)``; by default
            :func:`torchopt.solver.iterate` does.

    References:
        Nocedal and Wright, *Numerical Optimization*, 2006, algorithms 3.5 and 3.6. Hager and Zhang,
        *A new conjugate gradient method with guaranteed descent*, 2005, equation (4.1).
    """
    value = start.value
    noise = 100 * torch.finfo(value.dtype).eps * value.detach().abs()

    def advance(search: _Search) -> _Search:
        low, vector, high, t, _ = search
        new_value, new_slope, new_vector = evaluate(t)
        new = _Point(t, new_value, new_slope)
        flat = new_slope.abs() <= c2 * slope.abs()
        enough = (new_value < value) & (new_value <= value + c1 * t * slope)
        level = new_value <= value + noise
        enough = enough | (level & (flat | (new_slope <= (2 * c1 - 1) * slope)))
        enough = enough & new_value.isfinite() & new_slope.isfinite()
        lower = enough & (new_value <= low.value + noise)
        crossed = lower & ((new_slope >= 0) == (high.step > low.step))
        high = _choose(lower, _choose(crossed, low, high), new)
        low = _choose(lower, new, low)
        vector = torch.where(lower, new_vector, vector)
        trial, ends = _next_trial(low, high, slope, noise), flat
        if most is not None:
            trial, ends = torch.minimum(trial, most), flat | ((t >= most) & (new_slope <= 0))
        return _Search(low, vector, high, trial, lower & ends)

    low = _Point(torch.zeros_like(value), value, slope)
    high = _Point(torch.full_like(value, torch.inf), value, slope)
    done = torch.zeros_like(value, dtype=torch.bool)
    search = _Search(low, start.vector, high, first, done)
    if repeat is not None:
        search = repeat(advance, search, lambda s: ~s.done, maxiter)
    else:
        search, _ = repeat_while(advance, search, lambda s: ~s.done, maxiter, begun=True)
    # Points of the same value up to rounding count on the way, but do not end it beside a point that is
    # too far: steps of rounding errors would follow one another without end.
    found = search.done | (search.low.value < value - noise * search.high.step.isfinite())
    end = LineSearch(search.low.step, search.low.value, search.vector)
    return _choose(found, end, start)


def _choose(condition: torch.Tensor, new: _At, old: _At) -> _At:
    return type(new)(*(torch.where(condition, n, o) for n, o in zip(new, old, strict=True)))


def _next_trial(
    low: _Point, high: _Point, slope: torch.Tensor, noise: torch.Tensor
) -> torch.Tensor:
    """Return the minimizer of a cubic between two points, their middle, or a point further out.

    Nocedal and Wright, equation 3.59, for the unit interval. Values that are the same up to rounding
    are those of a parabola, which the slopes determine.
    """
    bracketed = high.step.isfinite()
    width = torch.where(bracketed, high.step - low.step, 1.0)
    fits = bracketed & high.value.isfinite() & high.slope.isfinite()
    left = width * low.slope
    right = width * torch.where(fits, high.slope, 0.0)
    rise = torch.where(fits, high.value - low.value, 0.0)
    rise = torch.where(rise.abs() <= noise, (left + right) / 2, rise)
    # The place of the minimum does not depend on their unit, in which no square overflows.
    unit = torch.stack([left.abs(), right.abs(), rise.abs()]).amax(0).detach()
    fits = fits & unit.isfinite() & (unit > 0)
    unit = torch.where(fits, unit, 1.0)
    left, right, rise = left / unit, right / unit, torch.where(fits, rise, 0.0) / unit
    d1 = left + right - 3 * rise
    square = d1.square() - left * right
    fits = fits & (square > 0)
    d2 = torch.where(fits, square, 1.0).sqrt()
    curvature = right - left + 2 * d2
    fits = fits & (curvature != 0)
    inside = 1 - (right + d2 - d1) / torch.where(fits, curvature, 1.0)
    # Not too near to either end, so that the interval shrinks in any case.
    inside = torch.where(fits, inside.clamp(0.1, 0.9), torch.where(high.value.isfinite(), 0.5, 0.1))
    # Where the slope would be zero, if it went on changing as it did, or ten times as far.
    change = slope - low.slope
    bends = change < slope / 100
    factor = torch.where(bends, slope / torch.where(bends, change, -1.0), 10.0)
    return torch.where(bracketed, low.step + inside * width, factor.clamp(2, 10) * low.step)


def two_loop(
    gradient: torch.Tensor, s: torch.Tensor, y: torch.Tensor, scale: torch.Tensor | None = None
) -> torch.Tensor:
    """Return the product of L-BFGS's approximate inverse Hessian with a gradient.

    Args:
        gradient: A vector.
        s: The last changes of the point, one a row, the oldest first; an empty row changes nothing.
        y: The changes of the gradient that belong to them.
        scale: The multiple of the identity that the approximation starts from; by default that of the
            last pair.

    References:
        Nocedal and Wright, *Numerical Optimization*, 2006, algorithm 7.4 and equation 7.20.
    """
    products = (s * y).sum(1)
    rho = divide(torch.ones_like(products), products)
    q, alphas = gradient, []
    for i in reversed(range(len(s))):
        alpha = rho[i] * (s[i] @ q)
        q = q - alpha * y[i]
        alphas.append(alpha)
    if scale is None:
        squares = y[-1].square().sum()
        scale = torch.where(squares > 0, divide(products[-1], squares), 1.0)
    r = q * scale
    for i in range(len(s)):
        r = r + (alphas.pop() - rho[i] * (y[i] @ r)) * s[i]
    return r


def divide(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return ``a / b``, and zero with zero derivatives where ``b`` is zero."""
    zero = b == 0
    return torch.where(zero, 0.0, a / torch.where(zero, 1.0, b))
