"""Transformations that are each applied to a part of one list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from torchopt.pytree import flattening as pytree
from torchopt.transform.chaining import GradientTransformation, owner_of

__all__ = ["OptimizerPart", "join", "parts_of"]


class OptimizerPart(NamedTuple):
    """A transformation, and the tree of parameters that it takes.

    Attributes:
        tx: The transformation.
        kept: For each leaf of the tree, whether it is in the list of parameters; if not, it is None.
        spec: The structure of the tree; None for a list.
    """

    tx: GradientTransformation
    kept: tuple[bool, ...]
    spec: Any = None

    def tree(self, leaves: Iterator[Any]) -> Any:
        """Return the tree of the next elements of a list."""
        if self.spec is None:
            return [*islice(leaves, len(self.kept))]
        return pytree.unflatten(self.spec, [next(leaves) if kept else None for kept in self.kept])

    def list(self, tree: Any) -> Any:
        """Return the elements of a tree."""
        if self.spec is None:
            return tree
        leaves = pytree.flatten(tree)[0]
        return [x for x, kept in zip(leaves, self.kept, strict=True) if kept]


@dataclass(frozen=True, eq=False)
class _Joined:
    """Transformations, each on a part of one list."""

    parts: Sequence[OptimizerPart]

    def init(self, params: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(
            part.tx.init(tree)
            for part, tree in zip(self.parts, self._trees(params, "params"), strict=True)
        )

    def update(
        self,
        updates: Sequence[Any],
        state: tuple[Any, ...],
        *,
        params: Sequence[Any] | None = None,
        inplace: bool = True,
    ) -> tuple[list[Any], tuple[Any, ...]]:
        trees = self._trees(updates, "updates")
        weights = [None] * len(trees) if params is None else self._trees(params, "params")
        new_updates, states = [], []
        for part, grads, inner, p in zip(self.parts, trees, state, weights, strict=True):
            out, new = part.tx.update(grads, inner, params=p, inplace=inplace)
            new_updates += part.list(out)
            states.append(new)
        return new_updates, tuple(states)

    def _trees(self, leaves: Sequence[Any], root: str) -> list[Any]:
        total = sum(sum(part.kept) for part in self.parts)
        if len(leaves) != total:
            raise ValueError(
                f"`{root}` has {len(leaves)} elements, but the optimizer has {total} parameters."
            )
        elements = iter(leaves)
        return [part.tree(elements) for part in self.parts]


def join(parts: Sequence[OptimizerPart]) -> GradientTransformation:
    """Return one transformation of the concatenated lists of all parts."""
    if len(parts) == 1 and parts[0].spec is None:
        return parts[0].tx
    joined = _Joined(parts)
    return GradientTransformation(joined.init, joined.update)


def parts_of(tx: GradientTransformation) -> Sequence[OptimizerPart] | None:
    """Return the parts that :func:`join` was given; None for another transformation."""
    owner = owner_of(tx)
    return owner.parts if isinstance(owner, _Joined) else None
