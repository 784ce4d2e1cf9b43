"""Products with the Hessian of a loss over data that are divided among ranks."""

from __future__ import annotations

from collections.abc import Callable

import torch

from torchopt.collectives.group import Group
from torchopt.collectives.typed import Replicated, pmean, pvary
from torchopt.distributed.spmd.tie import tied
from torchopt.linalg import LinearOperator, hessian_operator
from torchopt.operators.linear import JVP


def sharded_hessian_operator(
    loss: Callable[[Replicated], torch.Tensor],
    /,
    params: Replicated,
    *,
    group: Group = None,
    weight: float | None = None,
    hvp: JVP = "reverse",
) -> LinearOperator:
    r"""Return the Hessian of a loss that is a mean over the ranks, as an operator.

    .. math:: H v = \sum_r w_r \nabla^2 \ell_r(\theta)\, v \Big/ \sum_r w_r

    For the linear solves of implicit differentiation and of Newton's method: a product costs one local
    Hessian-vector product on each rank and one sum of vectors, and its result is replicated, so that
    every rank runs the same solver.

    Args:
        loss: The mean loss over the rank's own data, as a function of the parameters.
        params: Where the Hessian is taken; the same on each rank.
        group: As for :func:`psum`.
        weight: The number of the rank's samples, where they are not equal.
        hvp: As for :func:`torchopt.linalg.hessian_operator`.

    Returns:
        The operator, on trees like ``params``.

    Raises:
        ValueError: If the loss is not a scalar.

    Example:
        >>> import torch
        >>> H = sharded_hessian_operator(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]))
        >>> H(torch.tensor([1.0, 1.0])).detach()
        tensor([ 6., 12.])

    References:
        Rajeswaran et al., Meta-Learning with Implicit Gradients, 2019, section 3.
    """

    def mean(at: Replicated) -> torch.Tensor:
        varying = pvary(at, group=group)
        (own,) = tied([loss(varying)], varying)
        result: torch.Tensor = pmean(own, group=group, weight=weight)
        return result

    return hessian_operator(mean, params, hvp=hvp)
