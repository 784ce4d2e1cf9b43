"""The inner problem: what a differentiation mode is given."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.environment import leaving_no_trace
from torchopt.autodiff.functional import Reads
from torchopt.autodiff.gradients import Exact
from torchopt.autodiff.line_search import divide
from torchopt.autodiff.loops import any_true, guessing, iterate, norm, wide
from torchopt.autodiff.tracebacks import STEPS, trim
from torchopt.autodiff.tracking import constant
from torchopt.autodiff.transforms import value_of
from torchopt.diff.batches import batch_at
from torchopt.diff.called import solve_by_call
from torchopt.diff.flat_problem import External, FlatProblem, Iterative
from torchopt.diff.kinds import AT_START, AT_STEP, Composite, Evaluation, Kind
from torchopt.diff.protocols import DifferentiationMode
from torchopt.diff.solution import Solution
from torchopt.io.terminal import Progress
from torchopt.linear_solve.failure import report
from torchopt.linear_solve.stats import Stats
from torchopt.pytree import flattening as pytree
from torchopt.pytree import tree_sub
from torchopt.pytree.typing import TensorTree
from torchopt.transform.advancing import advance
from torchopt.transform.chaining import GradientTransformation


def is_mode(diff: Any) -> bool:
    """Whether an argument is a differentiation mode, and no class."""
    # By its method: an `isinstance` of a protocol takes long.
    return getattr(diff, "differentiate", None) is not None and not isinstance(diff, type)


_SOLUTION = checks.Word(
    "return a `torchopt.Solution`, such as `dataclasses.replace(problem.run(), params=...)`",
    Solution,
)


class _Watch(threading.local):
    """What solves problems in place of their modes; no context variable, which compilers refuse."""

    solver: Any = None


WATCH = _Watch()


@contextmanager
def watching(solver: Any) -> Iterator[None]:
    """Let something solve the problems of a block, or with None their modes."""
    before, WATCH.solver = WATCH.solver, solver
    try:
        yield
    finally:
        WATCH.solver = before


def differentiate(mode: DifferentiationMode, problem: InnerProblem) -> Solution:
    """Return the solution of a problem by a mode.

    Raises:
        TypeError: If the mode returns something else.
        ValueError: If its parameters have another structure or shape than the start.
    """
    if WATCH.solver is not None:
        solved: Solution = WATCH.solver(mode, problem)
        return solved
    try:
        solution: Any = mode.differentiate(problem)
    except Exception as error:
        trim(error)
        raise
    if not isinstance(solution, Solution):
        checks.check(f"the result of `{type(mode).__name__}.differentiate`", solution, _SOLUTION)
    if not type(mode).__module__.startswith("torchopt."):  # a program's own
        checks.check_like(
            pytree.flatten(solution.params),
            pytree.flatten(problem.params),
            root=f"{type(mode).__name__}.differentiate(problem).params",
            reference="`problem.params`",
        )
    return solution


class Iterate(NamedTuple):
    """Where a gradient transformation is after some steps.

    Attributes:
        params: The parameters.
        state: The transformation's state.
        aux: The auxiliary output of the last step.
        carry: What the last step hands on besides; see :class:`InnerProblem`.
        value: The objective of the last step, without a graph.
    """

    params: TensorTree
    state: Any = None
    aux: Any = None
    carry: Any = None
    value: torch.Tensor | None = None

    def start_of_next(self) -> Iterate:
        """Return the inputs of the next step: neither auxiliary output nor value is one."""
        return Iterate(self.params, self.state, carry=self.carry)

    def solution(self, **stats: torch.Tensor | None) -> Solution:
        """Return it as a solution, whose state also has what is handed on."""
        state = self.state if self.carry is None else (self.state, self.carry)
        return Solution(
            self.params, self.aux, state=state, stats=Stats(**stats, last_value=self.value)
        )


class _Descent(NamedTuple):
    """A point of a descent that stops by tolerance; see :meth:`InnerProblem._judged`.

    Attributes:
        at: Where it is.
        evaluation: The problem there.
        residual: What is zero at a solution, as a constant; None where no slope is needed.
        slope: The change of the residual per change of the parameters, along the last step.
        error: The norm of the residual.
        converged: Whether it is a solution.
    """

    at: Iterate
    evaluation: Evaluation
    residual: Any
    slope: torch.Tensor
    error: torch.Tensor
    converged: torch.Tensor


@dataclass(frozen=True)
class InnerProblem:
    """A problem, a point to start from, and a solver: a :class:`Problem`, and what our own modes need.

    Attributes:
        kind: The kind of problem, with its function.
        params: The starting point, a tree of tensors.
        args: Arguments that are the same in each step.
        solver: A gradient transformation, a solver, or a function ``solver(params, *args)``.
        steps: How many updates a gradient transformation does at most.
        atol: Its absolute tolerance on the norm of the residual; None for zero.
        rtol: Its relative one; without any of them, exactly ``steps`` updates are done.
        batches: A tree with a leading axis of steps, a list, a function of the step, or None.
        state: The solver's state at ``params``; None for its first one.
        carry: What each step hands on to the next besides these, such as the state of problems
            below; None for nothing. Then the function is ``function(x, *args, carry, *batch)``, and
            its auxiliary output the pair ``(carry, aux)``.
        micro_batches: Into how many equal parts each batch is split, along its first axis; a step is
            by the mean of their gradients, and the auxiliary output is that of the last.
        is_whole: Whether the solver is to find the solution, and is not on its way to it, as the levels
            of a program are.
        progress: Shows the steps as they are done; None for nothing.
        block: Makes a function of what is done in a step of a solver, such as one that is computed
            again for derivatives, or of the pullback of a step that is; None for each as it is.
        checkpoint: A folder by which the steps go on after the process was killed; None for none.
    """

    kind: Kind
    params: TensorTree
    args: tuple[Any, ...]
    solver: Any
    steps: int = 0
    atol: float | None = None
    rtol: float | None = None
    batches: Any = None
    state: Any = None
    carry: Any = None
    micro_batches: int = 1
    is_whole: bool = False
    progress: Progress | None = None
    block: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None
    checkpoint: Any = None

    @property
    def is_fixed_length(self) -> bool:
        """Whether the solver is a given number of updates."""
        is_transformation = isinstance(self.solver, GradientTransformation)
        return is_transformation and self.atol is None and self.rtol is None

    @property
    def iterative(self) -> Any:
        """The solver, if it is one of `torchopt.solver`; else None."""
        return self.solver if isinstance(self.solver, Iterative) else None

    @property
    def solver_stationarity(self) -> Callable[[FlatProblem, torch.Tensor], torch.Tensor] | None:
        """The solver's own optimality conditions; None if they are the residual of the kind."""
        solver = self.iterative
        return solver.stationarity if solver is not None and solver.has_stationarity else None

    @property
    def is_symmetric(self) -> bool:
        """Whether the Jacobian of :meth:`conditions` is symmetric."""
        return self.kind.symmetric and self.solver_stationarity is None

    def measured_at(self, params: Any) -> InnerProblem:
        """Return the problem with residuals on the scale that it has at a point; see `FlatProblem`."""
        if not isinstance(self.kind, Composite):
            return self
        args = self.arguments(self.carry, self.batch(0))
        problem, x = FlatProblem.at(self.kind, params, args)
        return replace(self, kind=self.kind.with_length(problem.inverse_curvature(x)))

    def at(self, params: TensorTree, args: tuple[Any, ...]) -> InnerProblem:
        """Return the same problem with another start and other arguments."""
        return replace(self, params=params, args=args)

    def residual(self, x: TensorTree, args: tuple[Any, ...]) -> TensorTree:
        """Return what is zero at a solution; see :class:`Problem`."""
        self.check_batches("the residual is that of all batches")
        return self.conditions(x, args, self.batches, self.carry).residual

    def check_batches(self, why: str) -> None:
        """Raise if the batches are a function of the step, whose values may not be had again."""
        if callable(self.batches):
            raise ValueError(
                f"{why}, but `batches` is a function: pass a list of them or stack them in a tree, or "
                f"pass all data in `args`."
            )

    def step(self, at: Solution | None = None, *, index: int = 0) -> Solution:
        """Do one step of the solver; see :class:`Problem`."""
        done = 0 if at is None or at.iterations is None else at.iterations
        count = torch.ones((), dtype=torch.int64, device="cpu") + done
        if isinstance(self.solver, GradientTransformation):
            iterate = self.start()
            if at is not None:
                state, carry = (at.state, None) if self.carry is None else at.state
                iterate = Iterate(at.params, state, carry=carry)
            return self.stepped(index, iterate, self.batch(index)).solution(iterations=count)
        solver = self.iterative
        if solver is None:
            raise TypeError(
                "the mode asks for a step of the solver, which is a function and has none: use a "
                "gradient transformation or a solver of `torchopt.solver`."
            )
        params = self.params if at is None else at.params
        problem, x = FlatProblem.at(self.kind, params, self.args, where=AT_START)
        solver.check_kind(problem)
        state = solver.init(problem, x) if at is None else at.state
        problem = replace(problem, where=None)
        result = solver.step(problem, x, state)
        checks.check_returned(f"{type(solver).__name__}.step", result, "(x, state)", x)
        x, state = result
        return self._solution(problem.unravel(x), state, Stats(iterations=count))

    def start(self) -> Iterate:
        """Return the starting point and the first state of a gradient transformation."""
        assert isinstance(self.solver, GradientTransformation)
        # Aliases: a start that the objective also reads by another way (as the centre of a proximal
        # term, say) is another variable there.
        start = pytree.map_leaves(lambda p: p.view_as(p), self.params)
        state = self.solver.init(self.params) if self.state is None else self.state
        return Iterate(start, state, carry=self.carry)

    def stepped(
        self,
        index: int,
        carry: Iterate,
        batch: tuple[Any, ...],
        *,
        where: str | None = AT_STEP,
        first_order: bool = False,
    ) -> Iterate:
        """Do one update, with the batch that :meth:`batch` gave for this step; see :meth:`evaluate`.

        Differentiable in the carry, the batch and all that the objective reads; with
        ``first_order``, the gradient of the objective counts as a constant.
        """
        parts = self.evaluate(index, carry, batch, where=where, first_order=first_order)
        return self.update(carry, parts, batch)

    def advanced(self, carry: Iterate, indices: range, *, first_order: bool = False) -> Iterate:
        """Do some updates, each with its own batch; see :meth:`stepped`."""
        for index in indices:
            carry = self.stepped(index, carry, self.batch(index), first_order=first_order)
        return carry

    def evaluate(
        self,
        index: int,
        carry: Iterate,
        batch: tuple[Any, ...],
        *,
        where: str | None = AT_STEP,
        first_order: bool = False,
        exact: Exact | None = None,
    ) -> Iterator[Evaluation]:
        """Evaluate the problem for each micro-batch of a step.

        Args:
            index: The step.
            carry: Where.
            batch: Its batch.
            where: Words for an error about NaN; None where the value has been looked at before.
            first_order: Whether the gradient of the objective counts as a constant.
            exact: Makes the mode in which an objective is evaluated; None for the one that it needs.
        """
        where = where and where.format(index)
        tracked = {"tracked": True} if "value" in self.reads else {}
        for part in [batch] if self.micro_batches == 1 else self.parts(batch):
            args = self.arguments(carry.carry, part)
            evaluation = self.kind.evaluate(
                carry.params, args, where=where, first_order=first_order, exact=exact, **tracked
            )
            if self.progress is not None:
                value = evaluation.value
                metrics = {} if value is None else {"value": value_of(value.detach()).mean()}
                self.progress.log(metrics, index + 1)
            yield evaluation

    def arguments(self, carry: Any, batch: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return what the function is given besides the parameters."""
        carried = () if self.carry is None else (carry,)
        return (*self.args, *carried, *batch)

    def parts(self, batch: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Return the micro-batches of a batch."""
        count = self.micro_batches
        if count == 1:
            return [batch]
        leaves, spec = pytree.flatten(batch)
        for i, x in enumerate(leaves):
            if isinstance(x, torch.Tensor) and (not x.dim() or len(x) % count):
                raise ValueError(
                    f"`{checks.leaf_path(spec, i, 'batch')}` has shape {tuple(x.shape)}, whose first "
                    f"axis is not a multiple of the {count} micro-batches."
                )
        parts = [x.chunk(count) if isinstance(x, torch.Tensor) else [x] * count for x in leaves]
        return [pytree.unflatten(spec, part) for part in zip(*parts, strict=True)]

    def update(
        self, carry: Iterate, evaluations: Iterable[Evaluation], batch: tuple[Any, ...]
    ) -> Iterate:
        """Return what comes after an update by the mean of some gradients.

        Args:
            carry: Where the step starts.
            evaluations: One for each micro-batch; the auxiliary output is that of the last.
            batch: The batch of the step.
        """
        assert isinstance(self.solver, GradientTransformation)
        gradient, aux, value, _ = mean_of(evaluations)
        extra = self.extra(carry, batch, value) if self.reads else {}
        params, state = advance(self.solver, gradient, carry.state, carry.params, **extra)
        aux, next_carry = self.split_aux(aux)
        return Iterate(params, state, aux, next_carry, None if value is None else value.detach())

    @property
    def reads(self) -> frozenset[str]:
        """The further arguments that the update of a gradient transformation reads."""
        solver = self.solver
        return solver.reads if isinstance(solver, GradientTransformation) else frozenset()

    def extra(
        self, carry: Iterate, batch: tuple[Any, ...], value: torch.Tensor | None
    ) -> dict[str, Any]:
        """Return further arguments of an update: the objective, and its value at the parameters.

        Args:
            carry: Where the step starts.
            batch: Its batch.
            value: The value; None if the problem has no objective.
        """
        if value is None:
            return {}
        inputs = [self.arguments(carry.carry, part) for part in self.parts(batch)]

        def value_fn(params: Any) -> torch.Tensor:
            return mean([self.kind.value(params, args)[0] for args in inputs])

        return {"value": value, "value_fn": value_fn}

    def batch(self, index: int) -> tuple[Any, ...]:
        """Return what the objective is given last at a step: one batch, or nothing.

        To be called once for each step: a function may advance an iterator.
        """
        return () if self.batches is None else batch_at(self.batches, index)

    def run(self) -> Solution:
        """Run the solver until it stops."""
        if isinstance(self.solver, GradientTransformation):
            return self._descend()
        solver = self.solver
        if isinstance(solver, Iterative):
            return self._iterate(solver)
        if isinstance(solver, External):
            solver = solver.function_for(self.kind)
        return Solution(solve_by_call(solver, self.params, self.args), None)

    def conditions(
        self,
        x: Any,
        args: tuple[Any, ...],
        batches: Any,
        carry: Any = None,
        *,
        where: str | None = "",
    ) -> Evaluation:
        """Evaluate what is zero at the solution.

        Over batches it is the mean; the carry is the same for each. A value may be NaN if the solver
        tries points, or if ``where`` is None, after an evaluation at the solution.
        """
        args = self.at(x, args).arguments(carry, ())
        if self.solver_stationarity is not None:
            problem, vector = FlatProblem.at(self.kind, x, args, conditions=True)
            return Evaluation(problem.unravel(self.solver_stationarity(problem, vector)))
        if batches is None:
            where = where if isinstance(self.solver, GradientTransformation) else None
            inputs = [args]
        else:
            inputs = [(*args, *batch_at(batches, k)) for k in range(self.steps)]
        mean = mean_of(self.kind.evaluate(x, a, where=where, conditions=True) for a in inputs)
        return mean._replace(aux=self.split_aux(mean.aux)[0])

    def split_aux(self, aux: Any) -> tuple[Any, Any]:
        """Split the function's auxiliary output into the user's and the next carry."""
        if self.carry is None:
            return aux, None
        carry, aux = aux
        return aux, carry

    def _descend(self) -> Solution:
        if self.is_fixed_length:
            carry = self.advanced(self.start(), range(self.steps))
            return carry.solution(iterations=torch.tensor(self.steps, device="cpu"))
        index, batch = 0, ()

        def evaluated(at: Iterate, before: _Descent | None = None) -> _Descent:
            nonlocal batch
            # After the last step once more, for the error at its end; with the last of the batches.
            if index < self.steps:
                batch = self.batch(index)
            evaluation = mean_of(self.evaluate(index, at, batch))
            return self._judged(at, evaluation, before)

        def step(carry: _Descent) -> _Descent:
            nonlocal index
            index += 1
            at = self.update(carry.at, [carry.evaluation], batch).start_of_next()
            return evaluated(at, carry)

        start = evaluated(self.start())
        any_true(start.converged)  # refuses to be traced: each step has a batch of its own
        end, count = iterate(
            step, start, lambda carry: ~carry.converged & ~carry.error.isnan(), maxiter=self.steps
        )
        value, aux = end.evaluation.value, self.split_aux(end.evaluation.aux)[0]
        at = end.at._replace(aux=aux)
        solution = replace(
            at.solution(iterations=count, error=end.error, converged=end.converged),
            value=None if value is None else value.detach(),
        )
        advice = "raise `maxiter`, or loosen `atol` or `rtol`"
        report("the solver", solution.stats, advice, on_failure="warn")
        return solution

    def _judged(self, at: Iterate, evaluation: Evaluation, before: _Descent | None) -> _Descent:
        """Return a point and whether it is a solution, by the rule of `torchopt.solver.Solver`."""
        residual = self.kind.optimality(at.params, evaluation.residual)
        error, atol = norm(residual), self.atol or 0.0
        if not self.rtol:
            return _Descent(at, evaluation, None, error, error, error <= atol)
        limit = torch.full_like(error, atol)
        slope, residual = torch.zeros_like(error), constant(residual)
        if before is not None:
            size, length = norm(at.params), norm(tree_sub(at.params, before.at.params))
            change = norm(tree_sub(residual, before.residual))
            # With a shorter step the residual changes by rounding errors, and the slope not at all.
            long = length > torch.finfo(length.dtype).eps ** (2 / 3) * size
            slope = torch.where(long, divide(change, length), before.slope)
            limit = (self.rtol * slope * size).clamp(min=atol)
        converged = (error <= limit) & error.isfinite()
        return _Descent(at, evaluation, residual, slope, error, converged)

    def _iterate(self, solver: Any) -> Solution:
        problem, x = FlatProblem.at(self.kind, self.params, self.args, where=AT_START)
        if self.block is not None:
            step, solver = guessing(None)(self.block(solver.step)), copy.copy(solver)  # no guesses
            object.__setattr__(solver, "step", step)
        run = solver.run(problem, x)
        return self._solution(problem.unravel(run.x), run.state, run.stats)

    def _solution(self, params: Any, state: Any, stats: Stats) -> Solution:
        value, aux = self.kind.objective(params, self.args)
        value = None if value is None else value.detach()
        return Solution(params, aux, value=value, state=state, stats=stats)


def closed_over(problem: InnerProblem) -> list[torch.Tensor]:
    """Return tensors that require grad and that the function reads without being given them."""
    given = pytree.leaves((problem.params, problem.args, problem.batches))
    # Random numbers and buffers are left as they are.
    with (reads := Reads(given)), leaving_no_trace():
        problem.kind.read(problem.params, problem.arguments(problem.carry, problem.batch(0)))
    return reads.free


def mean(trees: Iterable[Any]) -> Any:
    """Return the mean of trees of tensors."""
    return mean_of(map(Evaluation, trees)).residual


def mean_of(evaluations: Iterable[Evaluation]) -> Evaluation:
    """Return the mean residual and value of micro-batches or batches, and the last auxiliary output.

    No more than two are held at a time.
    """
    total: Any = None
    for count, evaluation in enumerate(evaluations, 1):
        part = (evaluation.residual, evaluation.value)
        total = part if count == 1 else pytree.map_leaves(_add, total, part)
    if count > 1:
        total = pytree.map_leaves(lambda t, like: (t / count).to(like.dtype), total, part)
    return Evaluation(total[0], evaluation.aux, total[1])


def _add(total: torch.Tensor, part: torch.Tensor) -> torch.Tensor:
    return wide(total) + wide(part)


STEPS[InnerProblem.evaluate.__code__] = "index"
