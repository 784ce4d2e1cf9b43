"""Betty's engine: leaves step one after the other, and the global step counts from one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from torchopt import checks, multilevel
from torchopt.multilevel._node import Node
from torchopt.multilevel.compat.configs import EngineConfig
from torchopt.multilevel.compat.envs import Env
from torchopt.multilevel.compat.logging import LoggerBase, logger
from torchopt.multilevel.compat.misc import EarlyStopping, StoppedBy
from torchopt.multilevel.compat.problems import Problem
from torchopt.multilevel.compat.utils import (
    instead_of,
    log_from_loss_dict,
    of_config,
    warn_of_unused,
    with_alias,
)

__all__ = ["Engine"]


#: What Betty's engine has and this one has not, and what to use instead.
INSTEAD = {
    "cleanup": "nothing is needed",
    "configure_systems": "set `strategy` and `backend` of the config",
    "dfs": "call `find_paths`",
    "initialize": "override `__init__`",
    "parse_config": "override `__init__`",
    "parse_dependency": "override `__init__`",
    "set_dependency": "make another `Engine` of the same problems",
    "set_problem_attr": "problems are attributes by their names",
}


class Engine(multilevel.Engine):
    """:class:`torchopt.multilevel.Engine` with Betty's further attributes and methods.

    ``global_step`` is counted up before ``train_step``, which calls ``step`` of each of ``leaves``.
    Modules are moved to a GPU where there is one. ``validation`` may take gradients.

    Args:
        problems: The problems.
        config: How the program is run.
        dependencies: ``{"u2l": {upper: [lower]}, "l2u": {lower: [upper]}}``.
        env: What problems find as ``self.env``.

    Example:
        >>> from torchopt.multilevel.compat.engine import Engine
        >>> class MyEngine(Engine):
        ...     def train_step(self):
        ...         for leaf in self.leaves:
        ...             leaf.step(global_step=self.global_step)
    """

    logger: LoggerBase
    _validates_with_grad = True
    _until = 0  # the last global step of the run

    def __init__(
        self,
        problems: Sequence[Any],
        config: multilevel.EngineConfig | None = None,
        dependencies: Mapping[str, Any] | None = None,
        env: Any = None,
    ) -> None:
        warn_of_unused("the engine", INSTEAD, dir(type(self)))
        config = EngineConfig() if config is None else config
        device = getattr(config, "device", None)
        device = device or ("cuda" if torch.cuda.is_available() else torch.get_default_device())
        for problem in problems:
            problem.device = device if problem.device is None else problem.device
            problem._opened = []  # an engine begins with the first epoch
            setattr(env, problem.name, problem) if env is not None else None
        if isinstance(env, Env):
            env.configure_device(torch.device(device))
            env.initialize()
        super().__init__(problems, config, dependencies, env)
        for problem in problems:
            problem.clear_dependencies()
            if config.strategy != "default" and problem.module is not None:
                with_alias(problem.module)
        for lower, uppers in self.dependencies.l2u.items():
            for upper in uppers:
                self._by_name[lower].add_parent(self._by_name[upper])
                self._by_name[upper].add_child(self._by_name[lower])
        for problem in problems:
            problem.add_paths(map(self._named, self.dependencies.paths(problem.name)))

    def __setattr__(self, name: str, value: Any) -> None:
        warn_of_unused("the engine", INSTEAD, [name])
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        instead_of(INSTEAD, name)
        return super().__getattr__(name)

    train_iters = of_config("train_iters")
    valid_step = of_config("valid_step")
    logger_type = of_config("sink")

    @property
    def early_stopping(self) -> Any:
        """What ends the run when validation improves no more; None if nothing does.

        A function of the metrics of a validation that returns whether to stop may take its place.
        """
        stopping = self._stopping
        return getattr(stopping, "stop", stopping) if stopping.is_active else None

    @early_stopping.setter
    def early_stopping(self, stop: Any) -> None:
        self._stopping = stop if isinstance(stop, EarlyStopping) else StoppedBy(stop)

    def run(self) -> None:
        """Set all modules to training mode, and run for ``train_iters`` global steps.

        A further call runs for as many again, or makes those that are left after an error.
        """
        self.train()
        super().run()
        if self.is_rank_zero():
            self.logger.info("Multilevel optimization finished!")

    def resume(self, path: Any) -> None:
        """Go on from a file: the next run makes what is left of ``train_iters``."""
        super().resume(path)
        self._until = 0

    def train_step(self) -> None:
        """Let each leaf step, and the problems above whose turn it is then."""
        leaf: Any  # a problem of this room
        for leaf in self.leaves:
            leaf.step(global_step=self.global_step)

    def do_validation(self) -> bool:
        """Whether this process validates, and there is a ``validation``."""
        return self.is_implemented("validation") and super()._validates()

    def _validates(self) -> bool:
        return self.do_validation()

    def is_rank_zero(self) -> bool:
        """Whether this is the first of the processes, which writes logs and checkpoints."""
        return self._ranks.rank == 0

    def check_leaf(self, problem: Problem) -> bool:
        """Whether no problem is below one."""
        return not self.dependencies.lowers(problem.name)

    def find_paths(self, src: Problem, dst: Problem) -> list[list[multilevel.Problem]]:
        """Return the paths of the hypergradient of ``dst`` whose last hop is from ``src``."""
        return [path for path in dst.paths if path[-2] is src]

    def is_implemented(self, fn_name: str) -> bool:
        """Whether the engine has a method; for ``validation``, whether it is the user's."""
        own = fn_name != "validation" or self._is_overridden(fn_name)
        return own and callable(getattr(self, fn_name, None))

    def renew(self, problem: Problem) -> None:
        """Take over a problem's new module or optimizer."""
        problem._set_up()
        name = problem.name
        uppers, lowers = self.dependencies.uppers(name), self.dependencies.lowers(name)
        self._nodes[name] = Node(problem, has_upper=bool(uppers), has_lower=bool(lowers))

    # What the parent asks for

    def _last_step(self) -> int:
        if self.global_step >= self._until:
            self._until = self.train_iters + (self.global_step if self._until else 0)
        return self._until

    def _one_step(self) -> None:
        self.global_step += 1
        try:
            self.train_step()
        except BaseException:
            self.global_step -= 1
            raise

    def _checks_late(self) -> bool:
        return True

    def _refuse_edges(self, why: str) -> None:
        checks.warn(
            why
        )  # Betty takes what the edges do not say for constant, and so does the engine

    def _make_sink(self, kind: Any) -> Any:
        self.logger = logger(kind, self.config.folder)
        for problem in self.problems:
            problem.add_logger(self.logger)
        return self.logger.sink

    def _log_step(self, node: Node) -> None:
        if self.is_rank_zero():
            node.problem.log(node.metrics, self.global_step)

    def _log_validation(self, metrics: Mapping[str, Any]) -> None:
        text = log_from_loss_dict(metrics)
        self.logger.info(f"[Validation] [Global Step {self.global_step}] {text}")
        self.logger.log(metrics, tag="validation", step=self.global_step)
