"""The solution of an inner problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic

import torch
from typing_extensions import TypeVar

from torchopt.linear_solve.stats import Stats
from torchopt.pytree.dataclass import register_dataclass

P = TypeVar("P", default=Any)
A = TypeVar("A", default=Any)


@register_dataclass
@dataclass(frozen=True, eq=False)
class Solution(Generic[P, A]):
    """The solution of an inner problem.

    It is a tree for PyTorch, ``optree`` and this library, so ``torch.func.vmap`` can return it.

    Attributes:
        params: The parameters after the last step, a tree like the start.
        aux: The auxiliary output of the last evaluation; None without ``has_aux``.
        value: The objective at ``params``, a scalar without a graph: its mean over all batches (for a
            run that stops by a tolerance, its value on the last batch). None if it is not known: for
            roots and fixed points, after a function, and after a given number of steps (unless by
            ``diff.Implicit()``; ``stats.last_value`` is the objective before the last step).
        state: The solver's state after the last step; None if the solver is a function.
        stats: Statistics of the solver: iterations, error, convergence.

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
    _: KW_ONLY
    value: torch.Tensor | None = None
    state: Any = None
    stats: Stats = field(default_factory=Stats)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            text = f"a `Solution` has no attribute `{name}`"
            params = vars(self).get("params")
            if not name.startswith("_"):
                if isinstance(params, Mapping) and name in params:
                    text += f": use `solution.params[{name!r}]`"
                elif has := [k for k in ("params", "stats") if hasattr(vars(self).get(k), name)]:
                    text += f": use `solution.{has[0]}.{name}`"
                elif name == "x" or hasattr(torch.Tensor, name) or hasattr(dict, name):
                    text += f": the solution is `solution.params`, a {type(params).__name__}"
            raise AttributeError(f"{text}.", name=name, obj=self)

    @property
    def iterations(self) -> torch.Tensor | None:
        """The number of steps done; see :class:`torchopt.diff.Stats`."""
        return self.stats.iterations

    @property
    def error(self) -> torch.Tensor | None:
        """The norm of the residual at the solution; None if it was not measured."""
        return self.stats.error

    @property
    def converged(self) -> torch.Tensor | None:
        """Whether the error is within the tolerance; None without a tolerance."""
        return self.stats.converged


def measured(solution: Solution[P, A], **stats: torch.Tensor | None) -> Solution[P, A]:
    """Return a solution with other statistics."""
    return replace(solution, stats=replace(solution.stats, **stats))
