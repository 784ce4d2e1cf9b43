"""The structure of a tree: the part of its class that does not depend on the engine.

An engine's subclass has the root's ``_handler`` (None for a leaf), ``_keys``, ``_order``, ``_meta`` and
``_entries``, the structures of its `children`, the counts, `unflatten`, `flatten_up_to`, and as
``_twin`` the same structure in the Python engine, which ``torch.compile`` traces. The engine in use
sets the two constructors, ``_make`` and ``_of_tree``.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NoReturn

import optree
from optree import PyTreeAccessor, PyTreeKind

from torchopt.pytree._nodes import Handler, resolve

_MAPPINGS = (int(PyTreeKind.DICT), int(PyTreeKind.ORDEREDDICT), int(PyTreeKind.DEFAULTDICT))
_MAPPING_TYPES = (dict, OrderedDict, defaultdict)
_LT, _LE, _EQ, _NE, _GT, _GE = range(6)  # as in CPython


class PyTreeSpec:
    """The structure of a tree: its containers, without its leaves.

    Structures are immutable, compare by value, can be hashed, copied and pickled. They are made by
    :func:`torchopt.pytree.tree_structure` and its likes.

    Example:
        >>> from torchopt.pytree import tree_flatten
        >>> leaves, spec = tree_flatten({"b": (1, 2), "a": None})
        >>> spec
        PyTreeSpec({'a': None, 'b': (*, *)})
        >>> spec.unflatten([3, 4])
        {'b': (3, 4), 'a': None}
    """

    __slots__ = ()

    num_leaves: int
    num_nodes: int
    num_children: int
    none_is_leaf: bool
    namespace: str
    _handler: Handler | None
    _keys: tuple[Any, ...] | None
    _order: tuple[Any, ...] | None
    _meta: Any
    _entries: tuple[Any, ...] | None
    _twin: Any

    _make: ClassVar[Callable[..., PyTreeSpec]]  # of the root's parts and the children
    _of_tree: ClassVar[Callable[..., PyTreeSpec]]

    def unflatten(self, leaves: Iterable[Any], /) -> Any:
        """Return the tree of this structure with these leaves."""
        raise NotImplementedError

    def flatten_up_to(self, tree: Any, /) -> list[Any]:
        """Return the subtrees of a tree that stand where this structure has its leaves.

        Raises:
            ValueError: If the tree does not begin with this structure.
        """
        raise NotImplementedError

    def children(self) -> list[PyTreeSpec]:
        """Return the structures of the children of the root."""
        raise NotImplementedError

    # What the root is.

    @property
    def type(self) -> Any:
        """The type of the root, or None for a leaf."""
        return None if self._handler is None else self._handler.type

    @property
    def kind(self) -> PyTreeKind:
        """The kind of the root."""
        return PyTreeKind.LEAF if self._handler is None else PyTreeKind(self._handler.kind)

    def entries(self) -> list[Any]:
        """Return the key, index or name of each child of the root."""
        if self._keys is not None:
            return list(self._keys)
        return list(range(self.num_children) if self._entries is None else self._entries)

    def entry(self, index: int, /) -> Any:
        """Return the key, index or name of one child of the root."""
        return self.entries()[index]

    def child(self, index: int, /) -> PyTreeSpec:
        """Return the structure of one child of the root."""
        return self.children()[index]

    def is_leaf(self, *, strict: bool = True) -> bool:
        """Whether this is a leaf (or, if not ``strict``, anything without children)."""
        return self.num_nodes == 1 and (self.num_leaves == 1 or not strict)

    def is_one_level(self) -> bool:
        """Whether the root is a container of leaves only."""
        return self._handler is not None and (
            self.num_nodes == self.num_children + 1 and self.num_leaves == self.num_children
        )

    # Where the leaves are.

    def paths(self) -> list[tuple[Any, ...]]:
        """Return the path of each leaf: the entries on the way from the root."""
        return _paths(self, lambda spec: spec.entries())

    def accessors(self) -> list[PyTreeAccessor]:
        """Return the path of each leaf as something that can be called and written as code."""
        return [PyTreeAccessor(path) for path in _paths(self, _accessor_entries)]

    # Comparison.

    def _compare(self, other: object, operation: int) -> Any:
        if not isinstance(other, PyTreeSpec):
            return NotImplemented
        if operation in (_EQ, _NE):
            return self._twin.equals(other._twin) == (operation == _EQ)
        if operation in (_LE, _LT):
            return self.is_prefix(other, strict=operation == _LT)
        return self.is_suffix(other, strict=operation == _GT)

    def __eq__(self, other: object) -> Any:
        return self._compare(other, _EQ)

    def __ne__(self, other: object) -> Any:
        return self._compare(other, _NE)

    def __lt__(self, other: object) -> Any:
        return self._compare(other, _LT)

    def __le__(self, other: object) -> Any:
        return self._compare(other, _LE)

    def __gt__(self, other: object) -> Any:
        return self._compare(other, _GT)

    def __ge__(self, other: object) -> Any:
        return self._compare(other, _GE)

    def __hash__(self) -> int:
        # The native engine computes the same.
        parts: list[Any] = []
        _collect_hashed(self, parts)
        return hash(tuple(parts))

    def __len__(self) -> int:
        return self.num_leaves

    def __repr__(self) -> str:
        extra = [", NoneIsLeaf"] * self.none_is_leaf
        extra += [f", namespace={self.namespace!r}"] * bool(self.namespace)
        return f"PyTreeSpec({_show(self)}{''.join(extra)})"

    def __copy__(self) -> PyTreeSpec:
        return self

    def __deepcopy__(self, memo: Any) -> PyTreeSpec:
        return self

    def __reduce__(self) -> Any:
        return _restore, (_dismantle(self), self.none_is_leaf, self.namespace)

    # Interop with optree, and what it does for us.

    def to_optree(self) -> optree.PyTreeSpec:
        """Return this structure as optree's.

        Custom nodes are made with placeholders for leaves on the way.
        """
        return optree.tree_structure(
            self.unflatten([_LEAF] * self.num_leaves),
            is_leaf=_is_placeholder,
            none_is_leaf=self.none_is_leaf,
            namespace=self.namespace,
        )

    @staticmethod
    def from_optree(spec: optree.PyTreeSpec) -> PyTreeSpec:
        """Return optree's structure as ours."""
        return PyTreeSpec._of_tree(
            spec.unflatten([_LEAF] * spec.num_leaves),
            none_is_leaf=spec.none_is_leaf,
            namespace=spec.namespace,
        )

    def one_level(self) -> PyTreeSpec | None:
        """Return the structure of the root with leaves for children, or None for a leaf."""
        one_level = self.to_optree().one_level()
        return None if one_level is None else self.from_optree(one_level)

    def compose(self, inner: PyTreeSpec, /) -> PyTreeSpec:
        """Return this structure with ``inner`` in the place of each leaf."""
        return self.from_optree(self.to_optree().compose(as_optree(inner)))

    def broadcast_to_common_suffix(self, other: PyTreeSpec, /) -> PyTreeSpec:
        """Return the smallest structure that both this and the other begin."""
        return self.from_optree(self.to_optree().broadcast_to_common_suffix(as_optree(other)))

    def is_prefix(self, other: PyTreeSpec, /, *, strict: bool = False) -> bool:
        """Whether the other begins with this structure (and, if ``strict``, goes on)."""
        return bool(self.to_optree().is_prefix(as_optree(other), strict=strict))

    def is_suffix(self, other: PyTreeSpec, /, *, strict: bool = False) -> bool:
        """Whether this begins with the other structure (and, if ``strict``, goes on)."""
        return bool(self.to_optree().is_suffix(as_optree(other), strict=strict))

    def transform(
        self,
        f_node: Callable[[PyTreeSpec], PyTreeSpec] | None = None,
        f_leaf: Callable[[PyTreeSpec], PyTreeSpec] | None = None,
    ) -> PyTreeSpec:
        """Return the structure with each one-level node and each leaf replaced."""

        def through(function: Any) -> Any:
            return function and (lambda spec: as_optree(function(self.from_optree(spec))))

        return self.from_optree(self.to_optree().transform(through(f_node), through(f_leaf)))

    def traverse(
        self,
        leaves: Iterable[Any],
        /,
        f_node: Callable[[Any], Any] | None = None,
        f_leaf: Callable[[Any], Any] | None = None,
    ) -> Any:
        """Put the tree together from below: ``f_leaf`` of leaves, ``f_node`` of each node made."""
        return self.to_optree().traverse(leaves, f_node, f_leaf)

    def walk(
        self,
        leaves: Iterable[Any],
        /,
        f_node: Callable[[Any, Any, tuple[Any, ...]], Any] | None = None,
        f_leaf: Callable[[Any], Any] | None = None,
    ) -> Any:
        """Fold the tree from below: ``f_leaf`` of leaves, ``f_node`` of type, data and children."""
        return self.to_optree().walk(leaves, f_node, f_leaf)


class _Placeholder:
    """Stands for a leaf; is none of the types that are containers."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "*"


_LEAF = _Placeholder()


def _is_placeholder(value: Any) -> bool:
    return value is _LEAF


def as_optree(spec: Any) -> Any:
    """Return one of our structures as optree's, and anything else as it is."""
    return spec.to_optree() if isinstance(spec, PyTreeSpec) else spec


def _paths(
    spec: PyTreeSpec, entries_of: Callable[[PyTreeSpec], list[Any]]
) -> list[tuple[Any, ...]]:
    """Return the path of each leaf, of what ``entries_of`` says of each node."""
    paths: list[tuple[Any, ...]] = []
    # Not by recursion: trees may be deeper than Python's stack.
    waiting: list[tuple[PyTreeSpec, tuple[Any, ...]]] = [(spec, ())]
    while waiting:
        spec, path = waiting.pop()
        if spec._handler is None:
            paths.append(path)
            continue
        pairs = zip(entries_of(spec), spec.children(), strict=True)
        waiting += [(child, (*path, entry)) for entry, child in pairs][::-1]
    return paths


def _accessor_entries(spec: PyTreeSpec) -> list[Any]:
    handler = spec._handler
    assert handler is not None
    kind = PyTreeKind(handler.kind)
    return [handler.entry_type(entry, handler.type, kind) for entry in spec.entries()]


def _collect_hashed(spec: PyTreeSpec, parts: list[Any]) -> None:
    kind = int(PyTreeKind.LEAF) if spec._handler is None else spec._handler.kind
    parts.append((kind, spec.num_children, spec._keys))
    for child in spec.children():
        _collect_hashed(child, parts)


def _dismantle(spec: PyTreeSpec) -> Any:
    if spec._handler is None:
        return None
    return (
        spec._handler.kind,
        spec._handler.type,
        spec._keys,
        spec._order,
        spec._meta,
        spec._entries,
        [_dismantle(child) for child in spec.children()],
    )


def _restore(parts: Any, none_is_leaf: bool, namespace: str) -> PyTreeSpec:
    def make(node: Any) -> PyTreeSpec:
        if node is None:
            return PyTreeSpec._make(None, None, None, None, None, (), none_is_leaf, namespace)
        kind, cls, keys, order, meta, entries, children = node
        handler = resolve(namespace, cls)
        if handler is None or handler.kind != kind:
            raise RuntimeError(
                f"the structure has a node of type {cls.__qualname__}, which is not registered here "
                f"in the namespace {namespace!r}."
            )
        made = tuple(make(child) for child in children)
        return PyTreeSpec._make(handler, keys, order, meta, entries, made, none_is_leaf, namespace)

    return make(parts)


def _show(spec: PyTreeSpec) -> str:
    handler = spec._handler
    if handler is None:
        return "*"
    parts = [_show(child) for child in spec.children()]
    inner = ", ".join(parts)
    kind = handler.kind
    if kind == PyTreeKind.NONE:
        return "None"
    if kind == PyTreeKind.TUPLE:
        return f"({inner},)" if len(parts) == 1 else f"({inner})"
    if kind == PyTreeKind.LIST:
        return f"[{inner}]"
    if kind == PyTreeKind.DEQUE:
        arguments = [f"[{inner}]"] * bool(parts)
        arguments += [f"maxlen={spec._meta}"] * (spec._meta is not None)
        return f"deque({', '.join(arguments)})"
    if kind in _MAPPINGS:
        pairs = zip(spec._keys or (), parts, strict=True)
        items = "{" + ", ".join(f"{key!r}: {part}" for key, part in pairs) + "}"
        if kind == PyTreeKind.DEFAULTDICT:
            return f"defaultdict({spec._meta!r}, {items})"
        if kind == PyTreeKind.ORDEREDDICT:
            return f"OrderedDict({items if parts else ''})"
        return items
    if kind == PyTreeKind.CUSTOM:
        return f"CustomTreeNode({handler.type.__name__}[{spec._meta!r}], [{inner}])"
    if kind == PyTreeKind.NAMEDTUPLE:
        names, title = optree.namedtuple_fields(handler.type), handler.type.__name__
    else:
        names = optree.structseq_fields(handler.type)
        title = f"{handler.type.__module__}.{handler.type.__qualname__}"
    fields = ", ".join(f"{name}={part}" for name, part in zip(names, parts, strict=True))
    return f"{title}({fields})"


# Flattening up to a structure: the native engine comes here when something does not fit.


def flatten_custom(handler: Handler, tree: Any) -> tuple[tuple[Any, ...], Any, Any]:
    """Return the children of a custom node, its metadata, and the children's names or None."""
    assert handler.flatten is not None
    parts = tuple(handler.flatten(tree))
    if len(parts) not in (2, 3):
        raise RuntimeError(
            f"PyTree custom flatten function for type {handler.type!r} should return a 2- or "
            f"3-tuple, got {len(parts)}."
        )
    children = tuple(parts[0])
    entries = None if len(parts) == 2 or parts[2] is None else tuple(parts[2])
    if entries is not None and len(entries) != len(children):
        raise RuntimeError(
            f"PyTree custom flatten function for type {handler.type!r} returned inconsistent number "
            f"of children ({len(children)}) and number of entries ({len(entries)})."
        )
    return children, parts[1], entries


def flatten_up_to(spec: PyTreeSpec, tree: Any) -> list[Any]:
    """Return the subtrees of ``tree`` at the leaves of ``spec``, or say where it does not fit."""
    subtrees: list[Any] = []
    _flatten_up_to(spec, tree, (), subtrees)
    return subtrees


def _flatten_up_to(spec: PyTreeSpec, tree: Any, path: Any, subtrees: list[Any]) -> None:
    handler = spec._handler
    if handler is None:
        subtrees.append(tree)
        return
    kind = handler.kind
    if kind in _MAPPINGS:
        if type(tree) not in _MAPPING_TYPES:
            _refuse(path, handler, tree)
        keys = spec._keys or ()
        missing = [key for key in keys if key not in tree]
        if missing or len(tree) != len(keys):
            extra = [key for key in tree if key not in keys]
            _raise_at(
                path,
                f"expected the keys {list(keys)!r}, but"
                + (f" {missing!r} are missing" if missing else "")
                + (" and" if missing and extra else "")
                + (f" {extra!r} are not expected" if extra else ""),
            )
        children = [tree[key] for key in keys]
    elif type(tree) is not handler.type:
        _refuse(path, handler, tree)
    elif kind == PyTreeKind.NONE:
        return
    elif kind == PyTreeKind.CUSTOM:
        parts, meta, _ = flatten_custom(handler, tree)
        if len(parts) == spec.num_children and meta != spec._meta:
            _raise_at(path, f"expected the metadata {spec._meta!r}, but found {meta!r}")
        children = list(parts)
    else:
        items: Any = tree
        children = list(items)
    if len(children) != spec.num_children:
        name = handler.type.__name__
        _raise_at(
            path, f"expected a {name} of {spec.num_children} children, but found {len(children)}"
        )
    entries = _accessor_entries(spec)
    for entry, child, value in zip(entries, spec.children(), children, strict=True):
        _flatten_up_to(child, value, (*path, entry), subtrees)


def _refuse(path: Any, handler: Handler, tree: Any) -> NoReturn:
    kind = type(tree).__name__
    _raise_at(path, f"expected an instance of {handler.type.__name__}, but found one of {kind}")


def _raise_at(path: Any, what: str) -> NoReturn:
    raise ValueError(f"`{PyTreeAccessor(path).codify('tree')}`: {what}.")


def explain_mismatch(spec: PyTreeSpec, tree: Any) -> None:
    """Raise what is wrong with a tree that the native engine could not match."""
    flatten_up_to(spec, tree)


def explain_count(spec: PyTreeSpec, count: int) -> NoReturn:
    """Raise for a wrong number of leaves, with the path of the first one that has none."""
    expected = spec.num_leaves
    if count > expected:
        raise ValueError(f"too many leaves: expected {expected}, got {count}.")
    first = spec.accessors()[count].codify("tree")
    raise ValueError(f"too few leaves: expected {expected}, got {count}; none for `{first}`.")
