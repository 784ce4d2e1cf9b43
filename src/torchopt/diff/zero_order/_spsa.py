"""Simultaneous perturbation by random signs."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt.diff.zero_order._antithetic import Antithetic
from torchopt.diff.zero_order._estimator import preset


@dataclass(frozen=True, kw_only=True, eq=False)
class SPSA(Antithetic):
    r"""Two evaluations for each direction, whose entries are random signs.

    The formula is that of :class:`Antithetic` (to divide by a sign is to multiply by it). All
    directions are of one length, which makes it the estimator of least variance among those with
    independent symmetric entries:
    :math:`(d - 1) \lVert g \rVert^2 / n` in total for linear and quadratic functions with gradient
    :math:`g`. The estimate is exact for a single unknown.

    The arguments are those of :class:`Estimator`, without ``distribution``; ``num_samples`` counts
    pairs.

    Example:
        >>> import torch, torchopt
        >>> mode = torchopt.diff.ZeroOrder(torchopt.diff.zero_order.SPSA(sigma=0.5))
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> mode(lambda x: x**2)(x).backward()
        >>> x.grad
        tensor(6.)

    References:
        Spall, *Multivariate Stochastic Approximation Using a Simultaneous Perturbation Gradient
        Approximation*, 1992.
    """

    distribution: None = preset(None)

    def directions(self, like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        """Return the directions; see :meth:`Estimator.directions`."""
        bits = torch.randint(
            2, (self.num_samples, like.numel()), generator=generator, device=generator.device
        )
        return (2 * bits - 1).to(like.dtype)
