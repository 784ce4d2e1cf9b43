"""How a solve went: what linear and other solvers say in the same way."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt.pytree.dataclass import register_dataclass


@register_dataclass
@dataclass(frozen=True, kw_only=True, eq=False)
class Stats:
    """Statistics of a solve, without a graph; under ``vmap``, for each problem.

    Attributes:
        iterations: The number of steps done, int64; None if the solver is a function.
        error: What the tolerance bounds: the norm of ``b - A x`` for a linear system (with the ridge),
            of the gradient of an objective, of ``F(x)``, of ``x - T(x)``, or of the solver's
            ``stationarity``; for a quadratic program the largest violation of an optimality condition,
            relative to the terms that it is a sum of. None if it was not measured.
        converged: Whether the error is within the tolerance, boolean; None without a tolerance.
        derivative_error: An estimate of the relative error of derivatives of the solution. Without a
            tolerance, that of an implicit derivative at an unconverged solution: the remaining
            distance, relative to that from the start (of what a function returns, to the unknowns).
            For a quadratic program it is at most 1, and large where complementarity is hardly strict
            or the solution is not unique. None for everything else.
        last_value: The objective before the last step, for a given number of steps of a gradient
            transformation: the latest value that costs nothing, as for a log. None for everything else,
            and if there was no step; see :class:`torchopt.diff.Solution` for the value at the solution.

    Example:
        >>> import torch, torchopt
        >>> b = torch.tensor([1.0, 2.0])
        >>> stats = torchopt.linear_solve.CG().solve(lambda v: 2 * v, b).stats
        >>> stats.iterations, stats.converged
        (tensor(1), tensor(True))
    """

    iterations: torch.Tensor | None = None
    error: torch.Tensor | None = None
    converged: torch.Tensor | None = None
    derivative_error: torch.Tensor | None = None
    last_value: torch.Tensor | None = None
