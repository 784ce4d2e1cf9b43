"""Why the gradient of a connected input is zero or not finite: the first such operation."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from torchopt.visual._analysis import Analysis, Cause, Place, all_zero, finite
from torchopt.visual._cut import ADVICE, recorded
from torchopt.visual._record import Cut
from torchopt.visual._walk import reachable

FLAT_ADVICE = (
    "leave it out where the gradient has to pass, or let the gradient pass straight through: "
    "x + (x.round() - x).detach()"
)
#: Of operations, by their names: the cause, what is so of them, and what to do.
_STOPS = [
    (re.compile(names), Cause(cause, what, advice))
    for names, cause, what, advice in (
        (
            r"round|floor|ceil|trunc|fix|sign|sgn|heaviside",
            "flat",
            ": its derivative is zero everywhere",
            FLAT_ADVICE,
        ),
        (
            r"clamp(_min|_max)?",
            "bound",
            " is at its bounds: all entries that depend on it are where its derivative is zero",
            "right, if nothing is to be clipped, or all; else move the bounds",
        ),
        (
            r"relu6?|threshold|hard(tanh|sigmoid|swish|shrink)|softshrink|(r|p|leaky_)relu|[cs]?elu",
            "dead",
            " is off: all entries that depend on it are where its derivative is zero",
            "start with other weights or a lower learning rate; leaky_relu, softplus or tanh never die",
        ),
        (
            r"index|gather|select|slice|a?max|a?min|topk|sort|where|masked_(fill|select)|take"
            r"|index_select|maximum|minimum|embedding|median|kthvalue|max_pool\w*|tri[lu]",
            "not chosen",
            " takes no entry that depends on it",
            "look at the index or the condition; a choice has no derivative of its own",
        ),
    )
]
_SATURATING = re.compile(r"sigmoid|tanh|softmax|log_softmax|erf|log_sigmoid|softplus|exp")


def why_zero(analysis: Analysis, place: Place, flat: list[Cut], within: list[Cut]) -> Cause:
    """Return the first operation after which the gradient of an input is zero.

    Args:
        analysis: The graph.
        place: The input.
        flat: Recorded calls of functions whose derivative is zero, with the input behind them.
        within: Recorded cuts in functions that the library called, with the input behind them.
    """
    k, number = _first(analysis, place, lambda norm: norm == 0)
    if number is None:
        return _cancel(analysis, k)
    if analysis.operation(k) in ("implicit solution", "recomputed steps"):
        cause = _why_not_solved_for(analysis, k, number, within)
        if not (flat and cause.cause == "not read"):
            return cause
    return _why_stopped(analysis, k, number, flat)


def _first(
    analysis: Analysis, place: Place, is_bad: Callable[[float], bool]
) -> tuple[int, int | None]:
    """Return the first operation after which the gradient of an input is bad, and of which input.

    The number is None where good gradients add up to a bad one.
    """
    flow, relevant = analysis.flow, analysis.downstream(place)
    for k in flow.order:
        if k in relevant:
            if is_bad(analysis.total(k)):
                return k, None
            for number, source in enumerate(analysis.walk.inputs[k]):
                leads = source is not None and (source == place or source[0] in relevant)
                if leads and is_bad(flow.sent[k][number] or 0.0):
                    return k, number
    return place[0], None


def _cancel(analysis: Analysis, k: int) -> Cause:
    return Cause(
        "cancel",
        f"what flows back to {analysis.describe(k)} on several ways adds up to zero",
        "see whether the output depends on it at all: as in x - x, or a sum of softmax",
    )


def _why_not_solved_for(analysis: Analysis, k: int, number: int, within: list[Cut]) -> Cause:
    """Return why a solution has no derivative with respect to an input."""
    here = analysis.describe(k)
    maker = analysis.maker(analysis.walk.inputs[k][number])
    if maker is not None and analysis.operation(maker) == "start":
        return Cause(
            "start",
            f"{here}: the solver starts there, and Implicit() does not differentiate the way from it",
            "differentiate the steps, by diff.Explicit(); or leave it out: no solution depends on it",
        )
    steps: Any = getattr(analysis.walk.nodes[k], "steps", None)
    if steps is not None and steps.unroll.first_order:
        return Cause("first order", f"`first_order=True`: {here}", ADVICE["first order"])
    if within:
        return recorded(within)
    return Cause(
        "not read",
        f"{here}: what is solved does not read it, or has no slope in it",
        "see whether the objective reads this tensor, and by which operations"
        + ("" if analysis.recording else "; visual.record() finds a line that cuts it off"),
    )


def _why_stopped(analysis: Analysis, k: int, number: int, flat: list[Cut]) -> Cause:
    operation, here = analysis.operation(k), analysis.describe(k)
    saved, source = analysis.saved(k), analysis.walk.inputs[k][number]
    if source is not None and 0 in analysis.graph.nodes[source[0]].outputs[source[1]].shape:
        return Cause(
            "not chosen",
            f"{here} reads an empty tensor: {analysis.describe(source[0])}",
            "look at the index or the data; of no entries nothing flows back",
        )
    for names, (cause, what, advice) in _STOPS:
        if names.fullmatch(operation):
            return Cause(cause, f"{here}{what}", advice)
    if any(map(all_zero, saved.values())):
        if flat:
            lines = ", ".join(dict.fromkeys(cut.place for cut in flat))
            return Cause("flat", f"{lines}: its derivative is zero everywhere", FLAT_ADVICE)
        return Cause(
            "zero factor",
            f"{here} multiplies by what is zero everywhere",
            "look at this factor: an empty mask, data or weights that are all zero, a unit that is "
            "off, or the derivative of round, floor or sign in an inner loss",
        )
    result = saved.get("result")
    if operation in ("softmax", "log_softmax") and result is not None:
        shares = result if operation == "softmax" else result.exp()
        if bool(shares.amax() < 0.99):
            return _cancel(analysis, k)
    if _SATURATING.fullmatch(operation):
        return Cause(
            "saturated",
            f"{here} is flat at its present input: the derivative rounds to zero",
            "make its input smaller: normalize, or start with smaller weights",
        )
    if analysis.flow.sent[k][number] is None:
        return Cause(
            "no derivative",
            f"{here}: its backward returns None for this input",
            "return a gradient from its backward, if it has one",
        )
    return Cause(
        "zero", f"{here} passes nothing on", "look at the values that go into this operation"
    )


def why_not_finite(analysis: Analysis, place: Place) -> Cause:
    """Return the first operation that made the gradient of an input NaN or infinite.

    What it read is looked at first: a value that is not finite is the earlier cause.
    """
    k, number = _first(analysis, place, lambda norm: not math.isfinite(norm))
    here = analysis.describe(k)
    if number is None:
        return Cause(
            "overflow",
            f"what flows back to {here} on several ways adds up to more than its dtype holds",
            "lower the inner learning rate, clip the gradient, or take a wider dtype",
        )
    leaves = dict(analysis.leaves())
    for node in sorted({k} | reachable([k], analysis.walk.sources)):
        leaf = leaves.get(node)
        values = analysis.saved(node).values() if leaf is None else [leaf.detach()]
        if all(map(finite, values)):
            continue
        what = (
            "a value that {} read or made is not finite"
            if leaf is None
            else "{} itself is not finite"
        )
        return Cause(
            "forward",
            what.format(analysis.describe(node)),
            "look at the values that go into it: data, a diverging inner loop, log or sqrt of what is "
            "not positive",
        )
    return Cause(
        "singular",
        f"{here}: finite values go in, and the gradient that comes out is not finite",
        "keep its input away from where its derivative is infinite: an eps inside of a root or a "
        "quotient, or torch.where on its input (not on its result); or it is too large for the dtype: "
        "lower the inner learning rate, or take a wider dtype",
    )
