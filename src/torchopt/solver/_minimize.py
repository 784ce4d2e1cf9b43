"""Minimize an objective and differentiate its solution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from torchopt.diff import DifferentiationMode, Solution
from torchopt.diff.batches import batches_of_steps
from torchopt.diff.kinds import Minimum
from torchopt.solver._solve import InnerSolver, solve

__all__ = ["minimize"]


P = TypeVar("P")


def minimize(
    objective: Callable[..., Any],
    /,
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
    has_aux: bool = False,
    compile: bool = False,
    verbose: bool = False,
) -> Solution[P, Any]:
    r"""Minimize an objective, so that autograd can go through the solution.

    .. math:: \theta^*(\varphi) \approx \arg\min_\theta f(\theta, \varphi)

    The solution is a differentiable function of the tensors in ``args`` and of those that the
    objective closes over; under ``diff.Explicit()``, also of ``params`` and of the solver's
    tensor-valued hyperparameters. It can be used
    inside ``torch.func.grad``, ``vmap``, ``jvp`` and ``torch.compile(fullgraph=True)``.

    Args:
        objective: ``objective(params, *args) -> loss``, a scalar; with ``batches``, the batch of the
            step comes last.
        params: The starting point: a tree of floating tensors. It is left as it is.
        args: Further arguments, the same in each step.
        solver: A gradient transformation, such as ``torchopt.sgd(0.1)``; a solver, such as
            ``torchopt.solver.LBFGS()`` or ``Newton()``; or a function ``solver(params, *args)`` that
            returns the minimizer, by whatever means.
        steps: How many updates a gradient transformation does, exactly; only for these.
        maxiter: How many it does at most, with ``tol`` and instead of ``steps``.
        tol: Stop when the Euclidean norm of the gradient is at most this; under ``vmap``, each problem
            by itself. Only for gradient transformations: solvers have tolerances of their own,
            relative to the scale of the problem.
        batches: Data that changes from step to step: a function ``batches(step)``; a tree of stacked
            tensors, such as a tuple, whose first axis has length ``steps``; a list of batches; or
            anything that can be iterated again, such as a ``DataLoader``. Where a list or a loader has
            fewer batches than ``steps`` it starts over. A loader's batches are drawn before the first
            step, and kept, so that a step that is computed again sees the same one however it is
            shuffled. By default there is none; one batch for all steps belongs in ``args``.
        micro_batches: Into how many equal parts to split each batch, along its first axis: a step is by
            the mean of their gradients, and the auxiliary output is that of the last. Under the memory
            policies of ``diff.Explicit`` that compute steps again, one part's graph is alive at a time.
        diff: The differentiation mode: ``diff.Explicit()`` backpropagates through the solver's steps,
            ``diff.Implicit()`` differentiates the condition that the gradient is zero. By default
            ``Explicit()`` for a given number of steps of a gradient transformation, and ``Implicit()``
            for all else: for solvers, functions, and transformations that stop by ``tol``.
        has_aux: Whether the objective returns a pair ``(loss, aux)``.
        compile: Whether to compile the steps and their gradient: a step and its vjp, once each,
            however many there are, at the first call and for other shapes, dtypes or Python values;
            floats that vary, such as a learning rate, become tensors, and what exceeds
            ``torch._dynamo.config.recompile_limit`` versions of an objective runs eagerly. To
            compile the outer loss too, use :func:`torchopt.meta_grad_and_value`. What cannot be
            compiled runs eagerly.
        verbose: Whether to show the steps while they are done; not with ``compile``, and on a
            terminal only, see :class:`torchopt.logging.Progress`.

    Returns:
        The parameters and the solver's state after the last step, the auxiliary output of the last
        evaluation, and how it went. A parameter that the objective does not read has gradient zero.

    Raises:
        TypeError: If an argument is of the wrong kind, or a leaf is no floating tensor.
        ValueError: If the tree is empty, the loss is not a scalar, does not depend on the
            parameters, or is NaN, the first axis of stacked batches is not ``steps``, a list of tensors
            may be meant as stacked ones, or the solver is for
            other problems.
        NotConvergedError: If a solver with ``on_failure="raise"`` does not reach its tolerance.

    Warns:
        NotConvergedWarning: If a tolerance is not reached.
        NotCompiledWarning: If it was to be compiled and runs eagerly, and why; once for an objective.

    Example:
        The learning rate that makes one step of gradient descent exact:

        >>> import torch, torchopt
        >>> lr = torch.tensor(0.1, requires_grad=True)
        >>> for _ in range(50):
        ...     solution = torchopt.minimize(
        ...         lambda x: 2 * x ** 2, torch.tensor(1.0), solver=torchopt.sgd(lr), steps=1)
        ...     (g,) = torch.autograd.grad(solution.params ** 2, lr)
        ...     lr = (lr - 0.02 * g).detach().requires_grad_()
        >>> lr
        tensor(0.2500, requires_grad=True)
    """
    if compile:
        # Here, since the compiler is not for everybody.
        from torchopt.compiled.call import call_compiled

        options = {
            "solver": solver,
            "steps": steps,
            "maxiter": maxiter,
            "tol": tol,
            "batches": batches_of_steps(batches, steps or maxiter or 0),
            "micro_batches": micro_batches,
            "diff": diff,
            "has_aux": has_aux,
        }
        solution: Solution[P, Any] = call_compiled(
            minimize, (objective, params, args), options, owner=objective
        )
        return solution
    return solve(
        Minimum(objective, has_aux),
        params,
        args,
        solver=solver,
        steps=steps,
        maxiter=maxiter,
        tol=tol,
        diff=diff,
        batches=batches,
        micro_batches=micro_batches,
        verbose=verbose,
    )
