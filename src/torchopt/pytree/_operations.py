"""Trees as vectors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from torchopt.pytree._functions import tree_flatten

_IsLeaf = Callable[[Any], bool] | None


def tree_ravel(
    tree: object, /, is_leaf: _IsLeaf = None, *, none_is_leaf: bool = False, namespace: str = ""
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
