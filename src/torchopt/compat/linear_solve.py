"""The published names of linear solvers, which are classes here."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from torchopt.linear_solve import CG, AbstractLinearSolver, Dense, Neumann, NormalCG

__all__ = ["solve_cg", "solve_inv", "solve_normal_cg"]

solve_cg = CG
solve_normal_cg = NormalCG


def solve_inv(*, ns: bool = False, **kwargs: Any) -> Callable[..., Any]:
    """Solve by the inverse matrix, or by ten terms of its Neumann series.

    Args:
        ns: Whether to take the Neumann series.
        **kwargs: The arguments of :class:`~torchopt.linear_solve.Dense` or, with ``ns=True``, of
            :class:`~torchopt.linear_solve.Neumann`, whose
            ``maxiter`` is 10 and whose ``alpha`` is 1 where they are None; the inverse matrix needs
            neither. Both know ``ridge``. A system, as ``matvec`` and ``b``, is that of calls which give
            none.

    Returns:
        A solver ``(matvec, b) -> x``.

    Raises:
        TypeError: If the solver does not know an argument.

    Example:
        >>> import torch
        >>> from torchopt.compat import solve_inv
        >>> A = torch.tensor([[1.0, 0.5], [-0.25, 1.0]])
        >>> solve_inv()(lambda v: A @ v, torch.tensor([1.0, 3.0]))
        tensor([-0.4444,  2.8889])
    """
    defaults = {"maxiter": 10, "alpha": 1.0}
    system = {name: kwargs.pop(name) for name in ("matvec", "b") if name in kwargs}
    solver: AbstractLinearSolver
    if not ns:
        solver = Dense(**{name: value for name, value in kwargs.items() if name not in defaults})
    else:
        solver = Neumann(
            **{**kwargs, **{k: v for k, v in defaults.items() if kwargs.get(k) is None}}
        )
    return functools.partial(solver, **system) if system else solver
