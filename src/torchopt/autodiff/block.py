"""A block: a function that is one node of the autograd graph, and is computed again for derivatives.

A block is the tensors that the function captures, the environment in which it was evaluated, and a
fingerprint of its results. Its node saves the inputs. The backward pass of the node is a node again: it
computes the block once more, differentiates it there, and saves its own inputs. So a derivative of any
order holds the inputs and cotangents of all blocks, and the graph of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.autograd import forward_ad
from torch.autograd.graph import get_gradient_edge
from torch.overrides import _get_current_function_mode_stack

from torchopt import checks
from torchopt.autodiff import edges
from torchopt.autodiff.captured import Altered
from torchopt.autodiff.closed import Closed
from torchopt.autodiff.detaching import watched
from torchopt.autodiff.environment import Environment, eagerly
from torchopt.autodiff.exact import HigherOrder, decomposed
from torchopt.autodiff.exact_normalization import ExactDerivatives
from torchopt.autodiff.fingerprint import Fingerprint, ReplayCheck
from torchopt.autodiff.function_mode import seen_grad, unseen
from torchopt.autodiff.graph import alias, memory_of
from torchopt.autodiff.second_order import gradient, in_this_thread
from torchopt.autodiff.shards import gathering
from torchopt.autodiff.tracking import without_hooks
from torchopt.errors import ReplayError
from torchopt.pytree import flattening as pytree

Tensors = Sequence[torch.Tensor]
Results = Sequence[torch.Tensor | None]

_TENSOR = object()
"""Marks the place of a tensor among the leaves of a tree."""


def needs_plain_evaluation() -> bool:
    """Whether a node would miss a derivative, or this is an evaluation that must not detach."""
    forward = forward_ad._current_level >= 0 and torch._C._is_fwd_grad_enabled()
    return forward or checks.transforms_active() or watched()


def evaluate(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Evaluate a function as a block: its graph is replaced by a node."""
    leaves, spec = pytree.flatten((args, kwargs))
    given = [x for x in leaves if _is_saved(x)]
    objects = [x for x in leaves if not isinstance(x, torch.Tensor)]
    environment = _BlockEnvironment(function, *objects)
    # At copies: what is passed may be closed over, too.
    at = [_variable(t, False) if t.requires_grad else t for t in given]
    closed = Closed(environment, "a block", "pass it as an argument, or leave `remat` out")
    look = closed.watch(at)
    marked = [_TENSOR if _is_saved(x) else x for x in leaves]
    # A method of a module, and functions of one, read its tensors without calling it.
    near = (function, getattr(function, "__self__", None), *objects)

    def evaluated(*args: Any, **kwargs: Any) -> Any:
        with gathering(*near):
            return function(*args, **kwargs)

    def call() -> Any:
        it = iter(at)
        args, kwargs = pytree.unflatten(spec, [next(it) if x is _TENSOR else x for x in marked])
        try:
            return evaluated(*args, **kwargs)
        except RuntimeError as error:
            if "in-place" not in str(error):
                raise
            raise RuntimeError(_IN_PLACE) from error

    modules = [x for x in near if isinstance(x, nn.Module)]
    # Hooks on saved tensors are for graphs that stay.
    with environment.recording(modules), without_hooks(), eagerly(), in_this_thread():
        out = call()
    environment.keep_no_constants()
    results, out_spec = pytree.flatten(out)
    _check_tree(results, out_spec)
    places = [i for i, y in enumerate(results) if isinstance(y, torch.Tensor) and y.requires_grad]
    if not places:
        return out
    look.at([results[i] for i in places])
    values = _values([results[i] for i in places], given)
    for i in places:
        results[i] = None  # frees the graph
    del out

    def again() -> None:
        environment.rewind()
        call()

    closed.note(None, look, again)
    closed.settle()
    block = Block(
        evaluated, spec, marked, len(given), closed, out_spec, places, Fingerprint(values)
    )
    # An alias is an operation, which shows a mode around the block what it captures.
    inputs = [alias(t) if t.requires_grad else t for t in (*given, *closed.free)]
    for i, y in zip(places, _Node.apply(block, values, *inputs), strict=True):
        results[i] = y
    return pytree.unflatten(out_spec, results)


_IN_PLACE = (
    "a block to be computed again changes what it is given in place: return a new tensor instead, or "
    "make it a buffer of a module that the block calls."
)


def _is_saved(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and not x.is_inference()  # autograd does not save it


def _check_tree(results: list[Any], spec: Any) -> None:
    """Raise if a result is an object, and no tree, that holds tensors."""
    for index, x in enumerate(results):
        if isinstance(x, torch.Tensor):
            continue
        inside = pytree.leaves(dict(getattr(x, "__dict__", {})))
        if isinstance(x, Iterator) or any(isinstance(t, torch.Tensor) for t in inside):
            raise TypeError(
                f"`{checks.leaf_path(spec, index, 'result')}` of a block to be computed again is an "
                f"object of type {type(x).__name__}, which is no tree: return tensors in tuples, "
                f"lists, dicts or dataclasses, or register it by "
                f"`torchopt.pytree.register_pytree_node`."
            )


def _values(results: Tensors, taken: Tensors) -> list[torch.Tensor]:
    """Detach tensors, and copy those that share memory, so that each may be changed in place."""
    known = set(map(memory_of, taken))
    values = []
    for y in results:
        value = y.detach()
        values.append(value.clone() if memory_of(y) in known else value)
        known.add(memory_of(y))
    return values


class _BlockEnvironment(Environment):
    """The environment of a block: also the modes of operators."""

    def __init__(self, *values: Any) -> None:
        super().__init__(*values)
        stack = _get_current_function_mode_stack()
        self._operators = [m for m in stack if isinstance(m, (ExactDerivatives, HigherOrder))]

    @contextmanager
    def again(self) -> Iterator[None]:
        """Enclose a later evaluation and its derivatives, which leave everything as it is now."""
        with super().again(), eagerly(), ExitStack() as stack:
            for m in self._operators:
                mode = decomposed(m.rules) if isinstance(m, HigherOrder) else ExactDerivatives()
                stack.enter_context(mode)
            yield


_CHANGED = (
    "what it reads besides its arguments has changed since, by the block itself or after it; pass that "
    "as an argument, and return its new value"
)


@dataclass(frozen=True, eq=False)
class Block:
    """A function of trees as a function of tensors: of its arguments, and of those that it captures.

    Attributes:
        function: The function of trees.
        spec: The structure of its arguments.
        leaves: Their leaves, with a mark in place of each tensor.
        number: How many tensors are among the arguments.
        closed: What it reads besides.
        out_spec: The structure of its results.
        places: Positions of the results that have a gradient.
        first: The fingerprint of these results.
    """

    function: Callable[..., Any]
    spec: Any
    leaves: list[Any]
    number: int
    closed: Closed
    out_spec: Any
    places: list[int]
    first: Fingerprint

    @property
    def size(self) -> int:
        """How many inputs its node has."""
        return self.number + len(self.closed.free)

    @property
    def block(self) -> Block:
        """The block itself, as :attr:`_Pullback.block` is."""
        return self

    def own(self) -> dict[int, torch.Tensor]:
        """Return what stands for itself of what it captures, by the position of the input."""
        if needs_plain_evaluation():
            return {}
        composed = set(map(id, self.closed.composed))
        places = enumerate(self.closed.free, self.number)
        return {i: t for i, t in places if id(t) not in composed}

    def replaced(self, tensors: Tensors) -> AbstractContextManager[Any]:
        """Let what is composed be replaced; what is connected to others is not computed at copies."""
        return self.closed.at(tensors[self.number :], replace=needs_plain_evaluation())

    def __call__(self, *tensors: torch.Tensor) -> Results:
        """Compute the block again, and compare its results with the first."""
        values = iter(tensors)
        leaves = [next(values) if x is _TENSOR else x for x in self.leaves]
        args, kwargs = pytree.unflatten(self.spec, leaves)
        self.closed.environment.rewind()
        own = self.own()
        look = self.closed.look(None, [t for i, t in enumerate(tensors) if i not in own])
        with self.replaced(tensors):
            out = self.function(*args, **kwargs)
        results, spec = pytree.flatten(out)
        if spec != self.out_spec:
            raise ReplayError(
                f"a block returned another tree when it was computed again ({spec}) than at first "
                f"({self.out_spec}): {_CHANGED}."
            )
        again = [results[i] for i in self.places]
        if torch.is_grad_enabled() and not checks.transforms_active():
            look.at([y for y in again if isinstance(y, torch.Tensor)])
            self.closed.compare(None)
        self._compare([y for y in again if isinstance(y, torch.Tensor)])
        return again

    def _compare(self, results: Tensors) -> None:
        """Raise if results differ from the first ones; warn if they differ by rounding."""
        if checks.transforms_active():
            return
        check = ReplayCheck(self.closed.environment.autocast)
        with forward_ad._set_fwd_grad_enabled(False):
            distance = self.first.distance(results)
        if not check.accepts(distance, [y.dtype for y in results]):
            raise ReplayError(
                f"a block gave other results when it was computed again than at first: {_CHANGED}."
            )
        check.warn(
            "a block gave not quite the same results when it was computed again: an operation is not "
            "deterministic, and the gradient is as inexact, or what the block reads has changed a "
            "little. Try torch.use_deterministic_algorithms(True)."
        )


@dataclass(frozen=True, eq=False)
class _Pullback:
    """The cotangents of a function's inputs, as a function of the inputs and the cotangents of results.

    Attributes:
        of: The function.
        needed: Whether the cotangent of each input is wanted.
        present: Whether the cotangent of each result is passed; the others are zero.
        differentiated: Whether the pullback itself is to be differentiated.
    """

    of: Block | _Pullback
    needed: Sequence[bool]
    present: Sequence[bool]
    differentiated: bool

    @property
    def block(self) -> Block:
        """The block that is differentiated."""
        return self.of.block

    def __call__(self, *tensors: torch.Tensor) -> Results:
        """Compute the function again, and pull the cotangents back."""
        track, block = torch.is_grad_enabled(), self.block
        own, start = block.own(), edges.now()
        rest = iter(tensors[len(self.needed) :])
        cotangents = [next(rest) if here else None for here in self.present]
        with torch.enable_grad():
            # Variables of these alone: one may be a function of another.
            at = [
                own.get(i, _variable(t, track)) if need else t
                for i, (t, need) in enumerate(zip(tensors, self.needed, strict=False))
            ]
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
        ends, given = zip(*pairs, strict=True)
        altered = Altered(*ends, start=start) if self.differentiated else nullcontext()
        with altered, block.replaced(at[: block.size]):
            gradients: Results = gradient(
                ends, wanted, given, run=seen_grad, of=at, create_graph=track, allow_unused=True
            )
        if isinstance(altered, Altered):
            for t in altered.read:
                if all(t is not s for s in (*tensors, *at, *block.closed.free)):
                    block.closed.refuse_hook(t)
        if track and not checks.transforms_active():
            look = block.closed.looks[None]
            look.give([t for i, t in enumerate(at) if i not in own])
            look.give([c for c in cotangents if c is not None])
            look.at([g for g in gradients if g is not None], behind=True)
        return gradients


def _variable(t: torch.Tensor, track: bool) -> torch.Tensor:
    """Return a tensor as a variable, which is no leaf: autocast would keep what it makes of one."""
    # A transform allows no new ones.
    connected = t.requires_grad and (track or checks.transforms_active())
    return alias(t if connected else t.detach().requires_grad_())


def _run(function: Block | _Pullback, tensors: Tensors) -> Results:
    closed = function.block.closed
    with closed.passing():
        results = function(*tensors)
        if not torch.is_grad_enabled():  # so that the graph is freed
            closed.finish()
    return results


class _Node(torch.autograd.Function):
    """A function that is computed again in the backward pass, as its pullback is.

    The first evaluation of a block comes before its node, and passes its results.
    """

    @staticmethod
    def forward(
        ctx: Any, function: Block | _Pullback, results: Results | None, *tensors: torch.Tensor
    ) -> Any:
        ctx.function = function
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*tensors)
        if results is None:
            # PyTorch switches forward mode off in here, which the block may use inside.
            with without_hooks(), forward_ad._set_fwd_grad_enabled(forward_ad._current_level < 0):
                results = _run(function, tensors)
        return tuple(results)

    @staticmethod
    @unseen()
    def backward(ctx: Any, *cotangents: torch.Tensor | None) -> Any:
        tensors = ctx.saved_tensors  # once: hooks unpack them anew each time
        needed = ctx.needs_input_grad[2:]
        present = [c is not None for c in cotangents]
        pull = _Pullback(ctx.function, needed, present, torch.is_grad_enabled())
        given = [*tensors, *(c for c in cotangents if c is not None)]
        plain = needs_plain_evaluation()
        gradients = iter(_run(pull, given) if plain else _Node.apply(pull, None, *given))
        return None, None, *(next(gradients) if need else None for need in needed)
