"""The gradient graph, drawn and explained."""

from torchopt.io.names import publish as _publish
from torchopt.visual._dot import SAVED_PREFIX as SAVED_PREFIX
from torchopt.visual._dot import get_fn_name as get_fn_name
from torchopt.visual._dot import make_dot, resize_graph
from torchopt.visual._explain import Explanation, Finding, explain
from torchopt.visual._graph import GradGraph
from torchopt.visual._record import Recording, record

__all__ = [
    "Explanation",
    "Finding",
    "GradGraph",
    "Recording",
    "explain",
    "make_dot",
    "record",
    "resize_graph",
]

_publish(__name__)
