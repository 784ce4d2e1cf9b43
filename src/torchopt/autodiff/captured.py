"""The tensors that a function captures: which they are, and how to replace them by others.

PyTorch has no list of the tensors that a function closes over. But each operation shows its arguments:
an argument that was neither passed to the function nor made by an earlier operation is captured. This
holds for the operations of hooks and custom backward functions, too, which run while the function takes
a gradient.

:class:`Variables` must not prolong the life of what the function makes, so it holds weak references,
and walks the graphs that the function differentiates. Inside of ``torch.func``, where all that differs,
:class:`torchopt.autodiff.functional.Reads` collects the tensors.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

import torch
from torch.autograd.graph import GradientEdge
from torch.overrides import _get_current_function_mode_stack

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

__all__ = ["Made", "Substitute", "Variables", "entering", "refuse_threads"]


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


class Variables(BackwardAwareMode):
    """Collects the tensors that require grad and that a function captures, outside of ``torch.func``.

    It keeps nothing alive that the function makes. It also walks the graphs that the function
    differentiates, and so finds what no operation shows: variables that a custom autograd.Function or
    scripted code closes over.

    Args:
        given: The arguments of the function.
        constants: Whether to note tensors without grad, too, for :meth:`changed` and :meth:`constants`.

    Attributes:
        free: The variables, in the order in which they are read.
        hidden: The leaves among them that are also read without an operation that shows it.
        unseen: Whether the function reads, without an operation that shows it, another tensor with a
            graph.
        altered: Whether a gradient that the function takes may differ from the derivative: because of
            a hook, or of a custom backward function that reads a variable which its forward function
            does not read.
    """

    def __init__(self, given: Iterable[Any], *, constants: bool = False) -> None:
        super().__init__()
        self.free: list[torch.Tensor] = []
        self.hidden: list[torch.Tensor] = []
        self.unseen = self.altered = False
        self._shown: set[int] = set()  # inputs of custom autograd Functions
        self._given = list(given)
        self._given += [other for t in self._given for other in _stand_ins(t)]
        self._known = {id(t): t for t in self._given}
        self._made: dict[int, weakref.ref[torch.Tensor]] = {}
        self._memory = Made()
        self._versions: dict[int, tuple[weakref.ref[torch.Tensor], int]] = {}
        self._constants = constants
        for t in self._given if constants else ():
            self._look(t)
        self._maybe: list[weakref.ref[torch.Tensor]] = []
        torch.clear_autocast_cache()  # a cached cast would look as if it came from outside
        with torch.enable_grad():
            self._start = sequence_number(torch.zeros((), requires_grad=True, device="cpu") + 0)

    def visit(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Look for captured tensors among the arguments of an operation, and run it."""
        # Checkpointed activations are computed again with grad enabled.
        attribute = func.__name__ == "__get__"
        hooked = self.backward > 0 and not torch.is_grad_enabled() and not attribute
        if attribute and not isinstance(value := self.run(func, args, kwargs), torch.Tensor):
            return value
        arguments = flatten_arguments((args, kwargs))[0]
        for value in arguments:
            if isinstance(value, torch.Tensor):
                if value.requires_grad:
                    self.altered |= hooked and self._is_outside(value)
                    self._meet(value)
                if self._constants:
                    self._look(value)
        if func is torch.autograd.grad:
            self.walk(args[0] if isinstance(args[0], (tuple, list)) else [args[0]])
        out = self.run(func, args, kwargs)
        self.altered |= self.hooked
        results = (out,) if isinstance(out, torch.Tensor) else flatten_arguments(out)[0]
        for value in results:
            # An operation may return its argument: `to` the same dtype does.
            if isinstance(value, torch.Tensor) and id(value) not in self._known:
                self._made[id(value)] = weakref.ref(value)
        self._memory.note(results, arguments)
        return out

    def made(self, variable: torch.Tensor) -> bool:
        """Whether a leaf among the variables was made by the function."""
        return variable.is_leaf and variable in self._memory

    def _look(self, value: torch.Tensor) -> None:
        """Note the version of a tensor from outside."""
        known = id(value) in self._versions or self._is_made(value)
        if not known and not value.is_inference() and not level_of(value) > 0:
            self._versions[id(value)] = weakref.ref(value), value._version

    def changed(self) -> list[torch.Tensor]:
        """Return the tensors from outside that the function changed in place, after it has returned."""
        noted = ((reference(), version) for reference, version in self._versions.values())
        return [t for t, version in noted if t is not None and t._version != version]

    def _meet(self, value: torch.Tensor) -> None:
        if id(value) in self._known or self._is_made(value):
            return
        if level_of(value) > 0:  # of a transform inside of the function
            return
        refuse_threads(value, self._start, self._is_made)
        if sequence_number(value) >= self._start:
            # Made by the function without an operation (a custom Function, a transform), or by another
            # thread, which has a counter of its own. A tensor of the function does not outlive it.
            if not is_custom(value.grad_fn):
                self._maybe.append(weakref.ref(value))
            return
        self._add(value)

    def settle(self) -> None:
        """Complete the list of variables, after the function has returned and its graph is freed."""
        for value in _alive(self._maybe):
            if id(value) not in self._known:
                self._add(value)
        # A leaf that nothing else holds was made by the function.
        kept = [(weakref.ref(t), None if t.is_leaf else t) for t in self.free]
        hidden = set(map(id, self.hidden))
        self.free, self.hidden, self._known = [], [], {id(t): t for t in self._given}
        for value in _alive(reference for reference, _ in kept):
            self._add(value)
        self.hidden = [t for t in self.free if id(t) in hidden]

    def constants(self) -> list[weakref.ref[torch.Tensor]]:
        """Return the other tensors from outside that the function read, after it has returned."""
        read = _alive(reference for reference, _ in self._versions.values())
        others = (t for t in read if id(t) not in self._known and not t.requires_grad)
        return [weakref.ref(t) for t in others]

    def _is_outside(self, value: torch.Tensor) -> bool:
        """Whether a tensor is older than the function, and no input of a custom Function."""
        before = sequence_number(value) < self._start and not self._is_made(value)
        return before and id(value) not in self._shown

    def _add(self, value: torch.Tensor) -> None:
        self._known[id(value)] = value
        self.free.append(value)
        for other in _stand_ins(value):
            self._known[id(other)] = other
            self._given.append(other)

    def _is_made(self, value: torch.Tensor) -> bool:
        made = self._made.get(id(value))
        return made is not None and made() is value

    def walk(self, outputs: Iterable[torch.Tensor | GradientEdge]) -> None:
        """Look for variables in the graph of tensors that the function makes or returns."""
        outputs = list(outputs)
        for y in outputs:
            if isinstance(y, torch.Tensor) and sequence_number(y) < self._start:
                self._meet(y)
        ends = {
            t.grad_fn: t
            for t in (*self._given, *self.free, *_alive(self._maybe))
            if t.grad_fn is not None
        }
        given = set(map(id, self._given))
        for node in nodes_reached(outputs, ends):
            if hasattr(node, "variable"):
                continue
            custom = is_custom(node)
            self.altered |= is_hook_of_module(node)
            if node._sequence_nr() < self._start:
                self.unseen = True
            for following, _ in node.next_functions:
                if custom and following in ends:
                    self._shown.add(id(ends[following]))
                    self.unseen |= id(ends[following]) not in given
                variable = getattr(following, "variable", None)
                if variable is None or self._is_made(variable):
                    continue
                if custom:
                    self._shown.add(id(variable))
                shown = id(variable) in self._known
                self._meet(variable)
                if shown and not custom:
                    continue
                if id(variable) not in given and all(variable is not t for t in self.hidden):
                    self.hidden.append(variable)


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
        self._table = dict(table)
        self._replaced = [t for t in replaced if t.requires_grad and id(t) in self._table]
        self._kept: list[torch.Tensor] = []
        self._level = current_level()

    def stands_in(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """Return the tensor that replaces another, or None."""
        return self._table.get(id(tensor))

    def visit(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Run an operation on the new tensors."""
        if func is torch.Tensor.requires_grad_:
            inner, out = args[0], func(*args, **kwargs)
            old = entering(func, inner, self._level)
            if id(old) in self._table and old is not inner:
                # The inner transform differentiates with respect to its own copy, at the new value.
                self._table[id(inner)] = inner + (self._table[id(old)] - old)
                self._kept.append(inner)
                self.used.add(id(old))
            return out
        if func is torch.autograd.grad and self._replaced:
            self._refuse_older(args[0] if isinstance(args[0], (tuple, list)) else [args[0]])
        leaves, spec = flatten_arguments((args, kwargs))
        self.used.update(key for x in leaves if (key := id(x)) in self._table)
        args, kwargs = pytree.unflatten(spec, [self._table.get(id(x), x) for x in leaves])
        return self.run(func, args, kwargs)

    def _refuse_older(self, outputs: Iterable[torch.Tensor | GradientEdge]) -> None:
        """Raise if the graph of some outputs reaches a tensor that was replaced."""
        leaves = {id(t): t for t in self._replaced if t.grad_fn is None}
        nodes = {t.grad_fn: t for t in self._replaced if t.grad_fn is not None}
        instead = {t.grad_fn for t in self._table.values()} - {None}
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


def _stand_ins(tensor: torch.Tensor) -> list[torch.Tensor]:
    """Return the tensors by which the modes that are on replace a tensor: the graph has those."""
    around = (m for m in _get_current_function_mode_stack() if isinstance(m, Substitute))
    return [other for mode in around if (other := mode.stands_in(tensor)) is not None]


def _alive(references: Iterable[weakref.ref[torch.Tensor]]) -> list[torch.Tensor]:
    return [t for t in (reference() for reference in references) if t is not None]


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
