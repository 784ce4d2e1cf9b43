"""A program with a gradient, and the comparison of the two: all leaves are one vector of float64."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal, TypeAlias

import torch
from torch import nn

from torchopt import checks
from torchopt.autodiff.environment import Environment
from torchopt.errors import NonFiniteError
from torchopt.io.terminal import Progress
from torchopt.meta._differences import Difference, difference
from torchopt.pytree import flattening as pytree

Verdict: TypeAlias = Literal["right", "wrong", "inconclusive"]

# What is off by more than so many times the error of the difference is wrong.
_CERTAIN = 10.0
_GOLDEN = 0.618


@dataclass(frozen=True)
class Direction:
    """The derivative along one direction.

    Attributes:
        name: The leaf in which the direction lies; ``"all"``.
        order: 1 for the meta-gradient, 2 for its derivative, and so on.
        gradient: What the gradient says.
        difference: What finite differences say.
        error: An estimate of their error.
        relative: Their distance, relative to the larger or to a typical derivative.
        verdict: ``"right"``, ``"wrong"``, or ``"inconclusive"`` where the differences do not agree
            with each other, as at a kink.
    """

    name: str
    order: int
    gradient: float
    difference: float
    error: float
    relative: float
    verdict: Verdict


class FunctionWithGradient:
    """A function of tensors with a gradient, evaluated each time with the same randomness.

    Args:
        fn: The function.
        params: A tree of tensors, of which a call gets copies; or a module, whose parameters are
            written in place for a call, and restored.
        grad: The gradient of the function; autograd's if None.
        progress: Counts the evaluations.

    Attributes:
        x: The point, as one vector.
        scale: The root mean square of the leaf of each entry; 1 for a leaf that is zero.
        leaves: The name of each leaf, and its place in the vector.
        eps: The spacing of numbers at 1.
    """

    def __init__(
        self,
        fn: Callable[[Any], Any],
        params: Any,
        grad: Callable[[Any], Any] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._fn, self._gradient_of_user, self._progress = fn, grad, progress
        self._module = params if isinstance(params, nn.Module) else None
        tree = params if self._module is None else [*self._module.parameters()]
        leaves, self._spec = pytree.flatten(tree)
        checks.check_not_empty(self._spec, "params")
        checks.check_floating(leaves, self._spec, "params")
        names = checks.leaf_paths(self._spec, "params")
        if self._module is not None:
            names = [name for name, _ in self._module.named_parameters()]
        self._is_none = [leaf is None for leaf in leaves]
        self._slots = self._present(leaves)
        self.eps = max(torch.finfo(leaf.dtype).eps for leaf in self._slots)
        self.x = self._vector([leaf.detach() for leaf in self._slots])
        ends = [0, *accumulate(leaf.numel() for leaf in self._slots)]
        self.leaves = [*zip(self._present(names), map(slice, ends, ends[1:]), strict=True)]
        sizes = [float(t.double().square().mean().sqrt()) for t in self._parts(self.x)]
        scale = [torch.full_like(t, size) for t, size in zip(self._slots, sizes, strict=True)]
        self.scale = self._vector(scale)
        self.scale[self.scale == 0] = 1
        self._environment = Environment()

    def _present(self, leaves: Sequence[Any]) -> list[Any]:
        """Return what belongs to the leaves that are tensors."""
        return [x for x, is_none in zip(leaves, self._is_none, strict=True) if not is_none]

    def derivative(self, v: torch.Tensor) -> FunctionWithGradient:
        """Return the program whose value is the derivative of this one along a direction."""

        def slope(params: Any) -> torch.Tensor:
            gradient = self._gradient(params, create_graph=True)
            return self.x.new_zeros(()) if gradient is None else gradient @ v

        new = copy.copy(self)
        new._fn, new._gradient_of_user, new._progress = slope, None, None
        return new

    @property
    def dtypes(self) -> list[torch.dtype]:
        """The dtype of each leaf."""
        return [leaf.dtype for leaf in self._slots]

    def in_precision(self, dtype: torch.dtype) -> FunctionWithGradient:
        """Return the program at the same point, with leaves in another dtype; a module keeps its."""
        new = copy.copy(self)
        if self._module is None:
            new._slots = [leaf.to(dtype) for leaf in self._slots]
        return new

    def draw(self, generator: torch.Generator) -> torch.Tensor:
        """Return a random direction, of the size of the leaves."""
        options: dict[str, Any] = {"dtype": torch.float64, "device": generator.device}
        return torch.randn(len(self.x), generator=generator, **options).to(self.x) * self.scale

    @contextmanager
    def at(self, x: torch.Tensor) -> Iterator[Any]:
        """Yield the argument of the function at a point, whose tensors require grad."""
        with self._placed(x) as params, self._environment.evaluation():
            yield params

    @contextmanager
    def _placed(self, x: torch.Tensor) -> Iterator[Any]:
        if self._module is None:
            copies = iter([part.clone().requires_grad_() for part in self._parts(x)])
            leaves = [None if is_none else next(copies) for is_none in self._is_none]
            yield pytree.unflatten(self._spec, leaves)
            return
        required = [p.requires_grad for p in self._slots]
        try:
            self._write(x)
            self._module.requires_grad_()
            yield self._module
        finally:
            self._write(self.x)
            for p, flag in zip(self._slots, required, strict=True):
                p.requires_grad_(flag)

    def inputs(self, params: Any) -> list[torch.Tensor]:
        """Return the tensors of an argument that :meth:`at` yielded."""
        return self._slots if params is self._module else self._present(pytree.leaves(params))

    def _write(self, x: torch.Tensor) -> None:
        with torch.no_grad():
            for p, part in zip(self._slots, self._parts(x), strict=True):
                p.copy_(part)

    def _parts(self, x: torch.Tensor) -> list[torch.Tensor]:
        """Return a vector as tensors like the leaves."""
        parts = x.split([leaf.numel() for leaf in self._slots])
        return [t.view(p.shape).to(p) for t, p in zip(parts, self._slots, strict=True)]

    def _vector(self, parts: Iterable[torch.Tensor]) -> torch.Tensor:
        return torch.cat([t.reshape(-1).to(self._slots[0].device, torch.float64) for t in parts])

    def value(self, x: torch.Tensor) -> float:
        """Return the value at a point, as a number."""
        with self.at(x) as params:
            return float(self.output(params).detach())

    def gradient(self) -> torch.Tensor | None:
        """Return the gradient at the point; None if the value depends on no leaf."""
        with self.at(self.x) as params:
            gradient = self._gradient(params, create_graph=False)
            return None if gradient is None else gradient.detach()

    def output(self, params: Any) -> torch.Tensor:
        """Return the value at an argument that :meth:`at` yielded."""
        if self._progress is not None:
            self._progress.advance()
        value = self._fn(params)
        checks.check_loss(value, what="the outer loss", needs_grad=False, value=False)
        return value.squeeze()

    def _gradient(self, params: Any, *, create_graph: bool) -> torch.Tensor | None:
        """Return the gradient, by the user's `grad` or by autograd."""
        inputs = self.inputs(params)
        grads: Sequence[torch.Tensor | None] = [None] * len(inputs)
        if self._gradient_of_user is not None:
            tree = self._gradient_of_user(params)
            if self._module is not None and isinstance(tree, dict):
                tree = [tree[name] for name, _ in self.leaves]
            leaves, spec = pytree.flatten(tree)
            if len(leaves) != self._spec.num_leaves:
                names = {"root": "grad(params)", "reference": "`params`"}
                checks.check_same_structure(self._spec, spec, **names)
            grads = self._present(leaves)
        elif (value := self.output(params)).requires_grad:
            grads = torch.autograd.grad(value, inputs, create_graph=create_graph, allow_unused=True)
        if all(g is None for g in grads):
            return None
        pairs = zip(grads, inputs, strict=True)
        return self._vector(torch.zeros_like(t) if g is None else g for g, t in pairs)


class Comparison:
    """The comparison of one order.

    Attributes:
        raised: What the gradient raised instead.
        gradient: The gradient; NaN if it was refused.
        wrong: The names of the leaves in which it is wrong.
    """

    def __init__(
        self,
        program: FunctionWithGradient,
        order: int,
        rtol: float,
        generator: torch.Generator,
        count: int,
    ) -> None:
        self.program, self.order, self.rtol = program, order, rtol
        self.raised: Exception | None = None
        self.wrong: list[str] = []
        self.gradient = torch.zeros_like(program.x)
        self._center = math.nan
        self._generator = generator
        self._directions = [program.draw(generator) for _ in range(count)]
        self._known: list[tuple[torch.Tensor, Difference]] = []

    def run(self) -> list[Direction]:
        """Compare along directions of all leaves; where that fails, along directions of each leaf."""
        program = self.program
        center = self._center = program.value(program.x)
        if not math.isfinite(center):
            raise NonFiniteError(
                f"the outer loss is {center}: check at a point where it is finite."
            )
        again = program.value(program.x)
        if not self._is_same(again):
            raise ValueError(
                f"`fn` is no function of `params`: two evaluations at the same point gave {center:.9g} "
                f"and {again:.9g}; let it start from the same inner parameters, optimizer state and "
                f"data each time."
            )
        try:
            gradient = program.gradient()
        except RuntimeError as error:  # what has no derivative; why is told, or it is raised again
            self.raised = error
            gradient = torch.full_like(program.x, math.nan)
        if gradient is not None:
            self.gradient = gradient
        elif all(self._differentiate(v, 0.0).value == 0 for v in self._directions):
            raise ValueError(
                "the outer loss does not depend on `params`: compute it from the argument of `fn`."
            )
        rows = [self._row("all", v) for v in self._directions]
        failed = any(row.verdict == "wrong" for row in rows)
        if self.raised is not None:
            if not failed:
                raise self.raised
            return rows
        if len(program.leaves) == 1:
            self.wrong += [program.leaves[0][0]] if failed else []
            return rows
        for name, here in program.leaves:
            if failed or not self.gradient[here].any():
                within = torch.zeros_like(program.x)
                within[here] = self._directions[0][here]
                row = self._row(name, within)
                self.wrong += [name] if row.verdict == "wrong" else []
                rows += [row] if failed or row.verdict == "wrong" else []
        return rows

    def _row(self, name: str, v: torch.Tensor) -> Direction:
        along, usual = self._along(self.gradient, v)
        measured = self._differentiate(v, usual)
        verdict, relative = self._judge(along, measured, usual)
        if verdict == "wrong" and math.isfinite(along):
            # Once more with other steps: kinks nearby are met at other places then.
            other = self._differentiate(v, usual, start=_GOLDEN)
            error = max(measured.error, other.error, abs(measured.value - other.value))
            measured = Difference(measured.value, error, measured.kink or other.kink)
            verdict, relative = self._judge(along, measured, usual)
        if verdict == "wrong" or (verdict == "right" and name == "all"):
            self._known.append((v, measured))
        return Direction(name, self.order, along, measured.value, measured.error, relative, verdict)

    def _along(self, gradient: torch.Tensor, v: torch.Tensor) -> tuple[float, float]:
        """Return the derivative along a direction, and the typical size of one in its leaves."""
        # Where a direction is zero, what is not finite there says nothing.
        moves = v != 0
        size = float((gradient * self.program.scale)[moves].norm())
        return float((gradient * v)[moves].sum()), size if math.isfinite(size) else 0.0

    def _judge(self, along: float, measured: Difference, usual: float) -> tuple[Verdict, float]:
        """Return a verdict, and the relative error of a derivative against a difference."""
        if not math.isfinite(along):
            return "wrong", math.nan
        gap = abs(along - measured.value)
        scale = max(abs(measured.value), abs(along), usual)
        relative = gap / scale if scale else 0.0
        if gap <= self.rtol * scale:
            return "right", relative
        if not math.isfinite(relative) or measured.kink:
            return "inconclusive", relative
        certain = gap > self.rtol * scale + _CERTAIN * measured.error
        return "wrong" if certain else "inconclusive", relative

    def _differentiate(self, v: torch.Tensor, usual: float, *, start: float = 1.0) -> Difference:
        program = self.program
        return difference(
            lambda h: program.value(program.x + h * v),
            self._center,
            eps=program.eps,
            rtol=self.rtol,
            scale=usual,
            start=start,
        )

    def holds(self) -> bool:
        """Whether the gradient is right in a program that was changed since the comparison."""
        program = self.program
        if not self._is_same(program.value(program.x)):
            new = Comparison(program, self.order, self.rtol, self._generator, 1)
            return {row.verdict for row in new.run()} == {"right"}
        gradient = program.gradient()
        gradient = torch.zeros_like(program.x) if gradient is None else gradient
        for v, measured in self._known:
            along, usual = self._along(gradient, v)
            scale = max(abs(measured.value), abs(along), usual)
            if not abs(along - measured.value) <= self.rtol * scale + measured.error:
                return False
        return True

    def _is_same(self, value: float) -> bool:
        size = max(abs(self._center), abs(value))
        return abs(value - self._center) <= 100 * self.program.eps * size
