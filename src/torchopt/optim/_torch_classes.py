"""The optimizers of ``torch.optim`` as transformations, and the way back."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch

from torchopt import alias
from torchopt.alias.descent import descend
from torchopt.transform import scale_by_radam
from torchopt.transform.chaining import GradientTransformation

__all__ = ["CLASSES", "class_of", "options_of"]


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


#: For each class, the transformation for the options of a parameter group, which it takes by name.
#: Subclasses that step in the same way, as AdamW, are of the class.
CLASSES: dict[type[torch.optim.Optimizer], Callable[..., GradientTransformation]] = {
    torch.optim.SGD: alias.sgd,
    torch.optim.Adam: _adam,
    torch.optim.RAdam: _radam,
    torch.optim.Adamax: alias.adamax,
    torch.optim.Adadelta: alias.adadelta,
    torch.optim.Adagrad: alias.adagrad,
    torch.optim.RMSprop: alias.rmsprop,
}
# These say how PyTorch computes a step, not what.
_EXECUTION = {"foreach", "fused", "capturable", "differentiable"}


def class_of(optimizer: torch.optim.Optimizer) -> type[torch.optim.Optimizer]:
    """Return the class of which an optimizer is.

    Raises:
        TypeError: If it is none of those that are known.
    """
    for cls in CLASSES:
        if isinstance(optimizer, cls):
            return cls
    known = ", ".join(cls.__name__ for cls in CLASSES)
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
    known = inspect.signature(CLASSES[class_of(optimizer)]).parameters
    for name in names:
        if name not in known:
            raise ValueError(
                f"option `{name}` of {type(optimizer).__name__} is not known here: use another "
                f"optimizer, or a mode that does not unroll."
            )
    return names
