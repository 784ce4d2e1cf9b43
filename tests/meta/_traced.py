"""Compiled code that is traced and run as it is, with a list of its graphs."""

from __future__ import annotations

from typing import Any

import pytest

from torchopt.autodiff import compiler

__all__ = ["collect_graphs"]


def collect_graphs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list that gets each graph that is compiled in a test."""
    made: list[Any] = []

    def whole(graph: Any, inputs: Any) -> Any:
        made.append(graph)
        return compiler.TRACED.whole(graph, inputs)

    monkeypatch.setattr(compiler, "current", compiler.TRACED._replace(whole=whole))
    return made
