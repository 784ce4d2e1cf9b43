"""Mirror descent: steps in the geometry of a set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.tracking import untracked
from torchopt.diff.flat_problem import FlatProblem, largest, power_of_two
from torchopt.diff.kinds import Composite
from torchopt.errors import NonFiniteError
from torchopt.pytree.typing import Numeric
from torchopt.solver._proximal_step import STEP_SIZE, attempts, rounding, search
from torchopt.solver._solver import Solver


class MirrorDescentState(NamedTuple):
    """The state of mirror descent.

    Attributes:
        residual: The gradient mapping, by the Euclidean projection.
        point: The current point; at the start, its Bregman projection onto the set.
        gradient: The gradient.
        value: The objective.
        length: The length that the next step tries first.
        steps: The number of steps so far.
        stuck: Whether no length was short enough.
    """

    residual: torch.Tensor
    point: torch.Tensor
    gradient: torch.Tensor
    value: torch.Tensor
    length: torch.Tensor
    steps: torch.Tensor
    stuck: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class MirrorDescent(Solver[MirrorDescentState]):
    r"""Mirror descent on a set with a mirror map, such as a simplex: exponentiated gradients.

    .. math::
        x_{k+1} = \arg\min_{z \in C} \; \nabla f(x_k)^\top z + \frac{1}{t_k} D(z, x_k)

    with the Bregman divergence :math:`D` of the set's mirror map, of which
    :meth:`~torchopt.sets.Set.mirror_step` is the formula; for a simplex the relative entropy. Each
    iterate is positive, and the number of steps hardly grows with the number of unknowns. Use it for
    distributions and matrix games; where most elements of the solution are zero,
    :class:`ProjectedGradient` needs fewer steps. The start must be positive, too: what is zero stays
    zero. A step costs a gradient, and a value for each length that the line search tries.

    The line search accepts :math:`f(x_{k+1}) \le f(x_k) + \frac12 \nabla f(x_k)^\top (x_{k+1} - x_k)`,
    halves the length if not, and lets the next step try one longer by a half.

    Args:
        step_size: The length :math:`t_k`, in the units of the user: a number, a scalar tensor, or a
            function of the number of steps so far, such as ``lambda k: 0.5 / (1 + k) ** 0.5`` or one of
            ``torchopt.schedule``. None for a line search.
        line_search_maxiter: The most halvings in a step.
        **common: Tolerances, on the norm of the gradient mapping
            :math:`(x - P(x - t \nabla f(x))) / t` with the Euclidean projection :math:`P` and one over
            the curvature at the start as :math:`t`, and ``maxiter``; see :class:`Solver`.

    Raises:
        ValueError: If an argument is out of its range.
        TypeError: If an argument has the wrong type; in use, if the set has no mirror map.

    Example:
        >>> import torch, torchopt
        >>> c = torch.tensor([1.5, 0.9, 3.0], requires_grad=True)
        >>> x = torchopt.minimize(
        ...     lambda x, c: (x - c).square().sum(), torch.full((3,), 1 / 3), (c,),
        ...     subject_to=torchopt.sets.Simplex(3.0), solver=torchopt.solver.MirrorDescent()).params
        >>> x.detach().round(decimals=2), torch.autograd.grad(x[2], c)
        (tensor([0.7000, 0.1000, 2.2000]), (tensor([-0.3333, -0.3333,  0.6667]),))

    References:
        Nemirovski and Yudin, *Problem Complexity and Method Efficiency in Optimization*, 1983. Beck and
        Teboulle, *Mirror Descent and Nonlinear Projected Subgradient Methods*, 2003, equation 3.11.
    """

    step_size: Numeric | Callable[[torch.Tensor], Numeric] | None = checks.field(None, STEP_SIZE)
    line_search_maxiter: int = checks.field(50, checks.count(1))
    maxiter: int = 2000
    kinds = frozenset({Composite})

    def init(self, problem: FlatProblem, x: torch.Tensor) -> MirrorDescentState:
        """Return the state at the starting point."""
        point = problem.mirror_step(x, torch.zeros_like(x), 1.0)
        try:
            value, gradient = problem.value_and_gradient(point)
        except NonFiniteError as error:
            if x.isnan().any() or not point.isnan().any():
                raise
            raise NonFiniteError(
                "the mirror map of the set is not finite at the start, such as where all elements of a "
                "simplex are zero: start at a point within the set."
            ) from error
        with untracked():
            steepest = largest(gradient)
            length = power_of_two(torch.where(steepest > 0, 1 / steepest, 1.0))
        # A start outside of the set is no solution, wherever its projection is.
        return MirrorDescentState(
            problem.optimality(point, gradient) + (x - point) / problem.length,
            point,
            gradient,
            value,
            torch.ones_like(value) * length,
            torch.zeros_like(value),
            torch.zeros_like(value, dtype=torch.bool),
        )

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: MirrorDescentState
    ) -> tuple[torch.Tensor, MirrorDescentState]:
        """Return the next point, and the state there."""
        x, gradient, value = state.point, state.gradient, state.value

        def move(length: torch.Tensor) -> torch.Tensor:
            return problem.mirror_step(x, gradient, length)

        length, stuck = state.length, state.stuck
        if self.step_size is None:
            noise = rounding(value)

            def allowed(length: torch.Tensor, point: torch.Tensor) -> torch.Tensor:
                return value + gradient @ (point - x) / 2 + noise

            attempt = attempts(move, problem.value, allowed)
            trial = search(attempt, attempt(length), value, self.line_search_maxiter)
            new, stuck = trial.point, trial.refused
            # Where the test compares rounding errors, longer steps would pass it, too.
            clear = gradient @ (x - new) > 20 * noise
            length = trial.length * torch.where(clear, 1.5, 1.0)
        else:
            step_size = self.step_size(state.steps) if callable(self.step_size) else self.step_size
            new = move(step_size * torch.ones_like(length))
        value, gradient = problem.value_and_gradient(new)
        residual = problem.optimality(new, gradient)
        return new, MirrorDescentState(
            residual, new, gradient, value, length, state.steps + 1, stuck
        )

    def measured(
        self, problem: FlatProblem, x: torch.Tensor, state: MirrorDescentState
    ) -> tuple[torch.Tensor, Callable[[torch.Tensor], torch.Tensor]]:
        """Return the current point, and its optimality conditions."""
        return state.point, problem.residual

    def keeps_units(self, problem: FlatProblem) -> bool:
        """Whether the problem is run in the user's units: with given step lengths."""
        return self.step_size is not None
