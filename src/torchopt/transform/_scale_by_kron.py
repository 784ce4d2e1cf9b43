"""PSGD Kron: a Kronecker-factored preconditioner that makes gradients white."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.loops import wide
from torchopt.io.calls import records_call
from torchopt.ops import safe_sqrt
from torchopt.prox.vectors import bounded
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._now_and_then import renewed
from torchopt.transform.beyond_elements import leafwise
from torchopt.transform.chaining import GradientTransformation


class ScaleByKronState(NamedTuple):
    """A factor and a bound on its curvature for each dimension, and counters.

    A factor is a symmetric matrix, or the diagonal of one.
    """

    factors: Any
    bounds: Any
    count: Any
    step: Any = ()


def _factors(
    p: torch.Tensor, *, largest: int, vectors: bool, scale: float
) -> tuple[torch.Tensor, ...]:
    sizes = p.shape or (1,)
    root = scale ** (1 / len(sizes))
    has_matrices = p.dim() > (0 if vectors else 1)
    return tuple(
        root
        * (
            wide(p.new_ones(n, n)).tril().triu()  # a DTensor, if the leaf is one
            if has_matrices and n <= largest
            else wide(p.new_ones(n))
        )
        for n in sizes
    )


def _bounds(p: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return tuple(wide(p.new_zeros(())) for _ in p.shape or (1,))


def _due(t: Any, *, frequency: int, **_: Any) -> dict[str, Any]:
    return {"due": (t - 1) % frequency == 0}


def _square(q: torch.Tensor) -> torch.Tensor:
    return q @ q if q.dim() > 1 else q * q


def _trace(q: torch.Tensor) -> torch.Tensor:
    return (q.diagonal() if q.dim() > 1 else q).sum()


def _preconditioned(g: torch.Tensor, squares: Sequence[torch.Tensor]) -> torch.Tensor:
    """Multiply each dimension, after a first one of size 1, by its part of the preconditioner."""
    for axis, p in enumerate(squares, start=1):
        x = g.movedim(axis, -1)
        g = (x @ p if p.dim() > 1 else x * p).movedim(-1, axis)
    return g


def _largest_eigenvalue(a: torch.Tensor) -> torch.Tensor:
    """Return a lower bound that is near, for positive semidefinite matrices.

    Two steps of power iteration from the row of the largest norm, as in Li's ``norm_lower_bound``.
    """
    trace = _trace(a)
    a = a / torch.where(trace == 0, 1.0, trace)  # sixth powers could overflow
    row = torch.index_select(a, 0, (a * a).sum(dim=1).argmax().reshape(1))
    x = row @ a
    y = x @ a
    length = (x * x).sum()
    return trace * safe_sqrt((y * y).sum() / torch.where(length == 0, 1.0, length))


def _fitted(
    g: torch.Tensor,
    factors: Sequence[torch.Tensor],
    bounds: Sequence[torch.Tensor],
    *,
    lr: Any,
    decay: Any,
    damping: Any,
) -> list[torch.Tensor]:
    """Return the factors and the bounds after a step of the fit."""
    squares = [_square(q) for q in factors]
    white = _preconditioned(g, squares)
    fourth = [_square(p) for p in squares]
    new_factors, new_bounds = [], []
    for axis, (q, bound) in enumerate(zip(factors, bounds, strict=True)):
        x = white.movedim(axis + 1, 0).flatten(1)
        weight = damping * damping
        for other, power in enumerate(fourth):
            weight = weight if other == axis else weight * _trace(power)
        moment = (x @ x.mT if q.dim() > 1 else (x * x).sum(dim=1)) + weight * fourth[axis]
        expected = g.numel() / len(q)
        largest = _largest_eigenvalue(moment) if q.dim() > 1 else moment.amax()
        now = largest + expected
        bound = torch.maximum(decay * bound + (1 - decay) * now, now).to(bound.dtype)
        # Divided first, so that no derivative has a product of two moments.
        moment, share, rate = moment / bound, expected / bound, lr / 2
        if q.dim() > 1:
            q = q + rate * (share * q - moment @ q)
            q = q + rate * (share * q - q @ moment)
            q = (q + q.mT) / 2
        else:
            gain = 1 - rate * (moment - share)
            q = q * gain * gain
        new_factors.append(q)
        new_bounds.append(bound)
    sizes = [_trace(q) / len(q) for q in new_factors]
    mean = math.prod(sizes, start=torch.ones_like(sizes[0])) ** (1 / len(sizes))
    return [q * (mean / size) for q, size in zip(new_factors, sizes, strict=True)] + new_bounds


def _kron(
    g: torch.Tensor,
    factors: tuple[torch.Tensor, ...],
    bounds: tuple[torch.Tensor, ...],
    *,
    precondition_lr: Any,
    bound_decay: Any,
    damping: Any,
    due: Any,
) -> tuple[Any, ...]:
    if g.numel() == 0:
        return g, factors, bounds
    u = bounded(g).reshape(1, *(g.shape or (1,)))
    fit = partial(
        _fitted, u, factors, bounds, lr=precondition_lr, decay=bound_decay, damping=damping
    )
    new = renewed(due, fit, (*factors, *bounds))
    factors, bounds = new[: len(factors)], new[len(factors) :]
    u = _preconditioned(u, [_square(q) for q in factors])
    return u.reshape(g.shape), factors, bounds


@records_call
def scale_by_kron(
    precondition_lr: Hyperparameter = 0.1,
    bound_decay: Hyperparameter = 0.9,
    *,
    damping: Hyperparameter = 1e-9,
    precondition_frequency: int = 1,
    max_precondition_dim: int = 8192,
    precondition_1d: bool = False,
    precondition_init_scale: float = 1.0,
) -> GradientTransformation:
    r"""Make updates white with a preconditioner that is a Kronecker product (PSGD).

    The preconditioner :math:`P = Q^2, Q = Q_1 \otimes \dots \otimes Q_k`, with a symmetric positive
    definite :math:`Q_i` for each dimension of a leaf, minimizes

    .. math::
        \operatorname{E}[g^\top P g + v^\top P^{-1} v], \qquad v \sim N(0, I),

    so :math:`P \operatorname{E}[g g^\top] P = I` if it has that form: updates :math:`u = P g` have
    uncorrelated elements of variance 1. Each fit is a step of stochastic descent, which has no
    inverses and no random numbers. For the leaf of a gradient :math:`g_t` with :math:`N` elements, and
    its dimension :math:`i` of size :math:`n_i`, let :math:`W_i` be the matrix with :math:`n_i` rows of
    the elements of :math:`P_{t-1} g_t`. With all on the right of step :math:`t - 1`,

    .. math::
        T_i &= W_i W_i^\top + \delta^2 \Big(\prod_{j \ne i} \operatorname{tr} Q_j^4\Big) Q_i^4, \qquad
        \ell_i = \lVert T_i \rVert + \tfrac{N}{n_i}, \qquad
        L_i \leftarrow \max(\beta L_i + (1 - \beta) \ell_i, \ell_i) \\
        G_i &= I - \frac{\mu}{2 L_i} \Big(T_i - \frac{N}{n_i} I\Big), \qquad
        Q_i \leftarrow G_i Q_i G_i, \qquad u_t = P_t g_t

    The term with :math:`\delta` is the expectation over the noise :math:`\delta v` that Li's code adds
    to the gradient; without it, :math:`P` grows without bound where gradients are zero. The norm
    is a lower bound by two steps of power iteration. After each fit, the factors are
    multiplied by numbers with a product of 1, so that none overflows: their traces, divided by
    their sizes, are then equal. Scalars, vectors unless ``precondition_1d`` is set, and dimensions
    larger than ``max_precondition_dim`` have diagonal factors, which read the diagonal of :math:`T_i`
    only. A matrix of size ``n`` takes memory of ``n^2`` numbers, and some products of ``n^3``
    operations.

    Derivatives are those of all these steps; of a maximum, that of the larger side. For parameters
    of 16 bits, factors are in float32. A NaN makes its leaf NaN. Gradients whose squares overflow
    count as the largest that do not.

    Args:
        precondition_lr: Step size :math:`\mu` of the fit, not negative. A smaller one averages over
            more gradients. Up to 1, the factors remain positive definite.
        bound_decay: Decay :math:`\beta` of the bounds :math:`L_i`.
        damping: Size :math:`\delta` of the gradients below which updates become small, not negative.
        precondition_frequency: Number of steps from one fit to the next. Where steps are traced, as in
            ``vmap`` and ``torch.compile``, fits are computed in each step and selected.
        max_precondition_dim: Largest size of a dimension that has a matrix.
        precondition_1d: Whether vectors have a matrix, too.
        precondition_init_scale: The first :math:`Q` is this multiple of the identity, positive.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_kron()
        >>> g = (torch.tensor([[0.0, 3.0], [4.0, 0.0]]),)
        >>> state = tx.init(g)
        >>> for _ in range(100):
        ...     u, state = tx.update(g, state)
        >>> u[0].round(decimals=3) + 0.0
        tensor([[0.0000, 1.4140],
                [1.4140, 0.0000]])

    References:
        Li, *Preconditioned Stochastic Gradient Descent*, 2015 (the criterion), and *Stochastic Hessian
        Fittings with Lie Groups*, 2024. The step of the fit is "QUAD" of the author's code,
        https://github.com/lixilinx/psgd_torch, of September 2025.
    """
    hyperparameters.check("precondition_lr", precondition_lr)
    bound_decay = hyperparameters.check("bound_decay", bound_decay, upper=1.0)
    hyperparameters.check("damping", damping)
    for name, value in (
        ("precondition_frequency", precondition_frequency),
        ("max_precondition_dim", max_precondition_dim),
    ):
        checks.check_count(name, value, 1)
    checks.check("precondition_init_scale", precondition_init_scale, checks.POSITIVE)
    factors = partial(
        _factors,
        largest=max_precondition_dim,
        vectors=precondition_1d,
        scale=precondition_init_scale,
    )
    return leafwise(
        _kron,
        state=ScaleByKronState,
        slots={"factors": factors, "bounds": _bounds},
        hyper={
            "precondition_lr": precondition_lr,
            "bound_decay": bound_decay,
            "damping": damping,
        },
        scalars=partial(_due, frequency=precondition_frequency),
    )
