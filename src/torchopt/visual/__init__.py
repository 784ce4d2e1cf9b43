"""The gradient graph, seen and explained."""

from torchopt.visual._data import Box, Edge, Group, Link, Node, Output
from torchopt.visual._dot import make_dot, resize_graph
from torchopt.visual._explain import Explanation, Finding, explain
from torchopt.visual._graph import GradGraph
from torchopt.visual._record import Cut, Recording, record

__all__ = [
    "Box",
    "Cut",
    "Edge",
    "Explanation",
    "Finding",
    "GradGraph",
    "Group",
    "Link",
    "Node",
    "Output",
    "Recording",
    "explain",
    "make_dot",
    "record",
    "resize_graph",
]
