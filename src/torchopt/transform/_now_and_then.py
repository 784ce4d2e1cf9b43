"""What a formula renews in some steps only, without a branch on the value of a tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch


def renewed(due: Any, make: Callable[[], Sequence[Any]], old: Sequence[Any]) -> tuple[Any, ...]:
    """Return new tensors if they are due, otherwise the old ones.

    Args:
        due: A boolean where the number of steps is a number; a tensor where it is traced or on a
            GPU. New tensors are then made in each step, and selected.
        make: Makes the new tensors.
        old: The old ones, of the same shapes; None for what does not exist.
    """
    if isinstance(due, bool):
        return tuple(make()) if due else tuple(old)
    pairs = zip(make(), old, strict=True)
    return tuple(None if x is None else torch.where(due, new, x) for new, x in pairs)
