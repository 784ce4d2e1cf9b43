"""The mean gradient of differentially private learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.io.calls import records_call
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Numeric
from torchopt.transform import hyperparameters
from torchopt.transform._add_noise import add_noise
from torchopt.transform._per_example_clip import check_examples, per_example_global_norm_clip
from torchopt.transform._rule import check_state
from torchopt.transform.chaining import GradientTransformation

_SCALAR = checks.Word(
    "use one number for all leaves, or a tensor without dimensions",
    holds=hyperparameters.is_scalar,
    error=TypeError,
)


class DifferentiallyPrivateAggregateState(NamedTuple):
    """The state of the noise."""

    noise: Any


@dataclass(frozen=True, eq=False)
class _Aggregate:
    l2_norm_clip: Any
    noise: GradientTransformation

    def init(self, params: Any) -> DifferentiallyPrivateAggregateState:
        return DifferentiallyPrivateAggregateState(self.noise.init(params))

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, DifferentiallyPrivateAggregateState]:
        check_state(state, (DifferentiallyPrivateAggregateState,))
        size = check_examples(*pytree.flatten(updates))
        sums, _ = per_example_global_norm_clip(updates, self.l2_norm_clip)
        noisy, noise = self.noise.update(sums, state.noise, inplace=False)
        mean = pytree.map_leaves(lambda g: g / size, noisy)
        return mean, DifferentiallyPrivateAggregateState(noise)


@records_call
def differentially_private_aggregate(
    l2_norm_clip: Numeric,
    noise_multiplier: Numeric,
    generator: torch.Generator | int | None = None,
) -> GradientTransformation:
    r"""Clip the gradient of each example, and return their mean with noise (DP-SGD).

    .. math::
        u = \frac{1}{B} \left( \sum_{i=1}^{B} g_i \cdot
            \min\left(1, \frac{C}{\lVert g_i \rVert_2}\right) + \sigma C n \right), \qquad
        n \sim N(0, 1)

    Put it first in a chain: its updates have a first dimension more than the parameters, with all
    examples, as ``torch.func.vmap`` of a gradient returns them. It does not count the privacy that was
    spent. The noise is that of :func:`add_noise`: its generator is fast, and not for cryptography.

    Args:
        l2_norm_clip: The bound :math:`C` of the norm over all leaves, not negative: a number or a
            tensor, which may require grad.
        noise_multiplier: The standard deviation :math:`\sigma` of the noise, in units of :math:`C`, not
            negative: a number or a tensor.
        generator: Where the key of the noise comes from, which must stay secret: None draws it from
            PyTorch's own generator in ``init``, a ``torch.Generator`` likewise; a number is the key.

    Returns:
        A gradient transformation, differentiable with the noise as a constant.

    Raises:
        TypeError: If an argument is something else.
        ValueError: If ``l2_norm_clip`` or ``noise_multiplier`` is negative; in ``update``, if a leaf
            has no dimension of examples.

    Example:
        >>> import torch, torchopt
        >>> tx = torchopt.chain(differentially_private_aggregate(1.0, 0.0), torchopt.sgd(0.5))
        >>> params = {"w": torch.zeros(2)}
        >>> loss = lambda params, x: (params["w"] * x).sum()
        >>> examples = torch.tensor([[3.0, 4.0], [0.0, 0.2]])
        >>> grads = torch.func.vmap(torch.func.grad(loss), (None, 0))(params, examples)
        >>> tx.update(grads, tx.init(params))[0]
        {'w': tensor([-0.1500, -0.2500])}

    References:
        Abadi et al., *Deep Learning with Differential Privacy*, 2016, algorithm 1.
    """
    for name, value in (("l2_norm_clip", l2_norm_clip), ("noise_multiplier", noise_multiplier)):
        hyperparameters.check(name, value)
        checks.check(name, value, _SCALAR)
    deviation = l2_norm_clip * noise_multiplier
    made = _Aggregate(l2_norm_clip, add_noise(deviation * deviation, 0.0, generator))
    return GradientTransformation(made.init, made.update)
