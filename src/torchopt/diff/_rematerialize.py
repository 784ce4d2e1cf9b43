"""Compute a step again in the backward pass instead of keeping its graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch.utils.checkpoint import checkpoint

from torchopt import errors
from torchopt._closure import Reads, Substitute
from torchopt._replay import Replay
from torchopt.diff._problem import Solution
from torchopt.pytree import _registry as pytree

__all__ = ["rematerialize"]

Step = Callable[[int, Solution, tuple[Any, ...]], Solution]


# Whether a step is rematerialized by an autograd.Function around this one; those do not nest.
_INSIDE: ContextVar[bool] = ContextVar("inside a rematerialized step", default=False)


@contextmanager
def _inside(function: bool) -> Iterator[None]:
    token = _INSIDE.set(function or _INSIDE.get())
    try:
        yield
    finally:
        _INSIDE.reset(token)


def rematerialize(step: Step) -> Step:
    """Return a step with the same value and derivatives that keeps its inputs only.

    Random numbers and buffers of modules are replayed, so that the second computation sees what the
    first one saw, and leaves what it left.
    """

    def rematerialized(index: int, carry: Solution, batch: tuple[Any, ...]) -> Solution:
        if not torch.is_grad_enabled() or _INSIDE.get():
            # There is no graph to keep; or it lives as long as the step around it is computed.
            return step(index, carry, batch)
        # The auxiliary output of the step before is no input.
        kept = Solution(carry.params, carry.state, carry=carry.carry)
        inputs, spec = pytree.flatten((kept, batch))
        out_spec: list[Any] = []
        transformed = errors.transforms_active()
        replay = Replay()

        def flat_step(*leaves: Any) -> tuple[Any, ...]:
            with replay(), _inside(transformed):
                out, found = pytree.flatten(step(index, *pytree.unflatten(spec, leaves)))
            out_spec[:] = [found]
            return tuple(out)

        out = (_through_function if transformed else _through_checkpoint)(flat_step, inputs)
        return pytree.unflatten(out_spec[0], out)

    return rematerialized


def _through_checkpoint(flat_step: Callable[..., tuple[Any, ...]], inputs: list[Any]) -> Any:
    try:
        return checkpoint(flat_step, *inputs, use_reentrant=False, preserve_rng_state=True)
    except RuntimeError as error:
        if "support saved tensor hooks" not in str(error):
            raise
        raise RuntimeError(
            'memory="step" cannot rematerialize an objective that uses torch.func itself, because '
            'PyTorch cannot checkpoint it: use memory="graph", or differentiate the whole with '
            "torch.func.grad."
        ) from error


# Inside torch.func, where PyTorch's checkpointing raises: an autograd.Function whose backward pass
# is the vjp of the step. It must be told all that the step reads, closed-over tensors too.


def _through_function(flat_step: Callable[..., tuple[Any, ...]], inputs: list[Any]) -> Any:
    reads = Reads(inputs)
    generator_before = torch.get_rng_state()
    with reads, torch.no_grad():
        probe = flat_step(*inputs)
    if not torch.equal(generator_before, torch.get_rng_state()):
        raise RuntimeError(
            'memory="step" cannot replay random numbers inside torch.func: draw them outside the '
            'objective and pass them in `batches`, or use memory="graph".'
        )
    tensors = [i for i, value in enumerate(inputs) if isinstance(value, torch.Tensor)]
    constants = list(inputs)
    free = reads.free

    def call(*flat: torch.Tensor) -> tuple[Any, ...]:
        arguments = list(constants)
        for i, t in zip(tensors, flat, strict=False):
            arguments[i] = t
        with Substitute(dict(zip(map(id, free), flat[len(tensors) :], strict=True))):
            out = flat_step(*arguments)
        return tuple(value for value in out if isinstance(value, torch.Tensor))

    out = iter(_Rematerialized.apply(call, *(inputs[i] for i in tensors), *free))
    return [next(out) if isinstance(value, torch.Tensor) else value for value in probe]


class _Rematerialized(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(call: Any, *flat: Any) -> Any:
        with torch.no_grad():
            # Copies, since an output that is an input would be taken for a view of it.
            return tuple(t.clone() for t in call(*flat))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.call, *flat = inputs
        ctx.save_for_backward(*flat)
        ctx.save_for_forward(*flat)
        ctx.mark_non_differentiable(*(t for t in output if not t.is_floating_point()))

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        flat = ctx.saved_tensors  # once: checkpointing unpacks them anew each time
        restricted, moving, keep = _restrict(ctx.call, flat)
        vjp = torch.func.vjp(restricted, *moving)[1]
        found = iter(vjp(tuple(c for c, k in zip(cotangents, keep(), strict=True) if k)))
        return (None, *(next(found) if t.is_floating_point() else None for t in flat))

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        restricted, moving, keep = _restrict(ctx.call, ctx.saved_tensors)
        directions = tuple(
            torch.zeros_like(t) if v is None else v
            for t, v in zip(ctx.saved_tensors, tangents, strict=True)
            if t.is_floating_point()
        )
        found = iter(torch.func.jvp(restricted, moving, directions)[1])
        return tuple(next(found) if k else None for k in keep())


def _restrict(call: Any, flat: tuple[torch.Tensor, ...]) -> tuple[Any, tuple[Any, ...], Any]:
    """Restrict a function to its floating arguments and values; counters have no derivative."""
    moving = tuple(t for t in flat if t.is_floating_point())
    kept: list[bool] = []

    def restricted(*values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        it = iter(values)
        out = call(*(next(it) if t.is_floating_point() else t for t in flat))
        kept[:] = [t.is_floating_point() for t in out]
        return tuple(t for t in out if t.is_floating_point())

    return restricted, moving, lambda: kept
