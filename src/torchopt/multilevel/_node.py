"""What the engine knows of a problem while it runs: its present values and its latest steps."""

from __future__ import annotations

import copy
import functools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from torchopt.autodiff.generators import generator_states
from torchopt.autodiff.tracking import constant
from torchopt.clip import clip_grad_norm
from torchopt.diff import DifferentiationMode, Explicit
from torchopt.multilevel._data import Batches, to_device
from torchopt.multilevel._examples import Part
from torchopt.multilevel._modes import Descent, mode_of
from torchopt.multilevel._precision import Precision
from torchopt.multilevel._problem import Problem, call_hook, show
from torchopt.multilevel._random import equal, random_state, set_random_state
from torchopt.multilevel._twin import Twin, twin
from torchopt.pytree import flattening as pytree
from torchopt.transform.chaining import EmptyState, GradientTransformation

__all__ = ["Micro", "Node", "Window", "copied", "in_turn"]

Micro = Sequence[Part]
"""The batches of one step, each with its weight among those of other processes."""


@dataclass
class Window:
    """The steps of a problem since a problem above it made one.

    Attributes:
        start: The values before the first; None where nothing asks for them.
        state: The optimizer's state there.
        batches: The data of each step; of the last only, where nothing asks for more.
        generators: PyTorch's random states before each.
        solvers: The optimizer of each, with the hyperparameters of that time.
        closed: Whether a problem above has stepped, so that the next step begins another.
        saved: What it is rolled back to; None where it is not.
        uppers: The values of what it reads, where one of several upper problems may step before others.
    """

    start: list[torch.Tensor] | None = None
    state: Any = None
    batches: list[Micro] = field(default_factory=list)
    generators: list[list[torch.Tensor]] = field(default_factory=list)
    solvers: list[GradientTransformation] = field(default_factory=list)
    closed: bool = True
    saved: Any = None
    uppers: dict[str, list[torch.Tensor]] = field(default_factory=dict)

    def copy(self) -> Window:
        """Return a window to which steps can be added apart."""
        batches, generators, solvers = self.batches, self.generators, self.solvers
        return replace(
            self, batches=list(batches), generators=list(generators), solvers=list(solvers)
        )


class Node:
    """A problem at work.

    Attributes:
        problem: The problem.
        mode: How its solution is differentiated; None where nothing is above it.
        tensors: The present values of what it trains: its parameters or, while it is *live*, functions
            of those before and of the problems above.
        state: The state of its functional twin while it is live.
        live: Whether its steps since the last of a problem above are a graph.
        window: Its latest steps.
        metrics: Of its last evaluation.
    """

    def __init__(self, problem: Problem, *, has_upper: bool, has_lower: bool) -> None:
        self.problem = problem
        self.name = problem.name
        self.mode: DifferentiationMode | None = None
        if has_upper:
            rates = functools.partial(rates_of, problem)  # not of the node, which has the mode
            self.mode = mode_of(problem.config, rates, has_lower=has_lower)
        self.scope = getattr(self.mode, "differentiates", "run" if has_upper else "solution")
        self.tensors: list[torch.Tensor] = problem._held
        self.state: Any = None
        self.live = False
        self.window = Window()
        self.metrics: dict[str, Any] = {}
        device = problem._held[0].device
        self.precision = Precision(
            problem.config.precision,
            device,
            scale=problem.config.initial_dynamic_scale,
            growth_factor=problem.config.scale_factor,
        )
        self._ahead: list[Any] = []  # of the user's own `get_batch`
        self._several = isinstance(problem.train_data_loader, tuple)
        loaders = problem.train_data_loader if self._several else (problem.train_data_loader,)
        epoch_end = functools.partial(call_hook, problem, "epoch_callback")
        self.loaders = [
            Batches(loader, name=f"the loader of problem {self.name!r}", on_epoch_end=end)
            for loader, end in zip(loaders, [epoch_end, *[None] * len(loaders)], strict=False)
        ]
        self._device = problem.device or device
        self._twin: Twin | None = None
        self._check_mode()

    @property
    def twin(self) -> Twin:
        """The functional twin of its optimizer."""
        if self._twin is None:
            try:
                self._twin = twin(self.problem.optimizer)
            except (TypeError, ValueError) as error:
                raise type(error)(f"problem {self.name!r}: {error}") from error
        return self._twin

    def transformation(self) -> GradientTransformation:
        """Return its optimizer as a function, with clipping, as it is now."""
        solver = self.twin.transformation()
        largest = self.problem.config.gradient_clipping
        return _clipped(solver, largest) if largest else solver

    def decay(self) -> list[Any]:
        """Return, for each tensor, the L2 penalty that its optimizer adds to the loss."""
        found: dict[int, Any] = {}
        for group in self.problem.optimizer.param_groups:
            if not isinstance(group, dict):
                return []
            decoupled = group.get("decoupled_weight_decay", False)
            rate = 0 if decoupled else group.get("weight_decay", 0)
            found |= {id(p): -rate if group.get("maximize") else rate for p in group["params"]}
        return [found[id(p)] for p in self.problem._held]

    def open(self) -> bool:
        """Begin a new window if the last one is closed, and say so."""
        if not self.window.closed:
            return False
        self.window = Window(closed=False)
        return True

    def begin(self) -> None:
        """Note where the window starts, if it is to be made again."""
        if self.scope != "solution":
            self.window.start = copied(self.tensors)
            self.window.state = copied(self.state if self.live else self.twin.state())

    def note(self, batches: Micro) -> None:
        """Note the data of the step that comes."""
        window = self.window
        if self.scope == "solution":
            window.batches = [batches]
            return
        window.batches.append(batches)
        window.generators.append(generator_states())
        window.solvers.append(self.transformation())

    def live_on(self, tensors: list[torch.Tensor], state: Any) -> None:
        """Take over what an unrolled step returned."""
        self.tensors, self.state, self.live = tensors, state, True
        show(self.problem, tensors)

    def kept(self) -> Node:
        """Return a node with the same values, which stays as this one is now."""
        same = copy.copy(self)
        same.tensors = list(self.tensors) if self.live else copied(self.tensors)
        same.window = self.window.copy()
        return same

    def settle(self) -> None:
        """Write what the unrolled steps have come to into the user's parameters and optimizer."""
        if self.live:
            self.twin.write(constant(self.tensors), constant(self.state))
            self.abandon()

    def abandon(self) -> None:
        """Forget unrolled steps."""
        self.tensors, self.state, self.live = self.problem._held, None, False
        show(self.problem, self.tensors)

    def _check_mode(self) -> None:
        """Refuse before the first step what the mode cannot do."""
        if isinstance(self.mode, Descent):
            self.mode.rates()
        if self.scope != "solution" or self.preconditioned:
            self.twin.params  # noqa: B018  # it must have one
        if self.scope == "solution":
            return
        for hook in ("grad_callback", "param_callback"):
            if self.problem.is_implemented(hook):
                raise ValueError(
                    f"problem {self.name!r} is unrolled and defines `{hook}`, whose changes would be "
                    f"lost to the derivative: make them part of its loss or its optimizer, or choose a "
                    f'mode that does not unroll, such as type="sama".'
                )
        if self.problem.config.precision == "fp16":
            raise ValueError(
                f'problem {self.name!r} is unrolled in "fp16", whose scaled steps may be skipped: use '
                f'precision="bf16", or a mode that does not unroll.'
            )

    def next_batch(self) -> Any:
        """Return the next batch."""
        if self._ahead:
            return self._ahead.pop()
        if self.problem.is_implemented("get_batch"):
            return self.problem.get_batch()
        return self._batch([loader.next() for loader in self.loaders])

    def peek_batch(self, *, quietly: bool = False) -> Any:
        """Return the batch that comes next; ``quietly`` without the callback of an epoch's end."""
        if self.problem.is_implemented("get_batch"):
            self._ahead = self._ahead or [self.problem.get_batch()]
            return self._ahead[0]
        return self._batch([loader.peek(quietly=quietly) for loader in self.loaders])

    def look(self) -> Any:
        """Return the batch that comes next, and leave loaders and random numbers as they are."""
        before = random_state()
        positions = [loader.state_dict() for loader in self.loaders]
        batch = self.peek_batch(quietly=True)
        epochs = [position["opened"] for position in positions]
        drawn = any(not equal(before.get(name), x) for name, x in random_state().items())
        if drawn or epochs != [loader.state_dict()["opened"] for loader in self.loaders]:
            for loader, position in zip(self.loaders, positions, strict=True):
                loader.load_state_dict(position)
            set_random_state(before)
        return batch

    def _batch(self, batches: list[Any]) -> Any:
        moved = [to_device(batch, self._device) for batch in batches]
        return tuple(moved) if self._several else moved[0]

    @property
    def pending(self) -> bool:
        """Whether its latest steps are still to be differentiated, all of them."""
        return self.live or (self.scope != "solution" and not self.window.closed)

    @property
    def preconditioned(self) -> bool:
        """Whether its mode takes a step of its own optimizer."""
        return getattr(self.mode, "step_size", 0) is None

    @property
    def unrolled(self) -> bool:
        """Whether each step is differentiated as it is made."""
        return self.scope == "steps"

    @property
    def explicit(self) -> Explicit:
        """Its mode, if it is unrolled."""
        assert isinstance(self.mode, Explicit)
        return self.mode


def rates_of(problem: Problem) -> list[float]:
    """Return the present learning rate of each tensor of a problem."""
    found: dict[int, float] = {}
    for group in problem.optimizer.param_groups:
        if not isinstance(group, dict) or "lr" not in group:
            raise ValueError(
                f'type="darts" takes one step with the learning rate of problem {problem.name!r}, but '
                f"its optimizer, {type(problem.optimizer).__name__}, does not tell it: use "
                f'type="sama", or pass diff=torchopt.diff.OneStep(step_size=...).'
            )
        found |= dict.fromkeys(map(id, group["params"]), float(group["lr"]))
    return [found[id(p)] for p in problem._held]


def in_turn(solvers: Sequence[GradientTransformation]) -> GradientTransformation:
    """Return a transformation that does one update with each of some."""
    if all(solver is solvers[0] for solver in solvers):
        return solvers[0]

    def update(updates: Any, state: Any, *, params: Any = None, inplace: bool = True) -> Any:
        count, inner = state
        updates, inner = solvers[count].update(updates, inner, params=params, inplace=inplace)
        return updates, (count + 1, inner)

    return GradientTransformation(lambda params: (0, solvers[0].init(params)), update)


def _clipped(solver: GradientTransformation, largest: float) -> GradientTransformation:
    clip = clip_grad_norm(largest)

    def update(updates: Any, state: Any, *, params: Any = None, inplace: bool = True) -> Any:
        updates, _ = clip.update(updates, EmptyState(), params=params, inplace=False)
        return solver.update(updates, state, params=params, inplace=inplace)

    return GradientTransformation(solver.init, update)


def copied(tree: Any) -> Any:
    """Return a tree with copies of its tensors, without a graph."""

    def own(leaf: Any) -> Any:
        return leaf.detach().clone() if isinstance(leaf, torch.Tensor) else leaf

    return pytree.map_leaves(own, tree)
