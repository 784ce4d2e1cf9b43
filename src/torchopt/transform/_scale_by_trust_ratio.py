"""Trust ratios: updates in proportion to the norm of their parameter."""

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


def _ratio(
    g: Leaves, p: Leaves, *, min_norm: Any, trust_coefficient: Any, eps: Any
) -> dict[str, torch.Tensor]:
    unit = unit_of(g)
    p_norm, g_norm = (x.clamp(min=min_norm) for x in (norm(p), norm(g, unit)))
    zero = (p_norm == 0) | (g_norm == 0)
    ratio = trust_coefficient * p_norm / (torch.where(zero, 1.0, g_norm) + eps)
    return by_unit(unit, torch.where(zero, 1.0, ratio))


@records_call
def scale_by_trust_ratio(
    min_norm: Hyperparameter = 0.0,
    trust_coefficient: Hyperparameter = 1.0,
    eps: Hyperparameter = 0.0,
) -> GradientTransformation:
    r"""Give each update the norm of its parameter, times a coefficient.

    .. math::
        u = c \, \frac{\max(\lVert \theta \rVert, m)}{\max(\lVert g \rVert, m) + \varepsilon} \, g

    with the norms of each leaf, in float32 at least. An update stays as it is where one of the two
    norms is zero; the derivatives are finite there. A NaN in a leaf makes all its updates NaN.

    Args:
        min_norm: Lower bound :math:`m` of both norms, not negative.
        trust_coefficient: :math:`c`, not negative.
        eps: :math:`\varepsilon`, added to the norm of the update.

    Returns:
        A gradient transformation whose ``update`` needs ``params``. Every hyperparameter may be a
        number, a schedule, a scalar tensor that requires grad, or a tree of these.

    Raises:
        ValueError: If a number is negative.

    Example:
        >>> import torch
        >>> tx = scale_by_trust_ratio()
        >>> p, g = (torch.tensor([6.0, 8.0]),), (torch.tensor([0.0, 2.0]),)
        >>> tx.update(g, tx.init(p), params=p)[0]
        (tensor([ 0., 10.]),)

    References:
        You, Gitman and Ginsburg, *Large Batch Training of Convolutional Networks*, 2017. The options
        are those of Optax.
    """
    return reduced(
        rescale,
        prepare=_ratio,
        state=schedule_states((min_norm, trust_coefficient, eps)),
        hyper=hyperparameters.checked(
            min_norm=min_norm, trust_coefficient=trust_coefficient, eps=eps
        ),
        needs_params=True,
    )
