"""Names of operations, leaves and named tensors in the graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import torch
from torch import nn
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import Node

from torchopt.ops.function import Fused
from torchopt.optim import ModuleState
from torchopt.pytree import flattening as pytree
from torchopt.visual._walk import Walk, edge_of

Names: TypeAlias = (
    nn.Module
    | ModuleState
    | Mapping[str, Any]
    | Mapping[torch.Tensor, str]
    | Iterable[object]
    | None
)
"""Names for tensors; see :func:`named_tensors`."""

_GENERATED = re.compile(r"GeneratedBackwardFor_(.+)_[^_]+$")  # namespace, operator; overload
# The library's own functions. By name: this room does not import all of those that have them.
_OWN = {
    "_Collective": "collective",
    "_Estimated": "zero-order estimate",
    "Fused": "fused update",
    "_Rematerialized": "recomputed step",
    "_RemoteMap": "remote call",
    "_Told": "start",
    "_Unroll": "recomputed steps",
    "Root": "implicit solution",
}
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def leaf_of(node: Node) -> torch.Tensor | None:
    """Return the leaf that a node accumulates gradients of; None for other nodes."""
    variable = getattr(node, "variable", None)
    return variable if isinstance(variable, torch.Tensor) else None


def metadata_of(node: Node) -> dict[str, Any]:
    """Return the metadata that anomaly mode attached to a node."""
    metadata: Any = node.metadata
    return metadata


def type_of(node: Node) -> str:
    """Return autograd's own name of a node, such as ``AddmmBackward0``."""
    return node.name().rpartition("::")[2]


def is_custom(node: Any) -> bool:
    """Whether a node is the user's ``autograd.Function``, not one of this library."""
    return isinstance(node, BackwardCFunction) and _own_name(node) is None


def _own_name(node: Any) -> str | None:
    """Return the name of a function of this library; None for other nodes."""
    function = getattr(node, "_forward_cls", None)
    if function is None or not function.__module__.startswith("torchopt."):
        return None
    if function is Fused and node.how.graph.root is not None:
        return "fused update backward"
    return _OWN.get(function.__name__)


def is_update(node: Node) -> bool:
    """Whether a node is an optimizer's update that the library runs as one kernel."""
    if getattr(node, "_forward_cls", None) is not Fused:
        return False
    graph = node.how.graph  # type: ignore[attr-defined]
    return graph.root is None and "g" in graph.tensors


def operation_of(node: Node) -> str:
    """Return the operation of a node, by its name in programs.

    Args:
        node: A node of autograd's graph.

    Returns:
        The operation as PyTorch calls it; ``"mse_loss backward"`` for a derivative's own derivative; a
        custom function's class name.

    Example:
        >>> import torch
        >>> x = torch.ones(3, requires_grad=True)
        >>> operation_of(x.log_softmax(0).grad_fn)
        'log_softmax'
        >>> operation_of(torch.autograd.grad(x.tanh().sum(), x, create_graph=True)[0].grad_fn)
        'tanh backward'
    """
    leaf = leaf_of(node)
    if leaf is not None:
        return "parameter" if isinstance(leaf, nn.Parameter) else "tensor"
    if type_of(node) == "NotImplemented":
        return "missing derivative"
    own = _own_name(node)
    if own is not None:
        return own
    if is_custom(node):
        name = str(node._forward_cls.__name__)  # type: ignore[attr-defined]
        operator = _GENERATED.match(name)
        return operator[1] if operator else name
    # A derivative's own derivative: "TanhBackwardBackward0", "LogSoftmaxBackwardDataBackward0".
    name = re.sub(r"Backward\d*$", "", type_of(node))
    stem, is_derivative, _ = name.partition("Backward")
    words = _WORDS.sub("_", stem).lower()
    return f"{words} backward" if is_derivative else words


def named_tensors(names: Any) -> Iterator[tuple[Any, str]]:
    """Return tensors, or ``(node, output)`` where only these are known, with their names.

    Args:
        names: A module; a tree of tensors, named by its keys; a dictionary from tensors to names; a
            :class:`torchopt.optim.ModuleState` with names; an iterator of pairs, such as
            ``named_parameters()``; or a list or a dictionary of these.
    """
    yield from _named(names, "")


def _named(names: Any, prefix: str) -> Iterator[tuple[Any, str]]:
    if names is None:
        return
    if isinstance(names, torch.Tensor):
        yield names, prefix or "tensor"
    elif isinstance(names, nn.Module):
        for table in (names.named_parameters, names.named_buffers):
            # Tied weights have one name, their first.
            yield from ((t, _join(prefix, name)) for name, t in table())
        for name, t in meta_parameters(names):
            yield t, _join(prefix, name)
    elif isinstance(names, ModuleState):
        if names.visual_contents is None:
            raise ValueError(
                "`names` has a ModuleState without names: take the state out with "
                "`extract_state_dict(module, enable_visual=True)`."
            )
        for key, value in names.visual_contents.items():
            if isinstance(key, torch.Tensor):
                yield key, _join(prefix, value)
            else:
                yield value[1], _join(prefix, value[0])
    elif isinstance(names, Mapping):
        for key, value in names.items():
            if isinstance(key, torch.Tensor):
                yield key, _join(prefix, value)
            else:
                yield from _named(value, _join(prefix, str(key)))
    elif isinstance(names, (list, tuple)) and not _is_pair(names):
        for k, value in enumerate(names):
            # Modules, states and pairs of a list bring their own names.
            whole = isinstance(value, (nn.Module, ModuleState, Mapping)) or _is_pair(value)
            own = whole or (isinstance(value, (list, tuple, Iterator)) and not prefix)
            yield from _named(value, prefix if own else _join(prefix, str(k)))
    elif _is_pair(names):
        yield names[1], _join(prefix, names[0])
    elif isinstance(names, Iterator):
        yield from _named(list(names), prefix)
    else:
        leaves, spec = pytree.flatten(names)
        if len(leaves) == 1 and leaves[0] is names:
            raise TypeError(
                f"`names` has an object of type {type(names).__name__}: pass a module, a tree of "
                f"tensors, `named_parameters()`, a ModuleState, or a list of these."
            )
        for accessor, leaf in zip(spec.accessors(), leaves, strict=True):
            if isinstance(leaf, torch.Tensor):
                yield leaf, accessor.codify(prefix).lstrip(".")


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) == 2
        and isinstance(value[0], str)
        and isinstance(value[1], torch.Tensor)
    )


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def meta_parameters(module: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """Return the meta-parameters of a :class:`torchopt.nn.MetaGradientModule`."""
    table = getattr(module, "named_meta_parameters", None)
    if table is not None:
        yield from table()


def names_by_place(walk: Walk, names: Any) -> dict[tuple[int, int], str]:
    """Return the names of outputs of nodes, by position and number of the output.

    Args:
        walk: A walked graph.
        names: As in :func:`named_tensors`. What is not in the graph is left out; the first name stays.
    """
    names_at: dict[tuple[int, int], str] = {}
    for tensor, name in named_tensors(names):
        edge = edge_of(tensor)
        if edge is not None and edge[0] in walk.index:
            names_at.setdefault((walk.index[edge[0]], edge[1]), name)
    return names_at
