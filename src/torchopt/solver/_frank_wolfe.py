"""The Frank–Wolfe method, whose steps need no projection."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.line_search import divide
from torchopt.diff.flat_problem import FlatProblem
from torchopt.diff.kinds import Composite
from torchopt.solver._proximal_step import attempts, rounding, search
from torchopt.solver._solver import Solver

Variant = Literal["pairwise", "away", "plain"]
Step = Literal["backtracking", "exact", "fixed"]


class FrankWolfeState(NamedTuple):
    """The state of the Frank–Wolfe method.

    Attributes:
        residual: The duality gap, as a vector of one element.
        value: The objective.
        gradient: Its gradient.
        vertex: The minimizer of the linear approximation.
        point: The current point; at the start, its projection onto the set.
        atoms: The points of which the current one is a mean, one a row.
        weights: The weights of that mean; zero for a free row.
        curvature: The curvature along the last step.
        steps: The number of steps so far.
        stuck: Whether no step was short enough.
    """

    residual: torch.Tensor
    value: torch.Tensor
    gradient: torch.Tensor
    vertex: torch.Tensor
    point: torch.Tensor
    atoms: torch.Tensor
    weights: torch.Tensor
    curvature: torch.Tensor
    steps: torch.Tensor
    stuck: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class FrankWolfe(Solver[FrankWolfeState]):
    r"""The Frank–Wolfe (conditional gradient) method, with away or pairwise steps.

    .. math::
        s_k = \arg\min_{z \in C} \; \nabla f(x_k)^\top z, \qquad
        x_{k+1} = x_k + \gamma_k d_k, \qquad d_k = s_k - x_k

    for a bounded set with a :meth:`~torchopt.sets.Set.linear_minimizer`. Use it where this is much
    cheaper than the projection, or where the solution is a mean of few vertices; else
    :class:`ProjectedGradient` needs fewer steps. A step costs a gradient, a linear minimization, and
    the values that the line search tries.

    The plain method converges as :math:`1 / k`. The other two remember the vertices :math:`a_i` of
    which :math:`x` is a mean, and move weight away from the worst of them,
    :math:`a = \arg\max_i \nabla f(x)^\top a_i`: ``"away"`` along :math:`x - a` if that is steeper, and
    ``"pairwise"`` along :math:`s - a`. On polytopes, such as simplex, L1 ball and box, they converge
    linearly where the objective is strongly convex; they need :math:`m n` numbers of memory.

    The error is the duality gap :math:`\nabla f(x)^\top (x - s)`, which for a convex objective bounds
    :math:`f(x) - \min f`. The error of :math:`x` is of the order of its root: for accurate derivatives
    by :class:`~torchopt.diff.Implicit`, which uses the residual :math:`x - P(x - \nabla f(x))`, set
    ``rtol=1e-15`` or so. The start is projected onto the set once.

    Args:
        variant: ``"pairwise"``, ``"away"`` or ``"plain"``.
        line_search: How :math:`\gamma` is chosen. ``"backtracking"``: the minimizer of a quadratic
            bound, whose curvature is doubled until it is one, and is a tenth lower in the next step.
            ``"exact"``: for quadratic objectives, by one more gradient. ``"fixed"``:
            :math:`\gamma_k = 2 / (k + 2)`, for the plain method only.
        atoms: The most vertices :math:`m` to remember. If there are more, the two of least weight
            become one, their mean, which is a point of the set. None for one more than the unknowns,
            and at most 100.
        line_search_maxiter: The most doublings in a step.
        **common: Tolerances, on the duality gap, and ``maxiter``; see :class:`Solver`.

    Raises:
        ValueError: If an argument is out of its range.
        TypeError: In use, if the set has no linear minimizer.

    Example:
        >>> import torch, torchopt
        >>> c = torch.tensor([0.5, 0.2, 3.0])
        >>> solution = torchopt.minimize(
        ...     lambda x: (x - c).square().sum(), torch.full((3,), 1 / 3),
        ...     subject_to=torchopt.sets.Simplex(3.0), solver=torchopt.solver.FrankWolfe())
        >>> solution.params, bool(solution.error < 1e-3)
        (tensor([0.2500, 0.0000, 2.7500]), True)

    References:
        Frank and Wolfe, *An algorithm for quadratic programming*, 1956. Lacoste-Julien and Jaggi, *On
        the Global Linear Convergence of Frank–Wolfe Optimization Variants*, 2015, algorithms 1 and 2.
        Pedregosa, Negiar, Askari and Jaggi, *Linearly Convergent Frank–Wolfe with Backtracking
        Line-Search*, 2020, algorithm 2.
    """

    variant: Variant = checks.field("pairwise", checks.one_of(Variant))
    line_search: Step = checks.field("backtracking", checks.one_of(Step))
    atoms: int | None = checks.field(None, checks.or_none(checks.count(2)))
    line_search_maxiter: int = checks.field(50, checks.count(1))
    maxiter: int = 2000
    kinds = frozenset({Composite})

    def __post_init__(self) -> None:
        """Check the arguments."""
        super().__post_init__()
        if self.line_search == "fixed" and self.variant != "plain":
            raise ValueError(
                f'`line_search` is "fixed", whose steps know no bound, but `variant` is '
                f'{self.variant!r}: use `variant="plain"`.'
            )

    def init(self, problem: FlatProblem, x: torch.Tensor) -> FrankWolfeState:
        """Return the state at the starting point."""
        point = problem.prox(x)
        value, gradient = problem.value_and_gradient(point)
        vertex = problem.linear_minimizer(gradient)
        curvature = 1 / (problem.step_length(x) * torch.ones_like(value))
        # A start outside of the set is no solution, wherever its projection is.
        outside = x - point
        gap = gradient @ (point - vertex) + (gradient @ outside).abs()
        gap = gap + curvature * outside.square().sum()
        count = 1
        if self.variant != "plain":
            count = min(x.numel() + 1, 100) if self.atoms is None else self.atoms
        first = torch.arange(count, device=x.device) == 0
        return FrankWolfeState(
            gap[None],
            value,
            gradient,
            vertex,
            point,
            torch.where(first[:, None], point, 0.0),
            first.to(x.dtype) * torch.ones_like(value),
            curvature,
            torch.zeros_like(value, dtype=torch.int64),
            torch.zeros_like(value, dtype=torch.bool),
        )

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: FrankWolfeState
    ) -> tuple[torch.Tensor, FrankWolfeState]:
        """Return the next point, and the state there."""
        x, gradient, vertex = state.point, state.gradient, state.vertex
        atoms, weights = state.atoms, state.weights
        direction, longest = vertex - x, torch.ones_like(state.value)
        away = torch.zeros_like(state.stuck)
        if self.variant != "plain":
            atoms, weights, place = _with_vertex(atoms, weights, vertex)
            slopes = torch.where(weights > 0, atoms @ gradient, -torch.inf)
            entry = torch.arange(len(weights), device=x.device)
            worst = entry == slopes.argmax()
            weight = torch.where(worst, weights, 0.0).sum()
            atom = torch.where(worst[:, None], atoms, 0.0).sum(0)
            if self.variant == "pairwise":
                direction, longest = vertex - atom, weight
            else:
                away = gradient @ (x - atom) < gradient @ direction
                direction = torch.where(away, x - atom, direction)
                longest = torch.where(away, divide(weight, 1 - weight), longest)
        fraction, curvature, stuck = self._length(problem, x, state, direction, longest)
        if self.variant == "plain":
            new = x + fraction * direction
        else:
            gone = worst & (away | (self.variant == "pairwise"))
            here = (entry == place) & ~away
            if self.variant == "away":
                weights = weights * torch.where(away, 1 + fraction, 1 - fraction)
            weights = weights + fraction * here.to(x.dtype)
            # A vertex that is dropped has weight zero, not a rounding error.
            less = torch.where(fraction >= longest, 0.0, (weights - fraction).clamp(min=0))
            weights = torch.where(gone & ~((entry == place) & here), less, weights)
            weights = weights / weights.sum()
            new = weights @ atoms
        value, gradient = problem.value_and_gradient(new)
        vertex = problem.linear_minimizer(gradient)
        gap = gradient @ (new - vertex)
        return new, FrankWolfeState(
            gap[None],
            value,
            gradient,
            vertex,
            new,
            atoms,
            weights,
            curvature,
            state.steps + 1,
            stuck,
        )

    def measured(
        self, problem: FlatProblem, x: torch.Tensor, state: FrankWolfeState
    ) -> tuple[torch.Tensor, Callable[[torch.Tensor], torch.Tensor]]:
        """Return the current point, and the duality gap as a function of it."""

        def gap(x: torch.Tensor) -> torch.Tensor:
            gradient = problem.gradient(x)
            return (gradient @ (x - problem.linear_minimizer(gradient)))[None]

        return state.point, gap

    def _terms(
        self, problem: FlatProblem, x: torch.Tensor, state: FrankWolfeState, largest: torch.Tensor
    ) -> torch.Tensor:
        """Return how large the terms are whose sum the gap is: near a solution they cancel."""
        rounding = 4 * torch.finfo(x.dtype).eps
        point, vertex = state.point.detach(), state.vertex.detach()
        there = point + rounding * largest
        change = problem.gradient(there).detach() * (there - vertex)
        change = change - state.gradient.detach() * (point - vertex)
        return (change.abs().sum() / rounding).nan_to_num(math.inf, math.inf)

    def _length(
        self,
        problem: FlatProblem,
        x: torch.Tensor,
        state: FrankWolfeState,
        direction: torch.Tensor,
        longest: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return the fraction of a direction, the curvature along it, and whether none is found."""
        if self.line_search == "fixed":
            return 2 / (state.steps + 2).to(x.dtype), state.curvature, state.stuck
        slope, square = state.gradient @ direction, direction.square().sum()
        if self.line_search == "exact":
            there = problem.gradient(x + direction)
            bend = direction @ (there - state.gradient)
            best = torch.where(bend > 0, divide(-slope, bend), longest)
            part = torch.minimum(best, longest).clamp(min=0)
            still = part * direction.norm() <= torch.finfo(x.dtype).eps * x.norm()
            return part, state.curvature, still
        noise = rounding(state.value)

        def fraction(inverse: torch.Tensor) -> torch.Tensor:
            return torch.minimum(divide(-slope * inverse, square), longest).clamp(min=0)

        def allowed(inverse: torch.Tensor, point: torch.Tensor) -> torch.Tensor:
            part = fraction(inverse)
            return state.value + part * slope + part.square() * square / (2 * inverse) + noise

        attempt = attempts(
            lambda inverse: x + fraction(inverse) * direction, problem.value, allowed
        )
        first = attempt(1 / state.curvature)
        trial = search(attempt, first, state.value, self.line_search_maxiter)
        part = fraction(trial.length)
        # Where the test compares rounding errors, longer steps would pass it, too.
        clear = -part * slope > 20 * noise
        curvature = torch.where(clear, 0.9, 1.0) / trial.length
        return part, curvature, trial.refused


def _with_vertex(
    atoms: torch.Tensor, weights: torch.Tensor, vertex: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return atoms and weights with a place for a vertex, and the place."""
    entry = torch.arange(len(weights), device=weights.device)
    known = (atoms == vertex).all(1) & (weights > 0)
    free = weights == 0
    # Without a free place, the two of least weight become their mean.
    low = weights.detach().topk(2, largest=False).indices
    pair = weights[low]
    total = pair.sum()
    merge = ~(known.any() | free.any())
    mean = divide(pair, total) @ atoms[low]
    atoms = torch.where((merge & (entry == low[1]))[:, None], mean, atoms)
    weights = torch.where(merge & (entry == low[1]), total, weights)
    weights = torch.where(merge & (entry == low[0]), 0.0, weights)
    empty = torch.where(free.any(), free.to(torch.int8).argmax(), low[0])
    place = torch.where(known.any(), known.to(torch.int8).argmax(), empty)
    return torch.where((entry == place)[:, None], vertex, atoms), weights, place
