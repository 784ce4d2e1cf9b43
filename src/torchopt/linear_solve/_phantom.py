"""The phantom gradient: a few steps of the fixed-point iteration, on purpose."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt import checks
from torchopt.linear_solve._base import LinearSolver, LinearSystem
from torchopt.linear_solve.failure import OnFailure


@dataclass(frozen=True, kw_only=True, eq=False)
class Phantom(LinearSolver):
    r"""The k-step (phantom) approximation of an inverse.

    .. math:: x = \alpha \sum_{i=0}^{k-1} (I - \alpha A)^i\, b

    For deep equilibrium models, :math:`A = I - T'` and :math:`\alpha` is the relaxation; the result is
    the gradient through ``steps`` relaxed iterations at the solution. It takes ``steps - 1`` products.
    The stronger the contraction, the better the approximation; :class:`JacobianFree` is the case of
    one step. By default a remaining residual is not reported.

    Args:
        steps: The number of steps.
        step_size: The factor :math:`\alpha`.
        on_failure: As for the other solvers, but ``"ignore"`` by default, since the result is
            an approximation of fixed work, which has no tolerance to reach.
        **common: All other arguments of :class:`LinearSolver`.

    Raises:
        ValueError: If a value is out of its range.

    Example:
        >>> import torch
        >>> Phantom(steps=3)(lambda v: 0.5 * v, torch.tensor([1.0]))
        tensor([1.7500])

    References:
        Geng, Zhang, Bai, Wang and Lin, On Training Implicit Models, 2021, equation 10.
    """

    steps: int = checks.field(5, checks.count(1, of="steps"))
    step_size: float = checks.field(1.0, checks.POSITIVE)
    on_failure: OnFailure = "ignore"

    def solve_flat(self, system: LinearSystem) -> tuple[torch.Tensor, None, torch.Tensor]:
        x = system.x0 + self.step_size * system.r0
        for _ in range(self.steps - 1):
            x = x + self.step_size * system.residual(x)
        return x, None, torch.full((), self.steps, device=x.device)
