"""A problem of a multilevel program: parameters, data, an optimizer, and a loss that reads others."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakValueDictionary, ref

import torch
from torch import nn

from torchopt import checks
from torchopt.autodiff.tracking import constant, copied
from torchopt.diff.batches import Batches as Loader
from torchopt.io.calls import CallRepr, explained
from torchopt.modules.functional import FunctionalCopy
from torchopt.multilevel._config import Config
from torchopt.multilevel._data import Batches
from torchopt.multilevel._examples import Examples, count_examples, shapes_of
from torchopt.optim import MetaOptimizer, Optimizer
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree
from torchopt.transform.chaining import GradientTransformation

_CONFIG = checks.or_none(checks.of_type(Config, "a `torchopt.multilevel.Config`"))
_MODULE = checks.or_none(checks.of_type(nn.Module, "a `torch.nn.Module`"))
_OPTIMIZER = checks.Word(
    "pass one of `torch.optim`, of `torchopt`, or a gradient transformation such as "
    "`torchopt.adam(1e-3)`",
    holds=lambda o: hasattr(o, "param_groups") and not isinstance(o, MetaOptimizer),
    error=TypeError,
)
_LIBRARY = __name__.rpartition(".")[0]


class Env(CallRepr):
    """An environment that problems share, as in reinforcement learning: ``self.env`` in each problem.

    Subclasses add the methods that their problems call, such as ``reset`` and ``step``. ``state_dict``
    returns what is saved with a run.

    Example:
        >>> from torchopt.multilevel import Env
        >>> class Walk(Env):
        ...     def reset(self):
        ...         self.place = 0
        >>> Walk().state_dict()
        {}
    """

    def state_dict(self) -> dict[str, Any]:
        """Return what a checkpoint keeps of the environment; nothing by default."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what :meth:`state_dict` returned."""


class Problem:
    """One level: minimize a loss over the parameters of a module, or over a tree of tensors.

    Subclasses define :meth:`training_step`. In it, ``self.module`` is the problem's module, and other
    problems are attributes by their names. For example, with a problem named ``"outer"`` above,
    ``self.outer(x)`` calls its :meth:`forward`, and ``self.outer.module`` is its module with the
    parameter values of this evaluation. The problem trains the parameters that its optimizer holds and
    that require grad.

    Args:
        name: The name by which other problems and the engine refer to it.
        config: The settings.
        module: The module; alternatively :meth:`configure_module` returns it.
        optimizer: An optimizer of ``torch.optim`` or of this library on its parameters; a gradient
            transformation, which is applied to all of them; alternatively
            :meth:`configure_optimizer` returns it. It is used directly, not rebuilt.
        scheduler: A learning-rate scheduler of that optimizer; it steps with the optimizer.
        train_data_loader: The source of batches, which is repeated: a ``DataLoader`` or another
            iterable, a list of batches, a dictionary of stacked tensors, or a function of the step,
            which never ends; a tuple of these for a tuple of batches; None if ``training_step`` needs
            no data. Alternatively :meth:`configure_train_data_loader` returns it.
        extra_config: Any object; it becomes ``self.extra_config``.
        params: A tree of tensors instead of a module; ``self.params`` in ``training_step``.
        device: The device of parameters and batches. By default batches go to the parameters' device.

    Attributes:
        count: The number of its steps, including one in progress.
        cur_batch: The batch of its latest step; None before the first.
        device: The device of its batches.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the name is not an identifier, or hides an attribute.

    Example:
        >>> import torch
        >>> from torchopt.diff import Implicit
        >>> from torchopt.multilevel import Config, Problem
        >>> class Ridge(Problem):
        ...     def training_step(self, batch):
        ...         return (self.params - 1).square() + self.penalty.params * self.params ** 2
        >>> w = torch.zeros((), requires_grad=True)
        >>> sgd = torch.optim.SGD([w], 0.1)
        >>> problem = Ridge("ridge", Config(diff=Implicit()), optimizer=sgd, params=w)

    References:
        Choe et al., *Betty*, 2023, section 4.
    """

    @explained
    def __init__(
        self,
        name: str,
        config: Config | None = None,
        module: nn.Module | None = None,
        optimizer: torch.optim.Optimizer | GradientTransformation | None = None,
        *,
        scheduler: torch.optim.lr_scheduler.LRScheduler | None = None,
        train_data_loader: Loader | tuple[Loader, ...] | None = None,
        extra_config: object = None,
        params: TensorTree = None,
        device: torch.device | str | int | None = None,
    ) -> None:
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"a problem's name is {name!r}: use an identifier, such as 'inner'.")
        checks.check(f"the config of problem {name!r}", config, _CONFIG)
        self.name = name
        self.config = config or Config()
        self.optimizer: Any = optimizer
        self.scheduler: Any = scheduler
        self.train_data_loader: Any = train_data_loader
        self.extra_config = extra_config
        self.device: Any = device
        self.env: Env | None = None
        self.count = 0
        self.cur_batch: Any = None
        self._engine: ref[Any] | None = None  # of the engine, whose module imports this one
        self._module = module
        self._params = params
        self._view: tuple[nn.Module | None, Any] | None = None
        self._view_of: dict[int, torch.Tensor] = {}
        self._below: dict[str, Problem] = {}
        # Weak, since in a cycle tensors wait to be collected: the engine holds all problems.
        self._others: WeakValueDictionary[str, Problem] = WeakValueDictionary()
        self._held: list[torch.Tensor] = []
        self._constants: list[torch.Tensor] = []

    # What users define

    def training_step(self, batch: Any) -> Any:
        """Return the loss of a batch, a scalar, or a dictionary with it as ``"loss"`` and metrics."""
        raise NotImplementedError(f"problem {self.name!r} defines no `training_step(self, batch)`.")

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What a call of the problem does; by default, it calls the module."""
        if self.module is None:
            raise TypeError(
                f"problem {self.name!r} has no module to call: define its `forward`, or read its "
                f"`params`."
            )
        return self.module(*args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call :meth:`forward`."""
        return self.forward(*args, **kwargs)

    def configure_module(self) -> nn.Module | None:
        """Return the module, where none was given."""
        return None

    def configure_optimizer(self) -> torch.optim.Optimizer | GradientTransformation | None:
        """Return the optimizer, where none was given."""
        return None

    def configure_scheduler(self) -> torch.optim.lr_scheduler.LRScheduler | None:
        """Return the scheduler, where none was given."""
        return None

    def configure_train_data_loader(self) -> Loader | tuple[Loader, ...] | None:
        """Return the loader, where none was given."""
        return None

    def get_batch(self) -> Any:
        """Return the next batch, by default that of the loader; may be overridden."""
        return self._node().draw()

    def num_examples(self, batch: Any) -> float | None:
        """Return the number of examples over which the loss of a batch is a mean; None if unknown.

        With several processes, each process's loss is weighted by it. By default it is the length of
        the batch's tensors along their first dimension, if that is the same for all. Override it if
        the loss is a mean over something else: tokens, the nodes of a graph, the queries of a task.
        """
        return count_examples(batch)

    def on_inner_loop_start(self) -> None:
        """Called before the first of the steps that lead to an upper problem's step."""

    def grad_callback(self) -> None:
        """Called when the gradients are in ``.grad``, before they are clipped."""

    def param_callback(self) -> None:
        """Called after each step, to change parameters in place, such as to clamp them."""

    def epoch_callback(self) -> None:
        """Called when the loader has come to its end."""

    def optimizer_step(self) -> None:
        """Update the parameters by the gradients, which are in ``.grad``; may be overridden."""
        self.optimizer.step()

    def clip_grad(self) -> None:
        """Scale the gradients to a norm of at most ``gradient_clipping``; may be overridden."""
        if (largest := self.config.gradient_clipping) is not None:
            nn.utils.clip_grad_norm_(self._held, largest)

    def zero_grad(self) -> None:
        """Remove the gradients of the trained parameters."""
        for p in self._held:
            p.grad = None

    # What they may call

    def step(self) -> None:
        """Make a step, and then the steps of the problems above whose turn it is.

        :meth:`Engine.train_step` calls this for all problems without lower problems, the engine's
        ``leaves``; your own ``train_step`` may do the same. For other problems it does nothing.

        Raises:
            RuntimeError: If the problem has no engine.
        """
        self._running()._step([self.name])

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the module, the optimizer and the scheduler, under these names.

        For a problem with ``params``, the state has them under that name. While unrolled steps wait for
        an upper problem, it is the state before them. :meth:`Engine.save` saves a whole run.

        Example:
            >>> import torch
            >>> from torchopt.multilevel import Engine, Problem
            >>> class Line(Problem):
            ...     def training_step(self, batch):
            ...         return self.module(torch.ones(1)).square().sum()
            >>> net = torch.nn.Linear(1, 1)
            >>> line = Line("line", module=net, optimizer=torch.optim.SGD(net.parameters(), 0.1))
            >>> engine = Engine([line])
            >>> sorted(line.state_dict())
            ['module', 'optimizer']
        """
        state = {"optimizer": self.optimizer.state_dict()}
        if self._module is not None:
            state["module"] = dict(self._module.state_dict())
        if self._params is not None:
            state["params"] = copied(constant(self._params))
        if self.scheduler is not None:
            state["scheduler"] = self.scheduler.state_dict()
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Restore what :meth:`state_dict` returned; waiting unrolled steps are discarded.

        Args:
            state_dict: The state; the scheduler's part may be missing.
        """
        if self._engine is not None:
            self._node().forget_steps()
        self._restore(state_dict)

    def _restore(self, state: Mapping[str, Any]) -> None:
        if self._module is not None:
            self._module.load_state_dict(state["module"])
        if self._params is not None:
            saved = pytree.leaves(state["params"])
            with torch.no_grad():
                for t, value in zip(pytree.leaves(self._params), saved, strict=True):
                    t.copy_(value)
        self.optimizer.load_state_dict(state["optimizer"])
        if self.scheduler is not None and "scheduler" in state:
            self.scheduler.load_state_dict(state["scheduler"])

    # What they read

    @property
    def module(self) -> Any:
        """The module, with the values at which a loss is being evaluated."""
        return self._module if self._view is None else self._view[0]

    @module.setter
    def module(self, module: Any) -> None:
        self._module = module

    @property
    def params(self) -> TensorTree:
        """The tree of parameters, likewise."""
        return self._params if self._view is None else self._view[1]

    def parameters(self) -> Iterator[torch.Tensor]:
        """Yield all parameters of the module and of the tree, likewise."""
        if self.module is not None:
            yield from self.module.parameters()
        yield from (t for t in pytree.leaves(self.params) if isinstance(t, torch.Tensor))

    def trainable_parameters(self) -> list[torch.Tensor]:
        """Return the parameters that are trained, likewise."""
        return [self._view_of.get(id(p), p) for p in self._held]

    def train(self) -> None:
        """Set the module to training mode."""
        self._set_mode(True)

    def eval(self) -> None:
        """Set the module to evaluation mode."""
        self._set_mode(False)

    def _set_mode(self, training: bool) -> None:
        for module in (self._module, self.module):  # and what shows other values of it
            if module is not None:
                module.train(training)

    def _overrides(self, name: str) -> bool:
        """Whether the problem or its class overrides a method of the library's."""
        if name in vars(self):
            return callable(vars(self)[name])
        owner = next((cls for cls in type(self).__mro__ if name in vars(cls)), Problem)
        return not f"{owner.__module__}.".startswith(f"{_LIBRARY}.")

    def __getattr__(self, name: str) -> Any:
        others = {**self.__dict__.get("_below", {}), **self.__dict__.get("_others", {})}
        if name in others:
            return others[name]
        known = ", ".join(map(repr, others)) or "none yet"
        raise AttributeError(
            f"problem {self.__dict__.get('name')!r} has no attribute {name!r}, and no problem that it "
            f"is connected to has that name ({known}): is an edge missing in the dependencies, or is "
            f"the engine gone, which holds all problems?"
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    # What the engine asks for

    def _set_up(self) -> None:
        """Create what the constructor was not given, and collect the trained parameters."""
        self._check_hooks()
        if self._module is None:
            self._module = self.configure_module()
        checks.check(f"the `module` of problem {self.name!r}", self._module, _MODULE)
        if self.device is not None and self._module is not None:
            self._module.to(self.device)
        if self.optimizer is None:
            self.optimizer = self.configure_optimizer()
        if self._module is None and self._params is None:
            raise ValueError(
                f"problem {self.name!r} has neither a `module` nor `params`: pass one."
            )
        own = {id(p): p for p in self.parameters()}
        self.optimizer = self._own_optimizer(self.optimizer)
        if isinstance(self.optimizer, GradientTransformation):
            trainable = [p for p in self.parameters() if p.requires_grad]
            self.optimizer = Optimizer(trainable, self.optimizer)
        if self.optimizer is None:
            raise ValueError(f"problem {self.name!r} has no optimizer: pass one.")
        if isinstance(self.optimizer, torch.optim.LBFGS):
            raise TypeError(
                f"the optimizer of problem {self.name!r} is L-BFGS, which evaluates the loss by "
                f"itself: use one that takes gradients."
            )
        self._held = _held(self.optimizer)
        if not self._held:
            raise ValueError(
                f"the optimizer of problem {self.name!r} holds no tensor that requires grad."
            )
        for index, p in enumerate(self._held):
            if id(p) not in own:
                raise ValueError(
                    f"tensor {index} of the optimizer of problem {self.name!r}, of shape "
                    f"{tuple(p.shape)}, is in neither its `module` nor its `params`: make the "
                    f"optimizer of the problem's own parameters, after moving them to the device."
                )
        self.device = self._held[0].device if self.device is None else torch.device(self.device)
        held = {id(p) for p in self._held}
        self._constants = [p for i, p in own.items() if p.requires_grad and i not in held]
        if self.scheduler is None:
            self.scheduler = self.configure_scheduler()
        if self.train_data_loader is None:
            self.train_data_loader = self.configure_train_data_loader()

    def _connect(self, others: Iterable[Problem], below: Collection[str]) -> None:
        """Make other problems available by their names; ``below`` are those below this one."""
        for other in others:
            if other.name in self.__dict__ or hasattr(type(self), other.name):
                raise ValueError(
                    f"a problem is named {other.name!r}, which hides an attribute of problem "
                    f"{self.name!r}: choose another name."
                )
            for table in (self._below, self._others):  # of an engine before
                table.pop(other.name, None)
            (self._below if other.name in below else self._others)[other.name] = other
            theirs = {id(p) for p in other._held}  # of a shared module
            self._constants = [p for p in self._constants if id(p) not in theirs]

    def _own_optimizer(self, optimizer: Any) -> Any:
        """Return the optimizer to use, given the user's."""
        return optimizer

    def _is_warm(self) -> bool:
        """Whether it has made the steps before which problems above it wait."""
        return self.count >= self.config.warmup_steps

    def _begins_anew(self) -> bool:
        """Whether its next step is the first of several, though no problem above has stepped."""
        return False

    def _batches(self) -> list[Batches]:
        """Return the batches of each of its loaders."""
        loaders = self.train_data_loader
        loaders = loaders if isinstance(loaders, tuple) else (loaders,)
        epoch_end = functools.partial(call_hook, self, "epoch_callback")
        return [
            Batches(loader, name=f"the loader of problem {self.name!r}", on_epoch_end=end)
            for loader, end in zip(loaders, [epoch_end, *[None] * len(loaders)], strict=False)
        ]

    def _its_engine(self) -> Any:
        return None if self._engine is None else self._engine()

    def _running(self) -> Any:
        engine = self._its_engine()
        if engine is None:
            raise RuntimeError(f"problem {self.name!r} has no engine: make one with it first.")
        return engine

    def _node(self) -> Any:
        return self._running()._nodes[self.name]

    def _check_hooks(self) -> None:
        for name in (*vars(type(self)), *vars(self)):
            if name.startswith("configure_") and not hasattr(Problem, name):
                raise TypeError(
                    f"problem {self.name!r} defines `{name}`, which nothing calls: use "
                    f"`configure_module`, `configure_optimizer`, `configure_scheduler` or "
                    f"`configure_train_data_loader`."
                )


def _held(optimizer: Any) -> list[torch.Tensor]:
    """Return the tensors that an optimizer trains, each once."""
    checks.check("the optimizer", optimizer, _OPTIMIZER)
    tensors: dict[int, torch.Tensor] = {}
    for group in optimizer.param_groups:
        for p in group["params"]:
            if p.requires_grad:
                tensors.setdefault(id(p), p)
    return list(tensors.values())


def show(problem: Problem, tensors: Sequence[torch.Tensor]) -> FunctionalCopy | None:
    """Replace the values of a problem's trained parameters in its losses, until the next call."""
    table = {id(p): t for p, t in zip(problem._held, tensors, strict=True) if p is not t}
    problem._view, problem._view_of = None, table
    if not table:
        return None
    # What requires grad and is not trained is a constant of the problem.
    table |= {id(p): p.detach() for p in problem._constants}
    # What torch.compile has made reads its own parameters, whatever a view has.
    module = getattr(problem._module, "_orig_mod", problem._module)
    view = None if module is None else FunctionalCopy(module, table)
    leaves, spec = pytree.flatten(problem._params)
    tree = pytree.unflatten(spec, [table.get(id(t), t) for t in leaves])
    problem._view = (None if view is None else view.module, tree)
    return view


@contextmanager
def viewed(values: Mapping[Problem, Sequence[torch.Tensor]]) -> Iterator[None]:
    """Replace the values of problems' trained parameters in a block."""
    before = [(problem, problem._view, problem._view_of) for problem in values]
    try:
        views = [show(problem, tensors) for problem, tensors in values.items()]
        yield
        for view in views:
            if view is not None:
                view.write_back()
    finally:
        for problem, shown, table in before:
            problem._view, problem._view_of = shown, table


def evaluate(problem: Problem, batch: Any) -> tuple[torch.Tensor, dict[str, Any]]:
    """Return the loss of a problem on a batch, with the values that are shown now, and its metrics."""
    try:
        out = problem.training_step(batch)
    except (TypeError, AttributeError) as error:
        if batch is None and "NoneType" in str(error):
            raise TypeError(
                f"problem {problem.name!r} has no data, so that `training_step` was given None for its "
                f"batch ({error}): pass a `train_data_loader`, such as a list of batches."
            ) from error
        raise
    metrics: dict[str, Any] = {}
    if isinstance(out, Mapping):
        if "loss" not in out:
            raise TypeError(
                f"`training_step` of problem {problem.name!r} returned a dictionary without a "
                f'"loss": add the loss under that key.'
            )
        metrics = constant({key: value for key, value in out.items() if key != "loss"})
        out = out["loss"]
    what = f"the loss of problem {problem.name!r}"
    checks.check_loss(out, what=what, needs_grad=False, value=False)
    metrics = {"loss": out.detach(), **metrics}
    return out.squeeze(), metrics


def examples_of(problem: Problem, batch: Any) -> Examples:
    """Return the number of a batch's examples, and its shapes."""
    number = problem.num_examples(batch)
    count = None if number is None else float(number)
    what = f"the result of `num_examples` of problem {problem.name!r}"
    checks.check(what, count, checks.or_none(checks.NOT_NEGATIVE))
    is_user_defined = problem._overrides("num_examples")
    return Examples(count, is_user_defined, shapes_of(batch), str(pytree.flatten(batch)[1]))


def call_hook(problem: Problem, name: str, *args: Any) -> None:
    """Call a user's hook with as many of the arguments as it takes, as in Betty."""
    hook = getattr(problem, name)
    if problem._overrides(name):
        taken = len(inspect.signature(hook).parameters)
        hook(*args[:taken])
