"""The optimizers' classes, as the package exports them."""

from __future__ import annotations

from typing import Any

import torchopt
from _public import ALIASES, exported
from torchopt import optim

#: Name and class of each optimizer for plain training; second spellings are left out.
PLAIN = exported(optim, torchopt.Optimizer)
#: The same for differentiable steps of a module.
META = exported(optim, torchopt.MetaOptimizer)
#: Those for plain training whose steps take gradients only, and no closure.
BY_GRADIENTS = {
    name: cls
    for name, cls in PLAIN.items()
    if name.lower() in {alias.replace("_", "") for alias in ALIASES}
}
#: Arguments with which more of an optimizer takes part than by default.
OPTIONS: dict[str, dict[str, Any]] = {
    "SGD": {"momentum": 0.9, "dampening": 0.2},
    "Adam": {"amsgrad": True},
    "RMSprop": {"centered": True},
    "Adagrad": {"lr_decay": 0.1},
}
#: A class of ``torch.optim``, options, and those of a second group.
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "sgd": ("SGD", {"lr": 0.1}, {"weight_decay": 0.1}),
    "sgd with momentum": ("SGD", {"lr": 0.1, "momentum": 0.9}, {"momentum": 0.5, "lr": 0.05}),
    "sgd with dampening": ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.3}, {"momentum": 0}),
    "sgd nesterov": ("SGD", {"lr": 0.1, "momentum": 0.8, "nesterov": True}, {"maximize": True}),
    "adam": ("Adam", {"lr": 0.1}, {"betas": (0.5, 0.7), "weight_decay": 0.1}),
    "adam amsgrad": ("Adam", {"lr": 0.1, "amsgrad": True}, {"amsgrad": False, "eps": 1e-3}),
    "adamw": ("AdamW", {"lr": 0.1}, {"weight_decay": 0, "maximize": True}),
    "adamax": ("Adamax", {"lr": 0.1}, {"betas": (0.7, 0.8)}),
    "adagrad": ("Adagrad", {"lr": 0.1}, {"lr_decay": 0.3, "weight_decay": 0.1}),
    "adagrad from 1": ("Adagrad", {"lr": 0.1, "initial_accumulator_value": 1.0}, {"lr": 0.2}),
    "adadelta": ("Adadelta", {"lr": 1.0}, {"rho": 0.7}),
    "rmsprop": ("RMSprop", {"lr": 0.1}, {"alpha": 0.5, "momentum": 0.5}),
    "rmsprop centered": ("RMSprop", {"lr": 0.01, "centered": True}, {"centered": False}),
    "radam": ("RAdam", {"lr": 0.1}, {"betas": (0.8, 0.999)}),
    "nadam": ("NAdam", {"lr": 0.1}, {"betas": (0.8, 0.999), "weight_decay": 0.1}),
    "asgd": ("ASGD", {"lr": 0.1, "lambd": 0.1, "t0": 2.0}, {"t0": 1.0, "alpha": 0.5}),
    "rprop": ("Rprop", {"lr": 0.1}, {"etas": (0.4, 1.3), "maximize": True}),
}
