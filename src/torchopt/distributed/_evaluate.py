"""What a worker does: a function's values, or the vector-Jacobian product of that, to any order.

A call is stateless: the function, its inputs and a seed. So any worker can do it, and do it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch

from torchopt._ambient import Ambient
from torchopt._replay import seeded
from torchopt.distributed._pack import pack, unpack

__all__ = ["Job", "Level", "Outcome", "evaluate", "evaluate_retained", "forget"]

Tensors = Sequence[torch.Tensor]


@dataclass(frozen=True)
class Level:
    """One vector-Jacobian product.

    Attributes:
        moving: The inputs of the level below that it is taken with respect to.
        cotangents: The outputs of the level below that have a cotangent; these are further inputs.
    """

    moving: tuple[int, ...]
    cotangents: tuple[int, ...]


@dataclass(frozen=True)
class Job:
    """A function whose inputs are tensors.

    Attributes:
        payload: The function and its arguments, without their tensors.
        size: The number of tensors.
        seed: The state of PyTorch's random numbers.
        ambient: The settings under which it runs.
        levels: The vector-Jacobian products of it that are asked for, innermost first.
        eager: The inputs with respect to which the gradient comes with a value that is a scalar.
        retain: Under which key the graph is kept for :func:`evaluate_retained`.
    """

    payload: bytes
    size: int
    seed: int
    ambient: Ambient
    levels: tuple[Level, ...] = ()
    eager: tuple[int, ...] = ()
    retain: str | None = None

    def vjp(self, level: Level) -> Job:
        """Return the vector-Jacobian product of this job."""
        return replace(self, levels=(*self.levels, level), eager=(), retain=None)

    def inputs(self, levels: int) -> int:
        """Return the number of inputs of the first levels."""
        return self.size + sum(len(level.cotangents) for level in self.levels[:levels])


class Outcome(NamedTuple):
    """What a worker sends back.

    Attributes:
        tensors: The outputs; of a product, None where the function does not depend on the input.
        payload: The result without its tensors; only of a function's value.
        live: Which outputs depend on the inputs that were asked about, where this is known.
        gradient: The gradient that comes with a scalar, by input, None where it does not depend on it.
    """

    tensors: tuple[torch.Tensor | None, ...]
    payload: bytes = b""
    live: tuple[bool, ...] | None = None
    gradient: tuple[torch.Tensor | None, ...] | None = None


_RETAINED: dict[str, tuple[list[torch.Tensor], list[torch.Tensor]]] = {}


def evaluate(job: Job, inputs: Tensors) -> Outcome:
    """Return the outputs of a job."""
    with seeded(job.seed), job.ambient.under():
        inputs = [t.detach() for t in inputs]
        if job.levels:
            tensors, _ = _outputs(job, len(job.levels), inputs)
            return Outcome(tuple(None if t is None else t.detach() for t in tensors))
        given = list(inputs)
        moving = job.eager
        for k in moving:
            given[k] = given[k].detach().requires_grad_()
        with torch.set_grad_enabled(bool(moving)):
            tensors, payload = _value(job, given)
        live = tuple(t.requires_grad for t in tensors) if moving else None
        gradient = None
        scalars = [t for t in tensors if t.requires_grad]
        if moving and len(scalars) == 1 and scalars[0].numel() == 1 and job.retain is None:
            (scalar,) = scalars
            one = torch.ones_like(scalar)
            gradient = torch.autograd.grad(
                scalar, [given[k] for k in moving], one, allow_unused=True
            )
        if job.retain is not None:
            _RETAINED[job.retain] = ([given[k] for k in moving], list(tensors))
        return Outcome(tuple(t.detach() for t in tensors), payload, live, gradient)


def evaluate_retained(job: Job, inputs: Tensors, cotangents: Tensors) -> Outcome:
    """Return the outermost product of a job from the graph that its value left here, if it is here."""
    kept = _RETAINED.pop(job.retain or "", None)
    if kept is None:
        product = replace(job, retain=None)
        return evaluate(product, [*inputs, *cotangents])
    moving, outputs = kept
    chosen = [outputs[k] for k in job.levels[-1].cotangents]
    return Outcome(_vjp(chosen, moving, cotangents, create_graph=False))


def forget(keys: Sequence[str]) -> None:
    """Free the graphs that were kept for products which nobody will ask for."""
    for key in keys:
        _RETAINED.pop(key, None)


def _value(job: Job, inputs: Tensors) -> tuple[tuple[torch.Tensor, ...], bytes]:
    function, args = unpack(job.payload, inputs)
    name = getattr(function, "__qualname__", type(function).__name__)
    packed = pack(function(*args), f"the result of `{name}`")
    return packed.tensors, packed.payload


def _outputs(
    job: Job, levels: int, inputs: Tensors
) -> tuple[tuple[torch.Tensor | None, ...], bytes]:
    if levels == 0:
        return _value(job, inputs)
    level, size = job.levels[levels - 1], job.inputs(levels - 1)
    below, cotangents = list(inputs[:size]), inputs[size:]
    for k in level.moving:
        if not below[k].requires_grad:
            below[k] = below[k].detach().requires_grad_()
    with torch.enable_grad():
        found, _ = _outputs(job, levels - 1, below)
    chosen = [found[k] for k in level.cotangents]
    moving = [below[k] for k in level.moving]
    return _vjp(chosen, moving, cotangents, create_graph=levels < len(job.levels)), b""


def _vjp(
    outputs: Sequence[torch.Tensor | None], inputs: Tensors, cotangents: Tensors, create_graph: bool
) -> tuple[torch.Tensor | None, ...]:
    pairs = [
        (y, c)
        for y, c in zip(outputs, cotangents, strict=True)
        if y is not None and y.requires_grad
    ]
    if not pairs or not inputs:
        return (None,) * len(inputs)
    ys, cs = zip(*pairs, strict=True)
    return torch.autograd.grad(ys, list(inputs), cs, create_graph=create_graph, allow_unused=True)
