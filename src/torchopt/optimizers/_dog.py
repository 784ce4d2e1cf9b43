"""Distance over gradients."""

from __future__ import annotations

from typing import Literal

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter, Mask
from torchopt.transform import scale_by_dog
from torchopt.transform.chaining import GradientTransformation


@optimizer
def dog(
    lr: Hyperparameter = 1.0,
    *,
    init_step: tuple[Literal["distance", "heuristic", "learning_rate"], Hyperparameter] = (
        "heuristic",
        1e-6,
    ),
    eps: Hyperparameter = 1e-8,
    weight_decay: Hyperparameter = 0.0,
    layer_wise: bool = False,
    mask: Mask | None = None,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""DoG: SGD whose learning rate is the distance from the start over the norm of all gradients.

    .. math::
        g_t &\leftarrow \nabla f(\theta_{t-1}) + \lambda \theta_{t-1} \\
        \bar r_t &= \max\left(r_\epsilon, \max_{k < t} \lVert \theta_k - \theta_0 \rVert\right), \qquad
        \theta_t = \theta_{t-1}
            - \eta \, \frac{\bar r_t}{\sqrt{\sum_{k \le t} \lVert g_k \rVert^2 + \varepsilon}} \, g_t

    with norms over all parameters (of a group), or of each parameter. There is no learning rate to
    tune. The authors evaluate an average of the parameters over the steps.

    A hyperparameter may be a number, a schedule, or a scalar tensor, which may require grad; the
    learning rate and the weight decay also a tree of these.

    Args:
        lr: Factor of the step.
        init_step: What the first step is made of, and a number that is not negative:
            ``("heuristic", a)`` for :math:`r_\epsilon = a (1 + \lVert \theta_0 \rVert)`,
            ``("distance", r)`` for :math:`r_\epsilon = r`, or ``("learning_rate", lr)`` for the
            learning rate of the first step. With batch normalization, the authors take
            ``("heuristic", 1e-4)``.
        eps: Added to the sum of squares.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        layer_wise: Whether each parameter has a distance and a sum of its own (L-DoG).
        mask: A tree of booleans, or a function from the parameters to one: True where weights decay.
            By default, everywhere.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one, and warns if it
            cannot. False uses PyTorch's operations.

    Returns:
        A transformation that matches Optax's ``contrib.dog``.

    Raises:
        ValueError: If a number is negative, or the first part of ``init_step`` is another.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.dog(init_step=("distance", 0.5))
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([3.0, -4.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.7000, 2.4000]),)

    References:
        Ivgi, Hinder and Carmon, *DoG is SGD's Best Friend: A Parameter-Free Dynamic Step Size
        Schedule*, 2023.
    """
    return descend(
        scale_by_dog(init_step, eps, layer_wise=layer_wise),
        lr=lr,
        weight_decay=weight_decay,
        l2_mask=mask,
        common=common,
    )
