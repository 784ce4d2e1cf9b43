"""Apply a transformation at some of the steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.io.calls import records_call, value_text
from torchopt.transform._rule import check_state
from torchopt.transform._select import as_condition, counter_like, update_if, zeros_like
from torchopt.transform.chaining import GradientTransformation, GradientTransformationExtraArgs
from torchopt.transform.checking import check_transformation
from torchopt.transform.extra_args import arguments_of, missing


class ConditionallyTransformState(NamedTuple):
    """The state of the inner transformation, and the number of all updates."""

    inner_state: Any
    step: Any


class ConditionallyMaskState(NamedTuple):
    """The number of all updates, and the state of the inner transformation."""

    step: Any
    inner_state: Any


@dataclass(frozen=True, eq=False)
class _Conditionally:
    inner: GradientTransformation
    should_transform_fn: Callable[..., Any]
    forward_extra_args: bool
    #: What the updates are at other steps.
    otherwise: Callable[[Any], Any]
    state: type[Any]

    def init(self, params: Any) -> Any:
        return self.state(inner_state=self.inner.init(params), step=counter_like(params))

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, Any]:
        check_state(state, (self.state,))
        condition = as_condition(
            self.should_transform_fn(state.step, **self._given(extra)), "should_transform_fn"
        )
        updates, inner_state = update_if(
            condition,
            self.inner,
            updates,
            state.inner_state,
            self.otherwise(updates),
            params=params,
            inplace=inplace,
            extra=extra,
        )
        return updates, self.state(inner_state=inner_state, step=state.step + 1)

    def _given(self, extra: dict[str, Any]) -> dict[str, Any]:
        """Return the further arguments of the condition."""
        if not self.forward_extra_args:
            return {}
        names, required = arguments_of(self.should_transform_fn)
        for name in sorted(required - extra.keys()):
            raise missing(value_text(self.should_transform_fn), name)
        return {name: extra[name] for name in names if name in extra}


def _unchanged(updates: Any) -> Any:
    return updates


def _make(
    inner: Any, function: Any, forward: bool, otherwise: Callable[[Any], Any], state: type[Any]
) -> GradientTransformation:
    check_transformation(inner, "inner")
    checks.check("should_transform_fn", function, checks.a_function("the number of updates"))
    made = _Conditionally(inner, function, forward, otherwise, state)
    reads = inner.reads | (arguments_of(function)[0] if forward else frozenset())
    return GradientTransformationExtraArgs(made.init, made.update, reads)


@records_call
def conditionally_transform(
    inner: GradientTransformation,
    /,
    should_transform_fn: Callable[..., bool | torch.Tensor],
    forward_extra_args: bool = False,
) -> GradientTransformation:
    """Apply a transformation at some steps; at the others, updates and state stay as they are.

    Args:
        inner: The transformation.
        should_transform_fn: Called with the number of updates done before this one, an integer
            tensor without dimensions; returns a boolean tensor without dimensions. It is differentiated
            as a constant.
        forward_extra_args: Whether it is given further arguments of ``update``, too, such as ``value``:
            those that are keyword-only parameters of it.

    Returns:
        A gradient transformation. Both cases are computed and one is selected, so that it can be
        mapped and compiled; at other steps ``inner`` is computed for zero updates, and dropped.

    Raises:
        TypeError: If ``inner`` is no gradient transformation, or the function cannot be called; in
            ``update``, if it does not return a boolean.

    Example:
        >>> import torch, torchopt
        >>> every_second = conditionally_transform(
        ...     torchopt.transform.scale(10.0), lambda step: step % 2 == 1)
        >>> g = (torch.tensor([1.0]),)
        >>> u, state = every_second.update(g, every_second.init(g))
        >>> v, state = every_second.update(g, state)
        >>> u, v
        ((tensor([1.]),), (tensor([10.]),))

    References:
        Optax's ``conditionally_transform``.
    """
    state = ConditionallyTransformState
    return _make(inner, should_transform_fn, forward_extra_args, _unchanged, state)


@records_call
def conditionally_mask(
    inner: GradientTransformation,
    /,
    should_transform_fn: Callable[..., bool | torch.Tensor],
    forward_extra_args: bool = False,
) -> GradientTransformation:
    """Apply a transformation at some steps; at the others, updates are zero and the state stays.

    Args:
        inner: The transformation.
        should_transform_fn: As in :func:`conditionally_transform`.
        forward_extra_args: As in :func:`conditionally_transform`.

    Returns:
        A gradient transformation.

    Raises:
        TypeError: As :func:`conditionally_transform`.

    Example:
        >>> import torch, torchopt
        >>> tx = conditionally_mask(torchopt.sgd(1.0), lambda step: step % 2 == 1)
        >>> g = (torch.tensor([1.0]),)
        >>> u, state = tx.update(g, tx.init(g))
        >>> v, state = tx.update(g, state)
        >>> u, v
        ((tensor([0.]),), (tensor([-1.]),))

    References:
        Optax's ``conditionally_mask``.
    """
    state = ConditionallyMaskState
    return _make(inner, should_transform_fn, forward_extra_args, zeros_like, state)
