"""The tensors that a function captures where its graph does not show them, and how to replace them.

Each operation shows its arguments, also those of hooks and custom backward functions, which run while
a gradient is taken. Inside of ``torch.func``, :class:`torchopt.autodiff.functional.Reads` collects
captured tensors in this way; outside, they are where a graph ends (:mod:`torchopt.autodiff.edges`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

import torch
from torch.autograd.graph import GradientEdge

from torchopt.autodiff.edges import key_of, now
from torchopt.autodiff.function_mode import BackwardAwareMode
from torchopt.autodiff.graph import is_custom, is_hook_of_module, nodes_reached, sequence_number
from torchopt.autodiff.transforms import (
    add_batch_axis,
    batch_axis,
    current_level,
    is_batched,
    level_of,
    unwrapped,
)
from torchopt.errors import ReplayError
from torchopt.pytree import flattening as pytree
from torchopt.pytree.flattening import flatten_arguments

_LOOKS = {"__get__", "__set__"}
"""They compute nothing. PyTorch sets one while it locks a tensor, whose node cannot be asked for."""


class Altered(BackwardAwareMode):
    """Finds out whether a gradient that a function takes may differ from the derivative.

    It does by a hook, or by a custom backward function that reads a variable which its forward function
    does not read.

    Args:
        *outputs: What a gradient is taken of that the whole mode is about; of none, the mode is about a
            function that takes gradients.
        start: What :func:`torchopt.autodiff.edges.now` returned before the function; None for now.

    Attributes:
        read: Such variables.
    """

    def __init__(self, *outputs: torch.Tensor | GradientEdge, start: int | None = None) -> None:
        super().__init__()
        self.read: list[torch.Tensor] = []
        self._altered = False
        self._start = now() if start is None else start
        self._shown: set[Any] = set()  # inputs of custom autograd Functions
        if outputs:
            self.backward = 1
            self._show(outputs)

    @property
    def found(self) -> bool:
        """Whether one did."""
        return bool(self._altered or self.hooked or self.read)

    def visit(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Look at what is read while a gradient is taken."""
        if func is torch.autograd.grad:
            self._show(args[0] if isinstance(args[0], (tuple, list)) else [args[0]])
        elif self.backward and not (func.__name__ in _LOOKS or torch.is_grad_enabled()):
            for x in flatten_arguments((args, kwargs))[0]:
                variable = isinstance(x, torch.Tensor) and x.requires_grad
                older = variable and sequence_number(x) < self._start
                if older and key_of(x) not in self._shown:
                    self.read.append(x)
        return self.run(func, args, kwargs)

    def _show(self, outputs: Iterable[torch.Tensor | GradientEdge]) -> None:
        for node in nodes_reached(outputs):
            self._altered |= is_hook_of_module(node)
            if is_custom(node):
                self._shown.update(
                    id(end[0].variable) if hasattr(end[0], "variable") else end
                    for end in node.next_functions
                )


class Substitute(BackwardAwareMode):
    """Replaces the tensors that a function captures by others.

    Args:
        table: The new tensors, by the identity of the captured ones.
        replaced: Captured tensors. It is an error if the function takes a gradient whose graph
            reaches one of them: that graph is older than this evaluation.
        older: The sentence of this error.

    Attributes:
        used: The keys of the table that some operation has read.
    """

    def __init__(
        self,
        table: Mapping[int, torch.Tensor],
        replaced: Iterable[torch.Tensor],
        older: str,
    ) -> None:
        super().__init__()
        self._older = older
        self.used: set[int] = set()
        self.table = dict(table)
        self._replaced = [t for t in replaced if t.requires_grad and id(t) in self.table]
        self._kept: list[torch.Tensor] = []
        self._level = current_level()

    def visit(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Run an operation on the new tensors."""
        if func is torch.Tensor.requires_grad_:
            out = func(*args, **kwargs)
            self._note_copy(args[0])
            return out
        if func is torch.autograd.grad and self._replaced:
            self._refuse_older(args[0] if isinstance(args[0], (tuple, list)) else [args[0]])
        leaves, spec = flatten_arguments((args, kwargs))
        if current_level() > self._level:
            for x in leaves:
                if isinstance(x, torch.Tensor) and is_batched(x):
                    self._note_copy(x)
        self.used.update(key for x in leaves if (key := id(x)) in self.table)
        args, kwargs = pytree.unflatten(spec, [self.table.get(id(x), x) for x in leaves])
        return self.run(func, args, kwargs)

    def _note_copy(self, x: torch.Tensor) -> None:
        """Replace what an inner transform has made of a tensor that is replaced."""
        if level_of(x) <= self._level or id(x) in self.table:
            return
        below = unwrapped(x)
        self._note_copy(below)
        new = self.table.get(id(below))
        if new is None:
            return
        self.used.add(id(below))
        self._kept.append(x)
        # A transform differentiates with respect to its own copy, at the new value.
        batched = is_batched(x)
        self.table[id(x)] = (
            add_batch_axis(new, batch_axis(x), level_of(x)) if batched else x + (new - below)
        )

    def _refuse_older(self, outputs: Iterable[torch.Tensor | GradientEdge]) -> None:
        """Raise if the graph of some outputs reaches a tensor that was replaced."""
        reached = nodes_reached(outputs, {t.grad_fn for t in self.table.values()} - {None})
        ends = {*reached, *(id(n.variable) for n in reached if hasattr(n, "variable"))}
        if any((t.grad_fn or id(t)) in ends for t in self._replaced):
            raise ReplayError(self._older)


def entering(
    func: Any, value: torch.Tensor, level: int, known: Container[int] = ()
) -> torch.Tensor:
    """Return the tensor below the copies that inner transforms make; or one that is known.

    ``torch.func.grad`` marks its copies by an operation; ``vmap`` does not show that it makes them.
    """
    while level_of(value) > level and id(value) not in known:
        if func is not _REQUIRES_GRAD and not is_batched(value):
            break
        value = unwrapped(value)
    return value


_REQUIRES_GRAD = torch.Tensor.requires_grad_
