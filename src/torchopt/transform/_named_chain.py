"""A chain whose parts have names."""

from __future__ import annotations

from typing import Any

from torchopt import checks
from torchopt.io.calls import records_call
from torchopt.transform.chaining import (
    Chain,
    GradientTransformation,
    GradientTransformationExtraArgs,
)
from torchopt.transform.checking import check_transformation
from torchopt.transform.extra_args import ExtraArgs, union

_PAIR = checks.Word(
    'use a pair of a name and a gradient transformation, such as `("sgd", torchopt.sgd(0.1))`',
    tuple,
    lambda pair: len(pair) == 2 and isinstance(pair[0], str),
    TypeError,
)


class _NamedChain(Chain):
    """A chain whose state is a dict by name."""

    def __init__(self, parts: tuple[tuple[str, GradientTransformation], ...]) -> None:
        super().__init__(tuple(tx for _, tx in parts))
        self.names = tuple(name for name, _ in parts)

    def init(self, params: Any) -> Any:
        return dict(zip(self.names, super().init(params), strict=True))

    def run(
        self, updates: Any, state: Any, params: Any, *, inplace: bool, apply: bool, extra: ExtraArgs
    ) -> tuple[Any, Any]:
        if not isinstance(state, dict) or state.keys() != {*self.names}:
            raise ValueError(
                f"a chain with the names {', '.join(map(repr, self.names))} was given a state that is "
                f"no dict with these keys: pass what its own `init` or `update` returned."
            )
        states = tuple(state[name] for name in self.names)
        updates, new = super().run(
            updates, states, params, inplace=inplace, apply=apply, extra=extra
        )
        return updates, dict(zip(self.names, new, strict=True))


@records_call
def named_chain(*transformations: tuple[str, GradientTransformation]) -> GradientTransformation:
    """Apply transformations one after the other, with a name for the state of each.

    Args:
        *transformations: Pairs of a name and a gradient transformation, applied from left to right.

    Returns:
        One gradient transformation whose state is the dict of their states by name. It computes what
        :func:`torchopt.chain` does, as fast.

    Raises:
        TypeError: If an argument is not a pair of a name and a gradient transformation.
        ValueError: If two have the same name.

    Example:
        >>> import torch, torchopt
        >>> tx = named_chain(
        ...     ("momentum", torchopt.transform.trace(0.9)),
        ...     ("descent", torchopt.transform.scale(-1.0)))
        >>> g = (torch.tensor([2.0]),)
        >>> _, state = tx.update(g, tx.init(g), inplace=False)
        >>> state["momentum"].trace
        (tensor([2.]),)

    References:
        Optax's ``named_chain``.
    """
    for index, pair in enumerate(transformations):
        checks.check(f"argument {index} of `named_chain`", pair, _PAIR)
        check_transformation(pair[1], pair[0])
    names = [name for name, _ in transformations]
    if repeated := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise ValueError(
            f"`named_chain` has several transformations of the name {repeated[0]!r}: give each its own."
        )
    made = _NamedChain(transformations)
    return GradientTransformationExtraArgs(made.init, made.update, union(made.transformations))
