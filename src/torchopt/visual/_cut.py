"""Why an input is not connected to the outputs: by the recording."""

from __future__ import annotations

from functools import cached_property

import torch
from torch.autograd.graph import Node

from torchopt.visual._analysis import Analysis, Cause
from torchopt.visual._memory import saved_values
from torchopt.visual._names import leaf_of, operation_of
from torchopt.visual._record import Cut, Recording
from torchopt.visual._walk import edge_of

ADVICE = {
    "detach": "do not detach where the gradient has to pass",
    "data": "use the tensor itself: `.data` leaves the graph without a word",
    "copy": "stay in the graph: functional calls, or torchopt.nn.module_clone(net, by='clone')",
    "no_grad": "compute it outside of torch.no_grad() and torch.inference_mode()",
    "in-place": "update out of place: torchopt.MetaSGD and the like, or a functional optimizer with "
    "inplace=False",
    "create_graph": "take the inner gradient with create_graph=True",
    "backward": "take the inner gradient with torch.autograd.grad(..., create_graph=True)",
    "number": "pass the tensor on, not its value as a number",
    "no derivative": "use a smooth function (softmax, sigmoid): choices have no derivative",
    "first order": "leave `first_order` out: it takes the inner gradients as constants",
    "truncate": "raise `truncate` or leave it out: what earlier steps read has no gradient",
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
        # No operation shows that a node of steps is given a constant start.
        steps = [n for n in self._analysis.walk.nodes if operation_of(n) == "recomputed steps"]
        kept = [value for node in steps for _, value in saved_values(node)]
        values += [value for value in kept if isinstance(value, torch.Tensor)]
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

    def within(self, tensor: torch.Tensor) -> list[Cut]:
        """Return the cuts of a tensor in functions that the library called, the latest first."""
        # Solvers call functions without a graph, too, and what has no slope stays connected.
        others = ("no_grad", "flat")
        own = [cut for cut in self._recording.cuts if cut.inside and cut.cause not in others]
        return [cut for cut in reversed(own) if self.leads_to(cut, tensor)]

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


def why_cut(analysis: Analysis, cuts: RecordedCuts, tensor: torch.Tensor) -> Cause:
    """Return why an input is not connected, and the nearest place where it was cut off.

    Args:
        analysis: The graph.
        cuts: What was recorded.
        tensor: The input.
    """
    between = cuts.between(tensor)
    if between:
        return recorded(between)
    if not analysis.walk.nodes:
        return Cause(
            "constant output",
            "the output requires no grad: nothing is connected to it",
            "look for torch.no_grad(), .detach() and numbers on the way to it" + _RECORD,
        )
    if analysis.recording is None:
        return Cause(
            "not recorded",
            "nothing in the graph leads from it to the output",
            "run the computation within visual.record(), which finds the line that cut it off",
        )
    return Cause(
        "not read",
        "nothing that the output was computed from depends on it",
        "see whether it is the tensor that you mean, and whether the program reads it",
    )


def recorded(cuts: list[Cut]) -> Cause:
    """Return what recorded cuts say, the nearest first."""
    cut = cuts[0]
    where = cut.place
    lines = dict.fromkeys(c.source for c in cuts[1:] if c.source != cut.source)
    if lines:
        shown = list(lines)[:2]
        more = len(lines) - len(shown)
        where += f"; also {', '.join(shown)}" + (f" and {more} more" if more else "")
    return Cause(cut.cause, where, ADVICE[cut.cause])


def is_connected(analysis: Analysis, tensor: torch.Tensor) -> tuple[int, int] | None:
    """Return where a tensor is in the graph; None if the outputs do not depend on it."""
    edge = edge_of(tensor)
    if edge is None or edge[0] not in analysis.walk.index:
        return None
    place = analysis.walk.index[edge[0]], edge[1]
    return place if analysis.is_read(place) else None
