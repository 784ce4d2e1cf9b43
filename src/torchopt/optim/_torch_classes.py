"""The optimizers of ``torch.optim`` as transformations, and the way back."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from torchopt import optimizers
from torchopt.io.calls import call_of, records_call
from torchopt.optimizers.descent import descend
from torchopt.transform import scale_by_radam
from torchopt.transform.chaining import GradientTransformation


def _adam(
    lr: Any,
    betas: Any,
    eps: Any,
    weight_decay: Any,
    amsgrad: bool,
    maximize: bool,
    decoupled_weight_decay: bool,
) -> GradientTransformation:
    make = optimizers.adamw if decoupled_weight_decay else optimizers.adam
    return make(lr, betas, eps, weight_decay, amsgrad=amsgrad, maximize=maximize)


@records_call
def _radam(
    lr: Any,
    betas: Any,
    eps: Any,
    weight_decay: Any,
    maximize: bool,
    decoupled_weight_decay: bool,
) -> GradientTransformation:
    decay = {"decoupled_weight_decay" if decoupled_weight_decay else "weight_decay": weight_decay}
    return descend(
        scale_by_radam(betas=betas, eps=eps), lr=lr, common={"maximize": maximize}, **decay
    )


#: For each class, the transformation for the options of a parameter group, which it takes by name.
#: Subclasses that step in the same way, as AdamW, are of the class.
CLASSES: dict[type[torch.optim.Optimizer], Callable[..., GradientTransformation]] = {
    torch.optim.SGD: optimizers.sgd,
    torch.optim.Adam: _adam,
    torch.optim.RAdam: _radam,
    torch.optim.NAdam: optimizers.nadam,
    torch.optim.Adamax: optimizers.adamax,
    torch.optim.Adadelta: optimizers.adadelta,
    torch.optim.Adagrad: optimizers.adagrad,
    torch.optim.RMSprop: optimizers.rmsprop,
    torch.optim.Adafactor: optimizers.adafactor,
    torch.optim.Muon: partial(optimizers.muon, ns_dtype=torch.bfloat16),
    torch.optim.Rprop: optimizers.rprop,
    torch.optim.ASGD: optimizers.asgd,
}
#: Those whose steps say little when they are unrolled: Rprop's do not depend on the size of a gradient,
#: and ASGD's have the learning rate of the step before.
_NOT_UNROLLED = (torch.optim.Rprop, torch.optim.ASGD)
#: For each function, the class that does its steps, and options that the function stands for.
_FUNCTIONS: dict[
    Callable[..., GradientTransformation], tuple[type[torch.optim.Optimizer], dict[str, Any]]
] = {
    optimizers.sgd: (torch.optim.SGD, {}),
    optimizers.adam: (torch.optim.Adam, {}),
    optimizers.amsgrad: (torch.optim.Adam, {"amsgrad": True}),
    optimizers.adamw: (torch.optim.Adam, {"decoupled_weight_decay": True}),
    optimizers.radam: (torch.optim.RAdam, {}),
    _radam: (torch.optim.RAdam, {}),
    optimizers.nadam: (torch.optim.NAdam, {}),
    optimizers.nadamw: (torch.optim.NAdam, {"decoupled_weight_decay": True}),
    optimizers.adamax: (torch.optim.Adamax, {}),
    optimizers.adadelta: (torch.optim.Adadelta, {}),
    optimizers.adagrad: (torch.optim.Adagrad, {}),
    optimizers.rmsprop: (torch.optim.RMSprop, {}),
    optimizers.adafactor: (torch.optim.Adafactor, {}),
    optimizers.muon: (torch.optim.Muon, {}),
    optimizers.rprop: (torch.optim.Rprop, {}),
    optimizers.asgd: (torch.optim.ASGD, {}),
}
# These say how PyTorch computes a step, not what.
_EXECUTION = {"foreach", "fused", "capturable", "differentiable"}
_OUR_EXECUTION = {"use_accelerated_op", "moment_requires_grad"}


def class_of(
    optimizer: torch.optim.Optimizer, *, unrolled: bool = True
) -> type[torch.optim.Optimizer]:
    """Return the class of which an optimizer is, among those that may be ``unrolled`` or among all.

    Raises:
        TypeError: If it is none of those.
    """
    classes = [cls for cls in CLASSES if not (unrolled and cls in _NOT_UNROLLED)]
    for cls in classes:
        if isinstance(optimizer, cls):
            return cls
    known = ", ".join(cls.__name__ for cls in classes)
    raise TypeError(
        f"{type(optimizer).__name__} has no transformation, so it cannot be unrolled: use one of "
        f"torch.optim's {known}, a `torchopt.Optimizer`, or a mode that does not unroll."
    )


def options_of(optimizer: torch.optim.Optimizer) -> list[str]:
    """Return the names of the options of groups that make the transformation.

    Raises:
        ValueError: If one is not known.
    """
    names = [name for name in optimizer.defaults if name not in _EXECUTION]
    known = inspect.signature(CLASSES[class_of(optimizer, unrolled=False)]).parameters
    for name in names:
        if name not in known:
            raise ValueError(
                f"option `{name}` of {type(optimizer).__name__} is not known here: use another "
                f"optimizer, or a mode that does not unroll."
            )
    return names


def recognized(tx: GradientTransformation) -> tuple[type[torch.optim.Optimizer], dict[str, Any]]:
    """Return the class of ``torch.optim`` that does the steps of a transformation, and its options.

    Raises:
        ValueError: If there is none.
    """
    call = call_of(tx)
    if call is None or call.function not in _FUNCTIONS:
        raise _unknown("is none of those of `torch.optim`")
    cls, own = _FUNCTIONS[call.function]
    arguments, defaults, _ = call.arguments()
    theirs = inspect.signature(cls).parameters
    defaults |= getattr(CLASSES[cls], "keywords", {})
    options = dict(own)
    for name, value in arguments.items():
        if name in theirs:
            several = isinstance(value, (tuple, list))
            options[name] = (
                tuple(_plain(name, x) for x in value) if several else _plain(name, value)
            )
        elif value != defaults[name] and name not in _OUR_EXECUTION:
            raise _unknown(f"has {name}={value!r}, but {cls.__name__} has {defaults[name]!r}")
    return cls, options


def _plain(name: str, value: Any) -> Any:
    return value if value is None or isinstance(value, (int, str)) else _number(name, value)


def _number(name: str, value: Any) -> float:
    if callable(value) or not isinstance(value, (int, float, torch.Tensor)):
        raise _unknown(f"has an `{name}` that is a schedule or a tree, not a number")
    return float(value)


def _unknown(fault: str) -> ValueError:
    return ValueError(
        f"the transformation {fault}: no optimizer of `torch.optim` does its steps. Use "
        f"`torchopt.Optimizer(params, tx)`, which is a `torch.optim.Optimizer` too."
    )
