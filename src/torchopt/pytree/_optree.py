"""The long tail: what optree does with structures, on ours.

Structures among the arguments are turned into optree's, and those in the result into ours.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import optree

from torchopt.pytree._functions import tree_map
from torchopt.pytree._spec import PyTreeSpec, as_optree


def _is_spec(value: Any) -> bool:
    return isinstance(value, (PyTreeSpec, optree.PyTreeSpec))


def _to_ours(value: Any) -> Any:
    return PyTreeSpec.from_optree(value) if isinstance(value, optree.PyTreeSpec) else value


def _through_optree(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def converted(*args: Any, **kwargs: Any) -> Any:
        namespace = kwargs.get("namespace", "")
        args = tuple(
            tree_map(as_optree, x, is_leaf=_is_spec, none_is_leaf=True, namespace=namespace)
            for x in map(_materialize, args)
        )
        kwargs = {name: as_optree(value) for name, value in kwargs.items()}
        result = function(*args, **kwargs)
        return [_to_ours(x) for x in result] if isinstance(result, list) else _to_ours(result)

    return converted


def _materialize(value: Any) -> Any:
    """Return an iterator's items as a list: a tree must be walked twice."""
    return list(value) if hasattr(value, "__next__") else value


treespec_accessors = _through_optree(optree.treespec_accessors)
treespec_child = _through_optree(optree.treespec_child)
treespec_children = _through_optree(optree.treespec_children)
treespec_defaultdict = _through_optree(optree.treespec_defaultdict)
treespec_deque = _through_optree(optree.treespec_deque)
treespec_dict = _through_optree(optree.treespec_dict)
treespec_entries = _through_optree(optree.treespec_entries)
treespec_entry = _through_optree(optree.treespec_entry)
treespec_from_collection = _through_optree(optree.treespec_from_collection)
treespec_is_leaf = _through_optree(optree.treespec_is_leaf)
treespec_is_prefix = _through_optree(optree.treespec_is_prefix)
treespec_is_strict_leaf = _through_optree(optree.treespec_is_strict_leaf)
treespec_is_suffix = _through_optree(optree.treespec_is_suffix)
treespec_leaf = _through_optree(optree.treespec_leaf)
treespec_list = _through_optree(optree.treespec_list)
treespec_namedtuple = _through_optree(optree.treespec_namedtuple)
treespec_none = _through_optree(optree.treespec_none)
treespec_ordereddict = _through_optree(optree.treespec_ordereddict)
treespec_paths = _through_optree(optree.treespec_paths)
treespec_structseq = _through_optree(optree.treespec_structseq)
treespec_tuple = _through_optree(optree.treespec_tuple)
