"""Which compiled graphs a later process finds on disk, so that it need not trace their operations."""

from __future__ import annotations

import functools
import hashlib
from operator import attrgetter
from pathlib import Path
from typing import Any

import torch
from torch import fx

from torchopt.autodiff import (
    matrix_work,
    packed,
    scan_tracing,
    small_products,
    traced_gradient,
)

_TRUSTED = (
    *(packed.pack, packed.unpack, *scan_tracing.IN_GRAPHS, *traced_gradient.IN_GRAPHS),
    torch.ops.higher_order.while_loop,
)
"""Functions in graphs that do the same as long as their sources are the same."""


def options(graph: fx.GraphModule, instructions: str) -> dict[str, Any]:
    """Return options of Inductor by which functions of ours do not keep a graph from the disk.

    PyTorch finds a graph by its text, in which functions are names, and trusts its own functions only.

    Args:
        graph: The graph.
        instructions: The vector instructions that it is compiled for, which PyTorch does not ask for.
    """
    from torch._functorch._aot_autograd.autograd_cache import (
        BypassAOTAutogradCache,
        check_node_safe,
    )

    config: Any = torch._inductor.config
    version = f"{_sources()} {instructions}"
    names = {f"{f.__module__}.{f.__name__}": version for f in _TRUSTED}
    trusted = {
        "unsafe_marked_cacheable_functions": config.unsafe_marked_cacheable_functions | names
    }
    graph.delete_all_unused_submodules()
    with config.patch(trusted):
        # PyTorch looks at the graph itself, and not at the steps of its loops.
        for module, node in matrix_work.nodes(graph):
            if node.op == "get_attr" and not hasattr(attrgetter(str(node.target))(module), "graph"):
                return {}
            try:
                check_node_safe(node)
            except BypassAOTAutogradCache:
                return {}
    return trusted


def lower(graph: fx.GraphModule, inputs: Any, **options: Any) -> Any:
    """Compile a graph as Inductor's ``compile_fx_inner`` does."""
    small_products.inline(graph)
    compiled = matrix_work.lower(graph, inputs, **options)
    if any(
        node.target is torch.ops.torchopt_scan.run.default for _, node in matrix_work.nodes(graph)
    ):
        compiled._fx_graph_cache_key = None  # it calls what this process only knows
    return compiled


@functools.cache
def _sources() -> str:
    """Return a hash of what turns a graph into compiled code."""
    code = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        code.update(path.read_bytes())
    return code.hexdigest()
