"""Block coordinate descent: a proximal gradient step for one leaf after another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch

from torchopt import checks
from torchopt.diff.flat_problem import FlatProblem
from torchopt.diff.kinds import Composite, Minimum
from torchopt.pytree import flattening as pytree
from torchopt.solver._proximal_step import NOISY, Trial, rounding, search
from torchopt.solver._solver import Solver


class BlockCoordinateDescentState(NamedTuple):
    """The state of block coordinate descent.

    Attributes:
        residual: That of the problem.
        value: The objective, without its term.
        gradient: That of the value.
        lengths: The length of the next step of each block.
        stuck: Whether no length was short enough for any block.
    """

    residual: torch.Tensor
    value: torch.Tensor
    gradient: torch.Tensor
    lengths: torch.Tensor
    stuck: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class BlockCoordinateDescent(Solver[BlockCoordinateDescentState]):
    r"""Block coordinate descent, whose blocks are the leaves of the parameters.

    .. math::
        x_b \leftarrow \operatorname{prox}_{t_b g_b}(x_b - t_b \nabla_b f(x)), \qquad b = 1, 2, \dots

    one block after another, each with the newest values of the others, and with a step length
    :math:`t_b` of its own, found by a line search: about one over the curvature in this block alone.

    For objectives that are easy in each part and not in all together: factorizations of matrices,
    dictionary learning, parameters in different units. Where blocks depend strongly on one another, it
    is slow, and :class:`LBFGSB` or :class:`ProximalGradient` is better. A step costs a gradient for
    each of the ``inner_steps`` of each block, and one more where a length is halved.

    Args:
        inner_steps: How many steps are done with a block before the next has its turn.
        line_search_maxiter: The most halvings of a length.
        **common: Tolerances, on the norm of the residual, and ``maxiter``, a number of cycles; see
            :class:`Solver`.

    Raises:
        ValueError: If a number is out of its range.

    Example:
        A matrix as a product of factors without negative elements:

        >>> import torch, torchopt
        >>> A = torch.tensor([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]], dtype=torch.float64)
        >>> start = {"w": torch.eye(2, dtype=torch.float64) + 0.5, "h": torch.ones_like(A)}
        >>> solution = torchopt.minimize(
        ...     lambda p: (p["w"] @ p["h"] - A).square().sum() / 2, start,
        ...     subject_to=torchopt.sets.NonNegative(), solver=torchopt.solver.BlockCoordinateDescent(),
        ...     diff=torchopt.diff.Implicit())
        >>> torch.allclose(solution.params["w"] @ solution.params["h"], A, atol=1e-5)
        True

    References:
        Tseng and Yun, *A coordinate gradient descent method for nonsmooth separable minimization*,
        2009. Xu and Yin, *A Block Coordinate Descent Method for Regularized Multiconvex Optimization*,
        2013, equation 1.3c.
    """

    inner_steps: int = checks.field(1, checks.count(1))
    line_search_maxiter: int = checks.field(50, checks.count(1))
    maxiter: int = 5000
    kinds = frozenset({Minimum, Composite})

    def init(self, problem: FlatProblem, x: torch.Tensor) -> BlockCoordinateDescentState:
        """Return the state at the starting point."""
        value, gradient = problem.value_and_gradient(x)
        lengths = [_part(problem, x, b).inverse_curvature(x[b]) for b in _blocks(problem, x)]
        residual, never = problem.optimality(x, gradient), torch.zeros_like(value, dtype=torch.bool)
        return BlockCoordinateDescentState(residual, value, gradient, _stacked(lengths, x), never)

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: BlockCoordinateDescentState
    ) -> tuple[torch.Tensor, BlockCoordinateDescentState]:
        """Return the next point, and the state there."""
        lengths = []
        stuck = torch.ones_like(state.stuck)
        at = Trial(state.value, x, state.value, ~stuck, state.gradient)
        for block, length in zip(_blocks(problem, x), state.lengths.unbind(), strict=True):
            for _ in range(self.inner_steps):
                at = self._descend(problem, at, block, length)
                length, stuck = at.length, stuck & at.refused
            lengths.append(length)
        x, value, gradient = at.point, at.value, at.gradient
        rest = value, gradient, _stacked(lengths, x), stuck
        return x, BlockCoordinateDescentState(problem.optimality(x, gradient), *rest)

    def _descend(
        self, problem: FlatProblem, at: Trial, block: slice, length: torch.Tensor
    ) -> Trial:
        """Do a step with one block; return where it leads, with the length that the next one tries."""
        x, value, slope = at.point, at.value, at.gradient[block]
        noise = rounding(value)

        def clear(length: torch.Tensor, change: torch.Tensor) -> torch.Tensor:
            return change.square().sum() / length > NOISY * noise

        def attempt(length: torch.Tensor) -> Trial:
            moved = problem.prox(_replaced(x, block, x[block] - length * slope), length)
            point = _replaced(x, block, moved[block])
            there, gradient = problem.value_and_gradient(point)
            change = (point - x)[block]
            by_value = there - value - slope @ change - noise
            # Where values differ by rounding errors, gradients still say how curved the objective is.
            by_slope = (gradient[block] - slope) @ change / 2
            bend = torch.where(clear(length, change), by_value, by_slope)
            low = bend.isfinite() & (bend <= change.square().sum() / (2 * length))
            return Trial(length, point, there, ~low, gradient)

        trial = search(attempt, attempt(length), value, self.line_search_maxiter)
        change = (trial.point - x)[block]
        longer = trial.length * torch.where(clear(trial.length, change), 1 / 0.9, 1.0)
        pairs = zip(at._replace(length=longer, refused=trial.refused), trial, strict=True)
        kept = Trial(*(torch.where(trial.refused, old, new) for old, new in pairs))
        return kept._replace(length=longer)

    def keeps_units(self, problem: FlatProblem) -> bool:
        """Whether the problem is run in the user's units: it never is."""
        return False


def _blocks(problem: FlatProblem, x: torch.Tensor) -> Iterator[slice]:
    """Yield where each leaf lies in the vector."""
    end = 0
    for leaf in pytree.leaves(problem.unravel(x)):
        if leaf is not None and leaf.numel():
            start, end = end, end + leaf.numel()
            yield slice(start, end)


def _stacked(lengths: list[torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    return torch.stack(lengths) if lengths else x[:0]


def _replaced(x: torch.Tensor, block: slice, part: torch.Tensor) -> torch.Tensor:
    return torch.cat([x[: block.start], part, x[block.stop :]])


def _part(problem: FlatProblem, x: torch.Tensor, block: slice) -> FlatProblem:
    """Return the objective's smooth part as a function of one block."""
    return FlatProblem(Minimum(lambda v: problem.value(_replaced(x, block, v))))
