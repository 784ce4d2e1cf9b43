"""Inner steps, found in the structure of a recorded graph; nothing needs to be named.

An inner step leaves this trace: a loss reads parameters ``p``, derivatives follow, and in the end new
parameters ``q`` are ``p`` plus something that depends on the derivatives. Anomaly mode notes which
nodes are derivatives; without it no steps are looked for.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass
from typing import Any

from torchopt.visual._memory import scales_by_number
from torchopt.visual._names import is_update, leaf_of, metadata_of, type_of
from torchopt.visual._walk import Walk, reachable

Place = tuple[int, int]
"""A node, and the number of its output."""

Pairs = dict[Place, Place | None]
"""New parameters with the old ones; None where these are constants."""

# The derivative of a derivative: where a graph has one, or an update, it may have steps.
_DERIVATIVE = re.compile(r"Backward.*Backward\d*$")
_NOT_RECORDED = (
    "What belongs to an inner step is known of a computation within `visual.record()` only, and this "
    "was outside: its inner steps are not shown."
)
# New parameters are one of these of the old ones, which come first.
_SPINES = re.compile(r"(Add|Sub|Addcdiv|Addcmul|Lerp)Backward\d$")
_SCALES = re.compile(r"(Mul|Div|Neg)Backward\d$")
_LAYOUT = re.compile(r"(Permute|Expand|Transpose)Backward\d$")
# What optimizers are made of.
_ELEMENTWISE = re.compile(
    r"(Add|Sub|Rsub|Mul|Div|Neg|Pow|Sqrt|Rsqrt|Reciprocal|Exp|Log|Abs|Sign|Clamp|ClampMin|ClampMax"
    r"|Maximum|Minimum|Addcmul|Addcdiv|Lerp|Where|Clone|ToCopy|Sigmoid|Tanh|NanToNum)Backward\d$"
)


@dataclass
class Step:
    """One inner step.

    Attributes:
        pairs: New parameters and states, with the old ones.
        loss: The first node of it.
        gradient: The first node of the gradient.
        update: The first node of the update.
        nodes: All of its nodes.
        number: Its number in its chain, from 1.
        chain: The first step of its chain.
        parent: The step in whose loss it is.
    """

    pairs: Pairs
    gradient: int
    update: int
    nodes: list[int]
    number: int = 1
    chain: int = 0
    parent: int | None = None

    @property
    def olds(self) -> list[Place]:
        """The old parameters that are no constants."""
        return [p for p in self.pairs.values() if p is not None]

    @property
    def first(self) -> int:
        return self.nodes[0]

    @property
    def last(self) -> int:
        return self.nodes[-1]

    def phase(self, k: int) -> str:
        """Return the phase of a node of this step, or of one made between its nodes."""
        if k < self.gradient:
            return "loss"
        return "gradient" if k < self.update else "update"


def find_steps(walk: Walk) -> Steps:
    """Find the inner steps of a walked graph.

    Args:
        walk: The graph.
    """
    steps = Steps(walk)
    steps.find()
    return steps


class Steps:
    """Detects the steps of one graph, from the first to the last.

    Attributes:
        walk: The graph.
        steps: The steps, those that others lie in after these.
        owner: For each node, the position of the step that it is in; None elsewhere.
        leaves: For each node, whether it is a leaf.
        first: The first node that is none.
        readers: For each node, the nodes that read it.
        notes: What was not found, in sentences.
    """

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.types = [type_of(node) for node in walk.nodes]
        self.leaves = [leaf_of(node) is not None for node in walk.nodes]
        self.first = sum(self.leaves)
        self.readers: list[list[int]] = [[] for _ in walk.nodes]
        for source, _, target, _ in walk.edges:
            self.readers[source].append(target)
        operations = walk.nodes[self.first :]
        # Whether anomaly mode has noted what is a derivative.
        self.told = any("traceback_" in metadata_of(n) for n in operations)
        self.derivative = [metadata_of(n).get("parent_") is not None for n in walk.nodes]
        self.breaks = [
            k
            for k in range(self.first + 1, len(walk.nodes))
            if self.derivative[k - 1] and not self.derivative[k]
        ]
        self.owner: list[int | None] = [None] * len(walk.nodes)
        self.steps: list[Step] = []
        self.budget = 100 * len(walk.nodes) + 10_000
        self.notes: list[str] = []

    def shape(self, place: Place) -> tuple[int, ...]:
        """Return the shape of an output of a node."""
        node: Any = self.walk.nodes[place[0]]
        return tuple(node._input_metadata[place[1]].shape)

    # Candidates: new parameters with the old ones.

    def clusters(self) -> list[Pairs]:
        """Return candidates for new parameters; a dictionary has those that were made together."""
        clusters: dict[tuple[int, ...], Pairs] = defaultdict(dict)
        for k in range(self.first, len(self.walk.nodes)):
            if is_update(self.walk.nodes[k]):
                pairs = self._fused(k)
                if pairs:
                    clusters[k, 0].update(pairs)
            elif _SPINES.match(self.types[k]) and not self.derivative[k]:
                for place in self._origins(k):
                    key = self._since(place[0], k)
                    if key is not None and self._is_read((k, 0), place, range(k)):
                        clusters[key][k, 0] = place
                        break
        return [clusters[key] for key in sorted(clusters, key=lambda key: min(clusters[key]))]

    def _fused(self, k: int) -> Pairs:
        """Return the parameters among the outputs of a kernel that updates them."""
        node: Any = self.walk.nodes[k]
        how = node.how
        result = how.graph.outputs[0]
        adds = result.op in ("add", "sub") and any(
            x.op == "tensor" and x.args[0] == "p" for x in result.operands
        )
        if not adds:
            return {}
        reads = range(*how.input_blocks[how.graph.tensors.index("p")].indices(1 << 30))
        makes = range(*how.output_blocks[0].indices(1 << 30))
        entries = self.walk.inputs[k]
        pairs: Pairs = {
            (k, output): self._unbatched(entry, k)
            for output, number in zip(makes, reads, strict=True)
            if (entry := entries[number]) is not None
        }
        # From a constant start, too, the first step is one.
        return pairs or dict.fromkeys((k, output) for output in makes)

    def _unbatched(self, place: Place, k: int) -> Place:
        """Return the value of which a place is a batched layout that :func:`torch.vmap` made."""
        while _LAYOUT.match(self.types[place[0]]) and self.readers[place[0]] == [k]:
            (entry,) = self.walk.inputs[place[0]]
            if entry is None:
                break
            k, place = place[0], entry
        return place

    def _origins(self, k: int) -> list[Place]:
        """Return the operands, or scaled operands, that a sum may be the update of."""
        entries = self.walk.inputs[k]
        usable = (
            entries[:2] if self.types[k].startswith("Add") and len(entries) == 2 else entries[:1]
        )
        if len(entries) < 2 or any(entry is None for entry in entries[:2]):
            return []
        origins = []
        for entry in usable:
            if entry is None or not self._fits(entry, k):
                continue
            origins.append(entry)
            # By weight decay.
            origin = self._unscaled(entry[0])
            if origin is not None and self.shape(origin) == self.shape((k, 0)):
                origins.append(origin)
        return [entry for entry in origins if not self.derivative[entry[0]]]

    def _fits(self, entry: Place, k: int) -> bool:
        """Whether a place has the shape of a sum, or of one entry of a batch of sums."""
        shape, of_sum = self.shape(entry), self.shape((k, 0))
        other = self.walk.inputs[k][1]
        # A batch starts from a parameter that all share; a bias is not added to what was scaled.
        shared = entry == self.walk.inputs[k][0] and other is not None and len(shape) < len(of_sum)
        if shared and other is not None and self._unscaled(other[0]) is not None:
            return shape == of_sum[len(of_sum) - len(shape) :]
        return shape == of_sum

    def _unscaled(self, k: int) -> Place | None:
        """Return the operand that a node multiplies by a number; None for other nodes."""
        if not _SCALES.match(self.types[k]):
            return None
        entries = [entry for entry in self.walk.inputs[k] if entry is not None]
        if len(entries) != 1 or not scales_by_number(self.walk.nodes[k]):
            return None
        return entries[0]

    def _since(self, p: int, k: int) -> tuple[int, ...] | None:
        """Return a key that is equal for new parameters that were made together: the end of a gradient.

        None where there is none after the old parameter.
        """
        at = bisect_right(self.breaks, k) - 1
        return (self.breaks[at], 1) if at >= 0 and self.breaks[at] > p else None

    # Steps.

    def find(self) -> None:
        """Find all steps."""
        if not self.told:
            if any(_DERIVATIVE.search(x) for x in self.types) or any(
                map(is_update, self.walk.nodes)
            ):
                self.notes.append(_NOT_RECORDED)
            return
        for pairs in self.clusters():
            if self.budget < 0:
                self.notes.append("The graph is too large for all of its inner steps to be found.")
                break
            self._try(pairs)
        self._remove_parents()

    def _remove_parents(self) -> None:
        """Remove parents that do not contain their steps.

        Players that step in turns would be parents, as each one's loss reads the other's last step.
        """
        above: dict[int, set[int]] = defaultdict(set)
        for step in self.steps:
            if step.parent is not None:
                above[step.chain].add(self.steps[step.parent].chain)
        outside = {step.chain for step in self.steps if step.parent is None}
        reach = {k: reachable([k], lambda at: above.get(at, ())) for k in list(above)}
        for step in self.steps:
            while step.parent is not None and (
                step.chain in outside or step.chain in reach.get(self.steps[step.parent].chain, ())
            ):
                step.parent = self.steps[step.parent].parent

    def _try(self, pairs: Pairs) -> None:
        for place in _olds(pairs):
            self._finish(place)
        starts = [p for p, _ in _olds(pairs) if not self.leaves[p]]
        start = max(starts, default=self.first - 1)
        region = self._region(pairs, start)
        fused = any(is_update(self.walk.nodes[q]) for q, _ in pairs)
        members = set(region)
        if not fused:
            # A loss reads the old parameters.
            pairs = {q: p for q, p in pairs.items() if p and self._is_read(q, p, members)}
        if not pairs:
            return
        end = min(q for q, _ in pairs)
        own = [k for k in region if self.owner[k] is None]
        derivatives = [k for k in own if self.derivative[k]]
        gradient = next((k for k in derivatives if k < end), end if fused else None)
        if gradient is None:
            return
        update = max([gradient, *(k + 1 for k in derivatives)])
        number = len(self.steps)
        step = Step(pairs, gradient, update, own)
        for k in sorted({owner for k in region if (owner := self.owner[k]) is not None}):
            inner = self.steps[k]
            if inner.parent is None and inner.first > start and inner.last < gradient:
                inner.parent = number
        self._add(step)

    def _add(self, step: Step) -> None:
        """Number a step after the one that made its parameters."""
        before = [k for p in step.olds if (k := self._maker(p)) is not None]
        step.chain = len(self.steps)
        if before:
            latest = self.steps[max(before, key=lambda k: self.steps[k].number)]
            step.number, step.chain = latest.number + 1, latest.chain
        for k in step.nodes:
            self.owner[k] = len(self.steps)
        self.steps.append(step)

    def _region(self, pairs: Pairs, start: int) -> list[int]:
        """Return the nodes after ``start`` that new parameters depend on, and themselves."""
        ends = {q for q, _ in pairs}
        region = ends | reachable(
            ends, lambda k: (source for source in self.walk.sources(k) if source > start)
        )
        self.budget -= len(region)
        return sorted(region)

    def _is_read(self, q: Place, p: Place, region: Container[int]) -> bool:
        return any(k in region and k != q[0] and self._unscaled(k) != p for k in self.readers[p[0]])

    def _maker(self, place: Place) -> int | None:
        """Return the step that made a parameter."""
        owner = self.owner[place[0]]
        return owner if owner is not None and place in self.steps[owner].pairs else None

    def _finish(self, place: Place) -> None:
        """Add to a step the operations on its new parameters before they are read, as projections."""
        path, k = [], place[0]
        while self.owner[k] is None and not self.leaves[k]:
            entries = [e for e in self.walk.inputs[k] if e is not None]
            if len(entries) != 1 or not _ELEMENTWISE.match(self.types[k]):
                return
            path.append(k)
            k = entries[0][0]
            maker = self._maker(entries[0])
            if maker is not None:
                step = self.steps[maker]
                step.pairs[place] = step.pairs.pop(entries[0])
                step.nodes = sorted({*step.nodes, *path})
                for node in path:
                    self.owner[node] = maker
                return


def _olds(pairs: Pairs) -> list[Place]:
    return [p for p in pairs.values() if p is not None]
