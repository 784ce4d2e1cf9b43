"""A tree of tensors in one padded buffer, which is one tensor for autograd and for kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils._pytree import register_pytree_node

from torchopt.ops import pack, unpack
from torchopt.pytree import flattening as pytree


@dataclass(frozen=True)
class Layout:
    """Where the leaves of a tree lie in a buffer.

    Attributes:
        spec: The structure of the tree.
        shapes: The shape of each leaf.
        dtype: The dtype of the buffer.
    """

    spec: Any
    shapes: tuple[torch.Size, ...]
    dtype: torch.dtype

    @classmethod
    def of(cls, leaves: Sequence[torch.Tensor], spec: Any) -> Layout | None:
        """Return the layout of leaves, or None where they do not share dtype and device."""
        kinds = {None if x is None else (x.dtype, x.device) for x in leaves}
        if len(kinds) != 1 or None in kinds:
            return None
        return cls(spec, tuple(x.shape for x in leaves), leaves[0].dtype)

    def pack(self, leaves: Sequence[torch.Tensor]) -> Flat:
        """Return leaves in a new buffer."""
        return Flat(pack(leaves), self)


@dataclass(frozen=True, eq=False)
class Flat:
    """A tree of tensors in one buffer.

    ``state.mu["weight"]`` is ``state.mu.tree["weight"]``, a view through which gradients flow. Each
    reading makes the views of all leaves, so take ``state.mu.tree`` to read many. A buffer is one
    tensor for autograd: a leaf to which no gradient flows has gradient zero here, and None in a list.

    Attributes:
        buffer: The elements of all leaves, one after the other, with gaps.
        layout: Where each leaf lies.

    Example:
        >>> import torch, torchopt
        >>> params = {"weight": torch.ones(2, 3), "bias": torch.ones(2)}
        >>> (mu,) = (
        ...     part.trace
        ...     for part in torchopt.sgd(0.1, momentum=0.9, flat=True).init(params)
        ...     if isinstance(part, torchopt.transform.TraceState))
        >>> mu["bias"]
        tensor([0., 0.])
    """

    buffer: torch.Tensor
    layout: Layout = field(metadata={"static": True})

    def leaves(self) -> list[torch.Tensor]:
        """Return a view of each leaf; differentiable."""
        return unpack(self.buffer, self.layout.shapes)

    @property
    def tree(self) -> Any:
        """The tree of views."""
        return pytree.unflatten(self.layout.spec, self.leaves())

    def __getitem__(self, key: Any) -> Any:
        return self.tree[key]

    def like(self, tree: Any) -> Flat:
        """Return a tree of the same structure and shapes in a buffer of this layout."""
        return self.layout.pack(pytree.leaves(tree))

    def __getstate__(self) -> dict[str, Any]:
        # As plain containers of text, so that `torch.load(weights_only=True)` reads it.
        shapes = ["x".join(map(str, shape)) for shape in self.layout.shapes]
        return {"buffer": self.buffer, "shapes": pytree.unflatten(self.layout.spec, shapes)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        texts, spec = pytree.flatten(state["shapes"])
        sizes = tuple(torch.Size(map(int, text.split("x") if text else ())) for text in texts)
        layout = Layout(spec, sizes, state["buffer"].dtype)
        vars(self).update(buffer=state["buffer"], layout=layout)


def _restore(buffer: torch.Tensor, shapes: Any) -> Flat:
    """Return what earlier files call this function for."""
    flat = Flat.__new__(Flat)
    flat.__setstate__({"buffer": buffer, "shapes": shapes})
    return flat


# torch.func.vmap returns trees that PyTorch knows.
register_pytree_node(
    Flat,
    lambda flat: ([flat.buffer], flat.layout),
    lambda children, layout: Flat(next(iter(children)), layout),
)
