"""The differentiable call of a kernel: every derivative of a kernel is the call of another kernel.

Where a graph has no kernel (order three and above, no binary, a dtype or device without one), its call
is the evaluation in plain PyTorch operations, which autograd can go through by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, cycle, islice
from typing import Any

import torch
from torch.autograd import forward_ad
from torch.autograd.graph import increment_version

from torchopt.autodiff import transforms
from torchopt.formula import Graph
from torchopt.native.cuda import ABSENT, LIST
from torchopt.ops._backend import INTO_LIST, Kernel, compile_formula, fresh_mode, kernel_of
from torchopt.ops._evaluate import evaluate

__all__ = ["ABSENT", "INTO_LIST", "LIST", "Signature", "call", "call_columns", "signature"]

# Read by `map`, with no bytecode for each tensor.
_shape = torch.Tensor.shape.__get__  # type: ignore[attr-defined]
_requires_grad = torch.Tensor.requires_grad.__get__  # type: ignore[attr-defined]
_NONE = type(None)


@dataclass(frozen=True, eq=False)
class Signature:
    """How the arguments of a graph travel as one list of tensors.

    Attributes:
        graph: The graph to evaluate.
        leaves: How many leaves a list has.
        inputs: How each tensor of the graph travels: as a list, or not at all.
        outputs: How each output of the graph travels, or whether it is written into a given list.
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
    def fresh(self) -> Signature:
        """The same with all outputs made, none written into given tensors."""
        return signature(self.graph, self.leaves, self.inputs, tuple(map(fresh_mode, self.outputs)))

    @cached_property
    def first_given(self) -> int:
        """The place, among the results, of the first output that is written into given tensors."""
        pairs = zip(self.outputs, self.output_blocks, strict=True)
        return next((b.start for mode, b in pairs if mode != fresh_mode(mode)), -1)

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

    @cached_property
    def output_size(self) -> int:
        """How many tensors the outputs are; sums come after them."""
        return self.output_blocks[-1].stop if self.output_blocks else 0

    @cached_property
    def model(self) -> slice:
        """The place of the first list: the shape of each leaf."""
        return self.input_blocks[self.inputs.index(LIST)]

    @cached_property
    def passed(self) -> dict[int, slice]:
        """Gradients that are cotangents as they are: the number of the input, and the block."""
        derivative = self.graph.vjp
        cotangents = derivative.tensors[len(self.graph.tensors) :]
        pairs = [
            (k, cotangents.index(gradient.args[0]))
            for k, gradient in enumerate(derivative.outputs)
            if gradient.op == "tensor" and gradient.args[0] in cotangents
        ]
        return {
            k: self.output_blocks[j]
            for k, j in pairs
            if self.inputs[k] == self.outputs[j] != ABSENT
        }

    @cached_property
    def computed(self) -> tuple[int, ...]:
        """How the other gradients travel."""
        return tuple(ABSENT if k in self.passed else mode for k, mode in enumerate(self.inputs))

    @cached_property
    def kept(self) -> Signature:
        """How those inputs travel that derivatives by tensors read: the others need not be saved."""
        return self._kept_by(self.graph.vjp)

    @cached_property
    def kept_with_scalars(self) -> Signature:
        """The same for derivatives by scalars, too."""
        return self._kept_by(self.graph.vjps)

    def _kept_by(self, derivative: Graph) -> Signature:
        # The jvp reads what the vjp reads: what the Jacobian depends on.
        modes = (
            mode if name in derivative.reads else ABSENT
            for name, mode in zip(self.graph.tensors, self.inputs, strict=True)
        )
        return signature(self.graph, self.leaves, tuple(modes), self.outputs)

    def _blocks(self, modes: Sequence[int]) -> list[slice]:
        blocks, at = [], 0
        for mode in modes:
            count = 0 if mode == ABSENT else self.leaves
            blocks.append(slice(at, at + count))
            at += count
        return blocks


def signature(
    graph: Graph, leaves: int, inputs: tuple[int, ...], outputs: tuple[int, ...]
) -> Signature:
    """Return how the arguments of a graph travel; made once for a graph."""
    known: dict[Any, Signature] = graph.__dict__.setdefault("_signatures", {})
    key = (leaves, inputs, outputs)
    signature = known.get(key)
    if signature is None:
        signature = known[key] = Signature(graph, leaves, inputs, outputs)
    return signature


def call(
    how: Signature,
    scalars: Sequence[float | None],
    tensors: Sequence[torch.Tensor],
    kernel: Kernel | None = None,
    out: Sequence[torch.Tensor] = (),
) -> Sequence[torch.Tensor]:
    """Evaluate a graph, by its kernel if there is one.

    Args:
        how: The graph, and how its arguments travel.
        scalars: The value of each scalar; None for the next of the tensors after the inputs, which
            have no dimensions.
        tensors: The inputs one after the other, then the scalars that are tensors.
        kernel: The kernel, where it has been looked up.
        out: The tensors to write those outputs into that travel so; they may be inputs. Where there
            is no kernel, where a graph or a transform of ``torch.func`` needs the inputs, or where
            some are not contiguous, nothing is written.

    Returns:
        The tensors of each output that is wanted (those of ``out``, if they were written into), and
        the sums, one tensor each.
    """
    kernel = kernel or kernel_of(how.graph, tensors[0])
    if kernel is None:
        return _evaluate(how.fresh, scalars, tensors)
    if transforms.are_active() or forward_ad._current_level >= 0:
        return Fused.apply(how.fresh, kernel, scalars, *tensors)
    if torch.is_grad_enabled() and any(map(_requires_grad, tensors)):
        # What `apply` does outside of torch.func, less the binding of arguments by signature.
        live = map(transforms.unwrap_dead, tensors)
        return super(torch.autograd.Function, Fused).apply(how.fresh, kernel, scalars, *live)
    results = _run(how, kernel, scalars, tensors, out)
    if out and results[how.first_given] is out[0] and not torch.is_inference_mode_enabled():
        increment_version(out)  # autograd must find what it has saved changed
    return results


def call_columns(
    graph: Graph,
    columns: Sequence[Sequence[torch.Tensor]],
    outputs: int,
    scalars: Sequence[Any],
    targets: Sequence[Any] | None = None,
    *,
    compile: bool = False,
) -> list[Any] | None:
    """Evaluate a graph as one kernel on plain leaves of one dtype and device.

    Args:
        graph: The graph.
        columns: For each of its tensors, one tensor for each leaf.
        outputs: How many outputs it has.
        scalars: Its scalars: numbers, or tensors.
        targets: For each output, the column that it may be written into, or None.
        compile: Whether to compile a kernel if the library has none.

    Returns:
        For each of its outputs, one tensor for each leaf: the target itself if it was written into;
        and its sums. None if there is no kernel, or a scalar is a tensor with dimensions.
    """
    tensors, leaves = [*chain(*columns)], len(columns[0])
    kernel = kernel_of(graph, tensors[0])
    if kernel is None and compile and tensors[0].is_cpu and compile_formula(graph):
        kernel = kernel_of(graph, tensors[0])
    if kernel is None:
        return None
    numbers = [*scalars]
    for k, h in enumerate(scalars):
        if isinstance(h, torch.Tensor):
            if h.dim() > 0:
                return None
            tensors.append(h)
            numbers[k] = None
    old = targets or [None] * outputs
    into = [*chain(*filter(None, old))]
    modes = tuple([LIST if column is None else INTO_LIST for column in old])
    how = signature(graph, leaves, (LIST,) * len(columns), modes)
    blocks = call(how, numbers, tensors, kernel, into)
    results: list[Any] = [blocks[block] for block in how.output_blocks]
    if into and blocks[how.first_given] is into[0]:  # the kernel has written them all
        results = [new if was is None else was for new, was in zip(results, old, strict=True)]
    return [*results, *blocks[how.output_size :]]


def _evaluated(how: Signature, scalars: Any, tensors: Any) -> Sequence[torch.Tensor]:
    """Evaluate a graph in a backward pass, where ``is_grads_batched=True`` may batch it.

    That is by an older kind of tensor, for which an autograd.Function has no rule.
    """
    older = torch.compiler.is_compiling() or any(map(transforms.is_legacy_batch, tensors))
    return _evaluate(how, scalars, tensors) if older else call(how, scalars, tensors)


def _run(
    how: Signature,
    kernel: Kernel,
    scalars: Sequence[float | None],
    tensors: Sequence[torch.Tensor],
    out: Sequence[torch.Tensor] = (),
) -> Sequence[torch.Tensor]:
    values = _values(how, scalars, tensors)
    done = kernel([*tensors[: how.size], *out], how.modes, how.leaves, values)
    # Copies: views among the outputs of an autograd.Function break forward-mode differentiation.
    return (*done[:-1], *(x.clone() for x in done[-1].unbind())) if how.graph.sums else tuple(done)


def _values(
    how: Signature, scalars: Sequence[float | None], tensors: Sequence[torch.Tensor]
) -> Sequence[Any]:
    """Return the value of each scalar: a number, or a tensor."""
    if len(tensors) == how.size:
        return scalars
    knobs = iter(tensors[how.size :])
    return [next(knobs) if h is None else h for h in scalars]


class Fused(torch.autograd.Function):
    """A kernel as a node of the autograd graph; its derivatives are calls, and so nodes."""

    @staticmethod
    def forward(
        how: Signature, kernel: Kernel, scalars: Sequence[float | None], *tensors: torch.Tensor
    ) -> Sequence[torch.Tensor]:
        return _run(how, kernel, scalars, tensors)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        how, _, scalars, *tensors = inputs
        kept = how.kept if len(tensors) == how.size else how.kept_with_scalars
        ctx.how, ctx.kept, ctx.scalars = how, kept, scalars
        ctx.shapes = [*map(_shape, tensors[how.model])]
        needed = ctx.needs_input_grad[3:]
        # A tangent may come without requiring grad.
        if not all(needed) and forward_ad._current_level < 0:
            constant = _constants(how, tuple([h is None for h in scalars]), needed)
            ctx.mark_non_differentiable(*[output[k] for k in constant])
        if kept is not how:
            blocks = zip(kept.inputs, how.input_blocks, strict=True)
            saved = [t for mode, block in blocks if mode for t in tensors[block]]
            tensors = saved + tensors[how.size :]
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor | None) -> tuple[Any, ...]:
        how, kept = ctx.how, ctx.kept
        saved = ctx.saved_tensors  # once: checkpointing unpacks them anew each time
        tensors, knobs = saved[: kept.size], saved[kept.size :]
        needed = ctx.needs_input_grad[3:]
        of_scalars = any(needed[how.size :])
        graph = how.graph.vjps if of_scalars else how.graph.vjp
        modes, present, reached = _present(how.outputs, how.output_blocks, cotangents, ctx.shapes)
        sums = cotangents[how.output_size :]
        given = [c for c in sums if c is not None]
        if not present and not given:  # nothing flows back
            return (None,) * (3 + len(needed))
        passed, wanted = how.passed, how.computed
        if modes is not how.outputs or not all(needed):
            passed = {k: b for k, b in passed.items() if _NONE not in map(type, cotangents[b])}
            wanted = tuple(
                mode if k not in passed and any(needed[block]) else ABSENT
                for k, (mode, block) in enumerate(zip(how.inputs, how.input_blocks, strict=True))
            )
        results: Sequence[torch.Tensor] = ()
        if of_scalars or any(wanted):
            results = _evaluated(
                signature(graph, how.leaves, (*kept.inputs, *modes), wanted),
                (*ctx.scalars, *(0.0 if c is None else None for c in sums)),
                [*tensors, *present, *knobs, *given],
            )
        made = iter(results)
        gradients: list[Any] = []
        for k, block in enumerate(how.input_blocks):
            if k in passed:
                gradients += cotangents[passed[k]]
            else:
                gradients += islice(made, how.leaves) if wanted[k] else [None] * len(needed[block])
        if reached and not given:  # to each leaf, a sum flows back
            pairs = zip(gradients, cycle(reached), strict=False)
            gradients = [g if is_so else None for g, is_so in pairs]
        # In the order of the tensors; a number has no gradient.
        of_knobs: Sequence[Any] = [None] * len(knobs)
        if of_scalars:
            of_knobs = [g for g, h in zip(made, ctx.scalars, strict=True) if h is None]
            of_knobs = [g.to(x) for g, x in zip(of_knobs, knobs, strict=True)]
        return (None, None, None, *gradients, *of_knobs)

    @staticmethod
    def jvp(
        ctx: Any, _how: Any, _kernel: Any, _scalars: Any, *tangents: torch.Tensor | None
    ) -> Any:
        how, kept = ctx.how, ctx.kept
        # Without their own tangents, which the result must not have twice.
        saved = [forward_ad.unpack_dual(t).primal for t in ctx.saved_tensors]
        tensors, knobs = saved[: kept.size], saved[kept.size :]
        modes, present, _ = _present(how.inputs, how.input_blocks, tangents, ctx.shapes)
        moving = iter(tangents[how.size :])
        moved = [next(moving) if h is None else None for h in ctx.scalars]
        given = [t for t in moved if t is not None]
        # PyTorch turns every forward mode off around a jvp; an outer one must go through it.
        with forward_ad._set_fwd_grad_enabled(True):
            return _evaluated(
                signature(how.graph.jvp, how.leaves, (*kept.inputs, *modes), how.outputs),
                (*ctx.scalars, *(0.0 if t is None else None for t in moved)),
                [*tensors, *present, *knobs, *given],
            )

    @staticmethod
    def vmap(
        info: Any, in_dims: Any, how: Signature, _kernel: Any, scalars: Any, *tensors: torch.Tensor
    ) -> tuple[Any, Any]:
        dims = in_dims[3:]
        leafwise = not how.graph.sums and all(d is None for d in dims[how.size :])
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


@lru_cache(maxsize=512)
def _constants(
    how: Signature, learnable: tuple[bool, ...], needed: tuple[bool, ...]
) -> tuple[int, ...]:
    """Return which outputs depend on nothing that requires grad: no graph must grow there.

    Args:
        how: The graph, and how its arguments travel.
        learnable: Whether each scalar is a tensor.
        needed: Whether each tensor requires grad.
    """
    knobs = (name for name, h in zip(how.graph.scalars, learnable, strict=True) if h)
    learned = {n for n, need in zip(knobs, needed[how.size :], strict=True) if need}
    blocks = dict(zip(how.graph.tensors, how.input_blocks, strict=True))
    moving: list[bool] = []
    for names, block in zip(how.graph.dependencies, how.output_blocks, strict=False):
        columns = [needed[blocks[n]] for n in names if n in blocks and needed[blocks[n]]]
        every = [bool(names & learned)] * how.leaves
        rows = zip(every, *columns, strict=True)
        moving += [any(row) for row in rows][: block.stop - block.start]
    for names in how.graph.dependencies[len(how.outputs) :]:
        reads = any(any(needed[blocks[n]]) for n in names if n in blocks)
        moving.append(reads or bool(names & learned))
    return tuple(k for k, moves in enumerate(moving) if not moves)


def _present(
    modes: Sequence[int],
    blocks: Sequence[slice],
    values: Sequence[torch.Tensor | None],
    shapes: Sequence[torch.Size],
) -> tuple[Sequence[int], Sequence[Any], list[bool] | None]:
    """Leave out arguments that are None throughout; a None among others becomes zeros.

    Returns:
        How the others travel, these, and, if there is such a None, whether each leaf has an argument.
    """
    values = values[: blocks[-1].stop] if blocks else ()
    if _NONE not in set(map(type, values)):
        return modes, values, None
    kept: list[int] = []
    present: list[Any] = []
    reached = None
    for mode, block in zip(modes, blocks, strict=True):
        column = values[block]
        kinds = set(map(type, column))
        kept.append(ABSENT if kinds <= {_NONE} else mode)
        if _NONE not in kinds:
            present += column
        elif len(kinds) > 1:
            some = next(t for t in column if t is not None)
            pairs = zip(column, shapes, strict=True)
            present += [some.new_zeros(shape) if t is None else t for t, shape in pairs]
            rows = (values[k :: len(shapes)] for k in range(len(shapes)))
            reached = [any(t is not None for t in row) for row in rows]
    return kept, present, reached


def _evaluate(
    how: Signature, scalars: Sequence[float | None], tensors: Sequence[torch.Tensor]
) -> Sequence[torch.Tensor]:
    values = _values(how, scalars, tensors)
    absent: list[Any] = [None] * how.leaves
    columns = [tensors[block] or absent for block in how.input_blocks]
    rows = [evaluate(how.graph, row, values) for row in zip(*columns, strict=True)]
    results = [
        outputs[k] for k, mode in enumerate(how.outputs) if mode != ABSENT for outputs, _ in rows
    ]
    for k in range(len(how.graph.sums)):
        results.append(sum(sums[k] for _, sums in rows))  # type: ignore[arg-type]
    return tuple(results)
