"""Compiled code that is traced and run as it is, with a list of its graphs."""

from __future__ import annotations

from typing import Any

import pytest

from torchopt.autodiff import compiler

__all__ = ["TRACED", "collect_graphs"]


def _aot_eager(graph: Any, inputs: Any) -> Any:
    from torch._dynamo.backends.debugging import aot_eager

    return aot_eager(graph, inputs)


TRACED = compiler.Compiler(_aot_eager, lambda graph: graph, lambda graph: graph)
"""Traces without compiling: what is traced is what is compiled."""


def collect_graphs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list that gets each graph that is compiled in a test."""
    made: list[Any] = []

    def whole(graph: Any, inputs: Any) -> Any:
        made.append(graph)
        return TRACED.whole(graph, inputs)

    monkeypatch.setattr(compiler, "current", TRACED._replace(whole=whole))
    return made
