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


_START = "torchopt_start"
"""Marks copies that a loop starts from. It writes to them, so an outer loop makes them anew."""


def _lower(graph: fx.GraphModule, leave: fx.Node) -> None:
    # What a mark takes and returns are lists of nodes, which `fx` does not say.
    after, loop = cast(tuple[list[fx.Node], int], leave.args)
    enters = graph.graph.find_nodes(
        op="call_function", target=torch.ops.torchopt_loop.enter.default
    )
    enter = next(node for node in enters if node.args[1] == loop)
    before = cast(list[fx.Node], enter.args[0])
    entered = {cast(int, user.args[1]): user for user in enter.users}
    dependent = set(enter.users)
    body = fx.Graph()
    places: list[fx.Node] = []
    copies: dict[fx.Node, fx.Node] = {}  # what stands for a node in the body
    outside: list[fx.Node] = []  # what the body is given besides the carry
    for i, value in enumerate(enter.meta["val"]):
        places.append(body.placeholder(f"carry_{i}"))
        places[i].meta["val"] = value
        if i in entered:
            copies[entered[i]] = places[i]

    def inside(node: fx.Node) -> fx.Node:
        # Operands of a loop are no views.
        constant = node.op == "get_attr" or _is_view(node) or _START in node.meta
        if node not in copies and (node in dependent or constant):
            copies[node] = body.node_copy(node, inside)
        elif node not in copies:
            with body.inserting_after(places[-1]):
                places.append(body.placeholder(f"constant_{node.name}"))
            copies[node] = places[-1]
            copies[node].meta.update(node.meta)
            outside.append(node)
        return copies[node]

    order = list(graph.graph.nodes)
    for node in order[order.index(enter) : order.index(leave)]:
        if not dependent.isdisjoint(node.all_input_nodes):  # without dead code, each is needed
            dependent.add(node)
            inside(node)
    results: list[fx.Node] = []
    for node in after:
        result = inside(node)
        if result.op == "placeholder" or result in results or _is_view(result):
            clone = body.call_function(torch.ops.aten.clone.default, (result,))
            clone.meta.update(result.meta)
            result = clone
        results.append(result)
    body.output(tuple(results))
    condition = fx.Graph()
    going = [condition.placeholder(f"x_{i}") for i in range(len(places))][1]
    any_true = torch.ops.aten.any if after[1].meta["val"].dim() else torch.ops.aten.clone
    condition.output(condition.call_function(any_true.default, (going,)))
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
