"""The optimizers of ``torch.optim`` as transformations, and the way back."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from torchopt import alias
from torchopt.alias.descent import descend
from torchopt.formula import optimizers
from torchopt.io.calls import Call, call_of
from torchopt.optim._tally import is_tally
from torchopt.transform import scale_by_nadam, scale_by_radam
from torchopt.transform.chaining import GradientTransformation, is_absent, rule_of


def _adam(
    lr: Any,
    betas: Any,
    eps: Any,
    weight_decay: Any,
    amsgrad: bool,
    maximize: bool,
    decoupled_weight_decay: bool,
) -> GradientTransformation:
    make = alias.adamw if decoupled_weight_decay else alias.adam
    return make(lr, betas, eps, weight_decay, amsgrad=amsgrad, maximize=maximize)


def _radam(
    lr: Any,
    betas: Any,
    eps: Any,
    weight_decay: Any,
    maximize: bool,
    decoupled_weight_decay: bool,
) -> GradientTransformation:
    b1, b2 = betas
    decay = "decoupled_weight_decay" if decoupled_weight_decay else "weight_decay"
    return descend(scale_by_radam(b1, b2, eps), lr=lr, maximize=maximize, **{decay: weight_decay})


def _formula_of(tx: GradientTransformation) -> Callable[..., Any]:
    rule = rule_of(tx)
    assert rule is not None
    return rule.formula


#: For each class, the transformation for the options of a parameter group, which it takes by name.
#: Subclasses that step in the same way, as AdamW, are of the class.
CLASSES: dict[type[torch.optim.Optimizer], Callable[..., GradientTransformation]] = {
    torch.optim.SGD: alias.sgd,
    torch.optim.Adam: _adam,
    torch.optim.RAdam: _radam,
    torch.optim.NAdam: alias.nadam,
    torch.optim.Adamax: alias.adamax,
    torch.optim.Adadelta: alias.adadelta,
    torch.optim.Adagrad: alias.adagrad,
    torch.optim.RMSprop: alias.rmsprop,
    torch.optim.Adafactor: alias.adafactor,
    torch.optim.Muon: partial(alias.muon, ns_dtype=torch.bfloat16),
    torch.optim.Rprop: alias.rprop,
    torch.optim.ASGD: alias.asgd,
}
#: Those whose steps say little when they are unrolled: Rprop's do not depend on the size of a gradient,
#: and ASGD's have the learning rate of the step before.
_NOT_UNROLLED = (torch.optim.Rprop, torch.optim.ASGD)
#: For functions whose formula has the learning rate or other leaves in it: the class.
_WHOLE: dict[Callable[..., GradientTransformation], type[torch.optim.Optimizer]] = {
    alias.adafactor: torch.optim.Adafactor,
    alias.asgd: torch.optim.ASGD,
    alias.muon: torch.optim.Muon,
    alias.rprop: torch.optim.Rprop,
}
#: For what stands between weight decay and learning rate: the class, and options.
_RESCALINGS: dict[tuple[Any, ...], tuple[type[torch.optim.Optimizer], dict[str, Any]]] = {
    (): (torch.optim.SGD, {}),
    (optimizers.momentum,): (torch.optim.SGD, {}),
    (optimizers.nesterov,): (torch.optim.SGD, {"nesterov": True}),
    (optimizers.dampened,): (torch.optim.SGD, {}),
    (optimizers.adam,): (torch.optim.Adam, {}),
    (optimizers.amsgrad,): (torch.optim.Adam, {"amsgrad": True}),
    (optimizers.radam,): (torch.optim.RAdam, {}),
    (_formula_of(scale_by_nadam()),): (torch.optim.NAdam, {}),
    (optimizers.adamax,): (torch.optim.Adamax, {}),
    (optimizers.adadelta,): (torch.optim.Adadelta, {}),
    (optimizers.rss,): (torch.optim.Adagrad, {}),
    (optimizers.rss, optimizers.lr_decay): (torch.optim.Adagrad, {}),
    (optimizers.rms,): (torch.optim.RMSprop, {}),
    (optimizers.rms, optimizers.momentum): (torch.optim.RMSprop, {}),
    (optimizers.stddev,): (torch.optim.RMSprop, {"centered": True}),
    (optimizers.stddev, optimizers.momentum): (torch.optim.RMSprop, {"centered": True}),
}
# These say how PyTorch computes a step, not what.
_EXECUTION = {"foreach", "fused", "capturable", "differentiable"}


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
    if call is not None and call.function in _WHOLE:
        return _whole(call)
    parts = [x for x in getattr(tx, "transformations", (tx,)) if not (is_absent(x) or is_tally(x))]
    rules = [*map(rule_of, parts)]
    chain = [None if rule is None else rule.formula for rule in rules]
    hyper = [{} if rule is None else dict(rule.hyper) for rule in rules]
    options: dict[str, Any] = {}
    if chain[:1] == [optimizers.scale] and hyper[0].get("step_size") == -1:
        options["maximize"] = True
        chain, hyper = chain[1:], hyper[1:]
    if chain[-1:] != [optimizers.descend]:
        raise _unknown("does not end with a learning rate")
    options["lr"] = _number("lr", hyper.pop()["lr"])
    chain.pop()
    decays = [k for k, formula in enumerate(chain) if formula is optimizers.decay]
    inner = tuple(formula for formula in chain if formula is not optimizers.decay)
    if inner not in _RESCALINGS or len(decays) > 1 or decays not in ([], [0], [len(chain) - 1]):
        raise _unknown("is none of those of `torch.optim`")
    cls, own = _RESCALINGS[inner]
    options |= own
    if decays and inner and decays[0]:
        if cls not in (torch.optim.Adam, torch.optim.RAdam, torch.optim.NAdam):
            raise _unknown(f"has decoupled weight decay, which {cls.__name__} has not")
        options["decoupled_weight_decay"] = True
    named: dict[str, Any] = {name: _number(name, x) for mine in hyper for name, x in mine.items()}
    for rule in filter(None, rules):
        for initial in rule.slots.values():
            if isinstance(initial, tuple):
                named[initial[0]] = _number(*initial)
    if "b1" in named:
        named["betas"] = (named.pop("b1"), named.pop("b2"))
    for name in ("eps_root", "initial_scale"):
        if named.pop(name, 0):
            raise _unknown(f"has `{name}`, which {cls.__name__} has not")
    return cls, {"weight_decay": 0, **options, **named}


def _whole(call: Call) -> tuple[type[torch.optim.Optimizer], dict[str, Any]]:
    """Return the class of a function in whose formula the learning rate is, and its options."""
    cls = _WHOLE[call.function]
    arguments, defaults, _ = call.arguments()
    theirs = inspect.signature(cls).parameters
    defaults |= getattr(CLASSES[cls], "keywords", {})
    options: dict[str, Any] = {}
    for name, value in arguments.items():
        if name in theirs:
            several = isinstance(value, (tuple, list))
            options[name] = (
                tuple(_plain(name, x) for x in value) if several else _plain(name, value)
            )
        elif value != defaults[name] and name != "use_accelerated_op":
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
