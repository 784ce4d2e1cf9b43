"""Swap tensors of a module, for good or for a while."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from torchopt.modules import functional
from torchopt.modules.wrapped import refuse_wrapped

__all__ = ["reparameterize", "reparametrize", "swap_state"]

MISSING = object()


def swap_state(
    module: nn.Module,
    named_tensors: Mapping[str, Any] | Iterable[tuple[str, Any]] | Sequence[torch.Tensor],
    allow_missing: bool = False,
) -> dict[str, Any]:
    """Put tensors into a module and return those that were there.

    Args:
        module: Changed in place. A checkpointed region that is computed again after that raises.
        named_tensors: New tensors by dotted name; a tied tensor is replaced under all of its names.
            Or one for each of ``named_parameters()``, in their order.
        allow_missing: Whether a name may be new to the module.

    Returns:
        The old tensors by name; swapping them in restores the module.

    Raises:
        AttributeError: If a name is missing; nothing is then changed.

    Example:
        >>> import torch
        >>> from torchopt.compat import swap_state
        >>> net = torch.nn.Linear(1, 1, bias=False)
        >>> old = swap_state(net, {"weight": torch.tensor([[2.0]])})
        >>> net(torch.ones(1, 1))
        tensor([[2.]])
        >>> _ = swap_state(net, old)
        >>> isinstance(net.weight, torch.nn.Parameter)
        True
    """
    functional.watch(module)
    tensors = functional.named(module, named_tensors)
    places: dict[int, list[tuple[dict[str, Any], str]]] = {}
    for _, submodule, attribute in functional.tensor_slots(module):
        slot = (functional.table_of(submodule, attribute), attribute)
        places.setdefault(id(slot[0][attribute]), []).append(slot)
    swaps = []
    for name, new in tensors.items():
        owner_name, _, attribute = name.rpartition(".")
        owner = module.get_submodule(owner_name)
        table = functional.table_of(owner, attribute)
        if attribute not in table and not allow_missing and new is not MISSING:
            raise AttributeError(
                f"{type(owner).__name__} has no attribute {attribute!r} (of `{name}`): use the names "
                f"of `named_parameters()` and `named_buffers()`, or `allow_missing=True`."
            )
        old = table.get(attribute, MISSING)
        swaps.append((name, places.get(id(old), []), (table, attribute), old, new))
    # Ties first, then each name itself: two names may have shared a tensor for a while only.
    tied = [(slot, new) for _, slots, _, _, new in swaps for slot in slots]
    for (table, attribute), new in (*tied, *((slot, new) for _, _, slot, _, new in swaps)):
        if new is MISSING:
            table.pop(attribute, None)
        else:
            table[attribute] = new
    functional.note_write(module)
    return {name: old for name, _, _, old, _ in swaps}


@contextmanager
def reparametrize(
    module: nn.Module,
    named_tensors: (
        Mapping[str, torch.Tensor] | Iterable[tuple[str, torch.Tensor]] | Sequence[torch.Tensor]
    ),
    allow_missing: bool = False,
) -> Iterator[nn.Module]:
    """Put tensors into a module for the time of a ``with`` block.

    If calls made in the block checkpoint activations, take their gradients in it, too: a region that
    is computed again after the block raises. :func:`torchopt.remat` and
    :func:`torchopt.nn.functional_call` keep the tensors.

    Args:
        module: The module; it is restored at the end of the block, also after an exception.
        named_tensors: New tensors by dotted name; a tied tensor is replaced under all of its names.
            Or one for each of ``named_parameters()``, in their order.
        allow_missing: Whether a name may be new to the module.

    Yields:
        The module.

    Raises:
        AttributeError: If a name is missing.

    Example:
        >>> import torch
        >>> from torchopt.compat import reparametrize
        >>> net = torch.nn.Linear(1, 1, bias=False)
        >>> with reparametrize(net, {"weight": torch.tensor([[2.0]])}):
        ...     net(torch.ones(1, 1))
        tensor([[2.]])
    """
    refuse_wrapped(module, what="`reparametrize`")
    old = swap_state(module, named_tensors, allow_missing)
    try:
        yield module
    finally:
        swap_state(module, old, allow_missing=True)


reparameterize = reparametrize
