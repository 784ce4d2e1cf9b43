"""Direct solvers, for systems small enough to be written as a matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import torch

from torchopt import checks
from torchopt.autodiff.loops import any_true
from torchopt.autodiff.tracing import when_known
from torchopt.linear_solve._base import LinearSolver, LinearSystem, check_finite
from torchopt.linear_solve.failure import OnFailure
from torchopt.operators.linear import LinearOperator

_Method: TypeAlias = Literal["lu", "cholesky", "lstsq"]


def columns_of(
    A: LinearOperator, vectors: torch.Tensor, *, batched: bool, chunk_size: int | None
) -> torch.Tensor:
    """Return the products with the rows of ``vectors``, as columns; all NaN where one is not finite."""
    # Outside of vmap: a graph that the operator holds is built by a plain evaluation.
    first = A(vectors[0])
    if batched:
        product = torch.func.vmap(A, out_dims=1, chunk_size=chunk_size, randomness="same")
        columns = product(vectors)
    else:
        columns = torch.stack([first, *(A(v) for v in vectors[1:])], dim=1)
    check_finite(columns, "the matrix")
    return torch.where(torch.isfinite(columns).all(), columns, math.nan)


@dataclass(frozen=True, kw_only=True, eq=False)
class Dense(LinearSolver):
    r"""A factorization of the whole matrix, for small systems.

    .. math:: x = A^{-1} b \quad\text{(lu, cholesky)}, \qquad x = A^+ b \quad\text{(lstsq)}

    It applies ``A`` to the ``n`` unit vectors, in batches, and factorizes the matrix. This takes
    :math:`n + 1` products, :math:`n^2` memory and :math:`O(n^3)` work. The result is exact up to
    rounding, and up to a few thousand unknowns this is often the fastest solver. ``x0`` is not used. If
    the operator's product with the solution differs from the matrix's by a percent, the operator is not
    linear, and the solve fails.

    Args:
        method: ``"lu"`` for any nonsingular matrix, ``"cholesky"`` for symmetric positive definite ones
            (half the work), ``"lstsq"`` for singular ones: the least-squares solution of least norm.
        batched: Whether to compute the products as a batch, by ``vmap``, or one by one, for products
            that cannot be batched.
        chunk_size: The number of products in a batch; None: all.
        on_failure: As for the other solvers, but ``"raise"`` by default, since only singular matrices
            fail.
        **common: All other arguments of :class:`LinearSolver`.

    Raises:
        ValueError: If a value is out of its range.

    Example:
        >>> import torch
        >>> A = torch.tensor([[0.0, 1.0], [-1.0, 0.0]])
        >>> Dense()(lambda v: A @ v, torch.tensor([1.0, 2.0]))
        tensor([-2.,  1.])

    References:
        Golub and Van Loan, Matrix Computations, 2013, chapters 3, 4 and 5.
    """

    method: _Method = checks.field("lu", checks.one_of(_Method))
    batched: bool = True
    chunk_size: int | None = checks.field(None, checks.or_none(checks.count(1, of="columns")))
    on_failure: OnFailure = "raise"

    advice: ClassVar[str] = (
        'the matrix is singular: add a `ridge`, or take `method="lstsq"` (or "lu", if it is not '
        "positive definite)"
    )

    def failed(self, system: LinearSystem, residual: torch.Tensor) -> torch.Tensor:
        """Return for which problems to warn or raise: those whose factorization failed."""
        # A factorization that works leaves no more than rounding; least squares may leave a rest.
        # That of a matrix that only rounding keeps from being singular seldom leaves less than this.
        norm = torch.linalg.vector_norm(system.b)
        return (residual > norm / 64) & (self.method != "lstsq")

    def solve_flat(self, system: LinearSystem) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return the solution, its residual, and no iterations."""
        b = system.b
        unit = torch.eye(b.numel(), dtype=b.dtype, device=b.device)
        columns = columns_of(system.A, unit, batched=self.batched, chunk_size=self.chunk_size)
        finite = torch.isfinite(columns).all() & torch.isfinite(b).all()
        matrix = torch.where(finite, columns, unit)  # a factorization may refuse a whole batch
        if self.method == "lstsq":
            x, failed = torch.linalg.pinv(matrix) @ b, torch.zeros_like(b[0])
        elif self.method == "lu":
            x, failed = torch.linalg.solve_ex(matrix, b)
        else:
            factor, failed = torch.linalg.cholesky_ex(matrix)
            x = torch.cholesky_solve(b.unsqueeze(1), factor).squeeze(1)
        # The solution of a singular matrix is zero, and has not converged.
        x = torch.where((failed == 0) & torch.isfinite(x).all(), x, 0)
        x = torch.where(finite, x, math.nan)
        r = system.residual(x)
        self._check_linear(b - r, matrix, x)
        return x, r, torch.zeros((), dtype=torch.int64, device=b.device)

    def _check_linear(self, product: torch.Tensor, matrix: torch.Tensor, x: torch.Tensor) -> None:
        """Warn or raise if operator and matrix have different products with the solution."""
        norm = torch.linalg.vector_norm
        distance = norm(product - matrix @ x)
        curved = distance > 0.01 * norm(matrix) * norm(x)

        def check(curved: torch.Tensor) -> None:
            if any_true(curved):
                self._fail(
                    "needs a linear `matvec`",
                    "its product with the solution is not that of the matrix that it makes of the "
                    "unit vectors; leave out what is constant, as in `lambda v: f(v) - f(0)`, or give "
                    "the Jacobian",
                    curved,
                )

        when_known(check, curved)
