"""The structure of a tree: the part of its class that does not depend on the engine.

An engine's subclass has the root's ``_handler`` (None for a leaf), ``_keys``, ``_order``, ``_meta`` and
``_entries``, the structures of its `children`, the counts, `unflatten`, and as ``_twin`` the same
structure in the Python engine, which ``torch.compile`` traces. The engine in use sets the two
constructors, ``_make`` and ``_of_tree``. What is rare, optree does.
"""

from __future__ import annotations

import functools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, NoReturn

import optree
from optree import PyTreeAccessor, PyTreeKind

from torchopt.pytree._nodes import MAPPINGS, Handler, resolve, take_apart

_LT, _LE, _EQ, _NE, _GT, _GE = range(6)  # as in CPython


class PyTreeSpec:
    """The structure of a tree: its containers, without its leaves.

    Structures are immutable, compare by value, can be hashed, copied and pickled. They are made by
    :func:`torchopt.pytree.tree_structure` and its likes.

    Attributes:
        num_leaves: The number of leaves.

    Example:
        >>> from torchopt.pytree import tree_flatten
        >>> leaves, spec = tree_flatten({"b": (1, 2), "a": None})
        >>> spec
        PyTreeSpec({'a': None, 'b': (*, *)})
        >>> spec.unflatten([3, 4])
        {'b': (3, 4), 'a': None}
    """

    __slots__ = ()
    #: Others, such as those that optree has, may change.
    __promised__: ClassVar[tuple[str, ...]] = (
        "children",
        "flatten_up_to",
        "num_leaves",
        "paths",
        "unflatten",
    )

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

    def unflatten(self, leaves: Iterable[object], /) -> Any:
        """Return the tree of this structure with these leaves."""
        raise NotImplementedError

    def flatten_up_to(self, tree: object, /) -> list[Any]:
        """Return the subtrees of a tree that stand where this structure has its leaves.

        Raises:
            ValueError: If the tree does not begin with this structure.
        """
        subtrees: list[Any] = []
        _flatten_up_to(self, tree, (), subtrees)
        return subtrees

    def children(self) -> list[PyTreeSpec]:
        """Return the structures of the children of the root."""
        raise NotImplementedError

    @property
    def type(self) -> Any:
        """The type of the root, or None for a leaf."""
        return self._handler and self._handler.type

    @property
    def kind(self) -> PyTreeKind:
        """The kind of the root."""
        return PyTreeKind.LEAF if self._handler is None else PyTreeKind(self._handler.kind)

    def is_leaf(self, *, strict: bool = True) -> bool:
        """Whether it is that of a leaf, or, if not strict, of anything without children."""
        return self._handler is None or (not strict and self.num_nodes == 1)

    def entries(self) -> list[Any]:
        """Return the key, index or name of each child of the root."""
        if self._keys is not None:
            return list(self._keys)
        return list(range(self.num_children) if self._entries is None else self._entries)

    def paths(self) -> list[tuple[Any, ...]]:
        """Return the path of each leaf: the entries on the way from the root."""
        return _paths(self, PyTreeSpec.entries)

    def accessors(self) -> list[PyTreeAccessor]:
        """Return the path of each leaf as something that can be called and written as code."""
        return [PyTreeAccessor(path) for path in _paths(self, _accessor_entries)]

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

    __lt__ = functools.partialmethod(_compare, operation=_LT)
    __le__ = functools.partialmethod(_compare, operation=_LE)
    __gt__ = functools.partialmethod(_compare, operation=_GT)
    __ge__ = functools.partialmethod(_compare, operation=_GE)

    def __hash__(self) -> int:
        return hash(tuple(_hashed(self)))  # the native engine computes the same

    def __len__(self) -> int:
        return self.num_leaves

    def __repr__(self) -> str:
        return repr(self.to_optree())

    def __copy__(self) -> PyTreeSpec:
        return self

    def __deepcopy__(self, memo: Any) -> PyTreeSpec:
        return self

    def __reduce__(self) -> Any:
        root = (self._keys, self._order, self._meta, self._entries, tuple(self.children()))
        return _restore, (self.kind, self.type, *root, self.none_is_leaf, self.namespace)

    def to_optree(self) -> optree.PyTreeSpec:
        """Return this structure as optree's.

        Custom nodes are made with placeholders for leaves on the way.
        """
        return optree.tree_structure(
            self.unflatten([_LEAF] * self.num_leaves),
            is_leaf=lambda value: value is _LEAF,
            none_is_leaf=self.none_is_leaf,
            namespace=self.namespace,
        )

    @staticmethod
    def from_optree(spec: optree.PyTreeSpec) -> PyTreeSpec:
        """Return optree's structure as ours."""
        tree = spec.unflatten([_LEAF] * spec.num_leaves)
        return PyTreeSpec._of_tree(tree, None, spec.none_is_leaf, spec.namespace)

    def __getattr__(self, name: str) -> Any:
        """Return what else a structure of optree's has, such as ``walk``, with structures of ours."""
        value = None if name[:1] == "_" else getattr(self.to_optree(), name, None)
        if value is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if not callable(value):
            return value
        return lambda *args, **kwargs: _as_ours(value(*map(_as_optree, args), **kwargs))


_LEAF = object()  # stands for a leaf


def _as_optree(thing: Any) -> Any:
    """Return one of our structures as optree's, and a function as one that is given ours."""
    if isinstance(thing, PyTreeSpec):
        return thing.to_optree()
    if callable(thing) and not isinstance(thing, type):
        return lambda *args: _as_optree(thing(*map(_as_ours, args)))
    return thing


def _as_ours(thing: Any) -> Any:
    return PyTreeSpec.from_optree(thing) if isinstance(thing, optree.PyTreeSpec) else thing


def _hashed(spec: PyTreeSpec) -> Iterator[Any]:
    yield int(spec.kind), spec.num_children, spec._keys
    for child in spec.children():
        yield from _hashed(child)


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


def _restore(kind: PyTreeKind, cls: Any, *parts: Any) -> PyTreeSpec:
    if cls is None:
        return PyTreeSpec._make(None, *parts)
    handler = resolve(parts[-1], cls)
    if handler is None or handler.kind != kind:
        raise RuntimeError(
            f"the structure has a node of type {cls.__qualname__}, which is not registered here in "
            f"the namespace {parts[-1]!r}."
        )
    return PyTreeSpec._make(handler, *parts)


def _flatten_up_to(spec: PyTreeSpec, tree: Any, path: Any, subtrees: list[Any]) -> None:
    handler = spec._handler
    if handler is None:
        subtrees.append(tree)
        return
    mapping, keys, expected = handler.kind in MAPPINGS, spec._keys or (), handler.type.__name__
    if type(tree) not in ((dict, OrderedDict, defaultdict) if mapping else (handler.type,)):
        found = type(tree).__name__
        _refuse(path, f"expected an instance of {expected}, but found one of {found}")
    if mapping:
        missing, extra = [k for k in keys if k not in tree], [k for k in tree if k not in keys]
        if missing or extra:
            wrong = [f"{missing!r} are missing"] * bool(missing)
            wrong += [f"{extra!r} are not expected"] * bool(extra)
            _refuse(path, f"expected the keys {list(keys)!r}, but {' and '.join(wrong)}")
        children = [tree[key] for key in keys]
    else:
        _, _, meta, _, children = take_apart(handler, tree)
        if len(children) != spec.num_children:
            count = f"{spec.num_children} children, but found {len(children)}"
            _refuse(path, f"expected a {expected} of {count}")
        if handler.kind == PyTreeKind.CUSTOM and meta != spec._meta:
            _refuse(path, f"expected the metadata {spec._meta!r}, but found {meta!r}")
    entries = _accessor_entries(spec)
    for entry, child, value in zip(entries, spec.children(), children, strict=True):
        _flatten_up_to(child, value, (*path, entry), subtrees)


def _refuse(path: Any, what: str) -> NoReturn:
    raise ValueError(f"`{PyTreeAccessor(path).codify('tree')}`: {what}.")


def explain_count(spec: PyTreeSpec, count: int) -> NoReturn:
    """Raise for a wrong number of leaves, with the path of the first one that has none."""
    expected = spec.num_leaves
    if count > expected:
        raise ValueError(f"too many leaves: expected {expected}, got {count}.")
    first = spec.accessors()[count].codify("tree")
    raise ValueError(f"too few leaves: expected {expected}, got {count}; none for `{first}`.")
