r"""Central differences whose error is estimated.

The step :math:`h` of :math:`(g(h) - g(-h)) / 2h` trades rounding, which grows as :math:`1/h`, for
truncation, which grows as :math:`h^2`: the best is about the cube root of the precision. How much the
difference changes when its step is halved is an estimate of its error, for which dtypes need not tell
where an evaluation rounds: autocast, a norm or a loss in float32, a kernel that rounds inside. Where it
is large, the difference is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import torch

from torchopt import checks
from torchopt.autodiff.environment import TorchSettings
from torchopt.autodiff.graph import nodes_reached
from torchopt.autodiff.loops import norm, wide
from torchopt.autodiff.second_order import is_foreign
from torchopt.autodiff.transforms import refuse_legacy_batches, value_of

Tensors: TypeAlias = Sequence[torch.Tensor | None]
Function: TypeAlias = Callable[[torch.Tensor], Tensors]
Groups: TypeAlias = Sequence[Sequence[int]]

# A difference that changes by more than this where its step is halved is not good to a tenth.
_BAD = 0.05


def moved_by(t: torch.Tensor, u: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    """Return ``t + h u``, computed in float32 at least."""
    return torch.addcmul(wide(t), wide(u), h.to(wide(t))).to(t.dtype)


def unit_step(
    at: Sequence[torch.Tensor],
    direction: Sequence[torch.Tensor],
    norm: Callable[[Any], torch.Tensor] = norm,
) -> torch.Tensor:
    """Return the step along a direction for a precision of one: ``2 (1 + rms(at)) / ‖direction‖``.

    Args:
        at: The point.
        direction: The direction; one of length zero may have any step.
        norm: Returns the norm of tensors, of which processes may have a part each.
    """
    point = [wide(t) for t in at]
    root = norm([t.new_tensor(t.numel()).sqrt() for t in point]).clamp(min=1)
    size = 2 * (1 + norm(point) / root)
    length = norm([wide(t) for t in direction])
    return size / torch.where(length > 0, length, 1)


def parts_of(
    direction: Sequence[torch.Tensor],
    gradient: Sequence[torch.Tensor],
    norm: Callable[..., torch.Tensor] = norm,
) -> list[list[torch.Tensor]]:
    """Return a direction as a sum: along the second part, differences may be rounding of zero.

    Where the gradient is rounding or zero, as of a dead unit, of a parameter that is not read, or of a
    bias that a normalization takes out, adaptive steps are immense and lead nowhere: the rest would be
    lost among them.
    """
    refuse_legacy_batches(direction, "a finite difference")
    top = norm([t.detach() for t in gradient], torch.inf)
    quiet = [t.detach().abs() <= 64 * torch.finfo(t.dtype).eps * top.to(t) for t in gradient]
    parts = [
        [torch.where(q, 0, u) for u, q in zip(direction, quiet, strict=True)],
        [torch.where(q, u, 0) for u, q in zip(direction, quiet, strict=True)],
    ]
    going, still = (norm([wide(u.detach()) for u in part]) for part in parts)
    return parts if still > 10 * going > 0 else [list(direction)]


class Difference(NamedTuple):
    """A central difference, and what it is made of."""

    quotient: list[torch.Tensor | None]
    ahead: Tensors
    behind: Tensors
    step: torch.Tensor

    def middle(self, precision: float, places: Sequence[int]) -> tuple[list[Any], float]:
        """Return the mean of some tensors on both sides of the point, and a bound on its error.

        It is of second order in the step, so it is below the first-order difference of both sides.
        """
        pairs = [_both((self.ahead[i], self.behind[i])) for i in places]
        middle = [p and (wide(p[0].detach()) + wide(p[1].detach())).div_(2) for p in pairs]
        apart = 2 * self.step.detach().abs() * _norm([self.quotient[i] for i in places]).detach()
        return middle, float(torch.maximum(2 * apart, precision ** (1 / 3) * _norm(middle)))


class Central:
    """Computes derivatives by central differences.

    The error is estimated of the first, second, fourth, ... difference, since rounding and curvature
    drift slowly from one to the next, and of each in half precision.

    Args:
        at: Tensors whose dtypes say the usual step.
        instead: The end of an error message: what to do if no step is good.
        worst: Returns the largest error of all processes that evaluate together.

    Attributes:
        precision: That of the tensors, or of autocast.
        given: A fixed step; if it is bad, a warning is given, and it is taken.
        custom: Whether an evaluation called a custom autograd.Function of the user.
    """

    def __init__(
        self,
        at: Tensors,
        instead: str,
        *,
        worst: Callable[[torch.Tensor], torch.Tensor] = lambda error: error,
    ) -> None:
        dtypes = {t.dtype for t in at if t is not None}
        cast = {dtype for _, dtype in TorchSettings.current().autocast}
        self.precision = max(torch.finfo(dtype).eps for dtype in dtypes | cast)
        self.custom = False
        self._finest = min(torch.finfo(dtype).eps for dtype in dtypes | {torch.float32})
        self._instead = instead
        self.given: torch.Tensor | None = None
        self._worst = worst
        self._count = 0
        self._usual = self.precision ** (1 / 3)

    def note(self, output: torch.Tensor) -> None:
        """Look for custom functions in the graph that an evaluation has left."""
        self.custom = self.custom or any(is_foreign(n.__class__) for n in nodes_reached([output]))

    def __call__(
        self,
        function: Function,
        unit: torch.Tensor,
        groups: Groups | None = None,
        beside: torch.Tensor | None = None,
        *,
        significant: bool = False,
    ) -> Difference:
        """Return the derivative at zero of tensors that are functions of a number.

        Args:
            function: Returns the tensors.
            unit: The step for a precision of one.
            groups: The places of tensors whose errors count together, relative to their norm, or to a
                hundredth of that of all. By default, all are one group.
            beside: The norm of what the first group is added to: its error counts relative to that.
            significant: Whether a difference that may be rounding counts as zero.

        Raises:
            RuntimeError: If no step is good to a tenth.
        """
        first = 1.0 if self.given is not None else self._usual

        def at(length: float) -> Difference:
            h = length * (unit if self.given is None else self.given)
            return difference(function, h, significant=significant)

        found = at(first)
        self._count += 1
        often = self._count & (self._count - 1) == 0 or self.precision > 1e-6
        present = any(t is not None for t in found.quotient)
        if not (often and present) or torch.compiler.is_compiling():
            return found
        groups = groups or [range(len(found.quotient))]
        change = partial(self._change, groups, beside)
        # A kernel that rounds inside may be constant over short steps.
        still = self.custom and not self._moves(groups, found)
        second = 1.0 if still else first / 2
        other = at(second)
        error = change(found, other)
        if error <= _BAD:
            return found
        if max(change(found, at(first)), change(other, at(second))) > 0.1:
            raise RuntimeError(
                "the function has other values when it is evaluated again at the same point: what it "
                "reads changes, or is random in a way that cannot be replayed, so that a difference is "
                f"no derivative: pass what changes as an argument, or {self._instead}."
            )
        if self.given is None:
            raise RuntimeError(
                f"a central difference for a product with second derivatives is not good to a tenth: "
                f"it changes by {100 * error:.2g} % with its step, since the evaluations round, have "
                f"kinks, or bend too much: {self._instead}."
            )
        checks.warn(  # it is a part of the method, as that of DARTS
            f"a central difference with a given step changes by {100 * error:.2g} % where the step "
            "is halved, since the evaluations round, have kinks, or bend too much: leave the "
            "step out, so that the usual one is taken, or use a higher precision.",
            change=error,
        )
        return found

    def _moves(self, groups: Groups, found: Difference) -> bool:
        return self._largest(_norms(found.quotient, groups, found.step.device).amax()) > 0

    def _largest(self, errors: torch.Tensor) -> float:
        return float(value_of(self._worst(errors)).nan_to_num(math.inf, math.inf).max())

    def _change(
        self,
        groups: Groups,
        beside: torch.Tensor | None,
        found: Difference,
        other: Difference,
    ) -> float:
        """Return the relative change of a difference, but for the rounding of its values."""
        pairs = [*map(_both, zip(found.quotient, other.quotient, strict=True))]
        values = [p and a for p, a in zip(pairs, found.ahead, strict=True)]
        norms, step = partial(_norms, groups=groups, where=found.step.device), found.step.detach()
        free = 8 * self._finest * norms(values) / step
        gaps = (norms([p and p[1] - p[0] for p in pairs]) - free).clamp(min=0)
        sizes, first = norms(found.quotient), 0 if beside is None else 1
        limits = torch.maximum(sizes, 0.01 * torch.linalg.vector_norm(sizes[first:]))
        if beside is not None:
            limits = torch.cat([torch.maximum(sizes[:1], beside.to(sizes)), limits[1:]])
        return self._largest(torch.where(gaps == 0, 0, gaps / limits).amax())


def difference(function: Function, h: torch.Tensor, *, significant: bool = False) -> Difference:
    """Return the central difference of a step; one that may be rounding can count as zero."""
    ahead, behind = function(h), function(-h)
    quotient: list[torch.Tensor | None] = []
    for pair in map(_both, zip(ahead, behind, strict=True)):
        if pair is None:
            quotient.append(None)
            continue
        values = wide(pair[0])
        gap = values - wide(pair[1])
        if significant:
            rounding = 64 * torch.finfo(pair[0].dtype).eps * norm(values, math.inf)
            gap = torch.where(gap.detach().abs() > rounding, gap, 0)
        quotient.append((gap / (2 * h).to(values)).to(pair[0].dtype))
    return Difference(quotient, ahead, behind, h)


def _both(pair: tuple[Any, Any]) -> tuple[torch.Tensor, torch.Tensor] | None:
    return None if pair[0] is None or pair[1] is None else pair


def _norms(tensors: Tensors, groups: Groups, where: torch.device) -> torch.Tensor:
    """Return the norm of each group, on a device: that of nothing is on the CPU."""
    sizes = [_norm([tensors[i] for i in group]) for group in groups]
    largest = max(sizes, key=lambda n: n.dtype.itemsize)
    return torch.stack([n.to(where, largest.dtype) for n in sizes])


def _norm(tensors: Tensors) -> torch.Tensor:
    present = [t for t in tensors if t is not None]
    return norm(present) if present else torch.zeros((), device="cpu")
