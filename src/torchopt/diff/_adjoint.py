r"""Steps as one node of the autograd graph, whose backward pass goes through them one by one.

With :math:`\theta_{k+1} = \Phi_k(\theta_k, \varphi)` and a cotangent :math:`\lambda_K` of the last
carry, the backward pass computes :math:`\lambda_k = \lambda_{k+1} \, \partial \Phi_k / \partial \theta`
and sums :math:`\lambda_{k+1} \, \partial \Phi_k / \partial \varphi`. It needs one carry at a time, from
a checkpoint, and one graph at a time, that of a step. A pullback differentiates a step: as a whole, or
by a product with second derivatives (:mod:`torchopt.diff._products`). A schedule
(:mod:`torchopt.diff._checkpoints`) places the checkpoints.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import filterfalse
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.autodiff.edges import as_they_were, grafted_vjp
from torchopt.autodiff.function_mode import unseen
from torchopt.autodiff.functional import functional_vjp
from torchopt.autodiff.graph import Cotangents, Tensors, alias, leaf
from torchopt.autodiff.second_order import vjp
from torchopt.autodiff.tracking import is_differentiable, untracked
from torchopt.diff._forward_mode import check_variables, push
from torchopt.diff._steps import VJP, WITHIN, CheckpointedUnroll, Inputs, Point, Unroll, tensors_in
from torchopt.diff.problem import Iterate
from torchopt.errors import ReplayError
from torchopt.io.terminal import Progress, progress


def run(
    unroll: Unroll, carry: Iterate, make: Callable[..., CheckpointedUnroll] = CheckpointedUnroll
) -> Iterate:
    """Do steps, so that autograd can go through them.

    Args:
        unroll: The steps.
        carry: Where they start.
        make: Makes the steps as a function.
    """
    inside = checks.transforms_active()
    # In forward mode nothing is kept; PyTorch (2.13) loses tangents of tangents of custom Functions.
    plain = transforms.forward_depth() > 0
    done = not (unroll.indices and (torch.is_grad_enabled() or make is not CheckpointedUnroll))
    if plain or done or (inside and WITHIN.get()):
        return unroll.problem.advanced(carry, unroll.indices, first_order=unroll.first_order)
    steps = make(unroll, inside=inside)
    start, others = steps.first_run(carry)
    if unroll.policy == "forward" and not inside:
        check_variables([*start, *others])
    # An alias is an operation, which shows an unroll around this one what the steps read.
    results = iter(_Unroll.apply(steps, *start, *map(alias, others)))
    out = [next(results) if isinstance(x, torch.Tensor) else x for x in steps.out]
    steps.out = []
    return steps.result(out)


def _function(steps: CheckpointedUnroll, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return the tensors of the result, as a plain function of tensors."""
    with steps.again(), steps.captured.reading_again():
        steps.environment.rewind(steps.start)
        out = steps.run(steps.inputs(tensors), steps.unroll.indices, compare=True)
    steps.check.warn()
    return tuple(tensors_in(out))


class _Unroll(torch.autograd.Function):
    """The result of an unroll; its cotangents are pulled back step by step."""

    generate_vmap_rule = True

    @staticmethod
    def forward(steps: CheckpointedUnroll, *tensors: Any) -> Any:
        results: Tensors = tensors_in(steps.out)
        if checks.transforms_active() or any(map(transforms.is_wrapped, results)):
            with torch.no_grad():
                results = _function(steps, *tensors)
        # Copies, since an output that is an input would be taken for a view of it.
        return tuple(map(torch.Tensor.clone, results))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.steps, *tensors = inputs
        ctx.checkpoints, ctx.steps.checkpoints = ctx.steps.checkpoints, {}
        ctx.save_for_backward(*tensors)
        ctx.set_materialize_grads(False)  # its zeros would be no DTensors
        ctx.mark_non_differentiable(*filterfalse(is_differentiable, output))

    @staticmethod
    @unseen()
    def backward(ctx: Any, *cotangents: Any) -> Any:
        # Once: hooks unpack them anew each time. A pullback may be called when its level has ended.
        tensors = tuple(map(transforms.unwrap_dead, ctx.saved_tensors))
        pairs = zip(ctx.needs_input_grad[1:], tensors, strict=True)
        needed = [n and is_differentiable(t) for n, t in pairs]
        checkpoints = dict(ctx.checkpoints)
        if transforms.frees_graph():  # they are freed as they are used
            ctx.checkpoints = {}
        steps = ctx.steps
        arrives = [c is not None for c in cotangents]
        moving = [c for c in cotangents if c is not None]
        call = _Call(steps, needed, arrives, checkpoints)
        pulled = iter(_Pulled.apply(call, *tensors, *moving))
        return None, *(next(pulled) if n else None for n in needed)


@dataclass(frozen=True, eq=False)
class _Call:
    """A backward pass through steps.

    Attributes:
        steps: The steps.
        needed: Whether the cotangent of each input is wanted.
        arrives: Whether there is a cotangent of each tensor in the result; else it is zero.
        checkpoints: Checkpoints that may be used up.
    """

    steps: CheckpointedUnroll
    needed: list[bool]
    arrives: list[bool]
    checkpoints: dict[int, Point]

    def split(self, tensors: Tensors) -> tuple[Tensors, Cotangents]:
        """Split tensors into the inputs of the steps, and the cotangents of their result."""
        number = len(self.needed)
        arriving = iter(tensors[number:])
        return tensors[:number], [next(arriving) if a else None for a in self.arrives]


class _Pulled(torch.autograd.Function):
    """The cotangents of the steps' inputs for those of their result, in bounded memory.

    Its own derivatives are those of an unrolled graph.
    """

    generate_vmap_rule = True

    @staticmethod
    @unseen()
    def forward(call: _Call, *tensors: Any) -> Any:
        steps = call.steps
        with steps.again(), untracked():
            # An output of a custom Function must be none of its inputs, as a cotangent may be.
            given = set(map(id, tensors))
            at, arriving = call.split(tensors)
            if steps.unroll.policy == "forward" and not (
                steps.inside or checks.transforms_active()
            ):
                return push(steps, call.needed, at, arriving)
            pulled = _pull(call, at, arriving)
            return tuple(t.view_as(t) if id(t) in given else t for t in pulled)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        call, *tensors = inputs
        ctx.call = _Call(call.steps, call.needed, call.arrives, {})
        ctx.save_for_backward(*tensors)
        ctx.set_materialize_grads(False)

    @staticmethod
    @unseen()
    def backward(ctx: Any, *cotangents: Any) -> Any:
        saved = tuple(map(transforms.unwrap_dead, ctx.saved_tensors))
        pull = functools.partial(_pulled_plainly, ctx.call)
        if checks.transforms_active():
            return None, *functional_vjp(pull, saved, cotangents)
        captured = ctx.call.steps.captured
        with as_they_were(captured.ends.values()):
            with torch.enable_grad():
                # Copies, since one may be made of another; what is closed over stands for itself.
                at = [leaf(t) if t.requires_grad else t for t in saved]
                others = slice(len(ctx.call.needed) - len(captured), len(ctx.call.needed))
                at[others] = captured.with_own(at[others])
                pulled = pull(*at)
            if torch.is_grad_enabled():
                return None, *grafted_vjp(pulled, at, saved, cotangents)
            return None, *vjp(pulled, at, cotangents)


def _pulled_plainly(call: _Call, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return the same as `_pull`, as a plain function of tensors, through a graph of all steps."""
    at, cotangents = call.split(tensors)
    run = functools.partial(_function, call.steps)
    if checks.transforms_active():
        pulled = functional_vjp(run, at, cotangents)
    else:
        pulled = vjp(run(*at), at, cotangents, create_graph=True)
    return _needed(call, at, pulled)


def _needed(call: _Call, at: Tensors, cotangents: Cotangents) -> tuple[torch.Tensor, ...]:
    """Return the cotangents of the inputs that are wanted, with zeros in place of None."""
    every = zip(at, cotangents, call.needed, strict=True)
    return tuple(torch.zeros_like(t) if g is None else g for t, g, need in every if need)


def _pull(call: _Call, tensors: Tensors, cotangents: Cotangents) -> tuple[torch.Tensor, ...]:
    """Go through the steps backwards, from checkpoint to checkpoint."""
    steps, unroll, captured = call.steps, call.steps.unroll, call.steps.captured
    first = unroll.indices.start
    inside = checks.transforms_active()
    pullback = _whole_inside if steps.inside or inside else unroll.pullback
    start = steps.inputs(tensors)
    number = len(tensors) - len(start.others)
    begin, wanted = any(call.needed[:number]), call.needed[number:]
    totals: list[torch.Tensor | None] = [None] * len(start.others)
    arriving = list(cotangents)

    def advance(point: Point, index: int, until: int) -> Point:
        carry = steps.back_to(point)
        out = steps.run(Inputs(carry, start.others), range(index, until))
        return steps.point(steps.carried(until, out))

    bar: Progress | None = None

    def back(point: Point, index: int) -> None:
        here = [i for i in captured.varying_at(index) if wanted[i]]
        others = list(map(torch.Tensor.detach, start.others))
        if not inside:
            for i in here:
                others[i].requires_grad_()
            others = captured.with_own(others)
        carry, moving, through = [], [], []
        moves = index > first or begin
        for x in steps.back_to(point):
            if isinstance(x, torch.Tensor):
                if differentiable := x.is_floating_point() or x.is_complex():
                    x = x.detach() if inside else x.detach().requires_grad_()
                    through += [x] if moves else []
                moving.append(differentiable and moves)
            carry.append(x)
        inputs = Inputs(carry, others, point.gradient)
        through += [others[i] for i in here]
        pulled = pullback(steps, VJP(index, inputs, arriving, through))
        captured.compare(index)
        captured.finish()
        it = iter(pulled)
        arriving[:] = [next(it) if moves else None for moves in moving]
        for i, part in zip(here, it, strict=True):
            if part is None:
                continue
            if (total := totals[i]) is None:  # a total is added to in place outside of transforms
                totals[i] = part if inside else part.clone()
            else:
                totals[i] = total + part if inside else total.add_(part)
        if bar is not None:
            bar.log({}, unroll.indices.stop - index)

    begin_at = Point(start.carry, steps.start)  # which the graph holds anyway
    try:
        bars: AbstractContextManager[Progress | None] = nullcontext()
        if unroll.problem.progress is not None:
            bars = progress("Backward pass", unroll.indices.stop - first, verbose=True)
        with captured.reading_again(), bars as bar:
            steps.reverse(call.checkpoints, begin_at, tensors, arriving, totals, advance, back)
    except RuntimeError as error:
        if "through the graph a second time" not in str(error):
            raise
        raise ReplayError(captured.cached) from error
    steps.give_back()
    steps.check.warn()
    return _needed(call, tensors, [*arriving, *totals])


def whole(steps: CheckpointedUnroll, asked: VJP) -> Cotangents:
    """Differentiate a step as a whole, by reverse mode over reverse mode; see :data:`Pullback`."""
    index, inputs, cotangents, wanted = asked
    steps.give_back()
    with torch.enable_grad():
        out = steps.evaluate(index, inputs)
    steps.compare(index, out)
    return vjp(tensors_in(out)[: len(cotangents)], wanted, cotangents)


def _whole_inside(steps: CheckpointedUnroll, asked: VJP) -> Cotangents:
    """Differentiate a step inside a transform of ``torch.func``; see :data:`Pullback`."""
    index, inputs, cotangents, wanted = asked
    steps.give_back()
    places = {id(t): i for i, t in enumerate(wanted)}
    out: list[Any] = []

    def step(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        carry = [tensors[places[id(x)]] if id(x) in places else x for x in inputs.carry]
        others = [tensors[places[id(x)]] if id(x) in places else x for x in inputs.others]
        out[:] = steps.evaluate(index, Inputs(carry, others))
        return tuple(tensors_in(out)[: len(cotangents)])

    pulled = functional_vjp(step, wanted, cotangents)
    steps.compare(index, out)
    return pulled
