"""Modules as functions of a tuple of parameters, as functorch makes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

from torchopt import checks
from torchopt.modules import functional
from torchopt.modules.wrapped import check_module
from torchopt.nn import module_clone
from torchopt.pytree.named import in_order

__all__ = ["FunctionalModule", "make_functional"]

_PARAMS = checks.of_type(
    (tuple, list, Mapping),
    "the tuple of parameters first, as `make_functional` returned it, and then the inputs",
)


class FunctionalModule:
    """A module as a function ``fmodel(params, *args, **kwargs)``; see :func:`make_functional`.

    Attributes:
        names: The dotted names of the parameters, in their order.

    Example:
        >>> import torch
        >>> from torchopt.compat import make_functional
        >>> fmodel, params = make_functional(torch.nn.Linear(2, 1))
        >>> fmodel.names
        ('weight', 'bias')
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
        """Call the module with these parameters, in the order of ``names`` or by name."""
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

    New programs call the module by :func:`torchopt.nn.functional_call` with
    ``dict(module.named_parameters())``.

    Args:
        module: Left as it is: parameters and buffers are copied. The meta-parameters of a
            :class:`torchopt.nn.MetaGradientModule` are shared, as what is differentiated by.

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
        >>> from torchopt.compat import make_functional
        >>> fmodel, params = make_functional(torch.nn.Linear(2, 1))
        >>> fmodel(params, torch.ones(3, 2)).shape
        torch.Size([3, 1])
    """
    check_module(module, "make_functional")
    tensors = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    copied = functional.functional_copy(module, module_clone(tensors, by="deepcopy")).module
    named = {name: p for name, p in copied.named_parameters() if p.requires_grad}
    if not named:
        raise ValueError(f"no parameter of {type(module).__name__} requires grad.")
    return FunctionalModule(copied, tuple(named)), tuple(named.values())
