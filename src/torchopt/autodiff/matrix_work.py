"""Whether matrix products and convolutions are most of a program's work.

On a CPU they call the same library eagerly and compiled. Compiling saves the calls of the other
operations, and their passes through memory: where products take most of the time, it gains nothing.
"""

from __future__ import annotations

import torch
from torch import fx

__all__ = ["MatrixWork"]

# Floating-point operations of products for each other operation. A core needs some 25 microseconds for
# so many, and the call of an operation 5. In `benchmarks.meta_step` compiling gained a factor of 5
# at 3e4 (sinusoid) and of 2 at 7e4 (deep), but nothing at 4e6 (transformer) and 4e7 (cnn).
_MOST = 1e6


class MatrixWork:
    """Counts the work of graphs of ATen operations with example values."""

    def __init__(self) -> None:
        self.flops = 0
        self.others = 0

    def add(self, graph: fx.GraphModule) -> None:
        """Add a graph; what it computes on other devices than the CPU counts as other operations."""
        from torch.utils.flop_counter import flop_registry  # late: few programs compile

        for node in graph.graph.nodes:
            if node.op != "call_function":
                continue
            count = flop_registry.get(getattr(node.target, "overloadpacket", None))
            value = node.meta.get("val")
            first = value[0] if isinstance(value, (tuple, list)) and value else value
            if count is None or not isinstance(first, torch.Tensor) or first.device.type != "cpu":
                self.others += 1
                continue
            args, kwargs = fx.map_arg((node.args, node.kwargs), lambda x: x.meta["val"])
            self.flops += count(*args, **kwargs, out_val=value)

    @property
    def dominates(self) -> bool:
        """Whether products are most of the work, on as many threads as PyTorch uses."""
        return self.flops > _MOST * torch.get_num_threads() * max(self.others, 1)
