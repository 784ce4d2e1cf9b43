"""The protocol of a gradient transformation, two pure functions, and the ways to make one.

:func:`elementwise` makes one from a formula on each element, :func:`chain` from others.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from typing_extensions import Self

from torchopt import checks
from torchopt.autodiff.environment import leaving_no_trace
from torchopt.autodiff.loops import any_true
from torchopt.autodiff.tracing import tracing
from torchopt.autodiff.tracking import is_differentiable
from torchopt.errors import LostGraphError
from torchopt.io.calls import call_of, called, records_call
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree, Update
from torchopt.transform._pass import Pass
from torchopt.transform._rule import Rule, check_state
from torchopt.transform._step import leaves_of_params
from torchopt.transform.extra_args import ExtraArgs, arguments_of, select


class EmptyState(NamedTuple):
    """The state of a transformation that remembers nothing."""


class UninitializedState(NamedTuple):
    """The state of a :class:`torchopt.MetaOptimizer` before its first step."""


class _Functions(NamedTuple):
    init: Callable[[Any], Any]
    update: Update


class _Own:
    """The ``update`` that a program has written, which never gets an ``inplace`` that it does not take.

    Results that may be differentiated are looked at: a cut gradient, or a rounded one, shows nowhere.
    """

    def __init__(self, update: Callable[..., tuple[Any, Any]]) -> None:
        self.function = update
        self._writes = checks.takes(update, "inplace")
        if not (self._writes or checks.takes(update, "params")):
            raise TypeError(
                "`update` has no argument `params`: define `update(updates, state, *, params=None)`."
            )

    def __call__(self, updates: Any, state: Any, params: Any = None, **extra: Any) -> Any:
        if not self._writes:
            extra.pop("inplace", None)
        if params is not None or not self._writes:
            extra["params"] = params

        def update(grads: Any) -> tuple[Any, Any]:
            result = self.function(grads, state, **extra)
            return checks.pair_of(result, _UPDATE, "updates, state")

        pair = update(updates)
        if not (self._writes and extra.get("inplace", True)):
            _check_graph(lambda grads: pytree.leaves(update(grads)[0]), updates, pair[0])
        return pair


_UPDATE = "`update` of a gradient transformation"


def _check_graph(update: Callable[[Any], list[Any]], grads: Any, updates: Any) -> None:
    """Raise if updates have another graph, or a narrower dtype, than the gradients that they follow."""
    leaves, spec = pytree.flatten(grads)
    bare = []
    for i, (g, u) in enumerate(zip(leaves, pytree.leaves(updates), strict=False)):
        if not (is_differentiable(g) and is_differentiable(u)):
            continue
        if torch.promote_types(g.dtype, u.dtype) != u.dtype:
            advice = f"return it as it was given, in {g.dtype}; this one rounds"
            narrow = checks.Word(advice, holds=lambda _: False, error=TypeError)
            checks.check(f"`{checks.leaf_path(spec, i, 'updates')}` of {_UPDATE}", u, narrow)
        if torch.is_grad_enabled() and g.requires_grad and not u.requires_grad:
            bare.append(i)
    if not bare or tracing():
        return
    # Where it is constant, as signs are, its derivative is zero. No two entries move alike, nor any
    # far: a norm changes, a comparison does not.
    moved = [_moved(g, i) if is_differentiable(g) else g for i, g in enumerate(leaves)]
    with torch.no_grad():
        with leaving_no_trace():
            here = update(grads)
        with leaving_no_trace():
            there = update(pytree.unflatten(spec, moved))
    if any(any_true(here[i] != there[i]) for i in bare):
        raise LostGraphError(
            f"{_UPDATE} returned updates without a graph that change with the gradients, as under "
            f"`torch.no_grad()`: compute them with a graph, or use `Explicit(first_order=True)`."
        )


def _moved(g: torch.Tensor, index: int) -> torch.Tensor:
    ramp = torch.linspace(1, 2 + index, g.numel(), dtype=g.dtype, device=g.device)
    return g.detach() * (1 + torch.finfo(g.dtype).eps ** 0.5 * ramp).view(g.shape)


class GradientTransformation(_Functions):
    r"""A pair of pure functions that turns gradients into updates.

    Args:
        init: ``init(params) -> state``.
        update: ``update(updates, state, *, params=None, inplace=True) -> (updates, state)``. With
            ``inplace=False`` it is differentiable, to any order, in the updates, the state, the
            parameters and every tensor-valued hyperparameter. With ``inplace=True`` the numbers are
            the same, but parameters whose gradient has no graph count as constants, even if a
            hyperparameter requires grad; and without a graph, moments are written into the old state
            (and updates into the gradients, by some transformations). A function without an argument
            ``inplace`` never gets it, and must not write in place.

    Updates are *added* to the parameters, so the updates of an optimizer include the minus sign.

    Attributes:
        reads: The names of further arguments of ``update``; see
            :class:`GradientTransformationExtraArgs`.

    Example:
        >>> import torch, torchopt
        >>> halve = torchopt.GradientTransformation(
        ...     init=lambda params: torchopt.transform.EmptyState(),
        ...     update=lambda updates, state, *, params=None: (
        ...         torchopt.pytree.tree_scalar_mul(0.5, updates), state),
        ... )
        >>> tx = halve.chain(torchopt.transform.scale(-1.0))
        >>> updates, _ = tx.update((torch.tensor(3.0),), tx.init((torch.tensor(1.0),)))
        >>> updates
        (tensor(-1.5000),)

    References:
        Optax's ``GradientTransformation`` (DeepMind, 2020); Ren et al., *TorchOpt*, JMLR 2023.
    """

    reads: frozenset[str] = frozenset()
    #: Those of them that have no default.
    requires: frozenset[str] = frozenset()

    def __new__(
        cls, init: Callable[..., Any], update: Callable[..., tuple[TensorTree, Any]]
    ) -> Self:
        """Wrap an ``update`` that a program has written."""
        ours = str(getattr(update, "__module__", "")).startswith("torchopt.")
        made: Any = update if ours else _Own(update)
        return super().__new__(cls, init, made)

    def __repr__(self) -> str:
        if (call := call_of(self)) is not None:
            return str(call)
        if (rule := rule_of(self)) is not None:
            kind = "leafwise" if rule.leafwise else "elementwise"
            name = "reduced" if rule.prepare else kind
            return called(name, {"hyper": rule.hyper}, {"hyper": {}}, [rule.formula])
        if is_absent(self):
            return "identity()"
        update = getattr(self.update, "function", self.update)
        return called(type(self).__name__, {"init": self.init, "update": update}, {})

    def chain(self, next: GradientTransformation) -> ChainedGradientTransformation:
        """Return the transformation that applies this one and then ``next``."""
        return ChainedGradientTransformation(self, next)


class GradientTransformationExtraArgs(GradientTransformation):
    r"""A gradient transformation whose ``update`` reads more than gradients, state and parameters.

    =============  ============================================================================
    argument       meaning
    =============  ============================================================================
    ``value``      the loss at the parameters, a scalar tensor
    ``value_fn``   a function of the parameters (a tree like ``params``) that returns the loss
    ``grad``       the gradient of the loss at the parameters
    =============  ============================================================================

    :func:`torchopt.minimize` and :func:`torchopt.least_squares` give both. So do
    :class:`torchopt.Optimizer`, if ``step`` is given a closure. :class:`torchopt.MetaOptimizer` gives
    ``value``. A chain gives the updates that it is given as ``grad``. A program that calls ``update``
    itself may pass any others. Chains and wrappers pass them on.

    Args:
        init: ``init(params) -> state``.
        update: ``update(updates, state, *, params=None, inplace=True, **extra) -> (updates, state)``;
            without ``inplace``, it is never in place.
        reads: The names of the further arguments. By default they are the keyword-only parameters of
            ``update``; those without a default are required. A wrapper, whose ``update`` takes any,
            passes what the transformation inside reads.

    Raises:
        TypeError: In ``update`` of a chain and in optimizers, if a required argument is missing; with
            the transformation and the argument.

    Example:
        The step size of Polyak, for a loss whose least value is zero:

        >>> import torch, torchopt
        >>> def update(updates, state, *, params=None, inplace=True, value):
        ...     size = value / (updates ** 2).sum()
        ...     return -size * updates, state
        >>> polyak = torchopt.transform.GradientTransformationExtraArgs(
        ...     lambda params: torchopt.transform.EmptyState(), update)
        >>> torchopt.minimize(
        ...     lambda x: (x ** 2).sum(), torch.tensor([3.0, 4.0]), solver=polyak, steps=2).params
        tensor([0.7500, 1.0000])

    References:
        Optax's ``GradientTransformationExtraArgs`` (DeepMind, 2023).
    """

    def __new__(
        cls,
        init: Callable[..., Any],
        update: Callable[..., tuple[TensorTree, Any]],
        reads: frozenset[str] | None = None,
    ) -> GradientTransformationExtraArgs:
        """Read the signature of ``update``, once."""
        self = super().__new__(cls, init, update)
        self.reads, self.requires = arguments_of(update) if reads is None else (reads, frozenset())
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (*self, self.reads)


def from_rule(rule: Rule) -> GradientTransformation:
    """Return the transformation of a rule alone."""
    made = Pass((rule,), rule.overwrites)
    if rule.reads:
        reads = frozenset(rule.reads)
        tx = GradientTransformationExtraArgs(rule.init, made.update, reads)
        tx.requires = reads  # a formula has no defaults
        return tx
    return GradientTransformation(rule.init, made.update)


def rule_of(tx: GradientTransformation) -> Rule | None:
    """Return the rule that a transformation was made from, if it was made from one."""
    owner = owner_of(tx)
    return owner.rules[0] if isinstance(owner, Pass) else None


def rules_of(tx: GradientTransformation) -> list[Rule]:
    """Return the rules that a transformation, or the parts of a chain, were made from."""
    return [r for r in map(rule_of, getattr(tx, "transformations", (tx,))) if r is not None]


def owner_of(tx: GradientTransformation) -> Any:
    """Return the object whose method ``update`` is, such as a :class:`Pass`; None for a function."""
    # With a default, Dynamo (2.13) does not find that of a method which traced code has made.
    return tx.update.__self__ if isinstance(tx.update, types.MethodType) else None


def _needs_params(tx: GradientTransformation) -> bool:
    """Whether a transformation, or what it wraps, is known to read the parameters."""
    owner = owner_of(tx)
    known: bool | None = getattr(owner, "needs_params", None)
    if known is not None:
        return known
    inner = getattr(owner, "inner", None)
    return isinstance(inner, GradientTransformation) and _needs_params(inner)


class Chain:
    """The two functions of a chain.

    Attributes:
        transformations: The transformations.
        segments: Those that are present: consecutive ones as a pass, if they can be, and others as
            they are.
    """

    def __init__(self, transformations: tuple[GradientTransformation, ...]) -> None:
        self.transformations = transformations
        self.reads = frozenset().union(*[tx.reads for tx in transformations])
        self.segments: list[Pass | GradientTransformation] = []
        self._places: list[list[int]] = []  # of the transformations of each segment
        self._absent: list[tuple[int, _Absent]] = []
        together: list[list[Rule]] = []
        for index, tx in enumerate(transformations):
            owner = owner_of(tx)
            rules = owner.rules if isinstance(owner, Pass) else ()
            if isinstance(owner, _Absent):
                self._absent.append((index, owner))
            elif rules and together and rules[0].follows(together[-1]):
                together[-1] += rules
                self._places[-1].append(index)
            else:
                together.append([*rules])
                self._places.append([index])
        overwrites = all(rule.overwrites for part in together for rule in part)
        for part, places in zip(together, self._places, strict=True):
            one = Pass(part, overwrites) if part else transformations[places[0]]
            self.segments.append(one)

    @property
    def needs_params(self) -> bool:
        """Whether a transformation is known to read the parameters."""
        return any(map(_needs_params, self.transformations))

    def init(self, params: Any) -> tuple[Any, ...]:
        """Return the state of each transformation."""
        return tuple(tx.init(params) for tx in self.transformations)

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, tuple[Any, ...]]:
        """Return the updates and the new state."""
        return self.run(updates, state, params, inplace=inplace, apply=False, extra=extra)

    def run(
        self,
        updates: Any,
        state: Any,
        params: Any,
        *,
        inplace: bool,
        apply: bool,
        extra: ExtraArgs,
    ) -> tuple[Any, tuple[Any, ...]]:
        """Do that; with ``apply``, return new parameters (the last segment must have rules)."""
        number = len(self.transformations)
        if not isinstance(state, tuple) or len(state) not in (number, number - len(self._absent)):
            raise ValueError(
                f"a chain of {number} transformations was given a state that is not a tuple of "
                f"{number} states: pass what its own `init` or `update` returned."
            )
        states = [*state]
        for index, absent in self._absent:
            if len(state) < number:  # an earlier version has made it, which left out what is absent
                states.insert(index, EmptyState())
            elif type(states[index]) is not EmptyState:
                states[index] = absent.update(None, states[index])[1]
        if "grad" in self.reads and "grad" not in extra:
            # A copy, if a transformation may write its updates into the gradients.
            grad = pytree.map_leaves(torch.clone, updates) if inplace else updates
            extra = {**extra, "grad": grad}
        if inplace and len(self.segments) > 1:  # an error comes before something is written
            if self.needs_params:
                leaves_of_params(params, pytree.flatten(updates)[1])
            for tx in self.transformations:
                select(tx, extra)
        for segment, places in zip(self.segments, self._places, strict=True):
            now: Any = [states[place] for place in places]
            if isinstance(segment, Pass):
                last = apply and segment is self.segments[-1]
                updates, now = segment.run(
                    updates, now, params=params, inplace=inplace, apply=last, extra=extra
                )
            else:
                more = select(segment, extra)
                updates, now[0] = segment.update(
                    updates, now[0], params=params, inplace=inplace, **more
                )
            for place, new in zip(places, now, strict=True):
                states[place] = new
        return updates, tuple(states)


class _Absent:
    """The two functions in the place of a transformation that would change nothing.

    Args:
        states: The types of the states that the transformation may have otherwise.
    """

    def __init__(self, *states: type[object]) -> None:
        self.states: tuple[type[object], ...] = (EmptyState, *states)

    def init(self, params: Any) -> EmptyState:
        return EmptyState()

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, EmptyState]:
        check_state(state, self.states)
        return updates, EmptyState()


_NOTHING = _Absent()


class ChainedGradientTransformation(GradientTransformation):
    """Several transformations applied one after the other.

    Nested chains are flattened, and identities are left out.

    Args:
        *transformations: Applied from left to right. The state is the tuple of their states.

    Raises:
        TypeError: If an argument is not a gradient transformation.
    """

    transformations: tuple[GradientTransformation, ...]

    def __new__(cls, *transformations: GradientTransformation) -> ChainedGradientTransformation:
        """Flatten nested chains, and leave identities out."""
        flat: list[GradientTransformation] = []
        for tx in transformations:
            if isinstance(tx, ChainedGradientTransformation):
                flat.extend(tx.transformations)
            elif isinstance(tx, GradientTransformation):
                if not isinstance(tx, IdentityGradientTransformation):
                    flat.append(tx)
            else:
                raise TypeError(_no_transformation(tx))
        made = Chain(tuple(flat))
        self = super().__new__(cls, made.init, made.update)
        self.transformations = made.transformations
        self.reads = made.reads
        return self

    def __repr__(self) -> str:
        return str(call_of(self) or called("chain", {}, {}, self.transformations))

    def __getnewargs__(self) -> tuple[GradientTransformation, ...]:
        return self.transformations

    def __eq__(self, other: object) -> bool:
        """Whether both apply the same transformations; those of no chain are itself."""
        if not isinstance(other, GradientTransformation):
            return NotImplemented
        return self.transformations == ChainedGradientTransformation(other).transformations

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.transformations if len(self.transformations) > 1 else chain(self))


def _no_transformation(tx: Any) -> str:
    advice = "pass what a function of `torchopt` or `torchopt.transform` returned"
    if isinstance(tx, (list, tuple)):
        advice = "pass them one after the other, `chain(*transformations)`"
    elif getattr(tx, "__module__", "").startswith("torchopt."):
        advice = "call it, and pass the gradient transformation that it returns"
    kind = type(tx).__name__
    return (
        f"`chain` takes gradient transformations, but was given an object of type {kind}: {advice}."
    )


@records_call
def chain(*transformations: GradientTransformation) -> GradientTransformation:
    """Apply transformations one after the other.

    Args:
        *transformations: Gradient transformations, applied from left to right.

    Returns:
        One gradient transformation, whose state is the tuple of their states. A single argument is
        returned as it is; without arguments, the identity is returned.

    Raises:
        TypeError: If an argument is not a gradient transformation.

    Example:
        >>> import torch, torchopt
        >>> tx = chain(torchopt.transform.clip_grad_norm(1.0), torchopt.adam(1e-3))
        >>> torch.stack(tx.update((torch.tensor(3.0),), tx.init((torch.tensor(1.0),)))[0])
        tensor([-0.0010])
    """
    chained = ChainedGradientTransformation(*transformations)
    if len(chained.transformations) > 1:
        return chained
    return chained.transformations[0] if chained.transformations else identity()


class IdentityGradientTransformation(GradientTransformation):
    """The transformation that changes nothing, and that chains leave out."""

    def __new__(cls) -> IdentityGradientTransformation:
        """Return the transformation."""
        return super().__new__(cls, _NOTHING.init, _NOTHING.update)

    def __getnewargs__(self) -> tuple[()]:
        return ()


@records_call
def identity() -> GradientTransformation:
    """Return the transformation that changes nothing."""
    return IdentityGradientTransformation()


def absent(*states: type[object]) -> GradientTransformation:
    """Return what stands for a transformation that would change nothing, such as a decay by 0.

    In a chain it keeps the place of its state, so that the chain can go on from the state of one with
    other hyperparameters.

    Args:
        *states: The types of the states that the transformation may have otherwise.
    """
    owner = _Absent(*states)
    return GradientTransformation(owner.init, owner.update)


def is_absent(tx: GradientTransformation) -> bool:
    """Whether a transformation was made by :func:`absent`."""
    return isinstance(owner_of(tx), _Absent)


@records_call
def elementwise(
    formula: Callable[..., tuple[torch.Tensor, ...]],
    *,
    state: type[object] | tuple[type[object], ...] = EmptyState,
    slots: Mapping[str, Any] | None = None,
    hyper: Mapping[str, Any] | None = None,
    scalars: Callable[..., Mapping[str, Any]] | None = None,
    needs_params: bool = False,
    slots_require_grad: bool = False,
    fused: bool | None = None,
    overwrites: bool = False,
    reads: tuple[str, ...] = (),
) -> GradientTransformation:
    """Make a gradient transformation from a formula on one leaf.

    Args:
        formula: ``(g, *slots, **hyper) -> (u, *slots)``, or ``(g, p, *slots, **hyper)`` with
            ``needs_params``; a pure function, in differentiable PyTorch operations. It is given
            leaves of 16 bits in float32. Define it at the top level of a module, so that the
            transformation can be pickled.
        state: A NamedTuple with one field for each slot; ``count`` if there are ``scalars``: the
            updates of each leaf; and ``step``, with a default: all updates, for schedules (if there
            is no other field, it may be called ``count``). Or a tuple of this type and those of the
            same transformation with other hyperparameters, which are taken too: what such a state
            lacks starts as in ``init``.
        slots: Name and initial value of each slot, a tree like the parameters; the value may be a
            pair of the argument's name, for messages, and a number, a tensor or a tree of these; or
            a function of the parameter that returns a tensor of its shape.
        hyper: Name and value of each hyperparameter: a number, a schedule, a tensor, or a tree of
            these. The formula is given the value for its leaf at this step.
        scalars: ``(t, **hyper) -> dict`` of further arguments of the formula, computed once for
            leaves in lockstep; ``t`` is the number of the leaf's update, from 1: a float, or a
            float64 scalar tensor (see :func:`torchopt.experimental.where` and ``sqrt`` there).
        needs_params: Whether the formula reads the parameter.
        slots_require_grad: Whether the initial slots are leaves that require grad.
        fused: None (the default) uses a compiled kernel for the formula if one is available. True
            also compiles one on the CPU, and warns if the formula cannot be recorded. False uses
            PyTorch's operations.
        overwrites: Whether ``update(inplace=True)`` may also write the updates into its input
            tensors, if no graph is needed. A chain does so if all its transformations do.
        reads: Names of further arguments of ``update`` that are scalars, such as ``"value"``; formula
            and ``scalars`` get them as they get hyperparameters. See
            :class:`torchopt.transform.GradientTransformationExtraArgs`.

    Returns:
        The gradient transformation. Its ``update`` raises ``ValueError`` or ``TypeError``, naming
        the leaf, if the tree, a shape, a dtype or the state is not what ``init`` was given.
    """
    options: dict[str, Any] = {"fused": fused, "overwrites": overwrites, "reads": reads}
    state_of = (state, slots, hyper, scalars, needs_params, slots_require_grad)
    return from_rule(Rule(formula, *state_of, **options))
