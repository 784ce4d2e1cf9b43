"""Find a root of a function and differentiate it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchopt.diff import DifferentiationMode, Solution
from torchopt.diff.equations import Root
from torchopt.solver._solve import solve, solve_by_compiled_code
from torchopt.solver.types import InnerSolver, P, equation


@equation
def root(
    function: Callable[..., object],
    /,
    params: P,
    args: tuple[object, ...] = (),
    *,
    solver: InnerSolver[P] | None = None,
    steps: int | None = None,
    maxiter: int | None = None,
    atol: float | None = None,
    rtol: float | None = None,
    diff: DifferentiationMode | None = None,
    has_aux: bool = False,
    compile: bool = False,
    verbose: bool = False,
) -> Solution[P, Any]:
    r"""Find a root of a function, with a derivative for autograd.

    .. math:: F(\theta^*, \varphi) = 0

    The solution is a differentiable function of the tensors in ``args`` and of those that the function
    closes over, also inside ``torch.func``.

    Args:
        function: ``function(params, *args)`` returns a tree like ``params``, zero at the solution.
        params: The starting point, a tree of floating tensors. It is not modified.
        args: Further arguments of the function.
        solver: A solver of ``torchopt.solver``; a function ``solver(params, *args)`` that returns the
            root; or a gradient transformation, to which the function's value is the gradient. By
            default ``Newton()``.
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
        ValueError: If the tree is empty, shapes differ, or the solver is for other problems.
        NotConvergedError: If a solver with ``on_failure="raise"`` does not reach its tolerance.

    Warns:
        NotConvergedWarning: If the tolerance is not reached.
        NotCompiledWarning: If ``compile=True`` and it runs eagerly; once per function.

    Example:
        The cube root, and its derivative:

        >>> import torch, torchopt
        >>> a = torch.tensor(8.0, requires_grad=True)
        >>> solution = torchopt.root(lambda x, a: x ** 3 - a, torch.tensor(1.0), (a,))
        >>> solution.params.backward()
        >>> a.grad
        tensor(0.0833)

    References:
        Blondel et al., *Efficient and Modular Implicit Differentiation*, NeurIPS 2022.
    """
    options: dict[str, Any] = {
        "solver": solver, "steps": steps, "maxiter": maxiter, "atol": atol, "rtol": rtol, "diff": diff
    }  # fmt: skip
    if compile:
        return solve_by_compiled_code(root, function, params, args, has_aux=has_aux, **options)
    kind = Root(function, has_aux=has_aux)
    return solve(kind, params, args, verbose=verbose, **options)
