"""Solves, determinants and products of reflections: a factorization and solves with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchopt.autodiff.decompositions.wrappers import Rules, up


def _solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    X, info = _solved(A, B, left)
    torch._linalg_check_errors(info, "torch.linalg.solve", is_matrix=A.dim() == 2)
    return X


def _solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    X, info = _solved(A, B, left)
    if check_errors:
        torch._linalg_check_errors(info, "torch.linalg.solve_ex", is_matrix=A.dim() == 2)
    return torch.return_types.linalg_solve_ex((X, info))  # type: ignore[attr-defined]


def _solved(A: Tensor, B: Tensor, left: bool) -> tuple[Tensor, Tensor]:
    A, B = up(A), up(B)
    vector = B.dim() == 1 or (A.dim() - 1 == B.dim() and B.shape == A.shape[:-1])
    LU, pivots, info = torch.linalg.lu_factor_ex(A)
    X = torch.linalg.lu_solve(LU, pivots, B.unsqueeze(-1) if vector else B, left=left)
    return X.squeeze(-1) if vector else X, info


def _tensorsolve(A: Tensor, B: Tensor, dims: Sequence[int] | None = None) -> Tensor:
    if dims is not None:
        A = A.movedim(tuple(dims), tuple(range(-len(dims), 0)))
    shape = A.shape[B.dim() :]
    return _solve(A.reshape(B.numel(), shape.numel()), B.flatten()).reshape(shape)


def _cholesky_inverse(input: Tensor, upper: bool = False) -> Tensor:
    input = up(input)
    eye = torch.eye(input.shape[-1], dtype=input.dtype, device=input.device)
    return torch.cholesky_solve(eye.expand(input.shape), input, upper)


def _diagonal_of_lu(A: Tensor) -> tuple[Tensor, Tensor]:
    """Return the determinant of the permutation, and the diagonal of U."""
    A = up(A)
    LU, pivots, _ = torch.linalg.lu_factor_ex(A)
    diagonal = LU.diagonal(dim1=-2, dim2=-1)
    rows = torch.arange(1, A.shape[-1] + 1, device=A.device, dtype=pivots.dtype)
    return 1 - 2 * ((pivots != rows).sum(-1) % 2).to(A.dtype), diagonal


def _det(A: Tensor) -> Tensor:
    sign, diagonal = _diagonal_of_lu(A)
    return sign * diagonal.prod(-1)


def _torch_det(input: Tensor) -> Tensor:
    return _det(input)


def _slogdet(A: Tensor) -> Any:
    return torch.return_types.linalg_slogdet(_sign_and_log(A))  # type: ignore[attr-defined]


def _torch_slogdet(input: Tensor) -> Any:
    return torch.return_types.slogdet(_sign_and_log(input))


def _logdet(input: Tensor) -> Tensor:
    sign, logabsdet = _sign_and_log(input)
    if input.is_complex():
        return sign.log() + logabsdet
    return torch.where(sign < 0, torch.nan, logabsdet)


def _sign_and_log(A: Tensor) -> tuple[Tensor, Tensor]:
    sign, diagonal = _diagonal_of_lu(A)
    return sign * diagonal.sgn().prod(-1), diagonal.abs().log().sum(-1)


def _householder_product(A: Tensor, tau: Tensor) -> Tensor:
    Q = torch.eye(*A.shape[-2:], dtype=A.dtype, device=A.device)
    reflectors = A.tril(-1) + Q
    for i in reversed(range(tau.shape[-1])):
        v = reflectors[..., i : i + 1]
        Q = Q - tau[..., i, None, None] * v @ (v.mH @ Q)
    return Q


RULES: Rules = {
    torch.linalg.solve: _solve,
    torch.linalg.solve_ex: _solve_ex,
    torch.linalg.tensorsolve: _tensorsolve,
    torch.cholesky_inverse: _cholesky_inverse,
    Tensor.cholesky_inverse: _cholesky_inverse,
    torch.linalg.det: _det,
    torch.det: _torch_det,
    Tensor.det: _torch_det,
    torch.linalg.slogdet: _slogdet,
    torch.slogdet: _torch_slogdet,
    Tensor.slogdet: _torch_slogdet,
    torch.logdet: _logdet,
    Tensor.logdet: _logdet,
    torch.linalg.householder_product: _householder_product,
}
