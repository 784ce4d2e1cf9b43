"""What all linear solvers share: trees, tolerances, failures, derivatives. A subclass has the formula.

A solver sees one flat vector and an operator on it. Its solution is differentiable by the implicit
function theorem of ``A x - b = 0``, whatever the solver did to find it.
"""

from __future__ import annotations

import abc
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, TypeAlias, runtime_checkable

import torch

from torchopt import checks
from torchopt.autodiff.compiling import uncompiled
from torchopt.autodiff.loops import any_true, is_readable, is_surely_finite
from torchopt.autodiff.tracing import gathered, when_known
from torchopt.autodiff.tracking import untracked
from torchopt.errors import LinearSolveError, LinearSolveWarning, NonFiniteError
from torchopt.io.calls import CallRepr
from torchopt.linear_solve._layout import VectorLayout
from torchopt.linear_solve.failure import ON_FAILURE, OnFailure, Outcome, fail, report
from torchopt.linear_solve.stats import Stats
from torchopt.operators.implicit_function import implicit
from torchopt.operators.linear import LinearOperator, ProductOfTrees, as_operator, block_operator
from torchopt.pytree import flattening as pytree
from torchopt.pytree.dataclass import register_dataclass
from torchopt.pytree.typing import Numeric, TensorTree

_Vector: TypeAlias = torch.Tensor
_SCALAR = checks.Word(
    "use a scalar",
    (int, float, torch.Tensor),
    holds=lambda ridge: not isinstance(ridge, torch.Tensor) or ridge.numel() == 1,
)
_OUTCOME: Outcome = (LinearSolveError, LinearSolveWarning)


@register_dataclass
@dataclass(frozen=True, eq=False)
class LinearSolution:
    """The solution of a linear system. Later releases may add attributes.

    Attributes:
        x: The solution, a tree like ``b``.
        stats: Iterations, error and convergence.

    Example:
        >>> import torch, torchopt
        >>> solution = torchopt.linear_solve.CG().solve(2 * torch.eye(2), torch.ones(2))
        >>> solution.x, solution.stats.converged
        (tensor([0.5000, 0.5000]), tensor(True))
    """

    x: TensorTree
    stats: Stats


@runtime_checkable
class Preconditioner(Protocol):
    """Builds an approximate inverse of an operator; such as :class:`torchopt.linear_solve.Nystrom`."""

    def build(self, A: LinearOperator, like: torch.Tensor) -> Callable[[_Vector], _Vector]:
        """Return ``v -> M v`` with ``M ~ A⁻¹``, on vectors like ``like``."""
        ...


@dataclass(frozen=True, kw_only=True)
class LinearSystem:
    """``A x = b`` on flat vectors, as a solver sees it: the largest element of ``b`` is about one.

    Attributes:
        A: The operator, with its ridge.
        b: The right-hand side, divided by ``scale``; so are start, residual, tolerance and solution.
        x0: The starting point.
        r0: The residual at ``x0``.
        preconditioner: ``M ~ A⁻¹``.
        tolerance: Stop when the norm of the residual is at most this.
        maxiter: The maximal number of iterations.
        scale: A power of two, so that scaling is exact.
    """

    __promised__: ClassVar[tuple[str, ...]] = ()
    A: LinearOperator
    b: _Vector
    x0: _Vector
    r0: _Vector
    preconditioner: Callable[[_Vector], _Vector]
    tolerance: torch.Tensor
    maxiter: int | torch.Tensor
    scale: torch.Tensor

    def residual(self, x: _Vector) -> _Vector:
        """Return ``b - A x``, with the product at the scale of the user's system."""
        return self.b - self.A(self.scale * x) / self.scale


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearSolver(checks.Checked, CallRepr, abc.ABC):
    """Base of the linear solvers: ``solver(matvec, b) -> x``.

    A subclass implements :meth:`solve_flat` on flat vectors, which is provisional. Its class attribute
    ``advice`` is the part of a failure's message that says what to do. An iterative solver is a
    :class:`KrylovSolver`, or loops by :func:`torchopt.solver.iterate`.

    Attributes:
        rtol: Relative tolerance, ``||A x - b|| <= max(rtol * ||b||, atol)``. None: 1e-10 in float64,
            1e-5 in float32 and four units of rounding in lower precision. A solver of fixed work, such
            as :class:`Phantom`, does not stop by it: there it says what ``stats.converged`` and
            ``on_failure`` mean.
        atol: Absolute tolerance.
        ridge: Solves ``(A + ridge I) x = b``; a tensor gets a gradient. None means zero.
        on_failure: What to do if the tolerance is not reached: ``"warn"``
            (``LinearSolveWarning``), ``"raise"`` (``LinearSolveError``; under ``vmap``, if
            any problem of the batch fails) or ``"ignore"``.

    Example:
        A direct solver of one's own, for diagonal systems:

        >>> import torch, torchopt
        >>> class Diagonal(torchopt.linear_solve.LinearSolver):
        ...     advice = "take another solver: the matrix is not diagonal"
        ...     def solve_flat(self, system):
        ...         x = system.b / system.A(torch.ones_like(system.b))
        ...         return x, None, torch.zeros((), dtype=torch.int64)
        >>> Diagonal()(lambda v: {"u": 2 * v["u"]}, {"u": torch.tensor([1.0, 4.0])})
        {'u': tensor([0.5000, 2.0000])}
    """

    rtol: float | None = checks.field(None, checks.or_none(checks.NOT_NEGATIVE))
    atol: float = checks.field(0.0, checks.NOT_NEGATIVE)
    ridge: Numeric | None = checks.field(None, checks.or_none(_SCALAR))
    on_failure: OnFailure = checks.field("warn", ON_FAILURE)
    __promised__: ClassVar[tuple[str, ...]] = (
        *("__init__", "__call__", "solve", "rtol", "atol", "ridge", "on_failure"),
    )

    advice: ClassVar[str] = "raise `maxiter`, loosen `rtol`, or add a `ridge` or a `preconditioner`"

    def __call__(
        self,
        matvec: Callable[[TensorTree], TensorTree],
        b: TensorTree,
        *,
        x0: TensorTree = None,
    ) -> TensorTree:
        """Solve ``A x = b``.

        Args:
            matvec: See :meth:`solve`.
            b: See :meth:`solve`.
            x0: See :meth:`solve`.

        Returns:
            The solution, a tree like ``b``.
        """
        return self._differentiable(matvec, b, x0, measured=self.on_failure != "ignore")[0]

    def solve(
        self, matvec: Callable[[TensorTree], TensorTree], b: TensorTree, *, x0: TensorTree = None
    ) -> LinearSolution:
        """Solve ``A x = b``, and return the statistics, too.

        The solution is differentiable, to any order and in forward mode, with respect to ``b`` and
        everything that ``matvec`` reads.

        Args:
            matvec: A linear function, a :class:`torchopt.linalg.LinearOperator`, a square matrix, or a
                tree of square matrices (block-diagonal).
            b: The right-hand side: a tree of real floating-point tensors.
            x0: The starting point; by default the solver's own, or zero. Zero is also used if
                its residual is smaller.

        Returns:
            The solution and its statistics.

        Raises:
            TypeError: If a leaf of ``b`` is not a real floating-point tensor.
            ValueError: If trees or shapes do not fit.
            NonFiniteError: If ``b`` or a product has NaN or infinity.
            LinearSolveError: If the solve does not converge, with ``on_failure="raise"``.
        """
        x, stats = self._differentiable(matvec, b, x0, measured=True)
        assert stats is not None
        return LinearSolution(x, stats)

    @uncompiled
    def _differentiable(
        self, matvec: Any, b: TensorTree, x0: TensorTree, *, measured: bool
    ) -> tuple[TensorTree, Stats | None]:
        image = VectorLayout(b, "b")
        x0 = self._initial() if x0 is None else x0
        matvec, like = self._known(matvec, b, x0)
        domain = image if like is b else VectorLayout(like, "x0")
        start = None if x0 is None else domain.ravel(x0, "x0").detach()
        rhs = image.ravel(b, "b")

        def make_system() -> tuple[LinearOperator, _Vector]:
            A = matvec
            if not isinstance(A, LinearOperator) or not (A.symmetric or A.rmatvec):
                zeros = torch.zeros(domain.size, dtype=domain.dtype, device=domain.device)
                A = as_operator(A, domain.unravel(zeros))
            return self.equivalent_system(_flat(A, domain, image), rhs)

        def linear_solve(A: LinearOperator, c: _Vector) -> _Vector:
            with gathered():
                return self._attempt(A, c, None, domain, measured)[0]

        def equation(x: _Vector) -> _Vector:
            A, c = make_system()
            return A(x) - c

        with untracked(), gathered():
            A, c = make_system()
            x, stats = self._attempt(A, c, start, domain, measured)
        x = implicit(equation, x, linear_solve=linear_solve, symmetric=A.symmetric, replayed=False)
        return domain.unravel(x), stats

    def _attempt(
        self,
        A: LinearOperator,
        b: _Vector,
        x0: _Vector | None,
        layout: VectorLayout,
        measured: bool,
    ) -> tuple[_Vector, Stats | None]:
        check_finite(b, "the right-hand side `b`")
        if b.numel() == 0:
            norm = torch.linalg.vector_norm(b)
            none = torch.zeros_like(norm, dtype=torch.int64)
            return b, Stats(iterations=none, error=norm, converged=norm == 0)
        scale = power_of_two(b)
        b = b / scale
        norm = torch.linalg.vector_norm(b)
        rtol = self.rtol
        if rtol is None:
            eps = max(torch.finfo(dtype).eps for dtype in layout.dtypes)
            rtol = 1e-10 if eps < 1e-15 else max(1e-5, 4 * eps)
        tolerance = torch.maximum(rtol * norm, self.atol / scale)
        M = self._preconditioner(A, b, layout)
        zero = b.new_zeros(()).expand_as(b)  # takes no memory
        system = LinearSystem(
            A=A,
            b=b,
            x0=zero,
            r0=b,
            preconditioner=M,
            tolerance=tolerance,
            maxiter=self.iteration_limit(b.numel()),
            scale=scale,
        )
        if x0 is not None:
            check_finite(x0, "the start `x0`")
            x0 = x0 / scale
            r0 = system.residual(x0)
            # Never worse than zero; and b = 0 has the solution 0, exactly.
            better = torch.linalg.vector_norm(r0) < norm
            x0, r0 = torch.where(better, x0, 0), torch.where(better, r0, b)
            system = replace(system, x0=x0, r0=r0)
        result = self.solve_flat(system)
        name = f"{type(self).__name__}.solve_flat"
        checks.check_returned(name, result, "(x, residual, iterations)", system.x0)
        x, r, iterations = result
        check_finite(scale * x, "the solution")
        if r is None and measured:
            r = system.residual(x)
        if r is None:
            return scale * x, None
        check_finite(r, "the product `matvec(x)`")
        if not is_readable(r):  # else all of it is finite
            x = torch.where(torch.isfinite(r).all(), x, math.nan)
        residual = torch.linalg.vector_norm(r)
        stats = Stats(
            iterations=iterations, error=scale * residual, converged=residual <= tolerance
        )
        self._report(self.failed(system, residual), stats, scale * tolerance)
        return scale * x, stats

    @abc.abstractmethod
    def solve_flat(self, system: LinearSystem) -> tuple[_Vector, _Vector | None, torch.Tensor]:
        """Solve a system of flat vectors.

        Under ``torch.func.vmap`` it is called once for all problems: it must not branch on values, and
        loops by :func:`torchopt.solver.iterate`. No graph is built.

        Args:
            system: The system, and when to stop.

        Returns:
            A tuple of the solution; ``b - A x`` if it is known, or None; and the number of iterations,
            a scalar int64 tensor. Anything else is refused.
        """

    def equivalent_system(self, A: LinearOperator, b: _Vector) -> tuple[LinearOperator, _Vector]:
        """Return the system that is solved in place of ``A x = b``: with the ``ridge``, by default."""
        return A.shifted(self.ridge), b

    def iteration_limit(self, unknowns: int) -> int:
        """Return the most iterations for so many unknowns: ``maxiter``, if it is given."""
        return 10 * unknowns

    def failed(self, system: LinearSystem, residual: torch.Tensor) -> torch.Tensor:
        """Return for which problems to warn or raise, by the norm of the residual; boolean."""
        return ~(residual <= system.tolerance)

    def _initial(self) -> TensorTree | None:
        return None

    def _known(self, matvec: Any, b: TensorTree, x0: TensorTree) -> tuple[Any, TensorTree]:
        """Return the operator, and a tree with the structure of the solution."""
        if not callable(matvec) or isinstance(matvec, LinearOperator):
            return matvec, b
        return taking_right_hand_sides(matvec, "solve a rectangular system by `NormalCG`, with"), b

    def _preconditioner(
        self, A: LinearOperator, b: _Vector, layout: VectorLayout
    ) -> Callable[[_Vector], _Vector]:
        return identity

    def _report(self, failed: torch.Tensor, stats: Stats, tolerance: torch.Tensor) -> None:
        if self.on_failure == "ignore":
            return
        if is_readable(failed):
            self._judge(failed, stats, tolerance)
            return
        tensors, combine = pytree.partition((failed, stats, tolerance))
        when_known(lambda *tensors: self._judge(*combine(tensors)), *tensors)

    def _judge(self, failed: torch.Tensor, stats: Stats, tolerance: torch.Tensor) -> None:
        if not any_true(failed):
            return
        assert stats.error is not None
        lost = failed & torch.isnan(stats.error)
        if any_true(lost):
            self._fail(
                "has a solution that is NaN",
                "the right-hand side or a product has NaN or infinity",
                lost,
                error=math.nan,
            )
        report(
            type(self).__name__,
            stats,
            self.advice,
            on_failure=self.on_failure,
            failed=failed & ~lost,
            tolerance=tolerance,
            outcome=_OUTCOME,
        )

    def _fail(self, what: str, why: str, failed: torch.Tensor, **numbers: float) -> None:
        who = type(self).__name__
        fail(f"{who} {what}", why, failed, on_failure=self.on_failure, outcome=_OUTCOME, **numbers)


def taking_right_hand_sides(
    matvec: Callable[[TensorTree], TensorTree], advice: str
) -> Callable[[TensorTree], TensorTree]:
    """Return a product whose error says how to solve a rectangular system."""

    def product(v: TensorTree) -> TensorTree:
        try:
            return matvec(v)
        except RuntimeError as error:
            if not re.search("size|shape", str(error)):
                raise
            raise ValueError(
                f"`matvec` does not take a vector like `b` ({error}): {advice} `x0`, a tree "
                f"like the solution."
            ) from error

    return product


def _is_preconditioner(M: Any) -> bool:
    leaves = () if callable(M) or isinstance(M, Preconditioner) else pytree.leaves(M)
    return not isinstance(M, type) and all(isinstance(x, torch.Tensor) for x in leaves)


_PRECONDITIONER = checks.Word(
    "pass a function, square matrices, or what builds one, such as `Nystrom()`",
    holds=_is_preconditioner,
    error=TypeError,
    none=True,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class IterativeLinearSolver(LinearSolver):
    """Base of the solvers that iterate.

    Attributes:
        maxiter: The maximal number of iterations; None: ten times the number of unknowns.
        preconditioner: An approximate inverse of ``A``: a function of trees, matrices as for
            ``matvec``, or an object that builds one from the operator, such as
            ``Nystrom(rank=10)``.
        x0: The starting point, a tree like ``b``; None means zero.
    """

    maxiter: int | None = checks.field(None, checks.or_none(checks.count(of="iterations")))
    preconditioner: TensorTree = checks.field(None, _PRECONDITIONER)
    x0: TensorTree = None

    def _initial(self) -> TensorTree | None:
        return self.x0

    def _preconditioner(
        self, A: LinearOperator, b: _Vector, layout: VectorLayout
    ) -> Callable[[_Vector], _Vector]:
        M = self.preconditioner
        if M is None:
            return identity
        if isinstance(M, Preconditioner):
            return M.build(A, b)
        flat = M if callable(M) else block_operator(M, name="preconditioner")
        return lambda v: layout.ravel(flat(layout.unravel(v)), "preconditioner(x)")

    def iteration_limit(self, unknowns: int) -> int:
        """Return the most iterations for so many unknowns: ``maxiter``, if it is given."""
        return super().iteration_limit(unknowns) if self.maxiter is None else self.maxiter


def identity(v: _Vector) -> _Vector:
    """Return a vector as it is: the preconditioner of a solver that has none."""
    return v


def _flat(A: LinearOperator, domain: VectorLayout, image: VectorLayout) -> LinearOperator:
    """Return the operator on flat vectors."""
    return LinearOperator(
        _product_of_vectors(A.matvec, domain, image, "matvec(x)"),
        _product_of_vectors(A.T.matvec, image, domain, "rmatvec(b)"),
        A.symmetric,
    )


def _product_of_vectors(
    product: Callable[[TensorTree], TensorTree],
    domain: VectorLayout,
    image: VectorLayout,
    name: str,
) -> Callable[[_Vector], _Vector]:
    if isinstance(product, ProductOfTrees):
        of_tensors = product.of_tensors
        return lambda v: image.join(of_tensors(domain.split(v)))
    return lambda v: image.ravel(product(domain.unravel(v)), name)


def power_of_two(b: _Vector) -> torch.Tensor:
    """Return the largest power of two that is at most the largest element; one for zero."""
    largest = b.abs().amax()
    if is_readable(largest) and math.isfinite(number := largest.item()):
        return largest.fill_(2.0 ** (math.frexp(number)[1] - 1) if number else 1)
    return torch.where(largest > 0, largest / (2 * torch.frexp(largest).mantissa), 1)


def check_finite(vector: _Vector, what: str) -> None:
    """Raise if a vector has NaN or infinity; in a batch, if all vectors have.

    Otherwise the solutions of such problems are NaN, and not converged; those of the others are right.
    """

    def check(finite: torch.Tensor) -> None:
        if not any_true(finite):
            raise NonFiniteError(
                f"{what} of a linear solve has NaN or infinity: look at the loss, and at what the "
                f"operator reads."
            )

    if not torch.compiler.is_compiling() and not is_surely_finite(vector):
        when_known(check, torch.isfinite(vector).all(), optional=True)
