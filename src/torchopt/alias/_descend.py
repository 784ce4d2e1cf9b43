"""What the optimizers share: the order of sign, weight decay, rescaling and learning rate."""

from __future__ import annotations

from typing import Any

from torchopt.transform import add_decayed_weights, scale, scale_by_learning_rate
from torchopt.transform._base import ChainedGradientTransformation, GradientTransformation, identity

__all__ = ["descend"]


def descend(
    *rescaling: GradientTransformation,
    lr: Any,
    weight_decay: Any = 0.0,
    decoupled_weight_decay: Any = 0.0,
    mask: Any = None,
    maximize: bool = False,
) -> ChainedGradientTransformation:
    """Chain the parts of an optimizer.

    The gradient is negated to maximize, before L2 weight decay is added to it; decoupled weight
    decay is added after the rescaling; the learning rate comes last.
    """
    return ChainedGradientTransformation(
        scale(-1.0) if maximize else identity(),
        add_decayed_weights(weight_decay),
        *rescaling,
        add_decayed_weights(decoupled_weight_decay, mask),
        scale_by_learning_rate(lr),
    )
