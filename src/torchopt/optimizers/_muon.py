"""Muon."""

from __future__ import annotations

from typing import Any, Literal

import torch
from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import add_decayed_weights, masked, scale_by_learning_rate, scale_by_muon
from torchopt.transform.chaining import GradientTransformation


def _matrices(tree: Any) -> Any:
    return pytree.map_leaves(lambda x: x.dim() > 1, tree)


def _others(tree: Any) -> Any:
    return pytree.map_leaves(lambda x: x.dim() < 2, tree)


@optimizer
def muon(
    lr: Hyperparameter = 1e-3,
    weight_decay: Hyperparameter = 0.1,
    momentum: Hyperparameter = 0.95,
    nesterov: bool = True,
    ns_coefficients: tuple[Hyperparameter, Hyperparameter, Hyperparameter] = (
        3.4445,
        -4.7750,
        2.0315,
    ),
    eps: Hyperparameter = 1e-7,
    ns_steps: int = 5,
    adjust_lr_fn: Literal["original", "match_rms_adamw"] | None = None,
    *,
    ns_dtype: torch.dtype | None = None,
    adam_lr: Hyperparameter | None = None,
    adam_betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    adam_eps: Hyperparameter = 1e-8,
    adam_weight_decay: Hyperparameter = 0.0,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Muon: momentum whose singular values are made equal, for matrices; AdamW for other leaves.

    .. math::
        \theta_t = \theta_{t-1} - \eta \lambda \theta_{t-1} - \eta u_t

    with :math:`u_t` of :func:`torchopt.transform.scale_by_muon`. Vectors and scalars are updated by
    :func:`torchopt.adamw`; use :func:`torchopt.transform.masked` to do so for embeddings and output
    layers. Leaves with more than two dimensions are batches of matrices.

    Hyperparameters are numbers, schedules, tensors, or trees of these like the parameters.
    Tensors are scalars for each leaf, but for ``lr`` and the weight decays.

    Args:
        lr: Learning rate, not negative.
        weight_decay: Decoupled weight decay :math:`\lambda` of matrices.
        momentum: Decay of the momentum, in [0, 1).
        nesterov: Whether to use Nesterov's momentum.
        ns_coefficients: Coefficients ``(a, b, c)`` of the Newton-Schulz iteration.
        eps: Smallest norm that is divided by.
        ns_steps: Number of Newton-Schulz iterations.
        adjust_lr_fn: How the step depends on the shape: None or ``"original"``, or
            ``"match_rms_adamw"``, with which learning rate and weight decay of AdamW can be used.
        ns_dtype: The dtype of the iteration. None is that of the leaf, float32 at least;
            ``torch.bfloat16`` gives the numbers of ``torch.optim.Muon``.
        adam_lr: Learning rate of :func:`torchopt.adamw` for vectors and scalars; None is ``lr``.
        adam_betas: Its decays.
        adam_eps: Its epsilon.
        adam_weight_decay: Its decoupled weight decay.
        maximize: Whether to maximize.
        use_accelerated_op: As for :func:`torchopt.adam`.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is out of range, or ``adjust_lr_fn`` is not known.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.muon(lr=0.1, weight_decay=0.0, adam_lr=0.01)
        >>> params = {"w": torch.ones(2, 2), "b": torch.ones(2)}
        >>> grads = {"w": torch.tensor([[8.0, 0.0], [0.0, 1.0]]), "b": torch.tensor([1.0, -1.0])}
        >>> updates, state = opt.update(grads, opt.init(params), params=params)
        >>> updates["b"]
        tensor([-0.0100,  0.0100])
        >>> bool(torch.linalg.cond(updates["w"]) < 2)  # that of the gradient is 8
        True

    References:
        Jordan et al., *Muon: An optimizer for hidden layers in neural networks*, 2024.
    """
    rescaling = scale_by_muon(
        momentum,
        nesterov,
        ns_coefficients=ns_coefficients,
        eps=eps,
        ns_steps=ns_steps,
        adjust_lr_fn=adjust_lr_fn,
        ns_dtype=ns_dtype,
        adam_betas=adam_betas,
        adam_eps=adam_eps,
    )
    options: dict[str, Any] = {"lr": lr}
    if adam_lr is not None:
        rates = (masked(scale_by_learning_rate(lr), _matrices),)
        options = {"after": (*rates, masked(scale_by_learning_rate(adam_lr), _others))}
    return descend(
        rescaling,
        add_decayed_weights(adam_weight_decay, _others),
        decoupled_weight_decay=weight_decay,
        mask=_matrices,
        common=common,
        **options,
    )
