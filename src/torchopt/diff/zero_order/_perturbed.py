"""Tensors that a function sees moved, though nothing is written to them nor a moved copy kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import torch
from torch.overrides import TorchFunctionMode

from torchopt.autodiff import transforms
from torchopt.pytree import flattening as pytree
from torchopt.pytree import tree_flatten


class Perturbation(Protocol):
    """How one tensor is moved."""

    def moved(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the tensor where it is moved to."""
        ...

    def product(self, func: Any, args: Any, kwargs: Any, tensor: torch.Tensor) -> Any:
        """Return the result of an operation on the moved tensor, or None where it has to be made."""
        ...


class Perturbed(TorchFunctionMode):
    """Lets each operation that reads one of some tensors see it moved.

    What an operation sees is made for it and dropped after it. Within :func:`evaluating`, since the
    compiler would make a program for each of the moves.

    Args:
        table: How tensors are moved, by their identity.

    Attributes:
        seen: The tensors that were read.
        transforms: Whether operations ran within a transform of ``torch.func``, which hides tensors.
    """

    def __init__(self, table: Mapping[int, Perturbation]) -> None:
        super().__init__()
        self._table = table
        self.seen: set[int] = set()
        self.transforms = False

    def __enter__(self) -> Perturbed:
        self._depth = transforms.current_level()
        super().__enter__()
        return self

    def result(self, value: Any) -> Any:
        """Return what a function returned, moved if it is one of the tensors itself."""
        if id(value) not in self._table:
            return value
        self.seen.add(id(value))
        return self._table[id(value)].moved(value)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation on the moved tensors."""
        kwargs = kwargs or {}
        self.transforms = self.transforms or transforms.current_level() > self._depth
        leaves, spec = tree_flatten((args, kwargs), none_is_leaf=True)
        read = [x for x in leaves if id(x) in self._table]
        if not read or _reads_no_values(func):
            return func(*args, **kwargs)
        if _writes(func) and any(x is args[0] for x in read):
            raise _written(func, read[0])
        self.seen.update(map(id, read))
        if len(read) == 1:
            out = self._table[id(read[0])].product(func, args, kwargs, read[0])
            if out is not None:
                return out
        moved = {id(x): self._table[id(x)].moved(x) for x in read}
        versions = list(map(_version, moved.values()))
        args, kwargs = pytree.unflatten(spec, [moved.get(id(x), x) for x in leaves])
        out = func(*args, **kwargs)
        if versions != list(map(_version, moved.values())):  # by `out=`, or in a list
            raise _written(func, read[0])
        return out


def _written(func: Any, tensor: torch.Tensor) -> ValueError:
    return ValueError(
        f"the function writes to a parameter of shape {tuple(tensor.shape)} by "
        f"`{getattr(func, '__name__', func)}`, but it is evaluated where the parameter is moved: write "
        f"to a copy, or after the step."
    )


def _version(tensor: torch.Tensor) -> int:
    return 0 if tensor.is_inference() else tensor._version


# What tells of a tensor, but not its values: attributes other than these, and some methods.
_VALUES = frozenset({"T", "mT", "H", "mH", "data", "real", "imag"})
_METHODS = frozenset({"size", "dim", "ndimension", "numel", "nelement", "stride", "element_size"})
_METHODS |= {"get_device", "is_floating_point", "is_complex", "is_contiguous", "requires_grad_"}
_METHODS |= {"__len__", "__hash__"}


def _reads_no_values(func: Any) -> bool:
    name = getattr(func, "__name__", "")
    if name in ("__get__", "__set__", "__delete__"):
        return getattr(func.__self__, "__name__", "") not in _VALUES
    return name in _METHODS


def _writes(func: Any) -> bool:
    name = getattr(func, "__name__", "")
    return name in ("__setitem__", "__set__") or (name.endswith("_") and not name.endswith("__"))
