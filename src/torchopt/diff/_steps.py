r"""The steps of a solver as a function of flat tensors, which can be evaluated again.

The first run does the steps without a graph. It notes what they read, and keeps checkpoints and
fingerprints. Later evaluations start from a checkpoint, in the environment of that time, and are
compared with the first run. So each step is a recomputed block, as that of :func:`torchopt.remat` is.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, TypeAlias

import torch
from torch.autograd import forward_ad

from torchopt import checks, native
from torchopt.autodiff import edges, transforms
from torchopt.autodiff.captured import Altered
from torchopt.autodiff.environment import Environment, GeneratorStates, Snapshot, eagerly
from torchopt.autodiff.exact import HigherOrder, same_bits
from torchopt.autodiff.fingerprint import Fingerprint, ReplayCheck, all_same
from torchopt.autodiff.functional import Reads
from torchopt.autodiff.second_order import in_own_level, in_this_thread
from torchopt.autodiff.tracking import constant, is_differentiable, untracked
from torchopt.diff import _checkpoints
from torchopt.diff._captured import Captured
from torchopt.diff._offload import Kept, Store, Wrapped, nbytes
from torchopt.diff.kinds import AT_STEP, Evaluation
from torchopt.diff.problem import InnerProblem, Iterate
from torchopt.errors import ReplayError
from torchopt.pytree import flattening as pytree

Tensors = Sequence[torch.Tensor]

ALTERED = (
    "the objective changes its own gradient, by a hook that returns another tensor, even a copy, or by "
    "a custom autograd.Function whose backward pass is not its derivative: products of its second "
    'derivatives are not what `hvp` and memory="forward" take them for. Use hvp="reverse" with '
    'memory="step" or "tree", or memory="graph".'
)

_dtype: Callable[[torch.Tensor], torch.dtype] = operator.attrgetter("dtype")

# Whether steps are computed inside of the node of others; those do not nest in torch.func.
WITHIN: ContextVar[bool] = ContextVar("inside an unroll", default=False)

_TENSOR = object()
"""Marks the place of a tensor among the leaves of the first carry."""


@dataclass(frozen=True)
class Inputs:
    """The inputs of a step: the leaves of its carry, and the other tensors that it reads."""

    carry: list[Any]
    others: Tensors
    kept: Any = None  # as `Point.gradient`


At: TypeAlias = tuple[InnerProblem, Iterate, tuple[Any, ...]]
"""Where a step is evaluated: a problem, a carry and a batch."""


@dataclass(frozen=True)
class First:
    """A step that is about to be done for the first time.

    Attributes:
        index: Which one.
        problem: The problem with the arguments to run with.
        carry: The leaves of its carry.
        batch: Its batch.
        known: The tensors that count as given besides the carry.
        before: The environment at its begin.
    """

    index: int
    problem: InnerProblem
    carry: list[Any]
    batch: tuple[Any, ...]
    known: list[torch.Tensor]
    before: Snapshot


@dataclass(frozen=True)
class Point:
    """A checkpoint: the leaves of a carry, packed where there is a store, and the environment."""

    leaves: list[Any]
    snapshot: Snapshot
    gradient: Any = None  # of the step that begins there, as `Unroll.keep` has kept it


class VJP(NamedTuple):
    """The product of cotangents with the derivative of a step that a :data:`Pullback` is asked for.

    Attributes:
        step: Its number.
        inputs: Its inputs, leaves of the autograd graph where they are wanted.
        cotangents: Those of the tensors in its result; None counts as zero.
        wanted: The tensors among its inputs whose cotangents are wanted.
    """

    step: int
    inputs: Inputs
    cotangents: list[torch.Tensor | None]
    wanted: list[torch.Tensor]


Pullback: TypeAlias = Callable[["CheckpointedUnroll", VJP], Sequence[torch.Tensor | None]]
"""Differentiates a step in reverse mode: returns the cotangents of what is wanted.

It compares the step's result with the first run, and may take out of their lists what it has pulled
back and what it has read: so that neither takes memory until the end.
"""


@dataclass(frozen=True)
class Unroll:
    """Steps of a problem, and how to differentiate through them.

    Attributes:
        problem: The problem.
        indices: Which steps.
        first_order: Whether gradients of the objective count as constants.
        policy: How many checkpoints to keep; see :func:`torchopt.diff._checkpoints.slots`.
        pullback: How a step is differentiated.
        exact: Whether steps are evaluated by operations whose higher derivatives are right, as they
            are where a graph is kept; else by PyTorch's fused ones.
        store: Where checkpoints lie; None for in memory.
        symmetric: Whether ``pullback`` or ``policy`` needs the gradient of a function: its derivative
            is symmetric, as long as no hook alters it.
        keep: Keeps the gradient of a step with its checkpoint, for a pullback that needs it.
    """

    problem: InnerProblem
    indices: range
    first_order: bool
    policy: str | int
    pullback: Pullback
    exact: bool = True
    store: Store | None = None
    symmetric: bool = False
    keep: Callable[[CheckpointedUnroll, int, Any], Iterable[Evaluation]] | None = None


class CheckpointedUnroll:
    """Steps as a function of flat tensors: of those of the first carry, and of *others*.

    Args:
        unroll: The steps.
        inside: Whether their first run is inside of ``torch.func``.

    Attributes:
        unroll: The steps.
        inside: As given.
        captured: The others: what the steps read besides the carry.
        environment: What the first run sees besides tensors.
        start: The environment at its begin.
        check: Compares later evaluations with the first run.
        checkpoints: The checkpoints of the first run, by step, until the graph has them.
        out: The leaves of its result, until the graph has them.
        value: The objective of its last step.
    """

    def __init__(self, unroll: Unroll, *, inside: bool) -> None:
        self.unroll = unroll
        self.inside = inside
        problem = unroll.problem
        read = (problem.kind, problem.args, problem.batches, problem.solver)
        self.environment = Environment(*read, noted_by_modes=unroll.exact)
        self.captured = Captured(self.environment, inside=inside)
        self.start = self.environment.snapshot()
        self.check = StepCheck(self.environment.autocast, apart=unroll.keep is not None)
        self.checkpoints: dict[int, Point] = {}
        self.out: list[Any] = []
        self.value: torch.Tensor | None = None
        self._drawn: dict[int, GeneratorStates] = {}  # as batches have left them
        self._specs: dict[int, Any] = {}  # of the carry at a step
        self._aux_spec: Any = None
        self._template: list[Any] = []
        params = pytree.leaves(problem.params)
        self._number = len(params)
        self._bytes = sum(map(nbytes, tensors_in(params)))
        self._to_second_order = False  # whether the first run looks at graphs of gradients

    # The first run.

    def first_run(self, start: Iterate) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Do all steps without a graph; return the tensors of the first carry, and the others."""
        unroll, inside = self.unroll, self.inside
        leaves, self._specs[unroll.indices.start] = pytree.flatten(start.start_of_next())
        self._template = [_TENSOR if isinstance(x, torch.Tensor) else x for x in leaves]
        none = inside or unroll.policy == "forward"
        slots = 0 if none else _checkpoints.slots(unroll.policy, len(unroll.indices))
        spine = set(_checkpoints.spine(unroll.indices.start, unroll.indices.stop, slots))
        others, args = self.captured.take(unroll.problem.args)
        problem, known = dataclasses.replace(unroll.problem, args=args), tensors_of(args)
        step = self._first_inside if inside else self._first
        self.out = leaves if inside else constant(leaves)
        for index in unroll.indices:
            self.give_back(index)
            carry, before = self.carried(index, self.out), self.environment.snapshot()
            if index in spine:
                self.checkpoints[index] = self.point(carry, before)
            varying, batch = self.captured.take(unroll.problem.batch(index), index)
            if callable(unroll.problem.batches):
                self._drawn[index] = self.environment.moved(before)
            others += varying
            given = [*known, *tensors_of(batch)]
            known += step(First(index, problem, carry, batch, given, before))
        if not inside:
            self.captured.settle()
        return tensors_in(leaves), [*others, *self.captured.free]

    def _first(self, at: First) -> list[torch.Tensor]:
        """Do a step with a graph that is looked at; return what else counts as given to later ones."""
        index, altered = at.index, Altered() if self.unroll.symmetric else nullcontext()
        with untracked(), self.environment.recording(), altered, in_this_thread(), eagerly():
            hooks = HigherOrder.hooks
            look = self._watched(at)
            once = self._to_second_order or self.unroll.first_order
            if not once and (look.custom or HigherOrder.hooks > hooks):
                # Hooks and custom backward functions may read more: the graph of the gradient shows it.
                self._to_second_order = True
                self.environment.rewind(at.before)
                self._put_drawn(index)
                look = self._watched(at)
        if isinstance(altered, Altered) and altered.found:
            raise RuntimeError(ALTERED)

        def again() -> None:
            with torch.no_grad(), eagerly():
                self.environment.rewind(at.before)
                self._put_drawn(index)
                self._step(index, (at.problem, self._iterate(index, at.carry), at.batch))

        self.captured.note(index, look, again, at.known)
        return []

    def _first_inside(self, at: First) -> list[torch.Tensor]:
        """Do the same inside ``torch.func``, where operations show what a step reads."""
        # Constants of one transform are variables of another.
        reads = Reads([*at.known, *tensors_in(at.carry)], self.captured.known)
        recording = self.environment.recording()
        with torch.no_grad(), recording, reads, in_this_thread(), eagerly():
            carry = self._iterate(at.index, at.carry)
            result = self._step(at.index, (at.problem, carry, at.batch))
        self.captured.note_reads(reads)
        self.value, self.out = result.value, self.leaves_of(at.index, result)
        return [*tensors_of(at.batch), *reads.free]

    def _watched(self, at: First) -> edges.Look:
        """Do a step with a graph that is looked at, and freed."""
        index, problem, carry = at.index, at.problem, at.carry
        params, rest = carry[: self._number], carry[self._number :]
        params = [x.detach().requires_grad_() if is_differentiable(x) else x for x in params]
        self.captured.note_copies(params)
        look = self.captured.watch([*at.known, *tensors_in(params)])
        with torch.enable_grad():
            point = problem, self._iterate(index, params + rest), at.batch
            every = self.evaluations(index, point, look, first_order=not self._to_second_order)
            constants: Iterable[Evaluation] = map(constant, every)
            if self.unroll.keep is not None and index in self.checkpoints:
                constants = self.unroll.keep(self, index, constants)
            result = problem.update(self._iterate(index, carry), constants, at.batch)
            leaves = self.leaves_of(index, result)
            look.at(tensors_in(leaves))
        self.out, self.value = constant(leaves), result.value
        self.check.record(index, *self._compared(index, self.out))
        return look

    # Evaluations.

    @contextmanager
    def again(self) -> Iterator[None]:
        """Enclose later evaluations, which leave everything as it is now."""
        token = WITHIN.set(True)
        # A custom Function, where this may run, switches off levels that the objective enters, too.
        inner = forward_ad._current_level < 0
        forward = forward_ad._set_fwd_grad_enabled(True) if inner else nullcontext()
        try:
            with self.captured.passing(), forward, eagerly():
                yield
        finally:
            self.check.later.clear()  # of a pass that failed, or compares nothing
            WITHIN.reset(token)

    def evaluate(self, index: int, inputs: Inputs, *, replace: bool = False) -> list[Any]:
        """Return the leaves of the carry after a step, and then those of its auxiliary output.

        What the objective closes over is replaced, too, if it says so or inside of ``torch.func``.
        """
        active = checks.transforms_active()
        if self.inside and not active:  # custom autograd Functions show there what they are given
            return in_own_level(functools.partial(self.evaluate, index, inputs))
        replace = replace or active
        with self.at(index, inputs, replace=replace) as at:
            plain = replace or not torch.is_grad_enabled()
            look = None if plain else self.look(index, inputs)
            result = self._step(index, at, look)
            leaves = self.leaves_of(index, result, inputs)
            if look is not None:
                look.at(tensors_in(leaves), behind=True)
        return leaves

    def look(self, index: int, inputs: Inputs) -> edges.Look:
        """Return what looks at the graph of a later evaluation."""
        given = [*tensors_in(inputs.carry), *inputs.others[: self.captured.passed]]
        own = set(map(id, self.captured.free))
        given += [t for t in inputs.others[self.captured.passed :] if id(t) not in own]
        return self.captured.look(index, given)

    def run(self, inputs: Inputs, indices: range, *, compare: bool = False) -> list[Any]:
        """Return the leaves of the result after some steps."""
        out = inputs.carry
        for index in indices:
            self.give_back(index)
            out = self.evaluate(index, Inputs(self.carried(index, out), inputs.others))
            if compare:
                self.compare(index, out)
                self.captured.compare(index)
        return out

    def _step(self, index: int, at: At, look: edges.Look | None = None) -> Iterate:
        problem, carry, batch = at
        first_order = self.unroll.first_order
        parts = self.evaluations(index, at, look, first_order=first_order)
        return problem.update(carry, parts, batch)

    @contextmanager
    def at(self, index: int, inputs: Inputs, *, replace: bool = False) -> Iterator[At]:
        """Enclose an evaluation of a step; yield where that is."""
        args, batch, replaced = self.captured.step(index, inputs.others, replace=replace)
        problem = dataclasses.replace(self.unroll.problem, args=args)
        with replaced:
            if self._drawn:
                self._put_drawn(index)
            yield problem, self._iterate(index, inputs.carry), batch

    def evaluations(
        self, index: int, at: At, look: edges.Look | None, *, first_order: bool
    ) -> Iterator[Evaluation]:
        """Evaluate the objective for each micro-batch of a step; what looks sees the graph of each."""
        where = None if index in self._specs and index + 1 in self._specs else AT_STEP
        exact = same_bits if self.unroll.exact else None
        problem, carry, batch = at
        self.check.begin()
        for evaluation in problem.evaluate(
            index, carry, batch, where=where, first_order=first_order, exact=exact
        ):
            residual, root = tensors_of(evaluation.residual), evaluation.root
            if look is not None:
                look.at(residual if root is None else [root])
                if evaluation.aux is not None:
                    look.at(self.captured.not_closed_over(tensors_of(evaluation.aux)))
                look.at(residual, behind=True)
            self.check.note(residual)
            yield evaluation._replace(root=None)

    def compare(self, index: int, out: Sequence[Any]) -> None:
        """Raise if the step that was just evaluated gave other leaves than in the first run."""
        self.check.compare(index, *self._compared(index, out))

    def _compared(self, index: int, out: Sequence[Any]) -> tuple[Tensors, Tensors]:
        """Return the tensors of the parameters, and what else the last step returns.

        The state of a step before shows in the parameters of the next.
        """
        if index < self.unroll.indices.stop - 1:
            return tensors_in(out[: self._number]), []
        number = self._specs[index + 1].num_leaves
        return tensors_in(out[:number]), tensors_in(out[number:])

    # Trees and their leaves.

    def leaves_of(self, index: int, out: Iterate, inputs: Inputs | None = None) -> list[Any]:
        """Return the leaves of a step's result, and remember its structure."""
        carry, self._specs[index + 1] = pytree.flatten(out.start_of_next())
        aux, self._aux_spec = pytree.flatten(out.aux)
        # An auxiliary output may be what the objective closes over, as it is.
        if aux and inputs is not None:
            aux = self.captured.replaced(aux, inputs.others)
        return carry + aux

    def carried(self, index: int, leaves: list[Any]) -> list[Any]:
        """Return those leaves of a step's result that are the carry at ``index``."""
        return leaves[: self._specs[index].num_leaves]

    def _iterate(self, index: int, carry: list[Any]) -> Iterate:
        iterate: Iterate = pytree.unflatten(self._specs[index], carry)
        return iterate

    def inputs(self, tensors: Tensors) -> Inputs:
        """Return the inputs of the first step, from the tensors alone."""
        it = iter(tensors)
        return Inputs([next(it) if x is _TENSOR else x for x in self._template], list(it))

    def result(self, leaves: list[Any]) -> Iterate:
        """Return the result of the last step from its leaves."""
        carry = self.carried(self.unroll.indices.stop, leaves)
        aux = pytree.unflatten(self._aux_spec, leaves[len(carry) :])
        return self._iterate(self.unroll.indices.stop, carry)._replace(aux=aux, value=self.value)

    def _put_drawn(self, index: int) -> None:
        """Put generators where the batch of a step has left them; it is not drawn again."""
        for generator, state in self._drawn.get(index, {}).values():
            generator.set_state(state)

    # Checkpoints.

    def reverse(
        self,
        held: dict[int, Point],
        start: Point,
        given: Tensors,
        arriving: list[torch.Tensor | None],
        totals: list[torch.Tensor | None],
        advance: Callable[[Point, int, int], Point],
        back: Callable[[Point, int], None],
    ) -> None:
        """Go through the steps backwards.

        Args:
            held: The checkpoints of the first run.
            start: The start.
            given: The inputs.
            arriving: The cotangents of what the last step returns; ``back`` replaces them.
            totals: The cotangents of *others* so far, which ``back`` adds to.
            advance: As for :func:`torchopt.diff._checkpoints.reverse`.
            back: As there.
        """
        indices = self.unroll.indices
        slots = _checkpoints.slots(self.unroll.policy, len(indices))
        _checkpoints.reverse(indices.start, indices.stop, start, held, slots, advance, back)

    def point(self, carry: list[Any], snapshot: Snapshot | None = None) -> Point:
        """Return a checkpoint of a carry, and of an environment: by default, that of now."""
        kept = (self.unroll.store or list)(carry)
        return Point(kept, snapshot or self.environment.snapshot())

    def give_back(self, step: int = 0) -> None:
        """Give freed memory back to the system, else the heap of a large model grows by the steps."""
        if self._bytes > 1 << 22 and step % max((1 << 25) // self._bytes, 1) == 0:  # it is slow
            native.trim(1 << 24)

    def back_to(self, point: Point) -> list[Any]:
        """Return the carry at a checkpoint, and restore the environment of that time."""
        self.environment.rewind(point.snapshot)
        if self.unroll.store is None:
            return point.leaves
        return [x.get() if isinstance(x, (Kept, Wrapped)) else x for x in point.leaves]


@dataclass(frozen=True)
class _Evaluation:
    """The fingerprints of a step.

    Attributes:
        both: That of the gradients, and then of the carry.
        number: How many gradients there are.
        aux: Those of an auxiliary output; of later evaluations, where a gradient goes through.
        dtypes: The dtypes of all.
    """

    both: Fingerprint
    number: int
    aux: dict[int, Fingerprint]
    dtypes: tuple[torch.dtype, ...]

    @property
    def gradients(self) -> Fingerprint:
        """That of the gradients."""
        return self.both.part(slice(self.number))

    @property
    def carry(self) -> Fingerprint:
        """That of the carry."""
        return self.both.part(slice(self.number, None))


class StepCheck:
    """Compares steps that are computed again with the first run, all of them at once.

    Args:
        autocast: The dtypes of autocast in the first run.
        apart: Whether gradients are projected apart from the carry, since some are not computed again.

    Attributes:
        first: The fingerprints of the first run, by step.
        later: Those of later evaluations that are to be compared, with the steps.
        replay: How large differences were, and which are rounding.
    """

    def __init__(self, autocast: Iterable[torch.dtype], *, apart: bool) -> None:
        self.replay, self._apart = ReplayCheck(autocast), apart
        self.first: dict[int, _Evaluation] = {}
        self.later: list[tuple[int, _Evaluation]] = []
        self._gradients: list[torch.Tensor] = []  # of the micro-batch that was evaluated last
        self._before: list[Fingerprint] = []  # of the gradients of those before it

    def begin(self, known: Iterable[Fingerprint] = ()) -> None:
        """Begin an evaluation of a step, of whose gradients some are known."""
        self._gradients, self._before = [], [*known]

    def note(self, gradients: Iterable[torch.Tensor]) -> None:
        """Note the gradients of the next micro-batch of the step that is being evaluated."""
        if self._gradients:
            self._before.append(Fingerprint(self._gradients))
        self._gradients = list(gradients)

    def record(self, index: int, carry: Tensors, aux: Tensors) -> None:
        """Keep the fingerprints of the step that was evaluated last.

        Args:
            index: The step.
            carry: The tensors of its carry.
            aux: Those of the auxiliary output, if the step is the last one.
        """
        self.first[index] = self._evaluation(carry, dict(enumerate(aux)), later=False)

    def _evaluation(
        self, carry: Tensors, aux: dict[int, torch.Tensor], *, later: bool
    ) -> _Evaluation:
        gradients, before = self._gradients, self._before
        self._gradients, self._before = [], []
        others = {i: Fingerprint([t], later=later) for i, t in aux.items()}
        dtypes = tuple({*map(_dtype, (*gradients, *carry, *aux.values()))})
        if self._apart and gradients:
            gradients, before = [], [*before, Fingerprint(gradients, later=later)]
        both, number = Fingerprint([*gradients, *carry], later=later), len(gradients)
        if before:
            both, number = both.after(before), number + sum(len(p.projections) for p in before)
        return _Evaluation(both, number, others, dtypes)

    def compare(self, index: int, carry: Tensors, aux: Tensors) -> None:
        """Compare the step that was evaluated last with the first run; see :meth:`settle`."""
        if torch.compiler.is_compiling():
            return
        if index not in self.first:  # the first run inside of torch.func
            self.record(index, carry, aux)
            return
        tracked = {i: t for i, t in enumerate(aux) if t.requires_grad}
        self.later.append((index, self._evaluation(carry, tracked, later=True)))

    def remember(
        self,
        index: int,
        projections: torch.Tensor,
        norms: torch.Tensor,
        number: int,
        dtypes: tuple[torch.dtype, ...],
    ) -> None:
        """Know the fingerprints of a step that another process has done."""
        both = Fingerprint([])
        if like := next(iter(self.first.values()), None):
            both.meshes, device = like.both.meshes, like.both.projections.device
            projections, norms = projections.to(device), norms.to(device)
        both.projections, both.norms = projections, norms
        self.first[index] = _Evaluation(both, number, {}, dtypes)

    def settle(self) -> None:
        """Raise if a step that was computed again differs from the first run."""
        later = [(index, self.first[index], new) for index, new in self.later]
        self.later = []
        pairs = [(old.both, new.both) for _, old, new in later]
        pairs += [(old.aux[i], print) for _, old, new in later for i, print in new.aux.items()]
        if not all_same(pairs):
            for index, old, new in later:
                self._settle(index, old, new)

    def _settle(self, index: int, old: _Evaluation, new: _Evaluation) -> None:
        same = not old.gradients.distance(new.gradients)
        if same:
            distance = old.carry.distance(new.carry)
        else:
            distance = self._distance(old.gradients, new.gradients, new.dtypes)
        if not self.replay.accepts(distance, new.dtypes):
            _refuse(index, "other parameters")
        for i, fingerprint in new.aux.items():
            floor = 0.0 if same else self.replay.rounding(new.dtypes) * self._size
            if not self.replay.accepts(old.aux[i].distance(fingerprint, floor=floor), new.dtypes):
                _refuse(index, "another auxiliary output")

    def noted(self, index: int) -> list[Fingerprint]:
        """Return the fingerprint of the gradients of each micro-batch of the step being evaluated.

        Raises:
            ReplayError: If they differ from the first run.
        """
        last = Fingerprint(self._gradients)
        if index in self.first:  # else another number of processes has done it
            first, dtypes = self.first[index], self.first[index].dtypes
            distance = self._distance(first.gradients, last.after(self._before), dtypes)
            if not distance <= self.replay.rounding(dtypes):
                _refuse(index, "other parameters")
        return [*self._before, last]

    def require_gradient(
        self, index: int, first: Fingerprint, gradient: Tensors, error: float
    ) -> None:
        """Raise if an evaluation for a product of a step has another gradient.

        Args:
            index: The step.
            first: Its gradient, for the same micro-batch.
            gradient: The gradient of the evaluation.
            error: The distance that is allowed, since the gradient was taken nearby.
        """
        dtypes = tuple({*map(_dtype, gradient)})
        distance = self._distance(first, Fingerprint(gradient, later=True), dtypes, error)
        if not distance <= self.replay.rounding(dtypes):
            _refuse(index, "another gradient")

    def _distance(
        self,
        first: Fingerprint,
        gradients: Fingerprint,
        dtypes: tuple[torch.dtype, ...],
        floor: float = 0.0,
    ) -> float:
        """Return the distance of gradients from the first, where it is more than rounding."""
        # As one vector: that of a single tensor may be rounding alone. So may be all, at a minimum.
        half = self.replay.rounding(dtypes)
        floor = max(floor, min(64 * half**2, half / 4) * self._size)
        return first.distance(gradients, together=True, floor=floor)

    @functools.cached_property  # products ask for each micro-batch of each step
    def _size(self) -> float:
        """The largest norm of the gradients of the steps."""
        return max(first.gradients.size for first in self.first.values())

    def warn(self) -> None:
        """Raise if a step that was computed again differs; warn if some did by rounding."""
        self.settle()
        if transforms.forward_depth():  # where operations may be made of others
            self.replay.forget()
        self.replay.warn(
            "steps gave not quite the same gradients when they were computed again: an operation "
            "is not deterministic, and the meta-gradient is as inexact. Try "
            'torch.use_deterministic_algorithms(True), or use memory="graph".'
        )


def _refuse(index: int, what: str) -> NoReturn:
    raise ReplayError(
        f"step {index} gave {what} when it was computed again: what the objective reads "
        f"has changed before the backward pass, or is random in a way that cannot be replayed. "
        f'Leave it as it is, pass it in `batches`, or use memory="graph".'
    )


def tensors_of(tree: Any) -> list[torch.Tensor]:
    """Return the tensors of a tree."""
    return tensors_in(pytree.leaves(tree))


def tensors_in(leaves: Sequence[Any]) -> list[torch.Tensor]:
    """Return the tensors among some leaves."""
    return [x for x in leaves if isinstance(x, torch.Tensor)]
