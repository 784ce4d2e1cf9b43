"""Start each solve from the solution of the last one."""

from __future__ import annotations

from collections.abc import Callable

import torch

from torchopt import checks
from torchopt.linear_solve._base import LinearSolution, LinearSolver
from torchopt.linear_solve.dense import Dense
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree

_SOLVER = checks.Word(
    "pass an iterative linear solver, such as `CG()`",
    LinearSolver,
    lambda solver: not isinstance(solver, Dense),
    TypeError,
)


class WarmStart:
    """A solver that starts from its last solution.

    Between two outer steps, the systems of the backward pass change little, and so do their solutions.
    Only values are kept, without a graph, and only converged solutions. A solve starts from zero if the
    residual at the last solution is not smaller than at zero, or if the right-hand side has another
    structure or other shapes. Inside ``torch.func`` transformations every solve starts from zero,
    because a solution must not outlive its level.

    Args:
        solver: An iterative linear solver.

    Raises:
        TypeError: If the solver is another object, or :class:`Dense`, which uses no start.

    Example:
        >>> import torch
        >>> from torchopt.linear_solve import CG
        >>> solver = WarmStart(CG())
        >>> A, b = torch.tensor([[4.0, 1.0], [1.0, 3.0]]), torch.tensor([1.0, 2.0])
        >>> [int(solver.solve(lambda v: A @ v, b).stats.iterations) for _ in range(2)]
        [2, 0]
    """

    def __init__(self, solver: LinearSolver) -> None:
        checks.check("solver", solver, _SOLVER)
        self.solver = solver
        self._last: TensorTree = None

    def __call__(
        self, matvec: Callable[[TensorTree], TensorTree], b: TensorTree, *, x0: TensorTree = None
    ) -> TensorTree:
        """Solve ``A x = b``; from ``x0``, if given."""
        return self.solve(matvec, b, x0=x0).x

    def solve(
        self, matvec: Callable[[TensorTree], TensorTree], b: TensorTree, *, x0: TensorTree = None
    ) -> LinearSolution:
        """Solve ``A x = b``, from ``x0`` if given, and return the statistics, too."""
        solution = self.solver.solve(matvec, b, x0=self._start(b) if x0 is None else x0)
        if not checks.transforms_active():
            kept = bool(solution.stats.converged)
            self._last = pytree.map_leaves(torch.Tensor.detach, solution.x) if kept else None
        return solution

    def reset(self) -> None:
        """Forget the last solution."""
        self._last = None

    def _start(self, b: TensorTree) -> TensorTree:
        if checks.transforms_active() or self._last is None:
            return None
        leaves, spec = pytree.flatten(b)
        last, last_spec = pytree.flatten(self._last)
        return self._last if spec == last_spec and all(map(_alike, last, leaves)) else None


def _alike(x: torch.Tensor | None, y: torch.Tensor | None) -> bool:
    if x is None or y is None:
        return x is y
    return (x.shape, x.dtype, x.device) == (y.shape, y.dtype, y.device)
