"""Solve a problem of any kind and differentiate its solution: what all faces end in."""

from __future__ import annotations

from typing import Any, TypeVar

from torchopt.diff import DifferentiationMode, Explicit, Implicit, ProblemKind, Solution
from torchopt.solver._make_problem import InnerSolver, make_problem

__all__ = ["solve"]


P = TypeVar("P")


def solve(
    kind: ProblemKind,
    params: P,
    args: tuple[Any, ...] = (),
    *,
    solver: InnerSolver,
    steps: int | None = None,
    maxiter: int | None = None,
    tol: float | None = None,
    batches: Any = None,
    micro_batches: int = 1,
    diff: DifferentiationMode | None = None,
) -> Solution[P, Any]:
    r"""Solve a problem of a kind of one's own, so that autograd can go through the solution.

    .. math:: r(\theta^*, \varphi) = 0

    :func:`torchopt.minimize`, :func:`torchopt.root` and the others solve the ready-made kinds.

    Args:
        kind: What is zero at a solution: a :class:`torchopt.diff.ProblemKind`.
        params: The starting point: a tree of floating tensors. It is left as it is.
        args: Further arguments, the same in each step.
        solver: A gradient transformation, to which the residual is the gradient; a solver whose
            ``kinds`` has the name of the kind (``"root"``, unless it has another); or a function
            ``solver(params, *args)`` that returns the solution.
        steps: How many updates a gradient transformation does; only for these.
        maxiter: The most updates until ``tol`` is met, in place of ``steps``.
        tol: Its tolerance on the Euclidean norm of the residual. Solvers have tolerances of their own.
        batches: Data that changes from step to step; see :func:`torchopt.minimize`.
        micro_batches: Into how many equal parts to split each batch.
        diff: The differentiation mode. By default ``diff.Explicit()`` for a given number of updates of
            a gradient transformation, whose solution is what they lead to; ``diff.Implicit()`` for any
            other solver, which looks for a point that meets conditions.

    Returns:
        The solution, the solver's last state, the auxiliary output, and how it went.

    Raises:
        TypeError: If an argument is of the wrong kind, or a leaf is no floating tensor.
        ValueError: If the tree is empty, shapes differ, or the solver is for other problems.

    Warns:
        NotConvergedWarning: If the tolerance is not reached.

    Example:
        The median, below which half of the mass is. Its derivative is one over the density there:

        >>> import torch, torchopt
        >>> class Quantile(torchopt.diff.ProblemKind):
        ...     def __init__(self, distribution):
        ...         self.distribution = distribution
        ...     def residual(self, x, args):
        ...         return self.distribution.cdf(x) - args[0]
        >>> mass = torch.tensor(0.5, requires_grad=True)
        >>> kind = Quantile(torch.distributions.Normal(1.0, 2.0))
        >>> solver = torchopt.solver.Newton()
        >>> x = torchopt.solve(kind, torch.tensor(0.0), (mass,), solver=solver).params
        >>> x.detach().round(decimals=3), torch.autograd.grad(x, mass)
        (tensor(1.), (tensor(5.0133),))

    References:
        Blondel et al., *Efficient and Modular Implicit Differentiation*, NeurIPS 2022.
    """
    problem = make_problem(
        kind,
        params,
        args,
        solver=solver,
        steps=steps,
        maxiter=maxiter,
        tol=tol,
        diff=diff,
        batches=batches,
        micro_batches=micro_batches,
    )
    if diff is None:
        diff = Explicit() if problem.is_fixed_length else Implicit()
    return diff.solve(problem)
