"""Linear equations for each vector."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from torchopt.autodiff.loops import is_readable
from torchopt.prox.vectors import Dim, along, check_dim
from torchopt.sets.base import Set

__all__ = ["AffineSet"]


@dataclass(frozen=True, eq=False)
class AffineSet(Set):
    r"""Vectors that solve linear equations.

    .. math::
        C = \{x : A x = b\}, \qquad P(x) = x - A^{+} (A x - b)

    with the pseudoinverse :math:`A^{+}`, from a singular value decomposition: :math:`O(m^2 n)` for each
    projection. Rows that depend on others do no harm, up to rounding errors, and the derivative is then
    that among matrices of the same rank. Equations that contradict one another are refused.

    Args:
        matrix: The matrix :math:`A` of shape ``(..., m, n)`` for vectors of ``n`` elements, a floating
            tensor; it may require grad, and its leading axes broadcast with those of a leaf.
        offset: The right-hand side :math:`b` of shape ``(..., m)``: a floating tensor, which may
            require grad, or one number for all equations.
        dim: The axis or axes along which the vectors lie. None: a leaf is one vector.

    Raises:
        ValueError: If ``matrix`` has fewer than two axes; in use, if a leaf has no such axis, or
            vectors of another length; and if no vector solves all equations, where that can be read:
            on the CPU outside of transforms and compiled code. Elsewhere results are NaN.
        TypeError: If ``matrix`` is no floating tensor, ``offset`` neither a number nor a floating
            tensor, or ``dim`` no integers.

    Example:
        >>> import torch, torchopt
        >>> equations = torchopt.sets.AffineSet(torch.tensor([[1.0, 1.0, 0.0]]), torch.tensor([1.0]))
        >>> equations.project(torch.tensor([1.0, 2.0, 3.0])).round(decimals=4)
        tensor([0., 1., 3.])

    References:
        Parikh and Boyd, *Proximal Algorithms*, 2014, section 6.2. Golub and Pereyra, *The
        Differentiation of Pseudo-Inverses and Nonlinear Least Squares Problems*, 1973 (the derivative).
    """

    matrix: torch.Tensor
    offset: Any = 0.0
    dim: Dim = -1
    #: The rounding errors of the equations, of which the dtype may be wider when they are solved.
    _rounding: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.matrix, torch.Tensor):
            raise TypeError(
                f"`matrix` is an object of type {type(self.matrix).__name__}: pass a tensor."
            )
        self._take("matrix")
        self._take("offset", signed=True)
        check_dim(self.dim)
        object.__setattr__(self, "_rounding", torch.finfo(self.matrix.dtype).eps)
        if self.matrix.dim() < 2:
            raise ValueError(
                f"`matrix` has shape {tuple(self.matrix.shape)}: pass a row for each equation."
            )

    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the nearest vectors of the set."""
        return along(self._project, x, self.dim)

    def _project(self, x: torch.Tensor) -> torch.Tensor:
        if self.matrix.shape[-1] != x.shape[-1]:
            raise ValueError(
                f"`matrix` has shape {tuple(self.matrix.shape)}, but the vectors have {x.shape[-1]} "
                f"elements along `dim={self.dim!r}`: pass a column for each element."
            )
        # Units of an equation must not decide about the rank.
        scale = self.matrix.detach().abs().amax(-1, keepdim=True)
        scale = torch.where(scale == 0, 1.0, scale)
        matrix = (self.matrix / scale).to(x.dtype)
        offset = (self.offset / scale.squeeze(-1)).to(x.dtype)
        residual = torch.einsum("...mn,...n->...m", matrix, x) - offset
        inverse = torch.linalg.pinv(matrix, rtol=max(matrix.shape[-2:]) * self._rounding)
        solvable = _are_solvable(matrix.detach(), inverse.detach(), offset.detach(), self._rounding)
        if is_readable(solvable) and not solvable.all():
            raise ValueError(
                "the set is empty: equations of `matrix` and `offset` contradict one another; for the "
                "nearest of their least-squares solutions, multiply both by the transposed matrix."
            )
        nearest = x - torch.einsum("...nm,...m->...n", inverse, residual)
        return torch.where(solvable, nearest, torch.nan)


def _are_solvable(
    matrix: torch.Tensor, inverse: torch.Tensor, offset: torch.Tensor, eps: float
) -> torch.Tensor:
    """Return whether there is a solution, with an axis for the elements; rounding errors are none."""
    solution = torch.einsum("...nm,...m->...n", inverse, offset)
    missed = torch.einsum("...mn,...n->...m", matrix, solution) - offset
    sizes = [torch.linalg.matrix_norm(m)[..., None] for m in (matrix, inverse)]
    error = (16 * eps * sizes[0] * sizes[1]).clamp(min=eps**0.5)
    size = offset.abs().amax(-1, keepdim=True)
    return missed.abs().amax(-1, keepdim=True) <= error * size
