"""The protocol of a gradient transformation: two pure functions, ``init`` and ``update``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch

from torchopt.formula import Graph, compose
from torchopt.transform._flat import Flat
from torchopt.transform._rule import GlobalFactor, Pass, Rule

__all__ = [
    "ChainedGradientTransformation",
    "EmptyState",
    "GradientTransformation",
    "UninitializedState",
    "chain",
    "identity",
]


class EmptyState(NamedTuple):
    """The state of a transformation that remembers nothing."""


class UninitializedState(NamedTuple):
    """The state of a :class:`torchopt.MetaOptimizer` before its first step."""


class GradientTransformation(NamedTuple):
    r"""A pair of pure functions that turns gradients into updates.

    Args:
        init: ``init(params) -> state``.
        update: ``update(updates, state, *, params=None, inplace=True) -> (updates, state)``. With
            ``inplace=False`` it is differentiable, to any order, in the updates, the state, the
            parameters and every tensor-valued hyperparameter. ``inplace=True`` permits it to reuse
            the memory of its arguments and to read leaf parameters as constants; the numbers are
            the same.

    Updates are *added* to the parameters, so an optimizer's updates carry the minus sign.

    Example:
        >>> import torch, torchopt
        >>> halve = torchopt.base.GradientTransformation(
        ...     init=lambda params: torchopt.base.EmptyState(),
        ...     update=lambda updates, state, *, params=None, inplace=True: (
        ...         torchopt.pytree.tree_scalar_mul(0.5, updates), state),
        ... )
        >>> tx = halve.chain(torchopt.transform.scale(-1.0))
        >>> updates, _ = tx.update((torch.tensor(3.0),), tx.init((torch.tensor(1.0),)))
        >>> updates
        (tensor(-1.5000),)

    References:
        Optax's ``GradientTransformation`` (DeepMind, 2020); Ren et al., *TorchOpt*, JMLR 2023.
    """

    init: Callable[..., Any]
    update: Callable[..., tuple[Any, Any]]

    def chain(self, next: GradientTransformation) -> ChainedGradientTransformation:
        """Return the transformation that applies this one and then ``next``."""
        return ChainedGradientTransformation(self, next)


class _Segment(NamedTuple):
    """Consecutive transformations that run in one pass over memory.

    Attributes:
        start: The index of the first one in the chain.
        factor: The transformation that multiplies all updates first, or None.
        work: The elementwise transformations; empty if there is ``other``.
        other: A transformation of another kind, which is a segment of its own.
    """

    start: int
    factor: GlobalFactor | None
    work: Pass
    other: GradientTransformation | None = None

    @property
    def stop(self) -> int:
        return (
            self.start + len(self.work.rules) + (self.factor is not None) + (self.other is not None)
        )


def _owner(tx: GradientTransformation) -> Any:
    """Return the object whose method ``update`` is, such as a :class:`Rule`; None for a function."""
    return getattr(tx.update, "__self__", None)


def _segments(transformations: tuple[GradientTransformation, ...]) -> tuple[_Segment, ...]:
    segments: list[_Segment] = []
    for index, tx in enumerate(transformations):
        owner = _owner(tx)
        if isinstance(owner, Rule) and segments and segments[-1].other is None:
            segments[-1] = segments[-1]._replace(work=Pass((*segments[-1].work.rules, owner)))
        elif isinstance(owner, Rule):
            segments.append(_Segment(index, None, owner.alone))
        elif isinstance(owner, GlobalFactor):
            segments.append(_Segment(index, owner, Pass(())))
        else:
            segments.append(_Segment(index, None, Pass(()), tx))
    return tuple(segments)


@dataclass(frozen=True)
class _Sequence:
    transformations: tuple[GradientTransformation, ...]
    segments: tuple[_Segment, ...]

    def init(self, params: Any) -> tuple[Any, ...]:
        return tuple(tx.init(params) for tx in self.transformations)

    def update(
        self, updates: Any, state: Any, *, params: Any = None, inplace: bool = True
    ) -> tuple[Any, tuple[Any, ...]]:
        return self.run(updates, state, params, inplace=inplace, apply=False)

    def run(
        self, updates: Any, state: Any, params: Any, *, inplace: bool, apply: bool
    ) -> tuple[Any, tuple[Any, ...]]:
        """Return the updates and the new state.

        With ``apply``, which needs rules in the last segment, return new parameters for updates.
        """
        if not isinstance(state, tuple) or len(state) != len(self.transformations):
            raise ValueError(
                f"a chain of {len(self.transformations)} transformations was given a state that is "
                f"not a tuple of {len(self.transformations)} states: pass what its own `init` or "
                f"`update` returned."
            )
        states: list[Any] = []
        for segment in self.segments:
            inner = state[segment.start : segment.stop]
            if segment.other is not None:
                updates, new = segment.other.update(
                    updates, inner[0], params=params, inplace=inplace
                )
                states.append(new)
                continue
            skip = segment.factor is not None
            updates, new_states = segment.work.run(
                updates,
                inner[skip:],
                params=params,
                inplace=inplace,
                factor=segment.factor.factor if segment.factor is not None else None,
                apply=apply and segment is self.segments[-1],
            )
            states += [*inner[:skip], *new_states]
        return updates, tuple(states)


def with_options(tx: GradientTransformation, **options: Any) -> GradientTransformation:
    """Return a transformation with other options of its rules: ``fused``, ``flat``."""
    return _map_rules(tx, lambda rule: replace(rule, **options))


def with_numbers(
    tx: GradientTransformation, function: Callable[[Any], Any]
) -> GradientTransformation:
    """Return a transformation in whose rules the float and tensor hyperparameters are mapped."""

    def mapped(rule: Rule) -> Rule:
        hyper = {
            name: function(x) if type(x) is float or isinstance(x, torch.Tensor) else x
            for name, x in rule.hyper.items()
        }
        same = all(hyper[name] is x for name, x in rule.hyper.items())
        return rule if same else replace(rule, hyper=hyper)

    return _map_rules(tx, mapped)


def _map_rules(
    tx: GradientTransformation, function: Callable[[Rule], Rule]
) -> GradientTransformation:
    """Return a transformation with each rule mapped; the same one if no rule changes."""
    if isinstance(tx, ChainedGradientTransformation):
        parts = [_map_rules(inner, function) for inner in tx.transformations]
        same = all(a is b for a, b in zip(parts, tx.transformations, strict=True))
        return tx if same else ChainedGradientTransformation(*parts)
    owner = _owner(tx)
    rule = function(owner) if isinstance(owner, Rule) else owner
    return tx if rule is owner else GradientTransformation(rule.init, rule.update)


def formula_of(tx: GradientTransformation, *, apply: bool) -> Graph | None:
    """Return the formula of a chain of elementwise transformations; None for other chains.

    Args:
        tx: The transformation.
        apply: Whether the formula gives new parameters, or updates.
    """
    parts = getattr(tx, "transformations", (tx,))
    owners = [_owner(part) for part in parts]
    rules = [owner for owner in owners if isinstance(owner, Rule)]
    if len(rules) < len(owners):
        return None
    return compose(tuple(rule.part(rule.scalar_names) for rule in rules), apply)


def update_and_apply(
    tx: GradientTransformation, updates: Any, state: Any, params: Any
) -> tuple[Any, Any] | None:
    """Return new parameters and the new state in one pass, or None where ``tx`` has no such pass."""
    owner = _owner(tx)
    if isinstance(owner, Rule):
        updated, states = owner.alone.run(
            updates, (state,), params=params, inplace=False, apply=True
        )
        return updated, states[0]
    if not isinstance(owner, _Sequence) or not owner.segments or not owner.segments[-1].work.rules:
        return None
    if isinstance(params, Flat) and any(segment.other for segment in owner.segments):
        return None  # a transformation of another kind takes a tree
    return owner.run(updates, state, params, inplace=False, apply=True)


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
                if tx.update is not _identity_update:
                    flat.append(tx)
            else:
                raise TypeError(
                    f"`chain` takes gradient transformations, but was given an object of type "
                    f"{type(tx).__name__}: pass what a function of `torchopt` or "
                    f"`torchopt.transform` returned."
                )
        sequence = _Sequence(tuple(flat), _segments(tuple(flat)))
        self = super().__new__(cls, sequence.init, sequence.update)
        self.transformations = sequence.transformations
        return self

    def __getnewargs__(self) -> tuple[GradientTransformation, ...]:
        return self.transformations


def chain(*transformations: GradientTransformation) -> GradientTransformation:
    """Apply transformations one after the other.

    Args:
        *transformations: Gradient transformations, applied from left to right.

    Returns:
        One gradient transformation whose state is the tuple of their states; the only argument
        itself where there is one, and the identity where there is none.

    Raises:
        TypeError: If an argument is not a gradient transformation.

    Example:
        >>> import torchopt
        >>> tx = chain(torchopt.clip_grad_norm(1.0), torchopt.adam(1e-3))
        >>> len(tx.transformations)
        3
    """
    chained = ChainedGradientTransformation(*transformations)
    if len(chained.transformations) > 1:
        return chained
    return chained.transformations[0] if chained.transformations else identity()


def _identity_init(params: Any) -> EmptyState:
    return EmptyState()


def _identity_update(
    updates: Any, state: Any, *, params: Any = None, inplace: bool = True
) -> tuple[Any, Any]:
    return updates, state


def identity() -> GradientTransformation:
    """Return the transformation that changes nothing."""
    return GradientTransformation(_identity_init, _identity_update)
