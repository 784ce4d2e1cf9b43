"""The solution of an inner problem."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Generic

import torch
from typing_extensions import TypeVar

from torchopt.linear_solve import Stats
from torchopt.pytree.dataclass import register_dataclass

__all__ = ["FormerSolution", "Solution"]

P = TypeVar("P", default=Any)
A = TypeVar("A", default=Any)


@register_dataclass
@dataclass(frozen=True, eq=False)
class Solution(Generic[P, A]):
    """The solution of an inner problem.

    It is a tree for PyTorch, ``optree`` and this library, so that it can come out of
    ``torch.func.vmap``; more attributes may be added to it.

    Attributes:
        params: The parameters after the last step, a tree like the start.
        aux: The auxiliary output of the last evaluation; None without ``has_aux``.
        value: The objective at the last evaluation, a scalar without a graph: for a given number of
            updates, where the last one starts. None for a root or a fixed point, and where nothing
            evaluated it.
        state: The solver's state after the last step; None for a plain function.
        stats: How it went.

    Example:
        >>> import torch, torchopt
        >>> def solve(centre):
        ...     return torchopt.minimize(
        ...         lambda x: (x - centre).square().sum(), torch.zeros(2),
        ...         solver=torchopt.solver.LBFGS(), diff=torchopt.diff.Implicit())
        >>> solutions = torch.func.vmap(solve)(torch.eye(2))
        >>> solutions.params
        tensor([[1., 0.],
                [0., 1.]])
        >>> solutions.converged
        tensor([True, True])
    """

    params: P
    aux: A
    value: torch.Tensor | None = None
    state: Any = None
    stats: Stats = field(default_factory=Stats)

    @property
    def iterations(self) -> torch.Tensor | None:
        """How many steps were done; see :class:`torchopt.linear_solve.Stats`."""
        return self.stats.iterations

    @property
    def error(self) -> torch.Tensor | None:
        """The norm of what is zero at a solution, where it was measured."""
        return self.stats.error

    @property
    def converged(self) -> torch.Tensor | None:
        """Whether the error is within the tolerance, if there is one."""
        return self.stats.converged

    def measured(self, **stats: torch.Tensor | None) -> Solution[P, A]:
        """Return the solution with other statistics."""
        return replace(self, stats=replace(self.stats, **stats))


class FormerSolution:
    """Makes a solution of the fields that it had in files when it was a NamedTuple."""

    def __new__(  # type: ignore[misc]  # noqa: D102
        cls,
        params: Any,
        state: Any,
        aux: Any,
        iterations: Any,
        error: Any,
        converged: Any,
        carry: Any,
        relative_error: Any,
    ) -> Solution:
        if carry is not None:
            state = (state, carry)
        return Solution(
            params, aux, None, state, Stats(iterations, error, converged, relative_error)
        )
