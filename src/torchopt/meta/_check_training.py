"""Whether a meta-gradient is noise: what the steps of a program do to it, in every mode."""

from __future__ import annotations

import copy
import functools
import itertools
import math
import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import torch

from torchopt import checks
from torchopt.autodiff.generators import generator_of
from torchopt.autodiff.loops import norm
from torchopt.autodiff.shards import is_sharded
from torchopt.autodiff.tracking import constant, untracked
from torchopt.autodiff.transforms import value_of
from torchopt.checks import transforms_active
from torchopt.diff import Explicit, Implicit, OneStep, Solution, ValueFunction, ZeroOrder
from torchopt.diff.one_step import with_derivative
from torchopt.diff.problem import InnerProblem, Iterate, differentiate, watching
from torchopt.diff.zero_order import Coordinate, Orthogonal, Sobol
from torchopt.errors import NonFiniteError
from torchopt.meta._check_solution import NEWTON, SOLVE, FoundConditions, exact_solve, relative
from torchopt.meta._comparison import FunctionWithGradient
from torchopt.meta._noise import Measure, SoundnessCheck, measured
from torchopt.meta._precise import Precise, raised
from torchopt.pytree import flattening as pytree
from torchopt.transform import scale

P = TypeVar("P")

# What a better derivative is by.
_TWICE, _SECOND, _FLOAT64 = "twice as many steps", "second derivatives", "float64"
_SIGMA, _PENALTY = "a second sigma", "ten times the penalty"
_PARTIAL = {_SECOND, _FLOAT64}  # where only the last steps are compared
_GROWTH = 1e4
_GROUPS = 16  # of samples, for a jackknife
_SHORT, _FEW = 100, 4
_LAST = 0.005  # of the steps
_FITS = 2.0  # times the slope that a gradient predicts, or one half of it


def check_training(
    fn: Callable[[P], torch.Tensor],
    /,
    params: P,
    *,
    steps: int | None = None,
    last: int | None = None,
    shift: float = 0.01,
) -> SoundnessCheck:
    r"""Check whether a meta-gradient is noise, or whether following it helps.

    A gradient that is right (:func:`torchopt.check_meta_grad`) may be useless if training is chaotic,
    or if an approximation of it is off by more than its own size. The program runs once with its
    gradient, and parts of it run again. The measures depend on the modes of the problems that it
    solves: growth of the adjoint, the cosine with a more accurate gradient, residuals, standard
    errors, and how smooth training is nearby. :class:`torchopt.meta.SoundnessCheck` explains each.

    Of several problems, the worst number counts. The cost: a meta-gradient, with ``memory="step"``
    instead of ``"graph"``, and four trainings without a gradient, for a tenth of the steps, at least
    100. For hand-written steps and compiled problems, only the outer loss is measured.

    Args:
        fn: ``fn(params)`` trains and returns the outer loss, the same at each call.
        params: A tree of tensors, or a module, whose parameters are varied in place and restored.
        steps: If given, the number of first steps of each training to check (at least 1), for an
            earlier verdict on a long run.
        last: The number of last steps to compare (at least 1); by default one of two hundred,
            at least 2.
        shift: The length :math:`h`, relative to the root mean square of each leaf.

    Returns:
        The report; it is true if nothing indicates noise. A run that ends in a
        :class:`~torchopt.errors.NonFiniteError` does; if it is the first one, ``norm`` is NaN and the
        only measure.

    Raises:
        ValueError: If an argument is out of range, or the outer loss is not a scalar or does not
            depend on ``params``.
        TypeError: If a leaf is not a real floating-point tensor.

    Example:
        A learning rate above the stable one:

        >>> import torch, torchopt
        >>> scales = torch.tensor([1.0, 0.1])
        >>> def outer(lr):
        ...     solution = torchopt.minimize(
        ...         lambda x: (scales * x.square()).sum() / 2, torch.ones(2),
        ...         solver=torchopt.sgd(lr), steps=40)
        ...     return solution.params.square().sum()
        >>> bool(check_training(outer, torch.tensor(0.5)))
        True
        >>> check = check_training(outer, torch.tensor(3.0))
        >>> bool(check), check["explodes_at"], round(check["exponent"], 2)  # log of 2
        (False, 26.0, 0.69)

    References:
        Engstrom et al., *Optimizing ML Training with Metagradient Descent*, 2025, definition 2. Metz et
        al., *Gradients are Not All You Need*, 2021.
    """
    for name, value in (("steps", steps), ("last", last)):
        checks.check_count(name, value, 1, of="steps", optional=True)
    if not 0 < shift < math.inf:
        raise ValueError(f"`shift` is {shift!r}: use a positive number.")
    check = _Check(fn, params, steps, last, shift)
    try:
        return check.run()
    finally:
        vars(check).clear()  # it is a cycle


@dataclass(eq=False)
class _Seen:
    """A problem that the program solves, or a function that it estimates the derivative of.

    Attributes:
        mode: Its mode.
        total: The number of its steps, if that is given.
        first: The first of the last steps, which are compared.
        carry: Where that step starts.
        norms: The norm of the adjoint after each step.
        dtype: The least precise dtype of its parameters.
        solution: What the first run has found.
        found: The conditions of an implicit solution.
        cotangents: The derivative of the outer loss with respect to the solution, tensor by tensor.
        spread: The relative standard error of an estimate.
    """

    mode: Any
    total: int = 0
    first: int = 0
    carry: Iterate | None = None
    norms: dict[int, torch.Tensor] = field(default_factory=dict)
    dtype: torch.dtype = torch.float64
    solution: Solution | None = None
    found: FoundConditions | None = None
    cotangents: list[torch.Tensor] = field(default_factory=list)
    spread: float | None = None

    @property
    def better(self) -> str:
        """What a better derivative is by; empty if none is known."""
        if self.total:
            if self.mode.truncate is not None:
                return _TWICE
            return _SECOND if self.mode.first_order else _FLOAT64
        if self.found is not None:
            return NEWTON
        if isinstance(self.mode, ZeroOrder):
            return "" if self.mode.estimator.tangents else _SIGMA
        if isinstance(self.mode, ValueFunction):
            return _PENALTY
        return "further steps" if isinstance(self.mode, OneStep) else ""

    def pullback(self, pull: Callable[..., Any]) -> Callable[..., Any]:
        """Return the pullback of a step that also notes the norm of its adjoint."""

        def noted(steps: Any, asked: Any) -> Any:
            # The parameters are the first leaves of a carry.
            own = asked.cotangents[: len(_tensors(steps.unroll.problem.params))]
            present = [c for c in own if c is not None]
            if present:
                self.norms[asked.step + 1] = _norm(present)
            return pull(steps, asked)

        return noted

    def adjoint(self) -> tuple[float, ...]:
        """Return the norms, the first step first."""
        return tuple(float(a) for _, a in sorted(self.norms.items()))


@dataclass(frozen=True)
class _Marked(InnerProblem):
    """A problem that notes where one of its steps starts."""

    seen: Any = None

    def evaluate(self, index: int, carry: Iterate, *args: Any, **options: Any) -> Iterator[Any]:
        if index == self.seen.first and self.seen.carry is None and not transforms_active():
            self.seen.carry = constant(carry)
        return super().evaluate(index, carry, *args, **options)


class _Watch:
    """Solves the problems of a program: this one, as the first run does."""

    def __init__(self, check: _Check) -> None:
        self.check = check

    def __call__(self, mode: Any, problem: InnerProblem) -> Solution:
        """Solve a problem."""
        with watching(None):
            steps = min(problem.steps, self.check.steps or problem.steps)
            return self.solve(mode, replace(problem, steps=steps))

    def solve(self, mode: Any, problem: InnerProblem) -> Solution:
        """Solve a problem, which may solve others."""
        dtypes = [t.dtype for t in _tensors(problem.params)]
        seen = _Seen(mode, dtype=max(dtypes, key=lambda d: torch.finfo(d).eps))
        self.check.seen.append(seen)
        if isinstance(mode, Explicit) and problem.is_fixed_length:
            seen.total = problem.steps
            seen.first = self.check.first_of(seen)
            memory: Any = {"graph": "step", "forward": "sqrt"}.get(mode.memory, mode.memory)
            mode = replace(mode, memory=memory)
            own = {f.name: getattr(problem, f.name) for f in fields(InnerProblem)}
            problem = _Marked(**own | {"block": seen.pullback}, seen=seen)
        if isinstance(mode, ZeroOrder):
            mode = _recorded(mode, seen)
        solution = differentiate(mode, problem)
        if transforms_active():  # tensors of a transform end with it
            seen.mode = mode if isinstance(mode, Explicit) else None
            return solution
        seen.solution = constant(solution)
        seen.cotangents = [torch.zeros_like(t) for t in _tensors(seen.solution.params)]
        for v, t in zip(seen.cotangents, _tensors(solution.params), strict=True):
            if t.requires_grad:
                t.register_hook(functools.partial(_keep, v))
        if isinstance(mode, Implicit):
            seen.found = FoundConditions.of(solution.params)
        return solution

    def estimating(self, mode: ZeroOrder) -> ZeroOrder:
        """Return the mode for a function that has no gradient."""
        seen = _Seen(mode)
        self.check.seen.append(seen)
        return _recorded(mode, seen)


class _Again(_Watch):
    """Solves them once more: as far as they are compared, and with ``better`` in a better way."""

    def __init__(self, check: _Check, *, better: bool) -> None:
        super().__init__(check)
        self._seen, self._better = iter(check.seen), better

    def solve(self, mode: Any, problem: InnerProblem) -> Solution:
        seen = next(self._seen)
        if seen.better in _PARTIAL or (self._better and seen.better == _TWICE):
            carry = problem.start() if seen.first == 0 else seen.carry
            if carry is None:
                with untracked():
                    carry = constant(problem.advanced(problem.start(), range(seen.first)))
            mode = Explicit() if self._better else replace(mode, truncate=None)
            carry = raised(carry, self.check.precision)
            carry = mode._through(problem, carry, range(seen.first, seen.total))
            return carry.solution(iterations=torch.tensor(seen.total, device="cpu"))
        if self._better and isinstance(mode, OneStep):
            return self._unrolled(mode, problem, seen)
        if self._better and seen.found is not None:
            assert seen.solution is not None
            there = iter(seen.found.corrected())
            params = pytree.map_leaves(lambda _: next(there), seen.solution.params)
            solve = exact_solve(seen.found.x, symmetric=seen.found.equation.symmetric)
            mode = replace(mode, linear_solve=solve, hvp="reverse")
            at = replace(problem, solver=lambda *_: params, atol=None, rtol=None)
            return differentiate(mode, at)
        return differentiate(self._wider(mode), problem)

    def _unrolled(self, mode: OneStep, problem: InnerProblem, seen: _Seen) -> Solution:
        """Return the solution with the derivative of a few further steps."""
        assert seen.solution is not None
        theta, few = seen.solution.params, self.check.last or _FEW
        solver, state = problem.solver, seen.solution.state
        if mode.step_size is not None:
            solver, state = scale(-mode.step_size), None
        one = replace(problem, params=theta, solver=solver, state=state, steps=few)
        end = max(problem.steps, few)
        moved = one.advanced(one.start(), range(end - few, end)).params
        return replace(seen.solution, params=pytree.map_leaves(with_derivative, theta, moved))

    def estimating(self, mode: ZeroOrder) -> ZeroOrder:
        next(self._seen)
        return self._wider(mode)

    def _wider(self, mode: Any) -> Any:
        if self._better and isinstance(mode, ValueFunction):
            return replace(mode, penalty=10 * mode.penalty)
        if not self._better or not isinstance(mode, ZeroOrder) or mode.estimator.tangents:
            return mode
        return replace(mode, estimator=replace(mode.estimator, sigma=2 * mode.estimator.sigma))


class _Forward(_Watch):
    """Solves them without a derivative, in a part of the steps, and keeps the solutions."""

    def __init__(self, check: _Check) -> None:
        super().__init__(check)
        self.trained: list[torch.Tensor] = []
        self.is_whole = True

    def solve(self, mode: Any, problem: InnerProblem) -> Solution:
        short = min(problem.steps, max(problem.steps // 10, _SHORT))
        self.is_whole &= short == problem.steps
        params = raised(problem.params, self.check.precision)
        with untracked():
            solution = constant(replace(problem, params=params, steps=short).run())
        self.trained += [value_of(t).double().reshape(-1) for t in _tensors(solution.params)]
        return solution

    def estimating(self, mode: ZeroOrder) -> ZeroOrder:
        return mode


@dataclass(eq=False)
class _Check:
    """A check of a program.

    Attributes:
        program: The outer loss of the parameters.
        steps: The number of first steps to check; None for all.
        last: The number of last steps to compare; None for a part.
        shift: The relative distance of trainings nearby.
        seen: The problems of the first run, in their order.
        watch: What solves them in the next run.
        dtype: The least precise dtype of the parameters.
        precision: The higher precision of the next run; None for its own.
    """

    fn: Callable[[Any], torch.Tensor]
    params: Any
    steps: int | None
    last: int | None
    shift: float
    seen: list[_Seen] = field(default_factory=list)
    watch: _Watch | None = None
    dtype: torch.dtype = torch.float64
    precision: torch.dtype | None = None

    def __post_init__(self) -> None:
        self.program = FunctionWithGradient(self._run, self.params)

    def _run(self, params: Any) -> torch.Tensor:
        precise = nullcontext() if self.precision is None else Precise(self.precision, self.dtype)
        with watching(self.watch), precise:
            return self.fn(params)

    def first_of(self, seen: _Seen) -> int:
        """Return the first of the last steps to compare."""
        last = self.last or max(2, int(_LAST * seen.total))
        if seen.better == _TWICE:
            last = 2 * max(seen.mode.truncate, 1)
        return max(seen.total - last, 0)

    @contextmanager
    def _in(self, dtype: torch.dtype | None) -> Iterator[None]:
        """Run the program in a higher precision."""
        whole, self.precision = self.program, dtype
        self.program = whole if dtype is None else whole.in_precision(dtype)
        try:
            yield
        finally:
            self.program, self.precision = whole, None

    def _gradient(self, watch: _Watch) -> torch.Tensor:
        self.watch = watch
        gradient = self.program.gradient()
        return torch.zeros_like(self.program.x) if gradient is None else gradient

    def run(self) -> SoundnessCheck:
        """Return the report."""
        try:
            gradient = self._gradient(_Watch(self))
        except NonFiniteError as error:
            return SoundnessCheck((measured("norm", math.nan, why=f": {error}"),))
        dtypes = [*self.program.dtypes, *(s.dtype for s in self.seen)]
        self.dtype = max(dtypes, key=lambda d: torch.finfo(d).eps)
        size = float(gradient.norm())
        out = [measured("norm", size)]
        adjoint: tuple[float, ...] = ()
        worst = [(_growth(s.adjoint()), s) for s in self.seen if s.norms]
        if worst:
            adjoint = max(worst, key=lambda pair: pair[0])[1].adjoint()
            out += _of_adjoint(adjoint)
        if math.isfinite(size):
            out += self._compared(gradient)
        out += _worst([m for s in self.seen for m in self._conditions(s)])
        spreads = [s.spread for s in self.seen if s.spread is not None]
        if spreads:
            out.append(measured("standard_error", max(spreads)))
        # In half precision, trainings nearby would differ by rounding alone.
        half = torch.finfo(self.dtype).bits < 32
        with self._in(torch.float32 if half else None):
            out += self._smoothness(gradient)
        return SoundnessCheck(tuple(out), adjoint)

    def _conditions(self, seen: _Seen) -> list[Measure]:
        if seen.found is None:
            return []
        return seen.found.measures(lambda _: seen.cotangents, 20, generator_of(0), error=False)

    def _compared(self, gradient: torch.Tensor) -> list[Measure]:
        """Compare the gradient with a better one."""
        better = {s.better for s in self.seen} - {""}
        raises = {s.better for s in self.seen} == {_FLOAT64} and self.dtype != torch.float64
        partial = better & _PARTIAL
        better -= set() if raises else {_FLOAT64}
        if not better:
            return []
        if partial:
            gradient = self._gradient(_Again(self, better=False))
        try:
            with self._in(torch.float64 if raises else None):
                other = self._gradient(_Again(self, better=True))
        except NonFiniteError:
            other = torch.full_like(gradient, math.nan)
        except RuntimeError:
            if _PENALTY not in better:
                raise
            return []  # a solver does not see so small a tilt
        if _SIGMA in better:
            return [measured("bias", relative([other], [gradient])[0] / 3)]
        error, cosine = relative([gradient], [other])
        by = " and ".join(sorted(better))
        advice = SOLVE if NEWTON in better else "differentiate more steps"
        advice = "raise `penalty`" if _PENALTY in better else advice
        bound = None if better & {_TWICE, NEWTON, _PENALTY} else math.inf
        return [
            measured("cosine", cosine, better=by),
            measured("error", error, bound, better=by, advice=advice),
        ]

    def _smoothness(self, gradient: torch.Tensor) -> list[Measure]:
        """Compare the trained parameters at four points along the gradient."""
        program, h = self.program, self.shift
        along = program.scale * gradient
        if not (along.isfinite().all() and along.norm() > 0):
            along = program.draw(generator_of(0)) / program.scale
        v = h * len(along) ** 0.5 * program.scale * along / along.norm()
        rows, values = [], []
        try:
            for k in (-1, 0, 1, 2):
                self.watch = watch = _Forward(self)
                values.append(self.program.value(program.x + k * v))
                trained = [t.to(v.device) for t in watch.trained]
                rows.append(torch.cat(trained) if trained else v.new_tensor(values[-1:]))
        except NonFiniteError:
            rows = [v.new_tensor([math.nan])] * 4
        before, first, second = (b - a for a, b in itertools.pairwise(rows))
        slopes = torch.stack([before, first, second]).abs().amax(0)
        if not slopes.any():
            return []
        weights = [
            c.double().reshape(-1).abs().to(v.device) for s in self.seen for c in s.cotangents
        ]
        weight = torch.cat([*weights, v.new_zeros(0)])
        if len(weight) != len(first) or not 0 < float((weight * first.abs()).sum()) < math.inf:
            weight = torch.ones_like(first)  # what the outer loss reads is not known
        effect = weight * first.abs()
        agreement = float((effect * first.sign() * second.sign()).sum() / effect.sum())
        slopes = weight * slopes
        third = weight * (second - 2 * first + before).abs()
        kinks = float(slopes[third > 0.1 * slopes].sum() / slopes.sum())
        told, bound = [measured("kinks", kinks)], None
        predicted = float(gradient @ v)
        if watch.is_whole and len(values) == 4 and 0 < predicted < math.inf:
            slope = sum((k - 0.5) * y for k, y in enumerate(values, -1)) / 5 / predicted
            told.append(measured("slope", slope))
            bound = math.inf if 1 / _FITS <= slope <= _FITS else None
        return [measured("metasmoothness", agreement, bound, shift=h), *told]


def _keep(v: torch.Tensor, cotangent: torch.Tensor | None) -> None:
    if cotangent is not None:  # of a tensor that is not used
        v.copy_(cotangent.detach())


def _tensors(tree: Any) -> list[torch.Tensor]:
    return pytree.partition(tree)[0]


def _norm(tensors: list[torch.Tensor]) -> torch.Tensor:
    """Return the norm of some tensors, which may overflow in their precision."""
    options = {"dtype": torch.float64}
    norms = [norm(t) if is_sharded(t) else torch.linalg.vector_norm(t, **options) for t in tensors]
    return norm([n.double() for n in norms])


def _growth(norms: tuple[float, ...]) -> float:
    """Return the largest norm relative to the last; infinite where one is not finite."""
    if not all(map(math.isfinite, norms)):
        return math.inf
    return max(norms) / norms[-1] if norms[-1] > 0 else 1.0 if max(norms) == 0 else math.nan


def _of_adjoint(norms: tuple[float, ...]) -> list[Measure]:
    """Return how an adjoint grows."""
    growth = _growth(norms)
    logs = [(k, math.log(a)) for k, a in enumerate(norms) if 0 < a < math.inf]
    logs = logs[:: max(1, len(logs) // 200)]
    slopes = [(a - b) / (j - i) for n, (i, a) in enumerate(logs) for j, b in logs[n + 1 :]]
    exponent = statistics.median(slopes) if slopes else 0.0
    limit = _GROWTH * norms[-1]
    beyond = [k for k, a in enumerate(norms, 1) if not a <= limit]
    where = f" and passes {_GROWTH:.0e} after step {beyond[-1]}" if beyond else ""
    out = [
        measured("growth", growth, factor=math.exp(exponent), where=where),
        measured("exponent", exponent),
    ]
    return [*out, measured("explodes_at", float(beyond[-1]))] if beyond else out


def _worst(measures: list[Measure]) -> list[Measure]:
    """Return of each measure of several solutions the one that is nearest to noise."""

    def rank(m: Measure) -> tuple[bool, float]:
        return m.is_noise, -m.value if m.name == "curvature" else m.value

    names = {m.name: None for m in measures}
    return [max((m for m in measures if m.name == name), key=rank) for name in names]


def _recorded(mode: ZeroOrder, seen: _Seen) -> ZeroOrder:
    """Return a zero-order mode whose estimator notes its standard error."""
    plain = mode.estimator
    gradient = plain.gradient

    def noted(noise: Any, values: torch.Tensor) -> torch.Tensor:
        whole = gradient(noise, values)
        samples, unknowns = noise.shape
        # One group for each rotation, whose directions depend on each other.
        size = unknowns if isinstance(plain, Orthogonal) else -(-samples // _GROUPS)
        count = -(-samples // size)
        if count > 1 and not isinstance(plain, (Coordinate, Sobol)):  # whose are no sample
            group = torch.arange(samples) // size
            rows = [gradient(noise[group != k], values[:, group != k]) for k in range(count)]
            parts = torch.stack(rows).detach().double()
            variance = (count - 1) / count * (parts - parts.mean(0)).square().sum()
            spread = float(variance.sqrt() / whole.detach().double().norm())
            seen.spread = max(spread, seen.spread or 0.0)
        return whole

    estimator = copy.copy(plain)
    object.__setattr__(estimator, "gradient", noted)
    return replace(mode, estimator=estimator)
