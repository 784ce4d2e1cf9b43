"""SGD for the classes, whose options have an order in ``torch.optim`` and another in TorchOpt 0.7.3."""

from __future__ import annotations

from torchopt import optimizers
from torchopt.io.calls import explained
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform.chaining import GradientTransformation


@explained
def sgd(
    lr: Hyperparameter = 1e-3,
    momentum: Hyperparameter = 0.0,
    *,
    dampening: Hyperparameter = 0.0,
    weight_decay: Hyperparameter = 0.0,
    nesterov: bool = False,
    moment_requires_grad: bool = False,
    maximize: bool = False,
    use_accelerated_op: bool | None = None,
) -> GradientTransformation:
    return optimizers.sgd(**locals())


sgd.__doc__ = optimizers.sgd.__doc__
