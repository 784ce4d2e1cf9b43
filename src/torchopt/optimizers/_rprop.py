"""Resilient backpropagation."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale, scale_by_rprop
from torchopt.transform.chaining import GradientTransformation


@optimizer
def rprop(
    lr: Hyperparameter = 1e-2,
    etas: tuple[Hyperparameter, Hyperparameter] = (0.5, 1.2),
    step_sizes: tuple[Hyperparameter, Hyperparameter] = (1e-6, 50.0),
    *,
    smooth: Hyperparameter | None = None,
    weight_decay: Hyperparameter = 0.0,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Rprop: the sign of the gradient, times step sizes that grow while the sign stays.

    .. math::
        s_t &= \min\big(s_{\max}, \max(s_{\min}, s_{t-1} \cdot \begin{cases}
            \eta_+ & g_t g_{t-1} > 0 \\ \eta_- & g_t g_{t-1} < 0 \\ 1 & \text{otherwise}
        \end{cases})\big) \\
        g_t &\leftarrow 0 \quad \text{where } g_t g_{t-1} < 0, \qquad
        \theta_t = \theta_{t-1} - s_t \operatorname{sign}(g_t)

    It is for gradients of all data, not of small batches. The derivative of the sign is zero almost
    everywhere: with ``smooth=None`` meta-gradients reach only ``lr``, ``etas``, ``step_sizes`` and the
    parameters. Where a gradient is NaN, the parameter stays, as in ``torch.optim``; see
    :func:`torchopt.transform.scale_by_rprop`.

    A hyperparameter may be a number, a schedule (but for ``lr``), a tensor (which may require grad),
    or a tree of these with the structure of the parameters.

    Args:
        lr: Initial step size, not negative: it has no effect after the first step.
        etas: Factors :math:`\eta_-` in ``[0, 1)`` and :math:`\eta_+`, at least 1.
        step_sizes: Smallest and largest step size.
        smooth: Width :math:`w` of a smooth sign :math:`\tanh(\cdot / w)`, in the unit of the gradients,
            to differentiate through steps. None (the default) is the sign.
        weight_decay: L2 regularization: added to the gradient, times the parameters. ``torch.optim``
            has none.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if the package has one. True
            also compiles one for this chain when it is first used. False uses PyTorch's operations.

    Returns:
        A transformation that matches ``torch.optim.Rprop`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.
        TypeError: If ``lr`` is a schedule.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.rprop(lr=0.5)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([1.0, -1.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.5000, 2.5000]),)

    References:
        Riedmiller and Braun, *A Direct Adaptive Method for Faster Backpropagation Learning: The RPROP
        Algorithm*, 1993.
    """
    return descend(
        scale_by_rprop(lr, etas, step_sizes=step_sizes, smooth=smooth),
        scale(-1.0),
        weight_decay=weight_decay,
        common=common,
    )
