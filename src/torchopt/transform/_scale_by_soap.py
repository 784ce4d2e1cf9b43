"""SOAP: Adam in the eigenbasis of Shampoo's statistics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.loops import wide
from torchopt.io.calls import records_call
from torchopt.ops import running_mean, safe_sqrt, where
from torchopt.prox.vectors import bounded
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._now_and_then import renewed
from torchopt.transform.beyond_elements import leafwise
from torchopt.transform.chaining import GradientTransformation


class ScaleBySOAPState(NamedTuple):
    """Moments, statistics and eigenbases, a matrix for each dimension, and counters.

    The second moment is that of the rotated gradient. What is not rotated has None.
    """

    mu: Any
    nu: Any
    statistics: Any
    bases: Any
    count: Any
    step: Any = ()


def _squares(p: torch.Tensor, *, largest: int, vectors: bool) -> tuple[Any, ...] | None:
    if p.dim() < (1 if vectors else 2):
        return None
    return tuple(wide(p.new_zeros(n, n)) if n <= largest else None for n in p.shape)


def _times(t: Any, *, b1: Any, b2: Any, frequency: int, **_: Any) -> dict[str, Any]:
    first = t == 1  # which makes the first basis, and no update
    n = where(first, 1.0, t - 1)
    due = (t - 1) % frequency == 0
    return {
        "first": first,
        "due": due and not first if isinstance(due, bool) else due & ~first,
        "gain": (1 - b2**n) ** 0.5 / (1 - b1**n),
    }


def _rotated(x: torch.Tensor, bases: Sequence[Any], *, back: bool = False) -> torch.Tensor:
    for axis, q in enumerate(bases):
        if q is not None:
            x = (x.movedim(axis, -1) @ (q.mT if back else q)).movedim(-1, axis)
    return x


def _eigenbases(statistics: Sequence[Any]) -> list[Any]:
    return [None if s is None else _eigenvectors(s) for s in statistics]


def _eigenvectors(matrix: torch.Tensor) -> torch.Tensor:
    """Return eigenvectors in the columns, that of the largest eigenvalue first."""
    matrix = matrix.detach()
    known = matrix.isfinite().all()  # of others the decomposition is an error
    vectors = torch.linalg.eigh(torch.where(known, matrix, 0.0))[1].flip(-1)
    # A solver may return either sign.
    vectors = torch.where(vectors.sum(dim=-2, keepdim=True) < 0, -vectors, vectors)
    return torch.where(known, vectors, torch.nan)


def _iterated(
    nu: torch.Tensor, statistics: Sequence[Any], bases: Sequence[Any]
) -> tuple[torch.Tensor, ...]:
    """Return the second moment and the bases after a step of orthogonal iteration."""
    new: list[Any] = []
    for axis, (s, q) in enumerate(zip(statistics, bases, strict=True)):
        if s is None:
            new.append(None)
            continue
        s, q = s.detach(), q.detach()
        product = s @ q
        order = torch.argsort((q * product).sum(dim=0), descending=True, stable=True)
        nu = torch.index_select(nu, axis, order)
        new.append(torch.linalg.qr(torch.index_select(product, 1, order))[0])
    return nu, *new


def _soap(
    g: torch.Tensor,
    mu: torch.Tensor,
    nu: torch.Tensor,
    statistics: tuple[Any, ...] | None,
    bases: tuple[Any, ...] | None,
    *,
    b1: Any,
    b2: Any,
    eps: Any,
    shampoo_beta: Any = None,
    first: Any,
    due: Any,
    gain: Any,
) -> tuple[Any, ...]:
    g, old = bounded(g), bases or ()
    rotated = _rotated(g, old)
    new_mu, new_nu = running_mean(mu, g, b1), running_mean(nu, rotated * rotated, b2)
    # Of the same rounding errors as the second moment: what is zero in one is in the other.
    direction = running_mean(_rotated(mu, old), rotated, b1)
    u = gain * _rotated(direction / (safe_sqrt(new_nu) + eps), old, back=True)
    u = where(first, torch.zeros_like(u), u)
    mu, nu = where(first, mu, new_mu), where(first, nu, new_nu)
    if statistics is None or bases is None:
        return u, mu, nu, None, None
    beta = b2 if shampoo_beta is None else shampoo_beta
    sides = (
        [g.movedim(axis, 0).flatten(1) for axis in range(g.dim())] if g.dim() > 1 else [g[:, None]]
    )
    statistics = tuple(
        None if s is None else running_mean(s, x @ x.mT, beta)
        for s, x in zip(statistics, sides, strict=True)
    )
    bases = renewed(first, partial(_eigenbases, statistics), bases)
    nu, *turned = renewed(due, partial(_iterated, nu, statistics, bases), (nu, *bases))
    return u, mu, nu, statistics, tuple(turned)


@records_call
def scale_by_soap(
    betas: tuple[Hyperparameter, Hyperparameter] = (0.95, 0.95),
    eps: Hyperparameter = 1e-8,
    *,
    shampoo_beta: Hyperparameter | None = None,
    precondition_frequency: int = 10,
    max_precondition_dim: int = 10000,
    precondition_1d: bool = False,
) -> GradientTransformation:
    r"""Rescale updates as Adam does, in the eigenbasis of their statistics.

    For a matrix, with the eigenvectors :math:`Q_L, Q_R` of

    .. math::
        L_t = \beta_s L_{t-1} + (1 - \beta_s) g_t g_t^\top, \qquad
        R_t = \beta_s R_{t-1} + (1 - \beta_s) g_t^\top g_t

    in their columns,

    .. math::
        \mu_t &= \beta_1 \mu_{t-1} + (1 - \beta_1) g_t, \qquad
        \nu_t = \beta_2 \nu_{t-1} + (1 - \beta_2) (Q_L^\top g_t Q_R)^2 \\
        u_t &= \frac{\sqrt{1 - \beta_2^n}}{1 - \beta_1^n} \,
            Q_L \frac{Q_L^\top \mu_t Q_R}{\sqrt{\nu_t} + \varepsilon} Q_R^\top, \qquad n = t - 1

    The first step makes the eigenvectors, and its update is zero, as in the paper. Every
    ``precondition_frequency`` steps they are renewed by a step of orthogonal iteration,
    :math:`Q \leftarrow \operatorname{qr}(L Q)`, after which the second moment is put into the order of
    the eigenvalues. Each dimension of a leaf has such a matrix; scalars, and vectors unless
    ``precondition_1d`` is set, are rescaled as by Adam.

    Derivatives take the eigenvectors as constants, since those of repeated eigenvalues have no
    derivative; so what flows through the statistics is left out. All else is differentiated. For
    parameters of 16 bits, matrices are in float32.
    A NaN makes its leaf NaN. Gradients whose squares overflow count as the largest that do not.

    Args:
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        shampoo_beta: Decay :math:`\beta_s` of the statistics; None is ``b2``.
        precondition_frequency: Number of steps from one renewal of the eigenvectors to the next. Where
            steps are traced, as in ``vmap`` and ``torch.compile``, they are computed in each step and
            selected.
        max_precondition_dim: Dimensions of a larger size are not rotated.
        precondition_1d: Whether vectors are rotated, too.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_soap()
        >>> g = (torch.tensor([[0.0, 3.0], [4.0, 0.0]]),)
        >>> updates, state = tx.update(g, tx.init(g))
        >>> updates[0].abs().max()
        tensor(0.)
        >>> tx.update(g, state)[0][0].round(decimals=3)
        tensor([[0., 1.],
                [1., 0.]])

    References:
        Vyas et al., *SOAP: Improving and Stabilizing Shampoo using Adam*, 2024, algorithms 3 and 4.
    """
    hyper = hyperparameters.checked(betas=betas, eps=eps)
    for name, value in (
        ("precondition_frequency", precondition_frequency),
        ("max_precondition_dim", max_precondition_dim),
    ):
        checks.check_count(name, value, 1)
    if shampoo_beta is not None:
        hyper["shampoo_beta"] = hyperparameters.check("shampoo_beta", shampoo_beta, upper=1.0)
    squares = partial(_squares, largest=max_precondition_dim, vectors=precondition_1d)
    return leafwise(
        _soap,
        state=ScaleBySOAPState,
        slots={"mu": 0.0, "nu": 0.0, "statistics": squares, "bases": squares},
        hyper=hyper,
        scalars=partial(_times, frequency=precondition_frequency),
    )
