"""The engine: runs the problems of a program in their order, each by its total derivative."""

from __future__ import annotations

import os
import weakref
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import torch

from torchopt import checks, logging
from torchopt.autodiff.environment import leaving_no_trace
from torchopt.io.terminal import is_watched
from torchopt.multilevel import _state
from torchopt.multilevel._checks import check_modes, check_reads, check_shared, program
from torchopt.multilevel._config import EngineConfig
from torchopt.multilevel._early_stopping import EarlyStopping
from torchopt.multilevel._graph import Dependencies
from torchopt.multilevel._launch import make_ranks
from torchopt.multilevel._node import Node
from torchopt.multilevel._plan import Plan, make_plan
from torchopt.multilevel._problem import Env, Problem
from torchopt.multilevel._stepper import Hooks, Stepper

_CONFIG = checks.or_none(checks.of_type(EngineConfig, "a `torchopt.multilevel.EngineConfig`"))
_PROBLEM = checks.of_type(Problem, "`Problem`s")


class Engine:
    """Trains several problems that depend on each other.

    Args:
        problems: The problems, with different names.
        config: The settings of the run.
        dependencies: ``{"u2l": {upper: [lower]}, "l2u": {lower: [upper]}}``: the loss of each lower
            problem reads the parameters of its upper one, and the loss of each upper problem reads
            the solution of its lower one. Use problems or their names, without a cycle.
        env: The environment, ``self.env`` in each problem.

    Raises:
        ImportError: If the package of a sink is not installed.
        ValueError: Before the first step, if the dependencies have a cycle, an unnecessary edge or a
            missing edge, or if a problem is incomplete.

    Example:
        >>> import torch
        >>> from torchopt.diff import Implicit
        >>> from torchopt.multilevel import Config, Engine, EngineConfig, Problem
        >>> class Inner(Problem):
        ...     def training_step(self, batch):
        ...         return (self.params - self.outer.params).square()
        >>> class Outer(Problem):
        ...     def training_step(self, batch):
        ...         return (self.inner.params - 3).square()
        >>> x, y = (torch.zeros((), requires_grad=True) for _ in range(2))
        >>> sgd = torch.optim.SGD
        >>> config = Config(diff=Implicit(), unroll_steps=10)
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

    _validates_with_grad = False

    def __init__(
        self,
        problems: Sequence[Problem],
        config: EngineConfig | None = None,
        dependencies: Mapping[str, Any] | None = None,
        env: Env | None = None,
    ) -> None:
        checks.check("the engine's config", config, _CONFIG)
        self.config = config or EngineConfig()
        argument: Any = problems  # not yet known to be what the signature says
        if isinstance(argument, Problem):
            raise TypeError(f"`problems` is problem {argument.name!r} itself: pass a list of them.")
        self.problems = tuple(problems)
        for problem in self.problems:
            checks.check("the element of `problems`", problem, _PROBLEM)
        if not self.problems:
            raise ValueError("there is no problem: pass at least one.")
        self.env = env
        self.global_step = 0
        self._ranks = make_ranks(self.config)
        # Nothing is written yet, but a package that is missing is an error.
        kind = self.config.sink if self._ranks.rank == 0 else "none"
        self._sink = self._make_sink(kind)
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
            problem._engine = weakref.ref(self)
        check_shared(self.problems)
        self._ranks.agree(program(self.problems, self.config, self.dependencies))
        self._ranks.begin(self.problems)
        self.__dict__.update(by_name)
        self._by_name = by_name
        self._nodes = {
            name: Node(
                by_name[name],
                has_upper=bool(self.dependencies.uppers(name)),
                has_lower=bool(self.dependencies.lowers(name)),
                sharded=self.config.strategy == "fsdp",
            )
            for name in self.dependencies.order
        }
        self._stepper = Stepper(
            self._nodes, self.dependencies, self._ranks, roll_back=self.config.roll_back
        )
        self._stopping = EarlyStopping(self.config)
        self._due = False
        self._unchecked = {p.name for p in self.problems if self.config.check}
        check_modes(self._nodes, self.dependencies, self._ranks)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"the engine has no attribute {name!r}, and no problem of that name: its problems are "
            f"{', '.join(p.name for p in self.__dict__.get('problems', ()))}."
        )

    def __repr__(self) -> str:
        return str(self.plan())

    def _repr_html_(self) -> str:
        return self.plan()._repr_html_()

    # What users call and define

    def run(self) -> None:
        """Run the program for ``train_iters`` global steps, from where it is.

        Raises:
            ValueError: If what a loss reads differs from the dependencies, or ``early_stopping`` has no
                ``validation``.
            NonFiniteError: If a loss is NaN. Parameters and optimizers keep the values of the last
                complete step of a problem. A later call completes the global step.
        """
        config = self.config
        if config.early_stopping and not self._is_overridden("validation"):
            raise ValueError(
                "`early_stopping` needs metrics: define `validation` in a subclass of `Engine`, so "
                "that it returns them."
            )
        last = self._last_step()
        self._ranks.agree({"the global step": self.global_step, "`train_iters`": last})
        self._check_early()
        shows_progress = config.progress and self._ranks.rank == 0 and is_watched()
        progress = logging.Progress(last) if shows_progress else None
        try:
            while self.global_step < last and not self._stopping.is_over():
                self._one_step()
                if progress is not None:
                    progress.log(self._losses(), self.global_step)
                if self.global_step % config.valid_step == 0:
                    self._validate()
                if config.checkpoint is not None and self._save_is_due():
                    self.save(config.checkpoint)
        finally:
            cut = [name for name in self._nodes if self._stepper.is_cut(name)]
            self._stepper.write_back()
            if progress is not None:
                progress.close()
        self._ranks.share_buffers()  # those of unrolled steps, which the end of the run has cut
        if cut:
            checks.warn(
                f"the run has ended amid the unrolled steps of problem {cut[0]!r}, whose graph is cut: "
                f"if it goes on, the next step of the problem above is differentiated through the "
                f"steps from here; let `train_iters` be a multiple of the problem's period."
            )
        if config.checkpoint is not None:
            self._save_at_the_end(config.checkpoint)

    def train_step(self) -> None:
        """Run one global step; may be overridden, and call :meth:`Problem.step` of the leaves."""
        self._step()
        self.global_step += 1

    def _last_step(self) -> int:
        """Return the number of the global step at which a run ends."""
        return self.config.train_iters

    def _one_step(self) -> None:
        """Run one global step, whatever the user's own does."""
        step = self.global_step
        self.train_step()
        self.global_step = step + 1

    def _step(self, leaves: Collection[str] | None = None) -> None:
        """Make the steps of problems that have none below them, by default all, and what follows."""
        self._check_early()
        self._stepper.run(Hooks(self._check_first_step, self._log_step), leaves)
        if not any(node.live for node in self._nodes.values()):
            self._ranks.share_buffers()

    def validation(self) -> Mapping[str, Any] | None:
        """Return metrics of the present state; called every ``valid_step`` steps without a graph.

        With several processes, only the first calls it, unless modules are sharded.
        """
        return None

    def hypergradient(
        self, problem: Problem | str, batch: object = None
    ) -> tuple[list[torch.Tensor | None], torch.Tensor]:
        """Return the total gradient of a problem and its loss, without changing anything.

        Lower problems are differentiated at their present parameters, with their latest batches.

        Args:
            problem: The problem, or its name.
            batch: The data; by default the next batch of the problem.

        Returns:
            A list of gradients like ``problem.trainable_parameters()``, None for a parameter on which
            nothing depends; and the loss.

        Raises:
            RuntimeError: If a lower problem is differentiated through its steps and has made none.
        """
        node = self._nodes[
            getattr(self, problem).name if isinstance(problem, str) else problem.name
        ]
        for each in self._named(self._unchecked):
            self._ranks.check_statistics(each)
        batches = self._ranks.weighted(node.problem, [node.preview() if batch is None else batch])
        nodes = list(self._nodes.values())
        before = [(other.window.batches, other.metrics) for other in nodes]
        try:
            for lower in [self._nodes[name] for name in self.dependencies.below(node.name)]:
                if not lower.window.batches:
                    if not lower.pointwise:
                        raise RuntimeError(
                            f"problem {lower.name!r} is differentiated through its steps, and has made "
                            f"none yet: run the engine first."
                        )
                    lower.window.batches = [self._ranks.weighted(lower.problem, [lower.preview()])]
            with leaving_no_trace():
                grads, metrics = self._stepper.responses.gradient(node, batches, keep=True)
        finally:
            for other, (window, mine) in zip(nodes, before, strict=True):
                other.window.batches, other.metrics = window, mine
        scale = node.precision.scale(torch.ones_like(metrics["loss"]))
        return [g if g is None else g / scale for g in grads], metrics["loss"]

    def plan(self) -> Plan:
        """Return when which problem steps, and how and at what cost gradients flow on which paths."""
        return make_plan(
            self.dependencies,
            self._stepper.schedule,
            {name: node.mode for name, node in self._nodes.items()},
            {
                name: sum(p.numel() for p in node.problem._held)
                for name, node in self._nodes.items()
            },
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the whole run to a file, which is either complete or absent.

        Raises:
            OSError: If the file cannot be written; the old file remains.
            RuntimeError: If unrolled steps wait for an upper problem.
        """
        state = {"global_step": self.global_step, **self._stopping.state_dict()}
        _state.save(path, self._stepper, self.env, state)

    def resume(self, path: str | os.PathLike[str]) -> None:
        """Continue the run of a file as if it had not been interrupted.

        With deterministic kernels, on the same machine with the same versions and number of threads,
        the continued run is equal bit for bit. An exception are random numbers in persistent workers of
        a loader; then there is a warning.

        Raises:
            ValueError: If the file is damaged or from another program; nothing is changed then.
        """
        state = _state.resume(path, self._stepper, self.env)
        self.global_step = state["global_step"]
        self._stopping.load_state_dict(state)
        self._unchecked = set()
        self.sink.resume(self.global_step)

    def train(self) -> None:
        """Set all modules to training mode."""
        for problem in self.problems:
            problem.train()

    def eval(self) -> None:
        """Set all modules to evaluation mode."""
        for problem in self.problems:
            problem.eval()

    @property
    def leaves(self) -> list[Problem]:
        """The problems that have none below them."""
        return [p for p in self.problems if not self.dependencies.lowers(p.name)]

    def log(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        """Write metrics to the run's sinks, by default under the number of the global step."""
        if self._ranks.rank == 0:
            self.sink.log(metrics, self.global_step if step is None else step)

    @property
    def device(self) -> torch.device:
        """Where the batches of the first problem go."""
        return torch.device(self.problems[0].device)

    @property
    def sink(self) -> logging.Sink:
        """Where metrics go."""
        return self._sink

    # Data, metrics

    def _make_sink(self, kind: Any) -> logging.Sink:
        return logging.make_sink(kind, self.config.folder)

    def _named(self, names: Iterable[str]) -> list[Problem]:
        return [self._by_name[name] for name in names]

    def _log_step(self, node: Node) -> None:
        metrics = {f"{node.name}/{key}": value for key, value in node.metrics.items()}
        if node.problem.config.log_local_step:
            self.log(metrics, node.problem.count)
        else:
            self.log(metrics)

    def _losses(self) -> dict[str, Any]:
        return {
            f"{name}/loss": node.metrics["loss"]
            for name, node in self._nodes.items()
            if "loss" in node.metrics
        }

    def _validates(self) -> bool:
        return self._ranks.validates

    def _validate(self) -> None:
        if self._validates():
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
                with torch.set_grad_enabled(self._validates_with_grad):
                    metrics = self.validation()
                if metrics is not None:
                    self._log_validation(metrics)
                    self._stopping.note(metrics)
            finally:
                for submodule, mode in training:
                    submodule.training = mode
        self._stopping.load_state_dict(self._ranks.share(self._stopping.state_dict()))

    def _log_validation(self, metrics: Mapping[str, Any]) -> None:
        self.log({f"validation/{key}": value for key, value in metrics.items()})

    def _save_at_the_end(self, path: str | os.PathLike[str]) -> None:
        waiting = [name for name, node in self._nodes.items() if node.pending]
        if not waiting:
            self.save(path)
            return
        checks.warn(
            f"the run has ended amid steps of problem {waiting[0]!r} that one above was to follow: the "
            f"checkpoint is the last one before them; let `train_iters` be a multiple of their "
            f"number."
        )

    def _save_is_due(self) -> bool:
        self._due = self._due or self.global_step % self.config.checkpoint_step == 0
        if not self._due or any(node.pending for node in self._nodes.values()):
            return False
        self._due = False
        return True

    # Checks

    def check(self) -> None:
        """Compare what each loss reads with the dependencies, once, before the first step.

        Raises:
            ValueError: If a loss reads a problem without an edge to it, or does not read a problem with
                an edge to it.
        """
        for node in self._nodes.values():
            if node.name in self._unchecked:
                self._check_reads(node, node.peek_batch())

    def _is_overridden(self, name: str) -> bool:
        """Whether a subclass or this engine has a method of its own."""
        method = getattr(self, name)
        return getattr(method, "__func__", method) is not getattr(Engine, name)

    def _check_early(self) -> None:
        """Check all before the first step, unless the user's own code has to run before losses do."""
        if not self._checks_late():
            self.check()

    def _checks_late(self) -> bool:
        hooks = ("get_batch", "on_inner_loop_start")
        return (
            self.env is not None
            or self._is_overridden("train_step")
            or any(p._overrides(hook) for p in self.problems for hook in hooks)
        )

    def _check_first_step(self, node: Node, batch: Any) -> None:
        if node.name in self._unchecked:
            self._check_reads(node, batch)

    def _check_reads(self, node: Node, batch: Any) -> None:
        why = check_reads(node, batch, self.problems, self.dependencies, self._ranks)
        if why is not None:
            self._refuse_edges(why)
        self._unchecked.remove(node.name)

    def _refuse_edges(self, why: str) -> None:
        raise ValueError(why)
