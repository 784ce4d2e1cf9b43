"""Nyström's approximation, as a solver and as a preconditioner."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import torch

from torchopt import checks
from torchopt.autodiff.generators import check_generator, seed_of
from torchopt.linear_solve._base import LinearSolver, LinearSystem
from torchopt.linear_solve.dense import columns_of
from torchopt.linear_solve.failure import OnFailure
from torchopt.operators.linear import LinearOperator


@dataclass(frozen=True, kw_only=True, eq=False)
class Nystrom(LinearSolver):
    r"""Nyström's low-rank approximation of a symmetric positive semidefinite operator.

    .. math::
        A \approx C W^+ C^\top = U \Lambda U^\top, \qquad
        x = (U \Lambda U^\top + \rho I)^{-1} b
          = U (\Lambda + \rho)^{-1} U^\top b + \tfrac{1}{\rho} (I - U U^\top)\, b

    with ``rank`` random columns ``C`` of ``A`` and the block ``W`` of their rows. It takes ``rank``
    products, computed as one batch, for any condition number. For Hessians of neural networks, whose
    eigenvalues decay fast, it gives hypergradients as good as those of conjugate gradients in less
    time, and without their instability. By default a remaining residual is not reported.

    As ``preconditioner=Nystrom(rank=...)`` of :class:`CG` it corrects for the largest eigenvalues;
    ``rho`` should then be near the ridge or the smallest eigenvalues.

    Args:
        rank: The number of columns; all, if there are fewer.
        rho: The damping :math:`\rho`, which is not part of the system.
        generator: Chooses the columns: a number (the same columns for each solve) or a
            ``torch.Generator`` (different columns for each).
        batched: Whether to compute the products as a batch, by ``vmap``.
        on_failure: As for the other solvers, but ``"ignore"`` by default, since the result is
            an approximation of low rank, which has no tolerance to reach.
        **common: All other arguments of :class:`LinearSolver`.

    Raises:
        ValueError: If a value is out of its range.

    Example:
        >>> import torch
        >>> a = torch.tensor([3.0, 4.0, 0.0])
        >>> Nystrom(rank=2, rho=1.0)(lambda v: a * (a @ v), torch.tensor([3.0, 4.0, 1.0]))
        tensor([0.1154, 0.1538, 1.0000])

    References:
        Hataya and Yamada, Nyström Method for Accurate and Scalable Implicit Differentiation, 2023,
        equations 6 to 8. Frangella, Tropp and Udell, Randomized Nyström Preconditioning, 2021, equation
        1.3 (the form with eigenvectors, which does not square the damping).
    """

    rank: int = checks.field(10, checks.count(1, of="columns"))
    rho: float = checks.field(0.01, checks.POSITIVE)
    generator: torch.Generator | int = 0
    batched: bool = True
    on_failure: OnFailure = "ignore"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_generator(self.generator)

    def build(
        self, A: LinearOperator, like: torch.Tensor
    ) -> Callable[[torch.Tensor], torch.Tensor]:
        """Return ``b -> (U Λ Uᵀ + rho I)⁻¹ b``, on vectors like ``like``."""
        n = like.numel()
        chosen = sorted(random.Random(seed_of(self.generator)).sample(range(n), min(self.rank, n)))
        unit = torch.eye(n, dtype=like.dtype, device=like.device)[chosen]
        C = columns_of(A, unit, batched=self.batched, chunk_size=None)
        # NaN comes back at the end: a factorization may refuse a whole batch for one matrix.
        finite = torch.isfinite(C).all()
        C = torch.where(finite, C, unit.mT)
        W = C[chosen]
        eigenvalues, Q = torch.linalg.eigh((W + W.mT) / 2)
        largest = eigenvalues.abs().max()
        kept = eigenvalues > torch.finfo(C.dtype).eps * len(chosen) * largest
        root = torch.where(kept, eigenvalues, 1).rsqrt() * kept
        U, sigma, _ = torch.linalg.svd(C @ (Q * root), full_matrices=False)

        def apply(b: torch.Tensor) -> torch.Tensor:
            inside = U.mT @ b
            outside = b - U @ inside
            outside = outside - U @ (U.mT @ outside)  # again: the rounding is divided by rho
            x = U @ (inside / (sigma**2 + self.rho)) + outside / self.rho
            return torch.where(finite, x, math.nan)

        return apply

    def solve_flat(self, system: LinearSystem) -> tuple[torch.Tensor, None, torch.Tensor]:
        x = self.build(system.A, system.b)(system.b)
        return x, None, torch.zeros((), dtype=torch.int64, device=x.device)
