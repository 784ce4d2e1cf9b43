"""The engine in Python alone: the native engine's twin, and what ``torch.compile`` traces."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch
from optree import PyTreeKind

from torchopt.pytree._nodes import MAX_DEPTH, OWN_DEPTH, Handler, resolve, sort_keys
from torchopt.pytree._spec import PyTreeSpec, explain_count, flatten_custom, flatten_up_to

# Plain numbers: comparing members of an enumeration is slower, and harder to trace.
_CUSTOM, _NONE = int(PyTreeKind.CUSTOM), int(PyTreeKind.NONE)
_TUPLE, _LIST, _DEQUE = int(PyTreeKind.TUPLE), int(PyTreeKind.LIST), int(PyTreeKind.DEQUE)
_DICT, _DEFAULTDICT = int(PyTreeKind.DICT), int(PyTreeKind.DEFAULTDICT)
_ORDEREDDICT, _NAMEDTUPLE = int(PyTreeKind.ORDEREDDICT), int(PyTreeKind.NAMEDTUPLE)
_MAPPINGS = (_DICT, _ORDEREDDICT, _DEFAULTDICT)
_is_tensor_type = frozenset({torch.Tensor, torch.nn.Parameter}).__contains__
_is_string_type = frozenset({str}).__contains__


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
    handler: Handler,
    keys: Any,
    order: Any,
    meta: Any,
    entries: Any,
    children: tuple[_Node | None, ...],
) -> _Node:
    flat, custom = children == (None,) * len(children), handler.kind == _CUSTOM
    leaves = len(children)
    if not flat:
        leaves = 0
        for child in children:
            leaves += 1 if child is None else child.leaves
            custom = custom or (child is not None and child.custom)
    parts = (handler, keys, order, meta, entries, children, leaves, flat, custom)
    return tuple.__new__(_Node, parts)  # a third of what `_Node(...)` costs `torch.compile`


def _count(root: _Node | None) -> int:
    count, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        count += 1
        waiting += () if node is None else node.children
    return count


class PythonSpec(PyTreeSpec):
    """A structure of this engine."""

    __slots__ = ("__weakref__", "_root", "namespace", "none_is_leaf")

    def __init__(self, root: _Node | None, none_is_leaf: bool, namespace: str) -> None:
        self._root = root
        self.none_is_leaf = none_is_leaf
        self.namespace = namespace

    num_leaves = property(lambda self: 1 if self._root is None else self._root.leaves)
    num_nodes = property(lambda self: _count(self._root))
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

    def unflatten(self, leaves: Iterable[Any], /) -> Any:
        """See :meth:`PyTreeSpec.unflatten`."""
        values = list(leaves)
        if len(values) != self.num_leaves:
            explain_count(self, len(values))
        return values[0] if self._root is None else _build(self._root, values, 0)

    def flatten_up_to(self, tree: Any, /) -> list[Any]:
        """See :meth:`PyTreeSpec.flatten_up_to`."""
        return flatten_up_to(self, tree)

    def equals(self, other: PythonSpec) -> bool:
        """Whether two structures are the same."""
        return (
            self.none_is_leaf == other.none_is_leaf
            and self.namespace == other.namespace
            and _are_equal(self._root, other._root)
        )


def flatten(
    tree: Any, is_leaf: Callable[[Any], bool] | None, none_is_leaf: bool, namespace: str
) -> tuple[list[Any], PyTreeSpec]:
    """Return the leaves of a tree and its structure."""
    values, root = _flatten(tree, is_leaf, none_is_leaf, namespace)
    custom = root is not None and root.custom
    return values, PythonSpec(root, bool(none_is_leaf), namespace if custom else "")


def _flatten(
    tree: Any, is_leaf: Callable[[Any], bool] | None, none_is_leaf: bool, namespace: str
) -> tuple[list[Any], _Node | None]:
    if is_leaf is not None and not callable(is_leaf):
        raise TypeError(f"`is_leaf` must be a function or None, not {is_leaf!r}")
    if not isinstance(namespace, str):
        raise TypeError(f"`namespace` must be a string, not {namespace!r}")
    values: list[Any] = []
    room = MAX_DEPTH + (OWN_DEPTH if namespace else 0)
    return values, _visit(tree, values, is_leaf, none_is_leaf, namespace, room)


def leaves(
    tree: Any, is_leaf: Callable[[Any], bool] | None, none_is_leaf: bool, namespace: str
) -> list[Any]:
    """Return the leaves of a tree."""
    return _flatten(tree, is_leaf, none_is_leaf, namespace)[0]


def structure(
    tree: Any, is_leaf: Callable[[Any], bool] | None, none_is_leaf: bool, namespace: str
) -> PyTreeSpec:
    """Return the structure of a tree."""
    return flatten(tree, is_leaf, none_is_leaf, namespace)[1]


def map_trees(
    function: Callable[..., Any],
    is_leaf: Callable[[Any], bool] | None,
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


def is_leaf(
    tree: Any, is_leaf: Callable[[Any], bool] | None, none_is_leaf: bool, namespace: str
) -> bool:
    """Whether a tree is nothing but a leaf."""
    if (is_leaf is not None and is_leaf(tree)) or (tree is None and none_is_leaf):
        return True
    return resolve(namespace, type(tree)) is None


def make(
    handler: Handler | None,
    keys: Any,
    order: Any,
    meta: Any,
    entries: Any,
    children: tuple[PyTreeSpec, ...],
    none_is_leaf: bool,
    namespace: str,
) -> PyTreeSpec:
    """Return the structure with this root."""
    nodes = tuple(child._root for child in children if isinstance(child, PythonSpec))
    root = None if handler is None else _node(handler, keys, order, meta, entries, nodes)
    return PythonSpec(root, none_is_leaf, namespace)


def twin(spec: PyTreeSpec) -> PyTreeSpec:
    """Return a structure of the other engine as one of this."""
    children = tuple(twin(child) for child in spec.children())
    root = (spec._handler, spec._keys, spec._order, spec._meta, spec._entries)
    return make(*root, children, spec.none_is_leaf, spec.namespace)


def _visit(
    tree: Any,
    values: list[Any],
    is_leaf: Callable[[Any], bool] | None,
    none_is_leaf: bool,
    namespace: str,
    room: int,
) -> _Node | None:
    """Append the leaves of a tree of at most ``room`` containers in one another; return its root."""
    if room < 0:
        raise RecursionError("Maximum recursion depth exceeded during flattening the tree.")
    stop = is_leaf is not None and is_leaf(tree)
    handler = None if stop else resolve(namespace, type(tree))
    if handler is None or (none_is_leaf and handler.kind == _NONE):
        values.append(tree)
        return None
    kind = handler.kind
    keys = order = meta = entries = None
    if kind == _NONE:
        children: Any = ()
    elif kind in _MAPPINGS:
        order = tuple(tree)
        keys = order if handler.ordered else _sorted(order)
        children = [tree[key] for key in keys]
        meta = tree.default_factory if kind == _DEFAULTDICT else None
    elif kind == _CUSTOM:
        children, meta, entries = flatten_custom(handler, tree)
    else:
        children = list(tree)
        meta = tree.maxlen if kind == _DEQUE else None
    nodes: list[_Node | None] = []
    if is_leaf is None and room and False not in [*map(_is_tensor_type, map(type, children))]:
        values += children  # at once: each call would be traced
        nodes += [None] * len(children)
    else:
        for child in children:
            nodes.append(_visit(child, values, is_leaf, none_is_leaf, namespace, room - 1))
    return _node(handler, keys, order, meta, entries, tuple(nodes))


def _sorted(keys: tuple[Any, ...]) -> tuple[Any, ...]:
    if False not in [*map(_is_string_type, map(type, keys))]:
        return tuple(sorted(keys))  # as most are; `sort_keys` is traced for longer
    return tuple(sort_keys(keys))


def _build(node: _Node, leaves: list[Any], start: int) -> Any:
    """Return the tree of a node, whose leaves begin at ``start``."""
    handler = node.handler
    kind = handler.kind
    if kind == _NONE:
        return None
    children = leaves[start : start + node.leaves] if node.flat else []
    for child in () if node.flat else node.children:
        if child is None:
            children.append(leaves[start])
            start += 1
        else:
            children.append(_build(child, leaves, start))
            start += child.leaves
    if kind == _TUPLE:
        return tuple(children)
    if kind == _LIST:
        return children
    if kind in _MAPPINGS:
        values = dict(zip(node.keys, children, strict=True))
        ordered = {key: values[key] for key in node.order}
        if kind == _DICT:
            return ordered
        if kind == _ORDEREDDICT:
            return handler.type(ordered)
        return handler.type(node.meta, ordered)
    if kind == _NAMEDTUPLE:
        if handler.packs:
            return tuple.__new__(handler.type, children)
        return handler.type(*children)
    if kind == _DEQUE:
        return handler.type(children, node.meta)
    if kind == _CUSTOM:
        assert handler.unflatten is not None
        return handler.unflatten(node.meta, tuple(children))
    return handler.type(tuple(children))


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
