"""What a solver is: `init`, `step` and how far from a solution a point is; one loop for all.

A solver sees one flat vector and the problem as functions of it (`FlatProblem`), which has the way back
to the tree; derivatives of the solution are the business of the differentiation mode.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar, cast

import torch

from torchopt import checks
from torchopt.autodiff.compiling import uncompiled
from torchopt.autodiff.environment import leaving_no_trace
from torchopt.autodiff.generators import generator_states
from torchopt.autodiff.line_search import divide
from torchopt.autodiff.loops import any_true, guesses_for, repeat_while
from torchopt.autodiff.tracebacks import STEPS
from torchopt.autodiff.tracing import gathered, tracing, when_known
from torchopt.autodiff.tracking import untracked
from torchopt.autodiff.transforms import value_of
from torchopt.diff.constrained import Constrained
from torchopt.diff.equations import Equation, FixedPoint, Root
from torchopt.diff.flat_problem import FlatProblem, Iterative
from torchopt.diff.kinds import Composite, CompositeLeastSquares, Kind, LeastSquares, Minimum
from torchopt.diff.newton_step import DENSE, newton_step
from torchopt.diff.protocols import ProblemKind
from torchopt.io.calls import CallRepr
from torchopt.io.terminal import progress
from torchopt.linear_solve.failure import ON_FAILURE, OnFailure, report
from torchopt.linear_solve.stats import Stats
from torchopt.solver._scaled import ScaledProblem

_ADVICE = "raise `maxiter`, or loosen `rtol` or `atol`"
_STUCK = (
    "no further step lowers it, so that more steps would not help: loosen `rtol` or `atol`, or start "
    "elsewhere"
)
_ANOTHER = "the function draws random numbers, as dropout does, and is another one at each step"
_RANDOM = "pass what it draws in `args`, or switch dropout off by `module.eval()`"


class State(Protocol):
    """What a solver carries from step to step: a NamedTuple of tensors."""

    @property
    def residual(self) -> torch.Tensor:
        """What is zero at a solution, at the current point: see :meth:`Solver.stationarity`."""
        ...


S = TypeVar("S", bound=State)

#: The kinds of problems that may be run in other units.
SCALABLE = frozenset({Minimum, LeastSquares, Root, FixedPoint})

#: The solver of a problem of each kind, where none is passed; of several that hold, the first.
_ADVISED: dict[type[Kind], str] = {
    LeastSquares: "LevenbergMarquardt",
    Minimum: "LBFGS",
    FixedPoint: "Anderson",
    Equation: "Newton",
    Composite: "ProximalGradient",
    Constrained: "AugmentedLagrangian",
}


def advised(kind: Kind) -> str:
    """Return the name of the solver to try first for a problem."""
    if isinstance(kind, Composite) and kind.term.is_box:
        return "LevenbergMarquardt" if isinstance(kind, CompositeLeastSquares) else "LBFGSB"
    return next(name for known, name in _ADVISED.items() if isinstance(kind, known))


_KINDS = checks.of_type((set, frozenset), "a set of classes, such as `{torchopt.diff.Minimum}`")
_KIND = checks.Word(
    "list subclasses of `torchopt.diff.ProblemKind`, such as `torchopt.diff.Minimum`",
    type,
    lambda kind: issubclass(kind, ProblemKind),
    TypeError,
)


class Run(NamedTuple):
    """The result of a solver; under ``vmap`` each field has an entry for each problem.

    Attributes:
        x: The last point.
        state: The solver's last state.
        stats: How the solve went.
    """

    x: torch.Tensor
    state: Any
    stats: Stats


@dataclass(frozen=True, kw_only=True, eq=False)
class Solver(checks.Checked, CallRepr, Iterative, abc.ABC, Generic[S]):
    r"""The base of the solvers: a subclass writes :meth:`init` and :meth:`step`.

    Both are plain differentiable operations on tensors, without branches on their values, so that a
    batch of problems can be solved under ``torch.func.vmap``; each stops by itself. The class
    attribute ``kinds`` is the set of classes of problems that it is for, such as
    ``{torchopt.diff.Minimum}``: it solves their subclasses, too. A solver for
    :class:`torchopt.diff.Root` also solves each :class:`~torchopt.diff.ProblemKind` of a program.

    A solver whose solutions are no zeros of the problem's residual, as with constraints, overrides
    :meth:`stationarity`. These four, ``init``, ``step``, ``stationarity`` and ``kinds``, are stable,
    and so are the arguments. All other methods are provisional: they may change in any release.

    The tolerances are on :meth:`error`, by default the Euclidean norm of the state's ``residual``,
    which is :math:`F`, the :meth:`stationarity`, at the point. A run may have converged when

    .. math::
        \lVert F(x_k) \rVert \le \max(\text{rtol} \; c_k \lVert x_k \rVert, \; \text{atol}), \qquad
        c_k = \frac{\lVert F(x_k) - F(x_{k-1}) \rVert}{\lVert x_k - x_{k-1} \rVert} .

    The slope :math:`c_k` turns the residual into an error of :math:`x`, which ``rtol`` bounds
    relative to :math:`x` itself. So the scale of a problem does not matter: a run solves
    :math:`10^{-12} F`, or the problem with :math:`x` in other units, with the same relative error.
    (Near a solution at zero, the norm of the largest iterate times the machine epsilon stands for
    :math:`\lVert x_k \rVert`.) A run may have converged, too, when the residual is as small as the
    rounding errors of its terms at this point, by one more evaluation, and no longer shrinks.

    The slope along the last step is that of the stiffest directions. So, for problems without
    proximal term and for bounds, the step of Newton's method :math:`d` from there decides, with the
    Jacobian :math:`J` of :math:`F`:

    .. math:: |d_i| \le \text{rtol} \; s_i, \qquad J(x_k) \, d = -F(x_k)

    with the size :math:`s_i` of each unknown (of one that is small beside the others, a part of
    what would change :math:`F` as much as they do, up to twenty times the unknown), and :math:`J`
    not negative in any direction, if it is the Hessian of an objective. To :math:`d` is added
    what rounding errors would change in it, by a sample of them: where the dtype cannot tell, a
    run has not converged. This takes two evaluations, and as many products with :math:`J` as
    there are unknowns; for more than 100, a few steps of a Krylov method bound :math:`\lVert d
    \rVert` from below.

    Args:
        rtol: The relative tolerance. By default a tenth of the square root of the machine epsilon of
            the unknowns' dtype: 1.5e-9 in float64, 3.5e-5 in float32.
        atol: The absolute tolerance on the residual's norm. With ``rtol=0`` it alone decides: a run
            converges when the residual's norm is at most this, whatever the scale of the problem, and
            however large its rounding errors are.
        maxiter: The most steps to do.
        on_failure: What is done when a run does not converge: ``"warn"``
            (:class:`torchopt.errors.NotConvergedWarning`), ``"raise"``
            (:class:`torchopt.errors.NotConvergedError`; under ``vmap``, if any problem of the batch
            does not) or ``"ignore"``. The statistics are the same in each case.
        verbose: Whether to show steps and error while it runs; on a terminal only, see
            :class:`torchopt.logging.Progress`.

    Raises:
        ValueError: If a number is out of its range.
        TypeError: If an argument has the wrong type; for a subclass without ``kinds``, when it is made.

    Example:
        A solver of one's own, Steffensen's method for each unknown by itself:

        >>> from typing import NamedTuple
        >>> import torch, torchopt
        >>> class Residual(NamedTuple):
        ...     residual: torch.Tensor
        >>> class Steffensen(torchopt.solver.Solver):
        ...     kinds = {torchopt.diff.Root}
        ...     def init(self, problem, x):
        ...         return Residual(problem.residual(x))
        ...     def step(self, problem, x, state):
        ...         r = state.residual
        ...         x = x - r * r / (problem.residual(x + r) - r)
        ...         return x, Residual(problem.residual(x))
        >>> torchopt.root(lambda x: x**2 - 2, torch.tensor(1.0), solver=Steffensen()).params
        tensor(1.4142)

        Mirror descent on a simplex for each leaf, whose solutions are no zeros of the gradient: by its
        ``stationarity``, :class:`torchopt.diff.Implicit` differentiates the right conditions.

        >>> class MirrorDescent(torchopt.solver.Solver):
        ...     kinds = {torchopt.diff.Minimum}
        ...     def stationarity(self, problem, x):
        ...         pairs = zip(problem.unravel(x), problem.unravel(problem.gradient(x)))
        ...         return x - problem.ravel([torch.softmax(p.log() - g / 2, 0) for p, g in pairs])
        ...     def init(self, problem, x):
        ...         return Residual(self.stationarity(problem, x))
        ...     def step(self, problem, x, state):
        ...         x = x - state.residual
        ...         return x, Residual(self.stationarity(problem, x))
        >>> def costs(p, c):  # at its minimum, p is softmax(-c)
        ...     return sum((q * (d + q.log())).sum() for q, d in zip(p, c))
        >>> c = torch.tensor([0.0, 1.0], requires_grad=True), torch.tensor([1.0, 0.0, 2.0])
        >>> start = torch.full((2,), 1 / 2), torch.full((3,), 1 / 3)
        >>> p, q = torchopt.minimize(
        ...     costs, start, (c,), solver=MirrorDescent(rtol=0.0, atol=1e-6),
        ...     diff=torchopt.diff.Implicit()).params
        >>> p.detach(), q.detach()
        (tensor([0.7311, 0.2689]), tensor([0.2447, 0.6652, 0.0900]))
        >>> torch.autograd.grad(p[0], c[0])
        (tensor([-0.1966,  0.1966]),)
    """

    rtol: float | None = checks.field(None, checks.or_none(checks.NOT_NEGATIVE))
    atol: float = checks.field(0.0, checks.NOT_NEGATIVE)
    maxiter: int = checks.field(100, checks.count())
    on_failure: OnFailure = checks.field("warn", ON_FAILURE)
    verbose: bool = False
    __promised__: ClassVar[tuple[str, ...]] = (
        *("__init__", "init", "step", "stationarity", "kinds"),
        *("rtol", "atol", "maxiter", "on_failure", "verbose"),
    )

    kinds: ClassVar[AbstractSet[type[ProblemKind]]] = frozenset()
    _advice_where_stuck: ClassVar[str] = _STUCK

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        checks.check(f"`kinds` of `{cls.__name__}`", cls.kinds, _KINDS)
        for kind in cls.kinds:
            checks.check(f"an entry of `kinds` of `{cls.__name__}`", kind, _KIND)
        if not cls.kinds and cls.step is not Solver.step:
            raise TypeError(
                f"`{cls.__name__}` has no `kinds`: list the classes of problems that it solves, such "
                f"as `kinds = {{torchopt.diff.Minimum}}`."
            )

    @abc.abstractmethod
    def init(self, problem: FlatProblem, x: torch.Tensor) -> S:
        """Return the state at the starting point."""

    @abc.abstractmethod
    def step(self, problem: FlatProblem, x: torch.Tensor, state: S) -> tuple[torch.Tensor, S]:
        """Return a tuple of the next point and the state there; anything else is refused."""

    def stationarity(self, problem: FlatProblem, x: torch.Tensor) -> torch.Tensor:
        """Return what is zero at the points that this solver looks for, as a vector like ``x``.

        By default the residual of the problem. A solver with a stationarity of its own is run in the
        user's units, as constraints depend on them; others may see a problem in which ``x`` and the
        function are of the order of one.
        """
        return problem.residual(x)

    @property
    def has_stationarity(self) -> bool:
        """Whether :meth:`stationarity` is overridden."""
        return type(self).stationarity is not Solver.stationarity

    def keeps_units(self, problem: FlatProblem) -> bool:
        """Whether the problem is run in the user's units.

        By default a composite problem is, whose term may have constants in these units, and so is one
        of a solver with a :meth:`stationarity` of its own, or for classes of problems of a program's
        own, whose functions know no other units. A solver that asks a term for no more than what
        :class:`FlatProblem` returns may override this.
        """
        return (
            self.has_stationarity or problem.is_composite or not self._fitting(problem) & SCALABLE
        )

    def measured(
        self, problem: FlatProblem, x: torch.Tensor, state: S
    ) -> tuple[torch.Tensor, Callable[[torch.Tensor], torch.Tensor]]:
        """Return the point where the state's residual is, and the function that it is a value of.

        By default the current point and the :meth:`stationarity`. A solver that evaluates gradients
        elsewhere overrides this.
        """
        return x, lambda point: self.stationarity(problem, point)

    def error(self, problem: FlatProblem, x: torch.Tensor, state: S) -> torch.Tensor:
        """Return how far from a solution a point is, as a scalar without a graph."""
        return torch.linalg.vector_norm(state.residual.detach())

    def stuck(self, state: S) -> torch.Tensor:
        """Return whether further steps would change nothing: what a state with ``stuck`` says."""
        if hasattr(state, "stuck"):
            return cast("torch.Tensor", state.stuck)
        return torch.zeros_like(state.residual.detach().sum(), dtype=torch.bool)

    def check_kind(self, problem: FlatProblem) -> None:
        """Raise ``ValueError`` if this solver is not for such a problem."""
        if self._fitting(problem):
            return
        own = " and ".join(f"`{name}`" for name in sorted(kind.__name__ for kind in self.kinds))
        raise ValueError(
            f"`{type(self).__name__}` is a solver for problems of kind {own}, not for "
            f"`{problem.of.title}`: use `torchopt.solver.{advised(problem.of)}()`."
        )

    def _fitting(self, problem: FlatProblem) -> frozenset[type[ProblemKind]]:
        """Return those of the solver's classes of problems that a problem is of."""
        kinds = type(problem.kind).__mro__
        if not isinstance(problem.kind, Kind):  # one of a program: what is zero is its residual
            kinds = (*kinds, Root)
        return frozenset(self.kinds) & frozenset(kinds)

    @uncompiled
    def run(self, problem: FlatProblem, x: torch.Tensor) -> Run:
        """Step until the tolerance is met, for each problem of a batch by itself.

        A problem also ends, not converged, when it is stuck or its error is no finite number.

        Args:
            problem: What to solve.
            x: The starting point, a flat vector.

        Returns:
            The last point and what became of it.

        Raises:
            ValueError: If the solver is not for this kind of problem.
            NotConvergedError: If it does not converge, with ``on_failure="raise"``.
        """
        self.check_kind(problem)
        before = None if tracing() else generator_states()
        problem = problem.measured_at(x)
        state = self.init(problem, x)
        if not isinstance(getattr(state, "residual", None), torch.Tensor):
            raise TypeError(
                f"`{type(self).__name__}.init` returned an object of type {type(state).__name__}: "
                f"return a `NamedTuple` of tensors, one of which is `residual`."
            )
        problem, scaled = replace(problem, where=None), None
        if not self.keeps_units(problem):
            scaled = ScaledProblem.of_start(problem, x, state.residual)
        if scaled is None:
            run = self._run(problem, x, state)
        else:
            start = x / scaled.x_unit
            run = self._run(scaled, start, self.init(scaled, start), scaled.residual_unit)
        stats = run.stats
        assert stats.iterations is not None
        assert stats.error is not None
        assert stats.converged is not None
        going = ~stats.converged & ~self.stuck(run.state)
        if scaled is not None:
            x = run.x * scaled.x_unit
            run = run._replace(x=x, state=self.init(problem, x))
        if before is not None and self._is_random(problem, run, before):
            none = replace(stats, converged=torch.zeros_like(stats.converged))  # if, then by chance
            report(type(self).__name__, none, _RANDOM, on_failure=self.on_failure, why=_ANOTHER)
            return run._replace(stats=none)
        if self.on_failure != "ignore":
            when_known(self._report, going, stats.iterations, stats.error, stats.converged)
        return run

    def _is_random(self, problem: FlatProblem, run: Run, before: list[torch.Tensor]) -> bool:
        """Whether the function draws random numbers, so that each step had another function."""
        if all(map(torch.equal, generator_states(), before)):
            return False
        x, function = self.measured(problem, run.x, run.state)
        with untracked(), leaving_no_trace():  # another thread may have drawn them
            first, second = function(x.detach()), function(x.detach())
        return any_true(first.nan_to_num() != second.nan_to_num())

    def _report(
        self, going: torch.Tensor, count: torch.Tensor, error: torch.Tensor, within: torch.Tensor
    ) -> None:
        advice = _ADVICE if any_true(going) else self._advice_where_stuck
        stats = Stats(iterations=count, error=error, converged=within)
        report(type(self).__name__, stats, advice, on_failure=self.on_failure)

    def _run(
        self, problem: FlatProblem, x: torch.Tensor, state: S, unit: torch.Tensor | float = 1.0
    ) -> Run:
        def judged(
            carry: tuple[torch.Tensor, S, Gauge, torch.Tensor], *, local: bool = True
        ) -> Any:
            """Judge once more where a point seems to be a solution, by what costs evaluations."""
            x, state, gauge, direction = carry
            function = self._newton_function(problem, x, state) if len(x) else None
            with untracked():
                sought = gauge.converged if local else (gauge.size > 0) & (gauge.error > 0)
                if (function is None or not local) and any_true(sought):
                    # Over a long step the residual may change more than it would now.
                    slope = self._slope(problem, x, state, direction)
                    slope = torch.minimum(slope, gauge.slope) if local else slope
                    gauge = gauge.at(torch.where(gauge.error > 0, slope, 0.0))
                    terms = gauge.peak
                    if local:  # where terms were large before, they may be small here
                        terms = torch.minimum(terms, self._terms(problem, x, state, gauge.largest))
                    here = self._judged(gauge._replace(peak=terms), unit)
                    gauge = gauge._replace(converged=here.converged)
                if function is not None:
                    gauge = self._asked(problem, function, x, state, gauge, unit)
            return x, state, gauge, direction

        def advance(carry: tuple[torch.Tensor, S, Gauge, torch.Tensor]) -> Any:
            x, state, gauge, _ = carry
            result = self.step(problem, x, state)
            checks.check_returned(f"{type(self).__name__}.step", result, "(x, state)", x)
            new_x, new_state = result
            with untracked():
                step = self.measured(problem, new_x, new_state)[0]
                step = step - self.measured(problem, x, state)[0]
                change = new_state.residual - state.residual
                error, stuck = self.error(problem, new_x, new_state), self.stuck(new_state)
                gauge = gauge.after(error, new_x, step, change, stuck)
                if bar is not None:
                    bar.advance(error=value_of(error * unit).max())
                return new_x, new_state, self._judged(gauge, unit), step

        def active(carry: tuple[torch.Tensor, S, Gauge, torch.Tensor]) -> torch.Tensor:
            gauge = carry[2]
            return ~gauge.converged & gauge.error.isfinite() & ~self.stuck(carry[1])

        with untracked():
            gauge = self._judged(Gauge.start(self.error(problem, x, state), x), unit)
        carry = (x, state, gauge, x)
        if self.rtol != 0:
            carry = judged(carry, local=False)
        with progress(type(self).__name__, self.maxiter, verbose=self.verbose) as bar, gathered():
            (x, state, gauge, _), iterations = repeat_while(
                advance,
                carry,
                active,
                self.maxiter,
                settle=None if self.rtol == 0 else judged,
                guesses=None if self.verbose else guesses_for(gauge.error),
            )
        error = gauge.error * unit
        stats = Stats(iterations=iterations, error=error, converged=gauge.converged)
        return Run(x, state, stats)

    def _judged(self, gauge: Gauge, unit: torch.Tensor | float) -> Gauge:
        """Return the gauge with the decision whether the point is a solution."""
        error, eps = gauge.error, torch.finfo(gauge.error.dtype).eps
        if self.rtol == 0:
            return gauge._replace(converged=error * unit <= self.atol)
        rtol = eps**0.5 / 10 if self.rtol is None else self.rtol
        size = torch.maximum(gauge.size, eps * gauge.largest.norm())
        small = (error <= rtol * gauge.slope * size) | (error * unit <= self.atol)
        small = small | (gauge.idle & (error <= 10 * eps * gauge.peak))
        return gauge._replace(converged=small & error.isfinite())  # slope and peak may be infinite

    def _slope(
        self, problem: FlatProblem, x: torch.Tensor, state: S, direction: torch.Tensor
    ) -> torch.Tensor:
        """Return by how much the stationarity changes along a direction, by a finite difference."""
        x, function = self.measured(problem, x, state)
        x, direction = x.detach(), direction.detach()
        length = torch.finfo(x.dtype).eps ** 0.5 * x.norm()
        there = function(x + length * divide(direction, direction.norm()))
        slope = divide((there - state.residual).detach().norm(), length)
        return slope.nan_to_num(0.0, 0.0, 0.0)  # outside of the domain

    def _terms(
        self, problem: FlatProblem, x: torch.Tensor, state: S, largest: torch.Tensor
    ) -> torch.Tensor:
        """Return about how large the terms of the residual are at a point, by the rounding of ``x``."""
        rounding = 4 * torch.finfo(x.dtype).eps
        x, function = self.measured(problem, x, state)
        there = function(x.detach() + rounding * largest)
        change = (there - state.residual).detach().norm()
        return (change / rounding).nan_to_num(math.inf, math.inf)  # outside of the domain

    def _newton_function(
        self, problem: FlatProblem, x: torch.Tensor, state: S
    ) -> Callable[[torch.Tensor], torch.Tensor] | None:
        """Return the smooth function whose step of Newton's method says how far a point is.

        By default the residual of the problem; None for those with a proximal term or constraints,
        and for a solver with a :meth:`stationarity` of its own.
        """
        if isinstance(problem.of, (Composite, Constrained)) or self.has_stationarity:
            return None
        return problem.residual

    def _asked(
        self,
        problem: FlatProblem,
        function: Callable[[torch.Tensor], torch.Tensor],
        x: torch.Tensor,
        state: S,
        gauge: Gauge,
        unit: torch.Tensor | float,
    ) -> Gauge:
        """Return the gauge with the decision of Newton's step, where the residual is small.

        Where that step was too long, it is not computed again before the residual has become as much
        smaller as it has to, but at the first, second, fourth, ... step that does not lower it. Where
        the step is exact, it is also computed where no more steps are done.
        """
        eps, stuck = torch.finfo(gauge.error.dtype).eps, self.stuck(state)
        enough = (gauge.error * unit <= self.atol) & (self.atol > 0)
        again = stuck | (gauge.idle & (gauge.idles & (gauge.idles - 1) == 0))
        asked = gauge.converged & (again | (gauge.error <= gauge.needed))
        asked = (asked | stuck if len(x) <= DENSE else asked) & ~enough
        near = asked
        if any_true(asked):
            rtol = eps**0.5 / 10 if self.rtol is None else self.rtol
            tolerance = max(rtol, 4 * eps)
            at, _ = self.measured(problem, x, state)
            step = newton_step(
                function,
                x,
                state.residual if at is x else function(x.detach()),
                largest=gauge.largest,
                tolerance=tolerance,
                symmetric=problem.of.symmetric,
                minimum=isinstance(problem.of, Minimum) and problem.of.symmetric,
            )
            near = asked & torch.where(step.isnan(), gauge.converged, step <= tolerance)
            needed = gauge.error * torch.where(step.isfinite(), tolerance / step, 0.1)
            gauge = gauge._replace(needed=torch.where(asked, needed, gauge.needed))
        return gauge._replace(converged=near | enough)


class Gauge(NamedTuple):
    """Estimates of a problem's scale, as constants, to judge convergence.

    Attributes:
        error: How far from a solution the point is.
        slope: The change of the residual per change of ``x``.
        size: The norm of ``x``.
        largest: The largest magnitude of each unknown so far.
        peak: The largest terms of the residual so far: their rounding bounds it from below.
        idle: Whether the last step did not lower the error.
        idles: How many steps did not.
        needed: How small the error is to be, about, for the step of Newton's method to be short enough.
        converged: Whether the point is a solution.
    """

    error: torch.Tensor
    slope: torch.Tensor
    size: torch.Tensor
    largest: torch.Tensor
    peak: torch.Tensor
    idle: torch.Tensor
    idles: torch.Tensor
    needed: torch.Tensor
    converged: torch.Tensor

    @classmethod
    def start(cls, error: torch.Tensor, x: torch.Tensor) -> Gauge:
        """Return the gauge before the first step."""
        x, never = x.detach(), torch.zeros_like(error, dtype=torch.bool)
        size = x.norm()
        any_error = torch.full_like(error, torch.inf)
        zero = torch.zeros_like(size)
        return cls(error, zero, size, x.abs(), error, never, never.long(), any_error, never)

    def at(self, slope: torch.Tensor) -> Gauge:
        """Return the gauge with another slope."""
        return self._replace(slope=slope, peak=torch.maximum(self.peak, slope * self.size))

    def after(
        self,
        error: torch.Tensor,
        x: torch.Tensor,
        step: torch.Tensor,
        change: torch.Tensor,
        stuck: torch.Tensor,
    ) -> Gauge:
        """Return the gauge after a step and the change of the residual."""
        length, size = step.detach().norm(), x.detach().norm()
        # With a shorter step the residual changes by rounding errors, and the slope not at all.
        long = length > torch.finfo(x.dtype).eps ** (2 / 3) * size
        slope = torch.where(long, divide(change.detach().norm(), length), self.slope)
        largest = torch.maximum(self.largest, x.detach().abs())
        peak, idle = torch.maximum(self.peak, error), stuck | (error >= self.error)
        here = error, slope, size, largest, peak, idle, self.idles + idle
        return Gauge(*here, self.needed, self.converged).at(slope)


FOR_MINIMA = checks.Word(
    "pass a solver for minima, such as `torchopt.solver.LBFGS()`",
    Solver,
    lambda solver: Minimum in solver.kinds,
    TypeError,
)


def is_usable(
    x: torch.Tensor, change: torch.Tensor, s: torch.Tensor, y: torch.Tensor
) -> torch.Tensor:
    """Return whether a pair of changes says more than rounding errors do.

    Args:
        x: Where the step began.
        change: The step.
        s: The step, scaled by :func:`secant_pair`.
        y: The change of the gradient that belongs to it, scaled likewise.
    """
    eps = torch.finfo(x.dtype).eps
    return (change.norm() > eps ** (2 / 3) * x.norm()) & (s @ y > eps * y.norm())


def secant_pair(
    change: torch.Tensor, difference: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Divide a pair of changes by the length of the first.

    A quasi-Newton update does not depend on the scale of its pair; at this one nothing under- or
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


STEPS[Solver._run.__code__] = "count"
