r"""A chain of steps as one node of the autograd graph, which is gone through backwards step by step.

With :math:`\theta_{k+1} = \Phi_k(\theta_k, \varphi)` and a cotangent :math:`\lambda_K` of the last
carry, the backward pass computes :math:`\lambda_k = \lambda_{k+1} \, \partial \Phi_k / \partial \theta`
and sums :math:`\lambda_{k+1} \, \partial \Phi_k / \partial \varphi`. It needs one carry at a time, from
a checkpoint, and one graph at a time, that of a step. What a step is differentiated by is a function of
its own (:mod:`torchopt.diff._products`); where checkpoints are kept, too
(:mod:`torchopt.diff._checkpoints`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, Protocol

import torch
from torch.autograd import forward_ad

from torchopt import errors, native
from torchopt.autodiff import transforms
from torchopt.autodiff.captured import Reads, Substitute, Variables
from torchopt.autodiff.compiling import eagerly
from torchopt.autodiff.environment import Environment, Snapshot
from torchopt.autodiff.fingerprint import Fingerprint, ReplayWarning, rounding
from torchopt.autodiff.function_mode import unseen
from torchopt.autodiff.graph import alias, leaf, leaves_reached
from torchopt.autodiff.higher_order import higher_order
from torchopt.autodiff.tracking import unhooked, untracked
from torchopt.autodiff.transforms import values_of
from torchopt.diff import _checkpoints
from torchopt.diff._forward_mode import Tangents
from torchopt.diff._offload import Store
from torchopt.diff.kinds import Minimum
from torchopt.diff.problem import InnerProblem, Solution, handed
from torchopt.pytree import flattening as pytree

__all__ = [
    "ALTERED",
    "Chain",
    "Inputs",
    "Pullback",
    "check_reached",
    "moves",
    "tensors_of",
    "unroll",
    "vjp",
    "whole",
]

Tensors = Sequence[torch.Tensor]


@dataclass(frozen=True)
class Inputs:
    """What a step is computed from: the leaves of its carry, and the tensors in other places."""

    carry: list[Any]
    others: Tensors


class Pullback(Protocol):
    """Differentiates a step in reverse mode."""

    def __call__(
        self,
        chain: Chain,
        index: int,
        inputs: Inputs,
        cotangents: Sequence[torch.Tensor | None],
        wanted: Tensors,
    ) -> tuple[Sequence[torch.Tensor | None], Sequence[Any]]:
        """Return the cotangents of the wanted inputs, and the leaves of the step's result.

        Args:
            chain: The steps.
            index: Which of them.
            inputs: Its inputs: leaves of the autograd graph, where they are wanted.
            cotangents: Those of the tensors in the result; None counts as zero.
            wanted: Some of the inputs.
        """
        ...


@dataclass(eq=False)
class Chain:
    """Steps of a problem, as a function of flat tensors: those of the first carry, and *others*.

    Others are what varies among the problem's arguments and batches, and what the objective closes
    over.

    Attributes:
        problem: The problem.
        indices: Which steps.
        first_order: Whether gradients of the objective count as constants.
        policy: How many checkpoints to keep; see :func:`torchopt.diff._checkpoints.slots`. Or
            ``"forward"``, for none: tangents go along with the steps.
        pullback: How a step is differentiated.
        exact: Whether steps are evaluated by operations whose higher derivatives are right, as they
            are where a graph is kept; else by PyTorch's fused ones.
        store: Where checkpoints lie; None for in memory.
        symmetric: Whether ``pullback`` or ``policy`` needs the gradient of a function: its derivative
            is symmetric, as long as no hook alters it.
    """

    problem: InnerProblem
    indices: range
    first_order: bool
    policy: str | int
    pullback: Pullback
    exact: bool = True
    store: Store | None = None
    symmetric: bool = False

    # What the first run finds.
    batches: list[tuple[Any, ...]] = field(default_factory=list)
    places: list[tuple[int, int]] = field(default_factory=list)  # a step or -1, and a leaf
    free: list[torch.Tensor] = field(default_factory=list)
    hidden: list[torch.Tensor] = field(default_factory=list)  # of these, what no operation shows
    used: set[int] = field(default_factory=set)  # of these, by identity, what is read again
    template: list[Any] = field(default_factory=list)  # the first carry; _TENSOR for tensors
    specs: dict[int, Any] = field(default_factory=dict)  # of the carry at a step
    aux_spec: Any = None
    out: list[Any] = field(default_factory=list)
    kept: dict[int, Point] = field(default_factory=dict)
    first: dict[int, Results] = field(default_factory=dict)  # of each step, in the first run
    gradients: list[torch.Tensor] = field(default_factory=list)  # of the step evaluated last
    nearly: dict[int, float] = field(default_factory=dict)  # how far steps were off later
    same: bool = True  # whether the gradients of the step evaluated last had the same bits
    inside: bool = False  # of torch.func, where it ran first
    tangents: Tangents | None = None
    variables: list[torch.Tensor] = field(default_factory=list)  # that these go along with
    environment: Environment = field(default_factory=Environment)
    start: Snapshot = field(default_factory=Snapshot)

    def evaluate(self, index: int, inputs: Inputs) -> list[Any]:
        """Return the leaves of the carry after a step, and then those of its auxiliary output."""
        # A level of torch.func, in which custom autograd Functions show what they are given.
        inside = self.inside and not errors.transforms_active()
        with (
            transforms.gradient_level() if inside else nullcontext() as level,
            self.at(index, inputs) as (problem, carry, batch),
        ):
            leaves = self.leaves_of(index, self.step(problem, index, carry, batch), inputs)
            if level is None:
                return leaves
            return [
                transforms.leave_gradient_level(x, level) if isinstance(x, torch.Tensor) else x
                for x in leaves
            ]

    def step(
        self, problem: InnerProblem, index: int, carry: Solution, batch: tuple[Any, ...]
    ) -> Solution:
        """Do a step, and note its gradients."""
        found = list(problem.gradients(index, carry, batch, first_order=self.first_order))
        gradients = [gradient for gradient, _ in found]
        self.note(index, gradients)
        return problem.update(carry, gradients, found[-1][1])

    def note(self, index: int, gradients: list[Any]) -> None:
        """Note the gradients of a step, one for each micro-batch, and compare them with the first."""
        with transforms.unseen_by_modes():
            self.gradients = [values_of(g) for g in tensors_of(gradients)]
        if index in self.first:
            first = self.first[index].gradients
            self.same = not first.distance(self.gradients, together=True)
            if not self.same:
                off = self._apart(first, self.gradients)
                self._settle(index, off, self.gradients, "other parameters")

    def check(self, index: int, first: Fingerprint, gradient: Tensors, bends: float) -> None:
        """Raise where an evaluation for a product of a step has another gradient.

        Args:
            index: The step.
            first: Its gradient, for the same micro-batch.
            gradient: That of the evaluation.
            bends: By how much that may differ, since it was taken nearby.
        """
        gradient = [values_of(g) for g in gradient]
        if not self._apart(first, gradient, bends) <= self._rounding(gradient):
            self._refuse(index, "another gradient")

    def _apart(self, first: Fingerprint, gradients: Tensors, floor: float = 0.0) -> float:
        """Return how far gradients are from the first, but for what is rounding."""
        # As one vector: that of a single tensor may be rounding alone. So may be all, at a minimum.
        half = self._rounding(gradients)
        floor = max(floor, min(64 * half**2, half / 4) * self._size)
        return first.distance(gradients, together=True, floor=floor)

    @property
    def _size(self) -> float:
        """The largest norm of the gradients of the steps."""
        return max(results.gradients.size for results in self.first.values())

    def _rounding(self, values: Tensors) -> float:
        return rounding(values, self.environment.autocast)

    def compare(self, index: int, out: Sequence[Any]) -> None:
        """Raise where the step that was just evaluated gave something else than at first."""
        if torch.compiler.is_compiling():
            return
        if index not in self.first:  # the first time inside of torch.func is here
            self.first[index] = Results(self, index, out)
        first, self.gradients = self.first[index], []
        if self.same:
            carry = [values_of(t) for t in _tensors(self.carried(index + 1, list(out)))]
            self._settle(index, first.carry.distance(carry), carry, "other parameters")
        for t, print_ in zip(_aux(self, out) if first.aux else (), first.aux, strict=False):
            if t.requires_grad:  # else no gradient goes through it
                floor = 0.0 if self.same else self._rounding([t]) * self._size
                off = print_.distance([values_of(t)], floor=floor)
                self._settle(index, off, [t], "another auxiliary output")

    def _settle(self, index: int, off: float, values: Tensors, what: str) -> None:
        if not off <= self._rounding(values):
            self._refuse(index, what)
        if off:
            self.nearly[index] = max(off, self.nearly.get(index, 0.0))

    def _refuse(self, index: int, what: str) -> NoReturn:
        raise RuntimeError(
            f"step {index} gave {what} when it was computed again: what the objective reads "
            f"has changed before the backward pass, or is random in a way that cannot be replayed. "
            f'Leave it as it is, pass it in `batches`, or use memory="graph".'
        )

    def report(self) -> None:
        """Warn where steps gave nearly the same as at first."""
        # Operations with tangents may be made of others.
        if self.nearly and not transforms.forward_depth():
            errors.warn(
                "steps gave not quite the same gradients when they were computed again: an operation "
                "is not deterministic, and the meta-gradient is as inexact. Try "
                'torch.use_deterministic_algorithms(True), or use memory="graph".',
                ReplayWarning,
                difference=max(self.nearly.values()),
            )
        self.nearly.clear()

    @contextmanager
    def at(
        self, index: int, inputs: Inputs
    ) -> Iterator[tuple[InnerProblem, Solution, tuple[Any, ...]]]:
        """Enclose the evaluation of a step of the problem, at a carry, with a batch."""
        given, spec = pytree.flatten(self.problem.args)
        data, batch_spec = pytree.flatten(self.batches[index - self.indices.start])
        table = self.table(inputs.others, index)
        for (step, place), tensor in zip(self.places, inputs.others, strict=False):
            if step in (-1, index):
                (given if step == -1 else data)[place] = tensor
        problem = replace(self.problem, args=pytree.unflatten(spec, given))
        carry = pytree.unflatten(self.specs[index], inputs.carry)
        hidden = set(map(id, self.hidden))
        replaced = [t for t in self.free if id(t) not in hidden]
        with Substitute(table, replaced) as substitute, self.evaluated():
            yield problem, carry, pytree.unflatten(batch_spec, data)
        self.used |= substitute.used

    def table(self, others: Tensors, index: int | None = None) -> dict[int, torch.Tensor]:
        """Return, by identity of what they stand for, other tensors: at one step, or at all."""
        given = pytree.flatten(self.problem.args)[0]
        data = {
            step: pytree.flatten(self.batches[step - self.indices.start])[0]
            for step in (self.indices if index is None else [index])
        }
        # What is passed may be closed over, too.
        table = {
            id((given if step == -1 else data[step])[place]): tensor
            for (step, place), tensor in zip(self.places, others, strict=False)
            if step == -1 or step in data
        }
        free = others[len(self.places) :]
        table |= {id(t): s for t, s in zip(self.free, free, strict=True)}
        return {key: s for key, s in table.items() if id(s) != key}

    @contextmanager
    def evaluated(self) -> Iterator[None]:
        """Enclose each evaluation, so that all of them have the same bits."""
        with eagerly(), higher_order() if self.exact else nullcontext():
            yield

    def leaves_of(self, index: int, out: Solution, inputs: Inputs | None = None) -> list[Any]:
        """Return the leaves of a step's result, and remember its structure."""
        carry, self.specs[index + 1] = pytree.flatten(handed(out))
        aux, self.aux_spec = pytree.flatten(out.aux)
        if inputs is None:
            return carry + aux
        # An auxiliary output may be what the objective closes over, as it is.
        free = inputs.others[len(self.places) :]
        table = {id(t): s for t, s in zip(self.free, free, strict=True)}
        self.used |= {id(x) for x in aux if id(x) in table}
        return carry + [table.get(id(x), x) for x in aux]

    def carried(self, index: int, leaves: list[Any]) -> list[Any]:
        """Return those leaves of a step's result that are the carry at ``index``."""
        return leaves[: self.specs[index].num_leaves]

    def run(self, inputs: Inputs, first: int, last: int) -> list[Any]:
        """Return the leaves of the result after some steps."""
        out = inputs.carry
        for index in range(first, last):
            out = self.evaluate(index, Inputs(self.carried(index, out), inputs.others))
        return out

    def inputs(self, tensors: Tensors) -> Inputs:
        """Return the inputs of the first step, from the tensors alone."""
        it = iter(tensors)
        return Inputs([next(it) if x is _TENSOR else x for x in self.template], list(it))

    def result(self, leaves: list[Any]) -> Solution:
        """Return the result of the last step from its leaves."""
        spec = self.specs[self.indices.stop]
        carry: Solution = pytree.unflatten(spec, leaves[: spec.num_leaves])
        return carry._replace(aux=pytree.unflatten(self.aux_spec, leaves[spec.num_leaves :]))


@dataclass(frozen=True)
class Point:
    """A checkpoint: the leaves of a carry, packed where there is a store, and how things stood."""

    leaves: list[Any]
    standing: Snapshot


@dataclass(frozen=True)
class _Packed:
    handle: Any


_TENSOR = object()


def unroll(chain: Chain, carry: Solution) -> Solution:
    """Do the steps of a chain, so that autograd can go through them.

    Args:
        chain: The steps.
        carry: Where they start.
    """
    inside = errors.transforms_active()
    # PyTorch (2.13) loses forward derivatives of forward derivatives of custom Functions.
    plain = transforms.forward_depth() > int(inside)
    if plain or not (chain.indices and torch.is_grad_enabled()) or (inside and _INSIDE.get()):
        return chain.problem.advanced(carry, chain.indices, first_order=chain.first_order)
    leaves, chain.specs[chain.indices.start] = pytree.flatten(handed(carry))
    chain.template = [_TENSOR if isinstance(x, torch.Tensor) else x for x in leaves]
    chain.start = chain.environment.snapshot()
    chain.inside = inside
    others = _run(chain, leaves, inside)
    # By an operation, which shows a chain around this one what is read here.
    tensors = [*_tensors(leaves), *map(alias, others)]
    chain.variables = [*_tensors(leaves), *others] if chain.tangents else []
    found = iter(_Unroll.apply(chain, *tensors))
    out = [next(found) if isinstance(x, torch.Tensor) else x for x in chain.out]
    chain.out = []
    return chain.result(out)


def _run(chain: Chain, leaves: list[Any], inside: bool) -> list[torch.Tensor]:
    """Do all steps without a graph; keep checkpoints, and return the other tensors that are read."""
    first, last = chain.indices.start, chain.indices.stop
    forward = chain.policy == "forward" and not inside
    slots = 0 if inside or forward else _checkpoints.slots(chain.policy, last - first)
    spine = set(_checkpoints.spine(first, last, slots))
    if forward:
        chain.tangents = Tangents(_tensors(leaves))
    others, args = _note(chain, -1, chain.problem.args, inside)
    problem, known = replace(chain.problem, args=args), tensors_of(args)
    out = leaves if inside else [x.detach() if isinstance(x, torch.Tensor) else x for x in leaves]
    for index in chain.indices:
        carry = chain.carried(index, out)
        if index in spine:
            chain.kept[index] = _point(chain, carry)
        batch = chain.problem.batch(index)
        chain.batches.append(batch)
        varying, batch = _note(chain, index, batch, inside)
        others += varying
        known += tensors_of(batch)
        given = [*known, *_tensors(carry)]
        before = chain.environment.snapshot() if forward else chain.start
        # Inside torch.func constants of one transform are variables of another.
        reads = Reads(given) if inside else Variables(given)
        untrack = torch.no_grad() if inside else untracked()
        with untrack, chain.environment.recording(), reads, chain.evaluated():
            at = pytree.unflatten(chain.specs[index], carry)
            result = chain.step(problem, index, at, batch)
        out = chain.leaves_of(index, result)
        if isinstance(reads, Variables):
            reads.settle()
            chain.hidden += reads.hidden
            if reads.unseen or (forward and chain.hidden):
                raise RuntimeError(_HIDDEN)
            if reads.altered and chain.symmetric:
                raise RuntimeError(ALTERED)
        known += reads.free
        chain.free += reads.free
        if not inside:
            chain.first[index] = Results(chain, index, out)
        if chain.tangents is not None:
            _go_along(chain, chain.tangents, index, carry, others, before)
    chain.out = out
    return others + chain.free


def _go_along(
    chain: Chain,
    tangents: Tangents,
    index: int,
    carry: list[Any],
    others: list[torch.Tensor],
    before: Snapshot,
) -> None:
    """Let tangents go over the step that was just done."""

    def evaluate(carry: list[Any], others: list[torch.Tensor]) -> list[Any]:
        chain.environment.rewind(before)
        # An auxiliary output has a tangent only where it is tracked.
        with torch.set_grad_enabled(index == chain.indices.stop - 1):
            out = chain.evaluate(index, Inputs(carry, others))
        chain.compare(index, out)
        return out

    tangents.step(evaluate, carry, [*others, *chain.free])
    chain.nearly.clear()  # as in `report`
    _check_used(chain)


def _note(chain: Chain, step: int, tree: Any, inside: bool) -> tuple[list[torch.Tensor], Any]:
    """Return the tensors of a tree that vary, and note their places; and the tree to be read.

    Its variables are leaves of their own: what is closed over can be told from what is passed, also
    where it is the same tensor, and a custom autograd.Function reads it.
    """
    leaves, spec = pytree.flatten(tree)
    found = []
    for place, x in enumerate(leaves):
        if isinstance(x, torch.Tensor) and (inside or x.requires_grad):
            found.append(x)
            chain.places.append((step, place))
            leaves[place] = x if inside else leaf(x)
    return found, pytree.unflatten(spec, leaves)


def _point(chain: Chain, carry: list[Any]) -> Point:
    """Return a checkpoint of the present."""
    if chain.store is not None:
        store = chain.store
        carry = [_Packed(store.pack(x)) if isinstance(x, torch.Tensor) else x for x in carry]
    return Point(carry, chain.environment.snapshot())


def _back_to(chain: Chain, point: Point) -> list[Any]:
    """Return the carry at a checkpoint, and let all else be as it was then."""
    chain.environment.rewind(point.standing)
    if chain.store is None:
        return point.leaves
    return [chain.store.unpack(x.handle) if isinstance(x, _Packed) else x for x in point.leaves]


def tensors_of(tree: Any) -> list[torch.Tensor]:
    """Return the tensors of a tree."""
    return _tensors(pytree.flatten(tree)[0])


def _tensors(leaves: Sequence[Any]) -> list[torch.Tensor]:
    return [x for x in leaves if isinstance(x, torch.Tensor)]


def moves(x: Any) -> bool:
    """Whether something is a tensor that can have a derivative."""
    return isinstance(x, torch.Tensor) and (x.is_floating_point() or x.is_complex())


# Whether a chain is computed inside of another one's node; those do not nest in torch.func.
_INSIDE: ContextVar[bool] = ContextVar("inside a chain", default=False)


@contextmanager
def _again(chain: Chain) -> Iterator[None]:
    """Enclose what goes over the steps again, and leave no trace of that."""
    token = _INSIDE.set(True)
    # A custom Function, where this may run, switches off levels that the objective enters, too.
    inner = forward_ad._current_level < 0
    forward = forward_ad._set_fwd_grad_enabled(True) if inner else nullcontext()
    try:
        with chain.environment.again(), forward:
            yield
    finally:
        _INSIDE.reset(token)


def _function(chain: Chain, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return the tensors of the result, as a plain function of tensors."""
    with _again(chain):
        chain.environment.rewind(chain.start)
        at = chain.inputs(tensors)
        out = at.carry
        for index in chain.indices:
            before = chain.carried(index, out)
            out = chain.evaluate(index, Inputs(before, at.others))
            chain.compare(index, out)
    chain.report()
    return tuple(_tensors(out))


class _Unroll(torch.autograd.Function):
    """The result of a chain; its cotangents are pulled back step by step."""

    generate_vmap_rule = True

    @staticmethod
    def forward(chain: Chain, *tensors: Any) -> Any:
        found = _tensors(chain.out)
        if errors.transforms_active() or any(map(transforms.is_wrapped, found)):
            with torch.no_grad():
                found = list(_function(chain, *tensors))
        # Copies, since an output that is an input would be taken for a view of it.
        return tuple(t.clone() for t in found)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.chain, *tensors = inputs
        ctx.points, ctx.chain.kept = ctx.chain.kept, {}
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)
        ctx.mark_non_differentiable(*(t for t in output if not moves(t)))

    @staticmethod
    @unseen()
    def backward(ctx: Any, *cotangents: Any) -> Any:
        tensors = ctx.saved_tensors  # once: hooks unpack them anew each time
        needed = [n and moves(t) for n, t in zip(ctx.needs_input_grad[1:], tensors, strict=True)]
        points = dict(ctx.points)
        if transforms.frees_graph():  # they are freed as they are used
            ctx.points = {}
        chain = ctx.chain
        call = _Call(chain, needed, points)
        found = iter(_Pulled.apply(call, *tensors, *cotangents))
        grads = [next(found) if n else None for n in needed]
        if chain.tangents is None and not (chain.inside or errors.transforms_active()):
            # A leaf that was read at first and is not again has no derivative that is known.
            first = len(grads) - len(chain.free)
            for i, t in enumerate(chain.free, first):
                if id(t) not in chain.used and all(t is not h for h in chain.hidden):
                    grads[i] = None
        return None, *grads

    @staticmethod
    @unseen()
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        tensors = ctx.saved_tensors
        return _pushed(functools.partial(_function, ctx.chain), tensors, tangents)


@dataclass(frozen=True, eq=False)
class _Call:
    """A chain whose cotangents are pulled back, for which of its inputs, and its checkpoints."""

    chain: Chain
    needed: list[bool]
    points: dict[int, Point]

    def split(self, tensors: Tensors) -> tuple[Tensors, Tensors]:
        """Return inputs and cotangents."""
        return tensors[: len(self.needed)], tensors[len(self.needed) :]


class _Pulled(torch.autograd.Function):
    """The cotangents of a chain's inputs for those of its result, in bounded memory.

    Its own derivatives are those of an unrolled graph.
    """

    generate_vmap_rule = True

    @staticmethod
    @unseen()
    def forward(call: _Call, *tensors: Any) -> Any:
        chain = call.chain
        with _again(chain), torch.no_grad():
            if chain.tangents is not None:
                cotangents = call.split(tensors)[1]
                return chain.tangents.pull(chain.variables, call.needed, cotangents)
            # An output of a custom Function may be none of its inputs: a cotangent that goes through.
            given = set(map(id, tensors))
            found = _pull(call, *call.split(tensors))
            return tuple(t.view_as(t) if id(t) in given else t for t in found)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        call, *tensors = inputs
        ctx.call = _Call(call.chain, call.needed, {})
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)

    @staticmethod
    @unseen()
    def backward(ctx: Any, *cotangents: Any) -> Any:
        saved = ctx.saved_tensors
        pull = functools.partial(_pulled_plainly, ctx.call)
        if errors.transforms_active():
            return None, *_functional_vjp(pull, saved, cotangents)
        call, track = ctx.call, torch.is_grad_enabled()
        if track and call.chain.hidden:
            raise RuntimeError(_HIDDEN)
        with torch.enable_grad():
            # Variables of these alone: one may be a function of another.
            apart = alias if track else _leaf
            variables = [apart(t) if t.requires_grad else t for t in saved]
            free = slice(len(call.needed) - len(call.chain.free), len(call.needed))
            variables[free] = _as_read(call.chain, variables[free])
            found = pull(*variables)
        return None, *vjp(found, variables, cotangents, create_graph=track)

    @staticmethod
    @unseen()
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        return _pushed(functools.partial(_pulled_plainly, ctx.call), ctx.saved_tensors, tangents)


def _pulled_plainly(call: _Call, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return the same as `_pull`, as a plain function of tensors, through a graph of all steps."""
    at, cotangents = call.split(tensors)
    run = functools.partial(_function, call.chain)
    if errors.transforms_active():
        found = _functional_vjp(run, at, cotangents)
    else:
        out = run(*at)
        with Substitute(call.chain.table(call.chain.inputs(at).others)):  # in hooks
            found = vjp(out, at, cotangents, create_graph=True)
    return _needed(call, at, found)


def _needed(
    call: _Call, at: Tensors, found: Sequence[torch.Tensor | None]
) -> tuple[torch.Tensor, ...]:
    every = zip(at, found, call.needed, strict=True)
    return tuple(torch.zeros_like(t) if g is None else g for t, g, need in every if need)


def vjp(
    outputs: Tensors,
    inputs: Tensors,
    cotangents: Sequence[torch.Tensor | None],
    *,
    create_graph: bool = False,
    retain_graph: bool | None = None,
) -> list[torch.Tensor | None]:
    """Return the cotangents of inputs; None where they do not require grad, or count for nothing."""
    pairs = [
        (y, c)
        for y, c in zip(outputs, cotangents, strict=True)
        if y.requires_grad and c is not None
    ]
    wanted = [t for t in inputs if t.requires_grad]
    if not pairs or not wanted:
        return [None] * len(inputs)
    found = iter(
        torch.autograd.grad(
            [y for y, _ in pairs],
            wanted,
            [c for _, c in pairs],
            retain_graph=retain_graph,
            create_graph=create_graph,
            allow_unused=True,
        )
    )
    return [next(found) if t.requires_grad else None for t in inputs]


def _functional_vjp(
    function: Callable[..., tuple[torch.Tensor, ...]],
    inputs: Tensors,
    cotangents: Sequence[torch.Tensor | None],
) -> list[torch.Tensor | None]:
    restricted, moving, kept = _restricted(function, inputs)
    out, pull = torch.func.vjp(restricted, *moving)[:2]
    given = [c for c, k in zip(cotangents, kept, strict=True) if k]
    given = [torch.zeros_like(y) if c is None else c for y, c in zip(out, given, strict=True)]
    found = iter(pull(tuple(given)))
    return [next(found) if moves(t) else None for t in inputs]


def _pushed(
    function: Callable[..., tuple[torch.Tensor, ...]], inputs: Tensors, tangents: Sequence[Any]
) -> tuple[Any, ...]:
    """Return the tangents of the outputs."""
    restricted, moving, kept = _restricted(function, inputs)
    directions = tuple(
        torch.zeros_like(t) if v is None else v
        for t, v in zip(inputs, tangents, strict=True)
        if moves(t)
    )
    # Contiguous, since an expanded tensor can have no tangent.
    points = tuple(t.contiguous() for t in moving)
    found = iter(torch.func.jvp(restricted, points, directions)[1])
    return tuple(next(found) if k else None for k in kept)


def _restricted(
    function: Callable[..., tuple[torch.Tensor, ...]], inputs: Tensors
) -> tuple[Callable[..., tuple[torch.Tensor, ...]], list[torch.Tensor], list[bool]]:
    """Restrict a function to its floating arguments and values; counters have no derivative."""
    kept: list[bool] = []

    def restricted(*values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        it = iter(values)
        out = function(*(next(it) if moves(t) else t for t in inputs))
        kept[:] = [moves(t) for t in out]
        return tuple(t for t in out if moves(t))

    return restricted, [t for t in inputs if moves(t)], kept


# The backward pass.


def _pull(call: _Call, tensors: Tensors, cotangents: Tensors) -> tuple[torch.Tensor, ...]:
    """Go through the steps backwards, from checkpoint to checkpoint."""
    chain = call.chain
    first, last = chain.indices.start, chain.indices.stop
    inside = errors.transforms_active()
    pullback = _pull_inside if chain.inside or inside else chain.pullback
    start = chain.inputs(tensors)
    number = len(tensors) - len(start.others)
    begin, wanted = any(call.needed[:number]), call.needed[number:]
    totals = _Totals(len(start.others), inside)
    arriving: Sequence[torch.Tensor | None] = cotangents

    def advance(point: Point, index: int, until: int) -> Point:
        carry = _back_to(chain, point)
        with untracked():
            out = chain.run(Inputs(carry, start.others), index, until)
        return _point(chain, chain.carried(until, out))

    # Of the buffers of checkpoints that are freed, no more are kept than a step uses.
    cached = 2 * sum(t.nbytes for t in tensors[:number])

    def back(point: Point, index: int) -> None:
        nonlocal arriving
        native.trim(cached)
        # What varies in this step.
        here = [
            i
            for i, want in enumerate(wanted)
            if want and (i >= len(chain.places) or chain.places[i][0] in (-1, index))
        ]
        varying = set(here)
        others = [_leaf(t) if i in varying else t.detach() for i, t in enumerate(start.others)]
        others[len(chain.places) :] = _as_read(chain, others[len(chain.places) :])
        carry = [_leaf(x) if moves(x) else x for x in _back_to(chain, point)]
        through = [x for x in carry if moves(x)] if index > first or begin else []
        inputs = Inputs(carry, others)
        with untracked(), unhooked(chain.hidden):
            found, out = pullback(
                chain, index, inputs, arriving, [*through, *(others[i] for i in here)]
            )
        chain.compare(index, out)
        it = iter(found)
        arriving = [next(it) if through and moves(x) else None for x in _tensors(carry)]
        totals.add(dict(zip(here, it, strict=True)))

    slots = _checkpoints.slots(chain.policy, last - first)
    begun = Point(_point(chain, start.carry).leaves, chain.start)
    _checkpoints.reverse(first, last, begun, call.points, slots, advance, back)
    native.trim(cached)
    chain.report()
    if not (chain.inside or inside):
        _check_used(chain)
    return _needed(call, tensors, [*arriving, *totals.found])


def _as_read(chain: Chain, free: Tensors) -> list[torch.Tensor]:
    """Return the free tensors as variables: leaves that no operation shows as they are."""
    hidden = {id(t) for t in chain.hidden}
    return [t if id(t) in hidden else s for t, s in zip(chain.free, free, strict=True)]


def _leaf(x: torch.Tensor) -> torch.Tensor:
    """Return a tensor as a leaf of a graph of its own."""
    x = x.detach()
    return x if errors.transforms_active() else x.requires_grad_()


class _Totals:
    """Sums of cotangents, in place where nobody else may hold them."""

    def __init__(self, number: int, inside: bool) -> None:
        self.found: list[torch.Tensor | None] = [None] * number
        self._owned = [False] * number
        self._inside = inside

    def add(self, parts: dict[int, torch.Tensor | None]) -> None:
        for i, g in parts.items():
            total = self.found[i]
            if g is None:
                continue
            if total is None:
                self.found[i] = g
            elif self._owned[i]:
                total.add_(g)
            else:
                self.found[i] = total + g
                self._owned[i] = not self._inside


def whole(
    chain: Chain,
    index: int,
    inputs: Inputs,
    cotangents: Sequence[torch.Tensor | None],
    wanted: Tensors,
) -> tuple[Sequence[torch.Tensor | None], Sequence[Any]]:
    """Differentiate a step as a whole, by reverse mode over reverse mode; see :class:`Pullback`."""
    with torch.enable_grad():
        out = chain.evaluate(index, inputs)
    results = _tensors(out)
    arriving = [*cotangents, *[None] * (len(results) - len(cotangents))]
    if not isinstance(chain.problem.kind, Minimum):  # no gradient was taken that could be looked at
        check_reached(results, inputs)
    return vjp(results, wanted, arriving), out


def _pull_inside(
    chain: Chain,
    index: int,
    inputs: Inputs,
    cotangents: Sequence[torch.Tensor | None],
    wanted: Tensors,
) -> tuple[Sequence[torch.Tensor | None], Sequence[Any]]:
    """Differentiate a step inside a transform of ``torch.func``; see :class:`Pullback`."""
    places = {id(t): i for i, t in enumerate(wanted)}
    out: list[Any] = []

    def step(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        carry = [tensors[places[id(x)]] if id(x) in places else x for x in inputs.carry]
        others = [tensors[places[id(x)]] if id(x) in places else x for x in inputs.others]
        out[:] = chain.evaluate(index, Inputs(carry, others))
        return tuple(_tensors(out))

    number = sum(1 for _ in cotangents)

    def carried(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return step(*tensors)[:number]

    return _functional_vjp(carried, wanted, cotangents), out


def check_reached(outputs: Tensors, inputs: Inputs) -> None:
    """Raise where a step depends on a variable that it was not seen to read."""
    given = {id(x) for x in (*inputs.carry, *inputs.others)}
    for variable in leaves_reached(outputs):
        if id(variable) not in given:
            raise RuntimeError(_HIDDEN)


_HIDDEN = (
    "the objective reads a tensor that requires grad inside of a custom autograd.Function or scripted "
    "code, where this memory policy cannot see it: pass it in `args`, or use "
    'memory="graph".'
)


ALTERED = (
    "the objective changes its own gradient, by a hook or by a custom autograd.Function whose backward "
    "pass is not its derivative: products of its second derivatives are not what `hvp` and "
    'memory="forward" take them for. Use hvp="reverse" with memory="step" or "tree", or memory="graph".'
)


# Whether a step that is computed again gives the same.


class Results:
    """What is kept of a step to tell whether it gives the same when it is computed again.

    Args:
        chain: The chain, which has just evaluated the step.
        index: Which step.
        out: The leaves of its result.
    """

    def __init__(self, chain: Chain, index: int, out: Sequence[Any]) -> None:
        self.gradients = Fingerprint(chain.gradients)
        self.carry = Fingerprint(map(values_of, _tensors(chain.carried(index + 1, list(out)))))
        # Only that of the last step is handed out.
        last = index == chain.indices.stop - 1
        self.aux = [Fingerprint([values_of(t)]) for t in _aux(chain, out)] if last else []


def _aux(chain: Chain, out: Sequence[Any]) -> list[torch.Tensor]:
    """Return the tensors of the auxiliary output of the last step."""
    return _tensors(out[chain.specs[chain.indices.stop].num_leaves :])


def _check_used(chain: Chain) -> None:
    """Raise where the steps read a variable at first, and not when they were computed again."""
    for t in chain.free:
        # A leaf may have been made by the objective.
        if not t.is_leaf and id(t) not in chain.used:
            raise RuntimeError(
                f"the objective read a tensor of shape {tuple(t.shape)} that requires grad, and not "
                f"again when the steps were computed again: it was replaced before the backward pass, "
                f"or each call makes it anew where that cannot be seen (in another thread). Leave it "
                f'where it is, pass it in `args`, or use memory="graph".'
            )
