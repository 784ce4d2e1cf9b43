"""Inner steps, found in the structure of the graph without anyone naming them.

An inner step leaves this trace: a loss reads parameters ``p``, derivatives follow, and in the end new
parameters ``q`` are ``p`` plus something that depends on the derivatives. The end of the loss is not
among what ``q`` is computed from, so that the numbers that PyTorch gives to nodes as they are made
have a break there: from it on it is the gradient. Where anomaly mode was on, each node of a gradient
says so itself, and that is believed instead.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from torchopt.visual._memory import scales_by_number
from torchopt.visual._names import is_update, leaf_of, metadata_of, type_of
from torchopt.visual._walk import Walk

__all__ = ["Groups", "groups_of"]

Place = tuple[int, int]
"""A node, and the number of its output."""

# What a formula of PyTorch's derivatives leaves and Python's operators do not: the derivative of a
# derivative, and arithmetic with C++ numbers.
_DERIVATIVE = re.compile(r"Backward.*Backward\d*$|(Mul|Div|Add|Sub)Backward1$")
# New parameters are one of these of the old ones, which come first.
_SPINES = re.compile(r"(Add|Sub|Addcdiv|Addcmul|Lerp)Backward\d$")
_SCALES = re.compile(r"(Mul|Div|Neg)Backward\d$")
# What optimizers are made of.
_ELEMENTWISE = re.compile(
    r"(Add|Sub|Rsub|Mul|Div|Neg|Pow|Sqrt|Rsqrt|Reciprocal|Exp|Log|Abs|Sign|Clamp|ClampMin|ClampMax"
    r"|Maximum|Minimum|Addcmul|Addcdiv|Lerp|Where|Clone|ToCopy|Sigmoid|Tanh|NanToNum)Backward\d$"
)


_PHASES = {"loss": "loss", "gradient": "gradient", "update": "update", "params": "parameters"}


@dataclass
class _Step:
    """One inner step.

    Attributes:
        moves: New parameters and states, with the old ones.
        loss: The first node of it.
        gradient: The first node of the gradient.
        update: The first node of the update.
        nodes: All of its nodes.
        number: Its number in its chain, from 1.
        chain: The first step of its chain.
        parent: The step in whose loss it is.
    """

    moves: dict[Place, Place]
    gradient: int
    update: int
    nodes: list[int]
    number: int = 1
    chain: int = 0
    parent: int | None = None

    @property
    def first(self) -> int:
        return self.nodes[0]

    @property
    def last(self) -> int:
        return self.nodes[-1]

    def phase(self, k: int) -> str:
        """Return what a node of it, or one made between its nodes, belongs to."""
        if k < self.gradient:
            return "loss"
        return "gradient" if k < self.update else "update"


@dataclass
class Groups:
    """The groups of a graph.

    Attributes:
        groups: ``(parent, kind, step, label)`` of each; a parent comes before what is in it.
        of_node: The innermost group of each node.
        states: For outputs of nodes that are inner parameters: where they start, and the step.
        notes: What was not found, in sentences.
    """

    groups: list[tuple[int | None, str, int | None, str]]
    of_node: list[int]
    states: dict[Place, tuple[Place, int]]
    notes: list[str]

    def names(self, given: dict[Place, str]) -> dict[int, tuple[tuple[int, str], ...]]:
        """Return the names of each node's outputs.

        Args:
            given: The names that the user gave. An inner state is called after its start, or its
                start after it: ``"weight @ 2"`` is ``weight`` after the second step.
        """
        roots: dict[Place, str] = {}
        for place, (root, _) in sorted(self.states.items()):
            name = given.get(root, given.get(place))
            if name is not None:
                roots.setdefault(root, name)
        named = dict(given)
        for place, (root, step) in self.states.items():
            if root in roots and named.get(place, roots[root]) == roots[root]:
                named[place] = f"{roots[root]} @ {step}"
        found: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for (node, output), name in sorted((roots | named).items()):
            found[node].append((output, name))
        return {node: tuple(pairs) for node, pairs in found.items()}


def groups_of(walk: Walk) -> Groups:
    """Return the groups of a walked graph.

    Args:
        walk: The graph.

    Returns:
        One group for leaves, a group for each inner step with its phases inside, and one for the rest.
    """
    finder = _Finder(walk)
    finder.find()
    return finder.groups()


class _Finder:
    """Finds the steps of one graph, from the first to the last."""

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
        self.told = bool(operations) and all("traceback_" in metadata_of(n) for n in operations)
        if self.told:
            self.derivative = [metadata_of(n).get("parent_") is not None for n in walk.nodes]
        else:
            derivatives = {name for name in set(self.types) if _DERIVATIVE.search(name)}
            self.derivative = [name in derivatives for name in self.types]
        # Where something is missing, at the latest before the gradient.
        self.breaks = [
            k for k in range(self.first + 1, len(walk.nodes)) if self._is_break(k - 1, k)
        ]
        self.scalars = [
            k for k in range(self.first, len(walk.nodes)) if self._shape((k, 0)) in ((), (1,))
        ]
        self.owner: list[int | None] = [None] * len(walk.nodes)
        self.steps: list[_Step] = []
        self.budget = 100 * len(walk.nodes) + 10_000
        self.notes: list[str] = []

    def _is_break(self, before: int, k: int) -> bool:
        if self.told:
            return self.derivative[before] and not self.derivative[k]
        return self.walk.times[k] != self.walk.times[before] + 1

    def _shape(self, place: Place) -> tuple[int, ...]:
        node: Any = self.walk.nodes[place[0]]
        return tuple(node._input_metadata[place[1]].shape)

    # Candidates: new parameters with the old ones.

    def clusters(self) -> list[dict[Place, Place]]:
        """Return what may be new parameters, those that were made together in one dictionary."""
        found: dict[tuple[int, ...], dict[Place, Place]] = defaultdict(dict)
        for k in range(self.first, len(self.walk.nodes)):
            if is_update(self.walk.nodes[k]):
                pairs = self._fused(k)
                if pairs:
                    found[k, 0].update(pairs)
            elif _SPINES.match(self.types[k]) and not (self.told and self.derivative[k]):
                for place in self._origins(k):
                    key = self._since(place[0], k)
                    if key is not None and self._is_read((k, 0), place, range(k)):
                        found[key][k, 0] = place
                        break
        return [found[key] for key in sorted(found, key=lambda key: min(found[key]))]

    def _fused(self, k: int) -> dict[Place, Place]:
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
        return {
            (k, output): entry
            for output, number in zip(makes, reads, strict=True)
            if (entry := entries[number]) is not None
        }

    def _origins(self, k: int) -> list[Place]:
        """Return what a sum may be the next value of: an operand, or one that was scaled."""
        entries = self.walk.inputs[k]
        usable = (
            entries[:2] if self.types[k].startswith("Add") and len(entries) == 2 else entries[:1]
        )
        if len(entries) < 2 or any(entry is None for entry in entries[:2]):
            return []
        found = []
        for entry in usable:
            if entry is None or self._shape(entry) != self._shape((k, 0)):
                continue
            found.append(entry)
            origin = self._unscaled(entry[0])
            if origin is not None and self._shape(origin) == self._shape((k, 0)):
                found.append(origin)
        return [entry for entry in found if not self.derivative[entry[0]]]

    def _unscaled(self, k: int) -> Place | None:
        """Return what a node multiplies by a number, if that is what it does."""
        if not _SCALES.match(self.types[k]):
            return None
        entries = [entry for entry in self.walk.inputs[k] if entry is not None]
        if len(entries) != 1 or not scales_by_number(self.walk.nodes[k]):
            return None
        return entries[0]

    def _since(self, p: int, k: int) -> tuple[int, ...] | None:
        """Return what those new parameters have in common that were made together.

        The latest break before them, or the latest scalar; None where there is neither after the old
        parameter, so that there was no gradient.
        """
        for kind, marks in enumerate((self.breaks, self.scalars)):
            at = bisect_right(marks, k) - 1
            if at >= 0 and marks[at] > p:
                return marks[at], kind + 1
            if self.told:
                return None
        return None

    # Steps.

    def find(self) -> None:
        """Find all steps."""
        for moves in self.clusters():
            if self.budget < 0:
                self.notes.append("The graph is too large for all of its inner steps to be found.")
                break
            self._try(moves)
        self._first_order()

    def _try(self, moves: dict[Place, Place]) -> None:
        for place in moves.values():
            self._finish(place)
        starts = [p for p, _ in moves.values() if not self.leaves[p]]
        start = max(starts, default=self.first - 1)
        region = self._region(moves, start)
        fused = any(is_update(self.walk.nodes[q]) for q, _ in moves)
        members = set(region)
        if not fused:
            # A loss reads the old parameters. A parameter that is added to another is none of it.
            moves = {q: p for q, p in moves.items() if self._is_read(q, p, members)}
            others = {
                q: {e for e in self.walk.inputs[q[0]] if e and e != p} for q, p in moves.items()
            }
            moves = {
                q: p
                for q, p in moves.items()
                if not any(e in moves or self._maker(e) is not None for e in others[q])
            }
        if not moves:
            return
        own = [k for k in region if self.owner[k] is None]
        end = min(q for q, _ in moves)
        gradient = self._gradient(region, end)
        if gradient is None and fused:
            gradient = end
        if gradient is None:
            self._join(moves, own)
            return
        update = self._update(moves, own, gradient, start)
        if update <= gradient and not fused:
            return
        number = len(self.steps)
        step = _Step(moves, gradient, max(update, gradient), own)
        for k in sorted({owner for k in region if (owner := self.owner[k]) is not None}):
            inner = self.steps[k]
            if inner.parent is None and inner.first > start and inner.last < gradient:
                inner.parent = number
        self._add(step)

    def _add(self, step: _Step) -> None:
        """Number a step after the one that made its parameters."""
        before = [k for p in step.moves.values() if (k := self._maker(p)) is not None]
        step.chain = len(self.steps)
        if before:
            latest = self.steps[max(before, key=lambda k: self.steps[k].number)]
            step.number, step.chain = latest.number + 1, latest.chain
        for k in step.nodes:
            self.owner[k] = len(self.steps)
        self.steps.append(step)

    def _region(self, moves: dict[Place, Place], start: int) -> list[int]:
        """Return the nodes after ``start`` that new parameters depend on, and themselves."""
        found = {q for q, _ in moves}
        stack = list(found)
        while stack:
            for entry in self.walk.inputs[stack.pop()]:
                if entry is not None and entry[0] > start and entry[0] not in found:
                    found.add(entry[0])
                    stack.append(entry[0])
        self.budget -= len(found)
        return sorted(found)

    def _is_read(self, q: Place, p: Place, region: Container[int]) -> bool:
        return any(k in region and k != q[0] and self._unscaled(k) != p for k in self.readers[p[0]])

    def _gradient(self, region: list[int], end: int) -> int | None:
        """Return the first node of the gradient."""
        own = [k for k in region if self.owner[k] is None and k < end]
        sure = next((k for k in own if self.derivative[k]), None)
        if self.told:
            return sure
        limit = end if sure is None else sure
        # Inside of torch.func, each operation takes several numbers.
        times = [self.walk.times[k] for k in region if k <= end]
        usual = median(b - a for a, b in pairwise(times)) if len(times) > 1 else 1
        found = None
        for before, k in pairwise(region):
            if k > limit:
                break
            missing = self.walk.times[k] - self.walk.times[before] != max(usual, 1)
            if self.owner[before] is None and self.owner[k] is None and missing:
                found = k
        return sure if found is None else found

    def _update(self, moves: dict[Place, Place], own: list[int], gradient: int, start: int) -> int:
        """Return the first node of the update."""
        members = set(own)
        end = min(q for q, _ in moves)
        if self.told:
            return 1 + max((k for k in own if self.derivative[k]), default=gradient)
        olds = set(moves.values())
        sure, edge = end, gradient
        for q, p in moves.items():
            for entry in self.walk.inputs[q[0]]:
                if entry is None or entry == p or entry[0] not in members:
                    continue
                if not is_update(self.walk.nodes[q[0]]) and (
                    self._unscaled(entry[0]) is not None or is_update(self.walk.nodes[entry[0]])
                ):
                    sure = min(sure, entry[0])
        for k in own:  # what reads a state that an earlier step left
            if k >= gradient and any(
                e is not None and e[0] <= start and e not in olds and self._is_state(e[0])
                for e in self.walk.inputs[k]
            ):
                sure = min(sure, k)
                break
        # Back from the new parameters through what optimizers are made of, as far as that goes.
        stack = [(q, self._shape(q)) for q in moves]
        met = set(moves)
        while stack:
            place, shape = stack.pop()
            k = place[0]
            for entry in self.walk.inputs[k]:
                if entry is None or entry[0] not in members or entry[0] < gradient:
                    continue
                if entry in met or self._shape(entry) != shape:
                    continue
                met.add(entry)
                passes = is_update(self.walk.nodes[entry[0]])
                if passes or self._is_elementwise(entry[0], members, gradient):
                    stack.append((entry, shape))
                else:
                    edge = max(edge, entry[0] + 1)
        return min(edge, sure)

    def _is_state(self, k: int) -> bool:
        owner = self.owner[k]
        return owner is not None and self.steps[owner].phase(k) == "update"

    def _is_elementwise(self, k: int, members: set[int], gradient: int) -> bool:
        if self.derivative[k] or not _ELEMENTWISE.match(self.types[k]):
            return False
        entries = self.walk.inputs[k]
        if any(e is not None and e[0] in members and e[0] < gradient for e in entries):
            return False  # it reads the loss
        operands = [e for e in entries if e is not None]
        if len(operands) == 1:
            return not _SCALES.match(self.types[k]) or self._unscaled(k) is not None
        # Gradients of several uses are added as they are; an optimizer adds what it has scaled.
        return not self.types[k].startswith("Add") or any(
            (self._unscaled(e[0]) is not None and not self.types[e[0]].startswith("Neg"))
            or self._is_state(e[0])
            for e in operands
        )

    def _maker(self, place: Place) -> int | None:
        """Return the step that made a parameter."""
        owner = self.owner[place[0]]
        return owner if owner is not None and place in self.steps[owner].moves else None

    def _join(self, moves: dict[Place, Place], own: list[int]) -> None:
        """Add further parameters to the step that they were updated in, if there is one."""
        for k in own:
            for entry in self.walk.inputs[k]:
                owner = None if entry is None else self.owner[entry[0]]
                if entry is None or owner is None:
                    continue
                step = self.steps[owner]
                if entry not in step.moves and step.phase(entry[0]) != "loss":
                    step.moves.update(moves)
                    step.nodes = sorted({*step.nodes, *own})
                    for node in own:
                        self.owner[node] = owner
                    return

    def _finish(self, place: Place) -> None:
        """Add to a step what is done with its new parameters before they are read, as a projection."""
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
                step.moves[place] = step.moves.pop(entries[0])
                step.nodes = sorted({*step.nodes, *path})
                for node in path:
                    self.owner[node] = maker
                return

    def _first_order(self) -> None:
        """Find updates by constants (``create_graph=False``), of several tensors or in a row."""
        runs: list[dict[Place, Place]] = []
        for k in range(self.first, len(self.walk.nodes)):
            entries = self.walk.inputs[k]
            p = entries[0] if entries else None
            if (
                p is None
                or len(entries) != 2
                or entries[1] is not None
                or self.owner[k] is not None
                or not re.match(r"(Add|Sub)Backward0", self.types[k])
                or self._shape(p) != self._shape((k, 0))
            ):
                continue
            together = (
                runs and (k - 1, 0) in runs[-1] and self.walk.times[k] == self.walk.times[k - 1] + 1
            )
            if not together or p in runs[-1]:
                runs.append({})
            runs[-1][k, 0] = p
        made = {q for moves in runs for q in moves}
        moved = {p for moves in runs for p in moves.values()}
        for moves in runs:
            starts = all(self.leaves[p[0]] or p in made for p in moves.values())
            repeated = any(p in made for p in moves.values()) or any(q in moved for q in moves)
            if starts and (repeated or len(moves) > 1):
                end = min(q for q, _ in moves)
                self._add(_Step(moves, end, end, sorted(q for q, _ in moves)))

    # Groups.

    def groups(self) -> Groups:
        """Return the groups."""
        prepared = self._prepared()
        self._tails(prepared)
        listed: list[tuple[int | None, str, int | None, str]] = []
        of_node = [-1] * len(self.walk.nodes)

        def group(
            kind: str, label: str, nodes: list[int], parent: Any = None, step: Any = None
        ) -> int:
            listed.append((parent, kind, step, label))
            for k in nodes:
                of_node[k] = len(listed) - 1
            return len(listed) - 1

        starts = {p for step in self.steps for p, _ in step.moves.values()}
        leaves = [k for k, is_leaf in enumerate(self.leaves) if is_leaf]
        first = [k for k in leaves if k in starts]
        rest = [k for k in leaves if k not in starts]
        if first:
            group("inputs", "inner parameters", first)
        if rest:
            group("inputs", "inputs", rest)
        if prepared:
            group("inputs", "computed inputs", sorted(prepared))
        inside: dict[int | None, list[int]] = defaultdict(list)
        for number, step in enumerate(self.steps):
            inside[step.parent].append(number)
        labels = self._labels(inside)

        pending: list[tuple[int, int | None]] = [
            (number, None) for number in reversed(inside[None])
        ]
        while pending:
            number, parent = pending.pop()
            step = self.steps[number]
            phases: dict[str, list[int]] = defaultdict(list)
            for k in step.nodes:
                if self.owner[k] == number:
                    phases[self._phase(step, k)].append(k)
            outermost = group("step", labels[number], [], parent, step.number)
            loss = None
            for phase in ("loss", "gradient", "update", "params"):
                if phases[phase] or (phase == "loss" and inside[number]):
                    at = group(phase, _PHASES[phase], phases[phase], outermost, step.number)
                    loss = at if phase == "loss" else loss
            pending += [(inner, loss) for inner in reversed(inside[number])]
        outer = [k for k, at in enumerate(of_node) if at < 0]
        if outer or not listed:
            group("outer", "outer loss" if self.steps else "operations", outer)
        return Groups(listed, of_node, self._states(), self.notes)

    def _phase(self, step: _Step, k: int) -> str:
        result = (k, 0) in step.moves and not is_update(self.walk.nodes[k])
        return "params" if result else step.phase(k)

    def _labels(self, inside: dict[int | None, list[int]]) -> list[str]:
        heights = [0] * len(self.steps)
        for number in reversed(range(len(self.steps))):
            parent = self.steps[number].parent
            if parent is not None:
                heights[parent] = max(heights[parent], heights[number] + 1)
        labels = [""] * len(self.steps)
        for numbers in inside.values():
            chains = list(dict.fromkeys(self.steps[k].chain for k in numbers))
            for k in numbers:
                step = self.steps[k]
                level = (
                    ["inner", "middle"][heights[k]] if heights[k] < 2 else f"level {heights[k] + 1}"
                )
                task = f"task {chains.index(step.chain) + 1}, " if len(chains) > 1 else ""
                labels[k] = f"{task}{level} step {step.number}"
        return labels

    def _prepared(self) -> set[int]:
        """Return what steps read and was computed before them: not what depends on parameters."""
        nodes = range(self.first, len(self.walk.nodes))
        moved = {p for step in self.steps for p, _ in step.moves.values()}
        depends = [False] * len(self.walk.nodes)  # on anything that is optimized
        needed = [owner is not None for owner in self.owner]
        for source, _, target, _ in self.walk.edges:  # by target
            depends[target] = depends[target] or depends[source] or source in moved
        for k in reversed(nodes):
            if needed[k]:
                for entry in self.walk.inputs[k]:
                    if entry is not None:
                        needed[entry[0]] = True
        prepared = {
            k
            for k in nodes
            if not depends[k]
            and k not in moved
            and needed[k]
            and (
                self.owner[k] is None
                or any(self.owner[r] != self.owner[k] for r in self.readers[k])
            )
        } | {k for k in nodes if k in moved and self.owner[k] is None}
        for k in reversed(nodes):
            if k in prepared:
                prepared.update(e[0] for e in self.walk.inputs[k] if e and not self.leaves[e[0]])
        for k in prepared:
            self.owner[k] = None
        # The rest belongs to the first step that reads it.
        for k in reversed(nodes):
            if needed[k] and self.owner[k] is None and k not in prepared:
                readers = [o for r in self.readers[k] if (o := self.owner[r]) is not None]
                self._give(k, min(readers))
        return prepared

    def _tails(self, prepared: set[int]) -> None:
        """Give to steps what was made in between and only others read, such as the loss itself."""
        for k in range(self.first, len(self.walk.nodes)):
            if self.owner[k] is not None or k in prepared:
                continue
            owners = [
                owner
                for e in self.walk.inputs[k]
                if e is not None
                and (owner := self.owner[e[0]]) is not None
                and e not in self.steps[owner].moves
                and k < self.steps[owner].last
            ]
            if owners:
                self._give(k, max(owners))

    def _give(self, k: int, number: int) -> None:
        self.owner[k] = number
        step = self.steps[number]
        step.nodes.insert(bisect_left(step.nodes, k), k)

    def _states(self) -> dict[Place, tuple[Place, int]]:
        states: dict[Place, tuple[Place, int]] = {}
        for step in sorted(self.steps, key=lambda step: step.last):
            for q, p in step.moves.items():
                states[q] = states.get(p, (p, 0))[0], step.number
        return states
