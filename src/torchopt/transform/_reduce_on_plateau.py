"""Smaller steps when the loss no longer improves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.io.calls import records_call
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._rule import check_state
from torchopt.transform._tree_scalars import dtypes_of, times
from torchopt.transform.chaining import GradientTransformation, GradientTransformationExtraArgs


class ReduceLROnPlateauState(NamedTuple):
    """The state of :func:`reduce_on_plateau`.

    Attributes:
        scale: The factor of the updates.
        best_value: The least mean of losses so far.
        plateau_count: The number of means since then.
        cooldown_count: The number of means until the factor may be reduced again.
        count: The number of losses in the present mean.
        avg_value: The present mean.
    """

    scale: Any
    best_value: Any
    plateau_count: Any
    cooldown_count: Any
    count: Any
    avg_value: Any


@dataclass(frozen=True, eq=False)
class _ReduceOnPlateau:
    factor: Any
    patience: int
    rtol: float
    atol: float
    cooldown: int
    accumulation_size: int
    min_scale: float

    def init(self, params: Any) -> ReduceLROnPlateauState:
        leaves, spec = pytree.flatten(params)
        checks.check_floating(leaves, spec, "params")
        lowest, highest, device = dtypes_of(leaves)
        zero = torch.zeros((), dtype=highest, device=device)
        none = torch.zeros((), dtype=torch.int64, device=device)
        one = torch.ones((), dtype=lowest, device=device)
        return ReduceLROnPlateauState(one, zero + torch.inf, none, none.clone(), none.clone(), zero)

    def update(
        self,
        updates: Any,
        state: Any,
        params: Any = None,
        *,
        inplace: bool = True,
        value: torch.Tensor,
        **extra: Any,
    ) -> tuple[Any, ReduceLROnPlateauState]:
        check_state(state, (ReduceLROnPlateauState,))
        like = state.avg_value
        value = torch.as_tensor(value, dtype=like.dtype, device=like.device).reshape(())
        if inplace:
            value = value.detach()
        count = state.count + 1
        mean = ((state.count * state.avg_value + value) / count).to(state.avg_value)
        full = count == self.accumulation_size
        state = state._replace(
            count=torch.where(full, 0, count),
            avg_value=torch.where(full, 0.0, mean),
            **{
                name: torch.where(full, new, getattr(state, name))
                for name, new in self._compared(state, mean).items()
            },
        )
        return times(state.scale, updates), state

    def _compared(self, state: ReduceLROnPlateauState, mean: torch.Tensor) -> dict[str, Any]:
        """Return what changes after a mean of losses."""
        improved = mean < (1 - self.rtol) * state.best_value - self.atol
        plateau = torch.where(improved, 0, state.plateau_count + 1)
        cooling = state.cooldown_count > 0
        stuck = (plateau == self.patience) & ~cooling
        smaller = (state.scale * self.factor).clamp(min=self.min_scale).to(state.scale)
        return {
            "scale": torch.where(stuck, smaller, state.scale),
            "best_value": torch.where(improved, mean, state.best_value),
            "plateau_count": torch.where(cooling | stuck, 0, plateau),
            "cooldown_count": torch.where(
                cooling, state.cooldown_count - 1, torch.where(stuck, self.cooldown, 0)
            ),
        }


@records_call
def reduce_on_plateau(
    factor: Hyperparameter = 0.1,
    patience: int = 10,
    *,
    rtol: float = 1e-4,
    atol: float = 0.0,
    cooldown: int = 0,
    accumulation_size: int = 1,
    min_scale: float = 0.0,
) -> GradientTransformation:
    r"""Multiply updates by a number that falls when the loss no longer improves.

    The scale starts at one. Whenever the mean of ``accumulation_size`` losses has not been less than

    .. math:: (1 - \text{rtol}) \cdot \text{best} - \text{atol}

    for ``patience`` means, the scale is multiplied by ``factor``. The scale is differentiable in
    ``factor``; in the losses it is constant almost everywhere.

    ``update`` reads ``value``, the loss; see
    :class:`torchopt.transform.GradientTransformationExtraArgs`. Place it after an optimizer in a chain.

    Args:
        factor: What the scale is multiplied by, between 0 and 1: a number, or a scalar tensor.
        patience: Number of means without improvement before the scale is reduced.
        rtol: Relative improvement that counts, at most 1.
        atol: Absolute improvement that counts. One of the two must be positive.
        cooldown: Number of means after a reduction in which none is counted.
        accumulation_size: Number of losses of which the mean is compared: 1 for the loss of all data,
            more for those of minibatches.
        min_scale: The least scale.

    Returns:
        A transformation that matches Optax's ``contrib.reduce_on_plateau``, which are
        those of ``torch.optim.lr_scheduler.ReduceLROnPlateau`` up to when patience ends: there one
        mean later. A loss that is NaN counts as no improvement.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> tx = reduce_on_plateau(factor=0.5, patience=1)
        >>> g = (torch.tensor([4.0]),)
        >>> state = tx.init(g)
        >>> for loss in (3.0, 2.0, 2.0):
        ...     updates, state = tx.update(g, state, value=torch.tensor(loss))
        >>> updates
        (tensor([2.]),)

    References:
        Optax, ``optax.contrib.reduce_on_plateau``.
    """
    hyperparameters.check("factor", factor, upper=1.0, schedules=False)
    for name, count, least in (
        ("patience", patience, 1),
        ("cooldown", cooldown, 0),
        ("accumulation_size", accumulation_size, 1),
    ):
        checks.check_count(name, count, least)
    hyperparameters.check("atol", atol, schedules=False)
    hyperparameters.check("min_scale", min_scale, schedules=False)
    if not 0 <= rtol <= 1 or not (rtol or atol):
        raise ValueError(
            f"`rtol` is {rtol!r} and `atol` is {atol!r}: use an `rtol` between 0 and 1, and let one of "
            f"them be positive."
        )
    rule = _ReduceOnPlateau(factor, patience, rtol, atol, cooldown, accumulation_size, min_scale)
    return GradientTransformationExtraArgs(rule.init, rule.update)
