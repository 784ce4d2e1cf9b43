r"""Central differences whose step fits the precision of what is evaluated.

The step :math:`h` of :math:`(g(h) - g(-h)) / 2h` trades rounding, which grows as :math:`1/h`, for
truncation, which grows as :math:`h^2`: the best is about the cube root of the precision. That is no
property of the parameters' dtype alone: autocast, a norm or a loss in float32, a kernel that rounds
inside, all make it worse. So the dtypes of the graph are read, and a difference is compared with that
of the double step: the first, second, fourth, ... one, and each that may be rounding by what was read.
Where these differ, a search goes through all steps, once. Where both sides are so far apart that they
may be those of two functions, they are evaluated again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, TypeAlias

import torch
from torch.autograd.function import BackwardCFunction

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.autodiff.conversion import as_tensor
from torchopt.autodiff.environment import TorchSettings
from torchopt.autodiff.loops import all_true, norm, wide
from torchopt.autodiff.transforms import value_of

Tensors: TypeAlias = Sequence[torch.Tensor | None]
Function: TypeAlias = Callable[[torch.Tensor], Tensors]

# A difference is trusted that changes by less than this where its step doubles.
_GOOD = 0.01
# Where the best changes by more than this, none is good to a tenth: rounding of two steps may agree.
_BAD = 0.05
# A function that changes so much within a unit, relative to itself, may have jumped.
_FAR = 5.0
# A jump makes a difference smaller by half where its step doubles.
_JUMP = 0.25
# A search goes from so many times the usual step, at most one unit, to so small a part, by halves.
_LONGEST, _SHORTEST = 2.0**10, 2.0**-14


def moved_by(t: torch.Tensor, u: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    """Return ``t + h u``, computed in float32 at least."""
    return torch.addcmul(wide(t), wide(u), h.to(wide(t))).to(t.dtype)


def unit_step(
    at: Sequence[torch.Tensor],
    direction: Sequence[torch.Tensor],
    norm: Callable[[Any], torch.Tensor] = norm,
    *,
    mean: bool = True,
) -> torch.Tensor:
    """Return the step along a direction for a precision of one: ``2 (1 + rms(at)) / ‖direction‖``.

    Args:
        at: The point.
        direction: The direction; one of length zero may have any step.
        norm: Returns the norm of tensors, of which processes may have a part each.
        mean: False gives ``(1 + ‖at‖) / ‖direction‖``, for a residual: it rounds in each element.
    """
    point = [wide(t) for t in at]
    root = norm([t.new_tensor(t.numel()).sqrt() for t in point]).clamp(min=1)
    size = 2 * (1 + norm(point) / root) if mean else 1 + norm(point)
    length = norm([wide(t) for t in direction])
    return size / torch.where(length > 0, length, 1)


def refuse_legacy_batches(tensors: Iterable[torch.Tensor | None], advice: str) -> None:
    """Raise for tensors that an older ``vmap`` has batched: their values cannot be read."""
    if any(t is not None and transforms.is_legacy_batch(t) for t in tensors):
        raise RuntimeError(
            "finite differences cannot be batched by `is_grads_batched=True`, nor by "
            f"`torch.autograd.functional` with `vectorize=True`: use a loop, or {advice}."
        )


def middle_of(
    ahead: Tensors, behind: Tensors, precision: float
) -> tuple[list[torch.Tensor | None], torch.Tensor]:
    """Return the mean of tensors on both sides of a point, and a bound on its error.

    The error is of second order in the step, so it is below the first-order difference of both sides.
    """
    sides = [
        (a, b) if a is None or b is None else (wide(a.detach()), wide(b.detach()))
        for a, b in zip(ahead, behind, strict=True)
    ]
    middle = [None if a is None or b is None else (a + b) / 2 for a, b in sides]
    size = precision ** (1 / 3) * norm(middle)
    return middle, torch.maximum(2 * _norm_of(ahead, behind), size)


class Central:
    """Computes derivatives by central differences, and remembers a good step.

    Args:
        at: Tensors whose dtypes bound the precision of evaluations.
        instead: The end of an error message: what to do if no step is good.
        step: A fixed step; if it is bad, a warning is given, and no other step is searched for.
        routine: Whether to check steps also for evaluations in the precision of their tensors.
        significant: Whether a difference that may be rounding counts as zero.
        worst: Returns the largest error of all processes that evaluate together.

    Attributes:
        precision: The worst precision in the graphs of the evaluations so far.
        custom: Whether an evaluation called a custom autograd.Function of the user.
    """

    def __init__(
        self,
        at: Tensors,
        instead: str,
        *,
        step: torch.Tensor | None = None,
        routine: bool = True,
        significant: bool = False,
        worst: Callable[[torch.Tensor], torch.Tensor] = lambda error: error,
    ) -> None:
        dtypes = [t.dtype for t in at if t is not None] + [
            dtype for _, dtype in TorchSettings.current().autocast
        ]
        self.precision = self._expected = max(torch.finfo(dtype).eps for dtype in dtypes)
        single = torch.finfo(torch.float32).eps
        self._finest = min(single, *(torch.finfo(t.dtype).eps for t in at if t is not None))
        self._instead = instead
        self._given = step
        self._routine = routine
        self._significant = significant
        self._worst = worst
        self._opaque = self.custom = False
        self._count = 0
        self._factor: Any = None  # of the cube root of the precision, once a search has found it

    def note(self, output: torch.Tensor) -> None:
        """Read the precision of an evaluation from the graph that it has left."""
        precision, functions = _precision_of(output)
        self.precision = max(self.precision, precision)
        self._opaque = self._opaque or bool(functions)
        self.custom = self.custom or not all(name.startswith("torchopt.") for name in functions)

    def __call__(
        self,
        function: Function,
        unit: torch.Tensor,
        vector: Sequence[bool | None] | None = None,
        beside: torch.Tensor | None = None,
        seen: Callable[[Tensors, Tensors, torch.Tensor], None] | None = None,
    ) -> list[torch.Tensor | None]:
        """Return the derivative at zero of tensors that are functions of a number.

        Args:
            function: Returns the tensors.
            unit: The step for a precision of one.
            vector: For each tensor: True if its error is measured with the others as one vector, False
                if by itself, None if not at all. By default, all are one vector.
            beside: The norm of what the vector is added to, if its error counts relative to that.
            seen: Called with the tensors on both sides of the returned difference, and the step.

        Raises:
            RuntimeError: If no step is good to a tenth.
        """
        precision = 0.0
        while precision != self.precision:  # an evaluation may show a worse one
            precision = self.precision
            h = self._step(unit)
            ahead = function(h)
        behind = function(-h)
        quotient = self._quotient(ahead, behind, h)
        if torch.compiler.is_compiling():
            return _like(quotient, ahead)
        blocks = _Blocks(quotient, ahead, h, vector, beside)
        if not len(blocks.values):
            return _like(quotient, ahead)
        self._count += 1
        if self._is_far(blocks, h / unit):
            self._check_again(function, h, ahead, behind)
        if self._is_doubtful(blocks):
            error, limit = self._change_of_double(function, h, blocks, precision)
            if self._is_below(error, limit):
                pass
            elif self._given is None:
                self._search(function, unit, vector, beside)
                h = self._step(unit)
                ahead, behind = function(h), function(-h)
                quotient = self._quotient(ahead, behind, h)
                # A random function may have been good by chance.
                blocks = _Blocks(quotient, ahead, h, vector, beside)
                error, _ = self._change_of_double(function, h, blocks, precision)
                if not self._is_below(error, _JUMP):
                    self._refuse(error)
            else:  # a given step is a part of the method, as that of DARTS
                checks.warn(
                    "a central difference with a given step changes by more than a twentieth where "
                    "the step doubles, since the evaluations round, have kinks, or bend too much: "
                    "leave the step out, so that one is found, or use a higher precision.",
                    change=float(value_of(error).max()),
                )
        if seen is not None:
            seen(ahead, behind, h)
        return _like(quotient, ahead)

    def _is_doubtful(self, blocks: _Blocks) -> bool:
        """Whether a difference is to be compared with another."""
        usual = self._routine or self._opaque or self.precision > self._expected
        routine = usual and self._count & (self._count - 1) == 0
        # If one search was needed, the next kink may be within any step.
        if routine or self._is_coarse or self._factor is not None:
            return True
        return not self._is_below(blocks.relative(self.precision * blocks.values), _GOOD)

    def _is_far(self, blocks: _Blocks, length: torch.Tensor) -> bool:
        """Whether the values on both sides differ so much that the function may have changed."""
        return not self._is_below((blocks.leap - 16 * self.precision) / length, _FAR)

    def _check_again(
        self, function: Function, h: torch.Tensor, ahead: Tensors, behind: Tensors
    ) -> None:
        """Raise if a second evaluation at the same points gives other values."""
        apart = _norm_of(ahead, behind)
        again = torch.maximum(_norm_of(ahead, function(h)), _norm_of(behind, function(-h)))
        if not self._is_below(torch.where(again == 0, 0, again / apart), 0.1):
            raise RuntimeError(
                "the function has other values when it is evaluated again at the same point: what it "
                "reads changes, or is random in a way that cannot be replayed, so that a difference is "
                f"no derivative: pass what changes as an argument, or {self._instead}."
            )

    def _change_of_double(
        self, function: Function, h: torch.Tensor, blocks: _Blocks, precision: float
    ) -> tuple[torch.Tensor, float]:
        """Return the change of a difference when its step doubles, and the limit of this change."""
        # A function that rounds inside may be constant over both steps.
        factor = _LONGEST if self._opaque and not all_true(blocks.move) else 2.0
        other = self._tried(function, factor * h)
        error = blocks.relative(self._change(blocks, other[1])) if other else torch.inf * h
        searched = self._given is not None or self._factor is not None
        return error, _BAD if searched else max(_GOOD, precision ** (2 / 3))

    def _step(self, unit: torch.Tensor) -> torch.Tensor:
        if self._given is not None:
            return self._given
        usual = 0.25 if self._is_coarse else 1.0
        factor = usual if self._factor is None else self._factor
        return as_tensor(factor * self.precision ** (1 / 3) * unit)

    @property
    def _is_coarse(self) -> bool:
        return self.precision > 2 * torch.finfo(torch.float32).eps

    def _quotient(
        self, ahead: Tensors, behind: Tensors, h: torch.Tensor
    ) -> list[torch.Tensor | None]:
        quotient: list[torch.Tensor | None] = []
        for a, b in zip(ahead, behind, strict=True):
            if a is None or b is None:
                quotient.append(None)
                continue
            values = wide(a)
            difference = values - wide(b)
            if self._significant and a.numel():
                rounding = 64 * torch.finfo(a.dtype).eps * values.detach().abs().max()
                difference = torch.where(difference.detach().abs() > rounding, difference, 0)
            quotient.append(difference / (2 * h).to(values))
        return quotient

    def _tried(self, function: Function, h: torch.Tensor) -> tuple[Tensors, Tensors] | None:
        """Return the values ahead and the quotient; None outside of the function's domain."""
        try:
            ahead = function(h)
            return ahead, self._quotient(ahead, function(-h), h)
        except (ValueError, ArithmeticError, torch.linalg.LinAlgError):  # type: ignore[attr-defined]
            return None

    def _change(self, blocks: _Blocks, others: Tensors) -> torch.Tensor:
        """Return the distances between differences, minus the rounding that every step has."""
        free = 8 * self._finest * blocks.values
        if blocks.beside is not None:
            # It says what is small. Rounding is not, along the immense direction of a dead unit.
            free = torch.cat([torch.zeros_like(free[:1]), free[1:]])
        return (blocks.change(others) - free).clamp(min=0)

    def _is_below(self, error: torch.Tensor, limit: float) -> bool:
        return all_true(self._worst(error) <= limit)

    def _search(
        self,
        function: Function,
        unit: torch.Tensor,
        vector: Sequence[bool | None] | None,
        beside: torch.Tensor | None,
    ) -> None:
        """Find the step whose difference changes least when the step is halved and doubled."""
        usual = self.precision ** (1 / 3)
        length = min(1.0, _LONGEST * usual)
        best, chosen = torch.full_like(unit, torch.inf), torch.ones_like(unit)
        moved = torch.zeros_like(unit, dtype=torch.bool)
        middle: _Blocks | None = None
        longer: torch.Tensor | None = None
        while length >= _SHORTEST * usual:
            h = length * unit
            if (tried := self._tried(function, h)) is None:
                middle = longer = None
            else:
                ahead, here = tried
                blocks = _Blocks(here, ahead, h, vector, beside)
                shorter = None if middle is None else self._change(middle, here)
                if middle is not None and longer is not None and shorter is not None:
                    # Differences of steps that are lost in rounding may agree by chance.
                    rounding = self.precision * middle.values
                    gaps = torch.stack([longer, shorter, rounding / 4]).amax(0) / 2
                    error = self._worst(middle.relative(gaps))
                    still = ~middle.move & moved & self._opaque
                    error = torch.where(still, torch.inf, error)
                    chosen = torch.where(error < best, 2 * length / usual, chosen)
                    best = torch.where(error < best, error, best)
                    if all_true((best <= _GOOD) & (error > best)):
                        break
                moved = moved | blocks.move
                middle, longer = blocks, shorter
            length /= 2
        if not all_true(best <= _BAD):
            self._refuse(best)
        self._factor = chosen

    def _refuse(self, error: torch.Tensor) -> NoReturn:
        size = float(value_of(error).max())
        raise RuntimeError(
            f"a central difference for a product with second derivatives is not good to a tenth: it "
            f"changes by {100 * size:.2g} % with its step, since the evaluations round (to "
            f"{self.precision:.0e}, by their dtypes), have kinks, or bend too much: {self._instead}."
        )


class _Blocks:
    """Norms of differences to compare: one for the parts of a vector, one for each other tensor.

    Args:
        tensors: The differences.
        values: The values whose differences they are.
        h: Their step.
        vector: As for :meth:`Central.__call__`.
        beside: As for :meth:`Central.__call__`.
    """

    def __init__(
        self,
        tensors: Tensors,
        values: Tensors,
        h: torch.Tensor,
        vector: Sequence[bool | None] | None,
        beside: torch.Tensor | None,
    ) -> None:
        self.tensors = [None if t is None else t.detach() for t in tensors]
        self._vector = [True] * len(self.tensors) if vector is None else vector
        self._sizes = self._sizes_of(self.tensors)
        self.beside = beside
        present = [None if t is None else a for t, a in zip(self.tensors, values, strict=True)]
        self.values = self._sizes_of(present) / h.detach()

    @property
    def move(self) -> torch.Tensor:
        """Whether any difference is not zero."""
        return (self._sizes > 0).any()

    @property
    def leap(self) -> torch.Tensor:
        """The change of the values per step, relative to the values."""
        first = self._first if len(self._sizes) > 1 else 0  # a gradient may vanish, at a minimum
        sizes, values = (torch.linalg.vector_norm(s[first:]) for s in (self._sizes, self.values))
        return torch.where(sizes == 0, 0, sizes / values)

    def change(self, others: Tensors) -> torch.Tensor:
        """Return the norms of the distances to other differences."""
        pairs = zip(self.tensors, others, strict=True)
        return self._sizes_of(
            [None if a is None or b is None else b.detach() - a for a, b in pairs]
        )

    def relative(self, gaps: torch.Tensor) -> torch.Tensor:
        """Return the largest of some errors, each relative to the norm of its difference."""
        first = self._first
        limits = [self._sizes[:first], self._sizes[first:]]
        if first and self.beside is not None:
            limits[0] = torch.maximum(limits[0], self.beside.to(limits[0]))
        if len(limits[1]):
            # A difference that is small beside the others may be rounding of zero.
            limits[1] = torch.maximum(limits[1], 0.01 * norm([limits[1]]))
        limit = torch.cat(limits)
        return torch.where(gaps == 0, 0, gaps / limit).amax()

    @property
    def _first(self) -> int:
        """The number of norms that belong to the vector: 1 if it has parts, else 0."""
        pairs = zip(self._vector, self.tensors, strict=True)
        return int(any(v and t is not None for v, t in pairs))

    def _sizes_of(self, tensors: Tensors) -> torch.Tensor:
        every = zip(tensors, self._vector, strict=True)
        pairs = [(wide(t), v) for t, v in every if t is not None and v is not None]
        blocks = [[t for t, v in pairs if v], *([t] for t, v in pairs if not v)]
        norms = [norm(block) for block in blocks if block]
        return (
            torch.stack([n.to(norms[0]) for n in norms]) if norms else torch.zeros(0, device="cpu")
        )


def _norm_of(a: Tensors, b: Tensors) -> torch.Tensor:
    """Return the norm of the distance between two lists of tensors."""
    pairs = zip(a, b, strict=True)
    return norm(
        [wide(x.detach()) - wide(y.detach()) for x, y in pairs if x is not None and y is not None]
    )


def _like(tensors: Tensors, like: Tensors) -> list[torch.Tensor | None]:
    pairs = zip(tensors, like, strict=True)
    return [t if t is None or a is None else t.to(a.dtype) for t, a in pairs]


def _precision_of(output: torch.Tensor) -> tuple[float, set[str]]:
    """Return the worst precision in a tensor's graph, and the modules of its custom functions."""
    dtypes: set[torch.dtype] = {output.dtype}
    functions: set[str] = set()
    waiting: list[Any] = [output.grad_fn]
    seen: set[Any] = {None, output.grad_fn}
    while waiting:
        node = waiting.pop()
        if node is None:
            continue
        dtypes.update(output.dtype for output in node._input_metadata)
        if _is_custom(node):
            functions.add(node._forward_cls.__module__)
        fresh = {following for following, _ in node.next_functions} - seen
        seen |= fresh
        waiting += fresh
    return max(torch.finfo(dtype).eps for dtype in dtypes if dtype.is_floating_point), functions


def _is_custom(node: Any) -> bool:
    return isinstance(node, BackwardCFunction)
