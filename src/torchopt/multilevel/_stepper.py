"""One global step: the problems step in their order, each by its total derivative."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import torch

from torchopt.autodiff.graph import alias
from torchopt.autodiff.tracking import constant, copied
from torchopt.multilevel._graph import Dependencies
from torchopt.multilevel._node import MicroBatches, Node
from torchopt.multilevel._parallel import Ranks
from torchopt.multilevel._problem import call_hook
from torchopt.multilevel._problem_state import load_problem_state, problem_state
from torchopt.multilevel._response import Responses, add
from torchopt.multilevel._schedule import Schedule
from torchopt.transform.extra_args import select


class Hooks(NamedTuple):
    """What the engine does around each step.

    Attributes:
        check: Called with the problem and the batch of its step, before it.
        log: Called with a problem whose metrics are due, after its step.
    """

    check: Callable[[Node, Any], None]
    log: Callable[[Node], None]


class Stepper:
    """Makes the steps of a program's problems.

    Args:
        nodes: The problems at work, by their names.
        dependencies: Which problem reads which.
        ranks: The processes of the run.
        roll_back: Whether all problems that have one above are rolled back.

    Attributes:
        responses: The gradients of the problems.
        schedule: When each problem steps.
    """

    def __init__(
        self,
        nodes: Mapping[str, Node],
        dependencies: Dependencies,
        ranks: Ranks,
        *,
        roll_back: bool,
    ) -> None:
        self.nodes = nodes
        self.ranks = ranks
        self.responses = Responses(nodes, dependencies, ranks)
        configs = {name: nodes[name].problem.config for name in dependencies.names}
        self.schedule = Schedule(
            dependencies,
            {name: config.unroll_steps * nodes[name].turns for name, config in configs.items()},
            {name: config.repeat for name, config in configs.items()},
        )
        self._dependencies = dependencies
        self._roll_all_back = roll_back
        self._remaining: list[str] = []  # problems that have not stepped yet in this tick
        self._results: dict[Node, tuple[list[torch.Tensor], Any]] = {}  # of unrolled steps

    def run(self, hooks: Hooks, leaves: Collection[str] | None = None) -> None:
        """Make one global step; after an error, the next call makes what remains of it.

        Args:
            hooks: What is done around each problem's step.
            leaves: The problems with none below them that step; see :meth:`Schedule.tick`.
        """
        self._remaining = self._remaining or list(self.schedule.tick(leaves))
        try:
            self._tick(hooks)
        except BaseException:
            self._take_over(list(self._results))
            self.write_back()
            raise

    def state_dict(self) -> dict[str, Any]:
        """Return the position within the schedule."""
        return {"schedule": self.schedule.state_dict(), "left": self._remaining}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what :meth:`state_dict` returned."""
        self.schedule.load_state_dict(state["schedule"])
        self._remaining = list(state["left"])

    def is_cut(self, name: str) -> bool:
        """Whether unrolled steps of several levels are pending, which cannot be made again."""
        others = (*self._dependencies.above(name), *self._dependencies.below(name))
        return self.nodes[name].live and any(self.nodes[other].unrolled for other in others)

    def write_back(self) -> None:
        """Write the results of unrolled steps into the users' parameters and optimizers."""
        for node in self.nodes.values():
            node.write_back()

    def _tick(self, hooks: Hooks) -> None:
        """Make the remaining steps of this tick: all of them, unless one has failed before."""
        closed: list[Node] = []
        tick = set(self._remaining)
        while self._remaining:
            name = self._remaining[0]
            node = self.nodes[name]
            below = [self.nodes[n] for n in self._dependencies.below(name)]
            related = {name, *self._dependencies.below(name), *self._dependencies.above(name)}
            self._take_over([n for n in self._results if n.name in related])
            if all(lower.problem._is_warm() for lower in below):
                self.step(node, hooks)
            if not node.unrolled:
                # Its parameters have moved, and those below are no longer functions of them.
                for lower in below:
                    self._close(lower)
            else:
                below = [n for n in below if n.name in self._dependencies.lowers(name)]
                for lower in below:
                    lower.window.closed = True
            closed += below
            self._remaining.pop(0)
        self._separate(tick)
        self._take_over(list(self._results))
        for node in dict.fromkeys(closed):
            if self._rolls_back(node):
                self._roll_back(node)

    def step(self, node: Node, hooks: Hooks) -> None:
        """Make one step of a problem."""
        problem = node.problem
        node.check_hooks()
        if node.open():
            node.begin()
            if self._rolls_back(node):
                node.window.saved = copy.deepcopy(problem_state(node))
            if not node.pointwise and len(self._dependencies.uppers(node.name)) > 1:
                read = self._dependencies.context(node.name)
                node.window.uppers = {
                    name: copied(constant(self.nodes[name].tensors)) for name in read
                }
        window = node.window.copy()
        problem.count += 1
        try:
            number = problem.config.gradient_accumulation // node.turns
            drawn = [node.next_batch() for _ in range(number)]
            problem.cur_batch = drawn[-1]
            hooks.check(node, drawn[0])
            batches = self.ranks.weighted(problem, drawn)
            node.note(batches)
            # A window with a failed step has lost its graph: it is made again as a whole.
            if node.unrolled and (node.live or not window.batches):
                self._unrolled_step(node, batches, len(window.batches))
            elif node.turns > 1:
                self._turn(node, batches)
            else:
                self._plain_step(node, batches)
        except BaseException:
            node.window = window
            problem.count -= 1
            raise
        every = problem.config.log_step
        if every is not None and every > 0 and problem.count % every == 0:
            hooks.log(node)

    def _turn(self, node: Node, batches: MicroBatches) -> None:
        """Add a gradient to those of the turns before, and step with their mean after the last turn."""
        grads, _metrics = self.responses.gradient(node, batches)
        grads = [g if g is None else g / node.turns for g in grads]
        grads = [add(a, g) for a, g in zip(node.partial or [None] * len(grads), grads, strict=True)]
        if node.problem.count % node.turns:
            node.partial = grads
            self._schedule_rates(node)
            return
        node.partial = None
        self._apply(node, grads)

    def _plain_step(self, node: Node, batches: MicroBatches) -> None:
        self._apply(node, self.responses.gradient(node, batches)[0])

    def _apply(self, node: Node, grads: list[torch.Tensor | None]) -> None:
        problem, precision = node.problem, node.precision
        for p, g in zip(problem._held, grads, strict=True):
            p.grad = g
        grads.clear()
        try:
            if problem._overrides("grad_callback") or problem.config.gradient_clipping:
                precision.unscale(problem.optimizer)
            call_hook(problem, "grad_callback")
            if problem.config.gradient_clipping:
                problem.clip_grad()
            stepped = precision.step(problem.optimizer, problem.optimizer_step)
        finally:
            problem.zero_grad()
        if stepped:
            self._schedule_rates(node)
        call_hook(problem, "param_callback", problem._held)

    def _unrolled_step(self, node: Node, batches: MicroBatches, index: int) -> None:
        if not node.live:
            node.tensors, node.state = list(node.problem._held), node.functional.state()
        if self._dependencies.lowers(node.name):
            solver = node.transformation()
            grads, loss = self.responses.unrolled_gradient(node, batches)
            more = select(solver, {"value": loss.squeeze()})
            updates, state = solver.update(
                grads, node.state, params=node.tensors, inplace=False, **more
            )
            pairs = zip(node.tensors, updates, strict=True)
            tensors = [t if u is None else t + u for t, u in pairs]
        else:
            tensors, state = self.responses.unrolled_step(node, batches, index)
        truncate = node.explicit.truncate
        if truncate is not None and index < node.problem.config.unroll_steps - truncate:
            tensors, state = constant(tensors), constant(state)
            tensors = [t.requires_grad_() for t in tensors]
        self._results[node] = list(tensors), state
        self._schedule_rates(node)

    # Problems none of which is above another step together: each is a constant to the others, so its
    # new values may depend on their old values, but not on their new ones.

    def _take_over(self, nodes: Sequence[Node]) -> None:
        """Make the results of unrolled steps the problems' present values."""
        for node in nodes:
            node.take_results(*self._results.pop(node))

    def _separate(self, stepped: set[str]) -> None:
        """Replace the values of live problems that did not step by aliases: new variables."""
        for name, node in self.nodes.items():
            related = {*self._dependencies.below(name), *self._dependencies.above(name)}
            if node.live and name not in stepped and {n.name for n in self._results} - related:
                node.take_results([alias(t) for t in node.tensors], node.state)

    def _schedule_rates(self, node: Node) -> None:
        scheduler = node.problem.scheduler
        undone = self._rolls_back(node) and node.window.saved is not None and not node.unrolled
        if scheduler is None or undone:
            return
        if isinstance(scheduler, torch.optim.lr_scheduler.ReduceLROnPlateau):
            scheduler.step(node.metrics["loss"])
            return
        # Its optimizer does step: as a transformation, or after the last turn.
        silent = node.unrolled or node.turns > 1
        with warnings.catch_warnings() if silent else nullcontext():
            if silent:
                warnings.filterwarnings("ignore", message="Detected call of `lr_scheduler")
            scheduler.step()

    def _close(self, node: Node) -> None:
        node.write_back()
        node.window.closed = True

    def _roll_back(self, node: Node) -> None:
        """Undo the steps of a window, and make its last step again from the start of the window."""
        if node.live or node.window.saved is None:
            return
        count = node.problem.count
        load_problem_state(node, node.window.saved)
        node.window.saved, node.problem.count = None, count
        self._plain_step(node, node.window.batches[-1])

    def _rolls_back(self, node: Node) -> bool:
        return node.mode is not None and (node.problem.config.roll_back or self._roll_all_back)
