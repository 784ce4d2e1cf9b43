"""Divide all updates by their norm."""

from __future__ import annotations

from typing import Any

import torch

from torchopt.io.calls import records_call
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._prepare import Leaves, by_unit, norm, rescale, unit_of
from torchopt.transform._scale import schedule_states
from torchopt.transform.beyond_elements import reduced
from torchopt.transform.chaining import GradientTransformation


def _factor(g: Leaves, *, scale_factor: Any, eps: Any) -> dict[str, torch.Tensor]:
    unit = unit_of(g)
    return by_unit(unit, scale_factor / (norm(g, unit) + eps))


@records_call
def normalize_by_update_norm(
    scale_factor: Hyperparameter = 1.0, eps: Hyperparameter = 1e-6
) -> GradientTransformation:
    r"""Divide all updates by their norm, and multiply them by a factor.

    .. math:: u = \frac{c}{\lVert g \rVert_2 + \varepsilon} \, g

    with the norm over all leaves, in float32 at least. At a zero gradient the update is zero and its
    derivative :math:`c / \varepsilon`. A NaN in a leaf makes all updates NaN.

    Args:
        scale_factor: The factor :math:`c`; negative for an optimizer.
        eps: :math:`\varepsilon`, added to the norm, not negative.

    Returns:
        A gradient transformation. A hyperparameter may be a number, a schedule, or a scalar tensor
        that requires grad.

    Raises:
        ValueError: If ``eps`` is negative.

    Example:
        >>> import torch
        >>> tx = normalize_by_update_norm(-0.5)
        >>> g = (torch.tensor([3.0]), torch.tensor([4.0]))
        >>> tx.update(g, tx.init(g))[0]
        (tensor([-0.3000]), tensor([-0.4000]))

    References:
        Optax's ``normalize_by_update_norm``; Hazan, Levy and Shalev-Shwartz, *Beyond Convexity*, 2015,
        algorithm 1.
    """
    hyperparameters.check("scale_factor", scale_factor, lower=None)
    hyperparameters.check("eps", eps)
    return reduced(
        rescale,
        prepare=_factor,
        over="tree",
        state=schedule_states((scale_factor, eps)),
        hyper={"scale_factor": scale_factor, "eps": eps},
    )
