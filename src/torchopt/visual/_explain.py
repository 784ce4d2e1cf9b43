"""Why a gradient is what it is: one finding for every input, and what to do."""

from __future__ import annotations

import html
import math
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import torch
from torch import nn

from torchopt.checks import transforms_active
from torchopt.io.table import table
from torchopt.pytree.typing import TensorTree
from torchopt.visual import _record
from torchopt.visual._analysis import Analysis, Cause, Place
from torchopt.visual._cut import ADVICE, RecordedCuts, is_connected, recorded, why_cut
from torchopt.visual._gradients import BlockedError, flow
from torchopt.visual._graph import GradGraph
from torchopt.visual._lost import why_not_finite, why_zero
from torchopt.visual._names import Names, meta_parameters, named_tensors
from torchopt.visual._record import Recording
from torchopt.visual._walk import tensors_of, walk

# Where the gradient at the first inner parameters is so much smaller or larger than at the last.
_FADING = 1e-4


@dataclass(frozen=True)
class Finding:
    """What was found about one input.

    Attributes:
        name: The input.
        kind: ``"reached"``, ``"no grad"`` (it does not require one), ``"cut"`` (not connected),
            ``"zero"``, ``"not finite"``, ``"vanishing"``, ``"exploding"``; or, connected, ``"freed"``
            (the graph was freed), ``"overwritten"`` (what it had saved was written to) or ``"refused"``
            (an operation cannot be differentiated).
        norm: The norm of its gradient; None if there is none.
        cause: Why, in one word, such as ``"detach"`` or ``"in-place"``; empty if nothing is wrong.
        where: Why, and where in the program.
        advice: What to do.
        norms: The norms of the gradient at the inner parameters after each step, the first step first;
            empty without steps.
    """

    name: str
    kind: str
    norm: float | None = None
    cause: str = ""
    where: str = ""
    advice: str = ""
    norms: tuple[float, ...] = ()


class Explanation(tuple[Finding, ...]):
    """The findings, one for each input; as text, a table.

    Attributes:
        notes: What is to be said about the whole graph.
    """

    notes: tuple[str, ...]

    def __new__(cls, findings: Iterable[Finding], notes: Iterable[str] = ()) -> Explanation:
        self = super().__new__(cls, findings)
        self.notes = tuple(notes)
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.notes

    def __str__(self) -> str:
        rows: list[tuple[str, ...]] = [_HEAD]
        for finding in map(_row, self):
            cells = (textwrap.wrap(text, w) for text, w in zip(finding, _WIDTHS, strict=True))
            rows += zip_longest(*cells, fillvalue="")
        return "\n".join([*table(rows, rule=True), *self.notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        def row(cells: Iterable[str], tag: str) -> str:
            return "".join(
                f'<{tag} style="text-align:left">{html.escape(c)}</{tag}>' for c in cells
            )

        body = "".join(f"<tr>{row(_row(finding), 'td')}</tr>" for finding in self)
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return (
            f"<table><thead><tr>{row(_HEAD, 'th')}</tr></thead><tbody>{body}</tbody></table>{notes}"
        )


_HEAD = ("input", "finding", "where", "what to do")
_WIDTHS = (24, 30, 28, 28)  # short names and findings fit 80 columns


def _row(finding: Finding) -> tuple[str, str, str, str]:
    norm = finding.norm
    what = {
        "no grad": "requires_grad is False",
        "cut": "not connected",
        "freed": "connected, graph freed",
        "overwritten": "connected, but overwritten",
        "refused": "connected, but no derivative",
        "zero": "connected, but zero",
        "not finite": "NaN" if norm is not None and math.isnan(norm) else "infinite",
    }.get(finding.kind, finding.kind)
    if finding.kind in ("reached", "vanishing", "exploding"):
        what += f", norm {norm:.3g}"
    where = finding.where
    if finding.kind in ("vanishing", "exploding"):
        where += ": " + ", ".join(f"{value:.2g}" for value in finding.norms)
    return finding.name, what, where, finding.advice


def explain(
    outputs: TensorTree,
    inputs: nn.Module | Iterator[tuple[str, torch.Tensor]] | TensorTree,
    *,
    names: Names = None,
    recording: Recording | None = None,
) -> Explanation:
    """Explain for every input whether the gradient of the outputs reaches it, and if not, why.

    The function walks the graph and differentiates it once. It does not write into ``.grad``, keeps the
    graph, and does not disturb random generators. Why an input is not connected, and the lines of the
    program, are known if the computation ran within :func:`record`.

    Args:
        outputs: A tensor or a tree of tensors. The sum of all entries is differentiated.
        inputs: The tensors that need a gradient: a tensor, a tree, a module (its parameters),
            or ``named_parameters()``.
        names: Names for other tensors of the graph; see :class:`torchopt.visual.GradGraph`.
        recording: What :func:`record` recorded; by default, the recording that is going on.

    Returns:
        The findings, in the order of the inputs; printed, a table.

    Raises:
        TypeError: If there are no tensors among the outputs or the inputs.
        RuntimeError: Inside :mod:`torch.func` transformations, where values cannot be read.

    Example:
        >>> import torch
        >>> w = torch.tensor([0.3, 1.7], requires_grad=True)
        >>> v = torch.ones(2, requires_grad=True)
        >>> with record() as recording:
        ...     loss = (w.round() * v.detach()).sum()
        >>> findings = explain(loss, {"w": w, "v": v}, recording=recording)
        >>> [(f.name, f.kind, f.cause) for f in findings]
        [('w', 'zero', 'flat'), ('v', 'cut', 'detach')]
        >>> findings[1].where.split(" at ")[0]
        '`.detach()`'
        >>> print(explain(w.square().sum(), w))
        input  finding             where  what to do
        -----  ------------------  -----  ----------
        input  reached, norm 3.45
    """
    if transforms_active():
        raise RuntimeError(
            "explain was called inside of a torch.func transformation or torch.compile, where values "
            "cannot be looked at: call it on what the transformed function returns."
        )
    recording = recording or _record.current()
    named = _named_inputs(inputs)
    called = {id(t): name for t, name in named_tensors(names)} if names is not None else {}
    named = [(called.get(id(t), name), t) for name, t in named]
    walked = walk(outputs)
    analysis = Analysis(
        walked,
        GradGraph(outputs, [dict(named), *([] if names is None else [names])]),
        recording,
        [t for _, t in tensors_of(outputs) if not t.requires_grad],
    )
    places = [is_connected(analysis, t) if t.requires_grad else None for _, t in named]
    notes = list(analysis.graph.notes)
    blocked: BlockedError | None = None
    if any(place is not None for place in places):
        try:
            analysis.flow = flow(outputs, walked)
        except BlockedError as error:
            blocked = error
            notes.append(f"{str(error)[0].upper()}{str(error)[1:]}")
    cuts = RecordedCuts(analysis)
    findings = []
    for (name, tensor), place in zip(named, places, strict=True):
        if not tensor.requires_grad:
            findings.append(_without_grad(name, tensor, recording))
        elif place is None:
            cause = why_cut(analysis, cuts, tensor)
            findings.append(Finding(name, "cut", None, *cause))
        elif blocked is not None:
            findings.append(_blocked(analysis, name, blocked, cuts))
        else:
            findings.append(_connected(analysis, cuts, name, tensor, place))
    return Explanation(findings, notes)


def _named_inputs(inputs: Any) -> list[tuple[str, torch.Tensor]]:
    """Return the inputs with their names; a module's buffers are none."""
    if isinstance(inputs, torch.Tensor):
        return [("input", inputs)]
    try:
        parameters = [(name, t) for t, name in named_tensors(_parameters(inputs))]
    except TypeError as error:
        raise TypeError(str(error).replace("`names`", "`inputs`")) from error
    if not parameters:
        raise TypeError(
            f"`inputs` is an object of type {type(inputs).__name__} without tensors: pass the tensors "
            f"that a gradient is wanted for."
        )
    return parameters


def _parameters(inputs: Any) -> Any:
    """Return inputs with the parameters of modules in the place of modules."""
    if isinstance(inputs, nn.Module):
        return dict([*inputs.named_parameters(), *meta_parameters(inputs)])
    if type(inputs) in (list, tuple) and any(isinstance(value, nn.Module) for value in inputs):
        return [_parameters(value) for value in inputs]
    if type(inputs) is dict:
        return {key: _parameters(value) for key, value in inputs.items()}
    return inputs


def _without_grad(name: str, tensor: torch.Tensor, recording: Recording | None) -> Finding:
    if not (tensor.is_floating_point() or tensor.is_complex()):
        where, advice = f"its dtype is {tensor.dtype}", "leave it out: integers have no gradient"
        return Finding(name, "no grad", None, "dtype", where, advice)
    cuts = () if recording is None else recording.cuts_before(tensor)
    where = cuts[-1].place if cuts else ""
    advice = "frozen on purpose: leave it out; else requires_grad_() before it is used"
    return Finding(name, "no grad", None, "frozen", where, advice)


def _blocked(analysis: Analysis, name: str, error: BlockedError, cuts: RecordedCuts) -> Finding:
    if error.kind == "refused":
        where = f"{analysis.describe(error.position)}: {error}"
        advice = "take another operation or kernel here; see the message"
        return Finding(name, "refused", None, "refused", where, advice)
    if error.kind == "freed":
        advice = "explain before backward(), or retain_graph=True"
        return Finding(name, "freed", None, "freed", "", advice)
    written = dict.fromkeys(cut.place for cut in cuts.nearest if cut.cause == "in-place")
    return Finding(name, "overwritten", None, "in-place", "; ".join(written), ADVICE["in-place"])


def _connected(
    analysis: Analysis, cuts: RecordedCuts, name: str, tensor: torch.Tensor, place: Place
) -> Finding:
    norm = analysis.flow.arrived.get(place, 0.0)
    norms = analysis.step_norms(place)
    if not math.isfinite(norm):
        return Finding(name, "not finite", norm, *why_not_finite(analysis, place), norms)
    if norm == 0:
        cause = why_zero(analysis, place, cuts.flat(tensor), cuts.within(tensor))
        return Finding(name, "zero", norm, *cause, norms)
    # Where the outer loss reads all steps, the first ones are to have more.
    if len(norms) > 1 and all(map(math.isfinite, norms)) and analysis.reads_last_only:
        if norm > norms[-1] and norms[0] > norms[-1] / _FADING:
            return Finding(
                name,
                "exploding",
                norm,
                "unstable",
                "the gradient grows from the last inner step back to the first",
                "lower the inner learning rate, take fewer steps, or Explicit(truncate=...)",
                norms,
            )
        if norms[0] < norms[-1] * _FADING and norm < norms[-1] * _FADING:
            return Finding(
                name,
                "vanishing",
                norm,
                "contraction",
                "the gradient fades from the last inner step back to the first",
                "take fewer steps or a lower inner learning rate; if the inner problem converges, its "
                "start does not matter, and Implicit() is cheaper",
                norms,
            )
    remark = _remark(analysis, cuts, tensor, place)
    return Finding(name, "reached", norm, *remark, norms)


def _remark(analysis: Analysis, cuts: RecordedCuts, tensor: torch.Tensor, place: Place) -> Cause:
    """Say what may surprise about a gradient that is there."""
    if not tensor.is_leaf:
        return Cause(
            "not a leaf",
            f"it is no leaf: {analysis.describe(place[0])} made it, from other tensors",
            "for meta-parameters, take the list before the inner steps; its own .grad stays None, "
            "torch.autograd.grad works",
        )
    reading = [cut for cut in cuts.nearest if cuts.leads_to(cut, tensor)]
    asked = [cut for cut in reading if cut.cause in ("first order", "truncate")]
    if asked:
        return recorded(asked[:1])
    graphless = [cut for cut in reading if cut.cause == "create_graph"]
    if graphless:
        return Cause(
            "first order",
            f"the inner gradient has no graph: {graphless[0].place}",
            "first-order, if that is an inner step; for all orders, create_graph=True",
        )
    written = [] if analysis.recording is None else analysis.recording.cuts_before(tensor)
    for cut in cuts.nearest:
        if cut.cause == "in-place" and cut in written and not analysis.has_steps:
            return Cause(
                "in-place",
                f"written by {cut.place}: this is the gradient after that",
                "if these are inner steps, take torchopt.MetaSGD or a functional optimizer",
            )
    return Cause("", "", "")
