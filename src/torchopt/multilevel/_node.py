"""A problem during a run: its present values, its latest steps, and its data."""

from __future__ import annotations

import copy
import functools
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from torchopt.autodiff.generators import generator_states
from torchopt.autodiff.tracking import constant, copied
from torchopt.diff import DifferentiationMode, Explicit, ValueFunction, ZeroOrder
from torchopt.diff.protocols import Differentiates, differentiated_by
from torchopt.multilevel._data import to_device
from torchopt.multilevel._examples import WeightedBatch
from torchopt.multilevel._modes import Descent
from torchopt.multilevel._precision import Precision
from torchopt.multilevel._problem import Problem, call_hook, show
from torchopt.multilevel._random import equal, random_state, set_random_state
from torchopt.optim.as_transformation import FunctionalOptimizer, as_transformation
from torchopt.pytree import flattening as pytree
from torchopt.transform import clip_grad_norm
from torchopt.transform.chaining import (
    EmptyState,
    GradientTransformation,
    GradientTransformationExtraArgs,
)
from torchopt.transform.extra_args import select, union
from torchopt.transform.hyperparameters import is_scalar

MicroBatches = Sequence[WeightedBatch]
"""The batches of one step, each with its weight among those of other processes."""


@dataclass
class Window:
    """The steps of a problem since the last step of a problem above it.

    Attributes:
        start: The values before the first; None if the mode does not need them.
        state: The optimizer's state there.
        batches: The data of each step, or of the last one if the mode needs no more.
        generators: The states of PyTorch's random generators before each step.
        solvers: The optimizer of each step, with the hyperparameters of that step.
        closed: Whether a problem above has stepped, so that the next step begins another.
        saved: The state that it is rolled back to; None without roll back.
        uppers: The values of problems that it reads, if one of several upper problems may step first.
    """

    start: list[torch.Tensor] | None = None
    state: Any = None
    batches: list[MicroBatches] = field(default_factory=list)
    generators: list[list[torch.Tensor]] = field(default_factory=list)
    solvers: list[GradientTransformation] = field(default_factory=list)
    closed: bool = True
    saved: Any = None
    uppers: dict[str, list[torch.Tensor]] = field(default_factory=dict)

    def copy(self) -> Window:
        """Return a copy to which steps can be added."""
        batches, generators, solvers = self.batches, self.generators, self.solvers
        return replace(
            self, batches=list(batches), generators=list(generators), solvers=list(solvers)
        )


class Node:
    """A problem during a run.

    Attributes:
        problem: The problem.
        mode: How its solution is differentiated; None where nothing is above it.
        tensors: The present values of what it trains: its parameters or, while it is *live*, functions
            of those before and of the problems above.
        state: The state of its functional optimizer while it is live.
        live: Whether its steps since the last of a problem above are a graph.
        window: Its latest steps.
        metrics: Of its last evaluation.
        turns: How many turns make one step of its optimizer.
        partial: The sum of the gradients of the turns since the optimizer's last step.
    """

    def __init__(
        self, problem: Problem, *, has_upper: bool, has_lower: bool, sharded: bool = False
    ) -> None:
        self.problem = problem
        self.name = problem.name
        self.mode: DifferentiationMode | None = None
        if has_upper:
            rates = functools.partial(rates_of, problem)  # not of the node, which has the mode
            adam = "adam" in type(problem.optimizer).__name__.lower()
            self.mode = problem.config._mode(rates, has_lower=has_lower, adam=adam, sharded=sharded)
        self.scope: Differentiates = (
            "solution" if self.mode is None else differentiated_by(self.mode)
        )
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
        self.turns = problem.config.gradient_accumulation
        if problem.config.accumulate == "batches" or not self.pointwise:
            self.turns = 1
        self.partial: list[torch.Tensor | None] | None = None
        self._ahead: list[Any] = []  # of the user's own `get_batch`
        self._several = isinstance(problem.train_data_loader, tuple)
        self.loaders = problem._batches()
        self._device = problem.device
        self._functional: FunctionalOptimizer | None = None
        self._check_mode()

    @property
    def functional(self) -> FunctionalOptimizer:
        """Its optimizer as a transformation."""
        if self._functional is None:
            try:
                self._functional = as_transformation(self.problem.optimizer)
            except (TypeError, ValueError) as error:
                raise type(error)(f"problem {self.name!r}: {error}") from error
        return self._functional

    def transformation(self) -> GradientTransformation:
        """Return its optimizer as a function, with clipping, as it is now."""
        solver = self.functional.transformation()
        largest = self.problem.config.gradient_clipping
        return _clipped(solver, largest) if largest else solver

    def decay(self) -> list[Any]:
        """Return, for each tensor, the L2 penalty that its optimizer adds to the loss."""
        rates: dict[int, Any] = {}
        for group in self.problem.optimizer.param_groups:
            rate = group.get("weight_decay", 0)
            if group.get("decoupled_weight_decay") or not is_scalar(rate):
                rate = 0
            rates |= {id(p): -rate if group.get("maximize") else rate for p in group["params"]}
        return [rates[id(p)] for p in self.problem._held]

    def open(self) -> bool:
        """Begin a new window if the last one is closed; return whether it was."""
        if not (self.window.closed or self.problem._begins_anew()):
            return False
        self.window = Window(closed=False)
        return True

    def begin(self) -> None:
        """Call the hook of a window, and record the values there if the mode repeats its steps."""
        before, hook = self.tensors, "on_inner_loop_start"
        amid = self.live and self.problem._overrides(hook)
        if amid:  # parameters that it puts back are constants; others stay functions
            self.take_results([t.requires_grad_() for t in copied(constant(before))], self.state)
        call_hook(self.problem, hook)
        if amid:
            pairs = zip(before, self.tensors, strict=True)
            self.take_results([t if torch.equal(t, now) else now for t, now in pairs], self.state)
        if not self.pointwise:
            self.window.start = copied(constant(self.tensors))
            state = self.state if self.live else self.functional.state()
            self.window.state = copied(constant(state))

    def note(self, batches: MicroBatches) -> None:
        """Record the data of the next step."""
        window = self.window
        if self.pointwise:
            earlier = window.batches[-1] if window.batches and self.partial is not None else []
            window.batches = [[*earlier, *batches]]
            return
        window.batches.append(batches)
        window.generators.append(generator_states())
        window.solvers.append(self.transformation())

    def take_results(self, tensors: list[torch.Tensor], state: Any) -> None:
        """Take the results of an unrolled step as present values."""
        self.tensors, self.state, self.live = tensors, state, True
        show(self.problem, tensors)

    def forget_steps(self) -> None:
        """Discard unrolled steps, and begin another window."""
        self.discard_steps()
        self.window, self.partial = Window(), None

    def snapshot(self) -> Node:
        """Return a copy with the present values, which later steps leave as it is."""
        same = copy.copy(self)
        same.tensors = list(self.tensors) if self.live else copied(constant(self.tensors))
        same.window = self.window.copy()
        return same

    def write_back(self) -> None:
        """Write the results of unrolled steps into the user's parameters and optimizer."""
        if self.live:
            self.functional.write(constant(self.tensors), constant(self.state))
            self.discard_steps()

    def discard_steps(self) -> None:
        """Discard unrolled steps."""
        self.tensors, self.state, self.live = self.problem._held, None, False
        show(self.problem, self.tensors)

    def _check_mode(self) -> None:
        """Raise, before the first step, if the mode cannot differentiate this problem."""
        if isinstance(self.mode, Descent):
            self.mode.rates()
        if self.unrolled and not isinstance(self.mode, Explicit):
            raise TypeError(
                f"problem {self.name!r} makes its steps by `Explicit` where its mode differentiates "
                f'"steps", but {type(self.mode).__name__} is another: let it differentiate "run", or '
                f"write the program with `torchopt.multilevel.Level`."
            )
        if not self.pointwise or self.preconditioned:
            self.functional.params  # noqa: B018  # it must have one
        self.check_hooks()
        if not self.pointwise and self.problem.config.precision == "fp16":
            raise ValueError(
                f'problem {self.name!r} is unrolled in "fp16", whose scaled steps may be skipped: use '
                f'precision="bf16", or a mode that does not unroll.'
            )

    def check_hooks(self) -> None:
        """Raise if the problem has hooks that its mode cannot repeat; they may be set at any time."""
        if self.pointwise:
            return
        clip = ("clip_grad",) if self.problem.config.gradient_clipping else ()
        hooks = ("grad_callback", "param_callback", "optimizer_step", "custom_optimizer_step")
        for hook in (*hooks, *clip):
            if self.problem._overrides(hook):
                raise ValueError(
                    f"problem {self.name!r} is unrolled and defines `{hook}`, whose changes would be "
                    f"lost to the derivative: make them part of its loss or its optimizer, or choose a "
                    f"mode that does not unroll, such as diff=OneStep()."
                )

    def autocast(self, batch: Any, trains: bool) -> AbstractContextManager[Any]:
        """Return the context of an evaluation, which ``trains``, or differentiates its solution."""
        by_differences = (
            isinstance(self.mode, (ValueFunction, ZeroOrder))
            or getattr(self.mode, "hvp", None) == "finite_difference"
        )
        # Differences are lost in the rounding of bfloat16; second derivatives of a loss that is not
        # scaled are too small for float16.
        precise = by_differences or self.precision.name == "fp16"
        if not precise or (trains and not self.unrolled):
            return self.precision.autocast()
        module = self.problem._module
        own = [] if module is None else [*module.parameters(), *module.buffers()]
        return self.precision.precise([*own, *pytree.leaves(batch)])

    def next_batch(self) -> Any:
        """Return the next batch."""
        if self._ahead:
            return self._ahead.pop()
        if self.problem._overrides("get_batch"):
            return self.problem.get_batch()
        return self.draw()

    def draw(self) -> Any:
        """Return the next batch of the loaders."""
        return self._batch([loader.next() for loader in self.loaders])

    def peek_batch(self, *, quietly: bool = False) -> Any:
        """Return the next batch, which stays next; ``quietly`` omits the epoch callback."""
        if self.problem._overrides("get_batch"):
            self._ahead = self._ahead or [self.problem.get_batch()]
            return self._ahead[0]
        return self._batch([loader.peek(quietly=quietly) for loader in self.loaders])

    def preview(self) -> Any:
        """Return the next batch without drawing it: loaders and random numbers stay as they are."""
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
        on_device = [to_device(batch, self._device) for batch in batches]
        return tuple(on_device) if self._several else on_device[0]

    @property
    def pending(self) -> bool:
        """Whether all of its latest steps are still to be differentiated."""
        return self.live or (not self.pointwise and not self.window.closed)

    @property
    def pointwise(self) -> bool:
        """Whether its mode needs the last point only."""
        return self.scope not in ("steps", "run")

    @property
    def preconditioned(self) -> bool:
        """Whether its mode differentiates a step of the problem's own optimizer."""
        return self.scope == "step"

    @property
    def unrolled(self) -> bool:
        """Whether each step builds a graph when it is done."""
        return self.scope == "steps"

    @property
    def explicit(self) -> Explicit:
        """Its mode, if it is unrolled."""
        assert isinstance(self.mode, Explicit)
        return self.mode


def rates_of(problem: Problem) -> list[float]:
    """Return the present learning rate of each tensor of a problem."""
    rates: dict[int, float] = {}
    for group in problem.optimizer.param_groups:
        if not is_scalar(group.get("lr")):
            raise ValueError(
                f"without `diff`, problem {problem.name!r} is differentiated through a step with its "
                f"learning rate, but its optimizer, {type(problem.optimizer).__name__}, does not "
                f"tell it: pass diff=torchopt.diff.OneStep(), or OneStep(step_size=...)."
            )
        rates |= dict.fromkeys(map(id, group["params"]), float(group["lr"]))
    return [rates[id(p)] for p in problem._held]


def in_turn(solvers: Sequence[GradientTransformation]) -> GradientTransformation:
    """Return a transformation that does its k-th update by the k-th of some transformations."""
    if all(solver is solvers[0] for solver in solvers):
        return solvers[0]

    def update(
        updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> Any:
        count, inner = state
        solver = solvers[count]
        more = select(solver, extra)
        updates, inner = solver.update(updates, inner, params=params, inplace=inplace, **more)
        return updates, (count + 1, inner)

    return GradientTransformationExtraArgs(
        lambda params: (0, solvers[0].init(params)), update, union(solvers)
    )


def _clipped(solver: GradientTransformation, largest: float) -> GradientTransformation:
    clip = clip_grad_norm(largest)

    def update(
        updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> Any:
        updates, _ = clip.update(updates, EmptyState(), params=params, inplace=False)
        more = select(solver, extra)
        return solver.update(updates, state, params=params, inplace=inplace, **more)

    return GradientTransformationExtraArgs(solver.init, update, solver.reads)
