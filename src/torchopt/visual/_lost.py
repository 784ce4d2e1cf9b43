"""Why the gradient of a connected input is zero or not finite: the first such operation."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import torch

from torchopt.visual._analysis import Analysis, Cause, Place, all_zero, finite
from torchopt.visual._cut import ADVICE, recorded
from torchopt.visual._names import leaf_of
from torchopt.visual._record import Cut
from torchopt.visual._walk import reachable

_FLAT = re.compile(r"round|floor|ceil|trunc|fix|sign|sgn|heaviside")
_BOUNDS = re.compile(r"clamp(_min|_max)?")
_GATES = re.compile(
    rf"relu6?|threshold|hard(tanh|sigmoid|swish|shrink)|softshrink|{_BOUNDS.pattern}"
    r"|(r|p|leaky_)relu|[cs]?elu"
)
_SATURATING = re.compile(r"sigmoid|tanh|softmax|log_softmax|erf|log_sigmoid|softplus|exp")
_CHOOSING = re.compile(
    r"index|gather|select|slice|a?max|a?min|topk|sort|where|masked_(fill|select)|take|index_select"
    r"|maximum|minimum|embedding|median|kthvalue|max_pool\w*|tri[lu]"
)
_SINGULAR = re.compile(
    r"r?sqrt|pow|log(2|10|1_?p)?|div|reciprocal|(linalg_vector_)?norm|a(cos|sin)|acosh|atanh|std|var"
    r"|cdist|pairwise_distance|cosine_similarity|xlogy"
)
FLAT_ADVICE = (
    "leave it out where the gradient has to pass, or let the gradient pass straight through: "
    "x + (x.round() - x).detach()"
)


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
    maker = analysis.maker(analysis.walk.inputs[k][number], scaled=False)
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
    if _FLAT.fullmatch(operation):
        return Cause("flat", f"{here}: its derivative is zero everywhere", FLAT_ADVICE)
    if _BOUNDS.fullmatch(operation):
        return Cause(
            "bound",
            f"{here} is at its bounds: all entries that depend on it are where its derivative is zero",
            "right, if nothing is to be clipped, or all; else move the bounds",
        )
    if _GATES.fullmatch(operation):
        return _dead(here)
    if _CHOOSING.fullmatch(operation):
        return Cause(
            "not chosen",
            f"{here} takes no entry that depends on it",
            "look at the index or the condition; a choice has no derivative of its own",
        )
    if any(map(all_zero, saved.values())):
        return _zero_factor(analysis, k, number, flat)
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


def _dead(here: str) -> Cause:
    return Cause(
        "dead",
        f"{here} is off: all entries that depend on it are where its derivative is zero",
        "start with other weights or a lower learning rate; leaky_relu, softplus or tanh never die",
    )


def _zero_factor(analysis: Analysis, k: int, number: int, flat: list[Cut]) -> Cause:
    here, made, constant = analysis.describe(k), None, False
    met, queue = {k}, _factors(analysis, k, number)
    constant = not queue
    # A factor that is zero may be so because of one before it.
    for factor in queue:  # grows while it is read
        if factor in met:
            continue
        met.add(factor)
        saved = analysis.saved(factor)
        if _GATES.fullmatch(analysis.operation(factor)) and all_zero(
            saved.get("result", torch.zeros(1, device="cpu"))
        ):
            return _dead(f"{here} multiplies by zeros: {analysis.describe(factor)}")
        if any(map(all_zero, saved.values())):
            constant = constant or None in analysis.walk.inputs[factor]
            queue += _factors(analysis, factor, None)
        elif made is None and _may_be_zero(analysis, factor):
            made = factor
    made = None if constant else made
    if analysis.in_gradient(k) and (made is None or flat):
        if flat:
            lines = ", ".join(dict.fromkeys(cut.place for cut in flat))
            return Cause("flat", f"{lines}: its derivative is zero everywhere", FLAT_ADVICE)
        return Cause(
            "flat",
            f"{here} multiplies by a derivative that is constant and zero: the inner loss has an "
            f"operation with no slope (round, floor, sign)",
            FLAT_ADVICE,
        )
    what = "a constant that"
    if made is not None:
        called = analysis.describe(made)
        is_leaf = analysis.graph.nodes[made].kind == "leaf"
        what = f"{called}, which" if is_leaf else f"what {called} made, which"
    return Cause(
        "zero factor",
        f"{here} multiplies by {what} is zero everywhere",
        "look at this factor: an empty mask, data or weights that are all zero",
    )


def _may_be_zero(analysis: Analysis, k: int) -> bool:
    leaf = leaf_of(analysis.walk.nodes[k])
    return leaf is None or all_zero(leaf.detach())


def _factors(analysis: Analysis, k: int, number: int | None) -> list[int]:
    """Return the operations that computed the other factors of a product."""
    inputs = list(enumerate(analysis.walk.inputs[k]))
    if analysis.operation(k) in ("addmm", "baddbmm", "addmv", "addbmm"):
        inputs = inputs[1:]
    makers = (analysis.maker(place, scaled=False) for i, place in inputs if i != number)
    return [maker for maker in makers if maker is not None]


def why_not_finite(analysis: Analysis, place: Place) -> Cause:
    """Return the first operation that made the gradient of an input NaN or infinite.

    Args:
        analysis: The graph.
        place: The input.
    """
    k, number = _first(analysis, place, lambda norm: not math.isfinite(norm))
    return _overflow(analysis, k) if number is None else _why_not_finite(analysis, k)


def _overflow(analysis: Analysis, k: int) -> Cause:
    return Cause(
        "overflow",
        f"what flows back to {analysis.describe(k)} on several ways adds up to more than its dtype "
        f"holds",
        "lower the inner learning rate, clip the gradient, or take a wider dtype",
    )


def _why_not_finite(analysis: Analysis, k: int) -> Cause:
    if _makes(analysis, k) or not all(map(finite, analysis.saved(k).values())):
        origin, is_constant = _origin(analysis, k)
        here = analysis.describe(origin)
        culprit = _singular(analysis, origin) if analysis.in_gradient(origin) else None
        if culprit is not None:
            return _infinite_slope(analysis, origin, culprit)
        if analysis.graph.nodes[origin].kind == "leaf":
            where = f"{here} itself has entries that are not finite"
        elif is_constant:
            where = f"a constant that {here} reads is not finite"
        else:
            where = f"{here}: its value is not finite already in the forward pass"
        return Cause(
            "forward",
            where,
            "look at the values that go into it: data, a diverging inner loop, log or sqrt of what is "
            "not positive",
        )
    here = analysis.describe(k)
    culprit = _singular(analysis, k)
    if culprit is not None:
        return _infinite_slope(analysis, k, culprit)
    return Cause(
        "overflow",
        f"{here}: finite values go in, and the gradient that comes out is not finite",
        "lower the inner learning rate, clip the gradient, or take a wider dtype",
    )


def _infinite_slope(analysis: Analysis, k: int, culprit: int) -> Cause:
    name = analysis.operation(culprit)
    inside = "" if culprit == k else f" ({analysis.describe(k)} divides by it)"
    return Cause(
        "singular",
        f"{analysis.describe(culprit)}: its derivative is infinite at its present value{inside}",
        f"keep its input away from there: an eps inside of the {name}, or torch.where on the input "
        f"before the {name} (not on its result)",
    )


def _singular(analysis: Analysis, k: int) -> int | None:
    """Return the operation whose derivative is infinite: a node, or what it divides by."""
    operation = analysis.operation(k)
    if operation in ("div", "reciprocal"):
        inputs = analysis.walk.inputs[k]
        maker = analysis.maker(inputs[-1]) if inputs else None
        if maker is not None and _SINGULAR.fullmatch(analysis.operation(maker)):
            return maker
        return k
    return k if _SINGULAR.fullmatch(operation) and _has_pole(analysis, k) else None


def _has_pole(analysis: Analysis, k: int) -> bool:
    """Whether the derivative of an operation is infinite anywhere: that of a power may be."""
    exponent = getattr(analysis.walk.nodes[k], "_saved_exponent", None)
    return not isinstance(exponent, (int, float)) or (exponent < 1 and exponent != 0)


def _origin(analysis: Analysis, k: int) -> tuple[int, bool]:
    """Return the earliest node with a value that is not finite, and whether a constant caused it."""
    # What a node keeps are inputs or its result, so that an earlier one tells more.
    suspects = {k} | reachable([k], analysis.walk.sources)
    leaves = {
        k for k, leaf in analysis.leaves() if leaf.is_floating_point() and not finite(leaf.detach())
    }
    first = k
    for node in sorted(suspects):
        if node in leaves or _makes(analysis, node):
            return node, False
        if not all(map(finite, analysis.saved(node).values())):
            first = node
            break
    return first, None in analysis.walk.inputs[first]


def _makes(analysis: Analysis, k: int) -> bool:
    """Whether the inputs of an operation are finite and its result is not."""
    return any(not finite(value) for value in _values(analysis, k)) and all(
        finite(value) for name, value in analysis.saved(k).items() if name != "result"
    )


def _values(analysis: Analysis, k: int) -> Iterator[torch.Tensor]:
    """Return the value of a node, if its saved tensors have it."""
    saved, operation = analysis.saved(k), analysis.operation(k)
    if "result" in saved:
        yield saved["result"]
    of_self = {
        "log": torch.log,
        "log2": torch.log2,
        "log10": torch.log10,
        "log1_p": torch.log1p,
        "acos": torch.acos,
        "asin": torch.asin,
    }
    if operation in of_self and "self" in saved:
        yield of_self[operation](saved["self"])
    if operation == "div" and "other" in saved:
        yield saved["other"].reciprocal()
    exponent = getattr(analysis.walk.nodes[k], "_saved_exponent", None)
    if operation == "pow" and "self" in saved and exponent is not None:
        yield saved["self"].pow(exponent)
