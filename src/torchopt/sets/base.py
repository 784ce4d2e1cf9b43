"""The base of sets: a projection for one leaf, and what else a solver may ask of a set."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias, TypeVar

import torch

from torchopt.autodiff.conversion import plain
from torchopt.autodiff.loops import is_readable
from torchopt.prox.separable_sum import Parts
from torchopt.prox.term import ProximalTerm
from torchopt.prox.vectors import or_nan
from torchopt.pytree.typing import Numeric

T = TypeVar("T")

Sets: TypeAlias = "Set | Parts[Sets | None]"
"""A set, or a tree of them, a prefix of the parameters."""


@dataclass(frozen=True, eq=False)
class Set(ProximalTerm):
    r"""A set :math:`C` with a projection, for ``subject_to=`` of :func:`torchopt.minimize`.

    .. math:: P_C(x) = \arg\min_{z \in C} \; \lVert z - x \rVert_2

    As a term it is the indicator function, 0 in the set and infinite elsewhere, whose proximal operator
    is the projection for each step.

    A subclass writes :meth:`project_leaf` for one tensor, in plain differentiable operations without
    branches on values; and, for solvers that ask for them, :meth:`linear_minimizer_leaf` and
    :meth:`mirror_step_leaf`.

    Example:
        A set of one's own, the symmetric matrices:

        >>> import torch, torchopt
        >>> class Symmetric(torchopt.sets.Set):
        ...     def project_leaf(self, x):
        ...         return (x + x.mT) / 2
        >>> Symmetric().project(torch.tensor([[1.0, 4.0], [2.0, 3.0]]))
        tensor([[1., 3.],
                [3., 3.]])
    """

    is_set: ClassVar[bool] = True

    def project(self, x: T) -> T:
        """Return the nearest point of the set at each leaf of a tree.

        It is differentiable to any order where the projection is, in ``x`` and in the parameters of
        the set, also under ``torch.func.vmap``.

        Args:
            x: A tree of floating tensors.

        Returns:
            A tree like ``x``, of the same dtypes.
        """
        return self.prox(x)

    def linear_minimizer(self, gradient: T) -> T:
        r"""Return :math:`\arg\min_{z \in C} \langle \text{gradient}, z \rangle` for each leaf.

        Raises:
            TypeError: If the set has no such formula.
        """
        return self._map("gradient", lambda wider, g: wider.linear_minimizer_leaf(g), gradient)

    def mirror_step(self, x: T, gradient: T, step_size: Numeric) -> T:
        r"""Return a step of mirror descent in the geometry of the set, for each leaf.

        .. math:: \arg\min_{z \in C} \; \langle \text{gradient}, z \rangle + \frac{1}{t} D(z, x)

        with the Bregman divergence :math:`D` of the set's mirror map.

        Raises:
            TypeError: If the set has no mirror map.
        """
        t = plain(step_size)
        return self._map("x", lambda wider, p, g: wider.mirror_step_leaf(p, g, t), x, gradient)

    @abc.abstractmethod
    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the nearest point of the set, a tensor of the same shape."""

    def linear_minimizer_leaf(self, gradient: torch.Tensor) -> torch.Tensor:
        """Return the point of the set with the least product with a tensor."""
        raise TypeError(
            f"`{type(self).__name__}` has no `linear_minimizer`: use a set that has one, such as "
            f"`Simplex` or `L1Ball`, or `torchopt.solver.ProjectedGradient()`."
        )

    def mirror_step_leaf(
        self, x: torch.Tensor, gradient: torch.Tensor, step_size: Numeric
    ) -> torch.Tensor:
        """Return a step of mirror descent from a tensor."""
        raise TypeError(
            f"`{type(self).__name__}` has no mirror map: use a set that has one, such as `Simplex` or "
            f"`NonNegative`, or `torchopt.solver.ProjectedGradient()`."
        )

    def prox_leaf(self, x: torch.Tensor, step_size: Numeric) -> torch.Tensor:
        """Return the projection."""
        return self.project_leaf(x)

    def value_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return zero, the value in the set; whether the tensor is in it is not looked at."""
        return x.new_zeros(())


def unless_empty(
    points: torch.Tensor, exist: torch.Tensor, why: Callable[[tuple[int, ...]], str]
) -> torch.Tensor:
    """Return points of sets, or NaN for those that do not exist.

    Raises:
        ValueError: If a set is empty and that can be read; ``why`` says it of a place.
    """
    if not is_readable(exist):
        return or_nan(points, exist)
    if not exist.all():
        at = tuple(exist.logical_not().nonzero()[0].tolist())
        raise ValueError(f"the set is empty: {why(at)}.")
    return points
