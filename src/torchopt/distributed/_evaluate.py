"""What a worker computes: values of a function, or its vector-Jacobian products of any order.

A call is stateless: the function, its inputs and a seed. So any worker can run it, and repeat it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch

from torchopt.autodiff.environment import TorchSettings
from torchopt.autodiff.generators import seeded
from torchopt.autodiff.second_order import gradient
from torchopt.distributed._pack import pack, unpack

Tensors = Sequence[torch.Tensor]


@dataclass(frozen=True)
class Level:
    """One vector-Jacobian product.

    Attributes:
        moving: The inputs of the level below with respect to which the product is taken.
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
        settings: The settings under which it runs.
        levels: The requested vector-Jacobian products, innermost first.
        grad: Whether gradients were enabled where it was called.
        requires: The inputs that required grad there.
        eager: Whether to return the gradient with the value, if that is one scalar.
        retain: The key under which the graph is kept for :func:`evaluate_retained`.
    """

    payload: bytes
    size: int
    seed: int
    settings: TorchSettings
    levels: tuple[Level, ...] = ()
    grad: bool = False
    requires: tuple[int, ...] = ()
    eager: bool = False
    retain: str | None = None

    def vjp(self, level: Level) -> Job:
        """Return the vector-Jacobian product of this job."""
        return replace(self, levels=(*self.levels, level), eager=False, retain=None)

    def variables(self, inputs: Tensors) -> list[torch.Tensor]:
        """Return the inputs with the `requires_grad` that they had in the caller."""
        variables = list(inputs)
        for k in self.requires:
            if not variables[k].requires_grad:
                variables[k] = variables[k].detach().requires_grad_()
        return variables

    def inputs(self, levels: int) -> int:
        """Return the number of inputs of the first levels."""
        return self.size + sum(len(level.cotangents) for level in self.levels[:levels])


class Outcome(NamedTuple):
    """The answer of a worker.

    Attributes:
        tensors: The outputs; of a product, None where the function does not depend on the input.
        payload: The result without its tensors; only of a function's value.
        live: Which outputs depend on the requested inputs, if known.
        gradient: The gradient of a scalar, by input; None for an input that it does not depend on.
    """

    tensors: tuple[torch.Tensor | None, ...]
    payload: bytes = b""
    live: tuple[bool, ...] | None = None
    gradient: tuple[torch.Tensor | None, ...] | None = None


_RETAINED: dict[str, tuple[list[torch.Tensor], list[torch.Tensor]]] = {}


def evaluate(job: Job, inputs: Tensors) -> Outcome:
    """Return the outputs of a job."""
    outside = job.settings._replace(autocast=())
    with seeded(job.seed), outside.applied():
        inputs = [t.detach() for t in inputs]
        if job.levels:
            tensors, _ = _outputs(job, len(job.levels), inputs)
            return Outcome(tuple(None if t is None else t.detach() for t in tensors))
        with torch.set_grad_enabled(job.grad):
            variables = job.variables(inputs)
            tensors, payload = _value(job, variables)
        moving = [variables[k] for k in job.requires]
        live = tuple(t.requires_grad for t in tensors) if job.eager else None
        gradient = None
        scalars = [t for t in tensors if t.requires_grad]
        # Half precision is for losses that are scaled: a gradient for cotangent 1 may underflow.
        half = any(dtype == torch.float16 for _, dtype in job.settings.autocast)
        if job.eager and len(scalars) == 1 and scalars[0].numel() == 1 and not half:
            gradient = _gradient(scalars[0], moving)
        if job.retain is not None and gradient is None:
            _RETAINED[job.retain] = (variables, list(tensors))
        return Outcome(tuple(t.detach() for t in tensors), payload, live, gradient)


def _gradient(scalar: torch.Tensor, inputs: Tensors) -> tuple[torch.Tensor | None, ...] | None:
    """Return the gradient of a scalar; None if its multiples may be wrong (rounding, overflow)."""
    if scalar.is_complex() or any(t.element_size() < 4 for t in (scalar, *inputs)):
        return None
    gradients = torch.autograd.grad(
        scalar, list(inputs), torch.ones_like(scalar), allow_unused=True, retain_graph=True
    )
    good = all(bool(torch.isfinite(g).all()) for g in gradients if g is not None)
    return gradients if good else None


def evaluate_retained(job: Job, inputs: Tensors, cotangents: Tensors) -> Outcome:
    """Return the outermost product of a job from the graph retained here, or None without one."""
    kept = _RETAINED.pop(job.retain or "", None)
    if kept is None:
        product = replace(job, retain=None)
        return evaluate(product, [*inputs, *cotangents])
    variables, outputs = kept
    level = job.levels[-1]
    chosen, moving = [outputs[k] for k in level.cotangents], [variables[k] for k in level.moving]
    return Outcome(_vjp(chosen, moving, cotangents, create_graph=False))


def forget(keys: Sequence[str]) -> None:
    """Free retained graphs whose products are no longer needed."""
    for key in keys:
        _RETAINED.pop(key, None)


def _value(job: Job, inputs: Tensors) -> tuple[tuple[torch.Tensor, ...], bytes]:
    function, args = unpack(job.payload, inputs)
    name = getattr(function, "__qualname__", type(function).__name__)
    with job.settings.applied():  # not the backward pass, as without workers
        result = function(*args)
    packed = pack(result, f"the result of `{name}`")
    return packed.tensors, packed.payload


def _outputs(
    job: Job, levels: int, inputs: Tensors
) -> tuple[tuple[torch.Tensor | None, ...], bytes]:
    if levels == 0:
        return _value(job, job.variables(inputs))
    level, size = job.levels[levels - 1], job.inputs(levels - 1)
    below, cotangents = list(inputs[:size]), inputs[size:]
    for k in level.moving:
        if not below[k].requires_grad:
            below[k] = below[k].detach().requires_grad_()
    with torch.enable_grad():
        values, _ = _outputs(job, levels - 1, below)
    chosen = [values[k] for k in level.cotangents]
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
    return gradient(ys, list(inputs), cs, create_graph=create_graph, allow_unused=True)
