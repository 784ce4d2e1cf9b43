"""GaLore."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_galore
from torchopt.transform.chaining import GradientTransformation


@optimizer
def galore(
    lr: Hyperparameter = 1e-3,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    *,
    eps: Hyperparameter = 1e-8,
    weight_decay: Hyperparameter = 0.0,
    rank: int = 128,
    update_proj_gap: int = 200,
    scale: Hyperparameter = 1.0,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""GaLore: AdamW whose moments are those of a gradient of low rank.

    .. math::
        \theta_t = \theta_{t-1} - \eta (u_t + \lambda \theta_{t-1})

    with :math:`u_t` of :func:`torchopt.transform.scale_by_galore`, which also says what derivatives
    take as constant: the projection. The moments of an ``m`` by ``n`` matrix with ``m <= n`` have
    ``2 n rank`` numbers, and the projection has ``m rank``.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters. Tensors are scalars for each leaf, but for ``lr`` and
    ``weight_decay``.

    Args:
        lr: Learning rate, not negative.
        betas: Decays of the first and second moment, in [0, 1).
        eps: Added outside the root.
        weight_decay: Decoupled weight decay :math:`\lambda`.
        rank: Rank of the projected gradient.
        update_proj_gap: Number of steps from one projection to the next.
        scale: Factor of the updates of matrices; 0.25 in the paper's experiments.
        maximize: Whether to maximize.
        use_accelerated_op: Whether to use compiled kernels where the formula has one, as in
            :func:`torchopt.adam`. The rescaling multiplies matrices, and has none.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.galore(lr=0.5, rank=1)
        >>> params = {"w": torch.zeros(2, 2)}
        >>> grads = {"w": torch.tensor([[0.0, 3.0], [4.0, 0.0]])}
        >>> updates, state = opt.update(grads, opt.init(params), params=params)
        >>> updates["w"].abs()
        tensor([[0.0000, 0.0000],
                [0.5000, 0.0000]])

    References:
        Zhao et al., *GaLore: Memory-Efficient LLM Training by Gradient Low-Rank Projection*, 2024.
    """
    return descend(
        scale_by_galore(rank, update_proj_gap, scale=scale, betas=betas, eps=eps),
        lr=lr,
        decoupled_weight_decay=weight_decay,
        common=common,
    )
