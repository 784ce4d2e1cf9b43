"""Say what the memory policies of the explicit mode would take for a problem."""

from __future__ import annotations

from collections.abc import Callable

from torchopt import checks
from torchopt.diff.batches import Batches
from torchopt.diff.kinds import Minimum
from torchopt.diff.plan import MemoryPlan, plan_of
from torchopt.pytree.typing import TensorTree
from torchopt.solver._solve import make_problem
from torchopt.transform.chaining import GradientTransformation
from torchopt.transform.checking import check_transformation


def plan(
    objective: Callable[..., object],
    /,
    params: TensorTree,
    args: tuple[object, ...] = (),
    *,
    solver: GradientTransformation,
    steps: int,
    batches: Batches | None = None,
    micro_batches: int = 1,
    has_aux: bool = False,
) -> MemoryPlan:
    """Predict the memory and time of each memory policy for an inner problem.

    The prediction comes from one measured step without a graph and one step with it, forward and
    backward. Random generators and buffers are restored afterwards. With ``checkpoint``, a folder
    holds at most as many carries as ``"sqrt"`` keeps, and a few more.

    Args:
        objective: As for :func:`torchopt.minimize`, like the other arguments.
        params: The starting point.
        args: Further arguments.
        solver: A gradient transformation.
        steps: The number of steps, at least one.
        batches: The data. A function is called for the first two steps.
        micro_batches: The number of parts of each batch; ``graph`` is the size for the whole batch.
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
    check_transformation(solver, "solver")
    checks.check_count("steps", steps, 1, of="steps")
    if checks.transforms_active():
        raise RuntimeError("`plan` measures a step: call it outside of torch.func's transforms.")
    problem = make_problem(
        Minimum(objective, has_aux=has_aux),
        params,
        args,
        solver=solver,
        steps=steps,
        batches=batches,
        micro_batches=micro_batches,
    )
    return plan_of(problem)
