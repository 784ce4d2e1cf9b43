"""A program in a higher precision, with the random numbers that it draws in its own."""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from torchopt.pytree import flattening as pytree

# Functions, by name: those that draw random numbers, casts, and those that ask for a tensor itself.
_DRAWS = frozenset(
    ["rand", "rand_like", "randn", "randn_like", "randint", "randint_like", "bernoulli", "normal"]
)
_CASTS = frozenset(["float", "half", "bfloat16"])
_AS_IT_IS = frozenset(
    ["__set__", "backward", "grad", "register_hook", "requires_grad_", "retain_grad"]
)


class Precise(TorchFunctionMode):
    """Does each operation in one precision, whatever the dtypes of its arguments, casts among them.

    Autocast leaves operations of float64 as they are.

    Args:
        dtype: The dtype of the operations.
        draws: The dtype in which random numbers are drawn that are like a tensor.
    """

    def __init__(self, dtype: torch.dtype, draws: torch.dtype) -> None:
        super().__init__()
        self._dtype, self._draws = dtype, draws

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation in the precision."""
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name == "__get__":  # an attribute
            out = func(*args, **kwargs)
            is_dtype = isinstance(out, torch.dtype) and out.is_floating_point
            return self._dtype if is_dtype else out
        if name in _AS_IT_IS:
            return func(*args, **kwargs)
        if "dropout" in name and args:
            # On a GPU, which numbers are drawn depends on the dtype.
            mask = func(torch.ones_like(args[0], dtype=self._draws), *args[1:], **kwargs)
            return raised(args[0], self._dtype) * mask
        if name in _DRAWS:
            return raised(func(*raised(args, self._draws), **kwargs), self._dtype)
        if name in _CASTS:
            return args[0].to(self._dtype)
        writes = name.endswith("_") and (not name.endswith("__") or name.startswith("__i"))
        kept = args[:1] if writes or name == "__setitem__" else ()
        args = (*kept, *raised(args[len(kept) :], self._dtype))
        return func(*args, **raised(kwargs, self._dtype))


def raised(tree: Any, dtype: torch.dtype | None) -> Any:
    """Return a tree with each floating tensor in a dtype, and each floating dtype replaced by it."""
    leaves, spec = pytree.flatten_arguments(tree)
    return pytree.unflatten(spec, [_cast(x, dtype) for x in leaves])


def _cast(x: Any, dtype: torch.dtype | None) -> Any:
    if isinstance(x, torch.dtype) and x.is_floating_point:
        return dtype or x
    return x.to(dtype) if isinstance(x, torch.Tensor) and x.is_floating_point() and dtype else x
