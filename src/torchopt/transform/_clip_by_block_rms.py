"""Clip the root mean square of each leaf."""

from __future__ import annotations

from typing import Any

import torch

from torchopt.io.calls import records_call
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._prepare import Leaves, norm
from torchopt.transform._scale import schedule_states
from torchopt.transform.beyond_elements import reduced
from torchopt.transform.chaining import GradientTransformation


def _excess(g: Leaves, *, threshold: Any) -> dict[str, torch.Tensor]:
    rms = norm(g) / max(sum(x.numel() for x in g), 1) ** 0.5
    return {"excess": (rms / threshold).clamp(min=1.0)}


def _scale(g: torch.Tensor, *, excess: Any) -> tuple[torch.Tensor]:
    return (g / excess,)


@records_call
def clip_by_block_rms(threshold: Hyperparameter) -> GradientTransformation:
    r"""Scale the updates of a leaf down where their root mean square exceeds a bound.

    .. math:: u = g \Big/ \max\left(1, \frac{\sqrt{\operatorname{mean}(g^2)}}{c}\right)

    with the mean over each leaf, in float32 at least. A NaN in a leaf makes all its updates NaN.

    Args:
        threshold: The bound :math:`c`, not negative: a number, a schedule, a scalar tensor that
            requires grad, or a tree of these.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If ``threshold`` is a negative number.

    Example:
        >>> import torch
        >>> tx = clip_by_block_rms(2.0)
        >>> g = (torch.tensor([3.0, -5.0, 1.0, 1.0]), torch.tensor([1.0]))
        >>> tx.update(g, tx.init(g))[0]
        (tensor([ 2.0000, -3.3333,  0.6667,  0.6667]), tensor([1.]))

    References:
        Shazeer and Stern, *Adafactor*, 2018, section 6. Optax has it under this name.
    """
    hyperparameters.check("threshold", threshold)
    return reduced(
        _scale,
        prepare=_excess,
        state=schedule_states(threshold),
        hyper={"threshold": threshold},
    )
