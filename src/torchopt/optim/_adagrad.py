"""Adagrad, object-oriented."""

from __future__ import annotations

from typing import Any

from torch import nn

from torchopt.alias import adagrad
from torchopt.optim._meta import MetaOptimizer
from torchopt.optim._optimizer import Optimizer

__all__ = ["AdaGrad", "Adagrad", "MetaAdaGrad", "MetaAdagrad"]


class Adagrad(Optimizer):
    """Plain training of parameters with :func:`torchopt.adagrad` (see its arguments).

    Args:
        params: An iterable of tensors, or any tree of them.

    Example:
        >>> import torch, torchopt
        >>> net = torch.nn.Linear(2, 1)
        >>> optimizer = torchopt.Adagrad(net.parameters(), lr=0.1)
        >>> net(torch.ones(1, 2)).sum().backward()
        >>> optimizer.step()
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lr_decay: Any = 0.0,
        weight_decay: Any = 0.0,
        initial_accumulator_value: Any = 0.0,
        eps: Any = 1e-10,
        *,
        maximize: bool = False,
        use_accelerated_op: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            adagrad(
                lr=lr,
                lr_decay=lr_decay,
                weight_decay=weight_decay,
                initial_accumulator_value=initial_accumulator_value,
                eps=eps,
                maximize=maximize,
                use_accelerated_op=use_accelerated_op,
            ),
        )


class MetaAdagrad(MetaOptimizer):
    """Differentiable training of a module with :func:`torchopt.adagrad` (see its arguments).

    Args:
        module: The module. See :class:`torchopt.MetaOptimizer`.

    Example:
        >>> import torch, torchopt
        >>> net = torch.nn.Linear(2, 1)
        >>> optimizer = torchopt.MetaAdagrad(net, lr=0.1)
        >>> optimizer.step(net(torch.ones(1, 2)).square().sum())
        >>> net.weight.is_leaf
        False
    """

    def __init__(
        self,
        module: nn.Module,
        lr: Any = 1e-2,
        lr_decay: Any = 0.0,
        weight_decay: Any = 0.0,
        initial_accumulator_value: Any = 0.0,
        eps: Any = 1e-10,
        *,
        maximize: bool = False,
        use_accelerated_op: bool | None = None,
    ) -> None:
        super().__init__(
            module,
            adagrad(
                lr=lr,
                lr_decay=lr_decay,
                weight_decay=weight_decay,
                initial_accumulator_value=initial_accumulator_value,
                eps=eps,
                maximize=maximize,
                use_accelerated_op=use_accelerated_op,
            ),
        )


AdaGrad = Adagrad
MetaAdaGrad = MetaAdagrad
