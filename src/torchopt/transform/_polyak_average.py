"""Average of the parameters."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchopt.io.calls import records_call
from torchopt.ops import running_mean, where
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class PolyakAverageState(NamedTuple):
    """The average of the parameters, and counters: the updates of each leaf, all updates."""

    average: Any
    count: Any
    step: Any = ()


def _average(
    u: torch.Tensor, p: torch.Tensor, average: torch.Tensor, *, weight: Any, decay: Any = None
) -> tuple[torch.Tensor, ...]:
    return u, running_mean(average, p + u, 1 - weight)


def _uniform(t: torch.Tensor) -> dict[str, Any]:
    return {"weight": 1 / t}


def _exponential(t: torch.Tensor, *, decay: Any) -> dict[str, Any]:
    # The first parameters enter whole, whatever the slot has.
    return {"weight": where(t > 1, 1 - decay + 0 * t, 1.0)}


@records_call
def polyak_average(decay: Hyperparameter | None = None) -> GradientTransformation:
    r"""Keep an average of the parameters in the state; the updates pass unchanged.

    .. math::
        \theta_t &= \theta_{t-1} + u_t, \qquad
        \bar\theta_t = \bar\theta_{t-1} + w_t (\theta_t - \bar\theta_{t-1}) \\
        w_t &= \begin{cases}
            1/t & \text{without a decay} \\
            1 - \beta & \text{with the decay } \beta, \text{ and } w_1 = 1
        \end{cases}

    Without a decay, :math:`\bar\theta_t` is the mean of all :math:`t` iterates. The numbers are those
    of ``torch.optim.swa_utils.AveragedModel``, updated after each step.

    Put it last in a chain: it takes the updates for what is added to the parameters. The average is
    the field ``average`` of its state, a tree like the parameters:
    ``torchopt.pytree.tree_get(state, "average")`` reads it from the state of the chain. Before the
    first update it is a copy of the parameters. A leaf without a gradient keeps its average: what is
    averaged are the parameters after each update of the leaf.

    Args:
        decay: None for the mean of all iterates, or the decay rate :math:`\beta`, in ``[0, 1)``.

    Returns:
        A gradient transformation whose ``update`` needs ``params``.

    Raises:
        ValueError: If ``decay`` is out of range.

    Example:
        >>> import torch, torchopt
        >>> tx = torchopt.chain(torchopt.sgd(1.0), polyak_average())
        >>> params = {"w": torch.tensor([4.0])}
        >>> state = tx.init(params)
        >>> for g in (1.0, 2.0):  # to 3 and to 1
        ...     updates, state = tx.update({"w": torch.tensor([g])}, state, params=params)
        ...     params = torchopt.apply_updates(params, updates)
        >>> torchopt.pytree.tree_get(state, "average")
        {'w': tensor([2.])}

    References:
        Polyak and Juditsky, *Acceleration of stochastic approximation by averaging*, 1992.
        Izmailov et al., *Averaging Weights Leads to Wider Optima and Better Generalization*, 2018.
    """
    if decay is not None:
        decay = hyperparameters.check("decay", decay, upper=1.0)
    return elementwise(
        _average,
        state=PolyakAverageState,
        slots={"average": torch.Tensor.detach},
        hyper={} if decay is None else {"decay": decay},
        scalars=_uniform if decay is None else _exponential,
        needs_params=True,
    )
