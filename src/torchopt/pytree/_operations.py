"""Operations on trees, written with the engine's: paths, reductions, transposition, broadcasting."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import torch
from optree import PyTreeAccessor

from torchopt.pytree._functions import (
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_structure,
)
from torchopt.pytree._spec import PyTreeSpec

_IsLeaf = Callable[[Any], bool] | None
_MISSING: Any = object()


def tree_flatten_with_path(
    tree: Any, /, is_leaf: _IsLeaf = None, *, none_is_leaf: bool = False, namespace: str = ""
) -> tuple[list[tuple[Any, ...]], list[Any], PyTreeSpec]:
    """Return the path of each leaf, the leaves and the structure.

    Example:
        >>> tree_flatten_with_path({"a": (1, 2)})
        ([('a', 0), ('a', 1)], [1, 2], PyTreeSpec({'a': (*, *)}))
    """
    leaves, spec = tree_flatten(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    return spec.paths(), leaves, spec


def tree_flatten_with_accessor(
    tree: Any, /, is_leaf: _IsLeaf = None, *, none_is_leaf: bool = False, namespace: str = ""
) -> tuple[list[PyTreeAccessor], list[Any], PyTreeSpec]:
    """Return an accessor of each leaf, the leaves and the structure."""
    leaves, spec = tree_flatten(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    return spec.accessors(), leaves, spec


def tree_paths(
    tree: Any, /, is_leaf: _IsLeaf = None, *, none_is_leaf: bool = False, namespace: str = ""
) -> list[tuple[Any, ...]]:
    """Return the path of each leaf: the keys, indices and names on the way.

    Example:
        >>> tree_paths({"b": [1, 2], "a": 3})
        [('a',), ('b', 0), ('b', 1)]
    """
    spec = tree_structure(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    return spec.paths()


def tree_accessors(
    tree: Any, /, is_leaf: _IsLeaf = None, *, none_is_leaf: bool = False, namespace: str = ""
) -> list[PyTreeAccessor]:
    """Return an accessor of each leaf, which can be called and written as code.

    Example:
        >>> [accessor.codify("tree") for accessor in tree_accessors({"b": [1, 2]})]
        ["tree['b'][0]", "tree['b'][1]"]
    """
    spec = tree_structure(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    return spec.accessors()


def tree_iter(
    tree: Any, /, is_leaf: _IsLeaf = None, *, none_is_leaf: bool = False, namespace: str = ""
) -> Iterable[Any]:
    """Iterate over the leaves of a tree."""
    return iter(tree_leaves(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace))


def tree_map_with_path(
    func: Callable[..., Any],
    tree: Any,
    /,
    *rests: Any,
    is_leaf: _IsLeaf = None,
    none_is_leaf: bool = False,
    namespace: str = "",
) -> Any:
    """Map as :func:`tree_map` does a function that takes the path of the leaf before the leaves.

    Example:
        >>> tree_map_with_path(lambda path, x: (*path, x), {"a": [1]})
        {'a': [('a', 0, 1)]}
    """
    leaves, spec = tree_flatten(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    columns = [spec.paths(), leaves, *(spec.flatten_up_to(rest) for rest in rests)]
    return spec.unflatten([func(*row) for row in zip(*columns, strict=True)])


def tree_map_with_path_(
    func: Callable[..., Any],
    tree: Any,
    /,
    *rests: Any,
    is_leaf: _IsLeaf = None,
    none_is_leaf: bool = False,
    namespace: str = "",
) -> Any:
    """Call as :func:`tree_map_with_path` does, for the effect on the leaves; return the tree itself."""
    options: dict[str, Any] = {"none_is_leaf": none_is_leaf, "namespace": namespace}
    tree_map_with_path(func, tree, *rests, is_leaf=is_leaf, **options)
    return tree


def tree_map_with_accessor(
    func: Callable[..., Any],
    tree: Any,
    /,
    *rests: Any,
    is_leaf: _IsLeaf = None,
    none_is_leaf: bool = False,
    namespace: str = "",
) -> Any:
    """Map as :func:`tree_map` does a function that takes an accessor of the leaf before the leaves."""
    leaves, spec = tree_flatten(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    columns = [spec.accessors(), leaves, *(spec.flatten_up_to(rest) for rest in rests)]
    return spec.unflatten([func(*row) for row in zip(*columns, strict=True)])


def tree_map_with_accessor_(
    func: Callable[..., Any],
    tree: Any,
    /,
    *rests: Any,
    is_leaf: _IsLeaf = None,
    none_is_leaf: bool = False,
    namespace: str = "",
) -> Any:
    """Call as :func:`tree_map_with_accessor` does, for the effect; return the tree itself."""
    options: dict[str, Any] = {"none_is_leaf": none_is_leaf, "namespace": namespace}
    tree_map_with_accessor(func, tree, *rests, is_leaf=is_leaf, **options)
    return tree


def tree_reduce(
    func: Callable[[Any, Any], Any],
    tree: Any,
    /,
    initial: Any = _MISSING,
    *,
    is_leaf: _IsLeaf = None,
    none_is_leaf: bool = False,
    namespace: str = "",
) -> Any:
    """Fold the leaves of a tree with a function of two arguments, from left to right.

    Example:
        >>> tree_reduce(lambda x, y: x * y, {"a": 2, "b": (3, 4)})
        24
    """
    leaves = tree_leaves(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    start = () if initial is _MISSING else (initial,)
    return functools.reduce(func, leaves, *start)


def tree_sum(
    tree: Any,
    /,
    start: Any = 0,
    *,
    is_leaf: _IsLeaf = None,
    none_is_leaf: bool = False,
    namespace: str = "",
) -> Any:
    """Return ``start`` plus all leaves of a tree.

    Example:
        >>> tree_sum({"a": 2, "b": (3, 4)})
        9
    """
    leaves = tree_leaves(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    return functools.reduce(lambda x, y: x + y, leaves, start)


def tree_max(
    tree: Any,
    /,
    *,
    default: Any = _MISSING,
    key: Callable[[Any], Any] | None = None,
    is_leaf: _IsLeaf = None,
    none_is_leaf: bool = False,
    namespace: str = "",
) -> Any:
    """Return the largest leaf of a tree, or ``default`` if there is none."""
    leaves = tree_leaves(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    return default if not leaves and default is not _MISSING else max(leaves, key=key)


def tree_min(
    tree: Any,
    /,
    *,
    default: Any = _MISSING,
    key: Callable[[Any], Any] | None = None,
    is_leaf: _IsLeaf = None,
    none_is_leaf: bool = False,
    namespace: str = "",
) -> Any:
    """Return the smallest leaf of a tree, or ``default`` if there is none."""
    leaves = tree_leaves(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    return default if not leaves and default is not _MISSING else min(leaves, key=key)


def tree_all(
    tree: Any, /, *, is_leaf: _IsLeaf = None, none_is_leaf: bool = False, namespace: str = ""
) -> bool:
    """Whether all leaves of a tree are true."""
    return all(tree_leaves(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace))


def tree_any(
    tree: Any, /, *, is_leaf: _IsLeaf = None, none_is_leaf: bool = False, namespace: str = ""
) -> bool:
    """Whether one leaf of a tree is true."""
    return any(tree_leaves(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace))


def tree_transpose(
    outer_treespec: PyTreeSpec,
    inner_treespec: PyTreeSpec,
    tree: Any,
    /,
    is_leaf: _IsLeaf = None,
) -> Any:
    """Turn a tree of trees inside out.

    Args:
        outer_treespec: The outer structure, with at least one leaf.
        inner_treespec: The inner structure, with at least one leaf.
        tree: A tree of the outer structure with a tree of the inner one at each leaf.
        is_leaf: Tells of a subtree whether it is to be taken as a leaf.

    Returns:
        A tree of the inner structure with a tree of the outer one at each leaf.

    Raises:
        ValueError: If the two structures do not go together.
        TypeError: If the tree has another number of leaves.

    Example:
        >>> outer, inner = tree_structure({"a": 0, "b": 0}), tree_structure((0, 0))
        >>> tree_transpose(outer, inner, {"a": (1, 2), "b": (3, 4)})
        ({'a': 1, 'b': 3}, {'a': 2, 'b': 4})
    """
    outer, inner = outer_treespec, inner_treespec
    if outer.none_is_leaf != inner.none_is_leaf:
        raise ValueError("one of the two structures has None as a leaf, the other as a node.")
    if outer.num_leaves == 0 or inner.num_leaves == 0:
        raise ValueError("both structures need at least one leaf.")
    if outer.namespace and inner.namespace and outer.namespace != inner.namespace:
        raise ValueError(
            f"the structures are of two namespaces, {outer.namespace!r} and {inner.namespace!r}."
        )
    leaves, spec = tree_flatten(
        tree,
        is_leaf,
        none_is_leaf=outer.none_is_leaf,
        namespace=outer.namespace or inner.namespace,
    )
    if len(leaves) != outer.num_leaves * inner.num_leaves:
        raise TypeError(f"expected {inner} at each leaf of {outer}, but found {spec}.")
    size = inner.num_leaves
    return inner.unflatten([outer.unflatten(leaves[i::size]) for i in range(size)])


def tree_broadcast_prefix(
    prefix_tree: Any,
    full_tree: Any,
    /,
    is_leaf: _IsLeaf = None,
    *,
    none_is_leaf: bool = False,
    namespace: str = "",
) -> Any:
    """Return a tree like ``full_tree``, each leaf that of ``prefix_tree`` above it.

    Args:
        prefix_tree: A tree with which the other begins.
        full_tree: The other.
        is_leaf: Tells of a subtree whether it is to be taken as a leaf.
        none_is_leaf: Whether ``None`` is a leaf rather than part of the structure.
        namespace: The namespace whose registered containers are known.

    Raises:
        ValueError: If ``full_tree`` does not begin with the structure of ``prefix_tree``.

    Example:
        >>> tree_broadcast_prefix({"a": 1, "b": 2}, {"a": (10, 20), "b": 30})
        {'a': (1, 1), 'b': 2}
    """
    options: dict[str, Any] = {"none_is_leaf": none_is_leaf, "namespace": namespace}

    def fill(value: Any, subtree: Any) -> Any:
        spec = tree_structure(subtree, is_leaf, **options)
        return spec.unflatten([value] * spec.num_leaves)

    return tree_map(fill, prefix_tree, full_tree, is_leaf=is_leaf, **options)


def broadcast_prefix(
    prefix_tree: Any,
    full_tree: Any,
    /,
    is_leaf: _IsLeaf = None,
    *,
    none_is_leaf: bool = False,
    namespace: str = "",
) -> list[Any]:
    """Return the leaves of :func:`tree_broadcast_prefix`.

    Example:
        >>> broadcast_prefix({"a": 1, "b": 2}, {"a": (10, 20), "b": 30})
        [1, 1, 2]
    """
    options: dict[str, Any] = {"none_is_leaf": none_is_leaf, "namespace": namespace}
    prefix_leaves, spec = tree_flatten(prefix_tree, is_leaf, **options)
    values: list[Any] = []
    for value, subtree in zip(prefix_leaves, spec.flatten_up_to(full_tree), strict=True):
        values += [value] * tree_structure(subtree, is_leaf, **options).num_leaves
    return values


def tree_ravel(
    tree: Any, /, is_leaf: _IsLeaf = None, *, none_is_leaf: bool = False, namespace: str = ""
) -> tuple[torch.Tensor, Callable[[torch.Tensor], Any]]:
    """Return all tensors of a tree in one vector, and the function that takes it apart again.

    Both ways are differentiable. Tensors of several dtypes are promoted to one, and come back in their
    own.

    Args:
        tree: A tree of tensors.
        is_leaf: Tells of a subtree whether it is to be taken as a leaf.
        none_is_leaf: Must be False where there is a ``None``, which has no elements.
        namespace: The namespace whose registered containers are known.

    Returns:
        A vector, and the function that makes a tree of a vector of the same size.

    Raises:
        TypeError: If a leaf is not a tensor.

    Example:
        >>> import torch
        >>> vector, unravel = tree_ravel({"b": torch.ones(2, 1), "a": torch.tensor(3.0)})
        >>> vector
        tensor([3., 1., 1.])
        >>> unravel(2 * vector)["b"].shape
        torch.Size([2, 1])
    """
    leaves, spec = tree_flatten(tree, is_leaf, none_is_leaf=none_is_leaf, namespace=namespace)
    for index, leaf in enumerate(leaves):
        if not isinstance(leaf, torch.Tensor):
            where = spec.accessors()[index].codify("tree")
            raise TypeError(f"`{where}` is an object of type {type(leaf).__name__}, not a tensor.")
    like = [(leaf.shape, leaf.dtype, leaf.numel()) for leaf in leaves]
    dtype = functools.reduce(torch.promote_types, [x[1] for x in like]) if like else None
    flat = [leaf.reshape(-1).to(dtype) for leaf in leaves]
    vector = torch.cat(flat) if flat else torch.zeros(0)
    size = sum(count for _, _, count in like)

    def unravel(vector: torch.Tensor) -> Any:
        """Return the tree whose elements are those of ``vector``."""
        if vector.shape != (size,):
            raise ValueError(
                f"expected a vector of shape ({size},), but found {tuple(vector.shape)}."
            )
        parts = vector.split([count for _, _, count in like]) if like else ()
        return spec.unflatten(
            [
                part.reshape(shape).to(own) if vector.dtype == dtype else part.reshape(shape)
                for part, (shape, own, _) in zip(parts, like, strict=True)
            ]
        )

    return vector, unravel
