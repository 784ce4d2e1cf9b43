"""Richardson's fixed-point iteration, and the Neumann series as a case of it."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt import checks
from torchopt.autodiff.loops import any_true, iterate
from torchopt.autodiff.tracing import tracing
from torchopt.linear_solve._base import IterativeLinearSolver, LinearSystem


@dataclass(frozen=True, kw_only=True, eq=False)
class Richardson(IterativeLinearSolver):
    r"""Fixed-point iteration (Richardson's), for systems close to the identity.

    .. math:: x \leftarrow x + \alpha M (b - A x)

    It converges if the spectral radius of :math:`I - \alpha M A` is below one. Examples are the
    derivative of a contraction :math:`x = T(x)`, where :math:`A = I - T'` and :math:`\alpha = 1`, and a
    Hessian with :math:`0 < \alpha < 2 / \lambda_{max}`. An iteration takes one product and stores no
    vectors. The number of iterations grows with the condition number, not with its root. ``A`` need
    not be symmetric.

    Args:
        step_size: The factor :math:`\alpha`.
        maxiter: The maximal number of iterations; None: 1,000.
        **common: All other arguments of :class:`IterativeLinearSolver`.

    Raises:
        ValueError: If a value is out of its range.

    Example:
        >>> import torch
        >>> A = torch.tensor([[1.0, 0.5], [-0.25, 1.0]])
        >>> Richardson()(lambda v: A @ v, torch.tensor([1.0, 3.0]))
        tensor([-0.4444,  2.8889])

    References:
        Saad, Iterative Methods for Sparse Linear Systems, 2003, section 4.2.
    """

    step_size: float = checks.field(1.0, checks.POSITIVE)

    def iteration_limit(self, unknowns: int) -> int:
        return 1000 if self.maxiter is None else self.maxiter

    def solve_flat(
        self, system: LinearSystem
    ) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor]:
        limit = self._largest_residual(system)

        def step(carry: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
            x, r = carry
            x = x + self.step_size * system.preconditioner(r)
            return x, system.residual(x)

        def active(carry: tuple[torch.Tensor, ...]) -> torch.Tensor:
            norm = torch.linalg.vector_norm(carry[1])
            return (norm > system.tolerance) & (norm < limit)

        carry: tuple[torch.Tensor, ...] = (system.x0, system.r0)
        carry, iterations = iterate(step, carry, active, maxiter=max(system.maxiter - 1, 0))
        going = active(carry) & (iterations < system.maxiter)
        x, r = carry
        if not tracing() and not any_true(going):
            return x, r, iterations
        # The residual after the last step costs a product, and may not be needed.
        x = torch.where(going, x + self.step_size * system.preconditioner(r), x)
        return x, None, iterations + going

    def _largest_residual(self, system: LinearSystem) -> torch.Tensor | float:
        """Return the norm of the residual at which the iteration is given up."""
        # One that has grown by 1 / eps has no digit of the start left: the iteration diverges.
        return torch.linalg.vector_norm(system.b) / torch.finfo(system.b.dtype).eps
