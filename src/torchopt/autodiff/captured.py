"""What a function reads without being given it: found, and replaced by other tensors.

PyTorch has no list of the variables of a function. Each operation shows its arguments, though: what
was neither given nor made by an operation before is read from outside. So do the operations of hooks
and of custom backward functions that run while the function takes a gradient.
"""

from __future__ import annotations

import functools
import types
import weakref
from collections import deque
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch.autograd import forward_ad
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import GradientEdge
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack

from torchopt.pytree import PyTreeSpec, tree_flatten
from torchopt.pytree import flattening as pytree

__all__ = [
    "Reads",
    "Substitute",
    "Variables",
    "alias",
    "between",
    "is_hook_of_module",
    "leaf",
    "leaves_reached",
    "nodes_reached",
    "seen_grad",
    "unseen",
]


class _Seeing(TorchFunctionMode):
    """A mode that stays on while a gradient is taken, where PyTorch turns modes off.

    Attributes:
        backward: How many gradients are being taken, one within another.
        blind: In how many blocks of :func:`unseen` it is.
    """

    backward = 0
    blind = 0

    def __init__(self) -> None:
        super().__init__()
        self._changed: list[bool] = []  # apart, since hooks outlive the mode

    @property
    def hooked(self) -> bool:
        """Whether a hook, that was registered meanwhile, has changed the gradient of a tensor."""
        return bool(self._changed)

    def run(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Run an operation that the mode has looked at."""
        if func is torch.Tensor.register_hook:
            hook = args[1] if len(args) > 1 else kwargs["hook"]
            args, kwargs = (args[0], _noting(hook, self._changed)), {}
        if func is not torch.autograd.grad:
            return func(*args, **kwargs)
        seeing = (*_SEEING.get(), self)
        # The innermost mode looks at the call first; the outermost enters all of them.
        outer = any(isinstance(mode, _Seeing) for mode in _get_current_function_mode_stack())
        token = _SEEING.set(seeing if outer else ())
        try:
            if outer:
                return func(*args, **kwargs)
            with ExitStack() as stack:
                for mode in reversed(seeing):
                    stack.enter_context(mode)
                    mode.backward += 1
                    stack.callback(mode._leave_backward)
                return seen_grad(*args, **kwargs)
        finally:
            _SEEING.reset(token)

    def _leave_backward(self) -> None:
        self.backward -= 1


def _noting(hook: Callable[[torch.Tensor], Any], changed: list[bool]) -> Callable[..., Any]:
    """Return a hook that does the same, and notes if that changes the gradient."""

    @functools.wraps(hook)
    def note(gradient: torch.Tensor) -> Any:
        found = hook(gradient)
        if found is not None and not changed:
            changed.append(True)
        return found

    return note


def _below_autograd() -> bool:
    """Whether PyTorch works inside one of its own operations, some of which are written in Python."""
    key = torch._C.DispatchKey.AutogradFunctionality
    return bool(torch._C._dispatch_tls_is_dispatch_key_excluded(key))


@contextmanager
def unseen() -> Iterator[None]:
    """Hide a block from the modes that are on: a backward pass of the library's, which needs none."""
    modes = [m for m in _get_current_function_mode_stack() if isinstance(m, _Seeing)]
    for mode in modes:
        mode.blind += 1
    try:
        yield
    finally:
        for mode in modes:
            mode.blind -= 1


_SEEING: ContextVar[tuple[_Seeing, ...]] = ContextVar("modes that see a gradient", default=())

seen_grad: Callable[..., Any] = types.FunctionType(
    torch.autograd.grad.__code__,
    {**torch.autograd.grad.__globals__, "has_torch_function": lambda _: False},
    argdefs=torch.autograd.grad.__defaults__,
)
"""``torch.autograd.grad``, with modes on: they see what hooks and custom backward functions do."""


class Reads(_Seeing):
    """Collects the variables that a function reads but was neither given nor made itself.

    Tensors of an inner transform are its own; a tensor of none, without grad, is a constant.

    Args:
        given: What the function is given.
        alias: Whether the function is to see a leaf in place of each; then what its result reads
            without an operation that shows it (in a custom autograd.Function) can be told from the
            rest.

    Attributes:
        free: The variables, in the order in which they are read.
        aliases: What the function saw of each.
        constants: What else was read, and its version then.
    """

    def __init__(self, given: Iterable[Any], *, alias: bool = False) -> None:
        super().__init__()
        self.free: list[torch.Tensor] = []
        self.aliases: list[torch.Tensor] = []
        self.constants: dict[int, tuple[torch.Tensor, int]] = {}
        self._level = torch._C._functorch.maybe_current_level() or 0
        self._known = {id(t): t for t in given}
        self._alias = alias
        self._start = _sequence_number(torch.zeros((), requires_grad=True) + 0) if alias else 0
        self._table: dict[int, torch.Tensor] = {}  # what is seen of each variable

    def knows(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor was given, or made by an operation."""
        return id(tensor) in self._known

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Look at the arguments of an operation, and run it."""
        if self.blind or (self.backward and _below_autograd()):
            return func(*args, **(kwargs or {}))
        leaves, spec = _flatten((args, kwargs or {}))
        for value in leaves:
            if isinstance(value, torch.Tensor):
                self._meet(_entering(func, value, self._level))
        if self._alias:
            leaves = [self._table.get(id(x), x) for x in leaves]
        args, kwargs = pytree.unflatten(spec, leaves)
        out = self.run(func, args, kwargs)
        for value in _flatten(out)[0]:
            if isinstance(value, torch.Tensor):
                self._known[id(value)] = value
        return out

    def _meet(self, value: torch.Tensor) -> None:
        if id(value) in self._known or id(value) in self._table:
            return
        if self._alias:
            _refuse_threads(value, self._start, lambda leaf: id(leaf) in self._known)
        if self._alias and _sequence_number(value) >= self._start:
            # Of a custom autograd.Function, whose results no operation returns.
            self._known[id(value)] = value
            return
        if self._is_variable(value):
            seen = value
            if self._alias:  # as a variable also where a solver that runs untracked meets it
                with torch.enable_grad():
                    seen = leaf(value)
            self.free.append(value)
            self.aliases.append(seen)
            self._table[id(value)] = self._known[id(seen)] = seen
        elif not self._level and not value.is_inference():
            self.constants.setdefault(id(value), (value, value._version))

    def _is_variable(self, value: torch.Tensor) -> bool:
        # Of any dtype: labels may be batched.
        if value.requires_grad or 0 < _level_of(value) <= self._level:
            return True
        moving = forward_ad._current_level >= 0 and not self._level and value.is_floating_point()
        return moving and forward_ad.unpack_dual(value).tangent is not None


class Variables(_Seeing):
    """Collects the tensors with grad that a function reads but neither was given nor made itself.

    Unlike :class:`Reads`, it keeps nothing alive that the function makes, and sees no transforms of
    ``torch.func``. The graphs that the function differentiates are walked, for what no operation
    shows: what a custom autograd.Function or scripted code closes over.

    Args:
        given: What the function is given.
        constants: Whether to look at tensors without grad, too, for :meth:`changed` and
            :meth:`constants`.

    Attributes:
        free: The variables, in the order in which they are read.
        hidden: Those of them, all leaves, that are also read without an operation that shows it.
        unseen: Whether something else is read that way, which is made of variables.
        altered: Whether a gradient that the function takes may be none: by a hook, or by a custom
            backward function that reads a variable which its forward function does not.
    """

    def __init__(self, given: Iterable[Any], *, constants: bool = False) -> None:
        super().__init__()
        self.free: list[torch.Tensor] = []
        self.hidden: list[torch.Tensor] = []
        self.unseen = self.altered = False
        self._shown: set[int] = set()  # what custom autograd Functions are given
        self._given = list(given)
        self._given += [other for t in self._given for other in _stand_ins(t)]
        self._known = {id(t): t for t in self._given}
        self._made: dict[int, weakref.ref[torch.Tensor]] = {}
        self._versions: dict[int, tuple[weakref.ref[torch.Tensor], int]] = {}
        self._constants = constants
        for t in self._given if constants else ():
            self._look(t)
        self._maybe: list[weakref.ref[torch.Tensor]] = []
        torch.clear_autocast_cache()  # its casts would be older than the function
        with torch.enable_grad():
            self._start = _sequence_number(torch.zeros((), requires_grad=True) + 0)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Look at the arguments of an operation, and run it."""
        if self.blind or (self.backward and _below_autograd()):
            return func(*args, **(kwargs or {}))
        # Checkpointed activations are computed again with grad enabled.
        hooked = self.backward > 0 and not torch.is_grad_enabled() and func.__name__ != "__get__"
        for value in _flatten((args, kwargs or {}))[0]:
            if isinstance(value, torch.Tensor):
                if value.requires_grad:
                    self.altered |= hooked and self._is_outside(value)
                    self._meet(value)
                if self._constants:
                    self._look(value)
        if func is torch.autograd.grad:
            self.walk(args[0] if isinstance(args[0], (tuple, list)) else [args[0]])
        out = self.run(func, args, kwargs or {})
        self.altered |= self.hooked
        for value in (out,) if isinstance(out, torch.Tensor) else _flatten(out)[0]:
            if isinstance(value, torch.Tensor):
                self._made[id(value)] = weakref.ref(value)
        return out

    def _look(self, value: torch.Tensor) -> None:
        """Remember the version of a tensor that was there before."""
        known = id(value) in self._versions or self._is_made(value)
        if not known and not value.is_inference() and not _level_of(value) > 0:
            self._versions[id(value)] = weakref.ref(value), value._version

    def changed(self) -> list[torch.Tensor]:
        """Return what the function read, did not make and changed in place, when it has returned."""
        found = ((reference(), version) for reference, version in self._versions.values())
        return [t for t, version in found if t is not None and t._version != version]

    def _meet(self, value: torch.Tensor) -> None:
        if id(value) in self._known or self._is_made(value):
            return
        if _level_of(value) > 0:  # of a transform inside of the function
            return
        _refuse_threads(value, self._start, self._is_made)
        if _sequence_number(value) >= self._start:
            # Made inside by what is no operation (a custom Function, a transform); or by another
            # thread, which counts for itself. What was made inside does not outlive the function.
            if not _is_custom(value.grad_fn):
                self._maybe.append(weakref.ref(value))
            return
        self._add(value)

    def settle(self) -> None:
        """Find the rest of the variables, when the function has returned and its graph is freed."""
        for value in _alive(self._maybe):
            if id(value) not in self._known:
                self._add(value)
        # A leaf that only this holds was made inside.
        found = [(weakref.ref(t), None if t.is_leaf else t) for t in self.free]
        hidden = set(map(id, self.hidden))
        self.free, self.hidden, self._known = [], [], {id(t): t for t in self._given}
        for value in _alive(reference for reference, _ in found):
            self._add(value)
        self.hidden = [t for t in self.free if id(t) in hidden]

    def constants(self) -> list[weakref.ref[torch.Tensor]]:
        """Return what else the function read and did not make, when it has returned."""
        read = _alive(reference for reference, _ in self._versions.values())
        others = (t for t in read if id(t) not in self._known and not t.requires_grad)
        return [weakref.ref(t) for t in others]

    def _is_outside(self, value: torch.Tensor) -> bool:
        """Whether a tensor was there before the function, and no custom Function is given it."""
        before = _sequence_number(value) < self._start and not self._is_made(value)
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
        """Look through the graph of what the function has made, or returns as it is."""
        outputs = list(outputs)
        for y in outputs:
            if isinstance(y, torch.Tensor) and _sequence_number(y) < self._start:
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
            custom = _is_custom(node)
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


class Substitute(_Seeing):
    """Puts other tensors in place of those that a function closes over.

    Args:
        table: The tensors by the identity of those that they stand for.
        replaced: Of those that they stand for, some that no gradient may go to, since what it is taken
            of is then older than this evaluation.

    Attributes:
        used: The keys of the table that an operation has met.
    """

    def __init__(
        self, table: Mapping[int, torch.Tensor], replaced: Iterable[torch.Tensor] = ()
    ) -> None:
        super().__init__()
        self.used: set[int] = set()
        self._table = dict(table)
        self._replaced = [t for t in replaced if t.requires_grad and id(t) in self._table]
        self._kept: list[torch.Tensor] = []
        self._level = torch._C._functorch.maybe_current_level() or 0

    def stands_in(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """Return what is put in place of a tensor, if anything is."""
        return self._table.get(id(tensor))

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation on the tensors that stand in."""
        if self.blind or (self.backward and _below_autograd()):
            return func(*args, **(kwargs or {}))
        if func is torch.Tensor.requires_grad_:
            inner, out = args[0], func(*args, **(kwargs or {}))
            old = _entering(func, inner, self._level)
            if id(old) in self._table and old is not inner:
                # The inner transform differentiates with respect to its own copy, at the new value.
                self._table[id(inner)] = inner + (self._table[id(old)] - old)
                self._kept.append(inner)
                self.used.add(id(old))
            return out
        if func is torch.autograd.grad and self._replaced:
            self._refuse_older(args[0] if isinstance(args[0], (tuple, list)) else [args[0]])
        leaves, spec = _flatten((args, kwargs or {}))
        self.used.update(key for x in leaves if (key := id(x)) in self._table)
        args, kwargs = pytree.unflatten(spec, [self._table.get(id(x), x) for x in leaves])
        return self.run(func, args, kwargs)

    def _refuse_older(self, outputs: Iterable[torch.Tensor | GradientEdge]) -> None:
        """Raise where the graph of some outputs has a tensor that was replaced."""
        leaves = {id(t): t for t in self._replaced if t.grad_fn is None}
        nodes = {t.grad_fn: t for t in self._replaced if t.grad_fn is not None}
        instead = {t.grad_fn for t in self._table.values()} - {None}
        for node in nodes_reached(outputs, instead):
            found = (
                nodes.get(node)
                if node in nodes
                else leaves.get(id(getattr(node, "variable", None)))
            )
            if found is not None:
                raise RuntimeError(
                    f"the objective keeps a tensor, made of one of shape {tuple(found.shape)} that "
                    f"requires grad, from an earlier evaluation (in a cache, say), and reads it when a "
                    f"step is computed again: compute it in each evaluation, or before the first and "
                    f'pass it in `args`, or use memory="graph".'
                )


def _stand_ins(tensor: torch.Tensor) -> list[torch.Tensor]:
    """Return what modes around put in place of a tensor: that is what the graph has."""
    around = (m for m in _get_current_function_mode_stack() if isinstance(m, Substitute))
    return [other for mode in around if (other := mode.stands_in(tensor)) is not None]


def alias(tensor: torch.Tensor) -> torch.Tensor:
    """Return the same values as another variable of the graph, behind the first."""
    # Of all views, this one passes on a sparse gradient.
    return tensor[...] if tensor.layout == torch.strided else tensor.clone()


def leaf(tensor: torch.Tensor) -> torch.Tensor:
    """Return the same values as a leaf of the graph that requires grad where the tensor does."""
    return tensor.detach().requires_grad_(tensor.requires_grad)


def leaves_reached(outputs: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    """Return the leaves of the autograd graph of some outputs."""
    outputs = list(outputs)
    found = [y for y in outputs if y.requires_grad and y.grad_fn is None]
    return found + [node.variable for node in nodes_reached(outputs) if hasattr(node, "variable")]


def _alive(references: Iterable[weakref.ref[torch.Tensor]]) -> list[torch.Tensor]:
    return [t for t in (reference() for reference in references) if t is not None]


def is_hook_of_module(node: Any) -> bool:
    """Whether a node of the graph calls a hook of a module, which may change gradients."""
    return bool(node.name() == "BackwardHookFunctionBackward")


def _is_custom(node: Any) -> bool:
    return isinstance(node, BackwardCFunction)


def nodes_reached(
    outputs: Iterable[torch.Tensor | GradientEdge], ends: Container[Any] = (), first: int = -1
) -> list[Any]:
    """Return the nodes of the autograd graph of some outputs, up to the ends.

    Args:
        outputs: The outputs.
        ends: Nodes to stop at, which are left out.
        first: Nodes that were made before this number are left out, too.
    """
    waiting = [y.node if isinstance(y, GradientEdge) else y.grad_fn for y in outputs]
    seen: dict[Any, None] = {}
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen and node not in ends:
            if first >= 0 and node._sequence_nr() < first:
                continue
            seen[node] = None
            waiting += [following for following, _ in node.next_functions]
    return list(seen)


def _number_of(node: Any) -> int:
    return -1 if hasattr(node, "variable") else node._sequence_nr()


def between(outputs: Iterable[torch.Tensor], ends: Collection[Any]) -> list[Any]:
    """Return the nodes on the ways from some outputs to the ends."""
    leading: set[Any] = set()
    # What was made before the first of the ends leads to none of them. (Leaves have no number.)
    first = min((_number_of(end) for end in ends), default=0)
    # Backwards from the ends: a node comes after those that it follows from.
    followers: dict[Any, list[Any]] = {}
    for node in nodes_reached(outputs, ends, first):
        for following, _ in node.next_functions:
            followers.setdefault(following, []).append(node)
    waiting = [node for end, nodes in followers.items() if end in ends for node in nodes]
    while waiting:
        node = waiting.pop()
        if node not in leading:
            leading.add(node)
            waiting += followers.get(node, ())
    return list(leading)


def _entering(func: Any, value: torch.Tensor, level: int) -> torch.Tensor:
    """Return what an inner ``torch.func.grad`` is given, where it marks its own copy."""
    if func is torch.Tensor.requires_grad_:
        while _level_of(value) > level:
            value = torch._C._functorch.get_unwrapped(value)
    return value


def _refuse_threads(
    value: torch.Tensor, start: int, inside: Callable[[torch.Tensor], bool]
) -> None:
    """Raise where a tensor that no operation showed was made by another thread, for the function.

    PyTorch counts nodes in each thread by itself: in one thread, a node comes after those it reads.

    Args:
        value: A tensor that was neither given nor made by an operation that was seen.
        start: The number of a node of this thread, before the function was called.
        inside: Whether a leaf was made for the function.
    """
    if value.grad_fn is None or _level_of(value) > 0:
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
        found = {following for following, _ in node.next_functions if following is not None}
        waiting += found - seen
        seen |= found


_MOST_NODES = 10_000  # of a large graph; what the function makes is near


def _sequence_number(tensor: torch.Tensor) -> int:
    """Return when a tensor was made, counted in operations; -1 for a leaf."""
    return -1 if tensor.grad_fn is None else tensor.grad_fn._sequence_nr()


def _flatten(arguments: Any) -> tuple[list[Any], PyTreeSpec]:
    # As PyTorch does: other objects are leaves, dataclasses too.
    return tree_flatten(arguments, none_is_leaf=True)


def _level_of(tensor: torch.Tensor) -> int:
    return torch._C._functorch.maybe_get_level(tensor)
