"""SGD for the classes, whose options have an order in ``torch.optim`` and another in TorchOpt 0.7.3."""

from __future__ import annotations

from typing import Any

from torchopt import optimizers
from torchopt.transform.chaining import GradientTransformation


def sgd(
    lr: Any,
    momentum: Any = 0.0,
    *,
    dampening: Any = 0.0,
    weight_decay: Any = 0.0,
    nesterov: bool = False,
    moment_requires_grad: bool = False,
    maximize: bool = False,
    use_accelerated_op: bool | None = None,
) -> GradientTransformation:
    return optimizers.sgd(**locals())


sgd.__doc__ = optimizers.sgd.__doc__
