"""The cone of positive semidefinite matrices."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from torchopt import checks
from torchopt.prox.positive_part import positive_part
from torchopt.prox.term import parameter
from torchopt.prox.vectors import A_SQUARE_MATRIX
from torchopt.pytree.typing import Numeric
from torchopt.sets.base import Set


@dataclass(frozen=True, eq=False)
class PositiveSemidefinite(Set):
    r"""Symmetric matrices without eigenvalues below a bound: covariances, metrics.

    .. math::
        C = \{X = X^\top, \; \lambda_{\min}(X) \geq m\}, \qquad
        P(X) = V \operatorname{diag}(\max(\lambda, m)) V^\top

    with the eigenvalues :math:`\lambda` and eigenvectors :math:`V` of the symmetric part of :math:`X`.
    The matrices lie along the last two axes. Derivatives of any order are right at repeated
    eigenvalues too, where those of ``torch.linalg.eigh`` are NaN. It costs an eigendecomposition.

    Args:
        min_eigenvalue: The bound :math:`m \geq 0`: a number, or a tensor that broadcasts with the shape
            of a leaf without its last two axes; it may require grad.

    Raises:
        ValueError: If ``min_eigenvalue`` is negative or not finite; in use, if a leaf is no square
            matrix.
        TypeError: If ``min_eigenvalue`` is neither a number nor a floating tensor.

    Example:
        >>> import torch, torchopt
        >>> x = torch.tensor([[0.0, 2.0], [2.0, 0.0]])
        >>> torchopt.sets.PositiveSemidefinite().project(x).round(decimals=4)
        tensor([[1., 1.],
                [1., 1.]])

    References:
        Higham, *Computing a Nearest Symmetric Positive Semidefinite Matrix*, 1988. Malick and Sendov,
        *Clarke Generalized Jacobian of the Projection onto the Cone of Positive Semidefinite
        Matrices*, 2006.
    """

    min_eigenvalue: Numeric = field(default=0.0, metadata=parameter("matrix"))

    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the nearest matrices of the cone."""
        checks.check("the leaf", x, A_SQUARE_MATRIX)
        bound = self.min_eigenvalue
        if isinstance(bound, torch.Tensor):
            bound = bound[..., None, None]
        least = bound * torch.eye(x.shape[-1], dtype=x.dtype, device=x.device)
        return positive_part(x / 2 + x.mT / 2 - least) + least
