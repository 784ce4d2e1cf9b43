"""AdamW, object-oriented."""

from __future__ import annotations

from typing import Any

from torch import nn

from torchopt.alias import adamw
from torchopt.optim._meta import MetaOptimizer
from torchopt.optim._optimizer import Optimizer

__all__ = ["AdamW", "MetaAdamW"]


class AdamW(Optimizer):
    """Plain training of parameters with :func:`torchopt.adamw` (see its arguments).

    Args:
        params: An iterable of tensors, or any tree of them.

    Example:
        >>> import torch, torchopt
        >>> net = torch.nn.Linear(2, 1)
        >>> optimizer = torchopt.AdamW(net.parameters(), lr=0.1)
        >>> net(torch.ones(1, 2)).sum().backward()
        >>> optimizer.step()
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: Any = 1e-8,
        weight_decay: Any = 1e-2,
        *,
        eps_root: Any = 0.0,
        mask: Any = None,
        maximize: bool = False,
        amsgrad: bool = False,
        use_accelerated_op: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            adamw(
                lr=lr,
                betas=betas,
                eps=eps,
                weight_decay=weight_decay,
                eps_root=eps_root,
                mask=mask,
                maximize=maximize,
                amsgrad=amsgrad,
                use_accelerated_op=use_accelerated_op,
            ),
        )


class MetaAdamW(MetaOptimizer):
    """Differentiable training of a module with :func:`torchopt.adamw` (see its arguments).

    Args:
        module: The module. See :class:`torchopt.MetaOptimizer`.

    Example:
        >>> import torch, torchopt
        >>> net = torch.nn.Linear(2, 1)
        >>> optimizer = torchopt.MetaAdamW(net, lr=0.1)
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
        weight_decay: Any = 1e-2,
        *,
        eps_root: Any = 0.0,
        mask: Any = None,
        moment_requires_grad: bool = False,
        maximize: bool = False,
        amsgrad: bool = False,
        use_accelerated_op: bool | None = None,
    ) -> None:
        super().__init__(
            module,
            adamw(
                lr=lr,
                betas=betas,
                eps=eps,
                weight_decay=weight_decay,
                eps_root=eps_root,
                mask=mask,
                moment_requires_grad=moment_requires_grad,
                maximize=maximize,
                amsgrad=amsgrad,
                use_accelerated_op=use_accelerated_op,
            ),
        )
