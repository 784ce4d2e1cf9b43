"""Flattening as the library does it: ``None`` is a leaf and dataclasses are containers.

A ``None`` holds its place, so that gradients with missing leaves keep the structure of the
parameters. A dataclass needs no registration; a field declared with ``metadata={"static": True}``
belongs to the structure instead of the leaves.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import torch
from torch.compiler import is_dynamo_compiling

from torchopt.pytree import _engine, _python
from torchopt.pytree._functions import tree_is_leaf
from torchopt.pytree._nodes import NAMESPACE as NAMESPACE
from torchopt.pytree._operations import tree_ravel
from torchopt.pytree._spec import PyTreeSpec

_Tree = TypeVar("_Tree")
_NUMBERS = (type(None), int, float)


def flatten(tree: Any) -> tuple[list[Any], PyTreeSpec]:
    """Return the leaves of a tree and its structure.

    Args:
        tree: Nested dicts, lists, tuples, NamedTuples, dataclasses and any type registered with
            :func:`torchopt.pytree.register_pytree_node`. ``None`` is a leaf.

    Returns:
        The list of leaves and the structure that :func:`unflatten` takes.

    Example:
        >>> leaves, spec = flatten({"b": None, "a": (1, 2)})
        >>> leaves
        [1, 2, None]
        >>> unflatten(spec, leaves)
        {'b': None, 'a': (1, 2)}
    """
    return (_python if is_dynamo_compiling() else _engine).flatten(tree, None, True, NAMESPACE)


def leaves(tree: Any) -> list[Any]:
    """Return the leaves of a tree, for whoever does not need its structure.

    Example:
        >>> leaves({"b": None, "a": (1, 2)})
        [1, 2, None]
    """
    return (_python if is_dynamo_compiling() else _engine).leaves(tree, None, True, NAMESPACE)


def flatten_arguments(arguments: Any) -> tuple[list[Any], PyTreeSpec]:
    """Return the leaves of the arguments of an operation, and their structure."""
    # As in PyTorch: any other object is a leaf, dataclasses too.
    return (_python if is_dynamo_compiling() else _engine).flatten(arguments, None, True, "")


def unflatten(spec: PyTreeSpec, leaves: Iterable[Any]) -> Any:
    """Return the tree of structure ``spec`` with these leaves."""
    return (spec._twin if is_dynamo_compiling() else spec).unflatten(leaves)


def map_leaves(function: Callable[..., Any], tree: _Tree, *others: Any) -> _Tree:
    """Apply a function to each leaf that is not ``None``, and to those of others in its place."""
    values, spec = flatten(tree)
    columns = zip(values, *(leaves(other) for other in others), strict=True)
    return unflatten(spec, [None if x[0] is None else function(*x) for x in columns])


def partition(tree: Any) -> tuple[list[torch.Tensor], Callable[[Iterable[Any]], Any]]:
    """Return the tensors of a tree, and a function that puts others in their places."""
    values, spec = flatten(tree)
    places = [i for i, leaf in enumerate(values) if isinstance(leaf, torch.Tensor)]
    if len(places) == len(values):  # as nearly all
        return values, functools.partial(unflatten, spec)
    rest = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in values]

    def combine(tensors: Iterable[Any]) -> Any:
        combined = list(rest)
        for i, t in zip(places, tensors, strict=True):
            combined[i] = t
        return unflatten(spec, combined)

    return [values[i] for i in places], combine


def ravel(tree: Any) -> tuple[torch.Tensor, Callable[[torch.Tensor], Any]]:
    """Return the tensors of a tree in one vector, and the way back to a tree of the same dtypes."""
    vector, unravel = tree_ravel(tree, namespace=NAMESPACE)  # a None is part of the structure
    dtype = vector.dtype
    return vector, lambda v: unravel(v.to(dtype))


def broadcast_prefix(prefix: Any, spec: PyTreeSpec) -> list[Any] | None:
    """Return one value of ``prefix`` for each leaf of ``spec``, or None where it is no prefix."""
    if _is_leaf(prefix):
        return [prefix] * spec.num_leaves
    if type(prefix) is tuple and spec.type is tuple and all(map(_is_leaf, prefix)):
        children = spec.children()
        if len(prefix) == len(children):  # one for each argument of a function, say
            pairs = zip(prefix, children, strict=True)
            return [v for v, child in pairs for _ in range(child.num_leaves)]
    # The whole structure first: torch.compile cannot flatten a dict of constants, but it can this.
    values = subtrees(spec, prefix)
    if values is not None:
        return values if all(map(_is_leaf, values)) else None
    values, prefix_spec = flatten(prefix)
    if prefix_spec.paths() == spec.paths():  # a list for a tuple, say
        return values
    covered = subtrees(prefix_spec, unflatten(spec, range(spec.num_leaves)))
    if covered is None:
        return None
    return [v for v, subtree in zip(values, covered, strict=True) for _ in leaves(subtree)]


def _is_leaf(value: Any) -> bool:
    return type(value) in _NUMBERS or tree_is_leaf(value, none_is_leaf=True, namespace=NAMESPACE)


def subtrees(spec: PyTreeSpec, tree: Any) -> list[Any] | None:
    """Return what a tree has where ``spec`` has leaves, or None where it does not begin like it."""
    try:
        # Of the twin, which can be traced where the structure is captured.
        return (spec._twin if is_dynamo_compiling() else spec).flatten_up_to(tree)
    except (TypeError, ValueError):
        return None
