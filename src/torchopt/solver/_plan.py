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

__all__ = ["plan"]


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
    """Say what each memory policy would take for an inner problem, before it is solved.

    One step is done without a graph and one with, forwards and backwards; its memory and times are
    what the figures are made of. Random numbers and buffers are left as they were.

    Args:
        objective: As for :func:`torchopt.minimize`, like the other arguments.
        params: The starting point.
        args: Further arguments.
        solver: A gradient transformation.
        steps: How many updates it does, at least one.
        batches: Data that changes from step to step, as for :func:`torchopt.minimize`. A function is
            asked for the batches of the first two steps.
        micro_batches: Into how many parts each batch is split; the graph that is stated is that of the
            whole.
        has_aux: Whether the objective returns a pair.

    Returns:
        The plan: print it for a table, or ask it for the fastest policy ``within(bytes)``.

    Raises:
        TypeError: If the solver is no gradient transformation, or as :func:`torchopt.minimize` does.
        ValueError: If ``steps`` is not positive, or as :func:`torchopt.minimize` does.
        RuntimeError: Inside of a transform of :mod:`torch.func`.

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
