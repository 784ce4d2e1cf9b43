"""Adan's rescaling."""

from __future__ import annotations

from typing import Any, NamedTuple

from torchopt.io.calls import records_call
from torchopt.ops import running_mean, safe_sqrt, where
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByAdanState(NamedTuple):
    """Moments of gradients, of their differences and of their squares, the last gradient, counters."""

    m: Any
    v: Any
    n: Any
    g: Any
    count: Any
    step: Any = ()


def _corrections(t: Any, *, b1: Any, b2: Any, b3: Any, **_: Any) -> dict[str, Any]:
    return {"first": t == 1, "c1": 1 - b1**t, "c2": 1 - b2**t, "c3": 1 - b3**t}


def _adan(
    g: Any,
    m: Any,
    v: Any,
    n: Any,
    last: Any,
    *,
    b1: Any,
    b2: Any,
    b3: Any,
    eps: Any,
    eps_root: Any,
    first: Any,
    c1: Any,
    c2: Any,
    c3: Any,
) -> tuple[Any, ...]:
    difference = where(first, 0.0, g - last)
    ahead = g + (1 - b2) * difference
    m, v, n = (
        running_mean(m, g, b1),
        running_mean(v, difference, b2),
        running_mean(n, ahead * ahead, b3),
    )
    u = (m / c1 + (1 - b2) * (v / c2)) / (safe_sqrt(n / c3 + eps_root) + eps)
    return u, m, v, n, g


@records_call
def scale_by_adan(
    betas: tuple[Hyperparameter, Hyperparameter, Hyperparameter] = (0.98, 0.92, 0.99),
    eps: Hyperparameter = 1e-8,
    eps_root: Hyperparameter = 0.0,
) -> GradientTransformation:
    r"""Rescale updates by moments of gradients and of their differences.

    .. math::
        m_t &= \beta_1 m_{t-1} + (1 - \beta_1) g_t, \qquad
        v_t = \beta_2 v_{t-1} + (1 - \beta_2) (g_t - g_{t-1}) \\
        n_t &= \beta_3 n_{t-1} + (1 - \beta_3) \big(g_t + (1 - \beta_2) (g_t - g_{t-1})\big)^2 \\
        u_t &= \frac{m_t / (1 - \beta_1^t) + (1 - \beta_2) \, v_t / (1 - \beta_2^t)}
            {\sqrt{n_t / (1 - \beta_3^t) + \varepsilon_{root}} + \varepsilon}

    with :math:`g_0 = g_1`. Each :math:`\beta` is the share of the old value, as in Adam and Optax; the
    paper's is one minus this.

    Args:
        betas: Decay rates of the mean of gradients, of the mean of their differences, and of the second
            moment, each in ``[0, 1)``.
        eps: Added outside the root.
        eps_root: Added inside the root.

    Returns:
        A transformation that matches Optax's ``scale_by_adan``. Its state has four
        tensors for each parameter.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_adan()
        >>> g = (torch.tensor([4.0, 0.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([1., 0.]),)

    References:
        Xie et al., *Adan: Adaptive Nesterov Momentum Algorithm for Faster Optimizing Deep Models*,
        2022, algorithm 1; with Optax's bias corrections.
    """
    return elementwise(
        _adan,
        state=ScaleByAdanState,
        slots={"m": 0.0, "v": 0.0, "n": 0.0, "g": 0.0},
        hyper=hyperparameters.checked(many=3, betas=betas, eps=eps, eps_root=eps_root),
        scalars=_corrections,
    )
