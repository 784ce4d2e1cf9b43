"""The taut string: sums of a vector follow the shortest path through a tube around them.

Total variation and isotonic regression are such paths. Which points of the tube the path touches is
found on values; between them the path is straight, and its slope a differentiable mean.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import torch

from torchopt.autodiff.loops import iterate
from torchopt.pytree.typing import Numeric

#: Where the upper and the lower side are touched, and whether the last round has found a place.
_Touching: TypeAlias = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def taut_string(x: torch.Tensor, up: Numeric, down: Numeric) -> torch.Tensor:
    r"""Return the slopes of the taut string of vectors along the last axis.

    .. math::
        \min_{z_0, \dots, z_n} \sum_i (z_i - z_{i-1})^2 \quad \text{subject to} \quad
        -\text{down} \leq z_i - S_i \leq \text{up}, \quad z_0 = 0, \; z_n = S_n = \sum_i x_i

    A chord between two points of the string that leaves the tube is farthest outside where the string
    touches the tube: otherwise, moved back to that distance, the string would be shorter. So each round
    finds up to two more points of each piece: :math:`O(n)` a round, whose number is about the logarithm
    of the number of pieces, and never more than that of pieces.

    Args:
        x: A batch of vectors.
        up: The width of the tube above the sums, a number or a tensor that broadcasts with ``x``
            without its first element; it may require grad.
        down: The width below.

    References:
        Davies and Kovac, *Local Extremes, Runs, Strings and Multiresolution*, 2001 (the string).
        Barber, Dobkin and Huhdanpaa, *The Quickhull Algorithm*, 1996 (the search).
    """
    if x.shape[-1] < 2:
        return x
    with torch.no_grad():
        above, below = _touching(x.detach().double(), _value(up), _value(down))
    zero = torch.zeros_like(x[..., :1])
    inner = torch.where(above, up, torch.where(below, -down, torch.zeros_like(x[..., 1:])))
    offsets = torch.cat([zero, inner, zero], -1)
    piece = torch.nn.functional.pad(above | below, (1, 0)).cumsum(-1)
    shares = x + offsets.diff(dim=-1)
    sums = torch.zeros_like(shares).scatter_add(-1, piece, shares)
    sizes = torch.zeros_like(shares).scatter_add(-1, piece, torch.ones_like(shares))
    return (sums / sizes.clamp(min=1)).gather(-1, piece)


def _value(width: Numeric) -> Any:
    return width.detach().double() if isinstance(width, torch.Tensor) else width


def _touching(x: torch.Tensor, up: Numeric, down: Numeric) -> tuple[torch.Tensor, torch.Tensor]:
    """Return where between two elements the string touches the upper and the lower side."""
    # The pieces are those of the vector less its mean, whose sums are rounded less.
    total = (x - x.mean(-1, keepdim=True)).cumsum(-1)[..., :-1]
    rounding = 16 * torch.finfo(x.dtype).eps * total.abs().amax(-1, keepdim=True)
    upper, lower = total + up, total - down
    place = torch.arange(x.shape[-1] + 1, device=x.device)
    inside = place[1:-1]

    def split(carry: _Touching) -> _Touching:
        above, below, _ = carry
        knot = above | below
        height = torch.where(above, upper, torch.where(below, lower, 0.0))
        height = torch.nn.functional.pad(height, (1, 1))
        before = torch.where(knot, inside, 0).cummax(-1).values
        after = torch.where(knot, inside, place[-1]).flip(-1).cummin(-1).values.flip(-1)
        start = height.gather(-1, before)
        share = (inside - before).to(x.dtype) / (after - before).clamp(min=1)
        chord = start + share * (height.gather(-1, after) - start)
        new = [~knot & _farthest(d, before, rounding) for d in (chord - upper, lower - chord)]
        return above | new[0], below | new[1], (new[0] | new[1]).any()

    none = torch.zeros_like(upper + lower, dtype=torch.bool)
    (above, below, _), _ = iterate(
        split, (none, none, ~none.any()), lambda carry: carry[2], maxiter=x.shape[-1]
    )
    return above, below


def _farthest(distance: torch.Tensor, piece: torch.Tensor, rounding: torch.Tensor) -> torch.Tensor:
    """Return where a distance is the largest of its piece, and not zero."""
    zeros = torch.zeros_like(torch.nn.functional.pad(distance, (1, 0)))
    largest = zeros.scatter_reduce(-1, piece, distance, "amax").gather(-1, piece)
    return (distance >= largest) & (distance > rounding)
