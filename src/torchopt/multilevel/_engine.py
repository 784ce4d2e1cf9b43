"""The engine: runs the problems of a program in their order, each by its total derivative."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import torch

from torchopt import errors, logging
from torchopt.autodiff.environment import Replay
from torchopt.autodiff.graph import alias
from torchopt.autodiff.higher_order import higher_order
from torchopt.autodiff.tracking import constant
from torchopt.multilevel import _state
from torchopt.multilevel._checks import check_modes, check_reads, check_shared, program
from torchopt.multilevel._config import EngineConfig
from torchopt.multilevel._graph import Dependencies
from torchopt.multilevel._node import Micro, Node, copied
from torchopt.multilevel._parallel import make_ranks
from torchopt.multilevel._plan import Plan, make_plan
from torchopt.multilevel._problem import Env, Problem, call_hook
from torchopt.multilevel._response import Responses
from torchopt.multilevel._schedule import Schedule

__all__ = ["Engine"]


class Engine:
    """Runs problems that read one another.

    Args:
        problems: The problems, each with a name of its own.
        config: How the program is run.
        dependencies: ``{"u2l": {upper: [lower]}, "l2u": {lower: [upper]}}``: the loss of each lower
            problem reads the parameters of its upper one, and the loss of each upper problem reads
            the solution of its lower one. Problems or their names; there is no cycle.
        env: What problems find as ``self.env``.

    Raises:
        ImportError: If the package of a sink is not installed.
        ValueError: If the dependencies have a cycle, or an edge too many or too few, or a problem lacks
            what it needs; before the first step.

    Example:
        >>> import torch
        >>> from torchopt.multilevel import Config, Engine, EngineConfig, Problem
        >>> class Inner(Problem):
        ...     def training_step(self, batch):
        ...         return (self.params - self.outer.params).square()
        >>> class Outer(Problem):
        ...     def training_step(self, batch):
        ...         return (self.inner.params - 3).square()
        >>> x, y = (torch.zeros((), requires_grad=True) for _ in range(2))
        >>> sgd = torch.optim.SGD
        >>> config = Config(type="cg", unroll_steps=10)
        >>> inner = Inner("inner", config, params=y, optimizer=sgd([y], 0.4))
        >>> outer = Outer("outer", params=x, optimizer=sgd([x], 0.2))
        >>> engine = Engine(
        ...     [outer, inner], EngineConfig(train_iters=300),
        ...     {"u2l": {outer: [inner]}, "l2u": {inner: [outer]}})
        >>> engine.run()
        >>> x.data.round(decimals=3)
        tensor(3.)

    References:
        Choe et al., *Betty: An Automatic Differentiation Library for Multilevel Optimization*, 2023.
    """

    def __init__(
        self,
        problems: Sequence[Problem],
        config: EngineConfig | None = None,
        dependencies: Mapping[str, Any] | None = None,
        env: Env | None = None,
    ) -> None:
        if not isinstance(config, EngineConfig | None):
            raise TypeError(
                f"the engine's config is an object of type {type(config).__name__}: pass a "
                f"`torchopt.multilevel.EngineConfig`."
            )
        self.config = config or EngineConfig()
        given: Any = problems  # before it is known to be what the signature says
        if isinstance(given, Problem):
            raise TypeError(f"`problems` is problem {given.name!r} itself: pass a list of them.")
        self.problems = tuple(problems)
        for problem in self.problems:
            if not isinstance(problem, Problem):
                raise TypeError(
                    f"`problems` has an object of type {type(problem).__name__}: pass `Problem`s."
                )
        if not self.problems:
            raise ValueError("there is no problem: pass at least one.")
        if self.config.early_stopping and type(self).validation is Engine.validation:
            raise ValueError(
                "`early_stopping` needs metrics: define `validation` in a subclass of `Engine`, so "
                "that it returns them."
            )
        self.env = env
        self.global_step = 0
        self._ranks = make_ranks(self.config)
        # Nothing is written yet, but a package that is missing is an error.
        kind = self.config.logger_type if self.is_rank_zero() else "none"
        self._sink = logging.make_sink(kind, self.config.folder)
        self.dependencies = Dependencies.of([p.name for p in self.problems], dependencies)
        by_name = {p.name: p for p in self.problems}
        for problem in self.problems:
            if hasattr(type(self), problem.name) or problem.name in self.__dict__:
                raise ValueError(
                    f"a problem is named {problem.name!r}, which hides an attribute of the engine: "
                    f"choose another name."
                )
            problem.env = env
            problem._set_up()
        for problem in self.problems:
            others = [other for other in self.problems if other is not problem]
            problem._connect(others, self.dependencies.below(problem.name))
        check_shared(self.problems)
        self._ranks.agree(program(self.problems, self.config, self.dependencies))
        self._ranks.begin(self.problems)
        self.__dict__.update(by_name)
        self._nodes = {
            name: Node(
                by_name[name],
                has_upper=bool(self.dependencies.uppers(name)),
                has_lower=bool(self.dependencies.lowers(name)),
            )
            for name in self.dependencies.order
        }
        deep = any(len(self.dependencies.below(u)) > 1 for u in self.dependencies.names)
        self._responses = Responses(
            self._nodes,
            self.dependencies,
            self._ranks,
            higher_order if deep else nullcontext,
        )
        self._schedule = Schedule(
            self.dependencies,
            {p.name: p.config.unroll_steps for p in self.problems},
            {p.name: p.config.repeat for p in self.problems},
        )
        self._made: dict[Node, tuple[list[torch.Tensor], Any]] = {}
        self._left: list[str] = []
        self._best: float | None = None
        self._worse = 0
        self._due = False
        self._checked = not self.config.check
        check_modes(self._nodes, self.dependencies, self._ranks)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"the engine has no attribute {name!r}, and no problem of that name: its problems are "
            f"{', '.join(p.name for p in self.__dict__.get('problems', ()))}."
        )

    # What users call and define

    def run(self) -> None:
        """Run the program for ``train_iters`` global steps, from where it is.

        Raises:
            ValueError: If what a loss reads differs from the dependencies, or a loss is NaN. Parameters
                and optimizers are left as the last whole step of a problem left them, and what is left
                of the global step is made when the run goes on.
        """
        config = self.config
        self._ranks.agree(
            {"the global step": self.global_step, "`train_iters`": config.train_iters}
        )
        self.check()
        shown = config.progress and self.is_rank_zero()
        progress = logging.Progress(config.train_iters) if shown else None
        try:
            while self.global_step < config.train_iters and not self._is_over():
                self.train_step()
                if progress is not None:
                    progress.log(self._losses(), self.global_step)
                if self.global_step % config.valid_step == 0:
                    self._validate()
                if self._save_is_due():
                    self.save(config.checkpoint)
        finally:
            cut = [name for name in self._nodes if self._is_cut(name)]
            self._settle()
            if progress is not None:
                progress.close()
        self._ranks.share_buffers()  # those of unrolled steps, which the end of the run has cut
        if cut:
            errors.warn(
                f"the run has ended amid the unrolled steps of problem {cut[0]!r}, whose graph is cut: "
                f"if it goes on, the next step of the problem above is differentiated through the "
                f"steps from here; let `train_iters` be a multiple of the problem's period."
            )
        if config.checkpoint is not None:
            self._save_at_the_end()

    def train_step(self) -> None:
        """Run one global step."""
        self.check()
        self._left = self._left or list(self._schedule.next())
        try:
            self._tick()
        except BaseException:
            self._take_over(list(self._made))
            self._settle()
            raise
        if not any(node.live for node in self._nodes.values()):
            self._ranks.share_buffers()
        self.global_step += 1

    def validation(self) -> Mapping[str, Any] | None:
        """Return metrics of the present state; called every ``valid_step`` steps without a graph.

        Of several processes, only the first calls it, unless modules are sharded.
        """
        return None

    def hypergradient(
        self, problem: Problem | str, batch: Any = None
    ) -> tuple[torch.Tensor, list[torch.Tensor | None]]:
        """Return the loss of a problem and its total gradient, and change nothing.

        Problems below are differentiated where they are, by the last data that they were trained on.

        Args:
            problem: The problem, or its name.
            batch: The data; by default those that it would be given next.

        Returns:
            The loss, and a list of gradients like ``problem.trainable_parameters()``; None for a
            parameter that nothing depends on.

        Raises:
            RuntimeError: If a problem below is differentiated through its steps, and has made none.
        """
        node = self._nodes[
            getattr(self, problem).name if isinstance(problem, str) else problem.name
        ]
        for each in () if self._checked else self.problems:
            self._ranks.check_statistics(each)
        batches = self._ranks.weighed(node.problem, [node.look() if batch is None else batch])
        nodes = list(self._nodes.values())
        before = [(other.window.batches, other.metrics) for other in nodes]
        try:
            for lower in [self._nodes[name] for name in self.dependencies.below(node.name)]:
                if not lower.window.batches:
                    if lower.scope != "solution":
                        raise RuntimeError(
                            f"problem {lower.name!r} is differentiated through its steps, and has made "
                            f"none yet: run the engine first."
                        )
                    lower.window.batches = [self._ranks.weighed(lower.problem, [lower.look()])]
            with Replay(default=True, trace=False)():
                grads, metrics = self._responses.gradient(node, batches, keep=True)
        finally:
            for other, (window, mine) in zip(nodes, before, strict=True):
                other.window.batches, other.metrics = window, mine
        scale = node.precision.scale(torch.ones_like(metrics["loss"]))
        return metrics["loss"], [g if g is None else g / scale for g in grads]

    def plan(self) -> Plan:
        """Return when which problem steps, and how and at what cost gradients flow on which paths."""
        return make_plan(
            self.dependencies,
            self._schedule,
            {name: node.mode for name, node in self._nodes.items()},
            {
                name: sum(p.numel() for p in node.problem._held)
                for name, node in self._nodes.items()
            },
        )

    def save(self, path: Any) -> None:
        """Write everything that a run consists of to a file, which is complete or not there.

        Raises:
            OSError: If the file cannot be written; the old one stays.
            RuntimeError: If unrolled steps wait for an upper problem's.
        """
        _state.save(self, path)

    def resume(self, path: Any) -> None:
        """Go on from a file; what follows equals what would have followed.

        On the same machine, with as many threads, it does so bit for bit. Persistent workers of a
        loader that draw random numbers are the exception, of which a warning is given.

        Raises:
            ValueError: If the file is damaged, or that of another program; nothing is then changed.
        """
        _state.resume(self, path)

    def train(self) -> None:
        """Set all modules to training mode."""
        for problem in self.problems:
            problem.train()

    def eval(self) -> None:
        """Set all modules to evaluation mode."""
        for problem in self.problems:
            problem.eval()

    def is_rank_zero(self) -> bool:
        """Whether this is the first of the processes, which writes logs and checkpoints."""
        return self._ranks.rank == 0

    @property
    def leaves(self) -> list[Problem]:
        """The problems that have none below them."""
        return [p for p in self.problems if not self.dependencies.lowers(p.name)]

    def log(self, metrics: Mapping[str, Any]) -> None:
        """Write metrics of this moment to the run's sinks."""
        if self.is_rank_zero():
            self.sink.log(metrics, self.global_step)

    @property
    def sink(self) -> logging.Sink:
        """Where metrics go."""
        return self._sink

    # One global step

    def _tick(self) -> None:
        """Let those problems step that are left of this tick: all, unless one has failed before."""
        closed: list[Node] = []
        tick = set(self._left)
        while self._left:
            name = self._left[0]
            node = self._nodes[name]
            below = [self._nodes[n] for n in self.dependencies.below(name)]
            related = {name, *self.dependencies.below(name), *self.dependencies.above(name)}
            self._take_over([n for n in self._made if n.name in related])
            if all(lower.problem.count >= lower.problem.config.warmup_steps for lower in below):
                self._step(node)
            if not node.unrolled:
                # Of its parameters, as they were, those of what is below are no functions any more.
                for lower in below:
                    self._close(lower)
            else:
                below = [n for n in below if n.name in self.dependencies.lowers(name)]
                for lower in below:
                    lower.window.closed = True
            closed += below
            self._left.pop(0)
        self._part(tick)
        self._take_over(list(self._made))
        for node in dict.fromkeys(closed):
            if self._rolls_back(node):
                self._roll_back(node)

    def _step(self, node: Node) -> None:
        problem = node.problem
        if node.open():
            call_hook(problem, "on_inner_loop_start")  # which may put parameters back
            node.begin()
            if self._rolls_back(node):
                node.window.saved = copy.deepcopy(_state.of_problem(node))
            if node.scope != "solution" and len(self.dependencies.uppers(node.name)) > 1:
                read = self.dependencies.context(node.name)
                node.window.uppers = {name: copied(self._nodes[name].tensors) for name in read}
        drawn = [node.next_batch() for _ in range(problem.config.gradient_accumulation)]
        batches = self._ranks.weighed(problem, drawn)
        window = node.window.copy()
        node.note(batches)
        try:
            # After a failure in its midst a window is a graph no more: it is made again as a whole.
            if node.unrolled and (node.live or not window.batches):
                self._unrolled_step(node, batches, len(window.batches))
            else:
                self._plain_step(node, batches)
        except BaseException:
            node.window = window
            raise
        problem.count += 1
        every = problem.config.log_step
        if every > 0 and problem.count % every == 0:
            self.log({f"{node.name}/{key}": value for key, value in node.metrics.items()})

    def _plain_step(self, node: Node, batches: Micro) -> None:
        problem, precision = node.problem, node.precision
        grads, _metrics = self._responses.gradient(node, batches)
        for p, g in zip(problem._held, grads, strict=True):
            p.grad = g
        del grads
        try:
            if problem.is_implemented("grad_callback"):
                precision.unscale(problem.optimizer)
                call_hook(problem, "grad_callback")
            if problem.config.gradient_clipping:
                if not problem.is_implemented("grad_callback"):
                    precision.unscale(problem.optimizer)
                torch.nn.utils.clip_grad_norm_(problem._held, problem.config.gradient_clipping)
            stepped = precision.step(problem.optimizer)
        finally:
            for p in problem._held:
                p.grad = None
        if stepped:
            self._schedule_rates(node)
        call_hook(problem, "param_callback", problem._held)

    def _unrolled_step(self, node: Node, batches: Micro, index: int) -> None:
        if not node.live:
            node.tensors, node.state = list(node.problem._held), node.twin.state()
        if self.dependencies.lowers(node.name):
            solver = node.transformation()
            grads = self._responses.unrolled_gradient(node, batches)
            updates, state = solver.update(grads, node.state, params=node.tensors, inplace=False)
            tensors = [
                t if u is None else t + u for t, u in zip(node.tensors, updates, strict=True)
            ]
        else:
            tensors, state = self._responses.unrolled_step(node, batches, index)
        truncate = node.explicit.truncate
        if truncate is not None and index < node.problem.config.unroll_steps - truncate:
            tensors, state = constant(tensors), constant(state)
            tensors = [t.requires_grad_() for t in tensors]
        self._made[node] = list(tensors), state
        self._schedule_rates(node)

    # Problems of which none is above the other step together: each is a constant to the others, so what
    # one of them becomes may depend on what the others were, but not on what they are.

    def _take_over(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            node.live_on(*self._made.pop(node))

    def _part(self, stepped: set[str]) -> None:
        """Make live problems that did not step other variables for those that did."""
        for name, node in self._nodes.items():
            related = {*self.dependencies.below(name), *self.dependencies.above(name)}
            if node.live and name not in stepped and {n.name for n in self._made} - related:
                node.live_on([alias(t) for t in node.tensors], node.state)

    def _schedule_rates(self, node: Node) -> None:
        scheduler = node.problem.scheduler
        if scheduler is None:
            return
        if isinstance(scheduler, torch.optim.lr_scheduler.ReduceLROnPlateau):
            scheduler.step(node.metrics["loss"])
            return
        with warnings.catch_warnings():
            if node.unrolled:  # its optimizer does step, but by its twin
                warnings.filterwarnings("ignore", message="Detected call of `lr_scheduler")
            scheduler.step()

    def _close(self, node: Node) -> None:
        node.settle()
        node.window.closed = True

    def _roll_back(self, node: Node) -> None:
        """Undo the steps of a window, and make the last one from its start, as the problem is now."""
        if node.live or node.window.saved is None:
            return
        count = node.problem.count
        _state.put_back(node, node.window.saved)
        node.window.saved, node.problem.count = None, count
        self._plain_step(node, node.window.batches[-1])

    def _rolls_back(self, node: Node) -> bool:
        return node.mode is not None and (node.problem.config.roll_back or self.config.roll_back)

    def _is_cut(self, name: str) -> bool:
        """Whether unrolled steps of several levels are open, which cannot be made again."""
        others = (*self.dependencies.above(name), *self.dependencies.below(name))
        return self._nodes[name].live and any(self._nodes[other].unrolled for other in others)

    def _settle(self) -> None:
        for node in self._nodes.values():
            node.settle()

    # Data, metrics

    def _losses(self) -> dict[str, Any]:
        return {
            f"{name}/loss": node.metrics["loss"]
            for name, node in self._nodes.items()
            if "loss" in node.metrics
        }

    def _validate(self) -> None:
        if self._ranks.validates:
            # Each submodule by itself: a user may have frozen some.
            training = [
                (submodule, submodule.training)
                for problem in self.problems
                for module in {id(m): m for m in (problem._module, problem.module)}.values()
                if module is not None
                for submodule in module.modules()
            ]
            self.eval()
            try:
                with torch.no_grad():
                    self._judge(self.validation())
            finally:
                for submodule, mode in training:
                    submodule.training = mode
        self._best, self._worse = self._ranks.share((self._best, self._worse))

    def _judge(self, metrics: Mapping[str, Any] | None) -> None:
        if metrics is None:
            return
        self.log({f"validation/{key}": value for key, value in metrics.items()})
        config = self.config
        if not config.early_stopping:
            return
        if config.early_stopping_metric not in metrics:
            raise ValueError(
                f"`early_stopping_metric` is {config.early_stopping_metric!r}, but `validation` "
                f"returned {', '.join(map(repr, metrics))}: return it, or choose one of these."
            )
        value = float(metrics[config.early_stopping_metric])
        sign = 1 if config.early_stopping_mode == "min" else -1
        if self._best is None or sign * value < sign * self._best:
            self._best, self._worse = value, 0
        else:
            self._worse += 1

    def _is_over(self) -> bool:
        """Whether validation has improved no more for long enough."""
        config = self.config
        return config.early_stopping and self._worse >= config.early_stopping_tolerance

    def _save_at_the_end(self) -> None:
        waiting = [name for name, node in self._nodes.items() if node.pending]
        if not waiting:
            self.save(self.config.checkpoint)
            return
        errors.warn(
            f"the run has ended amid steps of problem {waiting[0]!r} that one above was to follow: the "
            f"checkpoint is the last one before them; let `train_iters` be a multiple of their "
            f"number."
        )

    def _save_is_due(self) -> bool:
        config = self.config
        if config.checkpoint is None:
            return False
        self._due = self._due or self.global_step % config.checkpoint_step == 0
        if not self._due or any(node.pending for node in self._nodes.values()):
            return False
        self._due = False
        return True

    # Checks

    def check(self) -> None:
        """Compare what each loss reads with the dependencies; once, before the first step.

        Raises:
            ValueError: If a loss reads a problem that the dependencies do not connect it to, or does
                not read one that they do.
        """
        if self._checked:
            return
        for node in self._nodes.values():
            check_reads(node, self.problems, self.dependencies, self._ranks)
        self._checked = True
