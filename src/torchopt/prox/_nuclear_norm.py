"""The sum of singular values, which makes matrices of low rank."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from torchopt import checks
from torchopt.prox.positive_part import positive_part
from torchopt.prox.term import ProximalTerm, parameter
from torchopt.prox.vectors import A_MATRIX
from torchopt.pytree.typing import Numeric


@dataclass(frozen=True, eq=False)
class NuclearNorm(ProximalTerm):
    r"""The sum of singular values of matrices, times a penalty: solutions of low rank.

    .. math::
        g(X) = \lambda \sum_i \sigma_i(X), \qquad
        \operatorname{prox}_{t g}(X) = U \operatorname{diag}(\max(\sigma - t \lambda, 0)) V^\top

    The matrices lie along the last two axes. The derivatives of PyTorch's ``svd`` are NaN at repeated
    singular values; these are right to any order. They are those of the positive part of

    .. math::
        \begin{pmatrix} 0 & X \\ X^\top & 0 \end{pmatrix} - t \lambda I

    whose positive eigenvalues are :math:`\sigma_i - t \lambda`. It costs an eigendecomposition of this
    matrix: several times a singular value decomposition for square matrices, and much more for long
    ones.

    Args:
        penalty: The penalty :math:`\lambda \geq 0`: a number, or a tensor that broadcasts with the
            shape of a leaf without its last two axes; it may require grad.

    Raises:
        ValueError: If ``penalty`` is negative or not finite; in use, if a leaf is no matrix.
        TypeError: If ``penalty`` is neither a number nor a floating tensor.

    Example:
        >>> import torch, torchopt
        >>> x = torch.tensor([[3.0, 0.0, 0.0], [0.0, 0.0, 0.5]])
        >>> torchopt.prox.NuclearNorm(1.0).prox(x).round(decimals=4) + 0.0
        tensor([[2., 0., 0.],
                [0., 0., 0.]])

    References:
        Cai, Candès and Shen, *A Singular Value Thresholding Algorithm for Matrix Completion*, 2010.
    """

    penalty: Numeric = field(metadata=parameter("matrix"))

    def prox_leaf(self, x: torch.Tensor, step_size: Numeric) -> torch.Tensor:
        """Return the matrices with smaller singular values."""
        by = step_size * self.penalty
        if isinstance(by, torch.Tensor):
            by = by[..., None, None]
        large = _symmetric(x)
        eye = torch.eye(large.shape[-1], dtype=large.dtype, device=x.device)
        return 2 * positive_part(large - by * eye)[..., : x.shape[-2], x.shape[-2] :]

    def value_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the weighted sum of singular values."""
        traces = positive_part(_symmetric(x)).diagonal(dim1=-2, dim2=-1).sum(-1)
        return (self.penalty * traces).sum()


def _symmetric(x: torch.Tensor) -> torch.Tensor:
    """Return symmetric matrices whose positive eigenvalues are the singular values of others."""
    checks.check("the leaf", x, A_MATRIX)
    m, n = x.shape[-2:]
    pad = torch.nn.functional.pad
    return pad(x, (m, 0, 0, n)) + pad(x.mT, (0, n, m, 0))
