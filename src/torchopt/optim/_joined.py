"""Transformations that are each applied to a part of one list."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from torchopt.pytree import flattening as pytree
from torchopt.transform.chaining import (
    GradientTransformation,
    GradientTransformationExtraArgs,
    owner_of,
)
from torchopt.transform.extra_args import at_params, select, union


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

    def structure(self, params: Sequence[Any]) -> Any:
        """Return the structure of the tree of some parameters."""
        return pytree.flatten(self.tree(iter(params)))[1]

    def list(self, tree: Any) -> Any:
        """Return the elements of a tree."""
        if self.spec is None:
            return tree
        leaves = pytree.leaves(tree)
        return [x for x, kept in zip(leaves, self.kept, strict=True) if kept]


@dataclass(frozen=True, eq=False)
class Joined:
    """Transformations, each on a part of one list.

    Attributes:
        parts: The transformations.
        order: For a tree of parameters in place of a list: the place, among its leaves, of each
            element of the list. Other leaves are left as they are.
    """

    parts: Sequence[OptimizerPart]
    order: Sequence[int] | None = None

    def init(self, params: Any) -> tuple[Any, ...]:
        """Return the state of each part."""
        trees = self._trees(pytree.leaves(params), "params")
        return tuple(part.tx.init(tree) for part, tree in zip(self.parts, trees, strict=True))

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, tuple[Any, ...]]:
        """Return the updates, and the new state of each part."""
        leaves, spec = pytree.flatten(updates)
        trees = self._trees(leaves, "updates")
        weights: list[Any] = [None] * len(trees)
        if params is not None:
            weights = self._trees(pytree.leaves(params), "params")
        flat: list[Any] = []
        states = []
        for part, grads, inner, p in zip(self.parts, trees, state, weights, strict=True):
            # The others stay where they are.
            whole = functools.partial(self._with_part, params, len(flat), part)
            more = select(part.tx, extra if params is None else at_params(extra, whole))
            out, new = part.tx.update(grads, inner, params=p, inplace=inplace, **more)
            flat += part.list(out)
            states.append(new)
        for place, new in zip(self.order or range(len(flat)), flat, strict=True):
            leaves[place] = new
        return pytree.unflatten(spec, leaves), tuple(states)

    def _with_part(self, params: Any, start: int, part: OptimizerPart, tree: Any) -> Any:
        """Return the parameters with others for a part, whose first is that of index ``start``."""
        leaves, spec = pytree.flatten(params)
        for index, new in enumerate(part.list(tree), start):
            leaves[index if self.order is None else self.order[index]] = new
        return pytree.unflatten(spec, leaves)

    def _trees(self, leaves: Sequence[Any], root: str) -> list[Any]:
        if self.order is not None:
            leaves = [leaves[place] for place in self.order]
        total = sum(sum(part.kept) for part in self.parts)
        if len(leaves) != total:
            raise ValueError(
                f"`{root}` has {len(leaves)} elements, but the optimizer has {total} parameters."
            )
        elements = iter(leaves)
        return [part.tree(elements) for part in self.parts]


def join(
    parts: Sequence[OptimizerPart], order: Sequence[int] | None = None
) -> GradientTransformation:
    """Return one transformation of the concatenated lists of all parts, or of a tree of these."""
    if len(parts) == 1 and parts[0].spec is None and order is None:
        return parts[0].tx
    joined = Joined(parts, order)
    reads = union(part.tx for part in parts)
    return GradientTransformationExtraArgs(joined.init, joined.update, reads)


def joined_by(tx: GradientTransformation) -> Joined | None:
    """Return what :func:`join` has made; None for another transformation."""
    owner = owner_of(tx)
    return owner if isinstance(owner, Joined) else None
