"""Further arguments of ``update``, such as the loss, and which of them a transformation reads.

What calls ``update``, such as :func:`torchopt.minimize`, makes only the arguments in the attribute
``reads`` of a transformation. A wrapper passes on what its inner transformation reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, signature
from typing import Any, TypeAlias

ExtraArgs: TypeAlias = Mapping[str, Any]
NONE: ExtraArgs = {}

_MEANINGS = {
    "value": "the loss at the parameters, a scalar tensor",
    "value_fn": "a function of the parameters that returns the loss",
    "grad": "the gradient of the loss at the parameters",
}


def arguments_of(update: Callable[..., Any]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the further arguments of ``update``, and of those without a default."""
    further = [
        p
        for p in signature(update).parameters.values()
        if p.kind is Parameter.KEYWORD_ONLY and p.name not in ("params", "inplace")
    ]
    required = (p.name for p in further if p.default is Parameter.empty)
    return frozenset(p.name for p in further), frozenset(required)


def select(tx: Any, extra: ExtraArgs) -> dict[str, Any]:
    """Return the arguments that a transformation reads.

    Args:
        tx: The transformation.
        extra: All arguments that there are.

    Raises:
        TypeError: If one is missing that the transformation cannot do without.
    """
    if not tx.reads:
        return {}
    for name in sorted(tx.requires):
        if name not in extra:
            raise missing(repr(tx), name)
    return {name: extra[name] for name in tx.reads if name in extra}


def missing(reader: str, name: str) -> TypeError:
    """Return the error of a transformation that is not given an argument."""
    meaning = f", {_MEANINGS[name]}" if name in _MEANINGS else ""
    return TypeError(
        f"the transformation `{reader}` reads `{name}`{meaning}, and was not given it: call "
        f"`update(..., {name}=...)`, give `step` a closure, or use `torchopt.minimize`."
    )


def at_params(extra: ExtraArgs, place: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the arguments for a transformation that sees other parameters, whose `grad` is another.

    Args:
        extra: The arguments.
        place: Returns the parameters that ``value_fn`` takes, for those that the transformation sees.
    """
    placed = {name: x for name, x in extra.items() if name != "grad"}
    if "value_fn" in extra:
        value_fn = extra["value_fn"]
        placed["value_fn"] = lambda params: value_fn(place(params))
    return placed


def union(transformations: Iterable[Any]) -> frozenset[str]:
    """Return what some transformations read together."""
    return frozenset().union(*(tx.reads for tx in transformations))
