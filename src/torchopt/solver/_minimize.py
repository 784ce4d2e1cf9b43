"""Minimize an objective and differentiate its solution."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Literal

import torch
from typing_extensions import Unpack, overload

from torchopt.diff import DifferentiationMode, Solution
from torchopt.diff.batches import batches_of_steps
from torchopt.diff.constrained import Constrained, Constraints
from torchopt.diff.kinds import Composite, Minimum, Objective
from torchopt.io.calls import explained
from torchopt.prox.separable_sum import Terms
from torchopt.solver._arguments import term_of
from torchopt.solver._solve import solve, solve_by_compiled_code
from torchopt.solver.types import Aux, Batches, InnerSolver, MinimizeOptions, P, Sets


@overload
def minimize(
    objective: Callable[..., torch.Tensor],
    /,
    params: P,
    args: tuple[object, ...] = ...,
    *,
    solver: InnerSolver[P] | None = ...,
    has_aux: Literal[False] = ...,
    **options: Unpack[MinimizeOptions],
) -> Solution[P, None]: ...


@overload
def minimize(
    objective: Callable[..., tuple[torch.Tensor, Aux]],
    /,
    params: P,
    args: tuple[object, ...] = ...,
    *,
    solver: InnerSolver[P] | None = ...,
    has_aux: Literal[True],
    **options: Unpack[MinimizeOptions],
) -> Solution[P, Aux]: ...


@explained
def minimize(
    objective: Callable[..., object],
    /,
    params: P,
    args: tuple[object, ...] = (),
    *,
    solver: InnerSolver[P] | None = None,
    prox: Terms | None = None,
    subject_to: Sets | Constraints | None = None,
    steps: int | None = None,
    maxiter: int | None = None,
    atol: float | None = None,
    rtol: float | None = None,
    batches: Batches | None = None,
    micro_batches: int = 1,
    diff: DifferentiationMode | None = None,
    has_aux: bool = False,
    compile: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    verbose: bool = False,
) -> Solution[P, Any]:
    r"""Minimize an objective, with a derivative for autograd.

    .. math:: \theta^*(\varphi) \approx \arg\min_\theta f(\theta, \varphi)

    The solution is a differentiable function of the tensors in ``args`` and of those that the
    objective closes over. Under ``diff.Explicit()`` it also depends on ``params`` and on the solver's
    tensor-valued hyperparameters. ``minimize`` works inside ``torch.func.grad``, ``vmap``, ``jvp`` and
    ``torch.compile(fullgraph=True)``.

    Args:
        objective: ``objective(params, *args) -> loss``, a scalar; with ``batches``, the batch of the
            step comes last.
        params: The starting point, a tree of floating tensors. It is not modified.
        args: Further arguments, the same in each step.
        solver: A gradient transformation, such as ``torchopt.sgd(0.1)``; a solver, such as
            ``torchopt.solver.LBFGS()``; or a function ``solver(params, *args)`` that returns the
            minimizer. By default ``LBFGS()``; with bounds ``LBFGSB()``; with ``prox`` or another set
            ``ProximalGradient()``; with ``Constraints`` ``AugmentedLagrangian()``.
        prox: A proximal term :math:`g`, to minimize :math:`f + g`: a term of ``torchopt.prox``, or a
            tree of them, a prefix of ``params`` (None: no term). Derivatives reach their parameters.
        subject_to: A set of ``torchopt.sets``, or a tree of them, likewise; a leaf has a set or a term,
            not both. A gradient transformation projects onto the set after each step. Or functions,
            as :class:`torchopt.Constraints`, without ``prox``.
        steps: The exact number of steps of a gradient transformation (≥ 0).
        maxiter: Instead, a limit for one that stops by a tolerance; solvers have their own.
        atol: It stops at this Euclidean norm of the gradient.
        rtol: It also stops at this estimated relative error of the parameters, as
            :class:`torchopt.solver.Solver` defines it.
        batches: Data that changes from step to step: a function ``batches(step)``; a tree of stacked
            tensors, such as a tuple, whose first axis has length ``steps``; a list of batches, or an
            iterable such as a ``DataLoader``, which starts over if it is shorter. Put a batch that is
            the same for all steps into ``args``.
        micro_batches: The number of equal parts into which each batch is split along its first axis.
            A step uses the mean of their gradients; the auxiliary output is that of the last part.
        diff: The differentiation mode. By default ``diff.Explicit()``, through the steps, if ``steps``
            is given, else ``diff.Implicit()``, by the condition that the gradient is zero.
        has_aux: Whether the objective returns a pair ``(loss, aux)``.
        compile: Whether to compile the solver's step and its vjp, at the first call and for each other
            shape, dtype or Python value: pass a number that varies as a tensor.
            :func:`torchopt.meta_grad_and_value` compiles the outer loss, too.
        checkpoint: A folder from which the same program continues if its process was killed in either
            pass (to the same bits, with deterministic kernels, the same machine, versions and number
            of threads): with ``steps`` and ``diff.Explicit("step")``, ``"sqrt"`` or ``"tree"``,
            outside of ``torch.func`` and compiled code.
        verbose: Whether to show the progress of both passes, on a terminal; not with ``compile``.

    Returns:
        The :class:`torchopt.Solution`. Its ``value`` and ``stats.last_value`` have no derivative: for
        an outer loss, evaluate the objective at ``solution.params``.

    Raises:
        TypeError: If an argument has the wrong type, or a leaf is not a floating tensor.
        ValueError: If the tree is empty; if a leaf has both a set and a term; if the loss is not a
            scalar, or does not depend on the parameters; if the first axis of stacked batches
            is not ``steps``, or a list looks stacked; or if the solver is for other problems.
        NonFiniteError: If the loss is NaN.
        NotConvergedError: If a solver with ``on_failure="raise"`` does not reach its tolerance.
        CheckpointError: If a step after the first one differs from that of the run in ``checkpoint``.
        OSError: If a file in ``checkpoint`` cannot be written; earlier ones remain.

    Warns:
        NotConvergedWarning: If a tolerance is not reached.
        DegenerateWarning: If constraints in ``subject_to`` are degenerate at the solution.
        NotCompiledWarning: If ``compile=True`` and it runs eagerly; once per objective.

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
    options: dict[str, Any] = {
        "solver": solver, "steps": steps, "maxiter": maxiter, "atol": atol, "rtol": rtol, "diff": diff,
        "micro_batches": micro_batches,
    }  # fmt: skip
    if compile:
        if checkpoint is not None:
            raise ValueError("`checkpoint` is for steps in eager mode: leave it or `compile` out.")
        options |= {"prox": prox, "subject_to": subject_to, "has_aux": has_aux}
        batches = batches_of_steps(batches, steps or maxiter or 0)
        return solve_by_compiled_code(minimize, objective, params, args, batches=batches, **options)
    if isinstance(subject_to, Constraints):
        if prox is not None:
            raise ValueError(
                f"`subject_to` is `Constraints`, and no solver takes them with the term `prox` {prox!r}"
                f": pass a set of `torchopt.sets`, or make the term a part of the objective."
            )
        kind: Objective = Constrained(objective, has_aux=has_aux, subject_to=subject_to)
    else:
        kind = Minimum(objective, has_aux=has_aux)
        if (term := prox if subject_to is None else subject_to) is not None:
            term = term_of(prox, subject_to, params)
        if term is not None:
            kind = Composite(objective, has_aux=has_aux, term=term)
    options |= {"checkpoint": checkpoint, "verbose": verbose}
    return solve(kind, params, args, batches=batches, **options)
