"""What differs inside of ``torch.func``, where no graph shows what is read: variables, and products."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from itertools import compress
from typing import Any, TypeAlias

import torch
from torch.autograd import forward_ad

from torchopt.autodiff.captured import entering
from torchopt.autodiff.edges import now
from torchopt.autodiff.function_mode import BackwardAwareMode
from torchopt.autodiff.graph import Cotangents, Tensors, sequence_number
from torchopt.autodiff.second_order import Watch
from torchopt.autodiff.tracking import is_differentiable
from torchopt.autodiff.transforms import (
    current_level,
    is_wrapped,
    level_of,
    outside,
    stack_of_levels,
    unwrapped,
)
from torchopt.pytree.flattening import flatten_arguments

Function: TypeAlias = Callable[..., tuple[torch.Tensor, ...]]


class Reads(BackwardAwareMode):
    """Collects the variables that a function captures, at the present level of ``torch.func``.

    A variable requires grad, belongs to a transform, or has a tangent. Tensors of a transform inside of
    the function are not captured. Other tensors from outside are constants.

    Args:
        given: The arguments of the function.
        named: The identities of tensors that the function names, which it has not made.

    Attributes:
        free: The variables, in the order in which they are read.
        older: The identities of those variables that require grad, at any level, and that were there
            before the function was called.
    """

    def __init__(self, given: Iterable[Any], named: Container[int] = ()) -> None:
        super().__init__()
        self.free: list[torch.Tensor] = []
        self.older: set[int] = set()
        self._level = current_level()
        self._known = {id(t): t for t in given}
        self._below: dict[int, torch.Tensor] = {}
        for t in list(self._known.values()):
            if t is not None:
                self._note_below(t)
        self._named = named
        self._levels = stack_of_levels()
        with outside():
            self._start = now()

    def visit(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Look for captured tensors among the arguments of an operation, and run it."""
        if func.__name__ == "__get__":
            attribute = self.run(func, args, kwargs)
            if not isinstance(attribute, torch.Tensor):
                return attribute
        known = self._known
        for value in flatten_arguments((args, kwargs))[0]:
            if isinstance(value, torch.Tensor) and id(value) not in known:
                self._meet(entering(func, value, self._level, known))
        out = self.run(func, args, kwargs)
        self.know(out)
        return out

    def know(self, results: Any) -> None:
        """Take note of tensors that the function has made."""
        for t in (results,) if isinstance(results, torch.Tensor) else flatten_arguments(results)[0]:
            if isinstance(t, torch.Tensor):
                self._known[id(t)] = t

    def _meet(self, value: torch.Tensor) -> None:
        inside = level_of(value) > self._level  # made by a transform inside of the function
        if inside or id(value) in self._known or not self._is_variable(value):
            return
        self.free.append(value)
        below = id(value) in self._below and stack_of_levels()[: len(self._levels)] != self._levels
        if not below and self._is_older(value):
            self.older.add(id(value))
        self._note_below(value)
        self._known[id(value)] = value

    def _note_below(self, value: torch.Tensor) -> None:
        # Rules of transforms read the tensors below those that the function reads.
        while is_wrapped(value):
            value = unwrapped(value)
            self._below[id(value)] = value

    def _is_older(self, value: torch.Tensor) -> bool:
        # Rules of torch.func for custom Functions make tensors that no operation returns.
        named = id(value) in self._named
        while not (value.requires_grad and sequence_number(value) < self._start):
            if not is_wrapped(value):
                return False
            value = unwrapped(value)
            named |= id(value) in self._named
        return named or value.grad_fn is not None

    def _is_variable(self, value: torch.Tensor) -> bool:
        # Of any dtype: labels may be batched.
        if value.requires_grad or 0 < level_of(value) <= self._level:
            return True
        moving = forward_ad._current_level >= 0 and not self._level and value.is_floating_point()
        return moving and forward_ad.unpack_dual(value).tangent is not None


def functional_vjp(
    function: Function, inputs: Tensors, cotangents: Cotangents
) -> list[torch.Tensor | None]:
    """Return the cotangents of inputs by ``torch.func.vjp``; None where they are no real numbers."""
    moving = [is_differentiable(t) for t in inputs]  # counters have no derivative
    kept: list[bool] = []  # which results have one
    watches: list[Watch] = []

    def watched(*values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        it = iter(values)
        every = function(*(next(it) if m else t for t, m in zip(inputs, moving, strict=True)))
        kept[:] = map(is_differentiable, every)
        out = tuple(compress(every, kept))
        watches.append(Watch(out, values, constant=True))
        return out

    out, pull = torch.func.vjp(watched, *compress(inputs, moving))[:2]
    pairs = zip(out, compress(cotangents, kept), strict=True)
    given = [torch.zeros_like(y) if c is None else c for y, c in pairs]
    with watches[0] as watch:
        gradients = iter(watch.checked(pull(tuple(given)), (*out, *given)))
    return [next(gradients) if m else None for m in moving]
