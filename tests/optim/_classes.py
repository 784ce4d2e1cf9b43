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
