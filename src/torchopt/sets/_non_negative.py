"""The non-negative orthant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch

from torchopt.pytree.typing import Numeric
from torchopt.sets.base import Set


@dataclass(frozen=True, eq=False)
class NonNegative(Set):
    r"""Tensors without negative elements, :math:`x \geq 0`.

    .. math:: P(x) = \max(x, 0)

    Its mirror map is the negative entropy, whose step is :math:`x \, e^{-t g}`.

    Example:
        >>> import torch, torchopt
        >>> torchopt.sets.NonNegative().project(torch.tensor([3.0, -1.0]))
        tensor([3., 0.])
    """

    is_box: ClassVar[bool] = True

    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the positive part."""
        return x.relu()

    def mirror_step_leaf(
        self, x: torch.Tensor, gradient: torch.Tensor, step_size: Numeric
    ) -> torch.Tensor:
        """Return a step of exponentiated gradient descent."""
        return x * torch.exp(-step_size * gradient)
