"""The norm of vectors, which makes whole vectors zero."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

import torch

from torchopt import checks
from torchopt.prox.term import ProximalTerm, parameter
from torchopt.prox.vectors import DIM, Dim, along, direction, last, length, vectors
from torchopt.pytree.typing import Numeric


@dataclass(frozen=True, eq=False)
class L2(ProximalTerm):
    r"""The Euclidean norm of vectors, not squared: a whole vector becomes zero, or none.

    .. math::
        g(x) = \sum_v \lambda_v \lVert x_v \rVert_2, \qquad
        \operatorname{prox}_{t g}(x)_v
        = \max\Bigl(1 - \frac{t \lambda_v}{\lVert x_v \rVert_2}, 0\Bigr) x_v

    The sum is over the vectors along ``dim``: with ``dim=0`` the columns of a matrix are groups of a
    group lasso. For groups of other shapes use :class:`GroupLasso`.

    Args:
        penalty: The penalty :math:`\lambda \geq 0`: a number, or a tensor that broadcasts with the
            shape of a leaf without ``dim``; it may require grad.
        dim: The axis or axes along which the vectors lie. None: a leaf is one vector.

    Raises:
        ValueError: If ``penalty`` is negative or not finite; in use, if a leaf has no such axis.
        TypeError: If ``penalty`` is neither a number nor a floating tensor, or ``dim`` no integers.

    Example:
        >>> import torch, torchopt
        >>> torchopt.prox.L2(1.0).prox(torch.tensor([[3.0, 4.0], [0.5, 0.5]]))
        tensor([[2.4000, 3.2000],
                [0.0000, 0.0000]])

    References:
        Parikh and Boyd, *Proximal Algorithms*, 2014, section 6.5.1.
    """

    penalty: Numeric = field(metadata=parameter("vector"))
    _: KW_ONLY
    dim: Dim = checks.field(-1, DIM)

    def prox_leaf(self, x: torch.Tensor, step_size: Numeric) -> torch.Tensor:
        """Return the vectors, shorter by the penalty."""

        def shorten(v: torch.Tensor) -> torch.Tensor:
            by = step_size * last(self.penalty)
            return torch.where(length(v) <= by, 0.0, v - by * direction(v))

        return along(shorten, x, self.dim)

    def value_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the weighted sum of norms."""
        return (self.penalty * length(vectors(x, self.dim)).squeeze(-1)).sum()
