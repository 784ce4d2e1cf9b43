"""How a traced graph is compiled, its loops as one step each; what is known of PyTorch's compiler."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch

from torchopt.autodiff import matrix_work
from torchopt.autodiff.scan import collecting
from torchopt.autodiff.scan_tracing import rewrite
from torchopt.io.terminal import say

__all__ = [
    "INDUCTOR",
    "TRACED",
    "Compiler",
    "announced",
    "backend",
    "current",
    "failures",
    "graphs_compiled",
]


def failures() -> tuple[type[Exception], type[Exception]]:
    """Return the errors of code that cannot be compiled, and of a function with too many versions."""
    from torch._dynamo.exc import FailOnRecompileLimitHit, TorchDynamoException

    return TorchDynamoException, FailOnRecompileLimitHit


class Compiler(NamedTuple):
    """Compiles a graph that has been traced, and the steps in it.

    Attributes:
        whole: Compiles a graph that is differentiated.
        step: Compiles one that is not.
    """

    whole: Callable[[Any, Any], Any]
    step: Callable[[Any], Any]

    def compile(self, graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        """Return a function of the inputs of a graph."""
        with collecting() as scans:
            out = self.whole(rewrite(graph), inputs)
        for scan in scans.values():
            scan.compile(self.step)
        compiled: Callable[..., Any] = out
        return compiled


def _inductor(graph: Any, inputs: Any) -> Any:
    from torch._inductor.compile_fx import compile_fx

    # CUDA graphs need fixed addresses: where all inputs are on the GPU, and their shapes are fixed.
    on_gpu = all(x.is_cuda for x in inputs if isinstance(x, torch.Tensor))
    return compile_fx(
        graph, inputs, matrix_work.lower, config_patches={"triton.cudagraphs": on_gpu}
    )


def _inductor_step(graph: torch.fx.GraphModule) -> Any:
    from torch._inductor.compile_fx import compile_fx
    from torch.fx.passes.split_module import split_module

    scalars = _scalars(graph)
    if not scalars:
        inputs = [n.meta["val"] for n in graph.graph.find_nodes(op="placeholder")]
        return compile_fx(graph, inputs, matrix_work.lower)
    # By themselves: in a loop over the elements of a parameter, Inductor would compute them (the powers
    # in a bias correction, say) again for each.
    parts = split_module(graph, None, lambda node: 0 if node in scalars else 1)  # type: ignore[arg-type]
    for node in parts.graph.find_nodes(op="call_module"):
        part = getattr(parts, node.target)
        inputs = [n.meta["val"] for n in part.graph.find_nodes(op="placeholder")]
        function: Any = compile_fx(part, inputs, matrix_work.lower)
        setattr(parts, node.target, _Compiled(function))
    return parts


class _Compiled(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.forward = function


def _scalars(graph: torch.fx.GraphModule) -> set[torch.fx.Node]:
    """Return the operations on scalars alone, on the CPU."""
    found: set[torch.fx.Node] = set()
    known: set[torch.fx.Node] = set()
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


def _aot_eager(graph: Any, inputs: Any) -> Any:
    from torch._dynamo.backends.debugging import aot_eager

    return aot_eager(graph, inputs)


INDUCTOR = Compiler(_inductor, _inductor_step)
TRACED = Compiler(_aot_eager, lambda graph: graph)
"""Traces without compiling: to test what can be traced."""

current = INDUCTOR


class Notice:
    """Says that a function is being compiled, and then how long it took.

    Args:
        name: What the function is called.
        again: Whether it has been compiled before.
    """

    def __init__(self, name: str, again: bool) -> None:
        self._name, self._again = name, again
        self._began: float | None = None

    def begin(self) -> None:
        """Say that it has begun, if that is not said yet."""
        if self._began is None:
            self._began, self._before = time.perf_counter(), matrix_work.lowered
            which = "again, for other shapes or values" if self._again else "for a minute or more"
            say(f"compiling `{self._name}` {which} ...")

    def end(self, failed: bool) -> None:
        """Say how long it took, if it has begun."""
        if self._began is not None:
            seconds = time.perf_counter() - self._began
            say(f"{'did not compile' if failed else 'compiled'} `{self._name}` in {seconds:.1f} s")
            if matrix_work.lowered.since(self._before).is_products:
                say(
                    f"most of the work of `{self._name}` is matrix products and convolutions, which "
                    "compiling does not make faster on a CPU: compile=False may be as fast"
                )


_notices: list[Notice] = []


@contextmanager
def announced(name: str, *, now: bool) -> Iterator[None]:
    """Say what is compiled inside.

    Args:
        name: What the function is called.
        now: Whether it is known that it will be compiled; otherwise it is said when it is.
    """
    notice, failed = Notice(name, again=not now), True
    _notices.append(notice)
    try:
        if now:
            notice.begin()
        yield
        failed = False
    finally:
        _notices.remove(notice)
        notice.end(failed)


graphs_compiled = 0
"""How many graphs have been compiled."""


def backend(graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    """Compile a graph, as a backend of ``torch.compile``."""
    global graphs_compiled
    graphs_compiled += 1
    if _notices:
        _notices[-1].begin()
    with warnings.catch_warnings():  # of PyTorch's own use of its own deprecated names
        warnings.simplefilter("ignore", DeprecationWarning)
        return current.compile(graph, inputs)
