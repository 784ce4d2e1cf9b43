"""The published names of linear solvers, which are classes here."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from torchopt import linear_solve

__all__ = ["solve_cg", "solve_inv", "solve_normal_cg"]


class _AtCall:
    """A linear solver that takes options at a call, too, as the published ones do."""

    def __call__(self, matvec: Any, b: Any, *, x0: Any = None, **options: Any) -> Any:
        """Solve ``A x = b`` by the solver with these options."""
        solver: Any = dataclasses.replace(self, **options) if options else self  # type: ignore[type-var]
        return super(_AtCall, solver).__call__(matvec, b, x0=x0)  # type: ignore[misc]


class CG(_AtCall, linear_solve.CG):
    """As :class:`torchopt.linear_solve.CG`."""


class NormalCG(_AtCall, linear_solve.NormalCG):
    """As :class:`torchopt.linear_solve.NormalCG`."""


class Dense(_AtCall, linear_solve.Dense):
    """As :class:`torchopt.linear_solve.Dense`."""


class Neumann(_AtCall, linear_solve.Neumann):
    """As :class:`torchopt.linear_solve.Neumann`; ``maxiter`` counts the terms after the first."""

    def iteration_limit(self, unknowns: int) -> int:
        return super().iteration_limit(unknowns) + (self.maxiter is not None)


def solve_cg(*, init: Any = None, M: Any = None, **common: Any) -> CG:
    """:class:`torchopt.linear_solve.CG`, by the published words.

    Args:
        init: ``x0`` of the class.
        M: ``preconditioner`` of the class.
        **common: All other arguments of :class:`torchopt.linear_solve.CG`.

    Example:
        >>> import torch
        >>> from torchopt.compat import solve_cg
        >>> A = torch.tensor([[4.0, 1.0], [1.0, 3.0]])
        >>> solve_cg(M=torch.linalg.inv(A))(lambda v: A @ v, torch.tensor([1.0, 2.0]))
        tensor([0.0909, 0.6364])
    """
    return CG(**{"x0": init, "preconditioner": M, **common})


def solve_normal_cg(*, init: Any = None, M: Any = None, **common: Any) -> NormalCG:
    """:class:`torchopt.linear_solve.NormalCG`, by the published words, as :func:`solve_cg`.

    Args:
        init: ``x0`` of the class.
        M: ``preconditioner`` of the class.
        **common: All other arguments of :class:`torchopt.linear_solve.NormalCG`.

    Example:
        >>> import torch
        >>> from torchopt.compat import solve_normal_cg
        >>> A = torch.tensor([[0.0, 3.0], [-1.0, 0.0]])
        >>> solve_normal_cg(init=torch.ones(2))(lambda v: A @ v, torch.tensor([1.0, 2.0]))
        tensor([-2.0000,  0.3333])
    """
    return NormalCG(**{"x0": init, "preconditioner": M, **common})


def solve_inv(*, ns: bool = False, **kwargs: Any) -> Callable[..., Any]:
    """Solve by the inverse matrix, or by ten terms of its Neumann series.

    Args:
        ns: Whether to take the Neumann series.
        **kwargs: The arguments of :class:`~torchopt.linear_solve.Dense` or, with ``ns=True``, of
            :class:`~torchopt.linear_solve.Neumann`, whose ``maxiter`` is 10 and whose ``step_size``,
            named ``alpha``, is 1 where they are None; the inverse matrix needs neither. Both know
            ``ridge``. A system, as ``matvec`` and ``b``, is that of calls which give none.

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
    solver: linear_solve.LinearSolver
    if not ns:
        solver = Dense(**{name: value for name, value in kwargs.items() if name not in defaults})
    else:
        kwargs |= {name: value for name, value in defaults.items() if kwargs.get(name) is None}
        solver = Neumann(step_size=kwargs.pop("alpha"), **kwargs)
    return functools.partial(solver, **system) if system else solver
