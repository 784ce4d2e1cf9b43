"""Regions: a function of tensors that compiled code calls as one operation, its loops and all.

A region is traced once with all of its loops (:mod:`torchopt.autodiff.loop_tracing`), and compiled by
itself, its loops in C++. What looks at values (a warning about a solve that did not converge) does so
when it has run. A function that cannot be traced runs as it is.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import torch
from torch import fx

from torchopt import checks
from torchopt.autodiff import compiler
from torchopt.autodiff.environment import TorchSettings
from torchopt.autodiff.loop_tracing import lower
from torchopt.autodiff.scan import (
    Meta,
    Scan,
    Shape,
    Step,
    Tensors,
    apart,
    is_pure,
    outside_of_tracing,
)
from torchopt.autodiff.tracing import Trace, traced
from torchopt.errors import NotCompiledWarning


class Region(Scan):
    """A function of tensors as one operation, which is not differentiated.

    Args:
        function: The function, without side effects.
        metas: What is fixed of its operands.
        results: What is fixed of its results.
        name: What it is called where it cannot be traced.
        refused: Why it is not to be traced; None if it may be.
    """

    has_steps: ClassVar[bool] = False

    def __init__(
        self,
        function: Step,
        metas: Sequence[Meta],
        results: Sequence[Meta],
        name: str,
        refused: str | None = None,
    ) -> None:
        super().__init__(function, 1, Shape(0, 0, len(metas), len(results)), metas)
        self._like = list(results)
        self._name = name
        self._region: tuple[fx.GraphModule, Trace] | None = None
        self._refused = refused
        self._reported = False

    @property
    def results(self) -> list[Meta]:
        """What is fixed of the results."""
        return self._like

    def trace(self) -> tuple[fx.GraphModule, list[Meta]]:
        """Return the function as a graph, an empty one if it cannot be traced, and what it returns."""
        if self._region is None and not self._reported:
            reason = self._refused
            try:
                if reason is None:
                    self._region = self._traced()
            except Exception as error:  # whatever needs values
                reason = " ".join(str(error).split())[:300] or type(error).__name__
            if reason is not None:
                self._reported = True
                checks.warn(
                    f"{self._name} runs eagerly within compiled code, because {reason.rstrip('.')}.",
                    NotCompiledWarning,
                )
        graph = fx.GraphModule({}, fx.Graph()) if self._region is None else self._region[0]
        return graph, self._like

    def check(self) -> None:
        """Raise if the function cannot be traced, draws random numbers or writes to tensors."""
        self._region = self._traced()

    def _traced(self) -> tuple[fx.GraphModule, Trace]:
        from torch._subclasses import FakeTensorMode
        from torch.fx.experimental.proxy_tensor import make_fx
        from torch.fx.experimental.symbolic_shapes import ShapeEnv

        def flat(*operands: torch.Tensor) -> Tensors:
            out = [y.contiguous() for y in self.step(*operands)]
            return [*out, *(t for _, tensors in trace.checks for t in tensors)]

        # Inductor asks a mode with loops for symbols, of which there are none.
        mode = FakeTensorMode(shape_env=ShapeEnv(), static_shapes=True)
        with outside_of_tracing(), mode, torch.no_grad():
            operands = [m.empty() for m in self.metas]
            with traced() as trace:
                graph = make_fx(flat)(*operands)
            if not is_pure(graph):  # forward mode writes to tensors of its own
                with traced() as trace:
                    graph = make_fx(torch.func.functionalize(flat))(*operands)
        if not is_pure(graph):
            raise RuntimeError("it draws random numbers or changes a tensor in place")
        return lower(graph), trace

    def compile(self, compile_step: Any = None) -> None:
        """Compile the function, once."""
        graph, _ = self.trace()
        if self._region is not None and self._compiled is None:
            with outside_of_tracing(), torch.no_grad():
                self._compiled = compiler.current.region(graph)

    def run(self, operands: Sequence[torch.Tensor]) -> Tensors:
        """Call the function, without a graph."""
        with torch.no_grad():
            if self._compiled is None:
                _apart(self.compile)
            if self._compiled is None:
                out = [y.contiguous() for y in _apart(self.step, *operands)]
            else:
                out = list(self._compiled(*(t.contiguous() for t in operands)))
        results, rest = out[: len(self._like)], iter(out[len(self._like) :])
        if self._compiled is not None and self._region is not None:
            for check, tensors in self._region[1].checks:
                check(*(next(rest) for _ in tensors))
        return apart(results, operands)

    def _depends(self, which: Sequence[bool]) -> list[bool]:
        return [True] * len(self._like)

    def _like_it(self, step: Step, metas: Sequence[Meta], size: int) -> Scan:
        results = [m.batched(size) for m in self._like]
        return Region(step, metas, results, self._name, self._refused)


def _apart(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function in a thread of its own: within an operator there is no autograd for it."""
    settings = TorchSettings.current()
    stream = torch.cuda.current_stream() if torch.cuda.is_initialized() else None

    def call() -> Any:
        with settings.applied(), torch.cuda.stream(stream), torch.no_grad():
            return function(*args)

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(contextvars.copy_context().run, call).result()
