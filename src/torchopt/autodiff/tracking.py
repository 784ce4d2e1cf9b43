"""Whether results carry derivatives, and how to leave them out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, TypeVar

import torch
from torch.autograd import forward_ad
from torch.autograd.graph import saved_tensors_hooks
from torch.compiler import is_dynamo_compiling
from torch.overrides import TorchFunctionMode

from torchopt import checks
from torchopt.autodiff.graph import leaves_reached
from torchopt.pytree import flattening as pytree

_Tree = TypeVar("_Tree")

NO_SPARSE = "PyTorch has no forward mode for sparse tensors: use reverse mode, or dense tensors."

PLAIN = frozenset({torch.Tensor, torch.nn.Parameter, torch.nn.Buffer})
"""The types of tensors whose operations are PyTorch's own."""

top_hooks: Callable[[bool], Any] = torch._C._autograd._top_saved_tensors_default_hooks
"""The innermost hooks on saved tensors, such as those of ``torch.utils.checkpoint``, or None; with
False, unless they are hidden by tracing."""


def untracked() -> AbstractContextManager[Any]:
    """Leave all derivatives out: no graph and no tangents, at every level of ``torch.func``.

    Hooks on saved tensors (of checkpointing, of offloading) are off: they are for the graph around the
    block, and ``torch.func`` refuses to run under them.
    """
    # A level of dual numbers that is entered inside of the block is its own.
    outside = forward_ad._current_level >= 0
    if not (outside or top_hooks(True)) and torch._C._is_fwd_grad_enabled():
        return torch.no_grad()
    return _hooks_and_modes_off(forward=not outside)


@contextmanager
def _hooks_and_modes_off(*, forward: bool) -> Iterator[None]:
    with without_hooks(), torch.no_grad(), forward_ad._set_fwd_grad_enabled(forward):
        yield


@contextmanager
def dual_numbers() -> Iterator[None]:
    """Enter PyTorch's level of dual numbers, with forward mode on, which linear solves turn off."""
    with forward_ad._set_fwd_grad_enabled(True), ExitStack() as level:
        try:
            level.enter_context(forward_ad.dual_level())
        except RuntimeError as error:
            raise RuntimeError(
                "a derivative in forward mode is under way, around this one or in another thread, and "
                "PyTorch has one at a time in a process: take them one after the other, or use reverse "
                'mode, such as `hvp="reverse"`.'
            ) from error
        try:
            yield
        except NotImplementedError as error:
            sparse = "Sparse" in str(error)  # in the name of PyTorch's backend
            raise NotImplementedError(NO_SPARSE if sparse else str(error)) from error


def make_dual(primal: torch.Tensor, tangent: torch.Tensor) -> torch.Tensor:
    """Return a dual number: of a copy where entries share memory, as expanded ones and windows do."""
    # A tangent gets the strides of its primal: PyTorch would write several entries to one place.
    primal = primal if primal.is_contiguous() else primal.clone()
    return forward_ad.make_dual(primal, tangent)


@contextmanager
def without_hooks() -> Iterator[list[Any]]:
    """Turn hooks on saved tensors off in a block, and yield them."""
    hooks: list[Any] = []
    while (pair := top_hooks(True)) is not None:
        hooks.append(pair)
        saved_tensors_hooks(*pair).__exit__()
    try:
        yield hooks
    finally:
        for pack, unpack in reversed(hooks):
            saved_tensors_hooks(pack, unpack).__enter__()


@contextmanager
def unhooked(tensors: Iterable[torch.Tensor]) -> Iterator[None]:
    """Take gradients with the hooks of some tensors removed: they fire for a later gradient only."""
    kept = [(hooks, dict(hooks)) for t in tensors if (hooks := t._backward_hooks)]
    for hooks, _ in kept:
        hooks.clear()
    try:
        yield
    finally:
        for hooks, was in kept:
            hooks.update(was)


def without_inference(leaves: list[Any]) -> list[Any]:
    """Return leaves with copies of tensors of the inference mode, which autograd does not take.

    The same list if there are none, and within that mode.
    """
    if is_dynamo_compiling() or torch.is_inference_mode_enabled():
        return leaves
    if not any(isinstance(x, torch.Tensor) and x.is_inference() for x in leaves):
        return leaves
    return [x.clone() if isinstance(x, torch.Tensor) and x.is_inference() else x for x in leaves]


def is_differentiable(x: Any) -> bool:
    """Whether something is a tensor that can have a derivative: of real or complex numbers."""
    return isinstance(x, torch.Tensor) and (x.is_floating_point() or x.is_complex())


class _NoTangents(TorchFunctionMode):
    """Makes ``torch.no_grad()`` drop tangents, too, which PyTorch keeps there."""

    def __init__(self) -> None:
        super().__init__()
        self._level = torch._C._functorch.maybe_current_level()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation, and drop tangents of its results where no gradient is tracked."""
        out = func(*args, **(kwargs or {}))
        # A transform inside of the function has its own levels.
        inside = torch._C._functorch.maybe_current_level() != self._level
        if inside or torch.is_grad_enabled():
            return out
        return pytree.map_leaves(_primal, out)


def with_ends(function: Callable[..., _Tree], *args: Any) -> _Tree:
    """Evaluate a function so that ``torch.no_grad()`` inside of it drops tangents, too."""
    if forward_ad._current_level < 0 or not torch._C._is_fwd_grad_enabled():
        return function(*args)
    # With grad mode on, a block without it can be told from what is around.
    tracked = torch.is_grad_enabled()
    with torch.enable_grad(), _NoTangents():
        out = function(*args)
    return out if tracked else without_graph(out)


def _primal(x: Any) -> Any:
    if not is_differentiable(x):
        return x
    if checks.transforms_active():  # tangents may be at any of their levels
        return x if x.requires_grad else x.detach()
    primal, tangent = forward_ad.unpack_dual(x)
    return x if tangent is None else primal


def without_graph(tree: _Tree) -> _Tree:
    """Return a tree with its tensors without their graphs, but with their tangents."""
    return pytree.map_leaves(_without_graph, tree)


def without_graph_to(tree: _Tree, leaves: Iterable[torch.Tensor]) -> _Tree:
    """Return a tree without its graph, if that leads to some leaves only, which nobody else has."""
    reached = map(id, leaves_reached(pytree.partition(tree)[0]))
    return without_graph(tree) if set(map(id, leaves)).issuperset(reached) else tree


def _without_graph(x: Any) -> Any:
    if not isinstance(x, torch.Tensor) or not x.requires_grad:
        return x
    primal, tangent = forward_ad.unpack_dual(x)
    if tangent is None:
        return x.detach()
    return forward_ad.make_dual(primal.detach(), tangent.detach())


def tracking() -> bool:
    """Whether results must carry derivatives: a graph or a tangent."""
    forward = torch._C._is_fwd_grad_enabled() and forward_ad._current_level >= 0
    return torch.is_grad_enabled() or forward


def constant(tree: _Tree) -> _Tree:
    """Return a tree with its tensors cut off from what made them; none requires grad.

    A tensor in several places, as the counter of steps may be, stays one tensor.
    """
    if is_dynamo_compiling():  # a program would be specialized to each `id`
        return pytree.map_leaves(_constant, tree)
    leaves, spec = pytree.flatten(tree)
    cut = {id(x): x.detach() if isinstance(x, torch.Tensor) else x for x in leaves}
    return pytree.unflatten(spec, [cut[id(x)] for x in leaves])


def _constant(leaf: Any) -> Any:
    return leaf.detach() if isinstance(leaf, torch.Tensor) else leaf


def detached(tree: _Tree, *, copy: bool = False) -> _Tree:
    """Return a tree with its tensors cut off from what made them; they require grad where they did."""

    def cut(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor):
            return leaf
        new = leaf.detach().clone() if copy else leaf.detach()
        # Not inside torch.func, which has its own ways to ask for a gradient.
        tracked = leaf.requires_grad and not checks.transforms_active()
        return new.requires_grad_() if tracked else new

    return pytree.map_leaves(cut, tree)


def copied(tree: _Tree) -> _Tree:
    """Return a tree :func:`detached`, of copies, which a function may write to."""
    return detached(tree, copy=True)
