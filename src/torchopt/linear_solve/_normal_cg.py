"""Conjugate gradients on the normal equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from torchopt.autodiff.tracking import untracked
from torchopt.linear_solve._base import taking_right_hand_sides
from torchopt.linear_solve._cg import CG
from torchopt.linear_solve._krylov import KrylovSolver
from torchopt.operators.linear import LinearOperator, block_operator, normal_operator
from torchopt.pytree.typing import TensorTree


@dataclass(frozen=True, kw_only=True, eq=False)
class NormalCG(KrylovSolver):
    r"""Conjugate gradients on the normal equations, for any system that is well conditioned.

    .. math:: (A^\top A + \text{ridge}\, I)\, x = A^\top b

    ``A`` may be non-symmetric, indefinite, or rectangular (linear least squares). A rectangular ``A``
    given as a function needs ``x0``, which defines the structure of the solution; a matrix,
    or an operator with ``rmatvec``, does not. An iteration takes one product with ``A`` and one with
    its transpose. The condition number is squared, so prefer :class:`GMRES` or :class:`BiCGSTAB` if it
    is large. Tolerance, statistics and preconditioner refer to the normal equations: the
    preconditioner approximates the inverse of :math:`A^\top A + \text{ridge}\, I`.

    Args:
        ridge: Added to :math:`A^\top A`; a tensor gets a gradient. None means zero.
        x0: The starting point, a tree like the solution; None means zero.
        **common: All other arguments of :class:`CG`.

    Raises:
        ValueError: If a value is out of its range.

    Example:
        >>> import torch
        >>> A = torch.tensor([[0.0, 3.0], [-1.0, 0.0]])
        >>> NormalCG()(lambda v: A @ v, torch.tensor([1.0, 2.0]))
        tensor([-2.0000,  0.3333])

    References:
        Saad, Iterative Methods for Sparse Linear Systems, 2003, algorithm 8.4.
    """

    iterate = CG.iterate

    def _known(self, matvec: Any, b: TensorTree, x0: TensorTree) -> tuple[Any, TensorTree]:
        if not callable(matvec):
            matvec = block_operator(matvec, square=False)
        if x0 is not None:
            return matvec, x0
        if isinstance(matvec, LinearOperator) and not matvec.symmetric and matvec.rmatvec:
            with untracked():
                return matvec, matvec.rmatvec(b)
        return taking_right_hand_sides(matvec, "give a rectangular system"), b

    def equivalent_system(
        self, A: LinearOperator, b: torch.Tensor
    ) -> tuple[LinearOperator, torch.Tensor]:
        return normal_operator(A).shifted(self.ridge), A.T(b)
