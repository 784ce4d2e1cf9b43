"""Shampoo's preconditioning."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.loops import wide
from torchopt.io.calls import records_call
from torchopt.prox.vectors import bounded, unit
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._now_and_then import renewed
from torchopt.transform.beyond_elements import leafwise
from torchopt.transform.chaining import GradientTransformation

#: Each round multiplies the smallest eigenvalue by more than 2.2: enough for a condition of 1e12.
_ROUNDS = 40


class ScaleByShampooState(NamedTuple):
    """Sums of squares and their inverse roots, one matrix for each dimension, and counters."""

    statistics: Any
    roots: Any
    count: Any
    step: Any = ()


def inverse_root(matrix: torch.Tensor, order: int) -> torch.Tensor:
    r"""Return :math:`A^{-1/p}` of symmetric positive definite matrices.

    By the coupled Newton iteration of Iannazzo (2006), with :math:`X_0 = z^{1/p} I, M_0 = z A`:

    .. math::
        T = \frac{(p + 1) I - M_k}{p}, \qquad X_{k+1} = X_k T, \qquad M_{k+1} = T^p M_k

    It has sums and products only, so its derivatives are right for repeated eigenvalues too, where
    those of an eigendecomposition are not defined.

    Args:
        matrix: The matrices :math:`A`, of shape (..., n, n).
        order: The integer :math:`p`.
    """
    if not matrix.numel():
        return matrix
    scale = unit(matrix.detach().abs().amax((-2, -1), keepdim=True))
    matrix = matrix / scale
    eye = torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    z = (1 + order) / (2 * torch.linalg.matrix_norm(matrix, keepdim=True))
    root, coupled = z ** (1 / order) * eye, z * matrix
    for _ in range(_ROUNDS):
        factor = ((order + 1) * eye - coupled) / order
        root = root @ factor
        coupled = torch.linalg.matrix_power(factor, order) @ coupled
    return root * scale ** (-1 / order)


def _squares(p: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return tuple(wide(p.new_zeros(n, n)) for n in p.shape or (1,))


def _due(t: Any, *, steps: int, **_: Any) -> dict[str, Any]:
    return {"due": t % steps == 0}


def _regular(matrix: torch.Tensor, eps: Any) -> torch.Tensor:
    """Add to the eigenvalues, so that those lost in rounding errors are positive."""
    trace = matrix.diagonal().sum()
    eye = torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    return matrix + (eps + 16 * torch.finfo(matrix.dtype).eps * trace) * eye


def _shampoo(
    g: torch.Tensor,
    statistics: tuple[torch.Tensor, ...],
    roots: tuple[torch.Tensor, ...],
    *,
    matrix_eps: Any,
    due: Any,
) -> tuple[Any, ...]:
    g = bounded(g)
    u = g if g.dim() else g.reshape(1)
    sides = (
        [u.movedim(axis, 0).flatten(1) for axis in range(u.dim())] if u.dim() > 1 else [u[:, None]]
    )
    statistics = tuple(s + x @ x.mT for s, x in zip(statistics, sides, strict=True))

    def make() -> list[torch.Tensor]:
        return [inverse_root(_regular(s, matrix_eps), 2 * len(statistics)) for s in statistics]

    roots = renewed(due, make, roots)
    for axis, root in enumerate(roots):
        u = (u.movedim(axis, -1) @ root).movedim(-1, axis)
    return u.reshape(g.shape), statistics, roots


@records_call
def scale_by_shampoo(
    matrix_eps: Hyperparameter = 1e-6, preconditioning_compute_steps: int = 1
) -> GradientTransformation:
    r"""Multiply the gradient from each side by the inverse root of its sum of squares.

    For a matrix,

    .. math::
        L_t = L_{t-1} + g_t g_t^\top, \qquad R_t = R_{t-1} + g_t^\top g_t, \qquad
        u_t = (L_t + \varepsilon I)^{-1/4} g_t (R_t + \varepsilon I)^{-1/4}

    A leaf with ``k`` dimensions has ``k`` such matrices, with exponent :math:`-1/(2k)`; a vector has
    one, with exponent :math:`-1/2`, and a scalar is a vector of one element. A dimension of size ``n``
    takes memory of ``2 n^2`` numbers, and time of about ``200 n^3`` operations for a root.

    The roots are computed by a coupled Newton iteration, whose derivatives are right for repeated
    eigenvalues too. So that it converges, 16 units of rounding of the trace are added to the diagonal
    with :math:`\varepsilon`. For parameters of 16 bits the matrices are in float32. A NaN makes its
    leaf NaN. Gradients whose squares overflow count as the largest that do not.

    Args:
        matrix_eps: Multiple :math:`\varepsilon` of the identity that is added, positive.
        preconditioning_compute_steps: Roots are renewed in each step whose number, from 1, is a
            multiple of this; before the first such step, updates are zero. Where steps are traced, as
            in ``vmap`` and ``torch.compile``, new roots are computed in each step and selected.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_shampoo(matrix_eps=1e-9)
        >>> g = (torch.tensor([[0.0, 3.0], [4.0, 0.0]], dtype=torch.float64),)
        >>> tx.update(g, tx.init(g))[0][0].round(decimals=4)
        tensor([[0., 1.],
                [1., 0.]], dtype=torch.float64)

    References:
        Gupta, Koren and Singer, *Shampoo: Preconditioned Stochastic Tensor Optimization*, 2018,
        algorithms 1 and 2. Iannazzo, *On the Newton Method for the Matrix Pth Root*, 2006. Anil et
        al., *Scalable Second Order Optimization for Deep Learning*, 2020.
    """
    hyperparameters.check("matrix_eps", matrix_eps)
    if hyperparameters.is_zero(matrix_eps):
        raise ValueError("`matrix_eps` is 0, but it must be positive: zero has no inverse root.")
    steps = preconditioning_compute_steps
    checks.check_count("preconditioning_compute_steps", steps, 1)
    return leafwise(
        _shampoo,
        state=ScaleByShampooState,
        slots={"statistics": _squares, "roots": _squares},
        hyper={"matrix_eps": matrix_eps},
        scalars=partial(_due, steps=steps),
    )
