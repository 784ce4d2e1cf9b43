"""Loops in code that is traced: each becomes one `while_loop`, whose step is traced once.

While code is traced (:mod:`torchopt.autodiff.tracing`), :func:`repeat` runs one step of a loop between
two marks. Of the graph that comes out, :func:`lower` makes one in which the operations that depend on
the first mark are the body of a ``while_loop``. All others are evaluated once, outside of it, though
the step asks for them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import torch
from torch import fx

from torchopt.autodiff import tracing, transforms
from torchopt.pytree import flattening as pytree

_Tree = TypeVar("_Tree")


def repeat(
    step: Callable[[_Tree], _Tree],
    carry: _Tree,
    active: Callable[[_Tree], torch.Tensor],
    select: Callable[[torch.Tensor, _Tree, _Tree], _Tree],
    maxiter: int | torch.Tensor,
) -> tuple[_Tree, torch.Tensor]:
    """Do what :func:`torchopt.solver.iterate` does, in code that is traced."""
    trace, loop = tracing.current(), next(_NUMBERS)
    assert trace is not None
    if not transforms.only_vmaps():
        raise RuntimeError("a loop of an unknown number of steps is differentiated")
    levels = [level for level, _ in _vmaps()]
    going = active(carry)
    count = torch.zeros_like(going, dtype=torch.int64)
    going = going & (count < maxiter)
    count, going, carry = _mark(torch.ops.torchopt_loop.enter, (count, going, carry), loop)
    trace.depth += 1
    try:
        after = step(carry)
        count = count + going
        # A single problem is not evaluated once it is done: there is nothing to freeze.
        after = select(going, after, carry) if levels else after
        going = going & active(after) & (count < maxiter)
    finally:
        trace.depth -= 1
    before, _ = pytree.flatten(carry)
    leaves, spec = pytree.flatten(after)
    for b, a in zip(before, leaves, strict=True):
        if isinstance(b, torch.Tensor) and (b.shape, b.dtype) != (a.shape, a.dtype):
            raise RuntimeError(
                f"a step of a loop takes a tensor of shape {tuple(b.shape)} and dtype {b.dtype}, and "
                f"returns one of shape {tuple(a.shape)} and dtype {a.dtype}"
            )
    carry = pytree.unflatten(spec, leaves)
    count, _, carry = _mark(torch.ops.torchopt_loop.leave, (count, going, carry), loop)
    return carry, count


_NUMBERS = itertools.count()


def _vmaps() -> list[tuple[int, int]]:
    """Return the levels of the ``vmap`` that are running, and the sizes of their batches."""
    stack = torch._C._functorch.get_interpreter_stack() or []
    return [(i.level(), torch._C._functorch.CVmapInterpreterPtr(i).batchSize()) for i in stack]


def _mark(mark: Callable[..., Any], tree: _Tree, loop: int) -> _Tree:
    """Mark the tensors of a tree, the plain ones below all ``vmap``."""
    levels = _vmaps()
    leaves, spec = pytree.flatten(tree)
    places = [i for i, x in enumerate(leaves) if isinstance(x, torch.Tensor)]
    plain = [_below(leaves[i], levels) for i in places]
    with transforms.outside():
        marked = mark(plain, loop)
    for i, x in zip(places, marked, strict=True):
        for level, _ in levels:
            x = transforms.add_batch_axis(x, 0, level)
        leaves[i] = x
    return pytree.unflatten(spec, leaves)


def _below(x: torch.Tensor, levels: list[tuple[int, int]]) -> torch.Tensor:
    """Return the plain tensor, with one axis in front for each level, the outermost first."""
    for level, size in reversed(levels):
        axis = -1
        if transforms.is_batched(x) and transforms.level_of(x) == level:
            axis, x = transforms.batch_axis(x), transforms.unwrapped(x)
        x = x.expand(size, *x.shape) if axis < 0 else x.movedim(axis, 0)
    return x


# Marks, which are operations of the graph.


def _copies(tensors: list[torch.Tensor], loop: int) -> list[torch.Tensor]:
    return [t.clone(memory_format=torch.contiguous_format) for t in tensors]


_LIBRARY = torch.library.Library("torchopt_loop", "DEF")
for _name in ("enter", "leave"):
    _LIBRARY.define(f"{_name}(Tensor[] carry, int loop) -> Tensor[]")
    _LIBRARY.impl(_name, _copies, "CompositeExplicitAutograd")
    torch.library.register_fake(f"torchopt_loop::{_name}", _copies, lib=_LIBRARY)


def lower(graph: fx.GraphModule) -> fx.GraphModule:
    """Put a ``while_loop`` in the place of the operations between each pair of marks."""
    graph.graph.eliminate_dead_code()
    while True:
        leaves = graph.graph.find_nodes(
            op="call_function", target=torch.ops.torchopt_loop.leave.default
        )
        if not leaves:
            break
        _lower(graph, leaves[0])  # an inner loop is left before the outer one
    graph.graph.lint()
    graph.recompile()
    return graph


def _is_view(node: fx.Node) -> bool:
    if getattr(node.target, "__name__", "") == "getitem":
        return isinstance(node.args[0], fx.Node) and _is_view(node.args[0])
    return any(not _memory(node).isdisjoint(_memory(x)) for x in node.all_input_nodes)


def _memory(node: fx.Node) -> set[int]:
    """Return what identifies the memory of the tensors that a node returns."""
    tensors = pytree.leaves(node.meta.get("val"))
    return {t.untyped_storage()._cdata for t in tensors if isinstance(t, torch.Tensor)}


def _is_inlined(node: fx.Node) -> bool:
    """Whether to take something from outside of a loop inside: operands of a loop are no views."""
    return node.op == "get_attr" or _is_view(node) or _START in node.meta


_START = "torchopt_start"
"""Marks copies that a loop starts from. It writes to them, so an outer loop makes them anew."""


def _lower(graph: fx.GraphModule, leave: fx.Node) -> None:
    # What a mark takes and returns are lists of nodes, which `fx` does not say.
    after, loop = cast(tuple[list[fx.Node], int], leave.args)
    enter = next(
        node
        for node in graph.graph.find_nodes(
            op="call_function", target=torch.ops.torchopt_loop.enter.default
        )
        if node.args[1] == loop
    )
    before = cast(list[fx.Node], enter.args[0])
    entered = {cast(int, user.args[1]): user for user in enter.users}
    starts = set(enter.users)
    dependent: set[fx.Node] = set(enter.users)
    needed: set[fx.Node] = set()

    def need(node: fx.Node) -> None:
        stack = [node]
        while stack:
            node = stack.pop()
            if node in needed:
                continue
            needed.add(node)
            if node not in starts:
                stack += [x for x in node.all_input_nodes if x in dependent or _is_inlined(x)]

    order = list(graph.graph.nodes)
    for node in order[order.index(enter) : order.index(leave)]:
        if any(x in dependent for x in node.all_input_nodes):
            dependent.add(node)
    for node in after:
        if node in dependent or _is_inlined(node):
            need(node)
    body = fx.Graph()
    copies: dict[fx.Node, fx.Node] = {}
    size = len(before)
    for i in range(size):
        place = body.placeholder(f"carry_{i}")
        if i in entered:
            copies[entered[i]] = place
            place.meta.update(entered[i].meta)
        else:
            place.meta["val"] = enter.meta["val"][i]
    inside = [n for n in order if n in needed and n not in copies]
    outside: list[fx.Node] = []
    operands = [x for node in inside for x in node.all_input_nodes]
    for x in [*operands, *after]:
        if x not in needed and x not in copies and x not in outside:
            outside.append(x)
    for x in outside:
        copies[x] = body.placeholder(f"constant_{x.name}")
        copies[x].meta.update(x.meta)
    for node in inside:
        copies[node] = body.node_copy(node, copies.__getitem__)
    results: list[fx.Node] = []
    for node in after:
        result = copies[node]
        if result.op == "placeholder" or result in results or _is_view(result):
            with body.inserting_after(result):
                copy = body.call_function(torch.ops.aten.clone.default, (result,))
            copy.meta.update(result.meta)
            result = copy
        results.append(result)
    body.output(tuple(results))
    condition = fx.Graph()
    places = [condition.placeholder(f"x_{i}") for i in range(size + len(outside))]
    going = places[1]
    value = after[1].meta["val"]
    if value.dim():
        going = condition.call_function(torch.ops.aten.any.default, (going,))
    else:
        going = condition.call_function(torch.ops.aten.clone.default, (going,))
    condition.output(going)
    names = []
    for name, part in (("condition", condition), ("step", body)):
        names.append(f"{name}_{loop}")
        part.lint()
        setattr(graph, names[-1], fx.GraphModule(graph, part))
    with graph.graph.inserting_before(leave):
        start = []
        for x in before:
            copy = graph.graph.call_function(
                torch.ops.aten.clone.default, (x,), {"memory_format": torch.contiguous_format}
            )
            copy.meta.update(x.meta)
            copy.meta[_START] = True
            start.append(copy)
        out = graph.graph.call_function(
            torch.ops.higher_order.while_loop,
            (*(graph.graph.get_attr(name) for name in names), tuple(start), tuple(outside)),
        )
        out.meta["val"] = tuple(leave.meta["val"])
    leave.replace_all_uses_with(out)
    graph.graph.erase_node(leave)
    graph.graph.eliminate_dead_code()
    assert not enter.users, "what a loop carries is used outside of it"
