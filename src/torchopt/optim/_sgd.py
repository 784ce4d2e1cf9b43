"""SGD with the order of arguments of the published package's classes: its function has another."""

from __future__ import annotations

from typing import Any

from torchopt import optimizers
from torchopt.transform.chaining import GradientTransformation


def sgd(
    lr: Any,
    momentum: Any = 0.0,
    weight_decay: Any = 0.0,
    dampening: Any = 0.0,
    nesterov: bool = False,
    maximize: bool = False,
    *,
    moment_requires_grad: bool = False,
    use_accelerated_op: bool | None = None,
) -> GradientTransformation:
    return optimizers.sgd(**locals())


def meta_sgd(
    lr: Any,
    momentum: Any = 0.0,
    weight_decay: Any = 0.0,
    dampening: Any = 0.0,
    nesterov: bool = False,
    moment_requires_grad: bool = True,
    maximize: bool = False,
    *,
    use_accelerated_op: bool | None = None,
) -> GradientTransformation:
    return optimizers.sgd(**locals())


meta_sgd.__name__ = sgd.__name__
meta_sgd.__doc__ = sgd.__doc__ = optimizers.sgd.__doc__
