"""RAdam, object-oriented."""

from __future__ import annotations

from typing import Any

from torch import nn

from torchopt.alias import radam
from torchopt.optim._meta import MetaOptimizer
from torchopt.optim._optimizer import Optimizer

__all__ = ["MetaRAdam", "RAdam"]


class RAdam(Optimizer):
    """Plain training of parameters with :func:`torchopt.radam` (see its arguments).

    Args:
        params: An iterable of tensors, or any tree of them.

    Example:
        >>> import torch, torchopt
        >>> net = torch.nn.Linear(2, 1)
        >>> optimizer = torchopt.RAdam(net.parameters(), lr=0.1)
        >>> net(torch.ones(1, 2)).sum().backward()
        >>> optimizer.step()
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: Any = 1e-8,
        weight_decay: Any = 0.0,
        *,
        maximize: bool = False,
        use_accelerated_op: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            radam(
                lr=lr,
                betas=betas,
                eps=eps,
                weight_decay=weight_decay,
                maximize=maximize,
                use_accelerated_op=use_accelerated_op,
            ),
        )


class MetaRAdam(MetaOptimizer):
    """Differentiable training of a module with :func:`torchopt.radam` (see its arguments).

    Args:
        module: The module. See :class:`torchopt.MetaOptimizer`.

    Example:
        >>> import torch, torchopt
        >>> net = torch.nn.Linear(2, 1)
        >>> optimizer = torchopt.MetaRAdam(net, lr=0.1)
        >>> optimizer.step(net(torch.ones(1, 2)).square().sum())
        >>> net.weight.is_leaf
        False
    """

    def __init__(
        self,
        module: nn.Module,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: Any = 1e-8,
        weight_decay: Any = 0.0,
        *,
        moment_requires_grad: bool = True,
        maximize: bool = False,
        use_accelerated_op: bool | None = None,
    ) -> None:
        super().__init__(
            module,
            radam(
                lr=lr,
                betas=betas,
                eps=eps,
                weight_decay=weight_decay,
                moment_requires_grad=moment_requires_grad,
                maximize=maximize,
                use_accelerated_op=use_accelerated_op,
            ),
        )
