"""What all optimizers share: options, and a chain of sign, weight decay, rescaling, learning rate."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypedDict, get_type_hints

from torchopt.accelerated_op import warn_if_unavailable
from torchopt.io.calls import records_call
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
)
from torchopt.transform.options import with_options

__all__ = ["Common", "descend", "optimizer"]

_P = ParamSpec("_P")

#: In the place of a learning rate: the rescaling gives steps. None would hide a user's mistake.
_STEPS = object()


class Common(TypedDict, total=False):
    """What every optimizer takes by keyword."""

    maximize: bool
    use_accelerated_op: bool | None


_DEFAULTS: Common = {"maximize": False, "use_accelerated_op": None}


def optimizer(make: Callable[_P, GradientTransformation]) -> Callable[_P, GradientTransformation]:
    """Note the calls of a function that makes an optimizer, and show ``**common`` in its signature."""
    signature, types = inspect.signature(make, eval_str=True), get_type_hints(Common)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=x, annotation=types[name])
        for name, x in _DEFAULTS.items()
    ]
    make.__dict__["__signature__"] = signature.replace(parameters=[*own, *shared])
    return records_call(make)


def descend(
    *rescaling: GradientTransformation,
    lr: Any = _STEPS,
    weight_decay: Any = 0.0,
    decoupled_weight_decay: Any = 0.0,
    mask: Any = None,
    l2_mask: Any = None,
    after: Sequence[GradientTransformation] = (),
    common: Common = _DEFAULTS,
) -> GradientTransformation:
    """Chain the parts of an optimizer.

    The gradient is negated to maximize, before L2 weight decay is added to it; decoupled weight
    decay is added after the rescaling; the learning rate comes last, unless there is none (then the
    rescaling gives steps), but for what is to come ``after`` it. Each part has its place in the state,
    also where it changes nothing.
    """
    if unknown := common.keys() - _DEFAULTS.keys():
        raise TypeError(f"an optimizer got an unexpected keyword argument {min(unknown)!r}")
    options = _DEFAULTS | common
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
    fused = options["use_accelerated_op"]
    return ChainedGradientTransformation(
        *(with_options(part, fused=fused, container="list") for part in parts)
    )
