"""AMSGrad's rescaling."""

from __future__ import annotations

from torchopt.formula import optimizers
from torchopt.io.calls import records_call
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._scale_by_adam import (
    ScaleByAdamState,
    ScaleByAmsgradState,
    bias_corrections,
)
from torchopt.transform.chaining import GradientTransformation, elementwise


@records_call
def scale_by_amsgrad(
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    eps: Hyperparameter = 1e-8,
    eps_root: Hyperparameter = 0.0,
    moment_requires_grad: bool = False,
) -> GradientTransformation:
    r"""Rescale updates by Adam's first moment and the largest second moment so far.

    .. math::
        \hat\nu_t = \max(\hat\nu_{t-1}, \nu_t), \qquad
        u_t = \frac{\mu_t / (1 - \beta_1^t)}
                   {\sqrt{\hat\nu_t / (1 - \beta_2^t) + \varepsilon_{root}} + \varepsilon}

    with the moments of :func:`scale_by_adam`; the maximum is taken before the bias correction, as
    in ``torch.optim.Adam(amsgrad=True)``.

    Args:
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        eps_root: Added inside the root.
        moment_requires_grad: Whether the initial moments require grad.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_amsgrad()
        >>> g = (torch.tensor([4.0, 0.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([1.0000, 0.0000]),)

    References:
        Reddi, Kale and Kumar, *On the Convergence of Adam and Beyond*, 2018, algorithm 2.
    """
    return elementwise(
        optimizers.amsgrad,
        state=(ScaleByAmsgradState, ScaleByAdamState),
        slots={"mu": 0.0, "nu": 0.0, "nu_max": 0.0},
        hyper=hyperparameters.checked(betas=betas, eps=eps, eps_root=eps_root),
        scalars=bias_corrections,
        slots_require_grad=moment_requires_grad,
    )
