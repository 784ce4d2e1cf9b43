"""The positive part of symmetric matrices, with derivatives of any order at repeated eigenvalues.

PyTorch's derivative of ``eigh`` divides by differences of eigenvalues. That of the positive part has
none: it solves a Lyapunov equation with the absolute value of the matrix.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from torchopt.autodiff.tracking import tracking
from torchopt.operators.implicit_function import Equation, Root
from torchopt.prox.vectors import unit


def positive_part(a: torch.Tensor) -> torch.Tensor:
    r"""Return symmetric matrices whose negative eigenvalues have become zero.

    With :math:`P` the positive part of :math:`A` and :math:`|A| = 2 P - A`, the derivative in a
    direction :math:`H` is the solution of

    .. math:: |A| \, \dot P + \dot P \, |A| = P H + H P

    which divides, in the basis of eigenvectors, by sums :math:`|\lambda_i| + |\lambda_j|` (divided
    differences, as in Daleckii and Krein's theorem). It is the linearization of :math:`2 P^2 = A P +
    P A`. Between eigenvalues that are both zero the derivative is zero.

    Args:
        a: A batch of symmetric matrices, of float32 or float64.

    References:
        Malick and Sendov, *Clarke Generalized Jacobian of the Projection onto the Cone of Positive
        Semidefinite Matrices*, 2006. Higham, *Functions of Matrices*, 2008, theorem 3.11.
    """
    if not a.numel():
        return a
    known = a.detach().isfinite().all(-1).all(-1)[..., None, None]  # of others there is no basis
    a = torch.where(known, a, 0.0)
    # The unit cancels: without it, products overflow where the matrix is large.
    scale = unit(a.detach().abs().amax((-2, -1), keepdim=True))
    a = a / scale
    values, basis = torch.linalg.eigh(a.detach())
    positive = (basis * values.relu().unsqueeze(-2)) @ basis.mT
    if tracking():
        (positive,) = Root.apply(_Squares(), 1, positive, a, values, basis)
    return torch.where(known, scale * positive, torch.nan)


_Tensors = Sequence[torch.Tensor]


class _Squares(Equation):
    """The equation of the positive part; eigenvalues and eigenvectors of the matrix are constants."""

    symmetric = True

    def residual(self, x: _Tensors, theta: _Tensors) -> _Tensors:
        (p,), (a, *_) = x, theta
        return [2 * p @ p - a @ p - p @ a]

    def solve(self, x: _Tensors, theta: _Tensors, b: _Tensors, transposed: bool) -> _Tensors:
        _, values, basis = theta
        sums = values.abs().unsqueeze(-1) + values.abs().unsqueeze(-2)
        rotated, zero = basis.mT @ b[0] @ basis, sums == 0
        return [basis @ torch.where(zero, 0.0, rotated / torch.where(zero, 1.0, sums)) @ basis.mT]
