"""The Neumann series."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from torchopt.linear_solve._base import LinearSystem
from torchopt.linear_solve._fixed_point import Richardson


@dataclass(frozen=True, kw_only=True, eq=False)
class Neumann(Richardson):
    r"""The Neumann series, for systems close to the identity.

    .. math:: x = \alpha \sum_{k=0}^{K-1} (I - \alpha A)^k\, b

    It equals the fixed-point iteration from zero and converges for the same systems, those for which
    the spectral radius of :math:`I - \alpha A` is below one. With ``maxiter`` it is the usual cheap
    inverse-Hessian product of hyperparameter optimization. A remaining residual is then not a failure,
    unless the series diverges; its terms are added up all the same, until they overflow.

    Args:
        step_size: The factor :math:`\alpha`.
        maxiter: The number :math:`K` of terms, as ``steps`` of :class:`Phantom`, or fewer if the
            tolerance is reached earlier. None: until the tolerance is reached, at most 1,000.
        **common: All other arguments of :class:`IterativeLinearSolver`.

    Raises:
        ValueError: If a value is out of its range.

    Example:
        >>> import torch
        >>> A = torch.tensor([[1.0, 0.5], [-0.25, 1.0]])
        >>> Neumann(maxiter=20)(lambda v: A @ v, torch.tensor([1.0, 3.0]))
        tensor([-0.4444,  2.8889])

    References:
        Lorraine, Vicol and Duvenaud, Optimizing Millions of Hyperparameters by Implicit
        Differentiation, 2020, section 3.
    """

    def _largest_residual(self, system: LinearSystem) -> torch.Tensor | float:
        return super()._largest_residual(system) if self.maxiter is None else math.inf

    def failed(self, system: LinearSystem, residual: torch.Tensor) -> torch.Tensor:
        if self.maxiter is None:
            return super().failed(system, residual)
        norm = torch.linalg.vector_norm(system.b)
        return ~(residual <= torch.maximum(norm, system.tolerance))
