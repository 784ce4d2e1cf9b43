"""Leave some of the parameters as they are."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from torchopt.io.calls import records_call
from torchopt.ops import where
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Mask
from torchopt.transform._masked import masked
from torchopt.transform._partition import partition
from torchopt.transform.chaining import GradientTransformation, elementwise


def _zero(g: torch.Tensor) -> tuple[torch.Tensor]:
    # Part of the graph, so that the derivative is zero and not missing.
    return (where(False, g, 0.0),)


@records_call
def set_to_zero() -> GradientTransformation:
    """Replace the updates by zeros, also where they are NaN.

    Returns:
        A gradient transformation whose derivative is zero.

    Example:
        >>> import torch
        >>> tx = set_to_zero()
        >>> g = (torch.tensor([float("nan"), 2.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([0., 0.]),)
    """
    return elementwise(_zero)


@records_call
def freeze(mask: Mask) -> GradientTransformation:
    """Set the updates to zero where a mask is True; others pass unchanged.

    In a chain it comes last: weight decay after it moves the parameters nevertheless. It saves no
    memory; :func:`selective_transform` keeps no state for what is frozen.

    Args:
        mask: A boolean, a tree of booleans with the structure of the parameters (or a prefix of it),
            or a function that returns one, as in :func:`masked`.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: In ``init`` and ``update``, if the mask does not have the tree's structure.
        TypeError: In ``init`` and ``update``, if a leaf of the mask is not a boolean.

    Example:
        >>> import torch
        >>> tx = freeze({"body": True, "head": False})
        >>> g = {"body": torch.tensor([1.0]), "head": torch.tensor([1.0])}
        >>> tx.update(g, tx.init(g))[0]
        {'body': tensor([0.]), 'head': tensor([1.])}

    References:
        Optax's ``freeze``.
    """
    return masked(set_to_zero(), mask)


@records_call
def selective_transform(
    optimizer: GradientTransformation, /, *, freeze_mask: Mask
) -> GradientTransformation:
    """Apply a transformation where a mask is False, and set the updates to zero elsewhere.

    Args:
        optimizer: The transformation; it has no state where the mask is True.
        freeze_mask: A boolean, a tree of booleans with the structure of the parameters (or a prefix
            of it), or a function that returns one: True where parameters stay as they are.

    Returns:
        A gradient transformation, :func:`partition` with the labels ``"train"`` and ``"freeze"``.

    Raises:
        TypeError: If ``optimizer`` is no gradient transformation.
        ValueError: In ``init`` and ``update``, if the mask does not have the tree's structure.

    Example:
        >>> import torch, torchopt
        >>> tx = selective_transform(torchopt.sgd(1.0), freeze_mask={"body": True, "head": False})
        >>> g = {"body": torch.tensor([1.0]), "head": torch.tensor([1.0])}
        >>> tx.update(g, tx.init(g))[0]
        {'body': tensor([0.]), 'head': tensor([-1.])}

    References:
        Optax's ``selective_transform``.
    """
    labels = partial(_labels, freeze_mask) if callable(freeze_mask) else _labels(freeze_mask)
    return partition({"train": optimizer, "freeze": set_to_zero()}, labels)


def _labels(mask: Any, *trees: Any) -> Any:
    mask = mask(*trees) if trees else mask
    return pytree.map_leaves(lambda frozen: "freeze" if frozen else "train", mask)
