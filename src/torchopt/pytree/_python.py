"""The engine in Python alone: the native engine's twin, and what ``torch.compile`` traces."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch

from torchopt.pytree._nodes import (
    CUSTOM,
    MAPPINGS,
    MAX_DEPTH,
    NONE,
    OWN_DEPTH,
    Handler,
    resolve,
    take_apart,
)
from torchopt.pytree._spec import PyTreeSpec, explain_count

_IsLeaf = Callable[[Any], bool] | None
_is_tensor_type = frozenset({torch.Tensor, torch.nn.Parameter}).__contains__


class _Node(NamedTuple):
    """A container of a structure, without what the whole structure has in common.

    A leaf is None: ``torch.compile`` traces an object of each container, and none of a leaf. ``flat``
    says whether all children are leaves, which are then handled together.
    """

    handler: Handler
    keys: Any
    order: Any
    meta: Any
    entries: Any
    children: tuple[_Node | None, ...]
    leaves: int
    flat: bool
    custom: bool


def _node(
    handler: Handler, keys: Any, order: Any, meta: Any, entries: Any, children: Any, leaves: int
) -> _Node:
    flat, custom = children == (None,) * len(children), handler.kind == CUSTOM
    for child in () if flat else children:
        custom = custom or (child is not None and child.custom)
    parts = (handler, keys, order, meta, entries, children, leaves, flat, custom)
    return tuple.__new__(_Node, parts)  # a third of what `_Node(...)` costs `torch.compile`


class PythonSpec(PyTreeSpec):
    """A structure of this engine."""

    __slots__ = ("__weakref__", "_root", "namespace", "none_is_leaf")

    def __init__(self, root: _Node | None, none_is_leaf: bool, namespace: str) -> None:
        self._root = root
        self.none_is_leaf = none_is_leaf
        self.namespace = namespace

    num_leaves = property(lambda self: 1 if self._root is None else self._root.leaves)
    num_nodes = property(lambda self: self.to_optree().num_nodes)
    num_children = property(lambda self: 0 if self._root is None else len(self._root.children))
    _handler = property(lambda self: self._root and self._root.handler)
    _keys = property(lambda self: self._root and self._root.keys)
    _order = property(lambda self: self._root and self._root.order)
    _meta = property(lambda self: self._root and self._root.meta)
    _entries = property(lambda self: self._root and self._root.entries)
    _twin = property(lambda self: self)

    def children(self) -> list[PyTreeSpec]:
        """See :meth:`PyTreeSpec.children`."""
        children = () if self._root is None else self._root.children
        return [PythonSpec(child, self.none_is_leaf, self.namespace) for child in children]

    def unflatten(self, leaves: Iterable[object], /) -> Any:
        """See :meth:`PyTreeSpec.unflatten`."""
        values = list(leaves)
        if len(values) != self.num_leaves:
            explain_count(self, len(values))
        return values[0] if self._root is None else _build(self._root, values, 0)

    def equals(self, other: PythonSpec) -> bool:
        """Whether two structures are the same."""
        return (
            self.none_is_leaf == other.none_is_leaf
            and self.namespace == other.namespace
            and _are_equal(self._root, other._root)
        )


def flatten(
    tree: Any, is_leaf: _IsLeaf, none_is_leaf: bool, namespace: str
) -> tuple[list[Any], PyTreeSpec]:
    """Return the leaves of a tree and its structure."""
    if is_leaf is not None and not callable(is_leaf):
        raise TypeError(f"`is_leaf` must be a function or None, not {is_leaf!r}")
    if not isinstance(namespace, str):
        raise TypeError(f"`namespace` must be a string, not {namespace!r}")
    values: list[Any] = []
    room = MAX_DEPTH + (OWN_DEPTH if namespace else 0)
    root = _visit(tree, values, is_leaf, none_is_leaf, namespace, room)
    custom = root is not None and root.custom
    return values, PythonSpec(root, bool(none_is_leaf), namespace if custom else "")


def leaves(*arguments: Any) -> list[Any]:
    """Return the leaves of a tree."""
    return flatten(*arguments)[0]


def structure(*arguments: Any) -> PyTreeSpec:
    """Return the structure of a tree."""
    return flatten(*arguments)[1]


def map_trees(
    function: Callable[..., Any],
    is_leaf: _IsLeaf,
    none_is_leaf: bool,
    namespace: str,
    keep: bool,
    tree: Any,
    *rests: Any,
) -> Any:
    """Return the tree of results; with ``keep`` the tree itself, the function called all the same."""
    values, spec = flatten(tree, is_leaf, none_is_leaf, namespace)
    columns = [spec.flatten_up_to(rest) for rest in rests]
    results = [function(*row) for row in zip(values, *columns, strict=True)]
    return tree if keep else spec.unflatten(results)


def is_leaf(tree: Any, is_leaf: _IsLeaf, none_is_leaf: bool, namespace: str) -> bool:
    """Whether a tree is nothing but a leaf."""
    if (is_leaf is not None and is_leaf(tree)) or (tree is None and none_is_leaf):
        return True
    return resolve(namespace, type(tree)) is None


def make(handler: Handler | None, *parts: Any) -> PyTreeSpec:
    """Return the structure of a root: its parts as in `_Node`, its children as structures."""
    keys, order, meta, entries, children, none_is_leaf, namespace = parts
    if handler is None:
        return PythonSpec(None, none_is_leaf, namespace)
    nodes, count = tuple(x._root for x in children), sum(x.num_leaves for x in children)
    root = _node(handler, keys, order, meta, entries, nodes, count)
    return PythonSpec(root, none_is_leaf, namespace)


def twin(spec: PyTreeSpec) -> PyTreeSpec:
    """Return a structure of the other engine as one of this."""
    root = (spec._handler, spec._keys, spec._order, spec._meta, spec._entries)
    return make(*root, tuple(map(twin, spec.children())), spec.none_is_leaf, spec.namespace)


def _visit(
    tree: Any,
    values: list[Any],
    is_leaf: _IsLeaf,
    none_is_leaf: bool,
    namespace: str,
    room: int,
) -> _Node | None:
    """Append the leaves of a tree of at most ``room`` containers in one another; return its root."""
    if room < 0:
        raise RecursionError("Maximum recursion depth exceeded during flattening the tree.")
    stop = is_leaf is not None and is_leaf(tree)
    handler = None if stop else resolve(namespace, type(tree))
    if handler is None or (none_is_leaf and handler.kind == NONE):
        values.append(tree)
        return None
    keys, order, meta, entries, children = take_apart(handler, tree)
    nodes: list[_Node | None] = []
    before = len(values)
    if is_leaf is None and room and False not in [*map(_is_tensor_type, map(type, children))]:
        values += children  # at once: each call would be traced
        nodes += [None] * len(children)
    else:
        for child in children:
            nodes.append(_visit(child, values, is_leaf, none_is_leaf, namespace, room - 1))
    count = len(values) - before
    return _node(handler, keys, order, meta, entries, tuple(nodes), count)


def _build(node: _Node, leaves: list[Any], start: int) -> Any:
    """Return the tree of a node, whose leaves begin at ``start``."""
    children = leaves[start : start + node.leaves] if node.flat else []
    for child in () if node.flat else node.children:
        if child is None:
            children.append(leaves[start])
            start += 1
        else:
            children.append(_build(child, leaves, start))
            start += child.leaves
    handler = node.handler
    assert handler.unflatten is not None
    if handler.kind in MAPPINGS:
        values = dict(zip(node.keys, children, strict=True))
        return handler.unflatten(node.meta, {key: values[key] for key in node.order})
    return handler.unflatten(node.meta, tuple(children))


def _are_equal(a: _Node | None, b: _Node | None) -> bool:
    if a is None or b is None:
        return a is b
    if (
        a.handler.type != b.handler.type
        or a.flat != b.flat
        or len(a.children) != len(b.children)
        or (a.keys, a.meta) != (b.keys, b.meta)
    ):
        return False
    for x, y in () if a.flat else zip(a.children, b.children, strict=True):
        if not _are_equal(x, y):
            return False
    return True
