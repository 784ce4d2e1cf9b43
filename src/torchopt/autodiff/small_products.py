"""Products of small matrices on the CPU, as loops of compiled code.

Inductor calls BLAS for each product. For few multiplications that takes longer than a loop, which is
compiled together with the operations around it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import fx

_MOST = 4000
"""Multiplications of a product that is a loop: 400 gain (a tenth of MAML on the sinusoid, with one task
and 5 steps), 16,000 lose."""

aten = torch.ops.aten
_FACTORS: dict[Any, tuple[int, int]] = {
    aten.mm.default: (0, 1),
    aten.bmm.default: (0, 1),
    aten.addmm.default: (1, 2),
}


def inline(graph: fx.GraphModule) -> None:
    """Replace small products of a graph of ATen operations, and of its subgraphs, by loops.

    Args:
        graph: The graph, whose nodes have example values.
    """
    changed = set()
    for module, node in list(nodes(graph)):
        places = _FACTORS.get(node.target)
        if places is None or node.kwargs or len(node.args) > max(places) + 1:
            continue
        factors: Any = [node.args[place] for place in places]
        if _is_small(*(x.meta["val"] for x in factors)):
            with module.graph.inserting_before(node), factors[0].meta["val"].fake_mode:
                new = _product(module.graph, *factors)
                if places[0]:
                    new = add(module.graph, aten.add.Tensor, node.args[0], new)
            node.replace_all_uses_with(new)
            module.graph.erase_node(node)
            changed.add(module)
    for module in changed:
        module.recompile()


def nodes(graph: fx.GraphModule) -> Iterator[tuple[fx.GraphModule, fx.Node]]:
    """Yield the nodes of a graph and of its subgraphs, each with the module that it is in."""
    for module in graph.modules():
        if isinstance(module, fx.GraphModule):
            yield from ((module, node) for node in module.graph.nodes)


def _is_small(a: torch.Tensor, b: torch.Tensor) -> bool:
    sizes = (*a.shape, b.shape[-1])
    return (
        a.device.type == "cpu"
        and a.dtype in (torch.float32, torch.float64)
        and all(isinstance(size, int) for size in sizes)
        and 0 < math.prod(sizes) <= _MOST
    )


def _product(graph: fx.Graph, a: fx.Node, b: fx.Node) -> fx.Node:
    value = a.meta["val"]
    if value.shape[-1] == 1:
        product = add(graph, aten.mul.Tensor, a, b)
        # Laid out as BLAS returns it, which later operations may rely on.
        return add(graph, aten.clone.default, product, memory_format=torch.contiguous_format)
    row = value.dim()
    left = add(graph, aten.unsqueeze.default, a, row)
    right = add(graph, aten.unsqueeze.default, b, row - 2)
    products = add(graph, aten.mul.Tensor, left, right)
    return add(graph, aten.sum.dim_IntList, products, [row - 1])


def add(graph: fx.Graph, target: Any, *args: Any, **kwargs: Any) -> fx.Node:
    """Add an operation, with its value, in the mode of the example values."""
    new = graph.call_function(target, args, kwargs)
    values: Any = fx.map_arg(args, lambda node: node.meta["val"])
    new.meta["val"] = target(*values, **kwargs)
    return new
