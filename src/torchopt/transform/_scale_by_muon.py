"""Muon's orthogonalized momentum."""

from __future__ import annotations

import math
from functools import partial
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeAlias

import torch

from torchopt import checks
from torchopt.io.calls import records_call
from torchopt.ops import running_mean, safe_sqrt
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.beyond_elements import leafwise
from torchopt.transform.chaining import GradientTransformation

Adjustment: TypeAlias = Literal["original", "match_rms_adamw"]
_STEPS = checks.Word("use an integer in [0, 100)", holds=lambda n: checks.is_count(n) and n < 100)


class ScaleByMuonState(NamedTuple):
    """The momentum of matrices, Adam's moments of other leaves if it has them, and counters."""

    trace: Any
    mu: Any = ()
    nu: Any = ()
    count: Any = ()
    step: Any = ()


def _norm(x: torch.Tensor) -> torch.Tensor:
    """Return the Frobenius norm of each matrix; derivatives at zero are zero, of any order."""
    seen = (x != 0).any(dim=-1, keepdim=True).any(dim=-2, keepdim=True)
    norm = torch.linalg.vector_norm(torch.where(seen, x, 1), dim=(-2, -1), keepdim=True)
    return torch.where(seen, norm, 0)


def _sum(beta: Any, x: torch.Tensor, alpha: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return ``beta * x + alpha * a @ b``, in half precision with one rounding as in PyTorch."""
    if x.dim() == 2 and isinstance(alpha, Real) and isinstance(beta, Real):
        return torch.addmm(x, a, b, beta=float(beta), alpha=float(alpha))
    product = alpha * (a @ b)
    return beta * x + product.to(x.dtype)


def _orthogonalized(
    g: torch.Tensor, a: Any, b: Any, c: Any, eps: Any, steps: int, dtype: torch.dtype | None
) -> torch.Tensor:
    """Return the Newton-Schulz iteration of each matrix, an approximation of its polar factor."""
    tall = g.shape[-2] > g.shape[-1]
    x = g if dtype is None else g.to(dtype)
    x = x.mT if tall else x
    x = x / _norm(x).clamp(min=eps).to(x.dtype)
    for _ in range(steps):
        gram = x @ x.mT
        x = _sum(a, x, 1, _sum(b, gram, c, gram, gram), x).to(x.dtype)
    return (x.mT if tall else x).to(g.dtype)


def _muon(
    g: torch.Tensor,
    trace: torch.Tensor,
    *,
    momentum: Any,
    a: Any,
    b: Any,
    c: Any,
    eps: Any,
    nesterov: bool,
    steps: int,
    adjust_lr_fn: Adjustment | None,
    dtype: torch.dtype | None,
) -> tuple[torch.Tensor, torch.Tensor]:
    trace = running_mean(trace, g, momentum)
    u = running_mean(trace, g, momentum) if nesterov else trace
    m, n = g.shape[-2:]
    ratio = math.sqrt(max(1, m / n))
    if adjust_lr_fn == "match_rms_adamw":
        ratio = 0.2 * math.sqrt(max(m, n))
    return ratio * _orthogonalized(u, a, b, c, eps, steps, dtype), trace


def _muon_or_adam(
    g: torch.Tensor,
    trace: Any,
    mu: Any,
    nu: Any,
    *,
    adam_b1: Any,
    adam_b2: Any,
    adam_eps: Any,
    c1: Any,
    c2: Any,
    matrices: Any,
    **hyper: Any,
) -> tuple[Any, ...]:
    if trace is not None:
        return (*matrices(g, trace, **hyper), None, None)
    mu, nu = running_mean(mu, g, adam_b1), running_mean(nu, g * g, adam_b2)
    return (mu / c1) / (safe_sqrt(nu) / c2**0.5 + adam_eps), None, mu, nu


def _corrections(t: Any, *, adam_b1: Any, adam_b2: Any, **_: Any) -> dict[str, Any]:
    return {"c1": 1 - adam_b1**t, "c2": 1 - adam_b2**t}


def _of_matrix(p: torch.Tensor) -> torch.Tensor | None:
    return torch.zeros_like(p) if p.dim() > 1 else None


def _of_other(p: torch.Tensor) -> torch.Tensor | None:
    return torch.zeros_like(p) if p.dim() < 2 else None


def _zeros(p: torch.Tensor) -> torch.Tensor:
    if p.dim() < 2:
        raise ValueError(
            f"Muon takes matrices, but a parameter has shape {tuple(p.shape)}: pass `adam_betas`, or "
            f"apply it within `torchopt.transform.masked`."
        )
    return torch.zeros_like(p)


@records_call
def scale_by_muon(
    momentum: Hyperparameter = 0.95,
    nesterov: bool = True,
    *,
    ns_coefficients: tuple[Hyperparameter, Hyperparameter, Hyperparameter] = (
        3.4445,
        -4.7750,
        2.0315,
    ),
    eps: Hyperparameter = 1e-7,
    ns_steps: int = 5,
    adjust_lr_fn: Adjustment | None = None,
    ns_dtype: torch.dtype | None = None,
    adam_betas: tuple[Hyperparameter, Hyperparameter] | None = None,
    adam_eps: Hyperparameter = 1e-8,
) -> GradientTransformation:
    r"""Replace the gradient of a matrix by its orthogonalized momentum.

    .. math::
        B_t &= \mu B_{t-1} + (1 - \mu) g_t, \qquad
        \tilde{B}_t = \mu B_t + (1 - \mu) g_t \\
        X_0 &= \tilde{B}_t / \max(\lVert \tilde{B}_t \rVert_F, \varepsilon), \qquad
        X_{k+1} = a X_k + (b X_k X_k^\top + c (X_k X_k^\top)^2) X_k, \qquad
        u_t = r X_K

    With ``nesterov=False``, :math:`\tilde{B}_t = B_t`. The singular values of :math:`X_K` are near 1.
    The factor of an ``m`` by ``n`` matrix is :math:`r = \sqrt{\max(1, m / n)}`, or with
    ``adjust_lr_fn="match_rms_adamw"`` :math:`r = 0.2 \sqrt{\max(m, n)}`. In leaves with more than two
    dimensions, the last two are those of matrices, and the others are a batch.

    Derivatives are those of the iteration itself, which is a polynomial: they are finite for equal
    and for zero singular values. A NaN makes its matrix NaN.

    Args:
        momentum: Decay :math:`\mu` of the momentum, in [0, 1).
        nesterov: Whether to use Nesterov's momentum.
        ns_coefficients: The numbers ``(a, b, c)``; each may be a tensor or a schedule. The
            default has a large slope at zero, and singular values within some 0.3 of 1.
        eps: Smallest norm that is divided by.
        ns_steps: Number of iterations ``K``.
        adjust_lr_fn: None, ``"original"`` or ``"match_rms_adamw"``.
        ns_dtype: The dtype of the iteration. None is that of the leaf, float32 at least;
            ``torch.bfloat16`` gives the numbers of ``torch.optim.Muon``.
        adam_betas: The decays with which leaves of less than two dimensions are rescaled as by
            :func:`scale_by_adam`. None: there are no such leaves.
        adam_eps: The epsilon of that.

    Returns:
        A gradient transformation. If ``adam_betas`` is None, its ``init`` raises ``ValueError`` for a
        leaf that has less than two dimensions.

    Raises:
        ValueError: If a number is out of range, or ``adjust_lr_fn`` is not known.

    Example:
        >>> import torch
        >>> tx = scale_by_muon(ns_coefficients=(1.5, -0.5, 0.0), ns_steps=30)
        >>> g = (torch.tensor([[0.0, 3.0], [4.0, 0.0]]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([[0., 1.],
                [1., 0.]]),)

    References:
        Jordan et al., *Muon: An optimizer for hidden layers in neural networks*, 2024. Liu et al.,
        *Muon is Scalable for LLM Training*, 2025.
    """
    momentum = hyperparameters.check("momentum", momentum, upper=1.0)
    hyperparameters.check("eps", eps)
    checks.check("adjust_lr_fn", adjust_lr_fn, checks.or_none(checks.one_of(Adjustment)))
    checks.check("ns_steps", ns_steps, _STEPS)
    a, b, c = hyperparameters.several("ns_coefficients", ns_coefficients, (3.4445, -4.775, 2.0315))
    for name, value in zip("abc", (a, b, c), strict=True):
        hyperparameters.check(f"ns_coefficients.{name}", value, lower=None)
    options: dict[str, Any] = {
        "nesterov": nesterov,
        "steps": ns_steps,
        "adjust_lr_fn": adjust_lr_fn,
    }
    matrices = partial(_muon, **options, dtype=ns_dtype)
    hyper = {"momentum": momentum, "a": a, "b": b, "c": c, "eps": eps}
    if adam_betas is None:
        return leafwise(matrices, state=ScaleByMuonState, slots={"trace": _zeros}, hyper=hyper)
    return leafwise(
        partial(_muon_or_adam, matrices=matrices),
        state=ScaleByMuonState,
        slots={"trace": _of_matrix, "mu": _of_other, "nu": _of_other},
        hyper=hyper | hyperparameters.checked(adam_betas=adam_betas, adam_eps=adam_eps),
        scalars=_corrections,
    )
