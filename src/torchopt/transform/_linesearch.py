"""Line searches as transformations: they scale the updates before them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar

import torch

from torchopt import checks
from torchopt.autodiff.gradients import value_and_gradient
from torchopt.autodiff.line_search import LineSearch, zoom
from torchopt.autodiff.loops import iterate, select
from torchopt.io.calls import records_call
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._rule import check_params, check_state
from torchopt.transform._tree_scalars import dot, dtypes_of, times
from torchopt.transform.chaining import GradientTransformation, GradientTransformationExtraArgs

_Tree = TypeVar("_Tree")


class ScaleByBacktrackingLinesearchState(NamedTuple):
    """The state of :func:`scale_by_backtracking_linesearch`.

    Attributes:
        learning_rate: The last step length.
        value: The loss there.
        num_linesearch_steps: The number of losses that were evaluated.
        decrease_error: By how much the loss exceeds what is accepted; zero if it does not.
    """

    learning_rate: Any
    value: Any
    num_linesearch_steps: Any
    decrease_error: Any


class ScaleByZoomLinesearchState(NamedTuple):
    """The state of :func:`scale_by_zoom_linesearch`.

    Attributes:
        learning_rate: The last step length.
        value: The loss there.
    """

    learning_rate: Any
    value: Any


def _repeated(
    step: Callable[[_Tree], _Tree], carry: _Tree, active: Callable[[_Tree], Any], maxiter: int
) -> _Tree:
    """Repeat a step while a condition holds; in compiled code, which cannot look, all times."""
    if not torch.compiler.is_compiling():
        return iterate(step, carry, active, maxiter=maxiter)[0]
    for _ in range(maxiter):
        carry = select(active(carry), step(carry), carry)
    return carry


def _moved(params: Any, length: torch.Tensor, updates: Any) -> Any:
    def move(p: torch.Tensor, u: torch.Tensor | None) -> torch.Tensor:
        return p if u is None else p + (length.to(p.device) * u).to(p.dtype)

    return pytree.map_leaves(move, params, updates)


class _Trial(NamedTuple):
    length: torch.Tensor
    value: torch.Tensor
    error: torch.Tensor
    number: torch.Tensor


@dataclass(frozen=True, eq=False)
class _Backtracking:
    max_steps: int
    slope_rtol: float
    decrease_factor: Any
    increase_factor: Any
    max_learning_rate: Any
    atol: float
    rtol: float

    def init(self, params: Any) -> ScaleByBacktrackingLinesearchState:
        one, count = _scalars(params)
        return ScaleByBacktrackingLinesearchState(one, one * torch.inf, count, one * torch.inf)

    def update(
        self,
        updates: Any,
        state: Any,
        params: Any = None,
        *,
        inplace: bool = True,
        value: torch.Tensor,
        value_fn: Callable[[Any], torch.Tensor],
        grad: Any,
        **extra: Any,
    ) -> tuple[Any, ScaleByBacktrackingLinesearchState]:
        check_state(state, (ScaleByBacktrackingLinesearchState,))
        check_params(params, "a line search")
        like = state.learning_rate
        with torch.no_grad():  # losses decide, and have no derivative
            slope = dot(updates, grad).to(like)
            now = value.detach().to(like)

        def attempt(trial: _Trial) -> _Trial:
            length = torch.where(
                trial.number > 0, self.decrease_factor * trial.length, trial.length
            ).to(like)
            with torch.no_grad():
                there = value_fn(_moved(params, length, updates)).to(like)
                error = there - (1 + self.rtol) * now - length * self.slope_rtol * slope
                error = torch.where(there.isfinite(), error, torch.inf).clamp(min=0.0)
            return _Trial(length, there, error, trial.number + 1)

        guess = (self.increase_factor * like).clamp(max=self.max_learning_rate).to(like)
        first = _Trial(
            guess, now, now.new_full((), torch.inf), torch.zeros_like(state.num_linesearch_steps)
        )
        last = _repeated(attempt, first, lambda t: ~(t.error <= self.atol), self.max_steps + 1)
        # Not to where the loss is no number.
        length = torch.where(last.error.isinf(), 0.0, last.length)
        new = ScaleByBacktrackingLinesearchState(length, last.value, last.number, last.error)
        return times(length, updates), new


@dataclass(frozen=True, eq=False)
class _Zoom:
    max_steps: int
    slope_rtol: float
    curv_rtol: float
    keeps: bool

    def init(self, params: Any) -> ScaleByZoomLinesearchState:
        one, _ = _scalars(params)
        return ScaleByZoomLinesearchState(one, one * torch.inf)

    def update(
        self,
        updates: Any,
        state: Any,
        params: Any = None,
        *,
        inplace: bool = True,
        value: torch.Tensor,
        value_fn: Callable[[Any], torch.Tensor],
        grad: Any,
        **extra: Any,
    ) -> tuple[Any, ScaleByZoomLinesearchState]:
        check_state(state, (ScaleByZoomLinesearchState,))
        check_params(params, "a line search")
        like = state.learning_rate
        if inplace:
            params = pytree.map_leaves(torch.Tensor.detach, params)
            value = value.detach()

        def evaluate(t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
            at = _moved(params, t, updates)
            there, slopes = value_and_gradient(value_fn, at, track=not inplace)
            slope = dot(slopes, updates).to(like)
            return there.to(like), slope, slope

        slope = dot(updates, grad).to(like)
        one = torch.ones_like(like)
        guess = torch.where(like > 0, like, one) if self.keeps else one
        start = LineSearch(torch.zeros_like(like), value.to(like), slope)
        found = zoom(
            evaluate,
            start,
            slope,
            guess,
            c1=self.slope_rtol,
            c2=self.curv_rtol,
            maxiter=self.max_steps,
            repeat=_repeated,
        )
        new = ScaleByZoomLinesearchState(found.step.to(like), found.value.to(like))
        return times(new.learning_rate, updates), new


def _scalars(params: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Return one, in the dtype of most bits among parameters, and the counter zero."""
    leaves, spec = pytree.flatten(params)
    checks.check_floating(leaves, spec, "params")
    _, dtype, device = dtypes_of(leaves)
    return (
        torch.ones((), dtype=dtype, device=device),
        torch.zeros((), dtype=torch.int64, device=device),
    )


@records_call
def scale_by_backtracking_linesearch(
    max_backtracking_steps: int,
    slope_rtol: float = 1e-4,
    *,
    decrease_factor: Hyperparameter = 0.8,
    increase_factor: Hyperparameter = 1.5,
    max_learning_rate: Hyperparameter = 1.0,
    atol: float = 0.0,
    rtol: float = 0.0,
) -> GradientTransformation:
    r"""Scale updates by a step length that decreases the loss enough (Armijo).

    .. math::
        f(\theta + \eta u) \le (1 + \text{rtol}) f(\theta)
            + c \, \eta \, \langle u, \nabla f(\theta) \rangle + \text{atol}

    The first length is the last one times ``increase_factor``, and is multiplied by ``decrease_factor``
    until the condition holds. After ``max_backtracking_steps`` of these the last length is taken, or
    zero if the loss there is NaN or infinite. The updates must lead downhill, as those of gradient
    descent do. The loss is evaluated once for each length.

    The number of lengths is constant for derivatives. So the length is differentiable in the factors,
    and constant almost everywhere in all else; the losses that are evaluated have no graph.

    ``update`` reads ``value``, ``value_fn`` and ``grad``; see
    :class:`torchopt.transform.GradientTransformationExtraArgs`. Place it last in a chain. In compiled
    code all lengths are evaluated.

    Args:
        max_backtracking_steps: The most decreases of the length.
        slope_rtol: The constant of sufficient decrease :math:`c`.
        decrease_factor: What a length is multiplied by, between 0 and 1.
        increase_factor: What the last length is multiplied by at first, not negative. These two are
            numbers or scalar tensors, which may require grad.
        max_learning_rate: The longest first length.
        atol: Absolute tolerance.
        rtol: Relative tolerance.

    Returns:
        A transformation that matches Optax's. The options ``store_grad`` and
        ``verbose`` are not there.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> tx = torchopt.chain(torchopt.sgd(1.0), scale_by_backtracking_linesearch(15))
        >>> torchopt.minimize(
        ...     lambda x: (x ** 2).sum(), torch.tensor([1.0, 2.0]), solver=tx, steps=1).params
        tensor([-0.6000, -1.2000])

    References:
        Vaswani et al., *Painless Stochastic Gradient*, 2019. Nocedal and Wright, *Numerical
        Optimization*, 2006, algorithm 3.1.
    """
    checks.check_count("max_backtracking_steps", max_backtracking_steps)
    hyperparameters.check("decrease_factor", decrease_factor, upper=1.0, schedules=False)
    for name, value in (
        ("slope_rtol", slope_rtol),
        ("increase_factor", increase_factor),
        ("max_learning_rate", max_learning_rate),
        ("atol", atol),
        ("rtol", rtol),
    ):
        hyperparameters.check(name, value, schedules=False)
    rule = _Backtracking(
        max_backtracking_steps,
        slope_rtol,
        decrease_factor,
        increase_factor,
        max_learning_rate,
        atol,
        rtol,
    )
    return GradientTransformationExtraArgs(rule.init, rule.update)


@records_call
def scale_by_zoom_linesearch(
    max_linesearch_steps: int = 20,
    slope_rtol: float = 1e-4,
    *,
    curv_rtol: float = 0.9,
    initial_guess_strategy: Literal["keep", "one"] = "keep",
) -> GradientTransformation:
    r"""Scale updates by a step length that satisfies the strong Wolfe conditions.

    .. math::
        \phi(\eta) \le \phi(0) + c_1 \eta \, \phi'(0), \qquad
        |\phi'(\eta)| \le c_2 \, |\phi'(0)|, \qquad \phi(\eta) = f(\theta + \eta u)

    It brackets a length, and zooms in by cubic interpolation; the same line search is that of
    :class:`torchopt.solver.LBFGS`. Each length costs a value and a gradient. If no length is
    acceptable, the best one with sufficient decrease is taken, or zero.

    Derivatives go through the interpolation, and so through the losses and gradients that were
    evaluated; decisions are constant.

    ``update`` reads ``value``, ``value_fn`` and ``grad``; see
    :class:`torchopt.transform.GradientTransformationExtraArgs`. Place it last in a chain. In compiled
    code all lengths are evaluated.

    Args:
        max_linesearch_steps: The most lengths to evaluate.
        slope_rtol: The constant of sufficient decrease :math:`c_1`.
        curv_rtol: The constant of curvature :math:`c_2`, more than ``slope_rtol``.
        initial_guess_strategy: The first length: the last one (``"keep"``), or 1 (``"one"``).

    Returns:
        A gradient transformation. It satisfies the conditions of Optax's
        ``scale_by_zoom_linesearch``, by a line search with other numbers.

    Raises:
        ValueError: If a number is out of range, or the strategy is not one of these.

    Example:
        >>> import torch, torchopt
        >>> tx = torchopt.chain(torchopt.sgd(1.0), scale_by_zoom_linesearch(curv_rtol=0.1))
        >>> torchopt.minimize(
        ...     lambda x: (x ** 2).sum(), torch.tensor([1.0, 2.0]), solver=tx, steps=1).params
        tensor([0., 0.])

    References:
        Nocedal and Wright, *Numerical Optimization*, 2006, algorithms 3.5 and 3.6.
    """
    checks.check_count("max_linesearch_steps", max_linesearch_steps, 1)
    checks.check_choice("initial_guess_strategy", initial_guess_strategy, Literal["keep", "one"])
    if not 0 < slope_rtol < curv_rtol < 1:
        raise ValueError(
            f"`slope_rtol` is {slope_rtol!r} and `curv_rtol` is {curv_rtol!r}: use "
            f"0 < slope_rtol < curv_rtol < 1."
        )
    keeps = initial_guess_strategy == "keep"
    rule = _Zoom(max_linesearch_steps, slope_rtol, curv_rtol, keeps)
    return GradientTransformationExtraArgs(rule.init, rule.update)
