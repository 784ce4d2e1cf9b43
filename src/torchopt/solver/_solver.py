"""What a solver is: `init`, `step` and how far from a solution a point is; one loop for all.

A solver sees one flat vector and the problem as functions of it (`Posed`); trees, arguments and
derivatives of the solution are the business of the faces and of the differentiation mode.
"""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import torch

from torchopt._loop import iterate
from torchopt.linalg import LinearOperator

__all__ = [
    "Posed",
    "Run",
    "Solver",
    "check_integer",
    "check_number",
    "divide",
    "push",
    "secant_pair",
]

_FACES = {
    "minimum": "minimize",
    "root": "root",
    "fixed_point": "fixed_point",
    "least_squares": "least_squares",
}


class Posed(Protocol):
    """A problem as functions of a flat vector.

    Each function is differentiable and works inside ``torch.func``.

    Attributes:
        kind: ``"minimum"``, ``"root"``, ``"fixed_point"`` or ``"least_squares"``.
    """

    kind: str

    def value(self, x: torch.Tensor) -> torch.Tensor:
        """Return the objective of a minimum; half the squared norm of the residuals."""
        ...

    def gradient(self, x: torch.Tensor) -> torch.Tensor:
        """Return the gradient of the value."""
        ...

    def value_and_gradient(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return both, from one evaluation."""
        ...

    def residual(self, x: torch.Tensor) -> torch.Tensor:
        """Return what is zero at a solution: the gradient, ``F(x)`` or ``x - T(x)``."""
        ...

    def map(self, x: torch.Tensor) -> torch.Tensor:
        """Return ``T(x)`` of a fixed point."""
        ...

    def residuals(self, x: torch.Tensor) -> torch.Tensor:
        """Return what a least-squares problem squares and sums."""
        ...

    def jacobian(self, x: torch.Tensor) -> LinearOperator:
        """Return the Jacobian of the residual; of the residuals for least squares."""
        ...


class State(Protocol):
    """What a solver carries from step to step: a NamedTuple of tensors."""

    @property
    def residual(self) -> torch.Tensor:
        """The problem's residual at the current point."""
        ...


S = TypeVar("S", bound=State)


class Run(NamedTuple):
    """What a solver returns: under ``vmap``, each entry for each problem.

    Attributes:
        x: The last point.
        state: The solver's last state.
        iterations: The number of steps done.
        error: How far from a solution the last point is; no graph.
        converged: Whether the error is within the tolerance.
    """

    x: torch.Tensor
    state: Any
    iterations: torch.Tensor
    error: torch.Tensor
    converged: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class Solver(abc.ABC, Generic[S]):
    """The base of the solvers: a subclass writes :meth:`init` and :meth:`step`.

    Both are plain differentiable operations on tensors, without branches on their values, so that a
    batch of problems can be solved under ``torch.func.vmap``; each stops by itself. The class
    attribute ``kinds`` says for which kinds of :class:`Posed` it is.

    Args:
        tol: Stop when :meth:`error`, by default the Euclidean norm of the problem's residual, is at
            most this. By default the square root of the machine epsilon of the unknowns' dtype:
            1.5e-8 in float64, 3.5e-4 in float32.
        maxiter: The most steps to do.

    Raises:
        ValueError: If a number is out of its range.
        TypeError: If an argument is of the wrong kind.

    Example:
        A solver of one's own, Steffensen's method for each unknown by itself:

        >>> from typing import NamedTuple
        >>> import torch, torchopt
        >>> class Residual(NamedTuple):
        ...     residual: torch.Tensor
        >>> class Steffensen(torchopt.solver.Solver):
        ...     kinds = frozenset({"root"})
        ...     def init(self, problem, x):
        ...         return Residual(problem.residual(x))
        ...     def step(self, problem, x, state):
        ...         r = state.residual
        ...         x = x - r * r / (problem.residual(x + r) - r)
        ...         return x, Residual(problem.residual(x))
        >>> torchopt.root(lambda x: x**2 - 2, torch.tensor(1.0), solver=Steffensen()).params
        tensor(1.4142)
    """

    tol: float | None = None
    maxiter: int = 100
    kinds: ClassVar[frozenset[str]]

    def __post_init__(self) -> None:
        if self.tol is not None:
            check_number("tol", self.tol, 0.0, math.inf)
        check_integer("maxiter", self.maxiter, 0)

    @abc.abstractmethod
    def init(self, problem: Posed, x: torch.Tensor) -> S:
        """Return the state at the starting point."""

    @abc.abstractmethod
    def step(self, problem: Posed, x: torch.Tensor, state: S) -> tuple[torch.Tensor, S]:
        """Return the next point, and the state there."""

    def error(self, problem: Posed, x: torch.Tensor, state: S) -> torch.Tensor:
        """Return how far from a solution a point is, as a scalar without a graph."""
        return torch.linalg.vector_norm(state.residual.detach())

    def stuck(self, state: S) -> torch.Tensor:
        """Return whether further steps would change nothing, as a boolean scalar."""
        return torch.zeros_like(state.residual.detach().sum(), dtype=torch.bool)

    def check_kind(self, problem: Posed) -> None:
        """Raise ``ValueError`` if this solver is not for such a problem."""
        if problem.kind in self.kinds:
            return
        fitting = sorted(s.__name__ for s in _subclasses(Solver) if problem.kind in s.kinds)
        raise ValueError(
            f"`{type(self).__name__}` is a solver for "
            f"{' and '.join(f'`{_FACES[kind]}`' for kind in sorted(self.kinds))}, not for "
            f"`{_FACES[problem.kind]}`: use {' or '.join(f'`{name}`' for name in fitting)}."
        )

    def run(self, problem: Posed, x: torch.Tensor) -> Run:
        """Step until the tolerance is met, for each problem of a batch by itself.

        A problem also ends, not converged, when it is stuck or its error is no finite number.

        Args:
            problem: What to solve.
            x: The starting point, a flat vector.

        Returns:
            The last point and what became of it.

        Raises:
            ValueError: If the solver is not for this kind of problem.
        """
        self.check_kind(problem)
        tol = torch.finfo(x.dtype).eps ** 0.5 if self.tol is None else self.tol

        def active(carry: tuple[torch.Tensor, S]) -> torch.Tensor:
            error = self.error(problem, *carry)
            return (error > tol) & error.isfinite() & ~self.stuck(carry[1])

        (x, state), iterations = iterate(
            lambda carry: self.step(problem, *carry),
            (x, self.init(problem, x)),
            active,
            self.maxiter,
        )
        error = self.error(problem, x, state)
        return Run(x, state, iterations, error, error <= tol)


def _subclasses(base: Any) -> list[Any]:
    found: list[Any] = []
    for sub in base.__subclasses__():
        found += [sub, *_subclasses(sub)]
    return found


def divide(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return ``a / b``, and zero with zero derivatives where ``b`` is zero."""
    zero = b == 0
    return torch.where(zero, 0.0, a / torch.where(zero, 1.0, b))


def secant_pair(
    change: torch.Tensor, difference: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Scale a change and what it changes to a change of length one.

    A quasi-Newton update does not depend on the scale of its pair, and on this one nothing under- or
    overflows.

    Args:
        change: The change of ``x``.
        difference: The change of the residual that belongs to it.

    Returns:
        Both, scaled, and whether there was a change at all.
    """
    square = change.square().sum()
    nonzero = square > torch.finfo(square.dtype).tiny
    length = torch.where(nonzero, square, 1.0).sqrt()
    return change / length, difference / length, nonzero


def push(history: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
    """Return a history without its oldest row, and with a new one at its end."""
    return torch.cat([history[1:], row[None]])


def check_number(name: str, value: Any, low: float, high: float, *, open: bool = False) -> None:
    """Raise unless a value is a number between two bounds, or strictly between them."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise TypeError(f"`{name}` is an object of type {type(value).__name__}: use a number.")
    if not (low < value < high if open else low <= value <= high):
        ends = ("more than", "less than") if open else ("at least", "at most")
        upper = "" if math.isinf(high) else f" and {ends[1]} {high:g}"
        raise ValueError(f"`{name}` is {value!r}: use a number {ends[0]} {low:g}{upper}.")


def check_integer(name: str, value: Any, low: int) -> None:
    """Raise unless a value is a whole number from a bound on."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"`{name}` is an object of type {type(value).__name__}: use an integer.")
    if value < low:
        raise ValueError(f"`{name}` is {value}: use an integer of at least {low}.")
