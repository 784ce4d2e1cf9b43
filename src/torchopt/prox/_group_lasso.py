"""Norms of groups of elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field

import torch

from torchopt import checks
from torchopt.autodiff.conversion import as_tensor
from torchopt.prox.term import ProximalTerm, parameter
from torchopt.prox.vectors import DIM, Dim, along, broadcasts, norm_of, unit, vectors
from torchopt.pytree.typing import Numeric

_INTEGERS = checks.Word(
    "pass a sequence of integers, the group of each element",
    holds=lambda t: not t.is_floating_point() and t.dtype != torch.bool and t.dim() == 1,
    error=TypeError,
)


@dataclass(frozen=True, eq=False)
class GroupLasso(ProximalTerm):
    r"""The norms of groups of elements along an axis, times penalties: a group becomes zero, or none.

    .. math::
        g(x) = \sum_k \lambda_k \lVert x_{G_k} \rVert_2, \qquad
        \operatorname{prox}_{t g}(x)_{G_k}
        = \max\Bigl(1 - \frac{t \lambda_k}{\lVert x_{G_k} \rVert_2}, 0\Bigr) x_{G_k}

    Where the groups are the rows or columns of a leaf, or whole leaves, use :class:`L2`.

    Args:
        penalty: The penalties :math:`\lambda \geq 0`: a number, or a tensor that broadcasts with the
            shape of a leaf without ``dim``, followed by the number of groups; it may require grad. The
            roots of the groups' sizes, times a number, are usual.
        groups: The group of each element along ``dim``: integers from 0, as a tensor or a sequence.
            ``[0, 0, 1, 1, 1]`` are a group of two elements and one of three. A group lies in any
            places; groups do not overlap.
        dim: The axis or axes along which the groups lie. None: a leaf is one vector.

    Raises:
        ValueError: If ``penalty`` is negative or not finite; if ``groups`` is empty or has a negative
            number; in use, if a leaf has no such axis, or not that length along it.
        TypeError: If ``penalty`` is neither a number nor a floating tensor, ``groups`` no integers, or
            ``dim`` no integers.

    Example:
        >>> import torch, torchopt
        >>> lasso = torchopt.prox.GroupLasso(torch.tensor([1.0, 2.0]), groups=[0, 0, 1])
        >>> lasso.prox(torch.tensor([3.0, 4.0, 1.0]))
        tensor([2.4000, 3.2000, 0.0000])

    References:
        Yuan and Lin, *Model Selection and Estimation in Regression with Grouped Variables*, 2006.
    """

    penalty: Numeric = field(metadata=parameter())
    groups: torch.Tensor | Sequence[int]
    _: KW_ONLY
    dim: Dim = checks.field(-1, DIM)
    count: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the groups, and count them."""
        super().__post_init__()
        groups = as_tensor(self.groups)
        checks.check("groups", groups, _INTEGERS)
        if not groups.numel() or int(groups.min()) < 0:
            raise ValueError(
                "`groups` is empty or has a negative number: number the groups from 0."
            )
        object.__setattr__(self, "groups", groups.long())
        object.__setattr__(self, "count", int(groups.max()) + 1)

    def prox_leaf(self, x: torch.Tensor, step_size: Numeric) -> torch.Tensor:
        """Return the groups, shorter by their penalties."""

        def shorten(v: torch.Tensor) -> torch.Tensor:
            groups, (norms, scale) = self._groups(v), self._norms(v)
            by, zero = step_size * self.penalty + torch.zeros_like(norms), norms == 0
            shorter = norms * scale <= by
            scale, norms = scale.index_select(-1, groups), torch.where(zero, 1.0, norms)
            # By the unit first, so that no derivative has a power of the norm.
            direction = v / scale / norms.index_select(-1, groups)
            moved = v - by.index_select(-1, groups) * direction
            return torch.where(shorter.index_select(-1, groups), 0.0, moved)

        return along(shorten, x, self.dim)

    def value_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the weighted sum of norms."""
        norms, scale = self._norms(vectors(x, self.dim))
        return (self.penalty * (norms * scale)).sum()

    def _groups(self, v: torch.Tensor) -> torch.Tensor:
        assert isinstance(self.groups, torch.Tensor)  # since the object was made
        return self.groups.to(v.device)

    def _norms(self, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the norm of each group in a unit, so that no square overflows; and the units."""
        groups = self._groups(v)
        if v.shape[-1] != groups.numel():
            raise ValueError(
                f"`groups` has {groups.numel()} elements, but a leaf has vectors of "
                f"{v.shape[-1]} along `dim={self.dim!r}`: pass the group of each element."
            )
        zeros = v.new_zeros(*v.shape[:-1], self.count)
        sizes = getattr(self.penalty, "shape", ())
        if not broadcasts(sizes, zeros.shape):
            raise ValueError(
                f"`penalty` has shape {tuple(sizes)}, which does not broadcast with that of the groups "
                f"of a leaf, {tuple(zeros.shape)}: pass one number, or one for each group."
            )
        largest = zeros.scatter_reduce(-1, groups.expand_as(v), v.detach().abs(), "amax")
        scale = unit(largest)
        squares = (v / scale.index_select(-1, groups)).square()
        return norm_of(zeros.index_add(-1, groups, squares)), scale
