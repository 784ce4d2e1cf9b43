"""Another learning rate of a transformation, and the published package's forms of functions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from torchopt.formula import optimizers
from torchopt.transform._scale import scale_by_learning_rate
from torchopt.transform.chaining import (
    ChainedGradientTransformation,
    GradientTransformation,
    from_rule,
    rule_of,
    rules_of,
)


def learning_rate_of(tx: GradientTransformation) -> Any:
    """Return the learning rate of a chain that has one; None for other transformations."""
    rates = [r.hyper["lr"] for r in rules_of(tx) if r.formula is optimizers.descend]
    return rates[0] if len(rates) == 1 else None


def with_learning_rate(impl: GradientTransformation, lr: Any = None) -> GradientTransformation:
    """Return a transformation with another learning rate.

    Args:
        impl: The transformation.
        lr: Its learning rate. None, or the same object as now, changes nothing.

    Raises:
        ValueError: If the transformation has no learning rate, or several; or if it is negative.
    """
    old = learning_rate_of(impl)
    if lr is None or lr is old:
        return impl
    if old is None:
        raise ValueError(
            "a group has an `lr`, but its transformation is no chain with one learning rate: leave "
            "`lr` out, or end the chain with `torchopt.transform.scale_by_learning_rate`."
        )
    new = rule_of(scale_by_learning_rate(lr))
    assert new is not None
    parts = []
    for part in getattr(impl, "transformations", (impl,)):
        rule = rule_of(part)
        if rule is not None and rule.formula is optimizers.descend:
            part = from_rule(replace(new, fused=rule.fused, container=rule.container))
        parts.append(part)
    return ChainedGradientTransformation(*parts) if len(parts) > 1 else parts[0]


def with_forms(function: Any) -> Any:
    """Give a function the published package's other forms, for flat lists; here a list is a tree."""

    def impl(*args: Any, already_flattened: bool = False, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    function.flat, function.impl = function, impl
    return function
