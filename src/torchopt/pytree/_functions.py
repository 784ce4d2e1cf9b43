"""The functions of optree on the engine that works, or on the one in Python where it is traced."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from torch.compiler import is_dynamo_compiling

from torchopt.pytree import _engine, _python
from torchopt.pytree._spec import PyTreeSpec

_Tree = TypeVar("_Tree")
_IsLeaf = Callable[[Any], bool] | None


def tree_flatten(
    tree: object, /, is_leaf: _IsLeaf = None, *, none_is_leaf: bool = False, namespace: str = ""
) -> tuple[list[Any], PyTreeSpec]:
    """Return the leaves of a tree, from left to right, and its structure.

    Containers are dicts (by sorted keys), OrderedDicts (in their order), defaultdicts, lists, tuples,
    NamedTuples, deques, struct sequences, None, and types registered in the namespace.

    Args:
        tree: The tree to flatten.
        is_leaf: Tells of a subtree whether it is to be taken as a leaf.
        none_is_leaf: Whether ``None`` is a leaf rather than part of the structure.
        namespace: The namespace whose registered containers are known.

    Returns:
        The list of leaves, and the structure that :func:`tree_unflatten` takes.

    Raises:
        RecursionError: If the tree is deeper than 1000 containers.

    Example:
        >>> tree_flatten({"b": (2, None), "a": 1})
        ([1, 2], PyTreeSpec({'a': *, 'b': (*, None)}))
    """
    return (_python if is_dynamo_compiling() else _engine).flatten(
        tree, is_leaf, none_is_leaf, namespace
    )


def tree_leaves(
    tree: object, /, is_leaf: _IsLeaf = None, *, none_is_leaf: bool = False, namespace: str = ""
) -> list[Any]:
    """Return the leaves of a tree, see :func:`tree_flatten`.

    Example:
        >>> tree_leaves({"b": (2, None), "a": 1})
        [1, 2]
    """
    return (_python if is_dynamo_compiling() else _engine).leaves(
        tree, is_leaf, none_is_leaf, namespace
    )


def tree_structure(
    tree: object, /, is_leaf: _IsLeaf = None, *, none_is_leaf: bool = False, namespace: str = ""
) -> PyTreeSpec:
    """Return the structure of a tree, see :func:`tree_flatten`."""
    return (_python if is_dynamo_compiling() else _engine).structure(
        tree, is_leaf, none_is_leaf, namespace
    )


def tree_unflatten(treespec: PyTreeSpec, leaves: Iterable[object]) -> Any:
    """Return the tree of a structure with these leaves.

    Args:
        treespec: The structure.
        leaves: As many leaves as it has.

    Returns:
        The tree; a dict has its keys in the order of insertion that the flattened one had.

    Raises:
        ValueError: If the number of leaves is another.

    Example:
        >>> leaves, spec = tree_flatten({"b": 2, "a": 1})
        >>> tree_unflatten(spec, [10, 20])
        {'b': 20, 'a': 10}
    """
    return (treespec._twin if is_dynamo_compiling() else treespec).unflatten(leaves)


def tree_map(
    func: Callable[..., Any],
    tree: object,
    /,
    *rests: Any,
    is_leaf: _IsLeaf = None,
    none_is_leaf: bool = False,
    namespace: str = "",
) -> Any:
    """Apply a function to the leaves of a tree, and to what other trees have in the same places.

    Args:
        func: Takes one argument for each tree.
        tree: The tree that says where the leaves are.
        *rests: Trees that begin with the same structure; where the first has a leaf, they may have any
            subtree.
        is_leaf: Tells of a subtree of the first tree whether it is to be taken as a leaf.
        none_is_leaf: Whether ``None`` is a leaf rather than part of the structure.
        namespace: The namespace whose registered containers are known.

    Returns:
        The tree of results, with the containers of the first tree.

    Raises:
        ValueError: If another tree does not begin with the structure of the first; it names the place.

    Example:
        >>> tree_map(lambda x, y: x + y, {"b": 1, "a": (2,)}, {"a": (20,), "b": 10})
        {'b': 11, 'a': (22,)}
    """
    return (_python if is_dynamo_compiling() else _engine).map_trees(
        func, is_leaf, none_is_leaf, namespace, False, tree, *rests
    )


def tree_map_(
    func: Callable[..., Any],
    tree: _Tree,
    /,
    *rests: Any,
    is_leaf: _IsLeaf = None,
    none_is_leaf: bool = False,
    namespace: str = "",
) -> _Tree:
    """Call a function as :func:`tree_map` does, for its effect; return the tree itself."""
    return (_python if is_dynamo_compiling() else _engine).map_trees(
        func, is_leaf, none_is_leaf, namespace, True, tree, *rests
    )


def tree_is_leaf(
    tree: object, /, is_leaf: _IsLeaf = None, *, none_is_leaf: bool = False, namespace: str = ""
) -> bool:
    """Whether a tree is nothing but a leaf.

    Example:
        >>> tree_is_leaf(1), tree_is_leaf([1]), tree_is_leaf(None)
        (True, False, False)
    """
    return (_python if is_dynamo_compiling() else _engine).is_leaf(
        tree, is_leaf, none_is_leaf, namespace
    )
