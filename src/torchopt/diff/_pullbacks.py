"""Pullbacks of a step: how it is differentiated in reverse mode.

A step is differentiated as a whole, or as an update and a product with second derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from torchopt.autodiff.fingerprint import Fingerprint
from torchopt.autodiff.graph import functional_vjp, leaves_reached, vjp
from torchopt.diff._captured import HIDDEN
from torchopt.diff._products import HVP, PRODUCTS, Cotangents, Product, StepPoint, Tensors
from torchopt.diff._steps import CheckpointedUnroll, Inputs, Pullback, tensors_in, tensors_of
from torchopt.diff.kinds import LeastSquares, Minimum
from torchopt.diff.problem import InnerProblem, Solution, mean
from torchopt.pytree import flattening as pytree

__all__ = ["pullback", "pullback_inside"]


def pullback(hvp: HVP, problem: InnerProblem, first_order: bool) -> Pullback:
    """Return how the steps of a problem are differentiated.

    Raises:
        ValueError: If the product is not for such problems.
    """
    kind = problem.kind
    if hvp == "gauss_newton" and not isinstance(kind, LeastSquares):
        raise ValueError(
            f'hvp="gauss_newton" is for sums of squares, but this problem is a {kind.name}: pose it by '
            f"`torchopt.least_squares`, whose function returns residuals."
        )
    if not isinstance(kind, Minimum):
        if hvp != "reverse":
            raise ValueError(
                f"hvp={hvp!r} needs a symmetric Hessian, but this problem is a {kind.name}: use "
                f'hvp="reverse".'
            )
        return whole
    if hvp == "reverse" and problem.micro_batches == 1:
        return whole
    return _Split(PRODUCTS[hvp](max(problem.steps or 1, 1)), first_order=first_order)


def whole(
    steps: CheckpointedUnroll,
    index: int,
    inputs: Inputs,
    cotangents: Sequence[torch.Tensor | None],
    wanted: Tensors,
) -> tuple[Sequence[torch.Tensor | None], Sequence[Any]]:
    """Differentiate a step as a whole, by reverse mode over reverse mode; see :class:`Pullback`."""
    with torch.enable_grad():
        out = steps.evaluate(index, inputs)
    results = tensors_in(out)
    arriving = [*cotangents, *[None] * (len(results) - len(cotangents))]
    if not isinstance(steps.unroll.problem.kind, Minimum):  # else its gradient has been looked at
        _check_reached(results, inputs)
    return vjp(results, wanted, arriving), out


def pullback_inside(
    steps: CheckpointedUnroll,
    index: int,
    inputs: Inputs,
    cotangents: Sequence[torch.Tensor | None],
    wanted: Tensors,
) -> tuple[Sequence[torch.Tensor | None], Sequence[Any]]:
    """Differentiate a step inside a transform of ``torch.func``; see :class:`Pullback`."""
    places = {id(t): i for i, t in enumerate(wanted)}
    out: list[Any] = []

    def step(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        carry = [tensors[places[id(x)]] if id(x) in places else x for x in inputs.carry]
        others = [tensors[places[id(x)]] if id(x) in places else x for x in inputs.others]
        out[:] = steps.evaluate(index, Inputs(carry, others))
        return tuple(tensors_in(out)[: len(cotangents)])

    return functional_vjp(step, wanted, cotangents), out


def _check_reached(outputs: Tensors, inputs: Inputs) -> None:
    """Raise if a step depends on a variable that no operation showed."""
    given = {id(x) for x in (*inputs.carry, *inputs.others)}
    for variable in leaves_reached(outputs):
        if id(variable) not in given:
            raise RuntimeError(HIDDEN)


class _Split:
    """Differentiates a step as an update and a product; see :class:`Pullback`.

    One micro-batch's graph is alive at a time.
    """

    def __init__(self, product: Product, *, first_order: bool) -> None:
        self._product = product
        self._first_order = first_order

    def __call__(
        self,
        steps: CheckpointedUnroll,
        index: int,
        inputs: Inputs,
        cotangents: Sequence[torch.Tensor | None],
        wanted: Tensors,
    ) -> tuple[Sequence[torch.Tensor | None], Sequence[Any]]:
        """Return the cotangents of the wanted inputs, and the leaves of the step's result."""
        with steps.at(index, inputs) as (problem, at, batch):
            gradients: list[Any] = []
            snapshots = [steps.environment.snapshot()]
            fingerprints: list[Fingerprint] = []
            for gradient, aux in problem.gradients(index, at, batch, first_order=True):  # noqa: B007
                gradients.append(gradient)
                fingerprints.append(Fingerprint(tensors_of(gradient)))
                snapshots.append(steps.environment.snapshot())
            steps.check.note(index, tensors_of(gradients))
            leaves, spec = pytree.flatten(mean(gradients))
            del gradients, gradient
            g = [None if t is None else t.detach().requires_grad_() for t in leaves]
            with torch.enable_grad():
                result = problem.update(at, [pytree.unflatten(spec, g)], aux)
            totals, u = self._through_update(result, inputs, g, cotangents, wanted)
            with torch.enable_grad():
                parts = problem.parts(batch)
                points = [
                    StepPoint(steps, index, snapshot, first, problem, at, part)
                    for snapshot, first, part in zip(snapshots, fingerprints, parts, strict=False)
                ]
                if u is not None and wanted and not self._first_order:
                    for point in points:
                        products = self._product(point, u, wanted, totals)
                        _add(totals, products, 1 / len(parts))
                # What else the last evaluation returns.
                extra = points[-1].extra(cotangents)
                _add(totals, vjp([y for y, _ in extra], wanted, [c for _, c in extra]))
            out = steps.leaves_of(index, result)
        out = [t.detach() if isinstance(t, torch.Tensor) else t for t in out]
        # The other tensors of the result are those whose cotangents were taken.
        behind = [i for i, t in enumerate(out) if isinstance(t, torch.Tensor)]
        for i, (t, _) in zip(reversed(behind), reversed(extra), strict=False):
            out[i] = t
        return totals, out

    def _through_update(
        self,
        result: Solution,
        inputs: Inputs,
        g: list[Any],
        cotangents: Sequence[torch.Tensor | None],
        wanted: Tensors,
    ) -> tuple[Cotangents, Tensors | None]:
        """Return the cotangents of the wanted inputs by the update alone, and of the gradient."""
        moved = tensors_of((result.params, result.state))
        present = [t for t in g if t is not None]
        pulled = vjp(moved, [*wanted, *present], cotangents[: len(moved)])
        totals, u = pulled[: len(wanted)], pulled[len(wanted) :]
        if all(c is None for c in u):
            return totals, None
        return totals, [
            torch.zeros_like(t) if c is None else c for t, c in zip(present, u, strict=True)
        ]


def _add(totals: Cotangents, parts: Cotangents, factor: float = 1.0) -> None:
    for i, part in enumerate(parts):
        if part is None:
            continue
        total = totals[i]
        part = part if factor == 1.0 else part * factor
        totals[i] = part if total is None else total + part
