"""Flattening, with ``None`` as a leaf and dataclasses as containers.

A ``None`` holds its place, so that gradients with missing leaves keep the structure of the
parameters. A dataclass is registered the first time that it is met; a field declared with
``metadata={"static": True}`` belongs to the structure instead of the leaves.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import optree
import torch
from optree import PyTreeSpec

__all__ = ["NAMESPACE", "broadcast_prefix", "flatten", "map_leaves", "unflatten"]

NAMESPACE = "torchopt"

_Tree = TypeVar("_Tree")


def flatten(tree: Any) -> tuple[list[Any], PyTreeSpec]:
    """Return the leaves of a tree and its structure.

    Args:
        tree: Nested dicts, lists, tuples, NamedTuples, dataclasses (registered on sight) and any
            type registered with :func:`optree.register_pytree_node`. ``None`` is a leaf.

    Returns:
        The list of leaves and the structure that :func:`unflatten` takes.

    Example:
        >>> leaves, spec = flatten({"b": None, "a": (1, 2)})
        >>> leaves
        [1, 2, None]
        >>> unflatten(spec, leaves)
        {'b': None, 'a': (1, 2)}
    """
    leaves, spec = optree.tree_flatten(tree, none_is_leaf=True, namespace=NAMESPACE)
    fresh = {type(leaf) for leaf in leaves if _is_dataclass_instance(leaf)}
    if not fresh:
        return leaves, spec
    for cls in fresh:
        _register_dataclass(cls)
    return flatten(tree)


def unflatten(spec: PyTreeSpec, leaves: Iterable[Any]) -> Any:
    """Return the tree of structure ``spec`` with these leaves."""
    return optree.tree_unflatten(spec, leaves)


def map_leaves(function: Callable[[Any], Any], tree: _Tree) -> _Tree:
    """Apply a function to each leaf that is not ``None``."""
    leaves, spec = flatten(tree)
    return unflatten(spec, [None if leaf is None else function(leaf) for leaf in leaves])


def broadcast_prefix(prefix: Any, spec: PyTreeSpec) -> list[Any] | None:
    """Return one value of ``prefix`` for each leaf of ``spec``, or None where it is no prefix."""
    if _is_leaf(prefix):
        return [prefix] * spec.num_leaves
    # The whole structure first: torch.compile cannot flatten a dict of constants, but it can this.
    values = _flatten_up_to(spec, prefix)
    if values is not None:
        return values if all(map(_is_leaf, values)) else None
    values, found = flatten(prefix)
    subtrees = _flatten_up_to(found, unflatten(spec, range(spec.num_leaves)))
    if subtrees is None:
        return None
    return [v for v, subtree in zip(values, subtrees, strict=True) for _ in flatten(subtree)[0]]


def _is_leaf(value: Any) -> bool:
    return optree.tree_is_leaf(value, none_is_leaf=True, namespace=NAMESPACE)


def _flatten_up_to(spec: PyTreeSpec, tree: Any) -> list[Any] | None:
    try:
        return spec.flatten_up_to(tree)
    except (TypeError, ValueError):  # the tree does not begin with this structure
        return None


def _is_dataclass_instance(leaf: Any) -> bool:
    return (
        not isinstance(leaf, torch.Tensor)
        and not isinstance(leaf, type)
        and dataclasses.is_dataclass(leaf)
    )


def _register_dataclass(cls: type) -> None:
    fields = dataclasses.fields(cls)
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

    optree.register_pytree_node(
        cls,
        to_children,
        from_children,  # type: ignore[arg-type]
        path_entry_type=optree.DataclassEntry,
        namespace=NAMESPACE,
    )
