"""Linear solves as functions: conjugate gradients and the truncated Neumann series."""

from __future__ import annotations

from collections.abc import Callable

import torch

from torchopt.linalg import LinearOperator, as_operator
from torchopt.linear_solve import CG
from torchopt.pytree import flattening as pytree
from torchopt.pytree import tree_add, tree_scalar_mul, tree_sub_scalar_mul
from torchopt.pytree.typing import TensorTree

__all__ = ["cg", "ns", "ns_inv"]


def cg(
    A: TensorTree | Callable[[TensorTree], TensorTree],
    b: TensorTree,
    x0: TensorTree | None = None,
    *,
    rtol: float = 1e-05,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: TensorTree | Callable[[TensorTree], TensorTree] | None = None,
) -> TensorTree:
    r"""Solve ``A x = b`` by conjugate gradients, for a symmetric positive definite ``A``.

    The solver is :class:`torchopt.linear_solve.CG`; the solution is differentiable in ``b`` and in all
    that ``A`` reads.

    Args:
        A: A linear function, a square matrix, or a tree of square matrices (block-diagonal).
        b: The right-hand side, a tree of tensors.
        x0: Where to start; None stands for zero.
        rtol: Relative tolerance, ``||A x - b|| <= max(rtol * ||b||, atol)``.
        atol: Absolute tolerance.
        maxiter: The most iterations; None: ten times the number of unknowns.
        M: The preconditioner, an approximate inverse of ``A``, given as ``A`` is.

    Returns:
        The solution, a tree like ``b``. A :class:`torchopt.errors.LinearSolveWarning` says where
        the tolerance was not reached.

    Raises:
        TypeError: If ``A`` is not square, or ``b`` has a leaf that is no real floating-point tensor.
        ValueError: If trees or shapes do not fit.
        NonFiniteError: If a value is NaN or infinite.

    Example:
        >>> import torch
        >>> cg(torch.tensor([[4.0, 1.0], [1.0, 3.0]]), torch.tensor([1.0, 2.0]))
        tensor([0.0909, 0.6364])

    References:
        Hestenes and Stiefel, 1952.
    """
    solver = CG(rtol=rtol, atol=atol, maxiter=maxiter, preconditioner=M)
    return solver(A, b, x0=x0)


def ns(
    A: TensorTree | Callable[[TensorTree], TensorTree],
    b: TensorTree,
    maxiter: int | None = None,
    *,
    alpha: float | None = None,
) -> TensorTree:
    r"""Solve ``A x = b`` approximately, by a truncated Neumann series.

    .. math:: x = \alpha \sum_{k=0}^{K} (I - \alpha A)^k\, b

    Converges where the spectral radius of :math:`I - \alpha A` is below one. These are plain
    operations, and derivatives go through each; :class:`torchopt.linear_solve.Neumann` has a tolerance,
    statistics and derivatives that keep no graph.

    Args:
        A: A linear function, a square matrix, or a tree of square matrices (block-diagonal).
        b: The right-hand side, a tree of tensors.
        maxiter: The number :math:`K` of products; None: 10.
        alpha: The size of a step; None: 1.

    Returns:
        The sum, a tree like ``b``.

    Raises:
        TypeError: If ``A`` is not square.

    Example:
        >>> import torch
        >>> ns(torch.tensor([[1.0, 0.5], [-0.25, 1.0]]), torch.tensor([1.0, 3.0]), maxiter=20)
        tensor([-0.4444,  2.8889])

    References:
        Lorraine, Vicol and Duvenaud, Optimizing Millions of Hyperparameters by Implicit
        Differentiation, 2020, section 3.
    """
    terms = 11 if maxiter is None else maxiter + 1
    return _partial_sum(as_operator(A, b), b, terms, 1.0 if alpha is None else alpha)


def ns_inv(A: TensorTree, maxiter: int | None = None, *, alpha: float | None = None) -> TensorTree:
    r"""Invert matrices approximately, by truncated Neumann series.

    .. math:: A^{-1} \approx \alpha \sum_{k=0}^{K - 1} (I - \alpha A)^k

    Args:
        A: A square matrix, or a tree of square matrices.
        maxiter: The number :math:`K` of terms (one fewer than :func:`ns` has); None: 10.
        alpha: The size of a step; None: 1.

    Returns:
        The sums, a tree like ``A``.

    Raises:
        TypeError: If a leaf of ``A`` is not a square matrix.

    Example:
        >>> import torch
        >>> ns_inv(torch.tensor([[1.0, 0.5], [0.0, 1.0]]), maxiter=2)
        tensor([[ 1.0000, -0.5000],
                [ 0.0000,  1.0000]])
    """
    operator = as_operator(A, A)  # which says which leaf is no square matrix
    unit = pytree.map_leaves(lambda m: torch.eye(len(m), dtype=m.dtype, device=m.device), A)
    terms = 10 if maxiter is None else maxiter
    return _partial_sum(operator, unit, terms, 1.0 if alpha is None else alpha)


def _partial_sum(operator: LinearOperator, b: TensorTree, terms: int, alpha: float) -> TensorTree:
    """Return ``alpha`` times the sum of ``(I - alpha A)^k b`` over the first ``terms`` of ``k``."""
    total = pytree.map_leaves(torch.zeros_like, b)
    for k in range(terms):  # Horner's rule
        total = tree_add(b, tree_sub_scalar_mul(total, operator(total), alpha=alpha)) if k else b
    return tree_scalar_mul(alpha, total)
