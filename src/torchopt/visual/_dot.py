"""The graph node by node, as text for Graphviz, with the appearance of published ``make_dot``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.autograd.graph import Node

from torchopt.autodiff.graph import is_custom
from torchopt.io.optional import optional
from torchopt.pytree.typing import TensorTree
from torchopt.visual._memory import saved, saved_values
from torchopt.visual._names import Names, leaf_of, named_tensors
from torchopt.visual._walk import Walk, edge_of, tensors_of, walk

if TYPE_CHECKING:
    from graphviz import Digraph

SAVED_PREFIX = "_saved_"
_LEAF, _SAVED, _OUTPUT, _BASE = "lightblue", "orange", "darkolivegreen1", "darkolivegreen3"


def make_dot(
    var: TensorTree,
    params: Names = None,
    show_attrs: bool = False,
    show_saved: bool = False,
    max_attr_chars: int = 50,
) -> Digraph:
    """Return the whole autograd graph as a Graphviz graph, one box for each node.

    Operations are grey. Leaves that require grad, and named tensors, are light blue;
    saved tensors are orange; outputs are green, and the tensors that they are views of dark green. For
    more than a few inner steps use :class:`torchopt.visual.GradGraph`, whose pictures stay legible.

    Args:
        var: The outputs: a tensor or a tree of tensors.
        params: Names for tensors: a dictionary from names to tensors or from tensors to names,
            ``named_parameters()``, a module, a :class:`torchopt.optim.ModuleState` taken with
            ``enable_visual=True``, or a list of these.
        show_attrs: Whether to list what each operation saves for its backward pass.
        show_saved: Whether to draw the saved tensors of operations; those of custom functions are
            always drawn.
        max_attr_chars: The number of characters of a value to show.

    Returns:
        A ``graphviz.Digraph``; its ``render`` and its picture in a notebook need Graphviz's program
        ``dot``, its ``source`` does not.

    Raises:
        ModuleNotFoundError: If the extra ``viz`` is not installed.
        TypeError: If ``var`` has no tensors, or ``params`` something else.

    Example:
        >>> import torch
        >>> x = torch.ones(3, requires_grad=True)
        >>> dot = make_dot(x.sin().sum(), {"x": x})
        >>> [line.strip() for line in dot.body if "label" not in line]
        ['leaf0 -> n0', 'n0 -> n1', 'n1 -> n2', 'n2 -> out0']
    """
    dot: Digraph = optional("graphviz", "viz", "`make_dot`").Digraph(
        node_attr={
            "style": "filled",
            "shape": "box",
            "align": "left",
            "fontsize": "10",
            "ranksep": "0.1",
            "height": "0.2",
            "fontname": "monospace",
        },
        graph_attr={"size": "12,12"},
    )
    outputs = _with_bases([tensor for _, tensor in tensors_of(var, "var")])
    named = [(tensor, name.replace("\\", "\\\\")) for tensor, name in named_tensors(params)]
    own = {id(tensor): name for tensor, name in named}
    walked = walk(
        [tensor for tensor in outputs if tensor.grad_fn is not None] or torch.empty(0, device="cpu")
    )
    results = _results(walked, named, {id(tensor) for tensor in outputs})
    leaves: dict[int, str] = {}
    for number, node in enumerate(walked.nodes):  # leaves come first
        leaf = leaf_of(node)
        if leaf is not None:
            leaves[id(leaf)] = f"leaf{number}"
            name = results.get(number, [("", leaf)])[0][0]
            dot.node(f"leaf{number}", _label(name, leaf), fillcolor=_LEAF)
            dot.edge(f"leaf{number}", f"n{number}")
        label = get_fn_name(node, show_attrs, max_attr_chars)
        blue = None if leaf is not None else results.get(number)
        for name, tensor in blue or ():
            label += f"\n{_label(name, tensor)}"
        dot.node(f"n{number}", label, fillcolor=_LEAF if blue else None)
        _draw_saved(dot, f"n{number}", node, show_saved, leaves)
    for source, _, target, _ in walked.edges:
        dot.edge(f"n{source}", f"n{target}")
    _draw_outputs(dot, outputs, own, walked)
    if (show_attrs or show_saved) and saved(walked).freed:
        dot.graph_attr.update(label="A backward pass has freed what this graph had saved.")
    resize_graph(dot)
    return dot


def resize_graph(dot: Digraph, size_per_element: float = 0.5, min_size: float = 12.0) -> None:
    """Set the size of a graph by the number of its elements, in place.

    Args:
        dot: The graph.
        size_per_element: Inches for each node and each edge.
        min_size: Inches at least.

    Example:
        >>> import graphviz
        >>> dot = graphviz.Digraph()
        >>> resize_graph(dot)
        >>> dot.graph_attr["size"]
        '12.0,12.0'
    """
    size = max(min_size, len(dot.body) * size_per_element)
    dot.graph_attr.update(size=f"{size},{size}")


def _with_bases(outputs: list[torch.Tensor]) -> list[torch.Tensor]:
    """Return the outputs, each once, and then the bases of views among them."""
    bases = [t._base for t in outputs if t._base is not None]
    return [*{id(tensor): tensor for tensor in [*outputs, *bases]}.values()]


def _results(
    walked: Walk, named: list[tuple[torch.Tensor, str]], outputs: set[int]
) -> dict[int, list[tuple[str, torch.Tensor]]]:
    """Return named tensors by the node that computes them, without outputs."""
    results: dict[int, list[tuple[str, torch.Tensor]]] = {}
    for tensor, name in named:
        edge = edge_of(tensor)
        if edge is not None and edge[0] in walked.index and id(tensor) not in outputs:
            results.setdefault(walked.index[edge[0]], []).append((name, tensor))
    return results


def _label(name: str, tensor: torch.Tensor) -> str:
    return f"{name}\n({', '.join(map(str, tensor.shape))})"


def get_fn_name(fn: Node, show_attrs: bool, max_attr_chars: int) -> str:
    """Return a node's type, with a table of its attributes if wanted."""
    name = type(fn).__name__
    if not show_attrs or is_custom(fn):
        return name
    # What was not needed, or was freed, is among the names only.
    attributes = {
        attribute.removeprefix(SAVED_PREFIX): "None"
        for attribute in dir(fn)
        if attribute.startswith(SAVED_PREFIX)
    }
    for key, value in saved_values(fn):
        attribute, is_list, _ = key.partition("[")
        text = "[saved tensor]" if isinstance(value, torch.Tensor) else str(value)
        attributes[attribute] = "[saved tensors]" if is_list else text.replace("\\", "\\\\")
    if not attributes:
        return name
    keys = max(map(len, attributes))
    values = min(max(map(len, attributes.values())), max(max_attr_chars, 3))
    lines = [name, "-" * max(keys + values + 2, len(name))]
    for key, text in attributes.items():
        shown = text if len(text) <= values else text[: values - 3] + "..."
        lines.append(f"{key:{keys}}: {shown:>{values}}")
    return "\n".join(lines)


def _draw_saved(
    dot: Digraph, number: str, node: Node, show_saved: bool, leaves: dict[int, str]
) -> None:
    custom = is_custom(node)
    if not (custom or show_saved):
        return
    for k, (name, tensor) in enumerate(saved_values(node)):
        if not isinstance(tensor, torch.Tensor):
            continue
        place = leaves.get(id(tensor), f"{number}saved{k}")
        if id(tensor) not in leaves:
            dot.node(place, _label("" if custom else name, tensor), fillcolor=_SAVED)
        if custom:
            dot.edge(place, number)
        else:
            dot.edge(number, place, dir="none")


def _draw_outputs(
    dot: Digraph, outputs: list[torch.Tensor], own: dict[int, str], walked: Walk
) -> None:
    places = {id(tensor): f"out{number}" for number, tensor in enumerate(outputs)}
    bases = {id(tensor._base) for tensor in outputs if tensor._base is not None}
    for tensor in outputs:
        place = places[id(tensor)]
        colour = _BASE if id(tensor) in bases else _OUTPUT
        dot.node(place, _label(own.get(id(tensor), ""), tensor), fillcolor=colour)
        if tensor.grad_fn is not None:
            dot.edge(f"n{walked.index[tensor.grad_fn]}", place)
        if tensor._base is not None:
            dot.edge(places[id(tensor._base)], place, style="dotted")
