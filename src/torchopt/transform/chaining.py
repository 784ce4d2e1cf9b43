"""The protocol of a gradient transformation, two pure functions, and the two ways to make one.

:func:`elementwise` makes one from a formula on one leaf, :func:`chain` from others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch

from torchopt.transform import hyperparameters
from torchopt.transform._pass import Pass
from torchopt.transform._rule import Rule

__all__ = [
    "Chain",
    "ChainedGradientTransformation",
    "EmptyState",
    "GradientTransformation",
    "UninitializedState",
    "chain",
    "elementwise",
    "from_rule",
    "identity",
    "owner_of",
    "rule_of",
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


def from_rule(rule: Rule) -> GradientTransformation:
    """Return the transformation of a rule alone."""
    return GradientTransformation(rule.init, Pass((rule,)).update)


def rule_of(tx: GradientTransformation) -> Rule | None:
    """Return the rule that a transformation was made from, if it was made from one."""
    owner = owner_of(tx)
    return owner.rules[0] if isinstance(owner, Pass) and owner.rules else None


def owner_of(tx: GradientTransformation) -> Any:
    """Return the object whose method ``update`` is, such as a :class:`Pass`; None for a function."""
    return getattr(tx.update, "__self__", None)


class Chain:
    """The two functions of a chain.

    Attributes:
        transformations: The transformations.
        segments: The same: consecutive ones as a pass, if they can be, and others as they are.
    """

    def __init__(self, transformations: tuple[GradientTransformation, ...]) -> None:
        self.transformations = transformations
        self.segments: list[Pass | GradientTransformation] = []
        for tx in transformations:
            owner = owner_of(tx)
            last = self.segments[-1] if self.segments else None
            if isinstance(owner, Pass) and isinstance(last, Pass) and owner.factor is None:
                self.segments[-1] = Pass((*last.rules, *owner.rules), last.factor)
            else:
                self.segments.append(owner if isinstance(owner, Pass) else tx)

    def init(self, params: Any) -> tuple[Any, ...]:
        """Return the state of each transformation."""
        return tuple(tx.init(params) for tx in self.transformations)

    def update(
        self, updates: Any, state: Any, *, params: Any = None, inplace: bool = True
    ) -> tuple[Any, tuple[Any, ...]]:
        """Return the updates and the new state."""
        return self.run(updates, state, params, inplace=inplace, apply=False)

    def run(
        self, updates: Any, state: Any, params: Any, *, inplace: bool, apply: bool
    ) -> tuple[Any, tuple[Any, ...]]:
        """Do that; with ``apply``, return new parameters (the last segment must have rules)."""
        if not isinstance(state, tuple) or len(state) != len(self.transformations):
            raise ValueError(
                f"a chain of {len(self.transformations)} transformations was given a state that is "
                f"not a tuple of {len(self.transformations)} states: pass what its own `init` or "
                f"`update` returned."
            )
        states: list[Any] = []
        for segment in self.segments:
            at = len(states)
            if isinstance(segment, Pass):
                end = at + segment.size
                last = end == len(state)
                updates, new = segment.run(
                    updates, state[at:end], params=params, inplace=inplace, apply=apply and last
                )
                states += new
            else:
                updates, inner = segment.update(updates, state[at], params=params, inplace=inplace)
                states.append(inner)
        return updates, tuple(states)


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
        made = Chain(tuple(flat))
        self = super().__new__(cls, made.init, made.update)
        self.transformations = made.transformations
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


def elementwise(
    formula: Callable[..., tuple[torch.Tensor, ...]],
    *,
    state: type[Any] = EmptyState,
    slots: Mapping[str, Any] | None = None,
    hyper: Mapping[str, Any] | None = None,
    scalars: Callable[..., Mapping[str, Any]] | None = None,
    needs_params: bool = False,
    slots_require_grad: bool = False,
    fused: bool | None = None,
) -> GradientTransformation:
    """Make a gradient transformation from a formula on one leaf.

    Args:
        formula: ``(g, *slots, **hyper) -> (u, *slots)``, or ``(g, p, *slots, **hyper)`` with
            ``needs_params``; a pure function, in differentiable PyTorch operations. Define it at the
            top level of a module, so that the transformation can be pickled.
        state: A NamedTuple with one field for each slot; ``count`` if there are ``scalars``: the
            updates of each leaf; and ``step``, with a default: all updates, for schedules.
        slots: Name and initial value of each slot, a tree like the parameters; the value may be a
            pair of the argument's name, for messages, and a number, a tensor or a tree of these.
        hyper: Name and value of each hyperparameter: a number, a schedule, a tensor, or a tree of
            these. The formula is given the value for its leaf at this step.
        scalars: ``(t, **hyper) -> dict`` of further arguments of the formula, computed once for
            leaves in lockstep; ``t`` is the number of the leaf's update, from 1: a float, or a
            float64 scalar tensor (see :func:`torchopt.experimental.where` and ``sqrt`` there).
        needs_params: Whether the formula reads the parameter.
        slots_require_grad: Whether the initial slots are leaves that require grad.
        fused: Whether to use a compiled kernel for the formula: by default, if there is one; True
            also compiles one on the CPU, and warns if the formula cannot be recorded; False uses
            PyTorch's operations.

    Returns:
        The gradient transformation. Its ``update`` raises ``ValueError`` or ``TypeError``, naming
        the leaf, if the tree, a shape, a dtype or the state is not what ``init`` was given.
    """
    rule = Rule(
        formula=formula,
        state_type=state,
        slots=dict(slots or {}),
        hyper=dict(hyper or {}),
        scalars=scalars,
        needs_params=needs_params,
        slots_require_grad=slots_require_grad,
        scheduled=any(map(hyperparameters.has_schedule, (hyper or {}).values())),
        fused=fused,
    )
    return from_rule(rule)
