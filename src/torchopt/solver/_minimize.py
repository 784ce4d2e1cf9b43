"""Minimize an objective and differentiate its solution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from torchopt import errors
from torchopt.diff import DifferentiationMode, Explicit, InnerProblem, Solution
from torchopt.pytree import _registry as pytree
from torchopt.transform._base import GradientTransformation

__all__ = ["minimize"]

_EXPLICIT = Explicit()


def minimize(
    objective: Callable[..., Any],
    params: Any,
    args: tuple[Any, ...] = (),
    *,
    solver: GradientTransformation,
    steps: int,
    batches: Any = None,
    diff: DifferentiationMode = _EXPLICIT,
    has_aux: bool = False,
) -> Solution:
    r"""Minimize an objective, so that autograd can go through the solution.

    .. math:: \theta^*(\varphi) \approx \arg\min_\theta f(\theta, \varphi)

    The solution is a differentiable function of ``params``, of the tensors in ``args``, of those
    that the objective closes over, and of the solver's tensor-valued hyperparameters. It can be used
    inside ``torch.func.grad``, ``vmap``, ``jvp`` and ``torch.compile(fullgraph=True)``.

    Args:
        objective: ``objective(params, *args) -> loss``, a scalar; with ``batches``, the batch of the
            step comes last.
        params: The starting point: a tree of floating tensors. It is left as it is.
        args: Further arguments, the same in each step.
        solver: A gradient transformation, such as ``torchopt.sgd(0.1)``.
        steps: How many updates to do, not negative.
        batches: Data that changes from step to step: a tree of tensors whose first axis has length
            ``steps``, or a function ``batches(step)``. By default there is none; one batch for all
            steps belongs in ``args``.
        diff: The differentiation mode: what of the way to the solution is differentiated, and how.
        has_aux: Whether the objective returns a pair ``(loss, aux)``.

    Returns:
        The parameters and the solver's state after the last step, and the auxiliary output of the
        last evaluation. A parameter that the objective does not read has gradient zero.

    Raises:
        TypeError: If an argument is of the wrong kind, or a leaf is no floating tensor.
        ValueError: If the tree is empty, the loss is not a scalar, does not depend on the
            parameters, or is NaN, or the first axis of a batch is not ``steps``.

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
    if not isinstance(args, tuple):
        raise TypeError(
            f"`args` is an object of type {type(args).__name__}: pass a tuple, such as `(phi,)`."
        )
    if not isinstance(solver, GradientTransformation):
        raise TypeError(
            f"`solver` is an object of type {type(solver).__name__}: pass a gradient transformation, "
            f"such as `torchopt.sgd(0.1)`."
        )
    if not isinstance(steps, int) or isinstance(steps, bool) or steps < 0:
        raise ValueError(f"`steps` is {steps!r}: use a number of steps, not negative.")
    leaves, spec = pytree.flatten(params)
    errors.check_not_empty(spec, "params")
    errors.check_floating(leaves, spec, "params")
    if batches is not None and not callable(batches):
        _check_batches(batches, steps)
    return diff.solve(InnerProblem(objective, params, args, solver, steps, batches, has_aux))


def _check_batches(batches: Any, steps: int) -> None:
    leaves, spec = pytree.flatten(batches)
    for index, leaf in enumerate(leaves):
        if leaf is None or (isinstance(leaf, torch.Tensor) and leaf.dim() and len(leaf) == steps):
            continue
        found = (
            f"a tensor of shape {tuple(leaf.shape)}"
            if isinstance(leaf, torch.Tensor)
            else f"an object of type {type(leaf).__name__}"
        )
        raise ValueError(
            f"`{errors.leaf_path(spec, index, 'batches')}` is {found}, but its first axis must count "
            f"the {steps} steps: stack one batch for each step, pass a function of the step, or put "
            f"one batch for all steps into `args`."
        )
