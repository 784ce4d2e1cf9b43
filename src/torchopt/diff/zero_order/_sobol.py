"""Directions from a low-discrepancy sequence."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.quasirandom import SobolEngine

from torchopt.diff.zero_order._antithetic import Antithetic
from torchopt.diff.zero_order._estimator import preset


@dataclass(frozen=True, kw_only=True, eq=False)
class Sobol(Antithetic):
    r"""Antithetic pairs along normal directions made of a scrambled Sobol sequence.

    Randomized quasi-Monte-Carlo: each direction by itself is a normal vector, so that the estimate
    is unbiased for the smoothed function, but together they cover the space evenly. Best for up to
    some hundred unknowns and for ``num_samples`` a power of two. The variance has no closed form; it
    falls faster than :math:`1/n`.

    The arguments are those of :class:`Estimator`, without ``distribution``; ``num_samples`` counts
    pairs.

    Raises:
        ValueError: At a call with more unknowns than the sequence has dimensions, 21201.

    Example:
        >>> Sobol(num_samples=64, sigma=0.1).offsets
        (1.0, -1.0)

    References:
        Owen, *Scrambled Net Variance for Integrals of Smooth Functions*, 1997. Rowland et al.,
        *Geometrically Coupled Monte Carlo Sampling*, 2018.
    """

    distribution: None = preset(None)

    def directions(self, like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        """Return the directions; see :meth:`Estimator.directions`."""
        n, d = self.num_samples, like.numel()
        if d > SobolEngine.MAXDIM:
            raise ValueError(
                f"there are {d} unknowns, but a Sobol sequence has at most {SobolEngine.MAXDIM} "
                f"dimensions: use `Orthogonal` or `Antithetic`."
            )
        engine = SobolEngine(d, scramble=True, seed=generator.initial_seed())
        uniform = engine.draw(n, dtype=torch.float64)
        # From the corners of cells to their centers: none is at 0, where the quantile is infinite.
        uniform += 2.0 ** -(SobolEngine.MAXBIT + 1)
        return torch.special.ndtri(uniform).to(like.dtype)
