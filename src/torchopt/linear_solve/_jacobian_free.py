"""The Jacobian-free approximation of an inverse."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt import checks
from torchopt.linear_solve._base import LinearSolver, LinearSystem
from torchopt.linear_solve.failure import OnFailure


@dataclass(frozen=True, kw_only=True, eq=False)
class JacobianFree(LinearSolver):
    r"""The Jacobian-free approximation of an inverse: a multiple of the identity.

    .. math:: x = \alpha b

    It takes no product. For a strong contraction, :math:`A = I - T'`, use ``step_size=1``: the result
    is the gradient through the last step only. For a Hessian, ``step_size`` is a learning rate (as in
    DARTS' second-order approximation). By default a remaining residual is not reported.

    Args:
        step_size: The factor :math:`\alpha`, a multiple of the identity.
        on_failure: As for the other solvers, but ``"ignore"`` by default, since the result is
            an approximation of fixed work, which has no tolerance to reach.
        **common: All other arguments of :class:`LinearSolver`.

    Raises:
        ValueError: If a value is out of its range.

    Example:
        >>> import torch
        >>> JacobianFree()(lambda v: 0.9 * v, torch.tensor([1.0, 2.0]))
        tensor([1., 2.])

    References:
        Fung, Heaton, Li, McKenzie, Osher and Yin, JFB: Jacobian-Free Backpropagation for Implicit
        Networks, 2022. Bolte, Pauwels and Vaiter, One-Step Differentiation of Iterative Algorithms,
        2023.
    """

    step_size: float = checks.field(1.0, checks.POSITIVE)
    on_failure: OnFailure = "ignore"

    def solve_flat(self, system: LinearSystem) -> tuple[torch.Tensor, None, torch.Tensor]:
        b = system.b
        return self.step_size * b, None, torch.zeros((), dtype=torch.int64, device=b.device)
