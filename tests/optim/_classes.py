"""The optimizers' classes, as the package exports them."""

from __future__ import annotations

from typing import Any

import torchopt
from torchopt import optim


def _subclasses(base: type[Any]) -> dict[str, type[Any]]:
    classes = {name: getattr(optim, name) for name in optim.__all__}
    return {
        name: cls
        for name, cls in classes.items()
        if issubclass(cls, base) and cls is not base and cls.__name__ == name
    }


#: Name and class of each optimizer for plain training; second spellings are left out.
PLAIN = _subclasses(torchopt.Optimizer)
#: The same for differentiable steps of a module.
META = _subclasses(torchopt.MetaOptimizer)
#: Arguments with which more of an optimizer takes part than by default.
OPTIONS: dict[str, dict[str, Any]] = {
    "SGD": {"momentum": 0.9, "dampening": 0.2},
    "Adam": {"amsgrad": True},
    "RMSprop": {"centered": True},
    "Adagrad": {"lr_decay": 0.1},
}
