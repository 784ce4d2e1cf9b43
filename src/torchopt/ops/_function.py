"""The differentiable call of a kernel: every derivative of a kernel is the call of another kernel.

Where a graph has no kernel (order three and above, no binary, a dtype or device without one), its call
is the evaluation in plain PyTorch operations, which autograd can go through by itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch.autograd import forward_ad

from torchopt.native.cuda import ABSENT, FLAT, LIST
from torchopt.ops._backend import Kernel, kernel_of
from torchopt.ops._evaluate import evaluate
from torchopt.ops._graph import Graph

__all__ = ["ABSENT", "FLAT", "LIST", "Signature", "call", "pack", "padded", "signature", "unpack"]


@dataclass(frozen=True, eq=False)
class Signature:
    """How the arguments of a graph travel as one list of tensors.

    Attributes:
        graph: The graph to evaluate.
        leaves: How many leaves a list has.
        inputs: How each tensor of the graph travels.
        outputs: How each output of the graph travels.
    """

    graph: Graph
    leaves: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    @cached_property
    def modes(self) -> list[int]:
        """How inputs and outputs travel."""
        return [*self.inputs, *self.outputs]

    @cached_property
    def input_blocks(self) -> list[slice]:
        """The place of each input among the tensors."""
        return self._blocks(self.inputs)

    @cached_property
    def output_blocks(self) -> list[slice]:
        """The place of each output among the results."""
        return self._blocks(self.outputs)

    @cached_property
    def size(self) -> int:
        """How many tensors the inputs are; scalars that are tensors come after them."""
        return self.input_blocks[-1].stop

    def kept(self, *, of_scalars: bool) -> Signature:
        """Return how those inputs travel that derivatives read: the others need not be saved."""
        if FLAT in self.modes:  # their shapes are those of the lists
            return self
        # The jvp reads what the vjp reads: what the Jacobian depends on.
        derivative = self.graph.vjps if of_scalars else self.graph.vjp
        modes = (
            mode if name in derivative.reads else ABSENT
            for name, mode in zip(self.graph.tensors, self.inputs, strict=True)
        )
        return signature(self.graph, self.leaves, tuple(modes), self.outputs)

    def _blocks(self, modes: Sequence[int]) -> list[slice]:
        blocks, at = [], 0
        for mode in modes:
            count = self.leaves if mode == LIST else int(mode == FLAT)
            blocks.append(slice(at, at + count))
            at += count
        return blocks


def signature(
    graph: Graph, leaves: int, inputs: tuple[int, ...], outputs: tuple[int, ...]
) -> Signature:
    """Return how the arguments of a graph travel; made once for a graph."""
    known: dict[Any, Signature] = graph.__dict__.setdefault("_signatures", {})
    key = (leaves, inputs, outputs)
    found = known.get(key)
    if found is None:
        found = known[key] = Signature(graph, leaves, inputs, outputs)
    return found


def call(
    how: Signature, scalars: Sequence[float | None], tensors: Sequence[torch.Tensor]
) -> Sequence[torch.Tensor]:
    """Evaluate a graph, by its kernel if there is one.

    Args:
        how: The graph, and how its arguments travel.
        scalars: The value of each scalar; None for the next of the tensors after the inputs, which
            have no dimensions.
        tensors: The inputs one after the other, then the scalars that are tensors.

    Returns:
        The tensors of each output that is wanted, and the sums, one tensor each.
    """
    kernel = kernel_of(how.graph, tensors[0])
    if kernel is None:
        return _evaluate(how, scalars, tensors)
    if torch._C._are_functorch_transforms_active() or forward_ad._current_level >= 0:
        return _Fused.apply(how, scalars, *tensors)
    if torch.is_grad_enabled() and any(t.requires_grad for t in tensors):
        # What `apply` does outside of torch.func, less the binding of arguments by signature.
        live = torch._functorch.utils.unwrap_dead_wrappers(tuple(tensors))
        return super(torch.autograd.Function, _Fused).apply(how, scalars, *live)
    return _run(how, kernel, scalars, tensors)


def _evaluator(*tensors: torch.Tensor) -> Callable[..., Sequence[torch.Tensor]]:
    """Return what evaluates a graph on these tensors.

    ``torch.autograd.grad(is_grads_batched=True)`` batches by an older kind of tensor, for which an
    autograd.Function has no rule.
    """
    if torch.compiler.is_compiling():
        return _evaluate
    batched = any(map(torch._C._functorch.is_legacy_batchedtensor, tensors))
    return _evaluate if batched else call


def _run(
    how: Signature,
    kernel: Kernel,
    scalars: Sequence[float | None],
    tensors: Sequence[torch.Tensor],
) -> Sequence[torch.Tensor]:
    values = _values(how, scalars, tensors)
    out = kernel(tensors[: how.size], how.modes, how.leaves, values)
    # Copies: views among the outputs of an autograd.Function break forward-mode differentiation.
    return (*out[:-1], *(x.clone() for x in out[-1].unbind())) if how.graph.sums else tuple(out)


def _values(
    how: Signature, scalars: Sequence[float | None], tensors: Sequence[torch.Tensor]
) -> Sequence[Any]:
    """Return the value of each scalar: a number, or a tensor."""
    if len(tensors) == how.size:
        return scalars
    knobs = iter(tensors[how.size :])
    return [next(knobs) if h is None else h for h in scalars]


class _Fused(torch.autograd.Function):
    """A kernel as a node of the autograd graph; its derivatives are calls, and so nodes."""

    @staticmethod
    def forward(
        how: Signature, scalars: Sequence[float | None], *tensors: torch.Tensor
    ) -> Sequence[torch.Tensor]:
        kernel = kernel_of(how.graph, tensors[0])
        assert kernel is not None
        return _run(how, kernel, scalars, tensors)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        how, ctx.scalars, *tensors = inputs
        knobs = tensors[how.size :]
        kept = how.kept(of_scalars=bool(knobs))
        ctx.how, ctx.kept = how, kept
        ctx.shapes = [t.shape for t in tensors[how.input_blocks[how.inputs.index(LIST)]]]
        if kept is not how:
            blocks = zip(kept.inputs, how.input_blocks, strict=True)
            tensors = [*(t for mode, block in blocks if mode for t in tensors[block]), *knobs]
        if forward_ad._current_level < 0:  # a tangent may come without requiring grad
            ctx.mark_non_differentiable(
                *_constants(how, inputs[1], ctx.needs_input_grad[2:], output)
            )
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor | None) -> tuple[Any, ...]:
        how, kept = ctx.how, ctx.kept
        saved = ctx.saved_tensors  # once: checkpointing unpacks them anew each time
        tensors, knobs = saved[: kept.size], saved[kept.size :]
        needed = ctx.needs_input_grad[2:]
        of_scalars = any(needed[how.size :])
        graph = how.graph.vjps if of_scalars else how.graph.vjp
        modes, present = _present(how.outputs, how.output_blocks, cotangents, ctx.shapes)
        sums = cotangents[how.output_blocks[-1].stop :]
        wanted = tuple(
            mode if any(needed[block]) else ABSENT
            for mode, block in zip(how.inputs, how.input_blocks, strict=True)
        )
        given = [c for c in sums if c is not None]
        if not present and not given:  # nothing flows back
            return (None,) * (2 + len(needed))
        results = _evaluator(*present, *given)(
            signature(graph, how.leaves, (*kept.inputs, *modes), wanted),
            (*ctx.scalars, *(0.0 if c is None else None for c in sums)),
            [*tensors, *present, *knobs, *given],
        )
        reached = _reached(how, cotangents)
        at = 0
        gradients: list[Any] = [None, None]
        for mode, want, block in zip(how.inputs, wanted, how.input_blocks, strict=True):
            count = block.stop - block.start
            if want == ABSENT or mode == ABSENT:
                gradients += [None] * count
                continue
            column = results[at : at + count]
            at += count
            if mode == LIST and reached is not None:
                gradients += [
                    g if is_so else None for g, is_so in zip(column, reached, strict=True)
                ]
            else:
                gradients += column
        if not of_scalars:
            return (*gradients, *([None] * len(knobs)))
        # In the order of the tensors; a number has no gradient.
        places = [at + k for k, h in enumerate(ctx.scalars) if h is None]
        return (*gradients, *(results[k].to(x) for k, x in zip(places, knobs, strict=True)))

    @staticmethod
    def jvp(ctx: Any, _how: Any, _scalars: Any, *tangents: torch.Tensor | None) -> Any:
        how, kept = ctx.how, ctx.kept
        # Without their own tangents, which the result must not have twice.
        saved = [forward_ad.unpack_dual(t).primal for t in ctx.saved_tensors]
        tensors, knobs = saved[: kept.size], saved[kept.size :]
        modes, present = _present(how.inputs, how.input_blocks, tangents, ctx.shapes)
        moving = iter(tangents[how.size :])
        moved = [next(moving) if h is None else None for h in ctx.scalars]
        given = [t for t in moved if t is not None]
        # PyTorch turns every forward mode off around a jvp; an outer one must go through it.
        with forward_ad._set_fwd_grad_enabled(True):
            return _evaluator(*present, *given)(
                signature(how.graph.jvp, how.leaves, (*kept.inputs, *modes), how.outputs),
                (*ctx.scalars, *(0.0 if t is None else None for t in moved)),
                [*tensors, *present, *knobs, *given],
            )

    @staticmethod
    def vmap(
        info: Any, in_dims: Any, how: Signature, scalars: Any, *tensors: torch.Tensor
    ) -> tuple[Any, Any]:
        dims = in_dims[2:]
        leafwise = (
            FLAT not in how.modes
            and not how.graph.sums
            and all(d is None for d in dims[how.size :])
        )
        if leafwise:  # a batch of leaves is a larger leaf
            stacked = [
                t.expand(info.batch_size, *t.shape) if d is None else t.movedim(d, 0)
                for t, d in zip(tensors[: how.size], dims[: how.size], strict=True)
            ]
            out = call(how, scalars, [*stacked, *tensors[how.size :]])
        else:
            batched = torch.func.vmap(
                lambda *t: _evaluate(how, scalars, t), dims, randomness=info.randomness
            )
            out = batched(*tensors)
        return tuple(out), (0,) * len(out)


def _reached(how: Signature, cotangents: Sequence[torch.Tensor | None]) -> list[bool] | None:
    """Return for each leaf whether anything flows back to it; None where that is so for all."""
    if all(c is not None for c in cotangents):
        return None
    rest = cotangents[how.output_blocks[-1].stop :]
    columns = [
        cotangents[block] for m, block in zip(how.outputs, how.output_blocks, strict=True) if m
    ]
    if FLAT in how.modes or any(c is not None for c in rest):
        return None
    return [any(c is not None for c in row) for row in zip(*columns, strict=True)]


def _constants(
    how: Signature,
    scalars: Sequence[float | None],
    needed: Sequence[bool],
    output: Sequence[torch.Tensor],
) -> list[torch.Tensor]:
    """Return the outputs that depend on nothing that requires grad: no graph must grow there."""
    if all(needed):
        return []
    knobs = (name for name, h in zip(how.graph.scalars, scalars, strict=True) if h is None)
    learned = {n for n, need in zip(knobs, needed[how.size :], strict=True) if need}
    blocks = dict(zip(how.graph.tensors, how.input_blocks, strict=True))
    found: list[torch.Tensor] = []
    outputs = zip(how.graph.dependencies, how.outputs, how.output_blocks, strict=False)
    for names, mode, block in outputs:
        columns = [needed[blocks[n]] for n in names if n in blocks and needed[blocks[n]]]
        if names & learned:
            continue
        if mode == LIST and all(len(column) == how.leaves for column in columns):
            moving = [any(row) for row in zip(*columns, strict=True)] or [False] * how.leaves
        else:
            moving = [any(map(any, columns))] * (block.stop - block.start)
        found += [y for y, moves in zip(output[block], moving, strict=True) if not moves]
    for names, y in zip(
        how.graph.dependencies[len(how.outputs) :],
        output[how.output_blocks[-1].stop :],
        strict=True,
    ):
        if not names & learned and not any(any(needed[blocks[n]]) for n in names if n in blocks):
            found.append(y)
    return found


def _present(
    modes: Sequence[int],
    blocks: Sequence[slice],
    values: Sequence[torch.Tensor | None],
    shapes: Sequence[torch.Size],
) -> tuple[Sequence[int], Sequence[Any]]:
    """Leave out arguments that are None throughout; a None among others becomes zeros."""
    values = values[: blocks[-1].stop]
    if all(t is not None for t in values):
        return modes, values
    found: list[int] = []
    present: list[Any] = []
    for mode, block in zip(modes, blocks, strict=True):
        column = values[block]
        some = next((t for t in column if t is not None), None)
        if some is None:
            found.append(ABSENT)
            continue
        found.append(mode)
        present += [
            some.new_zeros(shape) if t is None else t
            for t, shape in zip(column, shapes if mode == LIST else [some.shape], strict=True)
        ]
    return found, present


def _evaluate(
    how: Signature, scalars: Sequence[float | None], tensors: Sequence[torch.Tensor]
) -> Sequence[torch.Tensor]:
    values = _values(how, scalars, tensors)
    like = tensors[how.input_blocks[how.inputs.index(LIST)]]
    columns: list[Sequence[Any]] = []
    for mode, block in zip(how.inputs, how.input_blocks, strict=True):
        column: Sequence[Any] = tensors[block] or [None] * how.leaves
        columns.append(unpack(column[0], [x.shape for x in like]) if mode == FLAT else column)
    rows = [evaluate(how.graph, row, values) for row in zip(*columns, strict=True)]
    results: list[torch.Tensor] = []
    for k, mode in enumerate(how.outputs):
        column = [outputs[k] for outputs, _ in rows]
        if mode != ABSENT:
            results += [pack(column)] if mode == FLAT else column
    for k in range(len(how.graph.sums)):
        results.append(sum(sums[k] for _, sums in rows))  # type: ignore[arg-type]
    return tuple(results)


def padded(size: int, dtype: torch.dtype) -> int:
    """Return how many elements of a flat buffer a leaf takes: whole lines of 64 bytes."""
    line = 64 // dtype.itemsize
    return -(-size // line) * line


def pack(leaves: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return leaves of one dtype in a flat buffer; differentiable."""
    pieces = []
    for leaf in leaves:
        size = leaf.numel()
        pieces.append(leaf.reshape(-1))
        gap = padded(size, leaf.dtype) - size
        if gap:
            pieces.append(leaf.new_zeros(gap))
    return torch.cat(pieces)


def unpack(buffer: torch.Tensor, shapes: Sequence[torch.Size]) -> list[torch.Tensor]:
    """Return a view of each leaf in a flat buffer; differentiable."""
    sizes = [math.prod(shape) for shape in shapes]
    pieces = buffer.split([padded(size, buffer.dtype) for size in sizes])
    return [
        (piece if piece.shape[0] == size else piece[:size]).view(shape)
        for piece, size, shape in zip(pieces, sizes, shapes, strict=True)
    ]
