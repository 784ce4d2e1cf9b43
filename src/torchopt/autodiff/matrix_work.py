"""Whether matrix products and convolutions are most of a program's work.

On a CPU they call the same library eagerly and compiled. Compiling saves the calls of the other
operations, and their passes through memory: where products take most of the time, it gains nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import fx

# Floating-point operations of products for each other operation. A core needs some 25 microseconds for
# so many, and the call of an operation 5. In `benchmarks.meta_step` compiling gained a factor of 5
# at 3e4 (sinusoid) and of 2 at 7e4 (deep), but nothing at 4e6 (transformer) and 4e7 (cnn).
_MOST = 1e6


class Work(NamedTuple):
    """The work of graphs.

    Attributes:
        flops: Floating-point operations of matrix products and convolutions on the CPU.
        others: How many other operations there are.
    """

    flops: int = 0
    others: int = 0

    def since(self, before: Work) -> Work:
        """Return the work that has come since."""
        return Work(self.flops - before.flops, self.others - before.others)

    @property
    def is_products(self) -> bool:
        """Whether products are most of it, on as many threads as PyTorch uses."""
        return self.flops > _MOST * torch.get_num_threads() * max(self.others, 1)


lowered = Work()
"""The work of all graphs that Inductor has lowered for us."""


def work_of(graph: fx.GraphModule) -> Work:
    """Return the work of a graph of ATen operations with example values, each loop's body once."""
    from torch.utils.flop_counter import flop_registry  # late: few programs compile

    flops = others = 0
    for _, node in nodes(graph):
        if node.op != "call_function":
            continue
        count = flop_registry.get(getattr(node.target, "overloadpacket", None))
        value = node.meta.get("val")
        first = value[0] if isinstance(value, (tuple, list)) and value else value
        if count is None or not isinstance(first, torch.Tensor) or first.device.type != "cpu":
            others += 1
        else:
            args, kwargs = fx.map_arg((node.args, node.kwargs), lambda x: x.meta["val"])
            flops += count(*args, **kwargs, out_val=value)
    return Work(flops, others)


def nodes(graph: fx.GraphModule) -> Iterator[tuple[fx.GraphModule, fx.Node]]:
    """Yield the nodes of a graph and of its subgraphs, each with the module that it is in."""
    for module in graph.modules():
        if isinstance(module, fx.GraphModule):
            yield from ((module, node) for node in module.graph.nodes)


def lower(graph: fx.GraphModule, inputs: Any, **options: Any) -> Any:
    """Compile a graph as Inductor's ``compile_fx_inner`` does, and add its work to `lowered`."""
    from torch._inductor.compile_fx import compile_fx_inner

    global lowered
    more = work_of(graph)
    lowered = Work(lowered.flops + more.flops, lowered.others + more.others)
    return compile_fx_inner(graph, inputs, **options)
