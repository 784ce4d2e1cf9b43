"""Betty's problems: their attributes, counters and overridable steps on :class:`multilevel.Problem`."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from torchopt import multilevel
from torchopt.diff import Explicit
from torchopt.multilevel._data import Batches
from torchopt.multilevel._problem import call_hook, evaluate
from torchopt.multilevel.compat.configs import Config
from torchopt.multilevel.compat.patch import (
    get_distributed_data_loader,
    patch_optimizer,
    patch_scheduler,
)
from torchopt.multilevel.compat.utils import (
    get_dtype,
    instead_of,
    is_one_of_several,
    log_from_loss_dict,
    of_config,
    warn_of_unused,
    with_alias,
)

__all__ = [
    "HigherIterativeProblem",
    "ImplicitProblem",
    "IterativeProblem",
    "MetaIterativeProblem",
    "Problem",
]


#: What Betty's engine calls and this one does not, and what to use instead.
INSTEAD = {
    "backward": "read `engine.hypergradient`, and change gradients in `grad_callback`",
    "configure_device": "pass `device`",
    "configure_distributed_training": "set `EngineConfig(strategy=...)`",
    "configure_roll_back": "set `roll_back` of the config",
    "get_batch_single_loader": "override `get_batch`",
    "initialize": "override `__init__` or the `configure_` methods",
    "one_step_descent": "override `optimizer_step`, `grad_callback` or `param_callback`",
    "patch_data_loader": "pass the loader that is to be used",
    "patch_everything": "pass the module, optimizer, scheduler and loader that are to be used",
    "patch_module": "pass the module that is to be used",
    "patch_optimizer": "pass the optimizer that is to be used",
    "patch_scheduler": "pass the scheduler that is to be used",
    "step_after_roll_back": "call `step`, which rolls back",
    "step_normal": "call `step`",
    "synchronize_params": "nothing is needed: replicas stay identical",
    "train_data_iterator": "call `get_batch`",
}
_UNUSED = {
    **INSTEAD,
    "get_loss": "override `training_step`",
    "set_grads": "override `grad_callback`",
    "training_step_exec": "override `training_step`",
    "meta_trainable_parameters": "detach what is not to be differentiated in the upper loss",
}


class Problem(multilevel.Problem):
    """:class:`torchopt.multilevel.Problem` with Betty's further attributes and methods.

    A batch of ``gradient_accumulation`` is a turn, as in Betty: see ``Config(accumulate="turns")``. A
    class that defines ``param_groups`` or ``trainable_parameters`` has an optimizer of these, of the
    class and the defaults of the given one. ``custom_optimizer_step`` replaces the optimizer's step.

    Args:
        name: By which other problems and the engine call it.
        config: Its settings.
        module: Its module; or ``configure_module`` returns it.
        optimizer: Its optimizer; or ``configure_optimizer`` returns it.
        scheduler: Its scheduler; or ``configure_scheduler`` returns it.
        train_data_loader: Its batches; or ``configure_train_data_loader`` returns them.
        extra_config: Anything; it is kept as ``self.cfg``.
        device: Where it goes; by default to the engine's device.

    Example:
        >>> import torch
        >>> from torchopt.multilevel.compat.problems import ImplicitProblem
        >>> inner = ImplicitProblem("inner", module=torch.nn.Linear(2, 1))
        >>> outer = ImplicitProblem("outer", module=torch.nn.Linear(2, 1))
        >>> inner.add_parent(outer)
        >>> inner.parents
        [ImplicitProblem('outer')]
    """

    accelerator = None
    logger: Any = None

    def __init_subclass__(cls) -> None:
        if "on_epoch_end" in vars(cls):  # its name in Betty 0.1
            cls.epoch_callback = vars(cls)["on_epoch_end"]  # type: ignore[method-assign]

    def __setattr__(self, name: str, value: Any) -> None:
        warn_of_unused(f"problem {self.__dict__.get('name')!r}", _UNUSED, [name])
        super().__setattr__(name, value)
        if name == "on_epoch_end":
            super().__setattr__("epoch_callback", value)

    def __init__(
        self,
        name: str,
        config: multilevel.Config | None = None,
        module: Any = None,
        optimizer: Any = None,
        scheduler: Any = None,
        train_data_loader: Any = None,
        extra_config: Any = None,
        device: Any = None,
        **kwargs: Any,
    ) -> None:
        config = Config() if config is None else config
        super().__init__(
            name,
            config,
            module,
            optimizer,
            scheduler=scheduler,
            train_data_loader=train_data_loader,
            extra_config=extra_config,
            device=device,
            **kwargs,
        )
        self.cfg = extra_config
        self._graph: dict[str, list[Any]] = {"parents": [], "children": [], "paths": []}
        self._cache: dict[str, Any] = {}
        self._opened: list[Batches] = []

    def __getattr__(self, name: str) -> Any:
        instead_of(INSTEAD, name)
        return super().__getattr__(name)

    # The graph, which the engine fills

    @property
    def parents(self) -> list[multilevel.Problem]:
        """The problems that read its solution."""
        return self._graph["parents"]

    @property
    def children(self) -> list[multilevel.Problem]:
        """The problems whose solution it reads."""
        return self._graph["children"]

    @property
    def paths(self) -> list[list[multilevel.Problem]]:
        """The paths of its hypergradient."""
        return self._graph["paths"]

    @property
    def leaf(self) -> bool:
        """Whether no problem is below it."""
        return not self.children

    def add_parent(self, problem: multilevel.Problem) -> None:
        """Add a problem to ``parents``."""
        self.parents.append(problem)

    def add_child(self, problem: multilevel.Problem) -> None:
        """Add a problem to ``children``."""
        self.children.append(problem)

    def add_paths(self, paths: Iterable[list[multilevel.Problem]]) -> None:
        """Add paths to ``paths``."""
        self.paths.extend(paths)

    def clear_dependencies(self) -> None:
        """Empty ``parents``, ``children`` and ``paths``."""
        for them in self._graph.values():
            them.clear()

    def add_logger(self, logger: Any) -> None:
        """Set the logger."""
        self.logger = self.logger or logger

    def add_env(self, env: Any) -> None:
        """Set the environment."""
        self.env = self.env or env

    # Settings and state

    @property
    def _count(self) -> int:
        return self.count

    @property
    def _global_step(self) -> int:
        engine = self._its_engine()
        return 0 if engine is None else engine.global_step

    @property
    def precision(self) -> str:
        """``config.precision``; so are ``gas``, ``warmup_steps`` and the like those of the config."""
        return self.config.precision or "fp32"

    @property
    def dtype(self) -> torch.dtype:
        """The data type of ``precision``."""
        return get_dtype(self.precision)

    gas = of_config("gradient_accumulation")
    gradient_clipping = of_config("gradient_clipping")
    warmup_steps = of_config("warmup_steps")
    log_step = of_config("log_step")
    log_local_step = of_config("log_local_step")
    initial_dynamic_scale = of_config("initial_dynamic_scale")
    scale_factor = of_config("scale_factor")

    @property
    def scaler(self) -> Any:
        """The gradient scaler of ``"fp16"``; None elsewhere."""
        return None if self._engine is None else self._node().precision.scaler

    @property
    def epoch_counter(self) -> list[int]:
        """For each loader, how many epochs have ended."""
        return [loader.epoch for loader in self._node().loaders]

    @property
    def ready(self) -> list[bool]:
        """For each of ``children``, whether it has made its steps since this problem's last."""
        return [
            self._running()._stepper.schedule.has_stepped(c.name, self.name) for c in self.children
        ]

    def check_ready(self) -> bool:
        """Whether all of ``children`` are ``ready``."""
        return all(self.ready)

    def parameters(self) -> list[torch.Tensor]:  # type: ignore[override]  # a list in Betty
        """Return all parameters of the module."""
        return list(super().parameters())

    def meta_trainable_parameters(self) -> list[torch.Tensor]:
        """Return the trained parameters; hypergradients go through all of them."""
        return list(self.trainable_parameters())

    def get_opt_param_group_for_param(self, param: torch.Tensor) -> Any:
        """Return the optimizer's group that holds a parameter; None if none does."""
        groups = self.optimizer.param_groups
        return next((g for g in groups if any(p is param for p in g["params"])), None)

    def get_opt_state_for_param(self, param: torch.Tensor) -> Any:
        """Return the optimizer's state of a parameter."""
        return self.optimizer.state[param]

    def is_rank_zero(self) -> bool:
        """Whether this is the first of the processes."""
        return self._running()._ranks.rank == 0

    def is_implemented(self, name: str) -> bool:
        """Whether a class of the user's overrides a method, or there is one that is no hook."""
        hook = callable(getattr(multilevel.Problem, name, None))
        return super()._overrides(name) if hook else callable(getattr(self, name, None))

    # What is replaced while a run is on

    def set_module(self, module: Any) -> None:
        """Replace the module; its optimizer is then to be set by :meth:`set_optimizer`."""
        is_wrapped = getattr(self.module, "module", None) is self.module
        self.module = module.to(self.device)
        if is_wrapped:
            with_alias(self.module)

    def set_optimizer(self, optimizer: Any) -> None:
        """Replace the optimizer."""
        self.optimizer = optimizer
        self._running().renew(self)

    def set_scheduler(self, scheduler: Any) -> None:
        """Replace the scheduler."""
        self.scheduler = scheduler

    def set_train_data_loader(self, loader: Any, idx: int = 0) -> None:
        """Replace a loader, by its number if there are several."""
        self._node().loaders[idx] = Batches(loader, name=f"the loader of problem {self.name!r}")

    def cache_states(self) -> None:
        """Keep the state of module and optimizer for :meth:`recover_states`."""
        self._cache = copy.deepcopy(self.state_dict())

    def recover_states(self, clean: bool = True) -> None:
        """Restore what :meth:`cache_states` has kept, which is then forgotten if ``clean``."""
        self._restore(self._cache)
        if clean:
            self._cache = {}

    # What a step consists of

    def step(self, global_step: int | None = None) -> None:
        """Make a step; the engine counts, and ``global_step`` changes nothing."""
        super().step()

    def training_step_exec(self, batch: Any) -> Any:
        """Call ``training_step`` in the problem's precision."""
        with self._node().precision.autocast():
            return self.training_step(batch)

    def get_loss(self, batch: Any) -> tuple[torch.Tensor, dict[str, Any]]:
        """Return the loss as it is differentiated (scaled, over ``gas``), and the metrics."""
        precision = self._node().precision
        with precision.autocast():
            loss, metrics = evaluate(self, batch)
        return precision.scale(loss) / self.gas, {**metrics, "loss": metrics["loss"].item()}

    def set_grads(self, params: Sequence[torch.Tensor], grads: Sequence[Any]) -> None:
        """Add gradients to those in ``.grad``."""
        for p, g in zip(params, grads, strict=True):
            if g is not None:
                p.grad = g if p.grad is None else p.grad + g

    def optimizer_step(self, *args: Any, **kwargs: Any) -> None:
        """Call ``custom_optimizer_step`` if the class has one, else the optimizer's step."""
        custom = getattr(self, "custom_optimizer_step", self.optimizer.step)
        custom(*args, **kwargs)

    def gradient_accumulation_boundary(self) -> bool:
        """Whether this turn is the last one before the optimizer's step."""
        return self.count % self.gas == 0

    def epoch_callback_exec(self) -> None:
        """Call ``epoch_callback``."""
        call_hook(self, "epoch_callback")

    def log(self, stats: Mapping[str, Any], global_step: int | None) -> None:
        """Write metrics to the console and to the run's sink."""
        steps = "" if global_step is None else f"[Global Step {global_step}] "
        self.logger.info(
            f'[Problem "{self.name}"] {steps}[Local Step {self.count}] {log_from_loss_dict(stats)}'
        )
        local = global_step is None or self.log_local_step
        self.logger.log(stats, tag=self.name, step=self.count if local else global_step)

    # What the engine asks for

    def _is_warm(self) -> bool:
        return self.count > self.config.warmup_steps or not self.config.warmup_steps

    def _check_hooks(self) -> None:
        """Accept methods whose names begin with `configure_`, as Betty does."""

    def _begins_anew(self) -> bool:
        length = self.config.unroll_steps * self.gas
        return not self.parents and self.count % length == 0 and self._is_warm()

    def _batches(self) -> list[Batches]:
        return self._opened

    def _set_up(self) -> None:
        # In Betty's order, so that a seed gives the same modules and batches.
        if self.train_data_loader is None:
            self.train_data_loader = self.configure_train_data_loader()
        super()._set_up()
        defined = filter(super()._overrides, dir(type(self)))
        warn_of_unused(f"problem {self.name!r}", _UNUSED, defined)
        loaders = self.train_data_loader
        if is_one_of_several() and loaders is not None:
            several = isinstance(loaders, tuple)
            mine = [get_distributed_data_loader(x) for x in (loaders if several else [loaders])]
            self.train_data_loader = tuple(mine) if several else mine[0]
        if not self._opened:
            self._opened = super()._batches()
            for batches in self._opened:
                batches.open()

    def _own_optimizer(self, optimizer: Any) -> Any:
        """Return the optimizer of the parameters that the class names, if it names any."""
        if callable(groups := getattr(self, "param_groups", None)):
            params = groups()
        elif super()._overrides("trainable_parameters"):
            params = self.trainable_parameters()
        else:
            return optimizer
        own = patch_optimizer(optimizer, list(params))
        if self.scheduler is not None:
            self.scheduler = patch_scheduler(self.scheduler, own)
        return own


class ImplicitProblem(Problem):
    """A problem that is differentiated by its config's ``type``."""


class IterativeProblem(Problem):
    """A problem that is differentiated by backpropagation through its steps.

    Example:
        >>> import torch
        >>> from torchopt.multilevel.compat.problems import IterativeProblem
        >>> IterativeProblem("inner", module=torch.nn.Linear(2, 1)).config.type
        'unroll'
    """

    def __init__(
        self, name: str, config: multilevel.Config | None = None, *args: Any, **kwargs: Any
    ) -> None:
        config = config or Config()
        unrolled = {"type": "unroll"} if isinstance(config, Config) else {"diff": Explicit()}
        config = replace(config, **unrolled)
        super().__init__(name, config, *args, **kwargs)


HigherIterativeProblem = MetaIterativeProblem = IterativeProblem
