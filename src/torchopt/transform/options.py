"""Other options and numbers of the rules that a transformation was made from, and their formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from torchopt.formula import Graph, compose
from torchopt.transform._rule import Rule
from torchopt.transform.chaining import (
    ChainedGradientTransformation,
    GradientTransformation,
    from_rule,
    is_absent,
    rule_of,
)

__all__ = ["formula_of", "with_forms", "with_numbers", "with_options"]


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
    parts = [rule.part(rule.scalar_names) for rule in rules if rule is not None]
    return compose(tuple(parts), apply) if len(parts) == len(rules) else None


def with_forms(function: Any) -> Any:
    """Give a function the published package's other forms, for flat lists; here a list is a tree."""

    def impl(*args: Any, already_flattened: bool = False, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    function.flat, function.impl = function, impl
    return function
