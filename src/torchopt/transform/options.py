"""Other options and numbers of the rules that a transformation was made from, and their formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from torchopt.formula import Graph, compose, optimizers
from torchopt.transform._rule import Rule
from torchopt.transform._scale import scale_by_learning_rate
from torchopt.transform.chaining import (
    ChainedGradientTransformation,
    GradientTransformation,
    from_rule,
    is_absent,
    rule_of,
    rules_of,
)

__all__ = [
    "formula_of",
    "learning_rate_of",
    "with_forms",
    "with_learning_rate",
    "with_options",
]


def with_options(tx: GradientTransformation, **options: Any) -> GradientTransformation:
    """Return a transformation with other options of its rules: ``fused``, ``container``."""
    return _map_rules(tx, lambda rule: replace(rule, **options))


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

    def mapped(rule: Rule) -> Rule:
        if rule.formula is not optimizers.descend:
            return rule
        return replace(new, fused=rule.fused, container=rule.container)

    return _map_rules(impl, mapped)


def _map_rules(
    tx: GradientTransformation, function: Callable[[Rule], Rule]
) -> GradientTransformation:
    """Return a transformation with each rule mapped; the same one if no rule changes."""
    if isinstance(tx, ChainedGradientTransformation):
        parts = [_map_rules(inner, function) for inner in tx.transformations]
        same = all(a is b for a, b in zip(parts, tx.transformations, strict=True))
        return tx if same else ChainedGradientTransformation(*parts)
    rule = rule_of(tx)
    if rule is None:
        return tx
    mapped = function(rule)
    return tx if mapped is rule else from_rule(mapped)


def formula_of(tx: GradientTransformation, *, apply: bool) -> Graph | None:
    """Return the formula of a chain of elementwise transformations; None for other chains.

    Args:
        tx: The transformation.
        apply: Whether the formula gives new parameters, or updates.
    """
    present = [part for part in getattr(tx, "transformations", (tx,)) if not is_absent(part)]
    rules = [*map(rule_of, present)]
    if any(rule is not None and (rule.leafwise or rule.reduction) for rule in rules):
        return None
    parts = [rule.part(rule.scalar_names()) for rule in rules if rule is not None]
    return compose(tuple(parts), apply) if len(parts) == len(rules) else None


def with_forms(function: Any) -> Any:
    """Give a function the published package's other forms, for flat lists; here a list is a tree."""

    def impl(*args: Any, already_flattened: bool = False, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    function.flat, function.impl = function, impl
    return function
