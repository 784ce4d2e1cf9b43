"""GaLore: Adam on gradients of low rank."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.io.calls import records_call
from torchopt.ops import running_mean, safe_sqrt
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._now_and_then import renewed
from torchopt.transform.beyond_elements import leafwise
from torchopt.transform.chaining import GradientTransformation


class ScaleByGaloreState(NamedTuple):
    """Moments of the projected gradient, the projection (None for what is no matrix), and counters."""

    mu: Any
    nu: Any
    projection: Any
    count: Any
    step: Any = ()


def _projection(p: torch.Tensor, *, rank: int) -> torch.Tensor | None:
    return p.new_zeros(min(p.shape), min(rank, *p.shape)) if p.dim() == 2 else None


def _moment(p: torch.Tensor, *, rank: int) -> torch.Tensor:
    if p.dim() != 2:
        return p.new_zeros(p.shape)
    m, n = p.shape
    return p.new_zeros(m, min(rank, n)) if m >= n else p.new_zeros(min(rank, m), n)


def _times(t: Any, *, b1: Any, b2: Any, gap: int, **_: Any) -> dict[str, Any]:
    first, due = t == 1, t % gap == 0
    return {"due": first or due if isinstance(due, bool) else first | due} | {
        "c1": 1 - b1**t,
        "c2": 1 - b2**t,
    }


def _singular_vectors(g: torch.Tensor, rank: int) -> tuple[torch.Tensor]:
    g = g.detach()
    known = g.isfinite().all()  # of others the decomposition is an error
    u, _, vh = torch.linalg.svd(torch.where(known, g, 0.0), full_matrices=False)
    vectors = (vh.mT if g.shape[0] >= g.shape[1] else u)[:, :rank]
    return (torch.where(known, vectors, torch.nan),)


def _galore(
    g: torch.Tensor,
    mu: torch.Tensor,
    nu: torch.Tensor,
    projection: Any,
    *,
    b1: Any,
    b2: Any,
    eps: Any,
    scale: Any,
    due: Any,
    c1: Any,
    c2: Any,
) -> tuple[Any, ...]:
    low, right = g, g.dim() == 2 and g.shape[0] >= g.shape[1]
    if projection is not None:
        rank = projection.shape[-1]
        (projection,) = renewed(due, partial(_singular_vectors, g, rank), (projection,))
        low = g @ projection if right else projection.mT @ g
    mu, nu = running_mean(mu, low, b1), running_mean(nu, low * low, b2)
    u = (mu / c1) / (safe_sqrt(nu) / c2**0.5 + eps)
    if projection is not None:
        u = scale * (u @ projection.mT if right else projection @ u)
    return u, mu, nu, projection


@records_call
def scale_by_galore(
    rank: int = 128,
    update_proj_gap: int = 200,
    *,
    scale: Hyperparameter = 1.0,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    eps: Hyperparameter = 1e-8,
) -> GradientTransformation:
    r"""Rescale the gradient of a matrix as Adam does, projected to a low rank.

    For a matrix with at least as many columns as rows,

    .. math::
        r_t = P^\top g_t, \qquad
        u_t = \alpha P \frac{\hat{\mu}_t}{\sqrt{\hat{\nu}_t} + \varepsilon}

    with Adam's bias-corrected moments of :math:`r_t`. ``P`` has the first ``rank`` left singular
    vectors of a gradient, of the first step and of each whose number is a multiple of
    ``update_proj_gap``. A matrix with more rows than columns, or as many, is projected from the other
    side. Other leaves are rescaled as by Adam.

    Derivatives take the projection as constant, since singular vectors of equal singular values have no
    derivative. All else is differentiated. A NaN makes its leaf NaN.

    Args:
        rank: Number of singular vectors; at most the smaller dimension is used.
        update_proj_gap: Number of steps from one projection to the next. Where steps are traced, as in
            ``vmap`` and ``torch.compile``, it is computed in each step and selected.
        scale: Factor :math:`\alpha` of the updates of matrices.
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_galore(rank=1)
        >>> g = (torch.tensor([[0.0, 3.0], [4.0, 0.0]]),)
        >>> tx.update(g, tx.init(g))[0][0].abs().round(decimals=4)  # the second row has rank 1
        tensor([[0., 0.],
                [1., 0.]])

    References:
        Zhao et al., *GaLore: Memory-Efficient LLM Training by Gradient Low-Rank Projection*, 2024,
        algorithm 2.
    """
    for name, value in (("rank", rank), ("update_proj_gap", update_proj_gap)):
        checks.check_count(name, value, 1)
    moment = partial(_moment, rank=rank)
    return leafwise(
        _galore,
        state=ScaleByGaloreState,
        slots={"mu": moment, "nu": moment, "projection": partial(_projection, rank=rank)},
        hyper=hyperparameters.checked(betas=betas, eps=eps, scale=scale),
        scalars=partial(_times, gap=update_proj_gap),
    )
