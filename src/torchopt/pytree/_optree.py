"""The long tail: what optree does with trees and structures, on ours.

Structures among the arguments are turned into optree's, and those in the result into ours.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import optree

from torchopt.pytree._functions import tree_flatten
from torchopt.pytree._spec import PyTreeSpec, as_optree, as_ours


def through_optree(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of optree's that takes and returns our structures."""

    @functools.wraps(function)
    def converted(*args: Any, **kwargs: Any) -> Any:
        space = kwargs.get("namespace", "")
        # A tree must be walked twice.
        given = [list(x) if hasattr(x, "__next__") else x for x in args]
        result = function(
            *(_converted(x, as_optree, space) for x in given),
            **{name: as_optree(x) for name, x in kwargs.items()},
        )
        return _converted(result, as_ours, space)

    return converted


def _converted(tree: Any, convert: Callable[[Any], Any], namespace: str) -> Any:
    """Return a tree with its structures converted; optree knows its dataclasses afterwards."""
    odd: list[Any] = []

    def is_spec(x: Any) -> bool:
        found = isinstance(x, (PyTreeSpec, optree.PyTreeSpec))
        # optree walks the dict underneath, in which keys that were moved are where they were.
        if found or (type(x) is OrderedDict and [*x] != [*dict.keys(x)]):
            odd.append(x)
        return found

    leaves, spec = tree_flatten(tree, is_spec, none_is_leaf=True, namespace=namespace)
    return spec.unflatten(map(convert, leaves)) if odd else tree
