"""Adafactor's rescaling."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchopt.io.calls import records_call
from torchopt.ops import safe_sqrt
from torchopt.prox.vectors import bounded
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.beyond_elements import leafwise
from torchopt.transform.chaining import GradientTransformation


class ScaleByAdafactorState(NamedTuple):
    """Mean squares of rows and columns, those of the elements of vectors, and counters.

    A matrix has ``row_var`` and ``col_var``, and None for ``variance``; a vector or scalar has the
    last alone.
    """

    row_var: Any
    col_var: Any
    variance: Any
    count: Any
    step: Any = ()


def _rows(p: torch.Tensor) -> torch.Tensor | None:
    return p.new_zeros((*p.shape[:-1], 1)) if p.dim() > 1 else None


def _columns(p: torch.Tensor) -> torch.Tensor | None:
    return p.new_zeros((*p.shape[:-2], 1, p.shape[-1])) if p.dim() > 1 else None


def _elements(p: torch.Tensor) -> torch.Tensor | None:
    return p.new_zeros(p.shape) if p.dim() < 2 else None


def _powers(t: Any, *, beta2_decay: Any, **_: Any) -> dict[str, Any]:
    return {"newest": t**beta2_decay, "root": t**0.5}


def _rms(x: torch.Tensor) -> torch.Tensor:
    return safe_sqrt((x * x).mean())


def _at_least_one(x: Any) -> Any:
    return x.clamp(min=1.0) if isinstance(x, torch.Tensor) else max(x, 1.0)


def _adafactor(
    g: torch.Tensor,
    p: torch.Tensor,
    row: Any,
    column: Any,
    variance: Any,
    *,
    lr: Any,
    beta2_decay: Any,
    eps2: Any,
    d: Any,
    newest: Any,
    root: Any,
    leaf_dtype: torch.dtype,
    eps1: Any = None,
) -> tuple[Any, ...]:
    eps1 = torch.finfo(leaf_dtype).eps if eps1 is None else eps1
    g = bounded(g)
    square = g * g
    if g.dim() > 1:
        row = row + newest * (square.mean(dim=-1, keepdim=True) - row)
        column = column + newest * (square.mean(dim=-2, keepdim=True) - column)
        # Not the product first, which has fourth powers of the gradient.
        estimate = row / row.mean(dim=-2, keepdim=True).clamp(min=eps1) * column
    else:
        variance = variance + newest * (square - variance)
        estimate = variance
    u = g * estimate.clamp(min=eps1 * eps1).rsqrt()
    # min(lr, 1 / root) is lr divided by this; the learning rate follows in the chain.
    size = _rms(p).clamp(min=eps2) / _at_least_one(lr * root)
    return u * (size / _at_least_one(_rms(u) / d)), row, column, variance


@records_call
def scale_by_adafactor(
    lr: Hyperparameter = 1e-2,
    beta2_decay: Hyperparameter = -0.8,
    *,
    eps: tuple[Hyperparameter | None, Hyperparameter] = (None, 1e-3),
    d: Hyperparameter = 1.0,
) -> GradientTransformation:
    r"""Divide updates by a factored root mean square, and scale them to the parameters.

    .. math::
        \hat{\beta}_t &= 1 - t^{\tau} \\
        R_t &= \hat{\beta}_t R_{t-1} + (1 - \hat{\beta}_t) \operatorname{mean}_{\text{row}} g_t^2 \\
        C_t &= \hat{\beta}_t C_{t-1} + (1 - \hat{\beta}_t) \operatorname{mean}_{\text{column}} g_t^2 \\
        \hat{v}_t &= \frac{R_t C_t}{\max(\operatorname{mean} R_t, \varepsilon_1)}, \qquad
        \hat{u}_t = \frac{g_t}{\max(\sqrt{\hat{v}_t}, \varepsilon_1)} \\
        u_t &= \frac{\max(\varepsilon_2, \operatorname{RMS}(\theta))}{\max(1, \eta \sqrt{t})} \cdot
            \frac{\hat{u}_t}{\max(1, \operatorname{RMS}(\hat{u}_t) / d)}

    Vectors and scalars have the mean of their squares themselves for :math:`\hat{v}_t`; in tensors of
    more dimensions, the last two are rows and columns, and the others are a batch. A NaN makes its
    leaf NaN. Gradients whose squares overflow count as the largest that do not.

    Args:
        lr: The learning rate :math:`\eta` that is applied afterwards. It is used here to limit the
            step to :math:`1 / \sqrt{t}`.
        beta2_decay: The exponent :math:`\tau`, not positive.
        eps: Smallest root mean square, where None is the machine epsilon of the parameter's dtype; and
            smallest size of parameters.
        d: Clipping threshold :math:`d`.

    Returns:
        A gradient transformation; ``update`` needs ``params``.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_adafactor()
        >>> params = (torch.tensor([3.0, 4.0]),)
        >>> tx.update((torch.tensor([0.5, -2.0]),), tx.init(params), params=params)[0]
        (tensor([ 3.5355, -3.5355]),)

    References:
        Shazeer and Stern, *Adafactor: Adaptive Learning Rates with Sublinear Memory Cost*, 2018,
        algorithms 4 and 5; with the two epsilons as in ``torch.optim.Adafactor``.
    """
    eps1, eps2 = hyperparameters.several("eps", eps, (1e-30, 1e-3))
    hyperparameters.check("lr", lr)
    hyperparameters.check("beta2_decay", beta2_decay, lower=None)
    if isinstance(beta2_decay, (int, float)) and beta2_decay > 0:
        raise ValueError(f"`beta2_decay` is {beta2_decay}, but it must not be positive.")
    hyperparameters.checked(eps2=eps2, d=d)
    hyper = {"lr": lr, "beta2_decay": beta2_decay, "eps2": eps2, "d": d}
    if eps1 is not None:
        hyperparameters.check("eps1", eps1)
        hyper["eps1"] = eps1
    return leafwise(
        _adafactor,
        state=ScaleByAdafactorState,
        slots={"row_var": _rows, "col_var": _columns, "variance": _elements},
        hyper=hyper,
        scalars=_powers,
        needs_params=True,
    )
