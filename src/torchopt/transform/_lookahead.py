"""Lookahead: fast weights that return to slow ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.io.calls import records_call
from torchopt.ops import where
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._rule import check_state
from torchopt.transform._select import choose, counter_like, rewrite
from torchopt.transform.chaining import (
    GradientTransformation,
    GradientTransformationExtraArgs,
    chain,
    elementwise,
)
from torchopt.transform.checking import check_transformation
from torchopt.transform.extra_args import select


class LookaheadState(NamedTuple):
    """The slow weights, and counters: the updates of each leaf, all updates."""

    slow: Any
    count: Any
    step: Any = ()


class ResetState(NamedTuple):
    """The state of a transformation that starts again, and the number of updates since then."""

    inner_state: Any
    steps_since_sync: Any


def _synchronize(
    u: torch.Tensor,
    p: torch.Tensor,
    slow: torch.Tensor,
    *,
    slow_step_size: Any,
    first: Any,
    sync: Any,
) -> tuple[torch.Tensor, ...]:
    # The first slow weights are the parameters, with their graph.
    slow = where(first, p, slow)
    ahead = where(sync, p + u - slow, 0.0)
    return u - (1 - slow_step_size) * ahead, slow + slow_step_size * ahead


def _times(t: torch.Tensor, *, period: int, **_: Any) -> dict[str, Any]:
    return {"first": t == 1, "sync": t % period == 0}


@dataclass(frozen=True, eq=False)
class _Reset:
    inner: GradientTransformation
    period: int

    def init(self, params: Any) -> ResetState:
        return ResetState(self.inner.init(params), counter_like(params))

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, ResetState]:
        check_state(state, (ResetState,))
        like = updates if params is None else params
        new, inner = self.inner.update(
            updates, state.inner_state, params=params, inplace=inplace, **select(self.inner, extra)
        )
        steps = (state.steps_since_sync + 1) % self.period
        chosen = choose(steps == 0, self.inner.init(like), inner, "state")
        if inplace:
            chosen = rewrite(chosen, inner, state.inner_state)
        return new, ResetState(chosen, steps)


@records_call
def lookahead(
    fast_optimizer: GradientTransformation,
    /,
    sync_period: int,
    slow_step_size: Hyperparameter,
    *,
    reset_state: bool = False,
) -> GradientTransformation:
    r"""Lookahead: every :math:`k` steps, return part of the way to where these steps began.

    .. math::
        \tilde\theta_t &= \theta_{t-1} + u_t, \qquad u_t \text{ of the fast optimizer} \\
        (\phi_t, \theta_t) &= \begin{cases}
            (\phi_{t-1} + \alpha (\tilde\theta_t - \phi_{t-1}),\ \phi_t) & k \text{ divides } t \\
            (\phi_{t-1},\ \tilde\theta_t) & \text{otherwise}
        \end{cases}

    with the slow weights :math:`\phi_0 = \theta_0`. It is an ordinary transformation: the parameters
    are the fast weights, and the slow ones are in the state. (In Optax the parameters have both, as
    ``LookaheadParams``, so that programs must be written for it.) After each :math:`k`-th step they are
    the same; in between, ``torchopt.pytree.tree_get(state, "slow")`` reads the slow weights, to
    evaluate with. Put it last in a chain: it takes the updates for what is added to the parameters.

    Args:
        fast_optimizer: The optimizer whose updates these are.
        sync_period: The number of steps :math:`k`, at least 1; of each leaf, its steps with a
            gradient are counted.
        slow_step_size: Step size :math:`\alpha` of the slow weights, not negative.
        reset_state: Whether the state of the fast optimizer starts again after each :math:`k` steps.

    Returns:
        A gradient transformation whose ``update`` needs ``params``.

    Raises:
        TypeError: If ``fast_optimizer`` is no gradient transformation.
        ValueError: If ``sync_period`` is below 1, or ``slow_step_size`` is negative.

    Example:
        >>> import torch, torchopt
        >>> tx = lookahead(torchopt.sgd(1.0), sync_period=2, slow_step_size=0.5)
        >>> params = {"w": torch.tensor([4.0])}
        >>> state = tx.init(params)
        >>> for _ in range(2):  # to 3, to 2 and back to 3
        ...     updates, state = tx.update({"w": torch.tensor([1.0])}, state, params=params)
        ...     params = torchopt.apply_updates(params, updates)
        >>> params, torchopt.pytree.tree_get(state, "slow")
        ({'w': tensor([3.])}, {'w': tensor([3.])})

    References:
        Zhang et al., *Lookahead Optimizer: k steps forward, 1 step back*, 2019, algorithm 1.
    """
    check_transformation(fast_optimizer, "fast_optimizer")
    checks.check_count("sync_period", sync_period, 1, of="steps")
    hyperparameters.check("slow_step_size", slow_step_size)
    if reset_state:
        reset = _Reset(fast_optimizer, sync_period)
        fast_optimizer = GradientTransformationExtraArgs(
            reset.init, reset.update, fast_optimizer.reads
        )
    synchronize = elementwise(
        _synchronize,
        state=LookaheadState,
        slots={"slow": torch.Tensor.detach},
        hyper={"slow_step_size": slow_step_size},
        scalars=partial(_times, period=sync_period),
        needs_params=True,
    )
    return chain(fast_optimizer, synchronize)
