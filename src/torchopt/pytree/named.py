"""What belongs to parameters one by one: a dict by name, or a tuple in the order of the parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def by_name(values: Any, names: Iterable[str], *, what: str) -> Any:
    """Return a tuple or a list as a dict by name; anything else as it is.

    Args:
        values: One for each parameter, in the order of the names.
        names: Names of parameters.
        what: What the values are, for the error.

    Raises:
        ValueError: If there is another number of them.

    Example:
        >>> by_name((0.1, 0.2), ["weight", "bias"], what="lr")
        {'weight': 0.1, 'bias': 0.2}
    """
    if type(values) not in (tuple, list):  # not a NamedTuple
        return values
    names = list(names)
    if len(values) != len(names):
        raise ValueError(
            f"`{what}` has {len(values)} values for {len(names)} parameters: pass one for each, in "
            f"their order, or a dict by name."
        )
    return dict(zip(names, values, strict=True))


def in_order(values: Any, names: Iterable[str], *, what: str) -> Any:
    """Return a dict by name as a tuple in the order of the names; anything else as it is.

    Raises:
        ValueError: If a name is missing or unknown.

    Example:
        >>> in_order({"bias": 0.2, "weight": 0.1}, ["weight", "bias"], what="lr")
        (0.1, 0.2)
    """
    if not isinstance(values, Mapping):
        return values
    names = list(names)
    for name in names:
        if name not in values:
            raise ValueError(f"`{what}` has no value for parameter `{name}`.")
    for name in values:
        if name not in names:
            raise ValueError(f"`{what}` has a value for `{name}`, which is no parameter here.")
    return tuple(values[name] for name in names)
