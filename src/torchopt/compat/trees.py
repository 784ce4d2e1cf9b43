"""What 0.7.3 has in ``torchopt.pytree``: some functions of its own, and all names of optree.

optree's functions take our structures: those among the arguments are turned into optree's, and those in
the result into ours.
"""

from __future__ import annotations

import concurrent.futures
import functools
import operator
from collections import OrderedDict
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

import optree
import torch
import torch.distributed.rpc

from torchopt import checks
from torchopt.compat.types import RRef
from torchopt.pytree import PyTreeSpec, tree_flatten, tree_map
from torchopt.pytree.flattening import flatten, map_leaves

__all__ = [
    "tree_as_rref",
    "tree_flatten_as_tuple",
    "tree_matmul",
    "tree_pos",
    "tree_to_here",
    "tree_wait",
]

_Tree = TypeVar("_Tree")


def tree_flatten_as_tuple(
    tree: Any,
    is_leaf: Callable[[Any], bool] | None = None,
    *,
    none_is_leaf: bool = False,
    namespace: str = "",
) -> tuple[tuple[Any, ...], PyTreeSpec]:
    """Return the leaves of a tree as a tuple, and its structure.

    Args:
        tree: The tree to flatten.
        is_leaf: Tells of a subtree whether it is to be taken as a leaf.
        none_is_leaf: Whether ``None`` is a leaf rather than part of the structure.
        namespace: The namespace whose registered containers are known.

    Returns:
        What :func:`torchopt.pytree.tree_flatten` returns, with a tuple for the list of leaves.

    Example:
        >>> from torchopt.compat import tree_flatten_as_tuple
        >>> tree_flatten_as_tuple({"b": (2, None), "a": 1})[0]
        (1, 2)
    """
    leaves, spec = tree_flatten(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    return tuple(leaves), spec


def tree_pos(tree: _Tree) -> _Tree:
    """Return ``+tree``.

    Example:
        >>> from torchopt.compat import tree_pos
        >>> tree_pos({"a": 1, "b": None})
        {'a': 1, 'b': None}
    """
    return map_leaves(operator.pos, tree)


def tree_matmul(*trees: Any) -> Any:
    """Multiply the leaves of trees as matrices, from left to right.

    Args:
        *trees: One or more trees of the same structure.

    Returns:
        The products, with the containers of the first tree; ``None`` leaves stay ``None``.

    Raises:
        TypeError: If there is no tree.
        ValueError: If structures differ.

    Example:
        >>> import torch
        >>> from torchopt.compat import tree_matmul
        >>> a, b = torch.tensor([[1.0, 2.0]]), torch.tensor([3.0, 4.0])
        >>> tree_matmul({"w": a}, {"w": b})
        {'w': tensor([11.])}
    """

    def multiply(x: Any, y: Any) -> Any:
        return None if x is None and y is None else x @ y

    return functools.reduce(lambda x, y: tree_map(multiply, x, y, none_is_leaf=True), trees)


def tree_wait(future_tree: Any) -> Any:
    """Wait for a tree of futures.

    Args:
        future_tree: A tree of :class:`torch.futures.Future` or :class:`concurrent.futures.Future`.

    Returns:
        The tree of their results.

    Raises:
        TypeError: If a leaf is not a future.

    Example:
        >>> import torch
        >>> from torchopt.compat import tree_wait
        >>> future = torch.futures.Future()
        >>> future.set_result(1)
        >>> tree_wait({"a": future})
        {'a': 1}
    """

    def wait(future: Any) -> Any:
        return future.wait() if isinstance(future, of_torch) else future.result()

    of_torch: Any = torch.futures.Future.__mro__[1]  # what remote calls return
    kinds = (of_torch, concurrent.futures.Future)
    return _map_instances(wait, future_tree, "future_tree", checks.of_type(kinds, "a future"))


def tree_as_rref(tree: Any) -> Any:
    """Make a remote reference to each leaf of a tree, owned by this process.

    Args:
        tree: A tree of anything; RPC must be running (:func:`torch.distributed.rpc.init_rpc`).

    Returns:
        The tree of :class:`torch.distributed.rpc.RRef`.

    Raises:
        RuntimeError: If this torch was built without RPC.
    """
    if not torch.distributed.rpc.is_available():
        raise RuntimeError("`tree_as_rref` needs RPC, but this torch was built without it.")
    return map_leaves(RRef, tree)


def tree_to_here(rref_tree: Any, timeout: float = -1.0) -> Any:
    """Fetch the values of a tree of remote references.

    Args:
        rref_tree: A tree of :class:`torch.distributed.rpc.RRef`.
        timeout: Seconds to wait for each; 0 waits for ever, -1 takes RPC's own timeout.

    Returns:
        The tree of values.

    Raises:
        RuntimeError: If this torch was built without RPC.
        TypeError: If a leaf is not a remote reference.
    """
    if not torch.distributed.rpc.is_available():
        raise RuntimeError("`tree_to_here` needs RPC, but this torch was built without it.")
    # Remote calls return the base class of RRef.
    kind = torch.distributed.rpc.PyRRef  # type: ignore[attr-defined]
    word = checks.of_type(kind, "a remote reference")
    return _map_instances(lambda rref: rref.to_here(timeout), rref_tree, "rref_tree", word)


def _map_instances(function: Callable[[Any], Any], tree: Any, root: str, word: checks.Word) -> Any:
    leaves, spec = flatten(tree)
    checks.check_leaves(leaves, spec, root, word)
    return map_leaves(function, tree)


def __getattr__(name: str) -> Any:
    # The functions that take functions of structures would give them optree's.
    if name not in optree.__all__ or name == "treespec_transform":
        raise AttributeError(f"module 'torchopt.pytree' has no attribute {name!r}")
    thing = getattr(optree, name)
    return _through_optree(thing) if isinstance(thing, FunctionType) else thing


def _through_optree(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of optree's that takes and returns our structures."""

    @functools.wraps(function)
    def converted(*args: Any, **kwargs: Any) -> Any:
        space = kwargs.get("namespace", "")
        # A tree must be walked twice.
        given = [list(x) if hasattr(x, "__next__") else x for x in args]
        result = function(
            *(_converted(x, _as_optree, space) for x in given),
            **{name: _as_optree(x) for name, x in kwargs.items()},
        )
        return _converted(result, _as_ours, space)

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


def _as_optree(spec: Any) -> Any:
    return spec.to_optree() if isinstance(spec, PyTreeSpec) else spec


def _as_ours(spec: Any) -> Any:
    return PyTreeSpec.from_optree(spec) if isinstance(spec, optree.PyTreeSpec) else spec
