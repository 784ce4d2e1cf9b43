"""Find a fixed point of a map and differentiate it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from torchopt.diff import DifferentiationMode, Solution
from torchopt.diff.equations import FixedPoint
from torchopt.solver._anderson import Anderson
from torchopt.solver._solve import InnerSolver, solve

__all__ = ["fixed_point"]

_SOLVER = Anderson()


P = TypeVar("P")


def fixed_point(
    function: Callable[..., Any],
    /,
    params: P,
    args: tuple[Any, ...] = (),
    *,
    solver: InnerSolver = _SOLVER,
    steps: int | None = None,
    maxiter: int | None = None,
    tol: float | None = None,
    diff: DifferentiationMode | None = None,
    has_aux: bool = False,
    verbose: bool = False,
) -> Solution[P, Any]:
    r"""Find a fixed point of a map, so that autograd can go through it.

    .. math:: \theta^* = T(\theta^*, \varphi)

    The solution is a differentiable function of the tensors in ``args`` and of those that the function
    closes over, inside ``torch.func.grad``, ``vmap`` and ``jvp`` too.

    Args:
        function: ``function(params, *args)`` returns a tree like ``params``.
        params: The starting point: a tree of floating tensors. It is left as it is.
        args: Further arguments of the function.
        solver: A solver, such as :class:`torchopt.solver.Anderson` or
            :class:`torchopt.solver.FixedPointIteration`; a function ``solver(params, *args)`` that
            returns the fixed point; or a gradient transformation, to which ``x - T(x)`` is the
            gradient.
        steps: How many updates a gradient transformation does, exactly; only for these.
        maxiter: How many it does at most, with ``tol`` and instead of ``steps``.
        tol: Its tolerance on the Euclidean norm of the residual. Solvers have tolerances of their own.
        diff: The differentiation mode. By default ``diff.Implicit()``: the conditions are
            differentiated, not the way to the solution; for a gradient transformation without ``tol``,
            ``diff.Explicit()``, as for :func:`torchopt.minimize`.
        has_aux: Whether the function returns a pair, the second of which is passed through.
        verbose: Whether to show the steps while they are done; on a terminal only, see
            :class:`torchopt.logging.Progress`.

    Returns:
        The solution, the solver's last state, the auxiliary output, and how it went.

    Raises:
        TypeError: If an argument is of the wrong kind, or a leaf is no floating tensor.
        ValueError: If the tree is empty, shapes differ, or the solver is for other problems.
        NotConvergedError: If a solver with ``on_failure="raise"`` does not reach its tolerance.

    Warns:
        NotConvergedWarning: If the tolerance is not reached.

    Example:
        The square root by Heron's iteration, and its derivative:

        >>> import torch, torchopt
        >>> a = torch.tensor(9.0, requires_grad=True)
        >>> solution = torchopt.fixed_point(lambda x, a: (x + a / x) / 2, torch.tensor(1.0), (a,))
        >>> solution.params.backward()
        >>> a.grad
        tensor(0.1667)

    References:
        Bai et al., *Deep Equilibrium Models*, NeurIPS 2019.
    """
    kind = FixedPoint(function, has_aux)
    return solve(
        kind,
        params,
        args,
        solver=solver,
        steps=steps,
        maxiter=maxiter,
        tol=tol,
        diff=diff,
        verbose=verbose,
    )
