"""How a traced graph is compiled, its loops as one step each; what is known of PyTorch's compiler."""

from __future__ import annotations

import functools
import logging
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import fx

from torchopt.autodiff import disk_cache
from torchopt.autodiff.compiled_loops import compile_with_loops
from torchopt.autodiff.scan import collecting
from torchopt.autodiff.scan_tracing import rewrite
from torchopt.autodiff.traced_gradient import place_gradients
from torchopt.io.terminal import say


class Compiler(NamedTuple):
    """Compiles a graph that has been traced, and the steps in it.

    Attributes:
        whole: Compiles a graph that contains its gradient, or is differentiated.
        step: Compiles one that is not.
        region: Compiles one that is not, with loops of its own.
    """

    whole: Callable[[Any, Any], Any]
    step: Callable[[Any], Any]
    region: Callable[[Any], Any]

    def compile(self, graph: fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        """Return a function of the inputs of a graph."""
        place_gradients(rewrite(graph))
        with _scalars_kept(graph), collecting() as scans:
            out = self.whole(graph, inputs)
        for scan in scans.values():
            scan.compile(self.step)
        compiled: Callable[..., Any] = out
        return compiled


@contextmanager
def _scalars_kept(graph: fx.GraphModule) -> Iterator[None]:
    """Let tensors of one float64 stay what they are.

    PyTorch has a symbol for the number in each, and would trace all again without these symbols.
    """
    from torch._dynamo.symbolic_convert import TensorifyState

    for node in graph.graph.find_nodes(op="placeholder"):
        number = getattr(node.meta["example_value"], "item_memo", None)
        if isinstance(number, torch.SymFloat):
            TensorifyState.specialize(str(number.node.expr))
    yield
    TensorifyState.clear()  # what is compiled later may have symbols of these names


def _compile(
    graph: Any,
    inputs: Any,
    inner: Callable[..., Any] = disk_cache.lower,
    config_patches: dict[str, Any] | None = None,
    **options: Any,
) -> Any:
    from torch._inductor.compile_fx import compile_fx

    log = logging.getLogger("torch._inductor.ir")
    log.addFilter(_is_news)
    try:
        patches = disk_cache.options(graph) | (config_patches or {})
        return compile_fx(graph, inputs, inner, config_patches=patches, **options)
    finally:
        log.removeFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a record is not about an operation that C++ code calls in another way than most."""
    return "c-shim" not in record.getMessage()


def _inductor(graph: Any, inputs: Any) -> Any:
    devices = {x.device.type for x in inputs if isinstance(x, torch.Tensor)}
    # The backward pass now, while what it raises can still be answered by eager code.
    with torch._functorch.config.patch(force_non_lazy_backward_lowering=True):
        if devices == {"cpu"}:
            return _compile(graph, inputs, compile_with_loops, config_patches=_CALLED_FROM_CPP)
        # CUDA graphs need fixed addresses: where all inputs are on the GPU.
        return _compile(graph, inputs, config_patches={"triton.cudagraphs": devices == {"cuda"}})


# Kernels of small problems take less time than to call them from Python. The code that calls them is
# compiled by itself, since optimizing it takes long.
_CALLED_FROM_CPP = {
    "cpp_wrapper": True,
    "cpp_wrapper_build_separate": True,
    "aot_inductor.compile_wrapper_opt_level": "O1",
}


def _inputs(graph: fx.GraphModule) -> list[Any]:
    return [n.meta["val"] for n in graph.graph.find_nodes(op="placeholder")]


def _inductor_region(graph: fx.GraphModule) -> Any:
    inputs = _inputs(graph)
    # Python between the operations of a small problem costs more than these.
    on_cpu = all(x.device.type == "cpu" for x in inputs)
    patches = {
        "cpp_wrapper": on_cpu,
        # In C++, the results of a loop without a step share memory with what it starts from, which
        # would be written to (PyTorch 2.13).
        "allow_buffer_reuse": False,
        "inplace_buffers": False,
    }
    # Here only: what is compiled with decompositions of our own is not found on disk.
    table = _decompositions()
    return _compile(graph, inputs, config_patches=patches, decompositions=table)


_LARGE = 1 << 14
"""From this many elements on, BLAS multiplies a matrix and a vector faster than a loop in C++."""


@functools.cache
def _decompositions() -> dict[Any, Any]:
    from torch._inductor.decomposition import select_decomp_table

    table = select_decomp_table()
    mv = torch.ops.aten.mv.default
    by_loop = table[mv]

    def product(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
        """Multiply by BLAS where that is faster: Inductor leaves ``mm`` to it."""
        if matrix.numel() < _LARGE or matrix.device.type != "cpu":
            return by_loop(matrix, vector)
        return torch.mm(matrix, vector.unsqueeze(1)).squeeze(1)

    return {**table, mv: product}


INDUCTOR = Compiler(_inductor, lambda graph: _compile(graph, _inputs(graph)), _inductor_region)
current = INDUCTOR


@contextmanager
def announced(name: str, *, now: bool) -> Iterator[None]:
    """Enclose a call, and say that a function is being compiled, and then how long it took.

    Args:
        name: What the function is called.
        now: Whether it is known that it will be compiled; otherwise it is said when it is.
    """
    began: list[float] = []

    def begin() -> None:
        if not began:
            began.append(time.perf_counter())
            which = "for seconds or minutes" if now else "again, for other shapes or values"
            say(f"compiling `{name}` {which} ...")

    _begin.append(begin)
    outcome = "did not compile"
    try:
        if now:
            begin()
        yield
        outcome = "compiled"
    finally:
        _begin.remove(begin)
        if began:
            say(f"{outcome} `{name}` in {time.perf_counter() - began[0]:.1f} s")


_begin: list[Callable[[], None]] = []
"""Says of each call, the innermost last, that it has begun to compile, if that is not said yet."""


graphs_compiled = 0
"""How many graphs have been compiled."""


def backend(graph: fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    """Compile a graph, as a backend of ``torch.compile``."""
    global graphs_compiled
    graphs_compiled += 1
    if _begin:
        _begin[-1]()
    with warnings.catch_warnings():  # of PyTorch's own use of its own deprecated names
        warnings.simplefilter("ignore", DeprecationWarning)
        return current.compile(graph, inputs)
