"""Adadelta, object-oriented."""

from __future__ import annotations

from typing import Any

from torch import nn

from torchopt.alias import adadelta
from torchopt.optim._meta import MetaOptimizer
from torchopt.optim._optimizer import Optimizer

__all__ = ["AdaDelta", "Adadelta", "MetaAdaDelta", "MetaAdadelta"]


class Adadelta(Optimizer):
    """Plain training of parameters with :func:`torchopt.adadelta` (see its arguments).

    Args:
        params: An iterable of tensors, or any tree of them.

    Example:
        >>> import torch, torchopt
        >>> net = torch.nn.Linear(2, 1)
        >>> optimizer = torchopt.Adadelta(net.parameters(), lr=0.1)
        >>> net(torch.ones(1, 2)).sum().backward()
        >>> optimizer.step()
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
        rho: Any = 0.9,
        eps: Any = 1e-6,
        weight_decay: Any = 0.0,
        *,
        maximize: bool = False,
        use_accelerated_op: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            adadelta(
                lr=lr,
                rho=rho,
                eps=eps,
                weight_decay=weight_decay,
                maximize=maximize,
                use_accelerated_op=use_accelerated_op,
            ),
        )


class MetaAdadelta(MetaOptimizer):
    """Differentiable training of a module with :func:`torchopt.adadelta` (see its arguments).

    Args:
        module: The module. See :class:`torchopt.MetaOptimizer`.

    Example:
        >>> import torch, torchopt
        >>> net = torch.nn.Linear(2, 1)
        >>> optimizer = torchopt.MetaAdadelta(net, lr=0.1)
        >>> optimizer.step(net(torch.ones(1, 2)).square().sum())
        >>> net.weight.is_leaf
        False
    """

    def __init__(
        self,
        module: nn.Module,
        lr: Any = 1.0,
        rho: Any = 0.9,
        eps: Any = 1e-6,
        weight_decay: Any = 0.0,
        *,
        moment_requires_grad: bool = True,
        maximize: bool = False,
        use_accelerated_op: bool | None = None,
    ) -> None:
        super().__init__(
            module,
            adadelta(
                lr=lr,
                rho=rho,
                eps=eps,
                weight_decay=weight_decay,
                moment_requires_grad=moment_requires_grad,
                maximize=maximize,
                use_accelerated_op=use_accelerated_op,
            ),
        )


AdaDelta = Adadelta
MetaAdaDelta = MetaAdadelta
