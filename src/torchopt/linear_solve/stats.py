"""How a solve went: what linear and other solvers say in the same way."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt.pytree.dataclass import register_dataclass

__all__ = ["Stats"]


@register_dataclass
@dataclass(frozen=True, eq=False)
class Stats:
    """How a solve went; under ``vmap``, for each problem. Nothing in it has a graph.

    Attributes:
        iterations: How many steps were done, int64; None for a plain function.
        error: The norm of what is zero at a solution: of ``b - A x`` for a linear system, with the
            operator's ridge; of the gradient of an objective, of ``F(x)``, of ``x - T(x)``, or of the
            solver's own ``stationarity``. None where nothing measured it.
        converged: Whether the error is within the tolerance, boolean; None where there is none.
        relative_error: An estimate of how far an implicit derivative is off, relative to it, because
            the point is no solution yet: how much of the way from the start is left. None where a
            tolerance says that, and for other modes.

    Example:
        >>> import torch, torchopt
        >>> b = torch.tensor([1.0, 2.0])
        >>> x, stats = torchopt.linear_solve.CG().solve(lambda v: 2 * v, b)
        >>> stats.iterations, stats.converged
        (tensor(1), tensor(True))
    """

    iterations: torch.Tensor | None = None
    error: torch.Tensor | None = None
    converged: torch.Tensor | None = None
    relative_error: torch.Tensor | None = None
