"""Hyperparameters and starting points that are to be learned, in modes that do not reach them."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Mapping
from typing import Any

import torch
from torch.autograd.graph import get_gradient_edge

from torchopt import checks
from torchopt.autodiff.graph import nodes_reached
from torchopt.pytree import flattening as pytree
from torchopt.transform.chaining import GradientTransformation

__all__ = ["Start", "refuse_learned"]


class Start:
    """A starting point, to which no derivative of a solution flows but what the objective reads of it.

    Outside of ``torch.func``, a gradient that is asked for there is warned of. A parameter of a module
    requires grad by default: it is one only if the solution depends on nothing else.

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
        self._told: dict[int, tuple[torch.Tensor, list[str]]] = {}
        if checks.transforms_active():
            return
        for index, t in enumerate(self._leaves):
            if isinstance(t, torch.Tensor) and t.requires_grad:
                says: list[str] = []
                self._told[index] = _Told.apply(says, t), says
        leaves = [self._told[i][0] if i in self._told else t for i, t in enumerate(self._leaves)]
        self.alias = pytree.unflatten(self._spec, leaves)

    def compare(self, solution: Any) -> None:
        """Note which leaves a solution does not depend on."""
        if not self._told:
            return
        ends = {t.grad_fn for t, _ in self._told.values()}
        nodes = nodes_reached(pytree.partition(solution)[0], ends)
        reached = {node for node in nodes if hasattr(node, "variable")}
        for index, (_, says) in self._told.items():
            t = self._leaves[index]
            read = not reached.isdisjoint(nodes_reached([get_gradient_edge(t)]))
            if not read and not (reached and isinstance(t, torch.nn.Parameter)):
                says.append(
                    f"`{checks.leaf_path(self._spec, index, 'params')}`, where the solver starts, has "
                    f"gradient zero by `{self._mode}`, which does not differentiate the way from it: "
                    f"differentiate the steps, by `torchopt.diff.Explicit()`, or detach it."
                )


class _Told(torch.autograd.Function):
    """The identity; its backward pass warns of what there is to say."""

    @staticmethod
    def forward(ctx: Any, says: list[str], t: torch.Tensor) -> torch.Tensor:
        ctx.says = says
        return t.view_as(t)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        for text in ctx.says:
            checks.warn(text)
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
