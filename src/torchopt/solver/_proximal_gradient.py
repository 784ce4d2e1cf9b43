"""Proximal gradient descent, accelerated: FISTA."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.loops import any_true, likely, once
from torchopt.diff.flat_problem import FlatProblem
from torchopt.diff.kinds import Composite, Minimum
from torchopt.pytree.typing import Numeric
from torchopt.solver._proximal_step import NOISY, STEP_SIZE, Trial, attempts, rounding, search
from torchopt.solver._solver import Solver

Restart = Literal["gradient", "value", "none"]


class ProximalGradientState(NamedTuple):
    """The state of proximal gradient descent.

    Attributes:
        residual: The gradient mapping at ``point``.
        point: Where the last gradient was evaluated; a proximal step from there leads to ``x``.
        gradient: That gradient.
        next: Where the next one will be.
        momentum: The weight of FISTA, one after a restart.
        length: The length of the last step.
        trial: The length that the next step tries first.
        value: The objective at ``x``, with its term; for ``restart="value"``.
        stuck: Whether no length was short enough.
    """

    residual: torch.Tensor
    point: torch.Tensor
    gradient: torch.Tensor
    next: torch.Tensor
    momentum: torch.Tensor
    length: torch.Tensor
    trial: torch.Tensor
    value: torch.Tensor
    stuck: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class ProximalGradient(Solver[ProximalGradientState]):
    r"""Proximal gradient descent with acceleration: ISTA and FISTA.

    .. math::
        x_{k+1} &= \operatorname{prox}_{t_k g}(y_k - t_k \nabla f(y_k)) \\
        y_{k+1} &= x_{k+1} + \frac{\theta_k - 1}{\theta_{k+1}} (x_{k+1} - x_k), \qquad
        \theta_{k+1} = \frac{1 + \sqrt{1 + 4 \theta_k^2}}{2}

    The first choice for ``prox=`` and sets of :func:`torchopt.minimize`: any term or set with a cheap
    proximal operator, from a few unknowns to millions. Not for minibatches. A step costs a gradient at
    :math:`y_k` and, with the line search, the value of :math:`f` at :math:`x_{k+1}`.

    The line search halves :math:`t_k` until :math:`f(x) \le f(y) + \nabla f(y)^\top (x - y) +
    \lVert x - y \rVert^2 / 2 t_k`; after a step, the length grows by a ninth, since the curvature may
    be less elsewhere. The residual of a step is the gradient mapping
    :math:`(y_k - x_{k+1}) / t_k`; where the objective is convex, that at :math:`x_{k+1}` is no larger.

    Args:
        acceleration: Whether :math:`y` is extrapolated; without, :math:`y_k = x_k`, and the objective
            falls in each step.
        restart: When :math:`\theta` is set to one again, so that convergence is linear where the
            objective is strongly convex: ``"gradient"``, when the momentum leads away from where the
            step leads, :math:`(y_k - x_{k+1})^\top (x_{k+1} - x_k) > 0`; ``"value"``, when the
            objective rises, which costs the value of :math:`g`, and without line search that of
            :math:`f`; ``"none"``.
        step_size: A fixed step length :math:`t`, in the units of the user, without line search: a
            number or a scalar tensor, to which ``diff.Explicit()`` gives a gradient. It converges if
            :math:`t \le 1 / L`, with the largest curvature :math:`L` of :math:`f`. None for a line
            search.
        line_search_maxiter: The most halvings in a step.
        **common: Tolerances, on the norm of the residual, and ``maxiter``; see :class:`Solver`.

    Raises:
        ValueError: If an argument is out of its range.
        TypeError: If an argument has the wrong type.

    Example:
        Lasso, and how its solution depends on the penalty:

        >>> import torch, torchopt
        >>> A = torch.tensor([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
        >>> b = torch.tensor([3.0, 0.8, 1.0])
        >>> penalty = torch.tensor(1.0, requires_grad=True)
        >>> x = torchopt.minimize(
        ...     lambda x: (A @ x - b).square().sum() / 2, torch.zeros(2),
        ...     prox=torchopt.prox.L1(penalty), solver=torchopt.solver.ProximalGradient()).params
        >>> x.detach(), torch.autograd.grad(x[0], penalty)
        (tensor([1.2000, 0.0000]), (tensor(-0.2000),))

    References:
        Beck and Teboulle, *A Fast Iterative Shrinkage-Thresholding Algorithm for Linear Inverse
        Problems*, 2009, section 4. O'Donoghue and Candès, *Adaptive Restart for Accelerated Gradient
        Schemes*, 2015, equations 12 and 13. Becker, Candès and Grant, *Templates for Convex Cone
        Problems*, 2011, section 5.3 (steps that grow).
    """

    acceleration: bool = True
    restart: Restart = checks.field("gradient", checks.one_of(Restart))
    step_size: Numeric | None = checks.field(None, STEP_SIZE)
    line_search_maxiter: int = checks.field(50, checks.count(1))
    maxiter: int = 2000
    kinds = frozenset({Minimum, Composite})

    def init(self, problem: FlatProblem, x: torch.Tensor) -> ProximalGradientState:
        """Return the state at the starting point."""
        value, gradient = problem.value_and_gradient(x)
        one = torch.ones_like(value)
        length = one * (problem.step_length(x) if self.step_size is None else self.step_size)
        return ProximalGradientState(
            _moved(problem, x, gradient, length),
            x,
            gradient,
            x,
            one,
            length,
            length,
            value + problem.term_value(x) if self.restart == "value" else value,
            torch.zeros_like(value, dtype=torch.bool),
        )

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: ProximalGradientState
    ) -> tuple[torch.Tensor, ProximalGradientState]:
        """Return the next point, and the state there."""
        y, momentum = state.next, state.momentum
        value, gradient, attempt, trial = once(lambda: self._tried(problem, state.next, state))
        # Momentum may lead out of the domain: then anew from the last point.
        outside = ~(value.isfinite() & gradient.isfinite().all())
        if not likely(~(trial.refused | outside)):
            if any_true(outside):
                y, momentum = torch.where(outside, x, y), torch.where(outside, 1.0, momentum)
                value, gradient, attempt, trial = self._tried(problem, y, state)
            if self.step_size is None:
                trial = search(attempt, trial, value, self.line_search_maxiter)
        new, length = trial.point, trial.length
        residual = (y - new) / length
        clear = length * residual.square().sum() > 20 * rounding(value)
        growth = torch.where(clear, 1 / 0.9, 1.0) if self.step_size is None else 1.0

        following = (1 + (1 + 4 * momentum.square()).sqrt()) / 2
        new_value = trial.value
        if self.restart == "value":
            new_value = new_value + problem.term_value(new)
            anew = new_value > state.value
        else:
            anew = (y - new) @ (new - x) > 0
        if self.restart != "none":
            following = torch.where(anew, 1.0, following)
        weight = torch.where(following > 1, (momentum - 1) / following, 0.0)
        next = new + weight * (new - x) if self.acceleration else new
        return new, ProximalGradientState(
            residual,
            y,
            gradient,
            next,
            following,
            length,
            length * growth,
            new_value,
            trial.refused,
        )

    def _tried(
        self, problem: FlatProblem, y: torch.Tensor, state: ProximalGradientState
    ) -> tuple[torch.Tensor, torch.Tensor, Callable[[torch.Tensor], Trial], Trial]:
        """Return value and gradient at a point, what tries a step from there, and the first trial."""
        value, gradient = problem.value_and_gradient(y)
        noise = rounding(value)

        def move(length: torch.Tensor) -> torch.Tensor:
            return problem.prox(y - length * gradient, length)

        def allowed(length: torch.Tensor, point: torch.Tensor) -> torch.Tensor:
            change = point - y
            size = change.square().sum() / (2 * length)
            tolerance = torch.where(size > NOISY * noise, noise, torch.inf)
            return value + gradient @ change + size + tolerance

        attempt = attempts(move, problem.value, allowed)
        if self.step_size is None:
            return value, gradient, attempt, attempt(_first_length(state, y, gradient, noise))
        point = move(state.length)
        new_value = problem.value(point) if self.restart == "value" else value
        trial = Trial(state.length, point, new_value, torch.zeros_like(state.stuck))
        return value, gradient, attempt, trial

    def measured(
        self, problem: FlatProblem, x: torch.Tensor, state: ProximalGradientState
    ) -> tuple[torch.Tensor, Callable[[torch.Tensor], torch.Tensor]]:
        """Return the point where the gradient was evaluated, and the gradient mapping."""
        return state.point, lambda y: _moved(problem, y, problem.gradient(y), state.length)

    def keeps_units(self, problem: FlatProblem) -> bool:
        """Whether the problem is run in the user's units: with a given step length."""
        return self.step_size is not None


def _first_length(
    state: ProximalGradientState, y: torch.Tensor, gradient: torch.Tensor, noise: torch.Tensor
) -> torch.Tensor:
    """Return the length to try first: one that the gradients allow, where values are too noisy to tell.

    Where a step that is too long makes an error grow, the gradients say so as soon as it is the largest
    part of the step, however small that is.
    """
    change = (y - state.point).detach().norm()
    bend = (gradient - state.gradient).detach().norm()
    noisy = change.square() <= NOISY * noise * state.trial
    long = change > torch.finfo(y.dtype).eps ** (2 / 3) * y.detach().norm()
    safe = torch.where(
        noisy & long & (bend > 0), change / torch.where(bend > 0, bend, 1.0), torch.inf
    )
    return torch.minimum(state.trial, safe)


def _moved(
    problem: FlatProblem, x: torch.Tensor, gradient: torch.Tensor, length: torch.Tensor
) -> torch.Tensor:
    return (x - problem.prox(x - length * gradient, length)) / length
