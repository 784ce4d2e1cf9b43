"""A set for each part of a tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeVar

import torch

from torchopt.prox import SeparableSum
from torchopt.pytree.typing import Numeric
from torchopt.sets.base import Set

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Product(SeparableSum, Set):
    r"""A set for each part of a tree: the Cartesian product :math:`C_1 \times C_2 \times \dots`.

    Args:
        parts: A tree of sets, a prefix of the parameters: each is that of all leaves below its place.
            With ``None`` these leaves are free.

    Raises:
        TypeError: If a part is neither a set nor ``None``.

    Example:
        >>> import torch, torchopt
        >>> box = torchopt.sets.Product({"w": torchopt.sets.NonNegative(), "b": None})
        >>> box.project({"w": torch.tensor([3.0, -0.5]), "b": torch.tensor([-0.5])})
        {'w': tensor([3., 0.]), 'b': tensor([-0.5000])}
    """

    is_set: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not SeparableSum(self.parts).is_set:
            raise TypeError("a part is a term, not a set: use `torchopt.prox.SeparableSum`.")

    def linear_minimizer(self, gradient: T) -> T:
        """Return the minimizer of a linear function for each part; see :class:`Set`.

        Raises:
            TypeError: If a part is free, or has no such formula.
        """

        def refuse(leaf: torch.Tensor) -> torch.Tensor:
            raise TypeError(
                "a part of the product is free: a linear function has no minimum there."
            )

        return self._map_parts(lambda part, g: part.linear_minimizer(g), gradient, free=refuse)

    def mirror_step(self, x: T, gradient: T, step_size: Numeric) -> T:
        """Return a step of mirror descent for each part; a step of descent where it is free."""
        return self._map_parts(
            lambda part, p, g: part.mirror_step(p, g, step_size),
            x,
            gradient,
            free=lambda p, g: p - step_size * g,
        )

    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the projection of a tree that is one tensor."""
        return self.project(x)
