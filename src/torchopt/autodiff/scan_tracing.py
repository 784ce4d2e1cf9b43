"""Loops in compiled code: one step is traced, whatever their number.

While ``torch.compile`` traces a function for us, :func:`roll` has it trace one step of a loop, as the
body of a higher-order operator, and marks what goes from step to step. Of the graph that comes out,
:func:`rewrite` makes one in which the body is the step of a :class:`torchopt.autodiff.scan.Scan`, or,
for few steps, one in which the body is repeated.
"""

from __future__ import annotations

import functools
import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import fx

from torchopt.autodiff import packed, traced_gradient
from torchopt.autodiff.packed import expand, pack, unpack
from torchopt.autodiff.scan import Meta, Scan, Shape, call, is_pure
from torchopt.autodiff.transforms import current_level as current_level
from torchopt.pytree import flattening as pytree


class _Tracing(threading.local):
    few: bool | None = None  # whether few steps become a loop, too; None: no loops do


_TRACING = _Tracing()


def rolling(few: bool = False) -> bool:
    """Whether code is being traced whose loops become one step each: see :func:`roll`.

    Args:
        few: Whether to ask for loops of few steps.
    """
    return _TRACING.few is not None and (_TRACING.few or not few)


# It is a constant of the code that is traced: what `torch.compiler.assume_constant_result` does,
# without importing the compiler for those who do not compile.
rolling._dynamo_marked_constant = True  # type: ignore[attr-defined]


@contextmanager
def rolled(*, few: bool) -> Iterator[None]:
    """Enclose code that is traced for :func:`rewrite`.

    Args:
        few: Whether loops of few steps are traced as one step, too.
    """
    _register()
    before, _TRACING.few = _TRACING.few, few
    try:
        yield
    finally:
        _TRACING.few = before


def roll(
    step: Callable[[Any, Any], tuple[Any, Any]],
    carry: Any,
    slices: Any,
    steps: int,
    *,
    repeat: bool = False,
) -> tuple[Any, Any]:
    """Do steps ``carry, aux = step(carry, slice)`` in code that is traced.

    Args:
        step: The step, which has no side effects.
        carry: A tree of tensors.
        slices: A tree of tensors of which each step gets its part along the first axis.
        steps: How many, at least one.
        repeat: Whether the graph holds each step, instead of one as an operation: faster to run, but
            slower to compile.

    Returns:
        The last carry, and the last auxiliary output.
    """
    wrap = torch.ops.higher_order.wrap
    aux: Any = None
    done = 0
    parts, part_spec = pytree.flatten(slices)
    sliced = [i for i, x in enumerate(parts) if x is not None]
    while done < steps:
        leaves, spec = pytree.flatten(carry)
        same = _same(leaves)
        carried = [i for i, x in enumerate(leaves) if x is not None and same[i] == i]
        ins = [_carried(leaves[i], k) for k, i in enumerate(carried)]
        firsts = [_sliced(parts[i][done:] if done else parts[i]) for i in sliced]

        def body(*given: torch.Tensor) -> tuple[Any, list[Any], list[int], Any, list[Any]]:
            at, part = list(leaves), list(parts)  # noqa: B023 - it is called at once
            for i, x in zip(carried, given, strict=False):  # noqa: B023
                at[i] = x
            for i, x in zip(sliced, given[len(carried) :], strict=True):  # noqa: B023
                part[i] = x
            out, aux = step(
                pytree.unflatten(spec, [at[i] for i in same]),  # noqa: B023
                pytree.unflatten(part_spec, part),
            )
            (leaves_out, out_spec), (rest, aux_spec) = pytree.flatten(out), pytree.flatten(aux)
            same_out = _same(leaves_out)
            leaves_out = [y if same_out[j] == j else None for j, y in enumerate(leaves_out)]
            rest = list(rest)
            place = 0
            for values in (leaves_out, rest):
                for j, y in enumerate(values):
                    if isinstance(y, torch.Tensor):
                        values[j] = _handed(y, place)
                        place += 1
            return out_spec, leaves_out, same_out, aux_spec, rest

        out_spec, leaves_out, same_out, aux_spec, rest = wrap(body, *ins, *firsts)
        # Else, such as where a step promotes a dtype, this was the first step, and the next is another.
        is_loop = out_spec == spec and same_out == same and _alike(leaves, leaves_out, same)
        count = steps - done if is_loop else 1
        leaves_out = list(leaves_out)
        leaves_out[carried[0]] = _times(leaves_out[carried[0]], count, repeat)
        carry = pytree.unflatten(out_spec, [leaves_out[i] for i in same_out])
        aux = pytree.unflatten(aux_spec, list(rest))
        done += count
    return carry, aux


def _same(leaves: list[Any]) -> list[int]:
    """Return for each leaf the first that is the same scalar, such as a counter that leaves share."""
    first = list(range(len(leaves)))
    scalars: list[int] = []
    for i, x in enumerate(leaves):
        if isinstance(x, torch.Tensor) and x.dim() == 0:
            for j in scalars:
                if leaves[j] is x:
                    first[i] = j
                    break
            else:
                scalars.append(i)
    return first


def stacked(batches: list[Any]) -> Any:
    """Return the batches of all steps as one tree, with a first axis of steps."""
    specs = [pytree.flatten(batch)[1] for batch in batches]
    columns = zip(*(pytree.leaves(batch) for batch in batches), strict=True)
    leaves = [None if column[0] is None else torch.stack(column) for column in columns]
    return pytree.unflatten(specs[0], leaves)


def _alike(before: list[Any], after: list[Any], same: list[int]) -> bool:
    return all(
        same[i] != i
        or (
            (x is None) == (y is None)
            and (x is None or (x.shape == y.shape and x.dtype == y.dtype))
        )
        for i, (x, y) in enumerate(zip(before, after, strict=True))
    )


# Marks, which are operations of the graph.


def _carried(x: torch.Tensor, place: int) -> torch.Tensor:
    """Mark what a loop starts from."""
    return x.view_as(x)


def _sliced(x: torch.Tensor) -> torch.Tensor:
    """Mark what each step gets a part of, and return the first."""
    return x[0]


def _handed(x: torch.Tensor, place: int) -> torch.Tensor:
    """Mark what a step returns."""
    return x.view_as(x)


def _times(x: torch.Tensor, steps: int, repeat: bool) -> torch.Tensor:
    """Mark a loop by how often it runs, and whether the graph holds each step."""
    return x.view_as(x)


@functools.cache
def _register() -> None:
    for mark in (_carried, _sliced, _handed, _times):
        torch.compiler.allow_in_graph(mark)
    # Under a mode, as ours are, the compiler reads into this method and stops at its `super()`.
    torch.compiler.allow_in_graph(torch.Tensor.unflatten)
    packed.register()
    traced_gradient.register()


def rewrite(graph: fx.GraphModule) -> fx.GraphModule:
    """Put loops in the place of the steps that :func:`roll` traced, and operations in that of marks."""
    _rewrite_loops(graph)
    expand(graph)
    return graph


def _rewrite_loops(graph: fx.GraphModule) -> None:
    for child in graph.children():
        if isinstance(child, fx.GraphModule):
            _rewrite_loops(child)
    for node in graph.graph.find_nodes(op="call_function", target=torch.ops.higher_order.wrap):
        after = [user for item in node.users for user in item.users]
        times = next((n for n in after if n.target is _times), None)
        if times is None:
            continue
        _, steps, repeat = times.args
        body, *operands = node.args
        places = []
        for index, operand in enumerate(operands):
            if operand.target is _carried:
                operands[index], place = operand.args
                places.append(place)
            elif operand.target is _sliced:
                places.append(_SLICE)
                operands[index] = operand.args[0]
            else:
                places.append(_CONSTANT)
        (output,) = getattr(graph, body.target).graph.find_nodes(op="output")
        result_places = tuple(y.args[1] for y in output.args[0])
        _erase(times)
        if repeat or steps == 1:
            _repeat(graph, node, steps, places, result_places, operands)
        else:
            places, result_places, operands = _pack_carries(
                graph, node, places, result_places, operands
            )
            node.target = _loop
            node.args = (body, steps, tuple(places), result_places, *operands)
    for mark in (_carried, _sliced):
        for node in graph.graph.find_nodes(op="call_function", target=mark):
            if not node.users:
                graph.graph.erase_node(node)
    graph.recompile()


def _erase(mark: Any) -> None:
    mark.replace_all_uses_with(mark.args[0])
    mark.graph.erase_node(mark)


def _repeat(
    graph: fx.GraphModule,
    node: Any,
    steps: int,
    places: Sequence[int],
    result_places: Sequence[int],
    operands: list[Any],
) -> None:
    """Put the operations of all steps in the place of one; see :func:`_loop`."""
    body = getattr(graph, node.args[0].target)
    for name in {n.target for n in body.graph.find_nodes(op="get_attr")}:
        new = f"{node.args[0].target}_{name}"
        setattr(graph, new, getattr(body, name))
        for read in body.graph.find_nodes(op="get_attr"):
            if read.target == name:
                read.target = new
    inputs = body.graph.find_nodes(op="placeholder")
    results: Any = ()
    with graph.graph.inserting_before(node):
        for k in range(steps):
            given = [
                graph.graph.call_function(operator.getitem, (x, k)) if place == _SLICE else x
                for x, place in zip(operands, places, strict=True)
            ]
            copies: dict[fx.Node, Any] = dict(zip(inputs, given, strict=True))
            results = graph.graph.graph_copy(body.graph, copies)
            for mark in body.graph.find_nodes(op="call_function", target=_handed):
                results = [copies[mark].args[0] if y is copies[mark] else y for y in results]
                _erase(copies[mark])
            if k + 1 < steps:
                operands = [
                    results[result_places.index(place)] if place >= 0 else x
                    for x, place in zip(operands, places, strict=True)
                ]
    for item in list(node.users):
        item.replace_all_uses_with(results[item.args[1]])
        graph.graph.erase_node(item)
    graph.graph.erase_node(node)


def _pack_carries(
    graph: fx.GraphModule,
    node: Any,
    places: list[int],
    result_places: tuple[int, ...],
    operands: list[Any],
) -> tuple[list[int], tuple[int, ...], list[Any]]:
    """Carry a vector from step to step where a step returns all of its pieces; see :func:`_loop`."""
    name = node.args[0].target
    body = getattr(graph, name)
    (output,) = body.graph.find_nodes(op="output")
    inputs = list(body.graph.find_nodes(op="placeholder"))
    returned = {y.args[0]: r for r, y in enumerate(output.args[0])}
    groups = []
    for unpacked in body.graph.find_nodes(op="call_function", target=unpack):
        pieces = {item.args[1]: item for item in unpacked.users}
        results: list[Any] = [returned.get(pieces.get(i)) for i in range(len(unpacked.args[1]))]
        if None not in results and all(result_places[r] in places for r in results):
            carried = [places.index(result_places[r]) for r in results]
            groups.append((*unpacked.args, carried, results))
    apart = [i for i in range(len(inputs)) if not any(i in group[2] for group in groups)]
    results_apart = [r for r in range(len(result_places)) if not any(r in g[3] for g in groups)]
    free = max(*places, *result_places) + 1
    new_places = range(free, free + len(groups))

    made = fx.Graph()
    copies: dict[fx.Node, Any] = {inputs[i]: made.node_copy(inputs[i]) for i in apart}
    vectors = [made.placeholder(f"packed_{k}") for k in range(len(groups))]
    for vector, (_, shapes, carried, _) in zip(vectors, groups, strict=True):
        parts = made.call_function(unpack, (vector, shapes))
        for k, i in enumerate(carried):
            copies[inputs[i]] = made.call_function(operator.getitem, (parts, k))
    out: Any = made.graph_copy(body.graph, copies)
    after = [
        made.call_function(_handed, (copies[group[0]], place))
        for group, place in zip(groups, new_places, strict=True)
    ]
    made.output((*(out[r] for r in results_apart), *after))
    setattr(graph, name, fx.GraphModule(body, made))

    items: dict[Any, Any] = {item.args[1]: item for item in node.users}
    with graph.graph.inserting_before(node):
        packed = [
            graph.graph.call_function(pack, ([operands[i] for i in carried],))
            for _, _, carried, _ in groups
        ]
    with graph.graph.inserting_before(node.next):
        for k, (_, shapes, _, results) in enumerate(groups, len(results_apart)):
            last = graph.graph.call_function(operator.getitem, (node, k))
            parts = graph.graph.call_function(unpack, (last, shapes))
            for i, r in enumerate(results):
                if r in items:
                    piece = graph.graph.call_function(operator.getitem, (parts, i))
                    items[r].replace_all_uses_with(piece)
    for r, item in items.items():
        if r in results_apart:
            item.args = (node, results_apart.index(r))
        else:
            graph.graph.erase_node(item)
    return (
        [*(places[i] for i in apart), *new_places],
        (*(result_places[r] for r in results_apart), *new_places),
        [*(operands[i] for i in apart), *packed],
    )


_SLICE, _CONSTANT = -1, -2


def _loop(
    body: fx.GraphModule,
    steps: int,
    places: tuple[int, ...],
    result_places: tuple[int, ...],
    *operands: torch.Tensor,
) -> tuple[torch.Tensor, ...]:
    """Do all steps.

    Args:
        body: A step, of the operands in their order.
        steps: How many.
        places: For each operand its place among the carries, or that it is sliced or constant.
        result_places: For each result its place; after those of the carries come auxiliary ones.
        operands: The first carries, stacked slices, and constants.
    """
    depth = current_level()
    carries = [j for j, place in enumerate(places) if place >= 0]
    slices = [j for j, place in enumerate(places) if place == _SLICE]
    order = carries + slices + [j for j, place in enumerate(places) if place == _CONSTANT]
    # A result that no step reads is of interest after the last one only.
    back = [result_places.index(places[j]) for j in carries]
    lasts = [r for r in range(len(result_places)) if r not in back]
    shape = Shape(len(carries), len(slices), len(order) - len(carries) - len(slices), len(lasts))
    tensors = [operands[j] for j in order]

    def step(*given: torch.Tensor) -> list[torch.Tensor]:
        filled = dict(zip(order, given, strict=True))
        out = at_level(body, current_level() - depth)(*(filled[j] for j in range(len(order))))
        return [out[r] for r in back + lasts]

    def parts(k: int) -> list[torch.Tensor]:
        return [t[k] if i in shape.sliced else t for i, t in enumerate(tensors)]

    metas = tuple(Meta.of(t) for t in parts(0))
    known = body.meta.setdefault("torchopt", {})  # the graph is run more than once
    if (depth, metas) not in known:
        known[depth, metas] = Scan(step, steps, shape, metas)
    scan: Scan = known[depth, metas]
    if carries and is_pure(scan.graph):
        out = call(scan, *tensors)
    else:
        # In place, where the compiler takes care of random numbers and of what is written to.
        for k in range(steps):
            out = step(*parts(k))
            tensors[: len(carries)] = out[: len(carries)]
    results = dict(zip(back + lasts, out, strict=True))
    return tuple(results[r] for r in range(len(result_places)))


# The operations of torch.func that are told at which level they are, and by which argument.
_LEVELS = {
    "_wrap_for_grad": 1,
    "_unwrap_for_grad": 1,
    "_add_batch_dim": 2,
    "_remove_batch_dim": 1,
}


def at_level(body: fx.GraphModule, offset: int) -> fx.GraphModule:
    """Return a graph as if traced inside of so many transforms more."""
    if not offset:
        return body
    known = body.meta.setdefault("torchopt.levels", {})
    if offset not in known:
        graph = fx.Graph()
        graph.output(graph.graph_copy(body.graph, {}))
        for node in graph.nodes:
            place = _LEVELS.get(getattr(node.target, "__name__", ""))
            if place is not None:
                arguments = list(node.args)
                arguments[place] += offset
                node.args = tuple(arguments)
        known[offset] = fx.GraphModule(body, graph)
        for name, child in list(known[offset].named_children()):
            if isinstance(child, fx.GraphModule):
                known[offset].add_module(name, at_level(child, offset))
    copy: fx.GraphModule = known[offset]
    return copy


IN_GRAPHS = (_carried, _sliced, _handed, _times, _loop)
"""Functions that stand in graphs."""
