"""The engine in Python alone: the native engine's twin, and what ``torch.compile`` traces."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from optree import PyTreeKind

from torchopt.pytree._nodes import MAX_DEPTH, OWN_DEPTH, Handler, resolve, sort_keys
from torchopt.pytree._spec import PyTreeSpec, explain_count, flatten_custom, flatten_up_to

__all__ = ["PythonSpec", "flatten", "is_leaf", "leaves", "make", "map_trees", "structure", "twin"]

# Plain numbers: comparing members of an enumeration is slower, and harder to trace.
_CUSTOM, _NONE = int(PyTreeKind.CUSTOM), int(PyTreeKind.NONE)
_TUPLE, _LIST, _DEQUE = int(PyTreeKind.TUPLE), int(PyTreeKind.LIST), int(PyTreeKind.DEQUE)
_DICT, _DEFAULTDICT = int(PyTreeKind.DICT), int(PyTreeKind.DEFAULTDICT)
_ORDEREDDICT, _NAMEDTUPLE = int(PyTreeKind.ORDEREDDICT), int(PyTreeKind.NAMEDTUPLE)


class _Node:
    """A node of a structure, without what the whole structure has in common."""

    __slots__ = (
        "arity",
        "children",
        "custom",
        "entries",
        "handler",
        "keys",
        "leaves",
        "meta",
        "nodes",
        "order",
    )

    def __init__(
        self,
        handler: Handler | None,
        keys: Any,
        order: Any,
        meta: Any,
        entries: Any,
        children: tuple[_Node, ...],
    ) -> None:
        self.handler = handler
        self.keys = keys
        self.order = order
        self.meta = meta
        self.entries = entries
        self.children = children
        self.arity = len(children)
        self.custom = handler is not None and handler.kind == _CUSTOM
        self.leaves = 1 if handler is None else 0
        self.nodes = 1
        for child in children:
            self.custom = self.custom or child.custom
            self.leaves += child.leaves
            self.nodes += child.nodes


class PythonSpec(PyTreeSpec):
    """A structure of this engine."""

    __slots__ = ("__weakref__", "_root", "namespace", "none_is_leaf")

    def __init__(self, root: _Node, none_is_leaf: bool, namespace: str) -> None:
        self._root = root
        self.none_is_leaf = none_is_leaf
        self.namespace = namespace

    num_leaves = property(lambda self: self._root.leaves)
    num_nodes = property(lambda self: self._root.nodes)
    num_children = property(lambda self: self._root.arity)
    _handler = property(lambda self: self._root.handler)
    _keys = property(lambda self: self._root.keys)
    _order = property(lambda self: self._root.order)
    _meta = property(lambda self: self._root.meta)
    _entries = property(lambda self: self._root.entries)
    _twin = property(lambda self: self)

    def children(self) -> list[PyTreeSpec]:
        """See :meth:`PyTreeSpec.children`."""
        return [PythonSpec(x, self.none_is_leaf, self.namespace) for x in self._root.children]

    def unflatten(self, leaves: Iterable[Any], /) -> Any:
        """See :meth:`PyTreeSpec.unflatten`."""
        values = list(leaves)
        if len(values) != self._root.leaves:
            explain_count(self, len(values))
        return _build(self._root, values, 0)

    def flatten_up_to(self, tree: Any, /) -> list[Any]:
        """See :meth:`PyTreeSpec.flatten_up_to`."""
        return flatten_up_to(self, tree)


def flatten(
    tree: Any, is_leaf: Callable[[Any], bool] | None, none_is_leaf: bool, namespace: str
) -> tuple[list[Any], PyTreeSpec]:
    """Return the leaves of a tree and its structure."""
    if is_leaf is not None and not callable(is_leaf):
        raise TypeError(f"`is_leaf` must be a function or None, not {is_leaf!r}")
    if not isinstance(namespace, str):
        raise TypeError(f"`namespace` must be a string, not {namespace!r}")
    values: list[Any] = []
    root = _visit(tree, values, is_leaf, none_is_leaf, namespace, 0)
    return values, PythonSpec(root, bool(none_is_leaf), namespace if root.custom else "")


def leaves(
    tree: Any, is_leaf: Callable[[Any], bool] | None, none_is_leaf: bool, namespace: str
) -> list[Any]:
    """Return the leaves of a tree."""
    return flatten(tree, is_leaf, none_is_leaf, namespace)[0]


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
    root = _Node(handler, keys, order, meta, entries, nodes)
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
    depth: int,
) -> _Node:
    if depth > MAX_DEPTH + (OWN_DEPTH if namespace else 0):
        raise RecursionError("Maximum recursion depth exceeded during flattening the tree.")
    stop = is_leaf is not None and is_leaf(tree)
    handler = None if stop else resolve(namespace, type(tree))
    if handler is None or (none_is_leaf and handler.kind == _NONE):
        values.append(tree)
        return _Node(None, None, None, None, None, ())
    kind = handler.kind
    keys = order = meta = entries = None
    if kind == _NONE:
        children: Any = ()
    elif kind in (_DICT, _ORDEREDDICT, _DEFAULTDICT):
        order = tuple(tree)
        keys = order if handler.ordered else tuple(sort_keys(order))
        children = [tree[key] for key in keys]
        meta = tree.default_factory if kind == _DEFAULTDICT else None
    elif kind == _CUSTOM:
        children, meta, entries = flatten_custom(handler, tree)
    else:
        children = list(tree)
        meta = tree.maxlen if kind == _DEQUE else None
    nodes = []
    for child in children:
        nodes.append(_visit(child, values, is_leaf, none_is_leaf, namespace, depth + 1))
    return _Node(handler, keys, order, meta, entries, tuple(nodes))


def _build(node: _Node, leaves: list[Any], start: int) -> Any:
    """Return the tree of a node, whose leaves begin at ``start``."""
    handler = node.handler
    if handler is None:
        return leaves[start]
    kind = handler.kind
    if kind == _NONE:
        return None
    children = []
    for child in node.children:
        children.append(_build(child, leaves, start))
        start += child.leaves
    if kind == _TUPLE:
        return tuple(children)
    if kind == _LIST:
        return children
    if kind in (_DICT, _ORDEREDDICT, _DEFAULTDICT):
        values = dict(zip(node.keys, children, strict=True))
        ordered = {key: values[key] for key in node.order}
        if kind == _DICT:
            return ordered
        if kind == _ORDEREDDICT:
            return handler.type(ordered)
        return handler.type(node.meta, ordered)
    if kind == _NAMEDTUPLE:
        return handler.type(*children)
    if kind == _DEQUE:
        return handler.type(children, node.meta)
    if kind == _CUSTOM:
        assert handler.unflatten is not None
        return handler.unflatten(node.meta, tuple(children))
    return handler.type(tuple(children))
