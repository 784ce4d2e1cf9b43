"""Linear equations for each vector."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

import torch

from torchopt import checks
from torchopt.prox.term import parameter
from torchopt.prox.vectors import DIM, Dim, along, broadcasts
from torchopt.pytree.typing import Numeric
from torchopt.sets.base import Set, unless_empty

_MATRIX = checks.Word("pass a row for each equation", torch.Tensor, lambda t: t.dim() >= 2)


@dataclass(frozen=True, eq=False)
class AffineSet(Set):
    r"""Vectors that solve linear equations.

    .. math::
        C = \{x : A x = b\}, \qquad P(x) = x - A^{+} (A x - b)

    with the pseudoinverse :math:`A^{+}`, from a singular value decomposition: :math:`O(m^2 n)` for each
    projection. Rows that depend on others do no harm, up to rounding errors, and the derivative is then
    that among matrices of the same rank. Equations that contradict one another are refused.

    Args:
        A: The matrix, of shape ``(..., m, n)`` for vectors of ``n`` elements, a floating
            tensor; it may require grad, and its leading axes broadcast with those of a leaf.
        b: The right-hand side, of shape ``(..., m)``: a floating tensor, which may
            require grad, or one number for all equations.
        dim: The axis or axes along which the vectors lie. None: a leaf is one vector.

    Raises:
        ValueError: If ``A`` has fewer than two axes; in use, if a leaf has no such axis, or
            vectors of another length; and if no vector solves all equations, where that can be read:
            on the CPU outside of transforms and compiled code. Elsewhere results are NaN.
        TypeError: If ``A`` is no floating tensor, ``b`` neither a number nor a floating
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

    A: torch.Tensor = field(metadata=parameter(signed=True))
    b: Numeric = field(default=0.0, metadata=parameter(signed=True))
    _: KW_ONLY
    dim: Dim = checks.field(-1, DIM)

    def __post_init__(self) -> None:
        checks.check("A", self.A, _MATRIX)
        super().__post_init__()
        sides = getattr(self.b, "shape", ())
        if not broadcasts(sides[-1:], self.A.shape[-2:-1]):
            raise ValueError(
                f"`b` has shape {tuple(sides)}, but `A` {tuple(self.A.shape)}: pass a "
                f"number for each equation."
            )

    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the nearest vectors of the set."""
        return along(self._project, x, self.dim)

    def _project(self, x: torch.Tensor) -> torch.Tensor:
        batches = [getattr(t, "shape", ())[:axes] for t, axes in ((self.A, -2), (self.b, -1))]
        fits = all(broadcasts(batch, x.shape[:-1]) for batch in batches)
        if self.A.shape[-1] != x.shape[-1] or not fits:
            raise ValueError(
                f"`A` has shape {tuple(self.A.shape)}, but the vectors of a leaf, along "
                f"`dim={self.dim!r}`, are of shape {tuple(x.shape)}: pass a column for each element, "
                f"and leading axes of `A` and `b` that broadcast."
            )
        # Units of an equation must not decide about the rank.
        scale = self.A.detach().abs().amax(-1, keepdim=True)
        scale = torch.where(scale == 0, 1.0, scale)
        matrix = (self.A / scale).to(x.dtype)
        finite = matrix.detach().isfinite()  # a decomposition of other numbers is an error
        matrix = torch.where(finite, matrix, 0.0)
        offset = (self.b / scale.squeeze(-1)).to(x.dtype)
        residual = torch.einsum("...mn,...n->...m", matrix, x) - offset
        inverse = torch.linalg.pinv(matrix, rtol=max(matrix.shape[-2:]) * self._rounding)
        solvable = _are_solvable(matrix.detach(), inverse.detach(), offset.detach(), self._rounding)
        nearest = x - torch.einsum("...nm,...m->...n", inverse, residual)
        return unless_empty(
            nearest,
            solvable & finite.all(-1).all(-1, keepdim=True),
            lambda at: (
                "equations of `A` and `b` contradict one another; for the nearest of their "
                "least-squares solutions, multiply both by the transposed matrix"
            ),
        )


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
