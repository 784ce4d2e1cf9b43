"""The page: the collapsed picture, and all operations as data that a script shows on demand."""

from __future__ import annotations

import html as _escape
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from torchopt.visual._picture import picture
from torchopt.visual.data import GraphData, Node
from torchopt.visual.layout import Picture
from torchopt.visual.svg import draw


@cache
def _asset(name: str) -> str:
    return (files("torchopt.visual") / "assets" / name).read_text(encoding="utf-8")


def html(graph: GraphData) -> str:
    """Return a page of a graph, which needs nothing but itself.

    Args:
        graph: The graph.
    """
    shown = picture(graph)
    content = {
        "title": _escape.escape(shown.title),
        "style": _asset("graph.css"),
        "picture": draw(shown),
        # "<" would end the script element.
        "data": json.dumps(_data(graph, shown), separators=(",", ":")).replace("<", "\\u003c"),
        "script": _asset("graph.js"),
    }
    # One pass: what is put in may look like a place itself.
    return re.sub(r"\{\{(\w+)\}\}", lambda place: content[place[1]], _asset("graph.html"))


def inline(graph: GraphData, height: int = 640) -> str:
    """Return the page in a frame, for a notebook: its rules and scripts stay inside.

    Args:
        graph: The graph.
        height: The frame's height in pixels.
    """
    return (
        f'<iframe title="gradient graph" srcdoc="{_escape.escape(html(graph))}" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )


def _data(graph: GraphData, shown: Picture) -> dict[str, Any]:
    """Return what the script needs; lists instead of objects, as there may be many nodes."""
    return {
        "nodes": [_node(node) for node in graph.nodes],
        "edges": [number for e in graph.edges for number in (e.source, e.output, e.target)],
        "groups": [
            {"parent": g.parent, "kind": g.kind, "label": g.label, "bytes": g.saved_bytes}
            for g in graph.groups
        ],
        "cells": [
            {"groups": cell.groups, "nodes": cell.nodes, "kind": cell.kind, "title": cell.title}
            for cell in shown.cells
        ],
        "outputs": graph.outputs,
        "notes": graph.notes,
        "norms": graph._norms_as_json(),
    }


def _node(node: Node) -> list[Any]:
    outputs = [
        f"{out.shape} {out.dtype}{'' if out.device == 'cpu' else ' ' + out.device}"
        for out in node.outputs
    ]
    names = [name for _, name in node.names]
    return [
        node.operation,
        node.type,
        node.kind,
        outputs,
        names,
        node.saved_bytes,
        node.source,
        node.group,
    ]
