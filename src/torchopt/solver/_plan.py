"""Say what the memory policies of the explicit mode would take for a problem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchopt import checks
from torchopt.diff import Explicit
from torchopt.diff.kinds import Minimum
from torchopt.diff.plan import MemoryPlan, plan_of
from torchopt.solver._solve import make_problem
from torchopt.transform.chaining import GradientTransformation


def plan(
    objective: Callable[..., Any],
    /,
    params: Any,
    args: tuple[Any, ...] = (),
    *,
    solver: GradientTransformation,
    steps: int,
    batches: Any = None,
    micro_batches: int = 1,
    has_aux: bool = False,
) -> MemoryPlan:
    """Predict the memory and time of each memory policy for an inner problem.

    The prediction comes from one measured step without a graph and one step with it, forward and
    backward. Random generators and buffers are restored afterwards.

    Args:
        objective: As for :func:`torchopt.minimize`, like the other arguments.
        params: The starting point.
        args: Further arguments.
        solver: A gradient transformation.
        steps: The number of steps, at least one.
        batches: Data that changes from step to step, as for :func:`torchopt.minimize`. A function is
            called for the first two steps.
        micro_batches: The number of parts into which each batch is split; the size of the graph is
            given for the whole batch.
        has_aux: Whether the objective returns a pair.

    Returns:
        The plan. Print it for a table; ``plan.within(bytes)`` returns the fastest policy that fits.

    Raises:
        TypeError: If the solver is not a gradient transformation, and as in :func:`torchopt.minimize`.
        ValueError: If ``steps`` is not positive, and as in :func:`torchopt.minimize`.
        RuntimeError: Inside a transform of :mod:`torch.func`.

    Example:
        >>> import torch, torchopt
        >>> x = torch.randn(1000, 10)
        >>> plan = torchopt.plan(
        ...     lambda w: (x @ w).tanh().square().mean(), torch.zeros(10),
        ...     solver=torchopt.adam(0.1), steps=100)
        >>> plan.within(100_000).memory in ("step", "sqrt", "tree")
        True
        >>> [cost.evaluations for cost in plan.policies if cost.mode == torchopt.diff.Explicit("sqrt")]
        [287]
    """
    if not isinstance(solver, GradientTransformation):
        raise TypeError(
            f"`solver` is an object of type {type(solver).__name__}, but memory policies are for the "
            f"steps of a gradient transformation, such as `torchopt.sgd(0.1)`."
        )
    if checks.transforms_active():
        raise RuntimeError("`plan` measures a step: call it outside of torch.func's transforms.")
    problem = make_problem(
        Minimum(objective, has_aux),
        params,
        args,
        solver=solver,
        steps=steps,
        maxiter=None,
        tol=None,
        diff=Explicit(),
        batches=batches,
        micro_batches=micro_batches,
    )
    if steps < 1:
        raise ValueError(f"`steps` is {steps!r}: there is no step to measure.")
    return plan_of(problem)
