"""The inner problem: what every differentiation mode is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

import torch

from torchopt import errors
from torchopt.autodiff.captured import Reads
from torchopt.autodiff.environment import Replay
from torchopt.autodiff.loops import all_true, any_true, norm, select, wide
from torchopt.autodiff.tracking import tracking
from torchopt.autodiff.transforms import value_of
from torchopt.diff._called import call_solver
from torchopt.diff.batches import batch_at, batches_between
from torchopt.diff.flat_problem import FlatProblem
from torchopt.diff.kinds import ProblemKind
from torchopt.pytree import flattening as pytree
from torchopt.transform.applying import advance
from torchopt.transform.chaining import GradientTransformation

__all__ = [
    "Differentiates",
    "DifferentiationMode",
    "InnerProblem",
    "NotConvergedWarning",
    "Solution",
    "mean",
    "without_aux",
]


class Solution(NamedTuple):
    """The solution of an inner problem.

    Attributes:
        params: The parameters after the last step.
        state: The solver's state after the last step; None for a plain function.
        aux: The auxiliary output of the last evaluation; None without ``has_aux``.
        iterations: How many steps were done, an int64 tensor.
        error: The norm of the residual at ``params``, without a graph: of the gradient of an
            objective, of ``F(x)``, of ``x - T(x)``, or of the solver's own ``stationarity``. None
            where the mode had no need of it.
        converged: Whether the error is within the solver's tolerance; None where there is none.
        carry: What the last step handed on, besides parameters and state; see
            :class:`InnerProblem`.
        relative_error: An estimate of how far an implicit derivative is off, relative to it, because
            ``params`` are no solution yet: how much of the way from the start is left. None where a
            tolerance says that, and for other modes.
    """

    params: Any
    state: Any = None
    aux: Any = None
    iterations: Any = None
    error: Any = None
    converged: Any = None
    carry: Any = None
    relative_error: Any = None


class NotConvergedWarning(UserWarning):
    """A solver stopped before its tolerance was met, or far from a solution.

    Attributes:
        error: The largest norm of the residual.
        iterations: The number of steps.
        failed: For how many problems it did not converge: more than one under ``vmap`` only.
        relative_error: The estimated relative error of an implicit derivative; None where it is not
            estimated.
    """

    error: float
    iterations: int
    failed: int
    relative_error: float | None = None


Differentiates: TypeAlias = Literal["steps", "run", "solution"]
"""What a mode goes through: each step of the solver, a run of it as a whole, or its last point only."""


class DifferentiationMode(Protocol):
    """How a solution is differentiated with respect to what its problem reads.

    A mode that has an attribute ``differentiates`` says by it what a multilevel program must keep of
    a level: ``"solution"``, the point where it is; ``"run"`` (as without the attribute), its latest
    steps, to be made again; ``"steps"``, the graph of each step.
    """

    def solve(self, problem: InnerProblem) -> Solution:
        """Solve the problem, so that autograd can go through the solution."""
        ...


@runtime_checkable
class Iterative(Protocol):
    """A solver that iterates on a flat vector; see :class:`torchopt.solver.Solver`."""

    @property
    def has_stationarity(self) -> bool:
        """Whether its :meth:`stationarity` is not the residual of the problem."""
        ...

    def stationarity(self, problem: FlatProblem, x: torch.Tensor) -> torch.Tensor:
        """Return what is zero at the points that the solver looks for."""
        ...

    def run(self, problem: FlatProblem, x: torch.Tensor) -> Any:
        """Return the last point and what became of it."""
        ...


@dataclass(frozen=True)
class InnerProblem:
    """A problem, a point to start from, and a solver.

    Attributes:
        kind: The kind of problem, with its function.
        params: The starting point, a tree of tensors.
        args: Arguments that are the same in each step.
        solver: A gradient transformation, a solver, or a function ``solver(params, *args)``.
        steps: How many updates a gradient transformation does at most.
        tol: Its tolerance on the norm of the residual; None for none.
        batches: A tree with a leading axis of steps, a list, a function of the step, or None.
        state: The solver's state at ``params``; None for its first one.
        carry: What each step hands on to the next besides these, such as the state of problems
            below; None for nothing. Then the function is ``function(x, *args, carry, *batch)``, and
            its auxiliary output the pair ``(carry, aux)``.
        micro_batches: Into how many equal parts each batch is split, along its first axis; a step is
            by the mean of their gradients, and the auxiliary output is that of the last.
        is_whole: Whether the solver is to find the solution, and is not on its way to it, as the levels
            of a program are.
    """

    kind: ProblemKind
    params: Any
    args: tuple[Any, ...]
    solver: GradientTransformation | Iterative | Callable[..., Any]
    steps: int = 0
    tol: float | None = None
    batches: Any = None
    state: Any = None
    carry: Any = None
    micro_batches: int = 1
    is_whole: bool = False

    @property
    def is_fixed_length(self) -> bool:
        """Whether the solver is a given number of updates."""
        return isinstance(self.solver, GradientTransformation) and self.tol is None

    @property
    def solver_stationarity(self) -> Callable[[FlatProblem, torch.Tensor], torch.Tensor] | None:
        """The solver's own optimality conditions; None if they are the residual of the kind."""
        if isinstance(self.solver, Iterative) and self.solver.has_stationarity:
            return self.solver.stationarity
        return None

    @property
    def is_symmetric(self) -> bool:
        """Whether the Jacobian of :meth:`residual` is symmetric."""
        return self.kind.symmetric and self.solver_stationarity is None

    def at(self, params: Any, args: tuple[Any, ...], batches: Any) -> InnerProblem:
        """Return the same problem with another start and other data."""
        return replace(self, params=params, args=args, batches=batches)

    def start(self) -> Solution:
        """Return the starting point and the first state of a gradient transformation."""
        assert isinstance(self.solver, GradientTransformation)
        # Aliases: a start that the objective also reads by another way (as the centre of a proximal
        # term, say) is another variable there.
        start = pytree.map_leaves(lambda p: p.view_as(p), self.params)
        state = self.solver.init(self.params) if self.state is None else self.state
        return Solution(start, state, carry=self.carry)

    def step(
        self, index: int, carry: Solution, batch: tuple[Any, ...], *, first_order: bool = False
    ) -> Solution:
        """Do one update, with the batch that :meth:`batch` gave for this step.

        Differentiable in the carry, the batch and all that the objective reads; with
        ``first_order``, the gradient of the objective counts as a constant.
        """
        results = list(self.gradients(index, carry, batch, first_order=first_order))
        return self.update(carry, [grads for grads, _ in results], results[-1][1])

    def advanced(self, carry: Solution, indices: range, *, first_order: bool = False) -> Solution:
        """Do some updates, each with its own batch; see :meth:`step`."""
        for index in indices:
            carry = self.step(index, carry, self.batch(index), first_order=first_order)
        return carry

    def gradients(
        self, index: int, carry: Solution, batch: tuple[Any, ...], *, first_order: bool = False
    ) -> Iterator[tuple[Any, Any]]:
        """Return the residual and the function's auxiliary output for each micro-batch of a step."""
        where = f" at step {index}"
        for part in self.parts(batch):
            args = self.arguments(carry, part)
            yield self.kind.residual(carry.params, args, where=where, first_order=first_order)

    def arguments(self, carry: Solution, batch: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return what the function is given besides the parameters."""
        return (*self.args, *self._carried(carry.carry), *batch)

    def parts(self, batch: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Return the micro-batches of a batch."""
        count = self.micro_batches
        if count == 1:
            return [batch]
        leaves, spec = pytree.flatten(batch)
        for i, x in enumerate(leaves):
            if isinstance(x, torch.Tensor) and (not x.dim() or len(x) % count):
                raise ValueError(
                    f"`{errors.leaf_path(spec, i, 'batch')}` has shape {tuple(x.shape)}, whose first "
                    f"axis is not a multiple of the {count} micro-batches."
                )
        parts = [x.chunk(count) if isinstance(x, torch.Tensor) else [x] * count for x in leaves]
        return [pytree.unflatten(spec, part) for part in zip(*parts, strict=True)]

    def update(self, carry: Solution, gradients: list[Any], aux: Any) -> Solution:
        """Return what comes after an update by the mean of some gradients.

        Args:
            carry: Where the step starts.
            gradients: The gradient of each micro-batch.
            aux: The function's auxiliary output.
        """
        assert isinstance(self.solver, GradientTransformation)
        params, state = advance(self.solver, mean(gradients), carry.state, carry.params)
        aux, next_carry = self.split_aux(aux)
        return Solution(params, state, aux, carry=next_carry)

    def batch(self, index: int) -> tuple[Any, ...]:
        """Return what the objective is given last at a step: one batch, or nothing.

        To be called once for each step: a function may advance an iterator.
        """
        return batch_at(self.batches, index)

    def stacked(self, indices: range) -> tuple[Any, ...]:
        """Return the batches of some steps, with a first axis of steps."""
        return batches_between(self.batches, indices)

    def run(self) -> Solution:
        """Run the solver until it stops."""
        if isinstance(self.solver, GradientTransformation):
            solution = self._descend()
        elif isinstance(self.solver, Iterative):
            solution = self._iterate(self.solver)
        else:
            solution = self._call(self.solver)
        if solution.converged is not None:
            _report(self.solver, solution)
        return solution

    def residual(
        self, x: Any, args: tuple[Any, ...], batches: Any, carry: Any = None
    ) -> tuple[Any, Any]:
        """Return what is zero at the solution, and the auxiliary output.

        Over batches it is the mean; the carry is the same for each.
        """
        args = (*args, *self._carried(carry))
        if self.solver_stationarity is not None:
            problem, vector = FlatProblem.at(self.kind, x, args, conditions=True)
            return problem.unravel(self.solver_stationarity(problem, vector)), None
        if batches is None:
            tree, aux = self.kind.residual(x, args, conditions=True)
            return tree, self.split_aux(aux)[0]
        results = [
            self.kind.residual(x, (*args, *batch_at(batches, k)), conditions=True)
            for k in range(self.steps)
        ]
        return mean([tree for tree, _ in results]), self.split_aux(results[-1][1])[0]

    def closed_over(self) -> list[torch.Tensor]:
        """Return tensors that require grad and that the function reads without being given them."""
        given = pytree.flatten((self.params, self.args, self.batches))[0]
        # Random numbers and buffers are left as they are.
        with (reads := Reads(given)), Replay(default=True, trace=False)():
            args = (*self.args, *self._carried(self.carry), *self.batch(0))
            self.kind.function(self.params, *args)
        return reads.free

    def _carried(self, carry: Any) -> tuple[Any, ...]:
        return () if self.carry is None else (carry,)

    def split_aux(self, aux: Any) -> tuple[Any, Any]:
        """Split the function's auxiliary output into the user's and the next carry."""
        if self.carry is None:
            return aux, None
        carry, aux = aux
        return aux, carry

    def _descend(self) -> Solution:
        assert isinstance(self.solver, GradientTransformation)
        carry = self.start()
        count = torch.zeros((), dtype=torch.int64)
        if self.tol is None:
            carry = self.advanced(carry, range(self.steps))
            return carry._replace(iterations=count + self.steps)
        going, error = None, None
        batch: tuple[Any, ...] = ()
        for index in range(self.steps + 1):
            # After the last step once more, for the error at its end; with the last of the batches.
            if index < self.steps:
                batch = self.batch(index)
            results = list(self.gradients(index, carry, batch))
            grads = mean([grads for grads, _ in results])
            error = norm(grads)
            active = error > self.tol
            going = active if going is None else going & active
            if index == self.steps or not any_true(going):
                break
            moved = self.update(carry, [grads], results[-1][1])
            carry = select(going, without_aux(moved), without_aux(carry))._replace(aux=moved.aux)
            count = count + going
        assert error is not None
        return carry._replace(iterations=count, error=error, converged=error <= self.tol)

    def _iterate(self, solver: Iterative) -> Solution:
        problem, x = FlatProblem.at(self.kind, self.params, self.args)
        run = solver.run(problem, x)
        params = problem.unravel(run.x)
        aux = self.kind.output(params, self.args)[1] if self.kind.has_aux else None
        return Solution(params, run.state, aux, run.iterations, run.error, run.converged)

    def _call(self, solver: Callable[..., Any]) -> Solution:
        if tracking():
            # Copies, which a function may change.
            params = solver(*pytree.map_leaves(_copy, (self.params, *self.args)))
        else:
            params = call_solver(solver, self.params, *self.args)
        root = "solver(params, *args)"
        if params is None:
            raise TypeError(f"`{root}` returned None: return the solution, a tree like `params`.")
        wanted, spec = pytree.flatten(self.params)
        leaves, solved_spec = pytree.flatten(params)
        errors.check_same_structure(spec, solved_spec, root=root, reference="`params`")
        errors.check_floating(leaves, spec, root)
        for index, (p, q) in enumerate(zip(wanted, leaves, strict=True)):
            if p is not None and (q is None or p.shape != q.shape):
                shape = () if q is None else q.shape
                path = errors.leaf_path(spec, index, root)
                errors.raise_shape_mismatch(path, shape, p.shape, "that leaf of `params`")
        # NumPy computes in float64, which the conditions need not take.
        same = [q if p is None else q.to(p.dtype) for p, q in zip(wanted, leaves, strict=True)]
        return Solution(pytree.unflatten(spec, same))


def mean(trees: list[Any]) -> Any:
    """Return the mean of trees of tensors."""
    if len(trees) == 1:
        return trees[0]
    leaves = [pytree.flatten(tree)[0] for tree in trees]
    columns = zip(*leaves, strict=True)
    means = [
        None if c[0] is None else (sum(map(wide, c[1:]), wide(c[0])) / len(trees)).to(c[0].dtype)
        for c in columns
    ]
    return pytree.unflatten(pytree.flatten(trees[0])[1], means)


def without_aux(at: Solution) -> Solution:
    """Return the inputs of the next step: its auxiliary output is no input."""
    return Solution(at.params, at.state, carry=at.carry)


def _copy(leaf: Any) -> Any:
    return leaf.clone() if isinstance(leaf, torch.Tensor) else leaf


def _report(solver: Any, solution: Solution) -> None:
    if torch.compiler.is_compiling() or all_true(solution.converged):
        return
    name = "the solver" if isinstance(solver, GradientTransformation) else type(solver).__name__
    failed = value_of(~solution.converged)
    which = " for some problems" if failed.numel() > 1 else ""
    errors.warn(
        f"{name} did not converge{which}: the residual is above the tolerance (its norm is the "
        f"attribute `error` of this warning); allow more steps, or loosen `tol`.",
        NotConvergedWarning,
        error=float(value_of(torch.where(solution.converged, 0, solution.error)).max()),
        iterations=int(value_of(solution.iterations).max()),
        failed=int(failed.sum()),
    )
