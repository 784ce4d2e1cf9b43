"""Adafactor."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_adafactor
from torchopt.transform.chaining import GradientTransformation


@optimizer
def adafactor(
    lr: Hyperparameter = 1e-2,
    beta2_decay: Hyperparameter = -0.8,
    eps: tuple[Hyperparameter | None, Hyperparameter] = (None, 1e-3),
    d: Hyperparameter = 1.0,
    weight_decay: Hyperparameter = 0.0,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Adafactor: second moments of a matrix as sums of its rows and columns.

    .. math::
        \theta_t = \theta_{t-1} - \eta \lambda \theta_{t-1}
            - \max(\varepsilon_2, \operatorname{RMS}(\theta_{t-1})) \min(\eta, 1 / \sqrt{t}) \cdot
            \frac{\hat{u}_t}{\max(1, \operatorname{RMS}(\hat{u}_t) / d)}

    with :math:`\hat{u}_t` of :func:`torchopt.transform.scale_by_adafactor`. For large models: the
    state of an ``m`` by ``n`` matrix has ``m + n`` numbers.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters. Tensors are scalars for each leaf, but for
    ``weight_decay``.

    Args:
        lr: Learning rate, not negative: the largest step relative to the size of the parameters.
        beta2_decay: Exponent :math:`\tau` of the decay of second moments,
            :math:`\hat{\beta}_t = 1 - t^{\tau}`; not positive.
        eps: Smallest root mean square of gradients, where None is the machine epsilon of the
            parameter's dtype; and smallest size of parameters.
        d: Clipping threshold :math:`d` of the root mean square of an update.
        weight_decay: Decoupled weight decay :math:`\lambda`.
        maximize: Whether to maximize.
        use_accelerated_op: Whether to use compiled kernels, for weight decay and learning rate; as in
            :func:`torchopt.adam`. The rescaling reads whole leaves, and has none.

    Returns:
        A transformation that matches ``torch.optim.Adafactor`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.adafactor(lr=0.1)
        >>> params = (torch.tensor([3.0, 4.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([0.5, -2.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([2.6464, 4.3536]),)

    References:
        Shazeer and Stern, *Adafactor: Adaptive Learning Rates with Sublinear Memory Cost*, 2018.
    """
    return descend(
        scale_by_adafactor(lr, beta2_decay, eps=eps, d=d),
        lr=lr,
        decoupled_weight_decay=weight_decay,
        common=common,
    )
