"""A tree of tensors as one vector, and back; errors name the leaf that does not fit."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff.shards import any_sharded, divided, layout_of, plain
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree


class VectorLayout:
    """How the elements of a tree lie in one vector.

    Leaves of several dtypes are promoted to one, of float32 at least: products may be of half
    precision, but norms, sums and factorizations are not.
    """

    def __init__(self, tree: TensorTree, name: str) -> None:
        self.name = name
        leaves, self.spec = pytree.flatten(tree)
        checks.check_not_empty(self.spec, name)
        checks.check_floating(leaves, self.spec, name)
        self.shapes = [None if leaf is None else leaf.shape for leaf in leaves]
        self.dtypes = [leaf.dtype for leaf in leaves if leaf is not None]
        if not self.dtypes:
            raise ValueError(f"`{name}` holds nothing but None: pass at least one tensor.")
        tensors = [leaf for leaf in leaves if leaf is not None]
        self._shapes = [t.shape for t in tensors]
        self._sizes = [t.numel() for t in tensors]
        # The vector of DTensors is whole in each process.
        self._likes = [layout_of(t) for t in tensors] if any_sharded(tensors) else None
        self.size, self.device = sum(self._sizes), tensors[0].device
        self._common = functools.reduce(torch.promote_types, self.dtypes)
        self.dtype = torch.promote_types(self._common, torch.float32)

    def split(self, vector: torch.Tensor) -> list[torch.Tensor]:
        """Return the tensors of a tree of this layout, with the elements of a vector."""
        vector = vector if vector.dtype == self._common else vector.to(self._common)
        if len(self._sizes) == 1:
            [shape] = self._shapes
            return self._placed([vector if vector.shape == shape else vector.reshape(shape)])
        parts = vector.split_with_sizes(self._sizes)
        tensors = [
            part.reshape(shape) if dtype == self._common else part.reshape(shape).to(dtype)
            for part, shape, dtype in zip(parts, self._shapes, self.dtypes, strict=True)
        ]
        return self._placed(tensors)

    def _placed(self, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        if self._likes is None:
            return tensors
        return [divided(t, like) for t, like in zip(tensors, self._likes, strict=True)]

    def unravel(self, vector: torch.Tensor) -> TensorTree:
        """Return a tree of this layout with the elements of a vector."""
        tensors = iter(self.split(vector))
        leaves = [None if shape is None else next(tensors) for shape in self.shapes]
        return pytree.unflatten(self.spec, leaves)

    def join(self, tensors: Sequence[torch.Tensor]) -> torch.Tensor:
        """Return the elements of the tensors of a tree of this layout as one vector."""
        dtype = self.dtype
        if self._likes is not None:
            tensors = [*map(plain, tensors)]
        parts = [t.reshape(-1) if t.dtype == dtype else t.reshape(-1).to(dtype) for t in tensors]
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def ravel(self, tree: TensorTree, name: str) -> torch.Tensor:
        """Return the elements of a tree of this layout as one vector."""
        leaves, spec = pytree.flatten(tree)
        checks.check_same_structure(self.spec, spec, root=name, reference=f"`{self.name}`")
        for index, (leaf, shape) in enumerate(zip(leaves, self.shapes, strict=True)):
            if getattr(leaf, "shape", None) != shape:
                raise ValueError(
                    f"`{checks.leaf_path(spec, index, name)}` is {_describe(leaf)}, but "
                    f"`{checks.leaf_path(spec, index, self.name)}` has shape "
                    f"{None if shape is None else tuple(shape)}: they must have the same shapes."
                )
        return self.join([leaf for leaf in leaves if leaf is not None])


def _describe(leaf: Any) -> str:
    if isinstance(leaf, torch.Tensor):
        return f"a tensor of shape {tuple(leaf.shape)}"
    return "None" if leaf is None else f"an object of type {type(leaf).__name__}"
