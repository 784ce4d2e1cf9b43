"""Which compiled graphs a later process finds on disk, so that it need not trace their operations."""

from __future__ import annotations

import functools
import hashlib
from operator import attrgetter
from pathlib import Path
from typing import Any

import torch
from torch import fx

from torchopt.autodiff import packed, scan_tracing, small_products, traced_gradient

_TRUSTED = (
    *(packed.pack, packed.unpack, *scan_tracing.IN_GRAPHS, *traced_gradient.IN_GRAPHS),
    torch.ops.higher_order.while_loop,
)
"""Functions in graphs that do the same as long as their sources are the same."""


def options(graph: fx.GraphModule) -> dict[str, Any]:
    """Return options of Inductor by which functions of ours do not keep a graph from the disk.

    PyTorch finds a graph by its text, in which functions are names, and trusts its own functions only.
    It does not ask for which processor a graph was compiled.
    """
    config: Any = torch._inductor.config
    version = f"{_sources()} {torch.backends.cpu.get_cpu_capability()}"
    names = {f"{f.__module__}.{f.__name__}": version for f in _TRUSTED}
    graph.delete_all_unused_submodules()
    # PyTorch looks at the graph itself, and not at the steps of its loops.
    if not all(_is_known(module, node) for module, node in small_products.nodes(graph)):
        return {}
    return {"unsafe_marked_cacheable_functions": config.unsafe_marked_cacheable_functions | names}


def _is_known(module: fx.GraphModule, node: fx.Node) -> bool:
    """Whether the text of a node says all that it does."""
    if node.op == "get_attr":
        return hasattr(attrgetter(str(node.target))(module), "graph")
    home = str(getattr(node.target, "__module__", None) or "torch").split(".")[0]
    return node.target in _TRUSTED or home in ("torch", "builtins", "_operator", "math")


def lower(graph: fx.GraphModule, inputs: Any, **options: Any) -> Any:
    """Compile a graph as Inductor's ``compile_fx_inner`` does."""
    from torch._inductor.compile_fx import compile_fx_inner  # late: few programs compile

    small_products.inline(graph)
    compiled: Any = compile_fx_inner(graph, inputs, **options)
    if any(
        node.target is torch.ops.torchopt_scan.run.default
        for _, node in small_products.nodes(graph)
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
