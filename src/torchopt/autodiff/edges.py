"""What a function reads: the variables at which the autograd graph of its results ends.

A graph ends in leaves, and in nodes that are older than the evaluation. These *ends* are all that the
function read and that requires grad, whoever read it: operators, custom autograd Functions, scripted
code. ``torch.autograd.grad`` goes to them as they are, so that nothing has to be replaced.

Variables of one gradient must not be made of one another, or a path counts twice. So derivatives are
taken at detached copies of what a function is given, and *grafted* onto the tensors themselves.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Collection, Container, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import torch
from torch.overrides import TorchFunctionMode

from torchopt import checks
from torchopt.autodiff.function_mode import replacing_modes
from torchopt.autodiff.graph import Cotangents, Tensors
from torchopt.autodiff.second_order import is_foreign, vjp
from torchopt.autodiff.tracking import unhooked
from torchopt.autodiff.transforms import unseen_by_modes
from torchopt.pytree.flattening import flatten_arguments

Key: TypeAlias = Any
"""The identity of a leaf; or a node and the number of its output."""

_Node: TypeAlias = tuple[Any, int]


def now() -> int:
    """Return a number that is smaller than those of the nodes that this thread makes from now on."""
    torch.clear_autocast_cache()  # a cast that is kept would be older than what reads it
    with torch.enable_grad():
        node: Any = torch.zeros((), requires_grad=True, device="cpu").view(()).grad_fn
    return int(node._sequence_nr())


@contextmanager
def as_they_were(free: Collection[torch.Tensor], *, evaluated: bool = True) -> Iterator[None]:
    """Let leaves require grad that did in the first evaluation, call no hooks, and leave ``.grad``.

    Hooks are for the gradient that comes out of a node that stands for the evaluation; and what the
    evaluation adds to ``.grad`` has been added.

    Args:
        free: The variables that the evaluation reads.
        evaluated: Whether it is evaluated again; else gradients are taken on the graph of the first.
    """
    grads = [(t, t.grad) for t in free if t.retains_grad or (evaluated and t.is_leaf)]
    for t, grad in grads:
        if grad is not None:
            t.grad = grad.detach().clone()
    inside = checks.transforms_active()
    frozen = [t for t in free if not (inside or t.requires_grad) and t.is_leaf]
    for t in frozen:
        t.requires_grad_()
    try:
        with unhooked(free):
            yield
    finally:
        for t in frozen:
            t.requires_grad_(False)
        for t, grad in grads:
            t.grad = grad


def key_of(tensor: torch.Tensor) -> Key:
    """Return what an end at a tensor is known by."""
    node = tensor.grad_fn
    return id(tensor) if node is None else (node, tensor.output_nr)


def inner_ends(tensors: Iterable[torch.Tensor]) -> dict[Key, torch.Tensor]:
    """Return those of some tensors that are no leaves, by what ends at them are known by."""
    with unseen_by_modes():  # they may replace tensors, also in the look at an attribute
        return {(t.grad_fn, t.output_nr): t for t in tensors if t.grad_fn is not None}


class Look:
    """Looks at the graphs that an evaluation makes, before they are freed.

    Args:
        given: The tensors that the evaluation is given.
        known: Ends that are known before it.
        later: Whether it is not the first.

    Attributes:
        nodes: The ends that are no leaves.
        older: Whether a later evaluation read what is older and no end of the first.
        hidden: Whether a custom autograd.Function reads an end: no operation shows that.
        custom: Whether there is such a Function, or a hook of a module, whose backward may read more.
    """

    def __init__(
        self, given: Iterable[torch.Tensor], known: Container[Key], *, later: bool
    ) -> None:
        self.nodes: set[_Node] = set()
        self.older = self.hidden = self.custom = False
        self._given: set[Key] = set()
        self.give(given)
        self._known = known
        self._later = later
        self._leaves: dict[int, weakref.ref[torch.Tensor]] = {}
        self._behind: set[int] = set()  # leaves that only the backward pass reads
        self._seen: set[Any] = set()
        self._start = now()

    def give(self, tensors: Iterable[torch.Tensor]) -> None:
        """Count tensors as given."""
        with unseen_by_modes():  # as `key_of`, without a call for each
            self._given |= {
                id(t) if t.grad_fn is None else (t.grad_fn, t.output_nr) for t in tensors
            }

    def at(self, outputs: Iterable[torch.Tensor], *, behind: bool = False) -> None:
        """Look at the graph of what the evaluation made.

        Args:
            outputs: The tensors.
            behind: Whether they come after those of a gradient that has been looked at.
        """
        given, known, start, seen = self._given, self._known, self._start, self._seen
        accumulate: Any = _accumulate()
        waiting: list[_Node] = []
        custom: list[_Node] = []  # what custom Functions are given
        with unseen_by_modes():
            for y in outputs:
                if y.grad_fn is not None:
                    waiting.append((y.grad_fn, y.output_nr))
                elif y.requires_grad:
                    self._meet(y, behind)
        while waiting:
            edge = waiting.pop()
            node = edge[0]
            if node is None or node in seen or edge in given:
                continue
            if type(node) is accumulate:
                seen.add(node)
                if id(node.variable) not in given:
                    self._meet(node.variable, behind)
            elif edge in known:  # also where another thread made it, which has other numbers
                self.nodes.add(edge)
            elif node._sequence_nr() < start:
                self.nodes.add(edge)
                self.older |= self._later
            else:
                seen.add(node)
                waiting += node.next_functions
                if is_foreign(node.__class__):
                    custom += node.next_functions
        if custom:
            self.custom = True
            self.hidden |= any(
                edge in self.nodes or id(getattr(edge[0], "variable", None)) in self._leaves
                for edge in custom
            )

    def _meet(self, leaf: torch.Tensor, behind: bool) -> None:
        key = id(leaf)
        if key not in self._given and key not in self._leaves:
            self._leaves[key] = weakref.ref(leaf)
            if behind:
                self._behind.add(key)

    def reached(self, key: Key) -> bool:
        """Whether an end was met."""
        return key in self.nodes or key in self._leaves

    def let_go(self) -> None:
        """Hold no node any longer: nodes that have been seen are seen again."""
        self._seen.clear()

    def leaves(self, *, behind: bool = False) -> dict[int, torch.Tensor]:
        """Return the leaves by their identities, once the graph is freed.

        A leaf that nothing else holds was made by the evaluation.

        Args:
            behind: Whether to return only those that the backward pass alone reads.
        """
        self.let_go()
        table, keys = self._leaves, self._behind if behind else self._leaves
        return {key: leaf for key in keys if (leaf := table[key]()) is not None}


def is_made_of(node: Any, ends: Container[Key]) -> bool:
    """Whether what a node gives was made of some ends; also where its graph is too large to tell."""
    waiting: list[Any] = [*node.next_functions]
    seen: set[Any] = set()
    while waiting:
        edge = waiting.pop()
        node = edge[0]
        if node is None or node in seen:
            continue
        end = id(node.variable) if type(node) is _accumulate() else edge
        if end in ends or len(seen) > _MOST_NODES:
            return True
        seen.add(node)
        waiting += node.next_functions
    return False


class Found(TorchFunctionMode):
    """Finds the tensors that are made at some nodes.

    Attributes:
        tensors: The tensors, by the nodes.
    """

    def __init__(self, nodes: Container[_Node]) -> None:
        super().__init__()
        self.tensors: dict[Key, torch.Tensor] = {}
        self._nodes = nodes

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Look at the arguments of an operation, and run it."""
        around = [mode.table for mode in replacing_modes()]
        with unseen_by_modes():
            for x in flatten_arguments((args, kwargs or {}))[0]:
                for t in (x, *(table[id(x)] for table in around if id(x) in table)):
                    if isinstance(t, torch.Tensor) and t.grad_fn is not None:
                        self._note(t)
        return func(*args, **(kwargs or {}))

    def _note(self, t: torch.Tensor) -> None:
        if key_of(t) in self._nodes:
            self.tensors[key_of(t)] = t


class _Graft(torch.autograd.Function):
    """Results that were computed at copies, as functions of the tensors themselves."""

    @staticmethod
    def forward(
        ctx: Any, results: list[torch.Tensor], at: list[torch.Tensor], *tensors: torch.Tensor
    ) -> Any:
        ctx.results, ctx.at = results, at
        ctx.save_for_backward(*tensors)
        return tuple(y.detach().clone() for y in results)

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor | None) -> Any:
        tensors = ctx.saved_tensors
        with unhooked(ctx.at):  # they are for what comes out of this node
            if torch.is_grad_enabled():
                return None, None, *grafted_vjp(ctx.results, ctx.at, tensors, cotangents)
            return None, None, *vjp(ctx.results, ctx.at, cotangents, retain_graph=True)


def grafted_vjp(
    results: Tensors, at: Tensors, tensors: Tensors, cotangents: Cotangents
) -> list[torch.Tensor | None]:
    """Return the cotangents of tensors, as functions of these and of the cotangents of results.

    Args:
        results: The results, with a graph that ends at ``at``.
        at: Copies of tensors; or tensors themselves.
        tensors: The tensors that they are copies of.
        cotangents: Those of the results.
    """
    moving = [c for c in cotangents if c is not None]
    copies = [c.detach().requires_grad_() for c in moving]
    rest = iter(copies)
    given = [None if c is None else next(rest) for c in cotangents]
    pulled = vjp(results, at, given, create_graph=True)
    return graft(pulled, [*at, *copies], [*tensors, *moving])


def graft(results: Cotangents, at: Tensors, tensors: Tensors) -> list[torch.Tensor | None]:
    """Return results that were computed at some tensors as functions of others with the same values.

    Args:
        results: The results, with a graph that ends at ``at``.
        at: Copies of tensors; or tensors themselves.
        tensors: The tensors that they are copies of.
    """
    moving = [y for y in results if y is not None and y.requires_grad]
    if not moving:
        return list(results)
    grafted = iter(_Graft.apply(moving, list(at), *tensors))
    return [y if y is None or not y.requires_grad else next(grafted) for y in results]


_MOST_NODES = 10_000  # a graph that is larger is not searched


@functools.cache
def _accumulate() -> Any:
    """Return the class of the nodes that stand for leaves."""
    with torch.enable_grad():
        node: Any = torch.zeros((), requires_grad=True, device="cpu").view(()).grad_fn
    return type(node.next_functions[0][0])
