"""A program with a gradient, and the comparison of the two."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from torchopt import checks
from torchopt.autodiff.environment import Environment
from torchopt.io.terminal import Progress
from torchopt.meta._differences import Difference, difference
from torchopt.pytree import flattening as pytree

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
    verdict: str


class _Tree:
    """A tree of tensors as a point: a function is called with copies of it."""

    def __init__(self, params: Any) -> None:
        leaves, self._spec = pytree.flatten(params)
        checks.check_not_empty(self._spec, "params")
        checks.check_floating(leaves, self._spec, "params")
        paths = checks.leaf_paths(self._spec, "params")
        self._present = [i for i, leaf in enumerate(leaves) if leaf is not None]
        self.names = [paths[i] for i in self._present]
        self.leaves = [leaves[i].detach().clone() for i in self._present]

    @contextmanager
    def at(self, leaves: list[torch.Tensor]) -> Iterator[tuple[Any, list[torch.Tensor]]]:
        inputs = [leaf.detach().clone().requires_grad_() for leaf in leaves]
        filled: list[Any] = [None] * self._spec.num_leaves
        for i, t in zip(self._present, inputs, strict=True):
            filled[i] = t
        yield pytree.unflatten(self._spec, filled), inputs

    def listed(self, grads: Any) -> list[torch.Tensor | None]:
        leaves, spec = pytree.flatten(grads)
        if len(leaves) != self._spec.num_leaves:
            checks.check_same_structure(self._spec, spec, root="grad(params)", reference="`params`")
        return [leaves[i] for i in self._present]


class _Module:
    """The parameters of a module as a point: written in place for a call, and restored."""

    def __init__(self, module: nn.Module) -> None:
        self._module = module
        named = dict(module.named_parameters())
        if not named:
            raise ValueError(f"{type(module).__name__} has no parameters.")
        self._slots = list(named.values())
        self.names = list(named)
        self.leaves = [p.detach().clone() for p in self._slots]

    @contextmanager
    def at(self, leaves: list[torch.Tensor]) -> Iterator[tuple[Any, list[torch.Tensor]]]:
        required = [p.requires_grad for p in self._slots]
        try:
            self._place(leaves)
            yield self._module, [p.requires_grad_() for p in self._slots]
        finally:
            self._place(self.leaves)
            for p, flag in zip(self._slots, required, strict=True):
                p.requires_grad_(flag)

    def _place(self, values: list[torch.Tensor]) -> None:
        with torch.no_grad():
            for p, value in zip(self._slots, values, strict=True):
                p.copy_(value)

    def listed(self, grads: Any) -> list[torch.Tensor | None]:
        return [grads[name] for name in self.names] if isinstance(grads, dict) else list(grads)


class FunctionWithGradient:
    """A function of tensors with a gradient, evaluated each time with the same randomness.

    Args:
        fn: The function.
        params: A tree of tensors, or a module.
        grad: The gradient of the function; autograd's if None.
        progress: Counts the evaluations.

    Attributes:
        names: What the leaves are called.
        leaves: The point.
        eps: The spacing of numbers at 1.
    """

    def __init__(
        self,
        fn: Callable[[Any], Any],
        params: Any,
        grad: Callable[[Any], Any] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._fn, self._grad, self._progress = fn, grad, progress
        self._point = _Module(params) if isinstance(params, nn.Module) else _Tree(params)
        self.names, self.leaves = self._point.names, self._point.leaves
        self.eps = max(torch.finfo(leaf.dtype).eps for leaf in self.leaves)
        self._environment = Environment()
        self._cotangents: tuple[list[torch.Tensor], ...] = ()

    def derivative(self, generator: torch.Generator) -> FunctionWithGradient:
        """Return the program whose value is the derivative of this one along a direction."""
        new = copy.copy(self)
        new._cotangents = (*self._cotangents, _draw(self.leaves, generator))
        return new

    @contextmanager
    def at(self, leaves: list[torch.Tensor]) -> Iterator[tuple[Any, list[torch.Tensor]]]:
        """Yield the argument of the function at a point, and the tensors to differentiate by."""
        with self._point.at(leaves) as placed, self._environment.evaluation():
            yield placed

    def value(self, leaves: list[torch.Tensor]) -> float:
        """Return the value at a point, as a number."""
        with self.at(leaves) as (params, inputs):
            return float(self.output(params, inputs).detach())

    def gradient(self) -> list[torch.Tensor | None]:
        """Return the gradient at the point."""
        with self.at(self.leaves) as (params, inputs):
            if self._cotangents:
                gradients = _autograd(self.output(params, inputs), inputs)
            else:
                gradients = self._first(params, inputs, create_graph=False)
            return [None if g is None else g.detach().clone() for g in gradients]

    def output(self, params: Any, inputs: list[torch.Tensor]) -> torch.Tensor:
        """Return the value at an argument that :meth:`at` yielded."""
        if not self._cotangents:
            return self._loss(params)
        grads = self._first(params, inputs, create_graph=True)
        value = _paired(grads, self._cotangents[0])
        for cotangent in self._cotangents[1:]:
            value = _paired(_autograd(value, inputs, create_graph=True), cotangent)
        return value

    def _first(
        self, params: Any, inputs: list[torch.Tensor], *, create_graph: bool
    ) -> list[torch.Tensor | None]:
        """Return the first gradient of the function: by the user's `grad`, or by autograd."""
        if self._grad is not None:
            return self._point.listed(self._grad(params))
        return _autograd(self._loss(params), inputs, create_graph=create_graph)

    def _loss(self, params: Any) -> torch.Tensor:
        if self._progress is not None:
            self._progress.advance()
        value = self._fn(params)
        checks.check_loss(value, what="the outer loss", needs_grad=False, value=False)
        return value.squeeze()


def _paired(grads: list[torch.Tensor | None], cotangent: list[torch.Tensor]) -> torch.Tensor:
    pairs = [(g * v).sum() for g, v in zip(grads, cotangent, strict=True) if g is not None]
    return torch.stack(pairs).sum() if pairs else cotangent[0].new_zeros(())


def _autograd(
    value: torch.Tensor, inputs: list[torch.Tensor], *, create_graph: bool = False
) -> list[torch.Tensor | None]:
    if not value.requires_grad:
        return [None] * len(inputs)
    grads = torch.autograd.grad(value, inputs, create_graph=create_graph, allow_unused=True)
    return list(grads)


def _draw(leaves: list[torch.Tensor], generator: torch.Generator) -> list[torch.Tensor]:
    """Draw a random direction, of the size of the leaves."""
    directions = []
    for leaf in leaves:
        v = torch.randn(
            leaf.shape, generator=generator, dtype=torch.float64, device=generator.device
        )
        directions.append(v.to(leaf) * _size(leaf))
    return directions


def _size(leaf: torch.Tensor) -> float:
    """Return the root mean square of a leaf; 1 for one that is zero."""
    return float(leaf.double().square().mean().sqrt()) or 1.0 if leaf.numel() else 1.0


class Comparison:
    """The comparison of one order."""

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
        self.center = math.nan
        self._generator = generator
        self._directions = [_draw(program.leaves, generator) for _ in range(count)]
        self.gradient: list[torch.Tensor | None] = []
        self._known: list[tuple[list[torch.Tensor], Difference]] = []
        self.wrong: list[str] = []

    def run(self) -> list[Direction]:
        """Compare along directions of all leaves; where that fails, along directions of each leaf."""
        program = self.program
        center = program.value(program.leaves)
        if not math.isfinite(center):
            raise ValueError(f"the outer loss is {center}: check at a point where it is finite.")
        self.center = center
        again = program.value(program.leaves)
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
            gradient = [torch.full_like(leaf, math.nan) for leaf in program.leaves]
        self.gradient = gradient
        if gradient and all(g is None for g in gradient) and self._is_constant(center):
            raise ValueError(
                "the outer loss does not depend on `params`: compute it from the argument of `fn`."
            )
        sizes = [_size(leaf) for leaf in program.leaves]
        usual = _usual(gradient, sizes)
        rows = [self._row("all", v, gradient, center, usual) for v in self._directions]
        failed = any(row.verdict == "wrong" for row in rows)
        several = len(program.leaves) > 1
        for i, (name, g) in enumerate(zip(program.names, gradient, strict=True)):
            unread = g is None or not bool(g.any())
            if several and (failed or unread) and self.raised is None:
                within = [
                    v if j == i else torch.zeros_like(v) for j, v in enumerate(self._directions[0])
                ]
                usual_here = _usual([g], sizes[i : i + 1])
                row = self._row(name, within, gradient, center, usual_here)
                if row.verdict == "wrong":
                    self.wrong.append(name)
                if failed or row.verdict == "wrong":
                    rows.append(row)
        if not several and failed:
            self.wrong.append(program.names[0])
        if self.raised is not None and not failed:
            raise self.raised
        return rows

    def _is_constant(self, center: float) -> bool:
        return all(self._differentiate(v, center, 0.0).value == 0 for v in self._directions)

    def _row(
        self,
        name: str,
        v: list[torch.Tensor],
        gradient: list[torch.Tensor | None],
        center: float,
        usual: float,
    ) -> Direction:
        along = _inner(gradient, v)
        measured = self._differentiate(v, center, usual)
        verdict, relative = self._judge(along, measured, usual)
        if verdict == "wrong" and math.isfinite(along):
            # Once more with other steps: kinks nearby are met at other places then.
            other = self._differentiate(v, center, usual, start=_GOLDEN)
            error = max(measured.error, other.error, abs(measured.value - other.value))
            measured = Difference(measured.value, error, measured.kink or other.kink)
            verdict, relative = self._judge(along, measured, usual)
        if verdict == "wrong" or (verdict == "right" and name == "all"):
            self._known.append((v, measured))
        return Direction(name, self.order, along, measured.value, measured.error, relative, verdict)

    def _judge(self, along: float, measured: Difference, usual: float) -> tuple[str, float]:
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

    def _differentiate(
        self, v: list[torch.Tensor], center: float, usual: float, *, start: float = 1.0
    ) -> Difference:
        leaves, eps = self.program.leaves, self.program.eps

        def along(h: float) -> float:
            return self.program.value([p + h * d for p, d in zip(leaves, v, strict=True)])

        return difference(along, center, eps=eps, rtol=self.rtol, scale=usual, start=start)

    def is_finite(self) -> bool:
        """Whether all entries of the gradient are numbers."""
        return all(g is None or bool(g.isfinite().all()) for g in self.gradient)

    def holds(self) -> bool:
        """Whether the gradient is right in a program that was changed since the comparison."""
        program = self.program
        if not self._is_same(program.value(program.leaves)):
            new = Comparison(program, self.order, self.rtol, self._generator, 1)
            return {row.verdict for row in new.run()} == {"right"}
        gradient = program.gradient()
        usual = _usual(gradient, [_size(leaf) for leaf in program.leaves])
        for v, measured in self._known:
            along = _inner(gradient, v)
            scale = max(abs(measured.value), abs(along), usual)
            if not abs(along - measured.value) <= self.rtol * scale + measured.error:
                return False
        return True

    def _is_same(self, value: float) -> bool:
        size = max(abs(self.center), abs(value))
        return abs(value - self.center) <= 100 * self.program.eps * size


def _inner(gradient: list[torch.Tensor | None], v: list[torch.Tensor]) -> float:
    pairs = [(g, d) for g, d in zip(gradient, v, strict=True) if g is not None]
    # Where a direction is zero, what is not finite there says nothing.
    return sum(float((g * d).double().sum()) for g, d in pairs if bool(d.any()))


def _usual(gradient: list[torch.Tensor | None], sizes: list[float]) -> float:
    """Return the typical size of the derivative along a random direction."""
    pairs = [(g, s) for g, s in zip(gradient, sizes, strict=True) if g is not None]
    size = math.sqrt(sum(float(g.double().square().sum()) * s * s for g, s in pairs))
    return size if math.isfinite(size) else 0.0
