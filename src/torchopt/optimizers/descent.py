"""The chain that all optimizers share: sign, weight decay, rescaling, learning rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torchopt.ops.availability import warn_if_unavailable
from torchopt.optimizers.options import DEFAULTS, Common, optimizer
from torchopt.pytree.typing import Hyperparameter, Mask
from torchopt.transform import (
    ScaleByScheduleState,
    add_decayed_weights,
    scale,
    scale_by_learning_rate,
)
from torchopt.transform.chaining import (
    ChainedGradientTransformation,
    GradientTransformation,
    absent,
    rules_of,
)

__all__ = ["Common", "descend", "optimizer"]

#: In the place of a learning rate: the rescaling gives steps. None would hide a user's mistake.
_STEPS = object()


def descend(
    *rescaling: GradientTransformation,
    lr: Any = _STEPS,
    weight_decay: Hyperparameter = 0.0,
    decoupled_weight_decay: Any = 0.0,
    mask: Mask | None = None,
    l2_mask: Any = None,
    after: Sequence[GradientTransformation] = (),
    shown: Mapping[str, str] | None = None,
    common: Common = DEFAULTS,
) -> GradientTransformation:
    """Chain the parts of an optimizer.

    The gradient is negated to maximize, before L2 weight decay is added to it; decoupled weight
    decay is added after the rescaling; the learning rate comes last, unless there is none (then the
    rescaling gives steps), but for what is to come ``after`` it. Each part has its place in the state,
    also where it changes nothing.
    """
    if len(options := DEFAULTS | common) > len(DEFAULTS):
        (name, *_) = options.keys() - DEFAULTS.keys()
        raise TypeError(f"an optimizer got an unexpected keyword argument {name!r}")
    if options["use_accelerated_op"]:
        warn_if_unavailable()
    parts = (
        scale(-1.0) if options["maximize"] else absent(),
        add_decayed_weights(weight_decay, l2_mask),
        *rescaling,
        add_decayed_weights(decoupled_weight_decay, mask),
        absent(ScaleByScheduleState) if lr is _STEPS else scale_by_learning_rate(lr),
        *after,
    )
    for part in parts:
        for rule in rules_of(part):
            rule.fused, rule.container = options["use_accelerated_op"], "list"
            rule.shown = shown or rule.shown
    return ChainedGradientTransformation(*parts)
