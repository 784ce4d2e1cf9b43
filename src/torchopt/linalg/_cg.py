"""Conjugate gradients, as a function."""

from __future__ import annotations

from collections.abc import Callable

from torchopt.linear_solve import CG
from torchopt.pytree.typing import TensorTree


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
        ValueError: If trees or shapes do not fit, or a value is NaN or infinite.

    Example:
        >>> import torch
        >>> cg(torch.tensor([[4.0, 1.0], [1.0, 3.0]]), torch.tensor([1.0, 2.0]))
        tensor([0.0909, 0.6364])

    References:
        Hestenes and Stiefel, 1952.
    """
    solver = CG(rtol=rtol, atol=atol, maxiter=maxiter, preconditioner=M)
    return solver(A, b, x0=x0)
