"""Solve a nonlinear least-squares problem and differentiate its solution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from typing_extensions import Unpack, overload

from torchopt.diff import DifferentiationMode, Solution
from torchopt.diff.kinds import CompositeLeastSquares, LeastSquares, SumOfSquares
from torchopt.io.calls import explained
from torchopt.prox.separable_sum import Terms
from torchopt.solver._arguments import term_of
from torchopt.solver._solve import solve, solve_by_compiled_code
from torchopt.solver.types import Aux, InnerSolver, LeastSquaresOptions, P, Sets


@overload
def least_squares(
    function: Callable[..., object],
    /,
    params: P,
    args: tuple[object, ...] = ...,
    *,
    solver: InnerSolver[P] | None = ...,
    has_aux: Literal[False] = ...,
    **options: Unpack[LeastSquaresOptions],
) -> Solution[P, None]: ...


@overload
def least_squares(
    function: Callable[..., tuple[object, Aux]],
    /,
    params: P,
    args: tuple[object, ...] = ...,
    *,
    solver: InnerSolver[P] | None = ...,
    has_aux: Literal[True],
    **options: Unpack[LeastSquaresOptions],
) -> Solution[P, Aux]: ...


@explained
def least_squares(
    function: Callable[..., object],
    /,
    params: P,
    args: tuple[object, ...] = (),
    *,
    solver: InnerSolver[P] | None = None,
    prox: Terms | None = None,
    subject_to: Sets | None = None,
    steps: int | None = None,
    maxiter: int | None = None,
    atol: float | None = None,
    rtol: float | None = None,
    diff: DifferentiationMode | None = None,
    has_aux: bool = False,
    compile: bool = False,
    verbose: bool = False,
) -> Solution[P, Any]:
    r"""Minimize half the squared norm of residuals, with a derivative for autograd.

    .. math:: \theta^* = \arg\min_\theta \tfrac12 \lVert r(\theta, \varphi) \rVert^2

    The solution is a differentiable function of the tensors in ``args`` and of those that the function
    closes over, also inside ``torch.func``.

    Args:
        function: ``function(params, *args)`` returns the residuals, a tree of floating tensors.
        params: The starting point, a tree of floating tensors. It is not modified.
        args: Further arguments of the function.
        solver: A solver of ``torchopt.solver``; a function ``solver(params, *args)`` that returns the
            minimizer; or a gradient transformation. By default ``LevenbergMarquardt()``, also with
            bounds (``Box``, ``NonNegative``), and ``ProximalGradient()`` with other sets and terms.
        prox: A term, or a tree of them; see :func:`torchopt.minimize`.
        subject_to: A set, or a tree of them.
        steps: The number of steps of a gradient transformation; see :func:`torchopt.minimize`.
        maxiter: Its limit.
        atol: Its tolerance on the norm of the residual.
        rtol: Its relative tolerance.
        diff: By default ``diff.Implicit()``; for a gradient transformation without tolerance
            ``diff.Explicit()``.
        has_aux: Whether the function returns a pair ``(value, aux)``.
        compile: Whether to compile.
        verbose: Whether to show the steps.

    Returns:
        The :class:`torchopt.Solution`.

    Raises:
        TypeError: If an argument has the wrong type, or a leaf is not a floating tensor.
        ValueError: If the tree is empty, there are no residuals, or the solver is for other problems.
        NotConvergedError: If a solver with ``on_failure="raise"`` does not reach its tolerance.

    Warns:
        NotConvergedWarning: If the tolerance is not reached.
        NotCompiledWarning: If ``compile=True`` and it runs eagerly; once per function.

    Example:
        The rate of a decay, and how it depends on a measurement:

        >>> import torch, torchopt
        >>> t = torch.tensor([1.0, 2.0])
        >>> y = torch.tensor([0.5, 0.25], requires_grad=True)
        >>> solution = torchopt.least_squares(
        ...     lambda rate, y: torch.exp(-rate * t) - y, torch.tensor(0.1), (y,))
        >>> solution.params.backward()
        >>> y.grad.round(decimals=3)
        tensor([-1., -1.])

    References:
        Nocedal and Wright, *Numerical Optimization*, 2006, chapter 10.
    """
    options: dict[str, Any] = {
        "solver": solver, "steps": steps, "maxiter": maxiter, "atol": atol, "rtol": rtol, "diff": diff
    }  # fmt: skip
    if compile:
        options |= {"prox": prox, "subject_to": subject_to, "has_aux": has_aux}
        return solve_by_compiled_code(least_squares, function, params, args, **options)
    term = term_of(prox, subject_to, params)
    kind: SumOfSquares = LeastSquares(function, has_aux=has_aux)
    if term is not None:
        kind = CompositeLeastSquares(function, has_aux=has_aux, term=term)
    return solve(kind, params, args, verbose=verbose, **options)
