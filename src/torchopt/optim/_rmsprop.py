"""RMSprop, object-oriented."""

from __future__ import annotations

from typing import Any

from torch import nn

from torchopt.alias import rmsprop
from torchopt.optim._meta import MetaOptimizer
from torchopt.optim._optimizer import Optimizer

__all__ = ["MetaRMSProp", "MetaRMSprop", "RMSProp", "RMSprop"]


class RMSprop(Optimizer):
    """Plain training of parameters with :func:`torchopt.rmsprop` (see its arguments).

    Args:
        params: An iterable of tensors, or any tree of them.

    Example:
        >>> import torch, torchopt
        >>> net = torch.nn.Linear(2, 1)
        >>> optimizer = torchopt.RMSprop(net.parameters(), lr=0.1)
        >>> net(torch.ones(1, 2)).sum().backward()
        >>> optimizer.step()
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        alpha: Any = 0.99,
        eps: Any = 1e-8,
        weight_decay: Any = 0.0,
        momentum: Any = 0.0,
        centered: bool = False,
        *,
        initial_scale: Any = 0.0,
        nesterov: bool = False,
        maximize: bool = False,
        use_accelerated_op: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            rmsprop(
                lr=lr,
                alpha=alpha,
                eps=eps,
                weight_decay=weight_decay,
                momentum=momentum,
                centered=centered,
                initial_scale=initial_scale,
                nesterov=nesterov,
                maximize=maximize,
                use_accelerated_op=use_accelerated_op,
            ),
        )


class MetaRMSprop(MetaOptimizer):
    """Differentiable training of a module with :func:`torchopt.rmsprop` (see its arguments).

    Args:
        module: The module. See :class:`torchopt.MetaOptimizer`.

    Example:
        >>> import torch, torchopt
        >>> net = torch.nn.Linear(2, 1)
        >>> optimizer = torchopt.MetaRMSprop(net, lr=0.1)
        >>> optimizer.step(net(torch.ones(1, 2)).square().sum())
        >>> net.weight.is_leaf
        False
    """

    def __init__(
        self,
        module: nn.Module,
        lr: Any = 1e-2,
        alpha: Any = 0.99,
        eps: Any = 1e-8,
        weight_decay: Any = 0.0,
        momentum: Any = 0.0,
        centered: bool = False,
        *,
        initial_scale: Any = 0.0,
        nesterov: bool = False,
        maximize: bool = False,
        use_accelerated_op: bool | None = None,
    ) -> None:
        super().__init__(
            module,
            rmsprop(
                lr=lr,
                alpha=alpha,
                eps=eps,
                weight_decay=weight_decay,
                momentum=momentum,
                centered=centered,
                initial_scale=initial_scale,
                nesterov=nesterov,
                maximize=maximize,
                use_accelerated_op=use_accelerated_op,
            ),
        )


RMSProp = RMSprop
MetaRMSProp = MetaRMSprop
