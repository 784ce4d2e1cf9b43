"""A chain of transformations that are given flat lists, as the published package has it."""

from __future__ import annotations

import functools
from typing import Any

from torchopt import checks
from torchopt.pytree.flattening import flatten, unflatten
from torchopt.transform.chaining import (
    GradientTransformation,
    GradientTransformationExtraArgs,
    chain,
    identity,
)
from torchopt.transform.extra_args import at_params, select


class _OnLeaves:
    """The two functions of a transformation that is given the leaves of trees in lists.

    Args:
        inner: The transformation.
    """

    def __init__(self, inner: GradientTransformation) -> None:
        self.inner = inner

    def init(self, params: Any) -> Any:
        return self.inner.init(flatten(params)[0])

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, Any]:
        leaves, spec = flatten(updates)
        weights = None
        if params is not None:
            weights, structure = flatten(params)
            checks.check_same_structure(spec, structure, root="params", reference="the updates")
            extra = at_params(extra, functools.partial(unflatten, structure))
        more = select(self.inner, extra)
        leaves, state = self.inner.update(leaves, state, params=weights, inplace=inplace, **more)
        return unflatten(spec, leaves), state


def chain_flat(*transformations: GradientTransformation) -> GradientTransformation:
    """Chain transformations that are given flat lists: the leaves of the trees, in their order.

    The leaves of a dict are in the order of its sorted keys, as in TorchOpt 0.7.3; hyperparameters and
    masks that are tuples follow that order here, and cannot be dicts by name.

    Args:
        *transformations: Gradient transformations, applied from left to right.

    Returns:
        One gradient transformation of trees. Its state is that of :func:`torchopt.chain` for lists.

    Raises:
        TypeError: If an argument is not a gradient transformation.

    Example:
        >>> import torch, torchopt
        >>> tx = chain_flat(torchopt.transform.trace(), torchopt.transform.scale(-1.0))
        >>> tx.init({"w": torch.ones(1), "b": torch.zeros(2)})[0].trace
        [tensor([0., 0.]), tensor([0.])]
    """
    if not transformations:
        return identity()
    inner = _OnLeaves(chain(*transformations))
    return GradientTransformationExtraArgs(inner.init, inner.update, inner.inner.reads)
