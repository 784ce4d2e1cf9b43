"""Modules as functions of their tensors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from torchopt import checks
from torchopt.modules import functional
from torchopt.modules.wrapped import refuse_wrapped
from torchopt.pytree.named import in_order
from torchopt.utils import module_clone


def functional_call(
    module: nn.Module,
    tensors: Mapping[str, torch.Tensor] | Sequence[torch.Tensor],
    args: Any = (),
    kwargs: Mapping[str, Any] | None = None,
) -> Any:
    """Call a module with some of its parameters and buffers replaced.

    Like :func:`torch.func.functional_call`, but also correct if the model checkpoints activations: the
    recomputation in the backward pass sees the new tensors. A region that changes buffers is refused.

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
            number of tensors is not that of parameters.
        TypeError: If a value is not a tensor, or the module is wrapped (DDP, FSDP).

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
    _check_module(module, "functional_call")
    checks.check("`tensors` of `functional_call`", tensors, _TENSORS)
    checks.check("`kwargs` of `functional_call`", kwargs, checks.or_none(_KWARGS))
    args = args if isinstance(args, tuple) else (args,)
    return functional.call(module, functional.named(module, tensors), args, kwargs)


_MODULE = checks.of_type(nn.Module, "a `torch.nn.Module`")
_TENSORS = checks.Word(
    "pass new tensors by name, such as `dict(module.named_parameters())`; inputs come third",
    Iterable,
    lambda given: not isinstance(given, (torch.Tensor, nn.Module)),
    TypeError,
)
_KWARGS = checks.of_type(Mapping, "several inputs as one tuple")
_PARAMS = checks.of_type(
    (tuple, list, Mapping),
    "the tuple of parameters first, as `make_functional` returned it, and then the inputs",
)


class FunctionalModule:
    """A module as a function ``fmodel(params, *args, **kwargs)``; see :func:`make_functional`.

    Attributes:
        names: The dotted names of the parameters, in their order.
    """

    def __init__(self, module: nn.Module, names: Sequence[str]) -> None:
        self.module = module
        self.names = tuple(names)
        slots = functional.tensor_slots(module, buffers=False)
        places = {name: (submodule, attribute) for name, submodule, attribute in slots}
        self._slots = [places[name] for name in self.names]

    def __call__(
        self,
        params: Sequence[torch.Tensor] | Mapping[str, torch.Tensor],
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        checks.check("the first argument", params, _PARAMS)
        params = tuple(in_order(params, self.names, what="params"))
        if len(params) != len(self.names):
            raise ValueError(
                f"{type(self.module).__name__} has {len(self.names)} parameters, but {len(params)} "
                f"tensors were given: pass a tuple like the one that `make_functional` returned."
            )
        if checks.transforms_active():
            tensors = dict(zip(self.names, params, strict=True))
            return functional.call(self.module, tensors, args, kwargs)
        olds = (submodule._parameters[attribute] for submodule, attribute in self._slots)
        replacements = {id(old): new for old, new in zip(olds, params, strict=True)}
        return functional.FunctionalCopy(self.module, replacements)(*args, **kwargs)

    def __repr__(self) -> str:
        return f"FunctionalModule({self.module!r})"


def make_functional(module: nn.Module) -> tuple[FunctionalModule, tuple[torch.Tensor, ...]]:
    """Split a module into a function and a tuple of copies of its parameters, as functorch did.

    For existing programs. New programs call the module by :func:`functional_call` with
    ``dict(module.named_parameters())``.

    Args:
        module: Left as it is: parameters and buffers are copied. The meta-parameters of a
            :class:`MetaGradientModule` are shared, as what is differentiated by.

    Returns:
        ``fmodel`` and ``params``. ``fmodel(params, *args, **kwargs)`` calls the module with these
        parameters, or with a dict of them by the names ``fmodel.names``. ``params`` has each parameter
        that requires grad, once where weights are tied; frozen parameters and buffers belong to
        ``fmodel``.

    Raises:
        ValueError: If no parameter requires grad.
        TypeError: If the module is wrapped for data parallelism (DDP, FSDP).

    Example:
        >>> import torch
        >>> fmodel, params = make_functional(torch.nn.Linear(2, 1))
        >>> fmodel(params, torch.ones(3, 2)).shape
        torch.Size([3, 1])
    """
    _check_module(module, "make_functional")
    tensors = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    copied = functional.functional_copy(module, module_clone(tensors, by="deepcopy")).module
    named = {name: p for name, p in copied.named_parameters() if p.requires_grad}
    if not named:
        raise ValueError(f"no parameter of {type(module).__name__} requires grad.")
    return FunctionalModule(copied, tuple(named)), tuple(named.values())


def _check_module(module: Any, function: str) -> None:
    checks.check(f"`module` of `{function}`", module, _MODULE)
    refuse_wrapped(module, what=f"`{function}`")
