"""The derivative of one solver step, with the mixed second derivatives by central differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, NoReturn

import torch
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import _engine_run_backward

from torchopt import checks
from torchopt.autodiff.compiling import eagerly
from torchopt.autodiff.environment import Environment, TorchSettings
from torchopt.autodiff.fingerprint import Fingerprint
from torchopt.autodiff.freezing import FreezingMode, FrozenConstants
from torchopt.autodiff.frozen import unwatched
from torchopt.autodiff.function_mode import unseen
from torchopt.autodiff.generators import at_states, generator_states
from torchopt.autodiff.graph import alias, leaves_reached
from torchopt.autodiff.loops import wide
from torchopt.autodiff.tracking import untracked
from torchopt.diff.kinds import Minimum
from torchopt.operators.central_difference import (
    Central,
    middle_of,
    moved_by,
    refuse_legacy_batches,
    unit_step,
)
from torchopt.operators.implicit_function import Root
from torchopt.pytree import flattening as pytree

Tensors = Sequence[torch.Tensor]
Gradient = Sequence[torch.Tensor | None]


def stepped_by_difference(
    kind: Minimum,
    theta: Any,
    inputs: tuple[Any, ...],
    step_size: float | None,
    update: Callable[[Any], Any],
    epsilon: float | None,
    holds: bool = True,
) -> Any:
    """Return theta with the derivative of a step from it, as a function of the inputs."""
    at, combine = pytree.partition(theta)
    at_inputs, combine_inputs = pytree.partition(inputs)
    difference = _Difference(kind, combine, combine_inputs, step_size, update, epsilon, holds)
    needed = any(t.requires_grad for t in at_inputs)
    stepped = _Response.apply(
        difference,
        len(at),
        len(at_inputs),
        *at,
        # By an operation, which shows an equation around this one what is read here.
        *map(alias, at_inputs),
        # Without any, nothing would tell that the derivative does not reach these.
        *(() if needed else difference.closed_over(at, at_inputs)),
    )
    return combine(stepped)


@dataclass(frozen=True, eq=False)
class _Difference:
    """The derivative of a step from theta, by differences of the objective's gradient."""

    kind: Minimum
    combine: Callable[[Tensors], Any]
    combine_inputs: Callable[[Tensors], Any]
    step_size: float | None
    update: Callable[[Any], Any]
    epsilon: float | None
    holds: bool
    environment: Environment = field(default_factory=Environment)
    ambient: TorchSettings = field(default_factory=TorchSettings.current)
    random: list[torch.Tensor] = field(default_factory=generator_states)

    def pull(
        self, theta: Tensors, inputs: Tensors, v: Tensors, needed: Sequence[bool]
    ) -> list[torch.Tensor | None]:
        """Return the cotangents of inputs for those of the solution."""
        near = _Nearby(self, theta, inputs, needed)
        if self.step_size is None:
            directions, scale = self._pulled(near, v), 1.0
        else:
            directions, scale = [list(v)], -self.step_size  # the product is linear
        total = self._product(near, theta, directions[0], scale)
        for u in directions[1:]:
            part = self._product(near, theta, u, scale, significant=True)
            total = [a + b for a, b in zip(total, part, strict=True)]
        del near._cuts  # which refers to it: without a cycle all is freed at once
        cotangents = iter(total)
        return [next(cotangents) if need else None for need in needed]

    def closed_over(self, theta: Tensors, inputs: Tensors) -> list[torch.Tensor]:
        """Return other leaves that the objective reads and that require grad."""
        x = [t.detach().requires_grad_() for t in theta]
        environment = Environment()
        with (
            unwatched(),
            environment.evaluation(),
            FrozenConstants().recording() as watch,
            torch.enable_grad(),
            eagerly(),
        ):
            loss, _ = self.kind.value(self.combine(x), self.combine_inputs(inputs))
        own = {*map(id, x), *watch.made}
        return [t for t in leaves_reached([loss]) if id(t) not in own]

    def _product(
        self,
        near: _Nearby,
        theta: Tensors,
        u: list[torch.Tensor],
        scale: float,
        *,
        significant: bool = False,
    ) -> list[torch.Tensor]:
        """Return the product of the mixed derivatives with ``scale * u``.

        With ``significant``, a difference that may be rounding counts as zero.
        """
        step = None
        if self.epsilon is not None:
            length = self.kind.norm([wide(t) for t in u])
            step = self.epsilon / torch.where(length > 0, length, 1)
        central = Central(
            theta,
            'use `hvp="reverse"`, or a higher precision',
            step=step,
            routine=False,
            worst=self.kind.worst,
            significant=significant,
        )

        def gradient(h: torch.Tensor) -> list[torch.Tensor]:
            return near.gradient(
                [moved_by(t, d, h) for t, d in zip(theta, u, strict=True)], central
            )

        def seen(ahead: Gradient, behind: Gradient, _h: torch.Tensor) -> None:
            near.check(ahead, behind, central.precision)

        vector = [False] * sum(near.needed)
        product = central(gradient, unit_step(theta, u, self.kind.norm), vector, seen=seen)
        return [t if scale == 1 else scale * t for t in product if t is not None]

    def _pulled(self, near: _Nearby, v: Tensors) -> list[list[torch.Tensor]]:
        """Return ``Jᵀ v``, with the Jacobian of the update, as a sum of directions."""
        g, read = near.gradient_at_centre()
        # Where the gradient is zero up to rounding.
        top = self.kind.norm(g, torch.inf)
        quiet = [t.detach().abs() <= 64 * torch.finfo(t.dtype).eps * top.to(t) for t in g]
        u = self._update_pullback(g, v)
        del g  # memory
        u = [d if r else torch.zeros_like(d) for d, r in zip(u, read, strict=True)]
        # Where the gradient is rounding or zero, as of a dead unit or of a bias that a normalization
        # takes out, adaptive steps are immense and lead nowhere: the rest would be lost among them.
        pairs = list(zip(u, quiet, strict=True))
        still, going = (self._norm_where(pairs, of) for of in (True, False))
        if not still > 10 * going > 0:
            return [u]
        return [[torch.where(q == of, d, 0) for d, q in pairs] for of in (False, True)]

    def _norm_where(
        self, pairs: Sequence[tuple[torch.Tensor, torch.Tensor]], of: bool
    ) -> torch.Tensor:
        parts = (torch.where(q == of, d.detach(), 0) for d, q in pairs)
        return self.kind.norm([torch.linalg.vector_norm(wide(part)) for part in parts])

    def _update_pullback(self, g: list[torch.Tensor], v: Tensors) -> list[torch.Tensor]:
        """Return the cotangents of the gradient for those of the solver's update."""
        with torch.enable_grad():
            gradient = self.combine(g)
            updates = pytree.leaves(self.update(gradient))
        leaves = pytree.leaves(gradient)
        updates = [d for d, t in zip(updates, leaves, strict=True) if isinstance(t, torch.Tensor)]
        pairs = [
            (d, c) for d, c in zip(updates, v, strict=True) if d is not None and d.requires_grad
        ]
        if not pairs:
            raise ValueError(
                "the solver's update does not depend on the gradient, as far as autograd can see: give "
                "`diff.OneStep` a `step_size`."
            )
        _check_reads([d for d, _ in pairs], g, "the solver")
        gradient = torch.autograd.grad(
            [d for d, _ in pairs],
            g,
            [c.to(d.dtype) for d, c in pairs],
            create_graph=torch.is_grad_enabled(),
            allow_unused=True,  # of a parameter that the solver keeps where it is
        )
        return _zeros_for_none(gradient, g)


class _Nearby:
    """The gradient of an objective at points near theta; random numbers and constants stay the same."""

    def __init__(
        self, of: _Difference, theta: Tensors, inputs: Tensors, needed: Sequence[bool]
    ) -> None:
        self._of = of
        self._theta = theta
        self._inputs = inputs
        self.needed = needed
        self._track = torch.is_grad_enabled()
        # Where something is cut, what it is at theta is found amid the first evaluation elsewhere.
        self._cuts = FrozenConstants(self._find_cuts)
        self._checked = False
        self._first: Fingerprint | None = None  # of the gradient with respect to the inputs

    def gradient_at_centre(self) -> tuple[list[torch.Tensor], list[bool]]:
        """Return the gradient with respect to theta, and which leaves of theta the objective reads."""
        x = self._centre()
        with self._evaluated(x, self._cuts.recording()) as (loss, inputs):
            moving = self._moving(inputs)
            every = self._grad(loss, [*x, *moving])
        gradient, beside = every[: len(x)], every[len(x) :]
        self._first = Fingerprint(map(wide, _zeros_for_none(beside, moving)))
        grads = _zeros_for_none(gradient, x)
        read = [g is not None for g in gradient]
        return [g if g.requires_grad else g.requires_grad_() for g in grads], read

    def gradient(self, x: Tensors, central: Central) -> list[torch.Tensor]:
        """Return the gradient at a point with respect to the inputs that need one."""
        # New tensors, because autocast caches its casts of the old ones.
        x = [t if t.requires_grad else t.detach().requires_grad_() for t in x]
        watch = None
        if not self._of.holds:
            watch = None if self._checked else self._cuts.recording()  # which shows what is read
        else:
            if not self._of.kind.reentrant:
                self._cuts.known()
            # The first evaluation has shown whether anything is cut.
            if self._cuts.events or not self._checked:
                watch = self._cuts.holding()
        with self._evaluated(x, watch) as (loss, inputs):
            central.note(loss)
            moving = self._moving(inputs)
            gradient = self._grad(loss, moving)
        return _zeros_for_none(gradient, moving)

    def check(self, ahead: Gradient, behind: Gradient, precision: float) -> None:
        """Raise if the mean of the gradients on both sides is not that at the centre."""
        if self._first is None:
            return
        middle, bends = middle_of(ahead, behind, precision)
        present = [t for t in middle if t is not None]
        off = self._first.distance(present, together=True, floor=float(bends))
        if self._of.kind.worst(bends.new_tensor(off)) > 0:
            raise RuntimeError(
                "the objective gave another gradient when it was evaluated near the solution: what it "
                "reads has changed, or is random in a way that cannot be replayed. Leave it as it is, "
                'pass it in `args` or `batches`, or use `hvp="reverse"`.'
            )

    def _moving(self, inputs: Tensors) -> list[torch.Tensor]:
        return [t for t, need in zip(inputs, self.needed, strict=True) if need]

    def _grad(self, loss: torch.Tensor, variables: Tensors) -> Sequence[torch.Tensor | None]:
        # Not by torch.autograd.grad, which every mode sees as one operation: what the backward pass
        # computes again must be watched.
        gradients: Sequence[torch.Tensor | None] = _engine_run_backward(
            (loss,),
            (torch.ones_like(loss),),
            self._track,
            self._track,
            tuple(variables),
            True,
            accumulate_grad=False,
        )
        return gradients

    def _find_cuts(self) -> None:
        # With a replay of its own: the outer evaluation has not met all buffers and generators yet.
        with self._evaluated(self._centre(), self._cuts.recording(), Environment(default=False)):
            pass

    def _centre(self) -> list[torch.Tensor]:
        return [t.detach().requires_grad_() for t in self._theta]

    @contextmanager
    def _evaluated(
        self, x: Tensors, watch: FreezingMode | None, environment: Environment | None = None
    ) -> Iterator[tuple[torch.Tensor, list[torch.Tensor]]]:
        """Evaluate the loss at a point, and yield it and the inputs to be differentiated there."""
        of = self._of
        # Variables of this evaluation: inputs, and x, may be functions of one another.
        inputs = [
            t.detach() if not need else t.view_as(t) if self._track else t.detach().requires_grad_()
            for t, need in zip(self._inputs, self.needed, strict=True)
        ]
        with (
            # An outer checkpoint must not recompute itself during this evaluation.
            untracked(),
            of.environment.evaluation(),
            nullcontext() if environment is None else environment.evaluation(),
            nullcontext() if watch is None else watch,
        ):
            with torch.enable_grad():
                with eagerly():
                    loss, _ = of.kind.value(of.combine(x), of.combine_inputs(inputs))
                if watch is not None:
                    watch.close()
                what = "the objective's value near the solution"
                checks.check_loss(loss, what=what, advice="look at the inputs")
                loss = loss.squeeze()
            if watch is not None:
                self._checked = True
                _check_reads([loss], [*x, *inputs], "the objective", x, watch)
            yield loss, inputs


class _Response(torch.autograd.Function):
    """The solution, as a function of the objective's arguments."""

    @staticmethod
    def forward(
        ctx: Any, of: _Difference, n: int, inputs: int, *tensors: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        ctx.of, ctx.n, ctx.m = of, n, n + inputs
        ctx.save_for_backward(*tensors)
        return tuple(t.detach() for t in tensors[:n])

    @staticmethod
    @unseen()
    def backward(ctx: Any, *v: torch.Tensor) -> tuple[Any, ...]:
        refuse_legacy_batches(v, '`diff.OneStep(hvp="reverse")`')
        of, n, m = ctx.of, ctx.n, ctx.m
        saved = ctx.saved_tensors
        for t in saved[m:]:
            _refuse_read(t, "the objective")
        needed = ctx.needs_input_grad[3 + n :]
        with unwatched(), of.ambient.applied(), at_states(of.random):
            return None, None, None, *[None] * n, *of.pull(saved[:n], saved[n:], v, needed)


def _zeros_for_none(gradients: Sequence[torch.Tensor | None], like: Tensors) -> list[torch.Tensor]:
    return [torch.zeros_like(t) if g is None else g for g, t in zip(gradients, like, strict=True)]


def _saved_by(node: Any) -> list[torch.Tensor]:
    return [t for t in node.saved_tensors if t is not None]


def _moves_as_derivative(node: Any) -> bool:
    return getattr(type(node)._forward_cls, "moves_as_derivative", False)


def _refuse_read(variable: torch.Tensor, what: str) -> NoReturn:
    raise ValueError(
        f"{what} reads a tensor of shape {tuple(variable.shape)} that requires grad and is not "
        f"among `args`, to which finite differences do not reach: pass it in `args`, use "
        f'`hvp="reverse"`, or turn its `requires_grad` off.'
    )


def _check_reads(
    outputs: Tensors,
    variables: Tensors,
    what: str,
    params: Tensors = (),
    watch: FreezingMode | None = None,
) -> None:
    """Raise where outputs depend on other variables than these, or not on parameters."""
    ends = {t.grad_fn or id(t) for t in variables}
    made = watch.made if watch is not None else {}
    waiting: list[Any] = [y.grad_fn or y for y in outputs]
    seen: set[Any] = set()
    while waiting:
        node = waiting.pop()
        variable = getattr(node, "variable", None)
        key = node if variable is None else id(variable)
        if node is None or key in seen:
            continue
        seen.add(key)
        if key in ends or key in made:
            continue
        if variable is not None:
            _refuse_read(variable, what)
        if getattr(node, "_forward_cls", None) is Root or (
            watch is not None
            and isinstance(node, BackwardCFunction)
            and not _moves_as_derivative(node)
            and (watch.cut or any(map(watch.is_noted, _saved_by(node))))
        ):
            raise ValueError(
                f"{what} holds a solution, or another custom autograd.Function, whose value near this "
                f'point is not known to move as its derivative says: use `hvp="reverse"`.'
            )
        waiting += [following for following, _ in node.next_functions]
    if params and not any((t.grad_fn or id(t)) in seen for t in params):
        raise ValueError(
            "the objective's value does not depend on the parameters: compute it from the first "
            "argument."
        )
