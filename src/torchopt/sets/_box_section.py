"""Bounds for each element and one linear equation: budgets, relaxed choices of k."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import torch

from torchopt import checks
from torchopt.prox.term import parameter
from torchopt.prox.vectors import DIM, Dim, along, last, snap
from torchopt.pytree.typing import Numeric
from torchopt.sets._box import check_bounds, clip
from torchopt.sets.base import Set, unless_empty


@dataclass(frozen=True, eq=False)
class BoxSection(Set):
    r"""Vectors between bounds with a given weighted sum.

    .. math::
        C = \{x : l \leq x \leq u, \; w^\top x = c\}, \qquad
        P(x)_i = \min(\max(x_i + \tau w_i, l_i), u_i)

    with the number :math:`\tau` for which the equation holds. The sum grows with :math:`\tau` along
    straight pieces; the piece is found by sorting their ends, :math:`O(n \log n)`, and :math:`\tau`
    is then exact. The derivative is that of a piece. Where all elements are at bounds, it is zero in
    :math:`x`, and in :math:`c` that for smaller sums. If the bounds do not allow the sum, the set is
    empty, which is refused; a sum that only rounding errors do not allow gives the nearest corner.

    Args:
        total: The sum :math:`c`: a number, or a tensor that broadcasts with the shape of a leaf without
            ``dim``; it may require grad.
        weights: The weights :math:`w`, of any signs: a number, or a tensor that broadcasts with each
            leaf and may require grad.
        lower: The lower bounds :math:`l`, of the same kinds; infinite ones bound nothing.
        upper: The upper bounds :math:`u`, not less than ``lower``, of the same kinds.
        dim: The axis or axes along which the vectors lie. None: a leaf is one vector.

    Raises:
        ValueError: If ``lower`` is more than ``upper``, in use too, as of :class:`Box`; in use, if
            bounds do not allow the sum, a leaf has no such axis, or a parameter does not broadcast
            with it. Tensors are looked at on the CPU outside of transforms and compiled code;
            elsewhere results are NaN.
        TypeError: If a parameter is neither a number nor a floating tensor, or ``dim`` no integers.

    Example:
        Of four numbers, two are chosen:

        >>> import torch, torchopt
        >>> torchopt.sets.BoxSection(2.0).project(torch.tensor([2.0, 0.75, 0.25, -3.0]))
        tensor([1.0000, 0.7500, 0.2500, 0.0000])

    References:
        Pardalos and Kovoor, *An Algorithm for a Singly Constrained Class of Quadratic Programs Subject
        to Upper and Lower Bounds*, 1990. JAXopt's ``projection_box_section``.
    """

    total: Numeric = field(metadata=parameter("vector", signed=True))
    weights: Numeric = field(default=1.0, metadata=parameter("element", signed=True))
    _: KW_ONLY
    lower: Numeric = field(default=0.0, metadata=parameter("element", signed=True, infinite=True))
    upper: Numeric = field(default=1.0, metadata=parameter("element", signed=True, infinite=True))
    dim: Dim = checks.field(-1, DIM)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_bounds(self.lower, self.upper)

    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the nearest vectors of the set."""
        check_bounds(self.lower, self.upper)
        return along(self._project, x, self.dim, self.weights, self.lower, self.upper)

    def linear_minimizer_leaf(self, gradient: torch.Tensor) -> torch.Tensor:
        """Return the corner that a knapsack of fractions fills; the bounds must be finite."""
        check_bounds(self.lower, self.upper)
        return along(self._fill, gradient, self.dim, self.weights, self.lower, self.upper)

    def _project(
        self, x: torch.Tensor, weights: Numeric, lower: Numeric, upper: Numeric
    ) -> torch.Tensor:
        weights, total, start, end, kept = self._equation(x, weights, lower, upper)
        with torch.no_grad():
            free, reaches, corner = _piece(*(t.detach() for t in (x, weights, start, end, total)))
        fixed = torch.where(weights == 0, clip(x, lower, upper), torch.where(reaches, end, start))
        loose = torch.where(corner, end, x)
        known = (weights * torch.where(free, loose, fixed)).sum(-1, keepdim=True)
        square = torch.where(free, weights, 0.0).square().sum(-1, keepdim=True)
        multiplier = (total - known) / torch.where(square == 0, 1.0, square)
        y = torch.where(free, loose + multiplier * weights, fixed)
        # Far from the bounds the sum above cancels; what it misses is small, and so are its errors.
        near = y.detach()
        for _ in range(3):
            missing = total - (weights * near).sum(-1, keepdim=True)
            step = missing / torch.where(square == 0, 1.0, square)
            near = torch.where(free, near + step * weights, near).detach()
        known = (x == x).all(-1, keepdim=True)
        return kept(torch.where(known, snap(y, clip(near, lower, upper)), torch.nan))

    def _equation(
        self, x: torch.Tensor, weights: Numeric, lower: Numeric, upper: Numeric
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, Callable[..., torch.Tensor]]:
        """Return weights, total, what elements are for small and for large multipliers.

        And a function that returns points, unless the set is empty.
        """
        weights, lower, upper = (_wholes(p, x) for p in (weights, lower, upper))
        total = _wholes(last(self.total), x[..., :1])
        # A constant factor of the equation, so that squares neither overflow nor underflow.
        scale = weights.detach().abs().amax(-1, keepdim=True)
        scale = torch.where(scale == 0, 1.0, scale)
        weights, total = weights / scale, total / scale
        start = torch.where(weights < 0, upper, lower)
        end = torch.where(weights < 0, lower, upper)
        terms = [torch.where(weights == 0, 0.0, weights * b).detach() for b in (start, end)]
        sums = [t.sum(-1, keepdim=True) for t in terms]
        sizes = [torch.where(t.isinf(), 0.0, t.abs()).sum(-1, keepdim=True) for t in terms]
        rounding = 16 * max(self._rounding, torch.finfo(x.dtype).eps)
        error = rounding * (total.detach().abs() + sizes[0] + sizes[1])
        exist = total.isfinite() & (sums[0] - error <= total) & (total <= sums[1] + error)

        def why(at: tuple[int, ...]) -> str:
            numbers = [(t * scale)[at].item() for t in (total, *sums)]
            return "`total` is {:g}, and bounds allow sums from {:g} to {:g}".format(*numbers)

        def kept(points: torch.Tensor) -> torch.Tensor:
            return unless_empty(points, exist & (lower <= upper).all(-1, keepdim=True), why)

        return weights, total, start, end, kept

    def _fill(
        self, g: torch.Tensor, weights: Numeric, lower: Numeric, upper: Numeric
    ) -> torch.Tensor:
        weights, total, start, end, kept = self._equation(g, weights, lower, upper)
        used = weights != 0
        divisor = torch.where(used, weights, 1.0)
        room = weights * (end - start)
        order = torch.where(used, g / divisor, torch.inf).argsort(-1)
        sorted_room = room.gather(-1, order)
        before = sorted_room.cumsum(-1) - sorted_room
        left = total - (weights * start).sum(-1, keepdim=True)
        filled = clip(left - before, 0.0, sorted_room)
        filled = torch.zeros_like(filled).scatter(-1, order, filled)
        corner = start + filled / divisor
        return kept(torch.where(used, corner, torch.where(g < 0, end, start)))


def _wholes(parameter: Any, x: torch.Tensor) -> torch.Tensor:
    if not isinstance(parameter, torch.Tensor):
        parameter = torch.as_tensor(parameter, dtype=x.dtype, device=x.device)
    return parameter.expand_as(x)


def _piece(
    x: torch.Tensor,
    weights: torch.Tensor,
    start: torch.Tensor,
    end: torch.Tensor,
    total: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return which elements are free, which others have reached their end, and whether none has room.

    In the last case, in which all elements are at bounds, the free ones move with the sum alone.
    """
    unused = weights == 0
    divisor = torch.where(unused, 1.0, weights)
    leave = torch.where(unused, torch.inf, (start - x) / divisor)
    reach = torch.where(unused, torch.inf, (end - x) / divisor)
    ends = torch.cat([leave, reach], -1).sort(-1).values

    def total_at(multiplier: torch.Tensor) -> torch.Tensor:
        at = torch.where(reach <= multiplier, end, x + multiplier * divisor)
        at = torch.where(leave >= multiplier, start, at)
        return torch.where(unused, 0.0, weights * at).sum(-1, keepdim=True)

    # How many ends have too small a sum, by bisection.
    low = torch.zeros_like(total, dtype=torch.int64)
    high = low + ends.shape[-1]
    for _ in range(ends.shape[-1].bit_length()):
        middle = (low + high) // 2
        there = total_at(ends.gather(-1, middle.clamp(max=ends.shape[-1] - 1)))
        more = (low < high) & (there < total)
        low, high = torch.where(more, middle + 1, low), torch.where(more, high, middle)
    before = torch.where(low == 0, -torch.inf, ends.gather(-1, (low - 1).clamp(min=0)))
    free, reaches = (leave <= before) & (reach > before), reach <= before
    # Where the multiplier is the end of a piece, elements that reach a bound there stay at it: unless
    # no other is free, some change of `x` gives just this piece.
    after = ends.gather(-1, low.clamp(max=ends.shape[-1] - 1))
    meets = (low < ends.shape[-1]) & (total_at(after) == total)
    # Far from the bounds, both ends of an element round to one multiplier: there the sum jumps.
    jumps = ~unused & (leave == before) & (reach == before) & ~meets
    free = free | (jumps & ~free.any(-1, keepdim=True))
    inner = (leave < after) & (reach > after)
    loose = meets & inner.any(-1, keepdim=True)
    return (
        torch.where(loose, inner, free),
        torch.where(loose, reach <= after, reaches),
        meets & ~loose,
    )
