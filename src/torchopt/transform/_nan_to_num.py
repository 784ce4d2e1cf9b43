"""Replace NaN and infinity in updates."""

from __future__ import annotations

from functools import partial

import torch

from torchopt.io.calls import records_call
from torchopt.transform.chaining import GradientTransformation, elementwise


def _nan_to_num(
    g: torch.Tensor, *, nan: float, posinf: float | None, neginf: float | None
) -> tuple[torch.Tensor]:
    return (torch.nan_to_num(g, nan=nan, posinf=posinf, neginf=neginf),)


@records_call
def nan_to_num(
    nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> GradientTransformation:
    """Replace NaN and infinite values of the updates.

    Args:
        nan: What NaN becomes.
        posinf: What positive infinity becomes; by default the largest finite number of the dtype.
        neginf: What negative infinity becomes; by default the smallest finite number of the dtype.

    Returns:
        A gradient transformation. Its derivative is zero where a value was replaced.

    Example:
        >>> import torch
        >>> tx = nan_to_num(nan=1.0)
        >>> g = (torch.tensor([float("nan"), 2.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([1., 2.]),)
    """
    formula = partial(_nan_to_num, nan=nan, posinf=posinf, neginf=neginf)
    return elementwise(formula, overwrites=True)
