"""What 0.7.3 has for modules and takes a word of its own nowhere else."""

from __future__ import annotations

from typing import TypeVar

from torchopt.optim.states import stop_gradient

__all__ = ["module_detach_"]

_T = TypeVar("_T")


def module_detach_(target: _T) -> _T:
    """Detach the parameters and buffers of a module from their graph, in place.

    Args:
        target: A module; or anything that :func:`torchopt.stop_gradient` takes.

    Returns:
        The same object.

    Example:
        >>> import torch
        >>> net = torch.nn.Linear(1, 1)
        >>> module_detach_(net) is net
        True
    """
    stop_gradient(target)
    return target
