"""ProxSuite's proximal augmented Lagrangian method, as a solver of quadratic programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from torchopt import checks
from torchopt.io.optional import optional
from torchopt.quadratic import Point, Program
from torchopt.quadratic.program import blocks_of
from torchopt.solver._quadratic_solver import QuadraticSolver


@dataclass(frozen=True, kw_only=True, eq=False)
class ProxSuite(QuadraticSolver):
    r"""ProxQP of ProxSuite, for dense quadratic programs on the CPU, one a thread.

    It is often faster than :class:`InteriorPoint` for single problems of about a hundred unknowns or
    more. Derivatives are those of the problem, as for each solver. It needs the extra ``proxsuite``:
    ``pip install "torchopt-diff[proxsuite]"``.

    Args:
        maxiter: The most iterations of each problem.
        num_threads: How many threads solve the problems of a batch; None for ProxSuite's choice.
        **common: ``rtol``, which ProxSuite has as its absolute tolerance, and ``on_failure`` of
            :class:`QuadraticSolver`.

    Raises:
        ValueError: If a number is out of its range.
        ImportError: When it solves a problem, if ProxSuite is not installed.

    Example:
        >>> import torchopt
        >>> torchopt.solver.ProxSuite(num_threads=2)
        ProxSuite(num_threads=2)

    References:
        Bambade, Schramm, El Kazdadi, Caron, Taylor and Carpentier, *ProxQP: an Efficient and Versatile
        Quadratic Programming Solver*, 2023.
    """

    rtol: float = 1e-9
    maxiter: int = checks.field(1000, checks.count(1))
    num_threads: int | None = checks.field(None, checks.or_none(checks.count(1, of="threads")))

    def solve(self, program: Program) -> Point:
        """Return solutions and multipliers for a batch of programs."""
        dense = optional("proxsuite", "proxsuite", "`ProxSuite`").proxqp.dense
        Q, c, G, h, A, b = (t.cpu().numpy() for t in blocks_of(program))
        count, n = c.shape
        batch = dense.BatchQP(count)
        solved: list[Any] = []
        for i in range(count):
            qp = batch.init_qp_in_place(n, b.shape[1], h.shape[1])
            qp.settings.eps_abs, qp.settings.eps_rel = self.rtol, 0.0
            qp.settings.max_iter = self.maxiter
            equalities = (A[i], b[i]) if b.shape[1] else (None, None)
            inequalities = (G[i], None, h[i]) if h.shape[1] else (None, None, None)
            qp.init(Q[i], c[i], *equalities, *inequalities)
            solved.append(qp)
        if count:
            dense.solve_in_parallel(batch, self.num_threads)
        like = program.c

        def stacked(name: str, size: int) -> torch.Tensor:
            rows = [
                torch.tensor(getattr(qp.results, name), device="cpu").reshape(size) for qp in solved
            ]
            return torch.stack(rows).to(like) if rows else like.new_zeros(0, size)

        return Point(stacked("x", n), stacked("z", h.shape[1]), stacked("y", b.shape[1]))
