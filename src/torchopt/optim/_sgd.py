"""SGD, object-oriented."""

from __future__ import annotations

from typing import Any

from torch import nn

from torchopt.alias import sgd
from torchopt.optim._meta import MetaOptimizer
from torchopt.optim._optimizer import Optimizer

__all__ = ["SGD", "MetaSGD"]


class SGD(Optimizer):
    """Plain training of parameters with :func:`torchopt.sgd` (see its arguments).

    Note the order of the positional arguments, which is not that of :func:`torchopt.sgd`.

    Args:
        params: An iterable of tensors, or any tree of them.

    Example:
        >>> import torch, torchopt
        >>> net = torch.nn.Linear(2, 1)
        >>> optimizer = torchopt.SGD(net.parameters(), lr=0.1)
        >>> net(torch.ones(1, 2)).sum().backward()
        >>> optimizer.step()
    """

    def __init__(
        self,
        params: Any,
        lr: Any,
        momentum: Any = 0.0,
        weight_decay: Any = 0.0,
        dampening: Any = 0.0,
        nesterov: bool = False,
        maximize: bool = False,
        *,
        use_accelerated_op: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            sgd(
                lr=lr,
                momentum=momentum,
                weight_decay=weight_decay,
                dampening=dampening,
                nesterov=nesterov,
                maximize=maximize,
                use_accelerated_op=use_accelerated_op,
            ),
        )


class MetaSGD(MetaOptimizer):
    """Differentiable training of a module with :func:`torchopt.sgd` (see its arguments).

    Note the order of the positional arguments, which is not that of :func:`torchopt.sgd`.

    Args:
        module: The module. See :class:`torchopt.MetaOptimizer`.

    Example:
        >>> import torch, torchopt
        >>> net = torch.nn.Linear(2, 1)
        >>> optimizer = torchopt.MetaSGD(net, lr=0.1)
        >>> optimizer.step(net(torch.ones(1, 2)).square().sum())
        >>> net.weight.is_leaf
        False
    """

    def __init__(
        self,
        module: nn.Module,
        lr: Any,
        momentum: Any = 0.0,
        weight_decay: Any = 0.0,
        dampening: Any = 0.0,
        nesterov: bool = False,
        moment_requires_grad: bool = True,
        maximize: bool = False,
        *,
        use_accelerated_op: bool | None = None,
    ) -> None:
        super().__init__(
            module,
            sgd(
                lr=lr,
                momentum=momentum,
                weight_decay=weight_decay,
                dampening=dampening,
                nesterov=nesterov,
                moment_requires_grad=moment_requires_grad,
                maximize=maximize,
                use_accelerated_op=use_accelerated_op,
            ),
        )
