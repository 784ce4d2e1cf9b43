"""Blocks whose insides are computed again for each derivative, of any order.

A block is one node of the autograd graph, which saves what it is given. The backward pass of a node is
a node again: it computes the block once more, differentiates it there and then, and saves what it is
given. So a derivative of any order keeps the inputs and cotangents of all blocks, and the graph of one.
"""

from __future__ import annotations

import functools
import threading
import types
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, Protocol, TypeVar

import torch
from torch import nn
from torch.autograd import forward_ad
from torch.autograd.graph import get_gradient_edge
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack

from torchopt import errors
from torchopt.autodiff.captured import Substitute, Variables, alias, seen_grad, unseen
from torchopt.autodiff.checkpointed import (
    Fingerprint,
    ReplayWarning,
    hooks_aside,
    rounding,
    without_hooks,
)
from torchopt.autodiff.closure_guard import Table, holding, modules_of
from torchopt.autodiff.compiling import eagerly
from torchopt.autodiff.exact import ExactDerivatives, HigherOrder, decomposes
from torchopt.autodiff.frozen import watched
from torchopt.autodiff.replay import Course, Standing
from torchopt.autodiff.settings import Ambient
from torchopt.autodiff.tracking import unhooked
from torchopt.pytree import flattening as pytree

__all__ = ["remat"]

_P = ParamSpec("_P")
_R = TypeVar("_R")

Tensors = Sequence[torch.Tensor]
Found = Sequence[torch.Tensor | None]


def remat(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Make a part of a program keep nothing but its inputs for derivatives of any order.

    What the function computes inside is computed again in each backward pass, and in the backward pass
    of a backward pass, as by ``jax.checkpoint``. With ``torch.utils.checkpoint`` only the first
    derivative saves memory: a gradient taken with ``create_graph=True`` holds all that it computed
    again. Here a Hessian-vector product, or a gradient through an inner step, of a network that is a
    chain of such blocks holds the inputs and cotangents of the blocks and the graph of one of them.

    Random numbers, buffers, autocast, training mode and :func:`torchopt.higher_order` are, when it is
    computed again, what they were; buffers are changed once. Tensors that the function reads without
    being given them, such as parameters of modules, get their gradients; those of
    ``torch.func.functional_call`` and :func:`torchopt.nn.make_functional`, too. What else it reads
    must stay as it is until the backward pass, and must not be changed by it: a fingerprint of its
    results tells whether they are the same again. Not seen are a change that leaves them as they are,
    and ``.grad`` of what it closes over; and each result has memory of its own.

    Inside of ``torch.func``, forward-mode differentiation (so in ``Explicit(hvp="forward")``) and
    ``torch.compile``, and where nothing requires grad, it is the function itself. What is compiled and
    called by it runs as it is written.

    Args:
        function: A function of trees, or a module, that returns a tree. It is also a decorator, for
            example of a block's ``forward``. The result is no module: where a module is an attribute
            of another, wrap the call, ``remat(self.block)(x)``, so that it stays registered.

    Returns:
        A function with the same arguments and results.

    Raises:
        TypeError: If ``function`` cannot be called; in a call, if it returns a generator, or an object
            that holds tensors and is not a tree.
        RuntimeError: In a call, if it changes a tensor in place that it did not make and that is no
            buffer; in a backward pass, if it gives other results than it did at first, reads other
            variables, or a variable where this cannot be seen; if a hook in it reads a variable that
            it does not read itself, and the gradient is to be differentiated.

    Warns:
        torchopt.diff.ReplayWarning: In a backward pass, if its results are nearly what they were.

    Example:
        >>> import torch, torchopt
        >>> w = torch.linspace(-1, 1, 9).view(3, 3).requires_grad_()
        >>> def block(x):
        ...     return torch.tanh(x @ w) + x
        >>> def curvature(block):
        ...     y = block(block(torch.ones(2, 3))).square().sum()
        ...     (g,) = torch.autograd.grad(y, w, create_graph=True)
        ...     return torch.autograd.grad(g.sum(), w)[0]
        >>> torch.allclose(curvature(torchopt.remat(block)), curvature(block))
        True

    References:
        Chen et al., *Training Deep Nets with Sublinear Memory Cost*, 2016. Griewank and Walther,
        *Evaluating Derivatives*, 2008, chapter 12.
    """
    if not callable(function):
        raise TypeError(
            f"`function` is an object of type {type(function).__name__}: pass a function or a module."
        )

    if not isinstance(function, types.FunctionType):
        return Rematerialized(function)

    @functools.wraps(function)
    def rematerialized(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        return _call(function, *args, **kwargs)

    return rematerialized


class Rematerialized(Generic[_P, _R]):
    """A method, a module or another object whose calls are blocks: it is copied with that.

    Attributes:
        __wrapped__: What is called.
    """

    __wrapped__: Callable[_P, _R]

    def __init__(self, function: Callable[_P, _R]) -> None:
        functools.update_wrapper(self, function, updated=())  # a module's attributes are its own

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Call it, and replace the graph of what it returns by a node."""
        return _call(self.__wrapped__, *args, **kwargs)


def _call(function: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
    if not torch.is_grad_enabled() or _plainly():
        return function(*args, **kwargs)
    found: _R = _evaluate(function, args, kwargs)
    return found


def _plainly() -> bool:
    """Whether there are derivatives that a node of the graph does not see, or constants to hold."""
    forward = forward_ad._current_level >= 0 and torch._C._is_fwd_grad_enabled()
    return forward or errors.transforms_active() or watched()


def _evaluate(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Evaluate a block, with its graph replaced by a node."""
    leaves, spec = pytree.flatten((args, kwargs))
    given = [x for x in leaves if _is_saved(x)]
    scene = _Scene(function, [x for x in leaves if not isinstance(x, torch.Tensor)])
    reads = Variables(given, constants=True)
    with scene.first(), reads:
        out = function(*args, **kwargs)
    results, out_spec = pytree.flatten(out)
    _check(results, out_spec)
    places = [i for i, y in enumerate(results) if isinstance(y, torch.Tensor) and y.requires_grad]
    if not places:
        return out
    reads.walk([results[i] for i in places])
    values = _values([results[i] for i in places], [*given, *reads.free])
    for i in places:
        results[i] = None  # the graph goes, and what it made
    del out
    scene.settle()
    reads.settle()
    for t in reads.changed():
        if not scene.has_buffer(t):
            what = "an argument" if any(t is x for x in given) else "a tensor that it closes over,"
            raise RuntimeError(
                f"a block to be computed again changes {what} of shape {tuple(t.shape)} in place: "
                f"return a new tensor instead, or make it a buffer of a module that the block calls."
            )
    block = _Block(
        function,
        spec,
        [_TENSOR if _is_saved(x) else x for x in leaves],
        [weakref.ref(t) for t in given],
        reads.constants(),
        reads.free,
        {i + len(given): t for i, t in enumerate(reads.free) if any(t is h for h in reads.hidden)},
        out_spec,
        places,
        Fingerprint(values),
        scene,
    )
    # By an operation, which shows to a transformation around this one what is read here.
    inputs = [alias(t) if t.requires_grad else t for t in (*given, *reads.free)]
    for i, y in zip(places, _Node.apply(block, values, *inputs), strict=True):
        results[i] = y
    return pytree.unflatten(out_spec, results)


_TENSOR = object()


def _is_saved(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and not x.is_inference()  # which autograd does not save


def _check(results: list[Any], spec: Any) -> None:
    """Raise where results hold tensors that cannot be seen."""
    for index, x in enumerate(results):
        if isinstance(x, torch.Tensor):
            continue
        inside = pytree.flatten(dict(getattr(x, "__dict__", {})))[0]
        if isinstance(x, Iterator) or any(isinstance(t, torch.Tensor) for t in inside):
            raise TypeError(
                f"`{errors.leaf_path(spec, index, 'result')}` of a block to be computed again is an "
                f"object of type {type(x).__name__}, which is no tree: return tensors in tuples, "
                f"lists, dicts or dataclasses, or register it by "
                f"`torchopt.pytree.register_pytree_node`."
            )


def _values(results: Tensors, taken: Tensors) -> list[torch.Tensor]:
    """Return tensors without their graph; each in memory of its own, which may be changed in place."""
    known = set(map(_memory, taken))
    found = []
    for y in results:
        value = y.detach()
        found.append(value.clone() if _memory(y) in known else value)
        known.add(_memory(y))
    return found


def _memory(t: torch.Tensor) -> Any:
    return t.untyped_storage()._cdata if t.layout == torch.strided else id(t)


class _Scene:
    """What a block sees besides its inputs, to let it see the same again.

    Args:
        function: The block.
        arguments: What else it is called with than tensors.
    """

    def __init__(self, function: Callable[..., Any], arguments: list[Any]) -> None:
        # A method of a module, and functions of one, read its buffers without calling it.
        near = (function, getattr(function, "__self__", None), *arguments)
        self._near = [x for x in near if isinstance(x, nn.Module)]
        self._ambient = Ambient.here()
        self._course = Course()
        stack = _get_current_function_mode_stack()
        self._modes = [m for m in stack if isinstance(m, (ExactDerivatives, HigherOrder))]
        self._known: set[int] = set()
        self._noted: list[tuple[nn.Module, bool, list[tuple[Table, Table]]]] = []
        self._buffers: list[torch.Tensor | None] = []
        for module in modules_of(function, *arguments):
            self._note(module)

    def _note(self, module: nn.Module) -> None:
        """Remember the tensors of a module, which ``functional_call`` replaces for a time."""
        if id(module) not in self._known:
            self._known.add(id(module))
            scripted = isinstance(module, torch.jit.ScriptModule)
            tables: list[Any] = [] if scripted else [module._parameters, module._buffers]
            entries = [(table, dict(table)) for table in tables]
            self._noted.append((module, module.training, entries))
            self._buffers += tables[-1].values() if tables else ()

    def settle(self) -> None:
        """Forget the modules that the block made itself, when it has returned."""
        noted = [(weakref.ref(module), mode, tables) for module, mode, tables in self._noted]
        self._noted = []
        found = [(reference(), mode, tables) for reference, mode, tables in noted]
        self._noted = [
            (module, mode, tables) for module, mode, tables in found if module is not None
        ]

    @property
    def autocast(self) -> list[torch.dtype]:
        """The dtypes of autocast in the first evaluation."""
        return [dtype for _, dtype in self._ambient.autocast]

    @property
    def _tables(self) -> list[tuple[Table, Table]]:
        return [pair for _, _, pairs in self._noted for pair in pairs]

    def has_buffer(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor was a buffer of a module that the block can read."""
        return any(tensor is b for b in self._buffers)

    @contextmanager
    def first(self) -> Iterator[None]:
        """Enclose the first evaluation."""
        thread = threading.get_ident()

        def note(module: nn.Module, _: Any) -> None:
            if threading.get_ident() == thread:  # hooks are for all modules
                self._note(module)

        handle = nn.modules.module.register_module_forward_pre_hook(note)
        try:
            # Hooks on saved tensors are for graphs that stay.
            with self._course.followed(self._near), hooks_aside(), eagerly():
                yield
        finally:
            handle.remove()
        self._course.keep_no_constants()

    @contextmanager
    def again(self) -> Iterator[None]:
        """Enclose another evaluation, and its derivatives."""
        with self._ambient.under(), self._course.revisited(), eagerly(), ExitStack() as stack:
            for module, training, _ in self._noted:
                if module.training != training:
                    stack.callback(setattr, module, "training", module.training)
                    module.training = training
            for mode in self._modes:
                stack.enter_context(_entered(mode))
            with holding(self._tables):  # for regions inside that are checkpointed
                yield

    def with_tensors(self, table: dict[int, torch.Tensor]) -> AbstractContextManager[None]:
        """Let modules hold other tensors than at first."""
        return holding(
            [
                (now, {name: table.get(id(t), t) for name, t in then.items()})
                for now, then in self._tables
            ]
        )

    def rewind(self) -> None:
        """Go back to where the first evaluation began."""
        self._course.rewind(Standing({}, {}))


def _entered(mode: TorchFunctionMode) -> AbstractContextManager[Any]:
    if isinstance(mode, HigherOrder):
        return nullcontext() if decomposes(mode.rules) else HigherOrder(mode.rules)
    return ExactDerivatives()


class _Again(Protocol):
    """A function of tensors that is computed again to be differentiated."""

    @property
    def block(self) -> _Block:
        """What it is made of."""
        ...

    def __call__(self, *tensors: torch.Tensor) -> Found:
        """Return results; None where they count for nothing."""
        ...


_CHANGED = (
    "what it reads besides its arguments has changed since, by the block itself or after it; pass that "
    "as an argument, and return its new value"
)


@dataclass(frozen=True, eq=False)
class _Block:
    """A function of trees as a function of its tensors, those that it is given and those it reads."""

    function: Callable[..., Any]
    spec: Any
    leaves: list[Any]
    given: list[weakref.ref[torch.Tensor]]
    constants: list[weakref.ref[torch.Tensor]]
    free: list[torch.Tensor]
    hidden: dict[int, torch.Tensor]  # of these, by position: leaves that no operation shows
    out_spec: Any
    places: list[int]  # of the results
    first: Fingerprint  # of the results
    scene: _Scene

    @property
    def block(self) -> _Block:
        return self

    def read(self) -> list[torch.Tensor | None]:
        """Return what is given, which may be closed over, too, if it lives; and what is read."""
        return [*(reference() for reference in self.given), *self.free]

    def __call__(self, *tensors: torch.Tensor) -> Found:
        values = iter(tensors)
        leaves = [next(values) if x is _TENSOR else x for x in self.leaves]
        args, kwargs = pytree.unflatten(self.spec, leaves)
        read = self.read()
        table = {id(t): s for t, s in zip(read, tensors, strict=True) if t is not None}
        for leaf in self.hidden.values():
            if not leaf.requires_grad:
                raise RuntimeError(
                    f"a tensor of shape {tuple(leaf.shape)}, which a custom autograd.Function or "
                    f"scripted code in a block reads, requires grad no longer: leave it until the "
                    f"backward pass, or pass it to the block as an argument."
                )
        constants = [reference() for reference in self.constants]
        table |= {id(t): t.detach() for t in constants if t is not None and t.requires_grad}
        self.scene.rewind()
        reads = Variables(tensors)
        # Modules show the tensors that stand in.
        known = Substitute({**table, **{id(s): s for s in tensors}})
        with self.scene.with_tensors(table), reads, known:
            out = self.function(*args, **kwargs)
        results, spec = pytree.flatten(out)
        if spec != self.out_spec:
            raise RuntimeError(
                f"a block returned another tree when it was computed again ({spec}) than at first "
                f"({self.out_spec}): {_CHANGED}."
            )
        known.used.update(map(id, results))
        found = [table.get(id(results[i]), results[i]) for i in self.places]
        reads.walk(found)
        hidden = {id(t) for t in self.hidden.values()}
        # A leaf that is new was made inside, or counts for nothing where the results are the same.
        strange = [t for t in reads.free if not t.is_leaf]
        strange += [t for t in reads.hidden if id(t) not in hidden]
        if strange or reads.unseen:
            raise RuntimeError(
                "a block that is computed again reads a tensor that requires grad and was not read "
                "at first, or was but inside of a custom autograd.Function, scripted code or another "
                "thread: pass it to the block as an argument, and read that there, in the thread that "
                "calls the block."
            )
        for t, s in zip(self.free, tensors[len(self.given) :], strict=True):
            if id(t) not in hidden and known.used.isdisjoint((id(t), id(s))):
                raise RuntimeError(
                    f"a block did not read a tensor of shape {tuple(s.shape)} that requires grad when "
                    f"it was computed again, but did at first: {_CHANGED}."
                )
        self._compare([y for y in found if isinstance(y, torch.Tensor)])
        return found

    def _compare(self, results: Tensors) -> None:
        """Raise where the results are not those of the first evaluation; warn where they nearly are."""
        if errors.transforms_active():
            return
        with forward_ad._set_fwd_grad_enabled(False):
            off = self.first.distance(results)
        if not off <= rounding(results, self.scene.autocast):
            raise RuntimeError(
                f"a block gave other results when it was computed again than at first: {_CHANGED}."
            )
        if off:
            errors.warn(
                "a block gave not quite the same results when it was computed again: an operation "
                "is not deterministic, and the gradient is as inexact, or what the block reads has "
                "changed a little. Try torch.use_deterministic_algorithms(True).",
                ReplayWarning,
                difference=off,
            )


@dataclass(frozen=True, eq=False)
class _Pullback:
    """The cotangents of a function's arguments, as a function of these and of those of its results.

    Attributes:
        of: The function.
        needed: Which arguments.
        present: Which of the cotangents are given; others are zero.
        differentiated: Whether it is to be differentiated itself.
    """

    of: _Again
    needed: Sequence[bool]
    present: Sequence[bool]
    differentiated: bool

    @property
    def block(self) -> _Block:
        return self.of.block

    def __call__(self, *tensors: torch.Tensor) -> Found:
        track, block = torch.is_grad_enabled(), self.block
        hidden = block.hidden
        rest = iter(tensors[len(self.needed) :])
        cotangents = [next(rest) if here else None for here in self.present]
        with torch.enable_grad():
            # Variables of these alone: one may be a function of another.
            at = [
                hidden.get(i, _variable(t, track)) if need else t
                for i, (t, need) in enumerate(zip(tensors, self.needed, strict=False))
            ]
            # What hooks, and custom backward functions, read besides.
            reads = Variables([*at, *cotangents])
            out = self.of(*at)
            wanted = [t for t, need in zip(at, self.needed, strict=True) if need]
            pairs = [
                (get_gradient_edge(y), c)
                for y, c in zip(out, cotangents, strict=True)
                if y is not None and y.requires_grad and c is not None
            ]
        del out  # only its graph is of use
        if not pairs:
            return [None] * len(wanted)
        edges, given = zip(*pairs, strict=True)
        table = {id(t): s for t, s in zip(block.read(), at, strict=False) if t is not None}
        # The hooks of hidden leaves are for what comes out of the node.
        with unhooked(hidden.values()), reads, Substitute(table):
            found = seen_grad(edges, wanted, given, create_graph=track, allow_unused=True)
        if self.differentiated and reads.free:
            raise RuntimeError(
                f"a hook, or the backward pass of a custom autograd.Function, in a block that is "
                f"computed again reads a tensor of shape {tuple(reads.free[0].shape)} that requires "
                f"grad and that the block itself does not read: the derivative of its gradient would "
                f"lack that. Read it in the block, or detach it, or leave `remat` out."
            )
        return found


def _variable(t: torch.Tensor, track: bool) -> torch.Tensor:
    """Return a tensor as a variable, which is no leaf: autocast would keep what it makes of one."""
    # A transform allows no new ones.
    connected = t.requires_grad and (track or errors.transforms_active())
    return alias(t if connected else t.detach().requires_grad_())


def _run(function: _Again, tensors: Tensors) -> Found:
    with function.block.scene.again():
        return function(*tensors)


class _Node(torch.autograd.Function):
    """A function that is computed again in the backward pass; and so is its pullback.

    The first evaluation of a block has been done already.
    """

    @staticmethod
    def forward(ctx: Any, function: _Again, found: Found | None, *tensors: torch.Tensor) -> Any:
        ctx.function = function
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*tensors)
        if found is None:
            # PyTorch switches forward mode off in here, which the block may use inside.
            with without_hooks(), forward_ad._set_fwd_grad_enabled(forward_ad._current_level < 0):
                found = _run(function, tensors)
        return tuple(found)

    @staticmethod
    @unseen()
    def backward(ctx: Any, *cotangents: torch.Tensor | None) -> Any:
        tensors = ctx.saved_tensors  # once: hooks unpack them anew each time
        needed = ctx.needs_input_grad[2:]
        present = [c is not None for c in cotangents]
        pull = _Pullback(ctx.function, needed, present, torch.is_grad_enabled())
        given = [*tensors, *(c for c in cotangents if c is not None)]
        found = iter(_run(pull, given) if _plainly() else _Node.apply(pull, None, *given))
        return None, None, *(next(found) if need else None for need in needed)
