"""The positive part of symmetric matrices, with derivatives of any order at repeated eigenvalues.

PyTorch's derivative of ``eigh`` divides by differences of eigenvalues. That of the positive part has
none: it solves a Lyapunov equation with the absolute value of the matrix.
"""

from __future__ import annotations

from typing import Any

import torch

from torchopt.autodiff.nested_jvp import nested_jvp
from torchopt.prox.vectors import unit

__all__ = ["positive_part"]


def positive_part(a: torch.Tensor) -> torch.Tensor:
    r"""Return symmetric matrices whose negative eigenvalues have become zero.

    With :math:`P` the positive part of :math:`A` and :math:`|A| = 2 P - A`, the derivative in a
    direction :math:`H` is the solution of

    .. math:: |A| \, \dot P + \dot P \, |A| = P H + H P

    which divides, in the basis of eigenvectors, by sums :math:`|\lambda_i| + |\lambda_j|` (divided
    differences, as in Daleckii and Krein's theorem). The solution is differentiated by the same
    equation. Between eigenvalues that are both zero the derivative is zero.

    Args:
        a: A batch of symmetric matrices, of float32 or float64.

    References:
        Malick and Sendov, *Clarke Generalized Jacobian of the Projection onto the Cone of Positive
        Semidefinite Matrices*, 2006. Higham, *Functions of Matrices*, 2008, theorem 3.11.
    """
    known = a.detach().isfinite().all(-1).all(-1)[..., None, None]  # of others there is no basis
    a = torch.where(known, a, 0.0)
    values, basis = torch.linalg.eigh(a.detach())
    return torch.where(known, _PositivePart.apply(a, values, basis), torch.nan)


class _PositivePart(torch.autograd.Function):
    """The positive part; eigenvalues and eigenvectors are those of the matrix, without derivatives."""

    @staticmethod
    def forward(a: torch.Tensor, values: torch.Tensor, basis: torch.Tensor) -> torch.Tensor:
        return (basis * values.relu().unsqueeze(-2)) @ basis.mT

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        a, values, basis = inputs
        ctx.save_for_backward(a, output, values, basis)
        ctx.save_for_forward(a, output, values, basis)

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        a, positive, values, basis = ctx.saved_tensors
        return _derivative(a, positive, values, basis, cotangent), None, None

    @staticmethod
    @nested_jvp
    def jvp(saved: tuple[torch.Tensor, ...], tangent: torch.Tensor, *_: Any) -> torch.Tensor:
        a, positive, values, basis = saved
        return _derivative(a, positive, values, basis, tangent)

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[int | None, ...], *tensors: torch.Tensor
    ) -> tuple[torch.Tensor, int]:
        return _PositivePart.apply(*_in_front(info.batch_size, in_dims, tensors)), 0


def _derivative(
    a: torch.Tensor,
    positive: torch.Tensor,
    values: torch.Tensor,
    basis: torch.Tensor,
    direction: torch.Tensor,
) -> torch.Tensor:
    """Return the derivative of the positive part, which is its own transposed."""
    # The unit cancels: without it, products overflow where the matrix is large.
    scale = unit(values.abs().amax(-1, keepdim=True))
    a, positive = (t / scale[..., None] for t in (a, positive))
    right = positive @ direction
    left = direction @ positive
    return _Lyapunov.apply(2 * positive - a, left + right, values.abs() / scale, basis)


class _Lyapunov(torch.autograd.Function):
    """The solution of ``B X + X B = C`` for ``B`` of known eigenvalues; zero where two of them are."""

    @staticmethod
    def forward(
        b: torch.Tensor, c: torch.Tensor, values: torch.Tensor, basis: torch.Tensor
    ) -> torch.Tensor:
        sums = values.unsqueeze(-1) + values.unsqueeze(-2)
        rotated = basis.mT @ c @ basis
        zero = sums == 0
        return basis @ torch.where(zero, 0.0, rotated / torch.where(zero, 1.0, sums)) @ basis.mT

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        b, _, values, basis = inputs
        ctx.save_for_backward(b, output, values, basis)
        ctx.save_for_forward(b, output, values, basis)

    @staticmethod
    def backward(
        ctx: Any, cotangent: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, None, None]:
        b, x, values, basis = ctx.saved_tensors
        u: torch.Tensor = _Lyapunov.apply(b, cotangent, values, basis)
        return -(u @ x.mT + x.mT @ u), u, None, None

    @staticmethod
    @nested_jvp
    def jvp(
        saved: tuple[torch.Tensor, ...], db: torch.Tensor | None, dc: torch.Tensor | None, *_: Any
    ) -> torch.Tensor:
        b, x, values, basis = saved
        right = torch.zeros_like(x) if dc is None else dc
        if db is not None:
            right = right - db @ x - x @ db
        out: torch.Tensor = _Lyapunov.apply(b, right, values, basis)
        return out

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[int | None, ...], *tensors: torch.Tensor
    ) -> tuple[torch.Tensor, int]:
        return _Lyapunov.apply(*_in_front(info.batch_size, in_dims, tensors)), 0


def _in_front(
    size: int, dims: tuple[int | None, ...], tensors: tuple[torch.Tensor, ...]
) -> list[torch.Tensor]:
    """Return tensors with their batch in front; formulas see the last two axes only."""
    return [
        t.expand(size, *t.shape) if d is None else t.movedim(d, 0)
        for t, d in zip(tensors, dims, strict=True)
    ]
