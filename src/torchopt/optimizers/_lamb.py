"""LAMB."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter, Mask
from torchopt.transform import add_decayed_weights, scale_by_adam, scale_by_trust_ratio
from torchopt.transform.chaining import GradientTransformation


@optimizer
def lamb(
    lr: Hyperparameter = 1e-3,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    *,
    eps: Hyperparameter = 1e-6,
    weight_decay: Hyperparameter = 0.0,
    eps_root: Hyperparameter = 0.0,
    mask: Mask | None = None,
    moment_requires_grad: bool = False,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""LAMB: AdamW whose step is in proportion to the norm of each parameter.

    .. math::
        u_t = \frac{\mu_t / (1 - \beta_1^t)}
            {\sqrt{\nu_t / (1 - \beta_2^t) + \varepsilon_{root}} + \varepsilon}
            + \lambda \theta_{t-1}, \qquad
        \theta_t = \theta_{t-1} - \eta \, \frac{\lVert \theta_{t-1} \rVert}{\lVert u_t \rVert} \, u_t

    with the moments of :func:`torchopt.adam` and the norms of each leaf. The ratio is 1 where a norm
    is zero. It is for large batches; for batches of usual size :func:`torchopt.adamw` does as well.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        weight_decay: Decoupled weight decay, scaled with the step.
        eps_root: Added inside the root.
        mask: A tree of booleans, or a function from the parameters to one: True where weights decay.
            By default, everywhere.
        moment_requires_grad: Whether the initial moments require grad.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one, and warns if it
            cannot. False uses PyTorch's operations.

    Returns:
        A transformation that matches Optax's ``lamb``.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.lamb(lr=0.1)
        >>> params = (torch.tensor([3.0, 4.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([1.0, 0.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([2.5000, 4.0000]),)

    References:
        You et al., *Large Batch Optimization for Deep Learning*, 2020, algorithm 2.
    """
    return descend(
        scale_by_adam(
            betas=betas, eps=eps, eps_root=eps_root, moment_requires_grad=moment_requires_grad
        ),
        add_decayed_weights(weight_decay, mask),
        scale_by_trust_ratio(),
        lr=lr,
        common=common,
    )
