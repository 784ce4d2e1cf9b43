"""A layer whose output is the solution of a quadratic program: OptNet."""

from __future__ import annotations

import torch
from torch import nn

from torchopt import checks
from torchopt.diff import CentralPath, Implicit, Solution
from torchopt.quadratic import Program
from torchopt.solver import QuadraticSolver, quadratic_program


class QuadraticLayer(nn.Module):
    r"""A layer whose output is the solution of a quadratic program with learned constraints.

    .. math:: x^*(c) = \arg\min_x \; \tfrac12 x^\top Q x + c^\top x
        \quad\text{s.t.}\quad G x \le h, \; A x = b

    The input is the linear term :math:`c`; each row of a batch is a problem of its own. The parameters
    are those of the paper, for which the program is strictly convex and feasible whatever their values:
    :math:`Q = L L^\top + \epsilon I` with a lower triangular :math:`L`, :math:`h = G x_0 + s_0` and
    :math:`b = A x_0`, where the slacks :math:`s_0` are the softplus of a parameter.

    Args:
        n: The number of unknowns, the last axis of input and output.
        inequalities: The number of rows of :math:`G`.
        equalities: The number of rows of :math:`A`; fewer than ``n``, so that they leave a choice.
        eps: The least eigenvalue :math:`\epsilon > 0` of :math:`Q`.
        solver: As for :func:`torchopt.quadratic_program`.
        diff: As for :func:`torchopt.quadratic_program`.
        device: Where the parameters are.
        dtype: Their dtype.

    Raises:
        ValueError: If a number is out of its range.

    Example:
        >>> import torch, torchopt
        >>> layer = torchopt.nn.QuadraticLayer(4, inequalities=3, equalities=1)
        >>> x = layer(torch.randn(10, 4))
        >>> x.shape
        torch.Size([10, 4])
        >>> x.square().sum().backward()
        >>> layer.G.grad.shape
        torch.Size([3, 4])

    References:
        Amos and Kolter, *OptNet: Differentiable Optimization as a Layer in Neural Networks*, 2017,
        section 3.2.
    """

    def __init__(
        self,
        n: int,
        *,
        inequalities: int = 0,
        equalities: int = 0,
        eps: float = 1e-4,
        solver: QuadraticSolver | None = None,
        diff: Implicit | CentralPath | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        checks.check_count("n", n, 1, of="unknowns")
        checks.check_count("inequalities", inequalities, of="rows")
        checks.check_count("equalities", equalities, of="rows")
        if equalities >= n:
            raise ValueError(
                f"`equalities` is {equalities} for {n} unknowns, which leaves no choice: use fewer."
            )
        checks.check("eps", eps, checks.POSITIVE)
        self.n, self.inequalities, self.equalities = n, inequalities, equalities
        self.eps, self.solver, self.diff = eps, solver, diff

        def parameter(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.empty(*shape, device=device, dtype=dtype))

        self.L = parameter(n, n)
        self.G = parameter(inequalities, n)
        self.A = parameter(equalities, n)
        self.x0 = parameter(n)
        self.s0 = parameter(inequalities)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the rows of constraints; set the matrix to the identity, and slacks to one."""
        with torch.no_grad():
            nn.init.eye_(self.L)
            for rows in (self.G, self.A):
                rows.normal_(std=self.n**-0.5)
            self.x0.zero_()
            self.s0.fill_(
                torch.expm1(torch.ones((), dtype=torch.float64, device="cpu")).log().item()
            )

    def program(self, c: torch.Tensor) -> Program:
        """Return the program with a linear term."""
        factor = self.L.tril()
        Q = factor @ factor.mT + self.eps * torch.eye(
            self.n, device=factor.device, dtype=factor.dtype
        )
        h = self.G @ self.x0 + nn.functional.softplus(self.s0)
        return Program(Q, c, self.G, h, self.A, self.A @ self.x0)

    def solve(self, c: torch.Tensor) -> Solution[torch.Tensor, None]:
        """Return the solutions with their multipliers and statistics."""
        return quadratic_program(**vars(self.program(c)), solver=self.solver, diff=self.diff)

    def forward(self, c: torch.Tensor) -> torch.Tensor:
        """Return the solutions.

        Args:
            c: The linear terms, of shape ``(..., n)``.
        """
        return self.solve(c).params

    def extra_repr(self) -> str:
        return f"{self.n}, inequalities={self.inequalities}, equalities={self.equalities}"
