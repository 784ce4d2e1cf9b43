"""qpth's function of a batch of quadratic programs."""

from __future__ import annotations

from typing import Any

import torch

from torchopt.solver import InteriorPoint, quadratic_program

__all__ = ["QPFunction"]


class QPFunction:
    r"""A function ``(Q, p, G, h, A, b) -> x`` of quadratic programs, as in qpth.

    .. math:: x = \arg\min_x \; \tfrac12 x^\top Q x + p^\top x
        \quad\text{s.t.}\quad G x \le h, \; A x = b

    Each block may have a batch axis in front or not, and an empty tensor leaves a pair of blocks out;
    ``x`` has a batch axis, of one problem at least. Derivatives are those of
    :func:`torchopt.quadratic_program`, which new programs call.

    Args:
        eps: The tolerance, as ``rtol`` of :class:`torchopt.solver.InteriorPoint`; one below 1e-9 is
            1e-9, since the solution on its active constraints is computed to rounding errors anyway.
        verbose: Accepted; has no effect.
        notImprovedLim: Accepted; has no effect.
        maxIter: The most steps of the solver.
        solver: Accepted; has no effect.
        check_Q_spd: Accepted; has no effect. Where ``Q`` gives no solution, a warning says so.

    Raises:
        TypeError, ValueError: As for :func:`torchopt.quadratic_program`.

    Example:
        >>> import torch
        >>> from torchopt.compat import QPFunction
        >>> none, p = torch.empty(0), torch.tensor([[1.0, -2.0], [-3.0, 4.0]])
        >>> QPFunction(verbose=False)(torch.eye(2), p, -torch.eye(2), torch.zeros(2), none, none)
        tensor([[0., 2.],
                [3., 0.]])

    References:
        Amos and Kolter, *OptNet: Differentiable Optimization as a Layer in Neural Networks*, 2017.
    """

    def __init__(
        self,
        eps: float = 1e-12,
        verbose: Any = 0,
        notImprovedLim: int = 3,
        maxIter: int = 20,
        solver: Any = None,
        check_Q_spd: bool = True,
    ) -> None:
        self._solver = InteriorPoint(rtol=max(eps, 1e-9), maxiter=maxIter)

    def __call__(
        self,
        Q: torch.Tensor,
        p: torch.Tensor,
        G: torch.Tensor,
        h: torch.Tensor,
        A: torch.Tensor,
        b: torch.Tensor,
    ) -> torch.Tensor:
        """Return the solutions, of shape ``(batch, n)``."""
        blocks = {"G": G, "h": h, "A": A, "b": b}
        given: dict[str, Any] = {k: block for k, block in blocks.items() if block.numel()}
        x = quadratic_program(Q, p, **given, solver=self._solver).params
        return x if x.dim() > 1 else x[None]
