"""The gradient of an objective, with its mixed second derivatives by central differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff.compiling import eagerly
from torchopt.autodiff.environment import Environment, TorchSettings
from torchopt.autodiff.fingerprint import Fingerprint
from torchopt.autodiff.freezing import CannotFollowError, FreezingMode, FrozenConstants
from torchopt.autodiff.frozen import unwatched
from torchopt.autodiff.function_mode import seen_grad, unseen
from torchopt.autodiff.graph import alias, is_custom, nodes_reached
from torchopt.autodiff.loops import wide
from torchopt.autodiff.tracking import untracked
from torchopt.diff.kinds import Minimum
from torchopt.operators.central_difference import (
    Central,
    moved_by,
    parts_of,
    refuse_legacy_batches,
    unit_step,
)
from torchopt.operators.implicit_function import Root
from torchopt.pytree import flattening as pytree

Tensors = Sequence[torch.Tensor]


def gradient_by_difference(
    kind: Minimum,
    theta: Any,
    inputs: tuple[Any, ...],
    *,
    valued: bool,
    epsilon: float | None,
    holds: bool,
) -> Any:
    """Return the gradient at theta as a function of the inputs.

    Args:
        kind: The objective.
        theta: The point, a constant.
        inputs: The objective's other arguments.
        valued: Whether the gradient is computed; else it is zero, and only its derivative is right.
        epsilon: The length of the difference's step; None for the one that fits the precision.
        holds: Whether what the objective detaches is constant.
    """
    at, combine = pytree.partition(theta)
    at_inputs, combine_inputs = pytree.partition(inputs)
    objective = _Objective(kind, combine, combine_inputs, epsilon, holds)
    with unwatched():
        free = objective.look(at, at_inputs, valued)
    # By an operation, which shows an equation around this one what is read here.
    return combine(_Gradient.apply(objective, *at, *map(alias, at_inputs), *free))


@dataclass(eq=False)
class _Objective:
    """An objective at points near theta: random numbers and buffers are the same at all of them.

    Attributes:
        cuts: What it holds constant.
        refusal: Why no difference can be taken.
        gradient: The gradient by theta.
        beside: That by the inputs, if it is known.
    """

    kind: Minimum
    combine: Callable[[Tensors], Any]
    combine_inputs: Callable[[Tensors], Any]
    epsilon: float | None
    holds: bool
    environment: Environment = field(default_factory=Environment)
    ambient: TorchSettings = field(default_factory=TorchSettings.current)
    cuts: FrozenConstants = field(default_factory=FrozenConstants)
    refusal: Exception | None = None
    gradient: Tensors = ()
    beside: Fingerprint | None = None

    def look(self, theta: Tensors, inputs: Tensors, valued: bool) -> Tensors:
        """Evaluate at theta; return the leaves that the objective closes over."""
        x = [t.detach().requires_grad_() for t in theta]
        inputs = [t.detach().requires_grad_(t.requires_grad) for t in inputs]
        moving = [t for t in inputs if t.requires_grad]
        self.gradient = [torch.zeros_like(t) for t in theta]
        with untracked(), self.environment.evaluation(), self.cuts.recording() as watch:
            try:
                loss = self._loss(x, inputs, watch)
            except CannotFollowError as error:
                self.refusal = RuntimeError(str(error))
                return ()
            nodes = nodes_reached([loss])
            leaves = {
                id(node.variable): node.variable for node in nodes if hasattr(node, "variable")
            }
            own = {*map(id, x), *map(id, inputs), *watch.made}
            free = [t for key, t in leaves.items() if key not in own]
            if free:
                self.refusal = ValueError(
                    f"the objective reads a tensor of shape {tuple(free[0].shape)} that requires grad "
                    f"and is not among `args`, to which finite differences do not reach: pass it in "
                    f'`args`, use `hvp="reverse"`, or turn its `requires_grad` off.'
                )
            elif not any(id(t) in leaves for t in x):
                self.refusal = ValueError(
                    "the objective's value does not depend on the parameters: compute it from the "
                    "first argument."
                )
            elif any(_is_still(node, watch) for node in nodes):
                self.refusal = ValueError(
                    "the objective holds a solution, or another custom autograd.Function, whose value "
                    "near this point is not known to move as its derivative says: use "
                    '`hvp="reverse"`.'
                )
            elif valued:
                every = _gradient(loss, [*x, *moving], track=False)
                self.gradient, beside = every[: len(x)], every[len(x) :]
                self.beside = Fingerprint(map(wide, beside))
        return free

    def pull(
        self, theta: Tensors, inputs: Tensors, u: Tensors, needed: Sequence[bool]
    ) -> list[torch.Tensor | None]:
        """Return the cotangents of inputs for those of the gradient."""
        total, *others = (
            self._product(theta, inputs, part, needed, significant=i > 0)
            for i, part in enumerate(parts_of(u, self.gradient, self.kind.norm))
        )
        for other in others:
            total = [a + b for a, b in zip(total, other, strict=True)]
        cotangents = iter(total)
        return [next(cotangents) if need else None for need in needed]

    def _product(
        self,
        theta: Tensors,
        inputs: Tensors,
        u: Tensors,
        needed: Sequence[bool],
        *,
        significant: bool,
    ) -> list[torch.Tensor]:
        """Return the product of the mixed derivatives with a direction."""
        step = None
        if self.epsilon is not None:
            length = self.kind.norm([wide(t) for t in u])
            step = self.epsilon / torch.where(length > 0, length, 1)
        instead = 'use `hvp="reverse"`, or a higher precision'
        central = Central(theta, instead, step=step, worst=self.kind.worst)

        def gradient(h: torch.Tensor) -> list[torch.Tensor]:
            x = [moved_by(t, d, h) for t, d in zip(theta, u, strict=True)]
            return self._gradient_at(x, inputs, needed, central)

        groups = [[i] for i in range(sum(needed))]
        unit = unit_step(theta, u, self.kind.norm)
        found = central(gradient, unit, groups, significant=significant)
        if self.beside is not None:
            middle, bends = found.middle(central.precision, range(len(groups)))
            off = self.beside.distance(middle, together=True, floor=float(bends))
            if self.kind.worst(bends.new_tensor(off)) > 0:
                raise RuntimeError(
                    "the objective gave another gradient when it was evaluated near the solution: what "
                    "it reads has changed, or is random in a way that cannot be replayed. Leave it as "
                    'it is, pass it in `args` or `batches`, or use `hvp="reverse"`.'
                )
        return [t for t in found.quotient if t is not None]

    def _gradient_at(
        self, x: Tensors, inputs: Tensors, needed: Sequence[bool], central: Central
    ) -> list[torch.Tensor]:
        """Return the gradient at a point by the inputs that need one."""
        track = torch.is_grad_enabled()
        # New tensors, because autocast caches its casts of the old ones.
        x = [t if t.requires_grad else t.detach().requires_grad_() for t in x]
        # Variables of this evaluation: inputs, and x, may be functions of one another.
        inputs = [
            t.detach() if not need else t.view_as(t) if track else t.detach().requires_grad_()
            for t, need in zip(inputs, needed, strict=True)
        ]
        moving = [t for t, need in zip(inputs, needed, strict=True) if need]
        watch = self.cuts.holding() if self.holds else FrozenConstants().recording()
        # An outer checkpoint must not recompute itself during this evaluation.
        with untracked(), self.environment.evaluation(), watch:
            loss = self._loss(x, inputs, watch)
            what = "the objective's value near the solution"
            checks.check_loss(loss, what=what, advice="look at the inputs")
            central.note(loss)
            return _gradient(loss, moving, track)

    def _loss(self, x: Tensors, inputs: Tensors, watch: FreezingMode) -> torch.Tensor:
        with torch.enable_grad():
            with eagerly():
                loss, _ = self.kind.value(self.combine(x), self.combine_inputs(inputs))
            watch.close()
            return loss


class _Gradient(torch.autograd.Function):
    """The gradient, as a function of the objective's arguments."""

    @staticmethod
    def forward(ctx: Any, of: _Objective, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.of = of
        ctx.save_for_backward(*tensors)
        return tuple(t.detach() for t in of.gradient)

    @staticmethod
    @unseen()
    def backward(ctx: Any, *u: torch.Tensor) -> tuple[Any, ...]:
        refuse_legacy_batches(u, '`diff.OneStep(hvp="reverse")`')
        of, n = ctx.of, len(u)
        if of.refusal is not None:
            raise of.refusal
        theta, inputs = ctx.saved_tensors[:n], ctx.saved_tensors[n:]
        needed = ctx.needs_input_grad[1 + n :]
        with unwatched(), of.ambient.applied():
            return None, *[None] * n, *of.pull(theta, inputs, u, needed)


def _gradient(loss: torch.Tensor, by: Tensors, track: bool) -> list[torch.Tensor]:
    one = torch.ones_like(loss)
    gradients = seen_grad(loss, by, one, create_graph=track, allow_unused=True)
    return [torch.zeros_like(t) if g is None else g for g, t in zip(gradients, by, strict=True)]


def _is_still(node: Any, watch: FreezingMode) -> bool:
    """Whether a custom function may not move as its derivative says.

    It holds a solution that is not one, or reads what is held constant, which no mode sees.
    """
    if not is_custom(node) or getattr(type(node)._forward_cls, "moves_as_derivative", False):
        return False
    saved = (t for t in node.saved_tensors if t is not None)
    return node._forward_cls is Root or watch.cut or any(map(watch.is_noted, saved))
