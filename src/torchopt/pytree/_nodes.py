"""What a type is in a tree: a leaf, one of Python's containers, or a custom node.

optree's registry holds the custom nodes, so whatever is registered with either library is known to
both. Both engines ask here, the native one once a type and namespace.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import optree
import torch
from optree import PyTreeKind

NAMESPACE = "torchopt"
# Plain numbers: comparing members of an enumeration is slower, and harder to trace.
CUSTOM, NONE = int(PyTreeKind.CUSTOM), int(PyTreeKind.NONE)
TUPLE, LIST, DEQUE = int(PyTreeKind.TUPLE), int(PyTreeKind.LIST), int(PyTreeKind.DEQUE)
DICT, DEFAULTDICT = int(PyTreeKind.DICT), int(PyTreeKind.DEFAULTDICT)
ORDEREDDICT, NAMEDTUPLE = int(PyTreeKind.ORDEREDDICT), int(PyTreeKind.NAMEDTUPLE)
MAPPINGS = (DICT, ORDEREDDICT, DEFAULTDICT)
_PLAIN_TUPLES = (NAMEDTUPLE, int(PyTreeKind.STRUCTSEQUENCE))
_is_string_type = frozenset({str}).__contains__
MAX_DEPTH = optree.MAX_RECURSION_DEPTH
forget: Callable[[], Any] = bool
"""Called whenever a type may have changed its meaning; the native engine puts its own here."""
OWN_DEPTH = 16
"""How much deeper a tree of a namespace may be: the library puts trees of users into its own."""


class Handler(NamedTuple):
    """How the nodes of one type are taken apart and put together.

    The native engine reads the fields by position.

    Attributes:
        kind: The number of an :class:`optree.PyTreeKind`.
        type: The type of the nodes.
        flatten: Returns children, metadata and, if it likes, their names; None of a mapping.
        unflatten: Makes a node of metadata and children; a mapping of a dict.
        entry_type: Says how a child is reached from the node, in paths.
        packs: Whether it is a NamedTuple whose constructor does nothing but pack its arguments.
        ordered: Whether the keys of a mapping stay in the order of insertion.
    """

    kind: int
    type: type
    flatten: Callable[[Any], Any] | None
    unflatten: Callable[[Any, Any], Any] | None
    entry_type: Any
    packs: bool = False
    ordered: bool = False


def _sequence(tree: Any) -> tuple[Any, None]:
    return tree, None


_BUILTIN: dict[type, Handler] = {
    cls: Handler(kind, cls, flatten, unflatten, entry_type, ordered=cls is OrderedDict)
    for kind, cls, entry_type, flatten, unflatten in (
        (NONE, type(None), optree.PyTreeEntry, lambda _: ((), None), lambda *_: None),
        (TUPLE, tuple, optree.SequenceEntry, _sequence, lambda _, x: x),
        (LIST, list, optree.SequenceEntry, _sequence, lambda _, x: list(x)),
        (DICT, dict, optree.MappingEntry, None, lambda _, x: x),
        (ORDEREDDICT, OrderedDict, optree.MappingEntry, None, lambda _, x: OrderedDict(x)),
        (DEFAULTDICT, defaultdict, optree.MappingEntry, None, defaultdict),
        (DEQUE, deque, optree.SequenceEntry, lambda x: (x, x.maxlen), lambda n, x: deque(x, n)),
    )
}

# Namespaces in which the keys of a dict stay in the order of insertion (`dict_insertion_ordered`).
_insertion_ordered: list[str] = []

sort_keys = optree.utils.total_order_sorted


def resolve(namespace: str, cls: Any) -> Handler | None:
    """Return how nodes of type ``cls`` are handled in a namespace, or None for a leaf."""
    builtin = _BUILTIN.get(cls)
    if builtin is not None:
        if _insertion_ordered and builtin.kind in (DICT, DEFAULTDICT):
            ordered = namespace in _insertion_ordered or "" in _insertion_ordered
            return builtin._replace(ordered=ordered)
        return builtin
    if issubclass(cls, torch.Tensor):
        return None
    entry = optree.register_pytree_node.get(cls, namespace=namespace)
    if entry is not None:
        kind = int(entry.kind)
        if kind in _PLAIN_TUPLES:
            # Whether `__new__` is the one that `collections.namedtuple` writes.
            packs = kind == NAMEDTUPLE and "_tuple_new" in getattr(cls.__new__, "__globals__", ())

            def make(_: None, children: tuple[Any, ...]) -> Any:
                return cls(*children) if kind == NAMEDTUPLE else cls(children)

            # In a third of the time of `Handler(...)` where it is traced.
            parts = (kind, cls, _sequence, make, entry.path_entry_type, packs, False)
            return tuple.__new__(Handler, parts)
        # Also a container that newer Pythons, and optree, have and this library does not.
        flatten, unflatten = entry.flatten_func, entry.unflatten_func
        return Handler(CUSTOM, cls, flatten, unflatten, entry.path_entry_type)
    if namespace == NAMESPACE and dataclasses.is_dataclass(cls):
        return _dataclass_handler(cls)
    return None


def _dataclass_handler(cls: Any) -> Handler:
    """Take a dataclass as a node; a field with the metadata ``static`` belongs to the structure."""
    # As `dataclasses.fields` of an instance does; of a class, it cannot be traced.
    every: dict[str, dataclasses.Field[Any]] = cls.__dataclass_fields__
    fields = [f for f in every.values() if f._field_type is dataclasses._FIELD]  # type: ignore[attr-defined]
    static = tuple(f.name for f in fields if f.metadata.get("static", False))
    names = tuple(f.name for f in fields if f.name not in static)

    def to_children(value: Any) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[str, ...]]:
        return (
            tuple(getattr(value, name) for name in names),
            tuple(getattr(value, name) for name in static),
            names,
        )

    def from_children(metadata: tuple[Any, ...], children: Iterable[Any]) -> Any:
        # Around __init__, which may convert or refuse what is not a tensor (frozen ones too).
        value: Any = object.__new__(cls)
        for name, child in (
            *zip(names, children, strict=True),
            *zip(static, metadata, strict=True),
        ):
            object.__setattr__(value, name, child)
        return value

    if not torch.compiler.is_dynamo_compiling():  # a registration cannot be traced
        optree.register_pytree_node(
            cls,
            to_children,
            from_children,  # type: ignore[arg-type]
            path_entry_type=optree.DataclassEntry,
            namespace=NAMESPACE,
        )
    return Handler(CUSTOM, cls, to_children, from_children, optree.DataclassEntry)


def take_apart(handler: Handler, tree: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Return the keys of a node, these as inserted, its metadata, names of its children, and these."""
    if handler.kind in MAPPINGS:
        order = tuple(tree)
        keys = order if handler.ordered else _sorted(order)
        factory = tree.default_factory if handler.kind == DEFAULTDICT else None
        return keys, order, factory, None, [tree[key] for key in keys]
    children, meta, entries = _flatten(handler, tree)
    return None, None, meta, entries, children


def _sorted(keys: tuple[Any, ...]) -> tuple[Any, ...]:
    if False not in [*map(_is_string_type, map(type, keys))]:
        return tuple(sorted(keys))  # as most are; `sort_keys` is traced for longer
    return tuple(sort_keys(keys))


def _flatten(handler: Handler, tree: Any) -> tuple[tuple[Any, ...], Any, Any]:
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


def _registering(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of optree's, or a decorator of one, after which types are asked for anew."""

    @functools.wraps(function)
    def register(*args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        forget()
        is_decorator = callable(made) and not isinstance(made, type)
        return _registering(made) if is_decorator else made

    return register


register_pytree_node = _registering(optree.register_pytree_node)
register_pytree_node_class = _registering(optree.register_pytree_node_class)
unregister_pytree_node = _registering(optree.unregister_pytree_node)


@contextlib.contextmanager
def dict_insertion_ordered(mode: bool, /, *, namespace: str) -> Iterator[None]:
    """Inside, dicts of a namespace are flattened in the order of insertion, or again sorted.

    Args:
        mode: Whether the order is that of insertion.
        namespace: Where this holds.
    """
    before = list(_insertion_ordered)
    with optree.dict_insertion_ordered(mode, namespace=namespace):
        inside = [name for name in before if name != namespace] + [namespace] * bool(mode)
        _insertion_ordered[:] = inside
        forget()
        try:
            yield
        finally:
            _insertion_ordered[:] = before
            forget()
