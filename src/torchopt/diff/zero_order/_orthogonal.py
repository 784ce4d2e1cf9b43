"""Directions that are orthogonal to one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch

from torchopt import checks
from torchopt.diff.zero_order._antithetic import Antithetic
from torchopt.diff.zero_order._estimator import preset

Lengths: TypeAlias = Literal["fixed", "normal"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Orthogonal(Antithetic):
    r"""Antithetic pairs along directions of which each :math:`d` are orthogonal.

    The directions are rows of random rotations, one rotation for each :math:`d` of them. With
    lengths :math:`\sqrt d` the estimate is unbiased for the function averaged over the ball of radius
    :math:`\sigma \sqrt d`, and exact for linear and quadratic functions where :math:`d` divides
    :math:`n`: the total variance there is

    .. math:: r (d - r) \lVert g \rVert^2 / n^2, \qquad r = n \bmod d.

    With the lengths of normal vectors each direction is a normal vector by itself, the estimate is
    unbiased for the same smoothed function as :class:`Antithetic`, and the variance is
    :math:`\bigl( 2 (n - r) + r (d + 2 - r) \bigr) \lVert g \rVert^2 / n^2`.

    A rotation costs :math:`O(d^3)` where :math:`n \ge d`, else :math:`O(d n^2)`.

    Args:
        lengths: ``"fixed"``, the root of the number of unknowns; or ``"normal"``.
        num_samples: The number of pairs.
        sigma: See :class:`Estimator`.
        baseline: See :class:`Estimator`.
        shaping: See :class:`Estimator`.
        nonfinite: See :class:`Estimator`.

    Example:
        >>> import torch, torchopt
        >>> mode = torchopt.diff.ZeroOrder(
        ...     torchopt.diff.zero_order.Orthogonal(num_samples=3, sigma=1.0))
        >>> x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        >>> mode(lambda x: (x**2).sum())(x).backward()
        >>> torch.allclose(x.grad, torch.tensor([2.0, 4.0, 6.0]))
        True

    References:
        Choromanski et al., *Structured Evolution with Compact Architectures for Scalable Policy
        Optimization*, 2018.
    """

    lengths: Lengths = "fixed"
    distribution: None = preset(None)

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.check_choice("lengths", self.lengths, Lengths)

    def directions(self, like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        """Return the directions; see :meth:`Estimator.directions`."""
        n, d = self.num_samples, like.numel()
        blocks = []
        for start in range(0, n, d):
            normal = torch.randn(
                (d, min(d, n - start)),
                dtype=torch.float64,
                generator=generator,
                device=generator.device,
            )
            q, r = torch.linalg.qr(normal)
            # With a positive diagonal the factor is uniform over rotations (Mezzadri, 2007).
            blocks.append((q * r.diagonal().sign()).T)
        rows = torch.cat(blocks)
        if self.lengths == "fixed":
            return (rows * d**0.5).to(like.dtype)
        normal = torch.randn(
            (n, d), dtype=torch.float64, generator=generator, device=generator.device
        )
        return (rows * normal.norm(dim=1, keepdim=True)).to(like.dtype)
