"""Hyperparameters and starting points that are to be learned, in modes that do not reach them."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.autodiff.graph import leaves_reached, nodes_reached
from torchopt.autodiff.tracking import tracking
from torchopt.pytree import flattening as pytree
from torchopt.transform.chaining import GradientTransformation


class Start:
    """A starting point, to which no derivative of a solution flows but what the objective reads of it.

    A gradient that is asked for there is warned of, also under ``torch.func``; a tangent is not. A
    parameter of a module requires grad by default: it is one only if the solution depends on nothing
    else.

    Args:
        tree: The starting point.
        mode: The name of the mode.

    Attributes:
        alias: The same, for what depends on it only formally.
    """

    def __init__(self, tree: Any, mode: str) -> None:
        self.alias = tree
        self._mode = mode
        self._leaves, self._spec = pytree.flatten(tree)
        self._told: dict[int, torch.Tensor] = {}
        self._says: dict[int, str] = {}
        self._unread: list[int] = []
        if torch.compiler.is_compiling():
            return
        for index, t in enumerate(self._leaves):
            if isinstance(t, torch.Tensor) and transforms.requires_grad(t):
                self._told[index] = _Told.apply(functools.partial(_tell, self._says, index), t)
        leaves = [self._told.get(i, t) for i, t in enumerate(self._leaves)]
        self.alias = pytree.unflatten(self._spec, leaves)

    def note(self, inputs: Any, residual: Any) -> None:
        """Note which inputs the conditions are given and do not read, where their graph says so."""
        if self._told and tracking() and not transforms.are_active():
            read = set(map(id, leaves_reached(pytree.partition(residual)[0])))
            tensors = pytree.partition(inputs)[0]
            self._unread = [i for i, t in enumerate(tensors) if id(t) not in read]

    def compare(self, solution: Any) -> None:
        """Note which leaves a solution does not depend on, in any level of ``torch.func``."""
        x = pytree.partition(solution)[0]
        for index, told in self._told.items():
            t = self._leaves[index]
            levels = {level for level, forward in transforms.derivatives_of(told) if not forward}
            reached = [self._reached(x, level) for level in levels]
            own = [nodes_reached([transforms.within(told, level)]) for level in levels]
            read = any(not a.isdisjoint(b) for a, b in zip(reached, own, strict=True))
            if not read and not (any(reached) and isinstance(t, torch.nn.Parameter)):
                self._says[index] = (
                    f"`{checks.leaf_path(self._spec, index, 'params')}`, where the solver starts, has "
                    f"gradient zero by `{self._mode}`, which does not differentiate the way from it: "
                    f"differentiate the steps, by `torchopt.diff.Explicit()`, or detach it."
                )

    def _reached(self, x: list[torch.Tensor], level: int) -> set[Any]:
        """Return the leaves of a level that a solution depends on, but for the formal dependence."""
        x = [transforms.within(t, level) for t in x]
        ends = {transforms.within(t, level).grad_fn for t in self._told.values()}
        if self._unread and x[0].grad_fn is not None:  # the node of the equation
            edges = x[0].grad_fn.next_functions[len(x) :]
            ends |= {edges[i][0] for i in self._unread}
        return {node for node in nodes_reached(x, ends) if hasattr(node, "variable")}


def _tell(says: dict[int, str], index: int) -> None:
    if index in says:
        checks.warn(says[index])


class _Told(torch.autograd.Function):
    """The identity; its backward pass calls a function."""

    generate_vmap_rule = True

    @staticmethod
    def forward(tell: Callable[[], None], t: torch.Tensor) -> torch.Tensor:
        return t.view_as(t)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.tell = inputs[0]

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        ctx.tell()
        return None, cotangents[0]

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return tangents[1].view_as(tangents[1])


def refuse_learned(solver: Any, why: str, *, apart_from: Any = None) -> None:
    """Raise ``ValueError`` if a hyperparameter of a gradient transformation requires grad.

    Args:
        solver: The solver.
        why: Why no gradient flows to it.
        apart_from: What is part of the problem, too, and not looked into.
    """
    waiting: list[Any] = [solver] if isinstance(solver, GradientTransformation) else []
    seen: set[int] = {id(apart_from)}
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, torch.Tensor):
            # Only leaves: a learning rate may be computed from the problem's variables.
            if value.requires_grad and value.is_leaf:
                raise ValueError(
                    f"a hyperparameter of the solver, a tensor of shape {tuple(value.shape)}, requires "
                    f"grad, but {why}; detach it, or differentiate the steps, by "
                    f"`torchopt.diff.Explicit()`."
                )
        elif isinstance(value, Mapping):
            waiting += value.values()
        elif isinstance(value, (list, tuple)):
            waiting += value
        elif isinstance(value, torch.nn.Module):
            waiting += value.parameters()
        elif isinstance(value, functools.partial):
            # The parameters of the module that `functional_call` is given are replaced.
            replaced = getattr(value.func, "__name__", None) == "functional_call"
            waiting += [value.func, value.args[1:] if replaced else value.args, value.keywords]
        elif isinstance(value, types.MethodType):
            waiting.append(value.__self__)
        elif isinstance(value, types.FunctionType):
            waiting += inspect.getclosurevars(value).nonlocals.values()
        elif type(value).__module__.partition(".")[0] == "torchopt" and hasattr(value, "__dict__"):
            waiting += vars(value).values()
