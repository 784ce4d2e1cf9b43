"""Scans as loops in compiled C++ code, instead of calls of a compiled step from Python.

Inductor's C++ wrapper knows ``while_loop``. Its carry here is a counter, what the scan carries, and the
results that are stacked, into which each step writes its row. Everything is carried as a vector, since
the strides of carries must not change; also what stays the same, since views that are passed to each
step are released too often (PyTorch 2.13).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import islice
from typing import Any

import torch
from torch import fx

from torchopt.autodiff import disk_cache, scan
from torchopt.autodiff.small_products import add

Tensors = list[torch.Tensor]
aten = torch.ops.aten


def compile_with_loops(graph: fx.GraphModule, inputs: Any, **options: Any) -> Any:
    """Compile a graph with Inductor, as its ``compile_fx_inner`` does; scans become loops in it."""
    calls = graph.graph.find_nodes(op="call_function", target=torch.ops.torchopt_scan.run.default)
    nodes = [node for node in calls if scan.of_key(node.args[0]).has_steps]
    for number, node in enumerate(nodes):
        operands: Any = node.args[1]
        mode = operands[0].meta["val"].fake_mode
        mode.allow_scalar_outputs = True  # the counter
        _replace(graph, node, scan.of_key(node.args[0]), mode, f"torchopt_loop_{number}")
    graph.recompile()
    if len(nodes) < len(calls):  # C++ that calls Python that calls C++ crashes (PyTorch 2.13)
        options["cpp_wrapper"] = False
    return disk_cache.lower(graph, inputs, **options)


def scalar_operations(graph: fx.GraphModule) -> set[fx.Node]:
    """Return the operations on scalars alone, on the CPU."""
    found: set[fx.Node] = set()
    known: set[fx.Node] = set()
    for node in graph.graph.nodes:
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor) or value.dim() or value.device.type != "cpu":
            continue
        if node.op == "placeholder":
            known.add(node)
        elif node.op == "call_function" and known.issuperset(node.all_input_nodes):
            known.add(node)
            found.add(node)
    return found


def _replace(graph: fx.GraphModule, node: fx.Node, loop: scan.Scan, mode: Any, name: str) -> None:
    """Replace the call of a scan by a loop."""
    from torch._inductor.decomposition import select_decomp_table
    from torch.fx.experimental.proxy_tensor import make_fx

    loop.inlined()
    carries, slices = loop.shape.carries, loop.shape.sliced
    with mode:
        counter = torch.zeros((), dtype=torch.int64, device="cpu")
        operands = [m.empty() for m in loop.metas]
        for i in slices:
            operands[i] = loop.metas[i].batched(loop.steps).empty()
        results = loop.empty()
    lasts, stacked = results[carries : loop.shape.results], results[loop.shape.results :]
    carried = [*operands[:carries], *lasts, *stacked, *operands[carries:]]
    trace: Any = make_fx
    for suffix, function in (("condition", _condition(loop)), ("body", _body(loop, carried))):
        with mode:
            flat = [t.view(-1) for t in carried]
            traced = trace(function, decomposition_table=select_decomp_table())(counter, *flat)
        setattr(graph, f"{name}_{suffix}", traced)

    made = graph.graph

    def vector(x: fx.Node) -> fx.Node:
        if not x.meta["val"].is_contiguous():
            x = add(made, aten.clone.default, x, memory_format=torch.contiguous_format)
        return add(made, aten.view.default, x, [-1])

    def zeros(value: torch.Tensor, shape: list[int]) -> fx.Node:
        options = {"dtype": value.dtype, "device": value.device, "pin_memory": False}
        return add(made, aten.full.default, shape, 0, layout=torch.strided, **options)

    with made.inserting_before(node), mode:
        vectors = [vector(x) for x in node.args[1]]  # type: ignore[union-attr, arg-type]
        starts = [
            zeros(counter, []),
            *vectors[:carries],
            *(zeros(t, [t.numel()]) for t in [*lasts, *stacked]),
            *vectors[carries:],
        ]
        parts = [made.get_attr(f"{name}_{suffix}") for suffix in ("condition", "body")]
        done = made.call_function(torch.ops.higher_order.while_loop, (*parts, tuple(starts), ()))
        done.meta["val"] = tuple(x.meta["val"] for x in starts)
    for user in list(node.users):
        place: Any = user.args[1]
        with made.inserting_before(user), mode:
            out = add(made, operator.getitem, done, place + 1)
            shaped = add(made, aten.view.default, out, list(user.meta["val"].shape))
        user.replace_all_uses_with(shaped)
        made.erase_node(user)
    made.erase_node(node)


def _condition(loop: scan.Scan) -> Callable[..., torch.Tensor]:
    return lambda counter, *_: counter < loop.steps


def _body(loop: scan.Scan, carried: Tensors) -> Callable[..., Tensors]:
    """Return a step as a function of the counter and of vectors of all that is carried."""
    shape = loop.shape
    lasts, rows = shape.lasts, len(carried) - len(loop.metas) - shape.lasts
    step = _Step(loop.graph)

    def body(counter: torch.Tensor, *vectors: torch.Tensor) -> Tensors:
        values = iter([v.view(t.shape) for v, t in zip(vectors, carried, strict=True)])
        carries, _, stacked, slices = (
            list(islice(values, n)) for n in (shape.carries, lasts, rows, shape.slices)
        )
        number: Any = counter.item()
        torch._check(number >= 0)
        torch._check(number < loop.steps)
        number = loop.steps - 1 - number if loop.reverse else number
        # Of what is empty, any row: Inductor cannot index it by a number that it does not know.
        operands = [
            *carries,
            *(aten.select.int(x, 0, number if x.numel() else 0) for x in slices),
            *values,
        ]
        out = step.run(*operands)
        written = [*out[shape.results :], *(carries if loop.keeps else ())]
        for row, value in zip(stacked, written, strict=True):
            if row.numel():
                aten.select.int(row, 0, number).copy_(value)
        # Copies: of an output that is a part of a buffer, the offset would be added twice.
        after = [_realized(y.reshape(-1)) for y in out[: shape.results]]
        return [counter + 1, *after, *vectors[shape.results :]]

    return body


def _realized(t: torch.Tensor) -> torch.Tensor:
    """Return a copy that Inductor computes once, into a buffer of its own."""
    copy: torch.Tensor = torch.ops._inductor_test.realize(t)
    return copy


class _Step(fx.Interpreter):
    """Runs a step; its scalars are kept as such.

    In a loop over the elements of a parameter, Inductor would compute them (the powers in a bias
    correction, say) again for each.
    """

    def __init__(self, graph: fx.GraphModule) -> None:
        super().__init__(graph)
        scalars = scalar_operations(graph)
        self._ends = {n for n in scalars if not scalars.issuperset(n.users)}

    def run_node(self, n: fx.Node) -> Any:
        out = super().run_node(n)
        return _realized(out) if n in self._ends else out
