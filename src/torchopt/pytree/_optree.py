"""The long tail: what optree does with trees and structures, on ours.

Structures among the arguments are turned into optree's, and those in the result into ours.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import optree

from torchopt.pytree._functions import tree_flatten
from torchopt.pytree._spec import PyTreeSpec, as_optree, as_ours


def through_optree(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of optree's that takes and returns our structures."""

    @functools.wraps(function)
    def converted(*args: Any, **kwargs: Any) -> Any:
        namespace = kwargs.get("namespace", "")
        args = tuple(_to_optree(x, namespace) for x in args)
        result = function(*args, **{name: as_optree(x) for name, x in kwargs.items()})
        if type(result) in (list, tuple):
            return type(result)(map(as_ours, result))
        return as_ours(result)

    return converted


def _is_spec(value: Any) -> bool:
    return isinstance(value, (PyTreeSpec, optree.PyTreeSpec))


def _to_optree(value: Any, namespace: str) -> Any:
    """Return a tree with optree's structures for ours, its dataclasses registered with optree."""
    value = list(value) if hasattr(value, "__next__") else value  # a tree must be walked twice
    leaves, spec = tree_flatten(value, _is_spec, none_is_leaf=True, namespace=namespace)
    if any(map(_is_spec, leaves)):
        return spec.unflatten(map(as_optree, leaves))
    return value
