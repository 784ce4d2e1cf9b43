"""Groups of nodes: inner steps and their phases, shared inputs, and the rest."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from torchopt.visual._names import is_update
from torchopt.visual._steps import Place, Step, Steps, find_steps
from torchopt.visual._walk import Walk

_PHASES = {"loss": "loss", "gradient": "gradient", "update": "update", "params": "parameters"}


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

    def names(self, names: dict[Place, str]) -> dict[int, tuple[tuple[int, str], ...]]:
        """Return the names of each node's outputs.

        Args:
            names: The names that the user gave. An inner state is called after its start, or its
                start after it: ``"weight @ 2"`` is ``weight`` after the second step.
        """
        roots: dict[Place, str] = {}
        for place, (root, _) in sorted(self.states.items()):
            name = names.get(root, names.get(place))
            if name is not None:
                roots.setdefault(root, name)
        named = dict(names)
        for place, (root, step) in self.states.items():
            if root in roots and named.get(place, roots[root]) == roots[root]:
                named[place] = f"{roots[root]} @ {step}"
        by_node: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for (node, output), name in sorted((roots | named).items()):
            by_node[node].append((output, name))
        return {node: tuple(pairs) for node, pairs in by_node.items()}


def groups_of(walk: Walk) -> Groups:
    """Return the groups of a walked graph.

    Args:
        walk: The graph.

    Returns:
        One group for leaves, a group for each inner step with its phases inside, and one for the rest.
    """
    return _Grouper(find_steps(walk)).groups()


class _Grouper:
    """Assigns every node of a graph to a group."""

    def __init__(self, steps: Steps) -> None:
        self.shape = steps.shape
        self.walk, self.steps, self.owner = steps.walk, steps.steps, steps.owner
        self.leaves, self.readers, self.notes = steps.leaves, steps.readers, steps.notes
        self.first = steps.first

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

        starts = {p for step in self.steps for p, _ in step.olds}
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

    def _phase(self, step: Step, k: int) -> str:
        result = (k, 0) in step.pairs and not is_update(self.walk.nodes[k])
        return "params" if result else step.phase(k)

    def _labels(self, inside: dict[int | None, list[int]]) -> list[str]:
        heights: dict[int, int] = defaultdict(int)  # of chains: how many levels are in their steps
        for step in self.steps:  # what lies in a step comes before it
            if step.parent is not None:
                chain = self.steps[step.parent].chain
                heights[chain] = max(heights[chain], heights[step.chain] + 1)
        labels = [""] * len(self.steps)
        for numbers in inside.values():
            levels: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
            for k in numbers:
                chain = self.steps[k].chain
                levels[heights[chain]][chain].append(k)
            for height, chains in levels.items():
                level = ["inner", "middle"][height] if height < 2 else f"level {height + 1}"
                what = "task" if self._are_alike(chains) else "problem"
                for number, members in enumerate(chains.values(), 1):
                    of = f"{what} {number}, " if len(chains) > 1 else ""
                    for k in members:
                        labels[k] = f"{of}{level} step {self.steps[k].number}"
        return labels

    def _are_alike(self, chains: dict[int, list[int]]) -> bool:
        """Whether problems are tasks of a batch: of equal sizes, and independent of each other."""
        sizes = {
            tuple(sorted(self.shape(q) for q in self.steps[members[0]].pairs))
            for members in chains.values()
        }
        return len(sizes) == 1 and not any(a in chains and b in chains for a, b in self.links)

    @cached_property
    def links(self) -> set[tuple[int, int]]:
        """Pairs of chains of which the second reads from the first."""
        of_node = [None if owner is None else self.steps[owner].chain for owner in self.owner]
        pairs = {(of_node[source], of_node[target]) for source, _, target, _ in self.walk.edges}
        return {(a, b) for a, b in pairs if a is not None and b is not None and a != b}

    def _prepared(self) -> set[int]:
        """Return the nodes that steps read and that were computed before, not from parameters."""
        nodes = range(self.first, len(self.walk.nodes))
        replaced = {p for step in self.steps for p, _ in step.olds}
        depends = [False] * len(self.walk.nodes)  # on anything that is optimized
        needed = [owner is not None for owner in self.owner]
        for source, _, target, _ in self.walk.edges:  # by target
            depends[target] = depends[target] or depends[source] or source in replaced
        for k in reversed(nodes):
            if needed[k]:
                for entry in self.walk.inputs[k]:
                    if entry is not None:
                        needed[entry[0]] = True
        prepared = {
            k
            for k in nodes
            if not depends[k]
            and k not in replaced
            and needed[k]
            and (
                self.owner[k] is None
                or any(self.owner[r] != self.owner[k] for r in self.readers[k])
            )
        }
        for k in prepared:
            self.owner[k] = None
        # The rest belongs to the first step that reads it.
        for k in reversed(nodes):
            if needed[k] and self.owner[k] is None and k not in prepared:
                readers = [o for r in self.readers[k] if (o := self.owner[r]) is not None]
                self._give(k, min(readers))
        return prepared

    def _tails(self, prepared: set[int]) -> None:
        """Assign nodes between steps that no step reads, such as the loss itself."""
        for k in range(self.first, len(self.walk.nodes)):
            if self.owner[k] is not None or k in prepared:
                continue
            owners = [
                owner
                for e in self.walk.inputs[k]
                if e is not None
                and (owner := self.owner[e[0]]) is not None
                and e not in self.steps[owner].pairs
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
            for q, p in step.pairs.items():
                states[q] = (q if p is None else states.get(p, (p, 0))[0]), step.number
        return states
