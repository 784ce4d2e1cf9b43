r"""Total derivatives: what a problem's loss depends on through the problems below it.

A problem below is a *best response*: its parameters are a function of those of all problems above it,
and its mode says how that is differentiated. A response is made of the total gradient of its own loss,
which has the responses below that in it; so nesting of any depth is right by construction:

.. math::
    \frac{df_U}{d\theta_U} = \frac{\partial f_U}{\partial \theta_U} + \sum_L
        \frac{\partial f_U}{\partial \theta_L}\, \frac{d\theta_L^*}{d\theta_U}
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff.buffers import BufferValue
from torchopt.autodiff.detaching import unwatched
from torchopt.autodiff.exact import higher_order
from torchopt.autodiff.generators import at_states
from torchopt.autodiff.second_order import gradient, in_this_thread
from torchopt.autodiff.tracking import constant, copied
from torchopt.diff import Implicit
from torchopt.diff.equations import Root
from torchopt.diff.kinds import Minimum
from torchopt.diff.problem import InnerProblem, differentiate
from torchopt.linear_solve import CG, MINRES, NormalCG
from torchopt.multilevel._examples import WeightedBatch
from torchopt.multilevel._graph import Dependencies
from torchopt.multilevel._node import MicroBatches, Node, in_turn
from torchopt.multilevel._parallel import Ranks
from torchopt.multilevel._problem import evaluate, viewed
from torchopt.transform import identity

Values = Mapping[str, Sequence[torch.Tensor]]
"""Parameters of problems, by their names."""


class Responses:
    """The problems of a program as functions of one another.

    Args:
        nodes: The problems at work.
        dependencies: Which problem reads which.
        ranks: The processes among which the data are divided.
    """

    def __init__(
        self,
        nodes: Mapping[str, Node],
        dependencies: Dependencies,
        ranks: Ranks,
    ) -> None:
        self._nodes = nodes
        self._dependencies = dependencies
        self._ranks = ranks

    def gradient(
        self, node: Node, batches: MicroBatches, *, keep: bool = False
    ) -> tuple[list[torch.Tensor | None], dict[str, Any]]:
        """Return the total gradient of a problem's loss, without a graph, and its metrics.

        With ``keep``, graphs of steps remain for later.

        First the loss alone is differentiated, in its own parameters and in those of the problems
        below, one batch after the other; their sum over batches and processes is then pulled through
        the responses, once.
        """
        lowers = [self._nodes[name] for name in self._dependencies.solutions(node.name)]
        leaves = {lower.name: _leaves(lower) for lower in lowers}
        inputs = [*node.tensors, *(t for ts in leaves.values() for t in ts)]
        values = {name: leaves.get(name, other.tensors) for name, other in self._live(node)}
        sums: list[torch.Tensor | None] = [None] * (len(inputs) + 1)
        for batch in batches:
            loss, node.metrics = self._evaluate(node, batch, values, trains=True)
            if not loss.requires_grad:
                checks.check_loss(loss, what=f"the loss of problem {node.name!r}")
            value = node.metrics["loss"] / len(batches)
            loss = node.precision.scale(loss) / len(batches)
            gradients = self._ranks.differentiate(loss, inputs)
            sums = [add(a, b) for a, b in zip(sums, [*gradients, value], strict=True)]
            del loss, gradients
        *sums, mean = self._ranks.mean(sums, [*inputs, value])
        node.metrics["loss"] = mean
        checks.check_loss(mean, what=f"the loss of problem {node.name!r}", needs_grad=False)
        if node.precision.name == "fp16" and not _finite(sums):
            return [torch.full_like(t, torch.inf) for t in node.tensors], node.metrics
        direct = sums[: len(node.tensors)]
        cotangents = iter(sums[len(node.tensors) :])
        del sums
        lower_cotangents = {
            lower.name: [next(cotangents) for _ in leaves[lower.name]] for lower in lowers
        }
        indirect = self._pull(node, lower_cotangents, keep)
        return [add(a, b) for a, b in zip(direct, indirect, strict=True)], node.metrics

    def _pull(
        self, node: Node, lower_cotangents: dict[str, list[torch.Tensor | None]], keep: bool
    ) -> Sequence[torch.Tensor | None]:
        """Return the cotangents of the problems below times the Jacobian of their responses."""
        outputs, cotangents = [], []
        with self._buffers_kept(), torch.enable_grad():
            responses = self._below(node.name, {node.name: node.tensors}, lower_cotangents)
            for name, vector in lower_cotangents.items():
                parts = self._ranks.parts(vector)
                for y, v in zip(responses.get(name, ()), parts, strict=False):
                    if v is not None and y.requires_grad and y.grad_fn is not None:
                        outputs.append(y)
                        cotangents.append(v)
            del responses, lower_cotangents
            if not outputs:
                return [None] * len(node.tensors)
            return torch.autograd.grad(
                outputs, node.tensors, cotangents, allow_unused=True, retain_graph=keep
            )

    def unrolled_gradient(
        self, node: Node, batches: MicroBatches
    ) -> tuple[list[torch.Tensor | None], torch.Tensor]:
        """Return the total gradient of a live problem's loss, which is itself a graph, and the loss."""
        values = {name: other.tensors for name, other in self._live(node)}
        for name in (*self._dependencies.above(node.name), node.name):
            values[name] = self._nodes[name].tensors
        snapshot = self._snapshot(node)  # what is below will have changed when this graph is used
        with self._buffers_kept(), torch.enable_grad():
            values |= snapshot._below(node.name, values, self._dependencies.solutions(node.name))
        with torch.enable_grad(), higher_order():
            loss = self._mean(node, batches, values, trains=True)
        checks.check_loss(loss, what=f"the loss of problem {node.name!r}")
        first_order = node.explicit.first_order
        grads = gradient(loss, node.tensors, create_graph=not first_order, allow_unused=True)
        return list(grads), loss.detach() if first_order else loss

    def unrolled_step(self, node: Node, batches: MicroBatches, index: int) -> tuple[Any, Any]:
        """Do one differentiable step of a problem with none below it."""
        values = {name: other.tensors for name, other in self._live(node)}

        def objective(params: Any) -> torch.Tensor:
            return self._mean(node, batches, {**values, node.name: params}, trains=True)

        solver = node.transformation()
        problem = InnerProblem(Minimum(objective), node.tensors, (), solver, state=node.state)
        after = node.explicit.step(problem, index, problem.start(), ())
        return after.params, after.state

    # Responses

    @contextmanager
    def _buffers_kept(self) -> Iterator[None]:
        """Run a block, and restore buffers: running statistics must count each batch once."""
        modules = [node.problem._module for node in self._nodes.values()]
        kept = [
            BufferValue(b) for module in modules if module is not None for b in module.buffers()
        ]
        try:
            yield
        finally:
            for buffer in kept:
                buffer.put()

    def _snapshot(self, node: Node) -> Responses:
        """Return responses that keep the present values of the problems below one."""
        nodes = dict(self._nodes)
        for name in self._dependencies.below(node.name):
            nodes[name] = nodes[name].snapshot()
        return Responses(nodes, self._dependencies, self._ranks)

    def _below(self, name: str, values: Values, wanted: Iterable[str]) -> dict[str, Any]:
        """Return the responses of the wanted problems below one, and of those that they depend on."""
        needed = self._needed(name, wanted)
        responses: dict[str, Any] = {}
        for group in self._dependencies.groups(name):
            members = [self._nodes[m] for m in group if m in needed]
            responses |= {member.name: member.tensors for member in members if member.live}
            members = [member for member in members if not member.live]
            if not members:
                continue
            if len(members) == 1 or not _solved_together(members):
                for member in members:
                    responses[member.name] = self._respond(member, {**values, **responses})
            else:
                responses |= self._respond_together(members, {**values, **responses})
        return responses

    def _needed(self, name: str, wanted: Iterable[str]) -> set[str]:
        below = set(self._dependencies.below(name))
        needed: set[str] = set()
        waiting = [w for w in wanted if w in below]
        while waiting:
            lower = waiting.pop()
            if lower not in needed:
                needed.add(lower)
                waiting += [c for c in self._dependencies.context(lower) if c in below]
        return needed

    def _inputs(self, names: Iterable[str], values: Values) -> dict[str, list[torch.Tensor]]:
        """Return the inputs of responses: the values, and other problems' parameters as constants."""
        return {
            name: list(values[name]) if name in values else constant(self._nodes[name].tensors)
            for name in names
        }

    def _respond(self, node: Node, values: Values) -> Any:
        assert node.mode is not None
        past = node.window.uppers
        inputs = self._inputs(self._dependencies.context(node.name), {**past, **values})
        if not any(t.requires_grad for tensors in inputs.values() for t in tensors):
            return constant(node.tensors)
        problem = self._at_solution if node.pointwise else self._from_start
        with self._ranks.same_random_numbers() if node.scope == "run" else nullcontext():
            located = self._ranks.localized(node, problem(node, inputs))
            return differentiate(node.mode, located).params

    def _at_solution(self, node: Node, inputs: dict[str, Any]) -> InnerProblem:
        batches = node.window.batches[-1]
        decay = node.decay() if node.scope == "conditions" else []

        def objective(params: Any, inputs: Any) -> torch.Tensor:
            loss = self._total(node, batches, params, inputs)
            for p, rate in zip(params, decay, strict=False):
                if rate:
                    loss = loss + rate / 2 * p.square().sum()
            return loss

        solver, state = identity(), None
        if node.preconditioned:
            solver, state = node.transformation(), copied(constant(node.functional.state()))
        return InnerProblem(
            Minimum(objective), constant(node.tensors), (inputs,), solver, state=state
        )

    def _from_start(self, node: Node, inputs: dict[str, Any]) -> InnerProblem:
        window = node.window
        assert window.start is not None
        if self._dependencies.lowers(node.name) and len(window.batches) > 1:
            raise RuntimeError(
                f"the unrolled steps of problem {node.name!r} would have to be made again, which "
                f"cannot be, as the problems below it moved between them: let `train_iters` be a "
                f"multiple of its `unroll_steps`, after a failure resume from a checkpoint, and give "
                f"diff=Explicit() to the problems above it, too."
            )
        solver, state = in_turn(window.solvers), window.state
        if solver is not window.solvers[0]:
            state = (0, state)

        def objective(params: Any, inputs: Any, index: torch.Tensor) -> torch.Tensor:
            k = int(index)
            with at_states(window.generators[k]):
                return self._total(node, window.batches[k], params, inputs)

        steps = len(window.batches)
        return InnerProblem(
            Minimum(objective),
            window.start,
            (inputs,),
            solver,
            steps,
            batches=torch.arange(steps, device="cpu"),
            state=state,
        )

    def _respond_together(self, members: list[Node], values: Values) -> dict[str, Any]:
        """Return the joint response of coupled problems, each a best response to the others.

        There the gradient of each problem's own total loss is zero.
        """
        names = [member.name for member in members]
        context = dict.fromkeys(c for name in names for c in self._dependencies.context(name))
        inputs = self._inputs([c for c in context if c not in names], values)
        data = [(member, member.window.batches[-1]) for member in members]

        def gradients(params: Any, inputs: Any) -> Any:
            residuals = {}
            for member, batches in data:
                others = {**inputs, **{n: p for n, p in params.items() if n != member.name}}

                kind = Minimum(functools.partial(self._total, member, batches))
                own = params[member.name]
                at_own = kind.evaluate(own, (others,), conditions=True)
                residuals[member.name] = at_own.residual
            return residuals

        at = {member.name: constant(member.tensors) for member in members}
        mode = members[0].mode
        assert mode is not None
        problem = InnerProblem(Root(gradients), at, (inputs,), lambda params, *_: params)
        return dict(differentiate(mode, problem).params)

    # Losses

    def _total(
        self, node: Node, batches: MicroBatches, params: Sequence[torch.Tensor], inputs: Values
    ) -> torch.Tensor:
        """Return a problem's loss as a function of its own and of upper parameters only."""
        values = {**inputs, node.name: params}
        lowers = self._dependencies.solutions(node.name)
        with self._as_not_live(node):
            values |= self._below(node.name, values, lowers)
        return self._mean(node, batches, values)

    def _as_not_live(self, node: Node) -> ExitStack:
        """Treat live problems below one as not live: their graphs are valid at present values only."""
        stack = ExitStack()
        for name in self._dependencies.below(node.name):
            lower = self._nodes[name]
            if lower.live:
                lower.live = False
                stack.callback(setattr, lower, "live", True)
        return stack

    def _mean(
        self, node: Node, batches: MicroBatches, values: Values, *, trains: bool = False
    ) -> torch.Tensor:
        """Return the mean of a problem's loss over batches and processes; a step ``trains``."""

        def part(values: Values) -> torch.Tensor:
            evaluations = [self._evaluate(node, batch, values, trains) for batch in batches]
            losses = [loss for loss, _ in evaluations]
            mean = sum(losses[1:], losses[0]) / len(losses)
            if trains:
                node.metrics = evaluations[-1][1]
            return mean

        read = (*self._dependencies.reads(node.name), *self._dependencies.solutions(node.name))
        present = {name: self._nodes[name].tensors for name in read}
        loss = self._ranks.loss(part, {**present, **values})
        if trains:
            node.metrics["loss"] = loss.detach()
            with unwatched():  # it is not the program that reads it
                checks.check_loss(loss, what=f"the loss of problem {node.name!r}", needs_grad=False)
        return loss

    def _evaluate(
        self, node: Node, part: WeightedBatch, values: Values, trains: bool
    ) -> tuple[torch.Tensor, Any]:
        present = {self._nodes[name].problem: tensors for name, tensors in values.items()}
        with viewed(present), node.autocast(part.batch, trains), in_this_thread():
            loss, metrics = evaluate(node.problem, part.batch)
        if part.weight != 1:
            loss, metrics["loss"] = loss * part.weight, metrics["loss"] * part.weight
        return loss, metrics

    def _live(self, node: Node) -> list[tuple[str, Node]]:
        return [(n, other) for n, other in self._nodes.items() if other.live and other is not node]


def _leaves(node: Node) -> list[torch.Tensor]:
    """Return a problem's values as leaves that require grad."""
    if not node.live:
        return node.tensors
    return [t.detach().requires_grad_() for t in node.tensors]


def add(a: torch.Tensor | None, b: torch.Tensor | None) -> torch.Tensor | None:
    """Return the sum of two gradients, of which None is zero."""
    if a is None or b is None:
        return b if a is None else a
    return a + b


def _finite(tensors: Iterable[torch.Tensor | None]) -> bool:
    return all(bool(t.isfinite().all()) for t in tensors if t is not None)


def _solved_together(members: list[Node]) -> bool:
    """Whether coupled problems are differentiated as one linear system: all modes are implicit."""
    solves = [member.scope == "conditions" for member in members]
    if not any(solves):
        return False
    names = ", ".join(repr(member.name) for member in members)
    if not all(solves):
        raise ValueError(
            f"problems {names} are above the same problem, so their solutions depend on one another, "
            f"and on the way to an upper problem they are differentiated in different ways: give them "
            f"the same implicit mode."
        )
    for member in members:
        solver = member.mode.linear_solve if isinstance(member.mode, Implicit) else None
        if isinstance(solver, (CG, MINRES)) and not isinstance(solver, NormalCG):
            raise ValueError(
                f"problems {names} are above the same problem, so their solutions depend on one "
                f"another, and their joint conditions are not symmetric: give problem "
                f"{member.name!r} diff=torchopt.diff.Implicit(), which takes GMRES, instead of a "
                f"solver for symmetric systems."
            )
    return True
