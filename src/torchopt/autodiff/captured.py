"""The tensors that a function captures where its graph does not show them, and how to replace them.

Each operation shows its arguments, also those of hooks and custom backward functions, which run while
a gradient is taken. Inside of ``torch.func``, :class:`torchopt.autodiff.functional.Reads` collects
captured tensors in this way; outside, they are where a graph ends (:mod:`torchopt.autodiff.edges`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

import torch
from torch.autograd.graph import GradientEdge

from torchopt.autodiff.edges import key_of, now
from torchopt.autodiff.function_mode import BackwardAwareMode
from torchopt.autodiff.graph import (
    is_custom,
    is_hook_of_module,
    memory_of,
    nodes_reached,
    sequence_number,
)
from torchopt.autodiff.transforms import (
    current_level,
    level_of,
    unwrapped,
    value_of,
)
from torchopt.errors import ReplayError
from torchopt.pytree import flattening as pytree
from torchopt.pytree.flattening import flatten_arguments


class Made:
    """The memory that a function allocates, by which leaves that it makes itself are known.

    A parameter that a function makes is a leaf, as one from outside is, and no operation returns it;
    but one made its memory.
    """

    def __init__(self) -> None:
        self._memory: set[int] = set()

    def note(self, results: Iterable[Any], arguments: Iterable[Any]) -> None:
        """Note the results of an operation that are no views of its arguments."""
        if torch.compiler.is_compiling():
            return
        new = {
            memory_of(value_of(t))
            for t in results
            if isinstance(t, torch.Tensor) and t.grad_fn is None
        }
        if new:
            new -= {memory_of(value_of(t)) for t in arguments if isinstance(t, torch.Tensor)}
            self._memory |= new

    def __contains__(self, leaf: torch.Tensor) -> bool:
        return not torch.compiler.is_compiling() and memory_of(value_of(leaf)) in self._memory


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
        elif self.backward and func.__name__ != "__get__" and not torch.is_grad_enabled():
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

    Attributes:
        used: The keys of the table that some operation has read.
    """

    def __init__(
        self, table: Mapping[int, torch.Tensor], replaced: Iterable[torch.Tensor] = ()
    ) -> None:
        super().__init__()
        self.used: set[int] = set()
        self.table = dict(table)
        self._replaced = [t for t in replaced if t.requires_grad and id(t) in self.table]
        self._kept: list[torch.Tensor] = []
        self._level = current_level()

    def visit(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Run an operation on the new tensors."""
        if func is torch.Tensor.requires_grad_:
            inner, out = args[0], func(*args, **kwargs)
            old = entering(func, inner, self._level)
            if id(old) in self.table and old is not inner:
                # The inner transform differentiates with respect to its own copy, at the new value.
                self.table[id(inner)] = inner + (self.table[id(old)] - old)
                self._kept.append(inner)
                self.used.add(id(old))
            return out
        if func is torch.autograd.grad and self._replaced:
            self._refuse_older(args[0] if isinstance(args[0], (tuple, list)) else [args[0]])
        leaves, spec = flatten_arguments((args, kwargs))
        self.used.update(key for x in leaves if (key := id(x)) in self.table)
        args, kwargs = pytree.unflatten(spec, [self.table.get(id(x), x) for x in leaves])
        return self.run(func, args, kwargs)

    def _refuse_older(self, outputs: Iterable[torch.Tensor | GradientEdge]) -> None:
        """Raise if the graph of some outputs reaches a tensor that was replaced."""
        leaves = {id(t): t for t in self._replaced if t.grad_fn is None}
        nodes = {t.grad_fn: t for t in self._replaced if t.grad_fn is not None}
        instead = {t.grad_fn for t in self.table.values()} - {None}
        for node in nodes_reached(outputs, instead):
            old = nodes.get(node)
            if old is None:
                old = leaves.get(id(getattr(node, "variable", None)))
            if old is not None:
                raise ReplayError(
                    f"the objective keeps a tensor, made of one of shape {tuple(old.shape)} that "
                    f"requires grad, from an earlier evaluation (in a cache, say), and reads it when a "
                    f"step is computed again: compute it in each evaluation, or before the first and "
                    f'pass it in `args`, or use memory="graph".'
                )


def entering(
    func: Any, value: torch.Tensor, level: int, known: Container[int] = ()
) -> torch.Tensor:
    """Return the tensor below the copies that inner ``torch.func.grad`` mark; or one that is known."""
    if func is _REQUIRES_GRAD:
        while level_of(value) > level and id(value) not in known:
            value = unwrapped(value)
    return value


_REQUIRES_GRAD = torch.Tensor.requires_grad_


def refuse_threads(value: torch.Tensor, start: int, inside: Callable[[torch.Tensor], bool]) -> None:
    """Raise if the function made a tensor in another thread, where its operations cannot be seen.

    PyTorch numbers nodes per thread. Within a thread, a node has a larger number than its inputs.

    Args:
        value: A tensor that is no argument of the function, and no result of an operation.
        start: The sequence number of this thread before the function was called.
        inside: Whether a leaf belongs to the function.
    """
    if value.grad_fn is None or level_of(value) > 0:
        return
    number = value.grad_fn._sequence_nr()
    waiting, seen = deque([value.grad_fn]), {value.grad_fn}
    while waiting and len(seen) < _MOST_NODES:
        node = waiting.popleft()
        variable = getattr(node, "variable", None)
        if variable is not None:
            elsewhere = number < start and inside(variable)
        else:
            elsewhere = start <= node._sequence_nr() > number
        if elsewhere:
            raise RuntimeError(
                f"a tensor of shape {tuple(value.shape)} was made in another thread, from what the "
                f"function was given: its operations cannot be seen there. Compute it in the thread "
                f'that calls the function, or differentiate by `Explicit(memory="graph")`.'
            )
        inputs = {following for following, _ in node.next_functions if following is not None}
        waiting += inputs - seen
        seen |= inputs


_MOST_NODES = 10_000  # nodes of the function are near the tensor
