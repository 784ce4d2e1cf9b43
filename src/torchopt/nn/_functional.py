"""Modules as functions of their tensors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from torchopt import checks
from torchopt.modules import functional
from torchopt.modules.wrapped import check_module


def functional_call(
    module: nn.Module,
    tensors: Mapping[str, torch.Tensor] | Sequence[torch.Tensor],
    args: object = (),
    kwargs: Mapping[str, object] | None = None,
) -> Any:
    """Call a module with some of its parameters and buffers replaced.

    Like :func:`torch.func.functional_call`, but also correct if the model checkpoints activations: the
    recomputation in the backward pass sees the new tensors. A region that changes buffers is refused.

    A module that ``fully_shard`` (FSDP2) has divided is called without its hooks: each parameter that
    is a DTensor is gathered where the module reads it, by :func:`torchopt.distributed.spmd.unshard`, in
    the dtypes of the module's ``MixedPrecisionPolicy``. Each process calls with data of its own, and
    a gradient is the sum over the processes (that of ``backward()`` is their mean).

    Args:
        module: The module. It is not modified, except for attributes that its ``forward`` assigns and
            buffers that it changes in place.
        tensors: New tensors by dotted name, as in ``named_parameters()`` and ``named_buffers()``; a
            tied tensor is replaced under all of its names. Or one for each of ``named_parameters()``,
            in their order.
        args: Positional arguments, or the only one.
        kwargs: Keyword arguments.

    Returns:
        What the module returns.

    Raises:
        ValueError: If a name is not in the module, tied names are given different tensors, or the
            number of tensors is not that of parameters; or if a divided module is gathered, as after
            a forward pass of its own, or is divided by tensor parallelism, too.
        TypeError: If a value is not a tensor, the module is wrapped (DDP, FSDP1), or it is divided by
            ``fully_shard`` and the call is inside :mod:`torch.func`.

    Example:
        >>> import torch, torchopt
        >>> net = torch.nn.Linear(1, 1, bias=False)
        >>> functional_call(net, {"weight": torch.tensor([[3.0]])}, torch.ones(1, 1))
        tensor([[3.]])

        The parameters of an inner problem are a dict by name:

        >>> def objective(params):
        ...     return (functional_call(net, params, torch.ones(1, 1)) - 2).square().sum()
        >>> params = dict(net.named_parameters())
        >>> solution = torchopt.minimize(objective, params, solver=torchopt.sgd(0.5), steps=1)
        >>> round(solution.params["weight"].item(), 4)
        2.0
    """
    check_module(module, "functional_call", sharded=not checks.transforms_active())
    checks.check("`tensors` of `functional_call`", tensors, _TENSORS)
    checks.check("`kwargs` of `functional_call`", kwargs, _KWARGS)
    args = args if isinstance(args, tuple) else (args,)
    return functional.call(module, tensors, args, kwargs or {})


_TENSORS = checks.Word(
    "pass new tensors by name, such as `dict(module.named_parameters())`; inputs come third",
    Iterable,
    lambda given: not isinstance(given, (torch.Tensor, nn.Module)),
    TypeError,
)
_KWARGS = checks.or_none(checks.of_type(Mapping, "several inputs as one tuple"))
