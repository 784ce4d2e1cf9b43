r"""Products of a vector with the second derivatives of a step of descent.

A step takes the gradient :math:`g = \nabla_\theta f(\theta, \varphi)` and updates by it. With the
cotangent :math:`u` of :math:`g`, which the update's own pullback gives, what is left is one product,
since the Hessian is symmetric (Kemaev et al., *Scalable Meta-Learning via Mixed-Mode Differentiation*,
2025):

.. math::
    u^\top \frac{\partial g}{\partial (\theta, \varphi)}
        = \frac{\partial}{\partial \epsilon} \nabla_{(\theta, \varphi)} f(\theta + \epsilon u, \varphi).

===========================  ===================================================================
``"reverse"``                the left side, by reverse mode over reverse mode
``"forward"``                the right side, by forward mode over reverse mode
``"finite_difference"``      the right side, by a central difference of two gradients
``"gauss_newton"``           of ``½ ‖r‖²``, :math:`u^\top J^\top \partial r/\partial (\theta, \varphi)`
===========================  ===================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd import forward_ad

from torchopt.autodiff.compiling import refuse_compiled
from torchopt.autodiff.environment import Snapshot
from torchopt.autodiff.fingerprint import Fingerprint
from torchopt.autodiff.freezing import FrozenConstants
from torchopt.autodiff.graph import vjp
from torchopt.autodiff.loops import norm, wide
from torchopt.autodiff.tracking import is_differentiable
from torchopt.diff._steps import ALTERED, CheckpointedUnroll, tensors_of
from torchopt.diff.kinds import LeastSquares, Minimum
from torchopt.diff.problem import InnerProblem, Solution
from torchopt.operators.central_difference import (
    Central,
    middle_of,
    moved_by,
    refuse_legacy_batches,
    unit_step,
)
from torchopt.operators.linear import HVP
from torchopt.pytree import flattening as pytree

__all__ = ["HVP", "PRODUCTS", "Cotangents", "Product", "StepPoint", "Tensors"]

Tensors = Sequence[torch.Tensor]
Cotangents = list[torch.Tensor | None]
Gradient = Sequence[torch.Tensor | None]
Product = Callable[["StepPoint", Tensors, Tensors, Cotangents], Cotangents]


# Each returns the cotangents of some leaves for the direction `u` of the parameters, to be added to
# totals. It passes the gradient that it computes to the point, which compares it with the step's.


def _reverse(point: StepPoint, u: Tensors, wanted: Tensors, _: Any) -> Cotangents:
    x = point.params
    value = point.loss(x)
    gradient = torch.autograd.grad(value, x, create_graph=True, allow_unused=True)
    gradient = refuse_compiled(gradient, value, x)
    point.check(gradient)
    pairs = [(g, d) for g, d in zip(gradient, u, strict=True) if g is not None]
    return vjp([g for g, _ in pairs], wanted, [d for _, d in pairs])


def _forward(point: StepPoint, u: Tensors, wanted: Tensors, _: Any) -> Cotangents:
    x = point.params
    with forward_ad._set_fwd_grad_enabled(True), forward_ad.dual_level():
        dual = [forward_ad.make_dual(t, d) for t, d in zip(x, u, strict=True)]
        gradients, gradient = _gradients(point.loss(dual), wanted, x)
        point.check([None if g is None else forward_ad.unpack_dual(g).primal for g in gradient])
        return [None if g is None else forward_ad.unpack_dual(g).tangent for g in gradients]


def _gradients(value: torch.Tensor, wanted: Tensors, x: Tensors) -> tuple[Cotangents, Cotangents]:
    """Return the gradient with respect to what is wanted, and to the parameters."""
    every = {id(t): t for t in (*wanted, *x)}
    gradients = torch.autograd.grad(value, list(every.values()), allow_unused=True)
    table = dict(zip(every, gradients, strict=True))
    return [table[id(t)] for t in wanted], [table[id(t)] for t in x]


class _FiniteDifference:
    """A product by central differences, which starts with the step size of the products before.

    Args:
        count: Number of steps of the problem.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._central: Central | None = None
        self._cuts = False  # whether the objective holds something constant

    def __call__(
        self, point: StepPoint, u: Tensors, wanted: Tensors, totals: Cotangents
    ) -> Cotangents:
        refuse_legacy_batches(u, '`hvp="reverse"` or "forward"')
        x = point.params
        if self._central is None:
            self._central = Central(x, 'use `hvp="reverse"` or "forward", or a higher precision')
        central = self._central
        # What the objective holds constant, by `detach` or `no_grad`, is that of the point itself.
        cuts = FrozenConstants(instead='use `hvp="reverse"` or "forward"')

        def find() -> None:
            with cuts.recording() as watch:
                point.loss(x)
                watch.close()

        if self._cuts:
            find()
        every = list({id(t): t for t in (*wanted, *x)}.values())
        places = {id(t): i for i, t in enumerate(every)}
        own = [places[id(t)] for t in x]
        # Others than wanted ones are looked at, and no difference of theirs is taken.
        ours = set(own)
        vector = [i in ours if i < len(wanted) else None for i in range(len(every))]
        losses: dict[int, torch.Tensor] = {}  # by the gradients

        def gradient(h: torch.Tensor) -> Cotangents:
            moved = [moved_by(t.detach(), d, h).requires_grad_() for t, d in zip(x, u, strict=True)]
            at = list(every)
            for i, t in zip(own, moved, strict=True):
                at[i] = t
            known = cuts if cuts.events else FrozenConstants(instead=cuts.instead)
            with known.holding() if cuts.events else known.recording() as watch:
                loss = point.loss(moved)
                watch.close()
                if not self._cuts and known.events:
                    self._cuts = True
                    find()
                    return gradient(h)
                central.note(loss)
                gradients: Cotangents = list(torch.autograd.grad(loss, at, allow_unused=True))
            losses[id(gradients)] = wide(loss.detach())
            return gradients

        def seen(ahead: Gradient, behind: Gradient, h: torch.Tensor) -> None:
            over, under = ([side[i] for i in own] for side in (ahead, behind))
            middle, bends = middle_of(over, under, central.precision)
            point.check(middle, float(bends))
            if central.custom:
                _check_slopes(over, under, u, losses[id(ahead)], losses[id(behind)], h)

        pairs = zip(totals, vector, strict=False)
        passed = [wide(c) for c, is_ours in pairs if is_ours and c is not None]
        # The step before is given that and what has passed the update; errors of all steps add up.
        beside = norm(passed) / self._count if passed else None
        return central(gradient, unit_step(x, u), vector, beside, seen)[: len(wanted)]


def _check_slopes(
    ahead: Gradient, behind: Gradient, u: Tensors, above: torch.Tensor, below: torch.Tensor, h: Any
) -> None:
    """Raise where an objective changes along a direction otherwise than its gradient says."""

    def slope(gradient: Gradient) -> torch.Tensor:
        pairs = zip(gradient, u, strict=True)
        parts = [(wide(g) * wide(d)).sum().to(above) for g, d in pairs if g is not None]
        return torch.stack([torch.zeros_like(above), *parts]).sum()

    change = (above - below) / (2 * h)
    rounding = 64 * torch.finfo(above.dtype).eps * above.abs() / h.abs()
    slopes = slope(ahead), slope(behind)
    # Between the two, a slope is not known better than it changes.
    free = rounding + (slopes[0] - slopes[1]).abs()
    expected = (slopes[0] + slopes[1]) / 2
    if (change - expected).abs() > free + 0.1 * torch.maximum(change.abs(), expected.abs()):
        raise RuntimeError(ALTERED)


def _gauss_newton(point: StepPoint, u: Tensors, wanted: Tensors, _: Any) -> Cotangents:
    x = point.params
    with forward_ad._set_fwd_grad_enabled(True), forward_ad.dual_level():
        dual = [forward_ad.make_dual(t, d) for t, d in zip(x, u, strict=True)]
        parts = [forward_ad.unpack_dual(r) for r in point.residuals(dual)]
        primal = [r.primal for r in parts]
        point.check(vjp(primal, x, [r.detach() for r in primal], retain_graph=True))
        moving = [(r.primal, r.tangent) for r in parts if r.tangent is not None]
        return vjp([r for r, _ in moving], wanted, [t.detach() for _, t in moving])


PRODUCTS: dict[str, Callable[[int], Product]] = {
    "reverse": lambda _: _reverse,
    "forward": lambda _: _forward,
    "finite_difference": _FiniteDifference,
    "gauss_newton": lambda _: _gauss_newton,
}


@dataclass(frozen=True)
class StepPoint:
    """The point where a step evaluates its objective, with one micro-batch.

    Attributes:
        steps: The steps.
        index: Which of them.
        snapshot: The environment of the evaluation.
        first: The fingerprint of the gradient there.
        problem: The problem.
        at: The carry.
        part: The micro-batch.
    """

    steps: CheckpointedUnroll
    index: int
    snapshot: Snapshot
    first: Fingerprint
    problem: InnerProblem
    at: Solution
    part: tuple[Any, ...]

    @property
    def params(self) -> list[torch.Tensor]:
        return [t for t in pytree.flatten(self.at.params)[0] if t is not None]

    def loss(self, x: Tensors) -> torch.Tensor:
        return self._output(x)[0].squeeze()

    def residuals(self, x: Tensors) -> list[torch.Tensor]:
        kind = self.problem.kind
        assert isinstance(kind, LeastSquares)
        return kind.residuals(*self._inputs(x))

    def check(self, gradient: Gradient, error: float = 0.0) -> None:
        """Raise if an evaluation has another gradient; see :class:`StepCheck`."""
        pairs = zip(gradient, self.params, strict=True)
        present = [torch.zeros_like(t) if g is None else g for g, t in pairs]
        self.steps.check.require_gradient(self.index, self.first, present, error)

    def _output(self, x: Tensors) -> tuple[torch.Tensor, Any]:
        kind = self.problem.kind
        assert isinstance(kind, Minimum)
        return kind.value(*self._inputs(x))

    def _inputs(self, x: Tensors) -> tuple[Any, tuple[Any, ...]]:
        self.steps.environment.rewind(self.snapshot)
        leaves, spec = pytree.flatten(self.at.params)
        it = iter(x)
        params = pytree.unflatten(spec, [None if t is None else next(it) for t in leaves])
        return params, self.problem.arguments(self.at, self.part)

    def extra(self, cotangents: Sequence[torch.Tensor | None]) -> list[tuple[torch.Tensor, Any]]:
        """Return the other tensors of the step's result, and their cotangents."""
        number = len(tensors_of((self.at.params, self.at.state)))
        behind = cotangents[number:]
        if not any(c is not None and is_differentiable(c) for c in behind):
            return []
        aux, carry = self.problem.split_aux(self._output(self.params)[1])
        return list(zip(tensors_of((carry, aux)), behind, strict=False))
