"""Why an input is not connected to the outputs: by the recording, or else by the graph."""

from __future__ import annotations

import math
from functools import cached_property

import torch
from torch import nn
from torch.autograd.graph import Node

from torchopt.visual._analysis import Analysis, Cause, all_zero
from torchopt.visual._names import leaf_of
from torchopt.visual._record import Cut, Recording
from torchopt.visual._walk import edge_of

ADVICE = {
    "detach": "do not detach where the gradient has to pass",
    "data": "use the tensor itself: `.data` leaves the graph without a word",
    "copy": "stay in the graph: functional calls, or torchopt.module_clone(net, by='clone')",
    "no_grad": "compute it outside of torch.no_grad() and torch.inference_mode()",
    "in-place": "update out of place: torchopt.MetaSGD and the like, or a functional optimizer with "
    "inplace=False",
    "create_graph": "take the inner gradient with create_graph=True",
    "backward": "take the inner gradient with torch.autograd.grad(..., create_graph=True)",
    "number": "pass the tensor on, not its value as a number",
    "no derivative": "use a smooth function (softmax, sigmoid): choices have no derivative",
    "wrong parameter": "pass the tensors that the output was computed with, from before the steps",
}
_RECORD = "; visual.record() around the computation gives the line"


class RecordedCuts:
    """The recorded cuts between the outputs and an input.

    Args:
        analysis: The graph.
    """

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._recording = analysis.recording or Recording()
        self._behind: dict[Cut, tuple[set[Node], set[int]]] = {}

    @cached_property
    def nearest(self) -> list[Cut]:
        """The cuts whose results the outputs read, the latest first."""
        values: list[torch.Tensor | Node] = [*self._analysis.walk.nodes]
        values += [leaf for _, leaf in self._analysis.leaves()]
        values += self._analysis.constants
        before = dict.fromkeys(cut for v in values for cut in self._recording.cuts_before(v))
        # What has no slope stays connected.
        cuts = [cut for cut in before if cut.cause != "flat"]
        return sorted(cuts, key=self._time, reverse=True)

    def _time(self, cut: Cut) -> int:
        return self._times.get(cut, -1)

    @cached_property
    def _times(self) -> dict[Cut, int]:
        return {cut: k for k, cut in enumerate(self._recording.cuts)}

    def between(self, tensor: torch.Tensor) -> list[Cut]:
        """Return the cuts between the outputs and a tensor, the nearest to the outputs first."""
        tracked = [cut for cut in self.nearest if self.leads_to(cut, tensor)]
        if tracked:
            return tracked
        # Numbers cannot be followed.
        numbers = [cut for cut in self._recording.cuts if cut.cause == "number"]
        return [cut for cut in reversed(numbers) if self.leads_to(cut, tensor)]

    def flat(self, tensor: torch.Tensor) -> list[Cut]:
        """Return the calls of functions with zero derivative that a tensor was passed to."""
        calls = [cut for cut in self._recording.cuts if cut.cause == "flat"]
        return [cut for cut in calls if self.leads_to(cut, tensor)]

    def leads_to(self, cut: Cut, tensor: torch.Tensor) -> bool:
        """Whether the value that left the graph was computed from a tensor."""
        if cut not in self._behind:
            self._behind[cut] = self._reach(cut)
        nodes, leaves = self._behind[cut]
        return id(tensor) in leaves or (tensor.grad_fn is not None and tensor.grad_fn in nodes)

    def _reach(self, cut: Cut) -> tuple[set[Node], set[int]]:
        nodes: set[Node] = set()
        leaves: set[int] = set()
        met, cuts = {cut}, [cut]

        def follow(value: torch.Tensor | Node) -> None:
            for earlier in self._recording.cuts_before(value):
                if earlier not in met and self._time(earlier) <= self._time(cut):
                    met.add(earlier)
                    cuts.append(earlier)

        while cuts:
            current = cuts.pop()
            for earlier in current.earlier:
                if earlier not in met:
                    met.add(earlier)
                    cuts.append(earlier)
            stack: list[Node] = []
            for read in current.reads:
                if isinstance(read, torch.Tensor):
                    leaves.add(id(read))
                    follow(read)
                else:
                    stack.append(read)
            while stack:
                node = stack.pop()
                if node in nodes:
                    continue
                nodes.add(node)
                leaf = leaf_of(node)
                if leaf is not None:
                    leaves.add(id(leaf))
                    follow(leaf)
                follow(node)
                stack.extend(n for n, _ in node.next_functions if n is not None)
        return nodes, leaves


def why_cut(
    analysis: Analysis, cuts: RecordedCuts, tensor: torch.Tensor, inputs: list[torch.Tensor]
) -> Cause:
    """Return why an input is not connected, and the nearest place where it was cut off.

    Args:
        analysis: The graph.
        cuts: What was recorded.
        tensor: The input.
        inputs: All inputs.
    """
    recorded = cuts.between(tensor)
    if recorded:
        return _recorded(recorded)
    if not analysis.walk.nodes:
        return Cause(
            "constant output",
            "the output requires no grad: nothing is connected to it",
            "look for torch.no_grad(), .detach() and numbers on the way to it" + _RECORD,
        )
    known = {id(t) for t in inputs}
    # Leaves that are all zero are an optimizer's first states.
    unknown = [
        (k, leaf)
        for k, leaf in analysis.leaves()
        if id(leaf) not in known and not all_zero(leaf.detach())
    ]
    return (
        _same_memory(analysis, tensor, unknown)
        or _same_values(analysis, tensor, unknown)
        or (None if analysis.recording else _constant_gradients(analysis))
        or _written_in_place(analysis, unknown)
        or _other_leaf(analysis, tensor, unknown)
        or Cause(
            "not read",
            "nothing that the output was computed from depends on it",
            "see whether it is the tensor that you mean, and whether the program reads it"
            + _RECORD,
        )
    )


def _recorded(cuts: list[Cut]) -> Cause:
    cut = cuts[0]
    where = cut.place
    lines = dict.fromkeys(c.source for c in cuts[1:] if c.source != cut.source)
    if lines:
        shown = list(lines)[:2]
        more = len(lines) - len(shown)
        where += f"; also {', '.join(shown)}" + (f" and {more} more" if more else "")
    return Cause(cut.cause, where, ADVICE[cut.cause])


def _same_memory(
    analysis: Analysis, tensor: torch.Tensor, unknown: list[tuple[int, torch.Tensor]]
) -> Cause | None:
    """Return where the memory of the input is read as another leaf, or as a constant."""
    for k, leaf in unknown:
        if _is_same_memory(leaf, tensor):
            where = (
                f"a leaf of the graph has its memory, but is another tensor: {analysis.describe(k)}"
            )
            return Cause(
                "detach", where + ", made by .detach() or .data", ADVICE["detach"] + _RECORD
            )
    for k in range(len(analysis.walk.nodes)):
        if any(_is_same_memory(value, tensor) for value in analysis.saved(k).values()):
            where = f"{analysis.describe(k)} reads its memory as a constant"
            return Cause(
                "detach",
                where + ", as after .detach(), .data or under no_grad",
                ADVICE["detach"] + _RECORD,
            )
    return None


def _is_same_memory(value: torch.Tensor, tensor: torch.Tensor) -> bool:
    try:
        same = value.data_ptr() == tensor.data_ptr() != 0
    except RuntimeError:  # a wrapper of torch.func has no memory of its own
        return False
    return same and value.numel() == tensor.numel() and value.dtype == tensor.dtype


def _same_values(
    analysis: Analysis, tensor: torch.Tensor, unknown: list[tuple[int, torch.Tensor]]
) -> Cause | None:
    """Return where a copy of the input is read; equal entries, such as zeros, prove nothing."""
    flat = tensor.detach().flatten()
    if flat.numel() == 0 or bool((flat == flat[0]).all()):
        return None
    for k, leaf in unknown:
        if _is_equal(leaf, tensor):
            return Cause(
                "copy",
                f"the output was computed with a copy of it: {analysis.describe(k)}, another leaf with "
                f"the same values",
                "pass that one, or make the copy within the graph: .clone() without .detach(), "
                "torchopt.module_clone(net, by='clone') instead of deepcopy",
            )
    for k in range(len(analysis.walk.nodes)):
        if any(_is_equal(value, tensor) for value in analysis.saved(k).values()):
            return Cause(
                "copy",
                f"{analysis.describe(k)} reads a constant with the same values",
                "do not detach or copy it: .clone() without .detach() stays in the graph" + _RECORD,
            )
    return None


def _is_equal(value: torch.Tensor, tensor: torch.Tensor) -> bool:
    if (value.shape, value.dtype, value.device) != (tensor.shape, tensor.dtype, tensor.device):
        return False
    return value.layout == tensor.layout and torch.equal(value.detach(), tensor.detach())


def constant_updates(analysis: Analysis, k: int) -> int | None:
    """Return the only reader of a leaf, if it adds a constant: an update by a constant gradient."""
    place = (k, 0)
    shape = analysis.graph.nodes[k].outputs[0].shape
    while len(readers := analysis.readers.get(place, [])) == 1 and shape:
        target = readers[0][0]
        others = [p for p in analysis.walk.inputs[target] if p != place]
        node = analysis.graph.nodes[target]
        if node.kind == "update":
            makers = [
                analysis.graph.nodes[m] for p in others if (m := analysis.maker(p)) is not None
            ]
            constant = None in others and all(m.kind in ("leaf", "update") for m in makers)
            return target if constant else None
        if node.operation in ("add", "sub"):
            constant = all(p is None or _is_scaled_constant(analysis, p[0]) for p in others)
            return target if others and constant and node.outputs[0].shape == shape else None
        if others or node.operation not in ("view", "alias"):
            return None
        place = (target, 0)
    return None


def _is_scaled_constant(analysis: Analysis, k: int) -> bool:
    """Whether a node is a learning rate times a constant."""
    inputs = analysis.walk.inputs[k]
    if analysis.operation(k) not in ("mul", "div", "neg") or None not in inputs:
        return False
    return all(
        p is None or math.prod(analysis.graph.nodes[p[0]].outputs[p[1]].shape) == 1 for p in inputs
    )


def _constant_gradients(analysis: Analysis) -> Cause | None:
    leaves = [k for k, leaf in analysis.leaves() if leaf.dim() > 0]
    updates = [u for u in (constant_updates(analysis, k) for k in leaves) if u is not None]
    if not updates or 2 * len(updates) < len(leaves):
        return None
    return Cause(
        "create_graph",
        f"{analysis.describe(updates[0])} adds a constant to a parameter: if it is an update, the "
        f"inner gradient has no graph",
        ADVICE["create_graph"] + ", and do not detach it" + _RECORD,
    )


def _written_in_place(analysis: Analysis, unknown: list[tuple[int, torch.Tensor]]) -> Cause | None:
    if not unknown:
        return None
    owner = holder(analysis, [leaf for _, leaf in unknown])
    if owner is not None:
        k = next(k for k, leaf in unknown if id(leaf) in held_by(owner))
        where = (
            f"{type(owner).__name__} holds {analysis.describe(k)}, a leaf, and writes it in place"
        )
        return Cause("in-place", where, ADVICE["in-place"])
    for k, leaf in unknown:
        if leaf.grad is not None and leaf._version:
            where = (
                f"{analysis.describe(k)} is a leaf with a .grad, and was written in place: a step"
            )
            return Cause("in-place", where, ADVICE["in-place"] + _RECORD)
    return None


def holder(analysis: Analysis, leaves: list[torch.Tensor]) -> torch.optim.Optimizer | None:
    """Return a living optimizer that steps in place and holds one of these leaves."""
    wanted = {id(leaf) for leaf in leaves}
    return next(
        (optimizer for optimizer in analysis.optimizers if wanted & held_by(optimizer)), None
    )


def held_by(optimizer: torch.optim.Optimizer) -> set[int]:
    """Return the ids of the parameters of an optimizer."""
    groups = getattr(optimizer, "param_groups", [])
    return {id(p) for group in groups for p in group["params"]}


def _other_leaf(
    analysis: Analysis, tensor: torch.Tensor, unknown: list[tuple[int, torch.Tensor]]
) -> Cause | None:
    alike = [(k, leaf) for k, leaf in unknown if leaf.shape == tensor.shape]
    parameters = [(k, leaf) for k, leaf in alike if isinstance(leaf, nn.Parameter)]
    if parameters:
        where = (
            f"another parameter of its shape is in the graph: {analysis.describe(parameters[0][0])}"
        )
        return Cause("wrong parameter", where, ADVICE["wrong parameter"])
    plain = [(k, leaf) for k, leaf in unknown if leaf.dim() and not isinstance(leaf, nn.Parameter)]
    # A recording would have seen it.
    if analysis.recording is None and (alike or len(plain) > 1):
        plain = alike or plain
        leaf_text = analysis.describe(plain[0][0])
        where = f"the graph ends at {leaf_text}, a leaf that is not among the inputs"
        return Cause(
            "detach",
            where + ": detached inner parameters, or another variable",
            "keep the inner parameters in the graph: no .detach() or .requires_grad_() between steps"
            + _RECORD,
        )
    return None


def is_connected(analysis: Analysis, tensor: torch.Tensor) -> tuple[int, int] | None:
    """Return where a tensor is in the graph; None if the outputs do not depend on it."""
    edge = edge_of(tensor)
    if edge is None or edge[0] not in analysis.walk.index:
        return None
    place = analysis.walk.index[edge[0]], edge[1]
    return place if analysis.is_read(place) else None
