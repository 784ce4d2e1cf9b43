"""LARS."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter, Mask
from torchopt.transform import masked, scale_by_trust_ratio, trace
from torchopt.transform.chaining import GradientTransformation


@optimizer
def lars(
    lr: Hyperparameter = 1e-3,
    *,
    momentum: Hyperparameter = 0.9,
    weight_decay: Hyperparameter = 0.0,
    trust_coefficient: Hyperparameter = 0.001,
    eps: Hyperparameter = 0.0,
    nesterov: bool = False,
    weight_decay_mask: Mask | None = None,
    trust_ratio_mask: Mask | None = None,
    moment_requires_grad: bool = False,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""LARS: SGD whose step is in proportion to the norm of each parameter.

    .. math::
        g_t &\leftarrow \nabla f(\theta_{t-1}) + \lambda \theta_{t-1} \\
        b_t &= m \, b_{t-1} + \eta \, c \, \frac{\lVert \theta_{t-1} \rVert}
            {\lVert g_t \rVert + \varepsilon} \, g_t, \qquad
        \theta_t = \theta_{t-1} - b_t

    with the norms of each leaf. The ratio is 1 (without :math:`c`) where a norm is zero. It is for
    large batches.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters; ``trust_coefficient`` and ``eps`` are one number for
    each leaf.

    Args:
        lr: Learning rate, not negative. The momentum accumulates what it has scaled.
        momentum: Decay rate of the momentum :math:`m`, not negative.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        trust_coefficient: :math:`c`, not negative.
        eps: Added to the norm of the gradient.
        nesterov: Whether to use Nesterov momentum.
        weight_decay_mask: A tree of booleans, or a function from the parameters to one: True where
            weights decay. By default, everywhere.
        trust_ratio_mask: The same for the ratio; elsewhere the step is that of SGD. Biases and
            parameters of normalization are often left out of both.
        moment_requires_grad: Whether the initial momentum is a leaf that requires grad.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one, and warns if it
            cannot. False uses PyTorch's operations.

    Returns:
        A transformation that matches Optax's ``lars``.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.lars(lr=0.1, trust_coefficient=1.0)
        >>> params = (torch.tensor([3.0, 4.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([2.0, 0.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([2.5000, 4.0000]),)

    References:
        You, Gitman and Ginsburg, *Large Batch Training of Convolutional Networks*, 2017, algorithm 1.
    """
    return descend(
        masked(
            scale_by_trust_ratio(trust_coefficient=trust_coefficient, eps=eps), trust_ratio_mask
        ),
        lr=lr,
        weight_decay=weight_decay,
        l2_mask=weight_decay_mask,
        after=(trace(momentum, 0.0, nesterov, moment_requires_grad),),
        common=common,
    )
