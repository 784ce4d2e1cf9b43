"""Linear inequalities and equations for each vector."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

import torch

from torchopt import checks
from torchopt.autodiff.loops import any_true
from torchopt.errors import NotConvergedWarning
from torchopt.prox.term import parameter
from torchopt.prox.vectors import DIM, Dim, along
from torchopt.quadratic.program import program_of, two_sided
from torchopt.quadratic.solving import solve_program
from torchopt.sets.base import Set, unless_empty


@dataclass(frozen=True, eq=False)
class Polyhedron(Set):
    r"""Vectors that fulfil linear inequalities and equations.

    .. math::
        C = \{x : G x \leq h, \; A x = b\}, \qquad
        P(x) = \arg\min_z \; \tfrac12 \lVert z - x \rVert_2^2
        \quad \text{subject to} \quad G z \leq h, \; A z = b

    The projection is the quadratic program of :func:`torchopt.quadratic_program`, for all vectors of a
    batch at once; its derivative is that of the rows that are active. Sets with a formula of their own,
    such as :class:`Box`, :class:`Simplex`, :class:`HalfSpace` or :class:`AffineSet`, are much cheaper.

    Args:
        G: The rows of the inequalities, of shape ``(..., m, n)`` for vectors of ``n`` elements; None
            for none. This and the others are floating tensors, which may require grad; their leading
            axes broadcast with those of a leaf.
        h: Their right-hand sides, of shape ``(..., m)``.
        A: The rows of the equations, of shape ``(..., p, n)``; None for none.
        b: Their right-hand sides, of shape ``(..., p)``.
        dim: The axis or axes along which the vectors lie. None: a leaf is one vector.
        h_lower: Lower sides of the rows of ``G``, of shape ``(..., m)``:
            :math:`h_\text{lower} \leq G x \leq h`, where infinite ones bound nothing. None for none;
            with it, ``h`` may be None.

    Raises:
        ValueError: If one of ``G`` and ``h``, or of ``A`` and ``b``, is missing, or all are; in use, if
            shapes do not fit, a leaf has no such axis, or no vector fulfils the constraints. Tensors
            are looked at on the CPU outside of transforms and compiled code; elsewhere results are NaN.
        TypeError: If one of them is no floating tensor, or ``dim`` no integers.

    Warns:
        NotConvergedWarning: In use, if a nearest vector is not found.

    Example:
        >>> import torch, torchopt
        >>> G, h = torch.tensor([[1.0, 2.0], [-1.0, 0.0]]), torch.tensor([2.0, 0.0])
        >>> torchopt.sets.Polyhedron(G, h).project(torch.tensor([-1.0, 3.0])).round(decimals=4) + 0.0
        tensor([0., 1.])

    References:
        Amos and Kolter, *OptNet: Differentiable Optimization as a Layer in Neural Networks*, 2017.
    """

    G: torch.Tensor | None = field(default=None, metadata=parameter(signed=True))
    h: torch.Tensor | None = field(default=None, metadata=parameter(signed=True, infinite=True))
    _: KW_ONLY
    A: torch.Tensor | None = field(default=None, metadata=parameter(signed=True))
    b: torch.Tensor | None = field(default=None, metadata=parameter(signed=True))
    dim: Dim = checks.field(-1, DIM)
    h_lower: torch.Tensor | None = field(
        default=None, metadata=parameter(signed=True, infinite=True)
    )

    def __post_init__(self) -> None:
        for name in ("G", "h", "A", "b", "h_lower"):
            checks.check(name, getattr(self, name), checks.or_none(checks.A_TENSOR))
        super().__post_init__()
        sides = self.h is None and self.h_lower is None
        if (self.G is None) != sides or (self.A is None) != (self.b is None):
            raise ValueError("a side is missing: pass `G` with `h` or `h_lower`, and `A` with `b`.")
        if self.G is None and self.A is None:
            raise ValueError("there is no constraint: pass `G` and `h`, or `A` and `b`.")

    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the nearest vectors of the set."""
        return along(self._project, x, self.dim)

    def _project(self, x: torch.Tensor) -> torch.Tensor:
        eye = torch.eye(x.shape[-1], dtype=x.dtype, device=x.device)
        G, h = two_sided(self.G, self.h, self.h_lower)
        blocks = (None if t is None else t.to(x.dtype) for t in (G, h, self.A, self.b))
        solution = solve_program(program_of(eye, -x, *blocks))
        missed = ~(solution.converged | solution.certificate.infeasible)
        if any_true(missed & solution.x.isfinite().all(-1)):
            checks.warn(
                "the nearest vector of a `Polyhedron` was not found to the tolerance, and the result "
                "may lie outside of it: rounding may leave no vector that fulfils all constraints; "
                "pass data of float64, or wider sides.",
                NotConvergedWarning,
            )
        return unless_empty(
            solution.x,
            ~solution.certificate.infeasible[..., None],
            lambda at: "no vector fulfils the inequalities and equations",
        )
