"""The inner problem: what every differentiation mode is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import torch

from torchopt import errors
from torchopt._exact import ExactDerivatives
from torchopt.pytree import _registry as pytree
from torchopt.transform._base import GradientTransformation
from torchopt.transform._update import advance

__all__ = ["DifferentiationMode", "InnerProblem", "Solution"]


class Solution(NamedTuple):
    """The solution of an inner problem.

    Attributes:
        params: The parameters after the last step.
        state: The solver's state after the last step.
        aux: The auxiliary output of the last evaluation of the objective; None without ``has_aux``.
    """

    params: Any
    state: Any
    aux: Any = None


class DifferentiationMode(Protocol):
    """How a solution is differentiated with respect to what its problem reads."""

    def solve(self, problem: InnerProblem) -> Solution:
        """Solve the problem, so that autograd can go through the solution."""
        ...


@dataclass(frozen=True)
class InnerProblem:
    """Minimize ``objective(params, *args[, batch])`` by ``steps`` updates of ``solver``.

    Attributes:
        objective: Returns a scalar loss, or ``(loss, aux)`` with ``has_aux``.
        params: The starting point, a tree of tensors.
        args: Arguments that are the same in each step.
        solver: A gradient transformation.
        steps: How many updates to do.
        batches: A tree with a leading axis of steps, a function of the step, or None.
        has_aux: Whether the objective has an auxiliary output.
    """

    objective: Callable[..., Any]
    params: Any
    args: tuple[Any, ...]
    solver: GradientTransformation
    steps: int
    batches: Any
    has_aux: bool

    def start(self) -> Solution:
        """Return the starting point and the solver's first state."""
        # Aliases: a start that the objective also reads by another way (as the centre of a proximal
        # term, say) is another variable there.
        start = pytree.map_leaves(lambda p: p.view_as(p), self.params)
        return Solution(start, self.solver.init(self.params))

    def step(
        self, index: int, carry: Solution, batch: tuple[Any, ...], *, first_order: bool = False
    ) -> Solution:
        """Do one update, with the batch that :meth:`batch` gave for this step.

        Differentiable in the carry, the batch and all that the objective reads; with
        ``first_order``, the gradient of the objective counts as a constant.
        """
        grads, aux = self._gradient(index, carry.params, (*self.args, *batch), first_order)
        params, state = advance(self.solver, grads, carry.state, carry.params)
        return Solution(params, state, aux)

    def _split(self, out: Any) -> tuple[Any, Any]:
        if not self.has_aux:
            return out, None
        if not isinstance(out, tuple) or len(out) != 2:
            raise TypeError(
                f"has_aux=True: the objective must return a pair (loss, aux), but it returned an "
                f"object of type {type(out).__name__}."
            )
        return out

    def batch(self, index: int) -> tuple[Any, ...]:
        """Return what the objective is given last at a step: one batch, or nothing.

        To be called once for each step: a function may advance an iterator.
        """
        if self.batches is None:
            return ()
        if callable(self.batches):
            return (self.batches(index),)
        leaves, spec = pytree.flatten(self.batches)
        return (pytree.unflatten(spec, [b if b is None else b[index] for b in leaves]),)

    def _gradient(
        self, index: int, params: Any, arguments: tuple[Any, ...], first_order: bool
    ) -> tuple[Any, Any]:
        leaves, spec = pytree.flatten(params)
        present = [i for i, leaf in enumerate(leaves) if leaf is not None]
        where = f"the objective's value at step {index}"

        def evaluate(tensors: list[torch.Tensor]) -> tuple[torch.Tensor, Any]:
            filled = list(leaves)
            for i, t in zip(present, tensors, strict=True):
                filled[i] = t
            out = self.objective(pytree.unflatten(spec, filled), *arguments)
            loss, aux = self._split(out)
            errors.check_loss(loss, what=where)
            return loss.squeeze(), aux

        tensors = [leaves[i] for i in present]
        if errors.transforms_active():
            found, aux = _functional_gradient(evaluate, tensors)
        else:
            found, aux = _eager_gradient(evaluate, tensors, first_order, where)
        if first_order:  # in forward mode, too
            found = [g.detach() for g in found]
        grads: list[Any] = [None] * len(leaves)
        for i, g in zip(present, found, strict=True):
            grads[i] = g
        return pytree.unflatten(spec, grads), aux


_TENSOR = object()


def _functional_gradient(
    evaluate: Callable[..., Any], tensors: list[torch.Tensor]
) -> tuple[list[torch.Tensor], Any]:
    specs: list[Any] = []

    def traced(tensors: list[torch.Tensor]) -> tuple[torch.Tensor, list[torch.Tensor]]:
        # Out of the transform come tensors only; the rest of the auxiliary output goes around it.
        with ExactDerivatives():
            loss, aux = evaluate(tensors)
        leaves, spec = pytree.flatten(aux)
        specs[:] = [spec, [_TENSOR if isinstance(x, torch.Tensor) else x for x in leaves]]
        return loss, [x for x in leaves if isinstance(x, torch.Tensor)]

    grads, (_, out) = torch.func.grad_and_value(traced, has_aux=True)(tensors)
    spec, leaves = specs
    it = iter(out)
    return list(grads), pytree.unflatten(spec, [next(it) if x is _TENSOR else x for x in leaves])


def _eager_gradient(
    evaluate: Callable[..., Any], tensors: list[torch.Tensor], first_order: bool, where: str
) -> tuple[list[torch.Tensor], Any]:
    track = torch.is_grad_enabled()
    inputs = [t if track else t.clone() for t in tensors]
    inputs = [t if t.requires_grad else t.view_as(t).requires_grad_() for t in inputs]
    with torch.enable_grad():
        loss, aux = evaluate(inputs)
    grads = torch.autograd.grad(
        loss, inputs, create_graph=track and not first_order, allow_unused=True
    )
    if all(g is None for g in grads):
        raise ValueError(
            f"{where} does not depend on the parameters: compute it from the first argument."
        )
    if not track:
        aux = pytree.map_leaves(lambda x: x.detach() if isinstance(x, torch.Tensor) else x, aux)
    return [
        torch.zeros_like(t) if g is None else g for g, t in zip(grads, tensors, strict=True)
    ], aux
