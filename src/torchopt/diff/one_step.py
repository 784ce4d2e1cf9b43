"""The one-step mode: differentiate one further step of the solver, not the way to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, TypeAlias

import torch

from torchopt import checks
from torchopt.autodiff.compiling import uncompiled
from torchopt.autodiff.environment import Environment, leaving_no_trace
from torchopt.autodiff.frozen import watched
from torchopt.autodiff.tracking import constant, tracking, untracked
from torchopt.diff._learned import refuse_learned
from torchopt.diff._mixed_difference import gradient_by_difference
from torchopt.diff.kinds import AT_END, Composite, Minimum
from torchopt.diff.problem import InnerProblem
from torchopt.diff.protocols import Differentiates
from torchopt.diff.solution import Solution
from torchopt.io.calls import CallRepr
from torchopt.operators.linear import MixedHVP
from torchopt.pytree import flattening as pytree
from torchopt.transform.chaining import GradientTransformation
from torchopt.transform.extra_args import select

__all__ = ["OneStep"]

Detached: TypeAlias = Literal["held", "moves"]
"""What becomes of detached values in a finite difference."""


@dataclass(frozen=True)
class OneStep(CallRepr):
    r"""Differentiate one further step of the solver.

    The derivative of the solution is replaced by that of one more step, :math:`\theta' = \theta +
    \Delta(\nabla_\theta f(\theta, \varphi))`, in which :math:`\theta` and the solver's state are
    constants:

    .. math::
        v^\top \frac{d\theta'}{d\varphi}
            = u^\top \frac{\partial^2 f}{\partial\theta\, \partial\varphi},
        \qquad u^\top = v^\top \frac{\partial \Delta}{\partial g},

    where :math:`u = -\eta v` for gradient descent (``step_size``). In general it contains the Jacobian
    of the solver's update, including momentum, adaptive denominators, bias correction and clipping.
    The mixed product comes from autograd (``hvp="reverse"``) or from a central difference,

    .. math::
        u^\top \frac{\partial^2 f}{\partial\theta\, \partial\varphi} \approx
            \frac{\nabla_\varphi f(\theta + \epsilon u, \varphi)
                - \nabla_\varphi f(\theta - \epsilon u, \varphi)}{2 \epsilon} ,

    of two first derivatives, which needs the memory of plain training and works with any kernel. Two
    more, with half the step, estimate the error. These
    evaluations happen in the backward pass, so the objective's inputs must not change before it. All
    evaluations see the same random numbers of PyTorch and leave buffers unchanged. Random numbers of
    Python or NumPy are not replayed; a large difference between both sides is an error. Values that
    the objective detaches, compares or reads as a number stay constant, as for autograd, unless
    ``detached="moves"``: an evaluation at the solution finds them. A custom
    ``autograd.Function`` is evaluated by its ``forward``. If its ``backward`` is not the derivative of
    that, as in a straight-through quantizer, the result differs from autograd's. Then write
    ``x + (quantize(x) - x).detach()``, which is followed, or use ``hvp="reverse"``.

    This is the cheapest mode and the most biased: it ignores all steps but the last. Use it if the
    levels alternate and the inner problem is large. Derivatives of higher order are those of the same
    step. The starting point gets no gradient. A tensor that is passed and never read has gradient
    zero.

    Args:
        step_size: The step size of gradient descent. By default None: the solver, which must be a
            gradient transformation, in its present state; this takes the gradient at the solution.
        hvp: ``"finite_difference"`` or ``"reverse"``. The latter is exact, keeps a second-order graph,
            and also reaches tensors that the objective closes over; the former refuses these.
        epsilon: The length of the difference step, :math:`\epsilon \|u\|`. DARTS uses 0.01; a given
            value is used as it is, with a warning if it is visibly bad. By default None: twice the
            cube root of the precision of the evaluation, times one plus the root mean square of
            :math:`\theta` (about 0.01 in float32). If the estimated error is large, as where part of
            the evaluation rounds to less than that, a search with about fifty gradients finds a
            better step.
        detached: Whether values that the objective detaches, compares or reads as a number are
            ``"held"`` in a finite difference (default), as for autograd, or whether each ``"moves"``
            with the parameters, as in the code of DARTS and Betty.

    Raises:
        ValueError: If ``step_size`` or ``epsilon`` is not positive, or another argument is unknown.
            When solving: if ``step_size`` is given and a hyperparameter of the solver requires grad.
        RuntimeError: In the backward pass, if ``epsilon`` is None and no difference is accurate to a
            tenth.

    Example:
        The gradient with respect to the weights of two samples, one of which is wrong:

        >>> import torch, torchopt
        >>> y = torch.tensor([1.0, 5.0])
        >>> weights = torch.ones(2, requires_grad=True)
        >>> def objective(x, weights):
        ...     return (weights * (x - y) ** 2).sum()
        >>> solution = torchopt.minimize(
        ...     objective, torch.tensor(3.0), (weights,), solver=torchopt.sgd(0.1), steps=1,
        ...     diff=torchopt.diff.OneStep())
        >>> (solution.params - 1.0).square().backward()
        >>> weights.grad
        tensor([-1.6000,  1.6000])

    References:
        Luketina et al., *Scalable Gradient-Based Tuning of Continuous Regularization Hyperparameters*,
        2016 (T1-T2). Liu et al., *DARTS: Differentiable Architecture Search*, 2019, equation 8. Choe
        et al., *Making Scalable Meta Learning Practical*, 2023 (SAMA).
    """

    step_size: float | None = None
    _: KW_ONLY
    hvp: MixedHVP = "finite_difference"
    epsilon: float | None = None
    detached: Detached = "held"

    def __post_init__(self) -> None:
        checks.check_choice("hvp", self.hvp, MixedHVP)
        checks.check_choice("detached", self.detached, Detached)
        for name, value in (("step_size", self.step_size), ("epsilon", self.epsilon)):
            if value is not None and not 0 < value < float("inf"):
                raise ValueError(f"`{name}` is {value!r}: use a positive number, or None.")

    @property
    def differentiates(self) -> Differentiates:
        """What it goes through; see :class:`LevelMode`."""
        return "step" if self.step_size is None else "solution"

    @uncompiled
    def solve(self, problem: InnerProblem) -> Solution:
        """Run the solver without a graph; see :class:`DifferentiationMode`."""
        kind = problem.kind
        if not isinstance(kind, Minimum):
            raise TypeError(
                f"the one-step mode differentiates a step of descent, but this is a {kind.name}: "
                f"use `diff.Implicit(linear_solve=torchopt.linear_solve.solve_jacobian_free())`."
            )
        if isinstance(kind, Composite) and self.step_size is not None:
            raise TypeError(
                "the one-step mode with a `step_size` differentiates a step without constraints, but "
                "the problem has `plus`: use a gradient transformation and no `step_size`, or "
                "`diff.Implicit(linear_solve=torchopt.linear_solve.solve_jacobian_free())`."
            )
        if problem.solver_stationarity is not None:
            raise TypeError(
                f"the one-step mode differentiates a step of descent, but the solver "
                f"{type(problem.solver).__name__} has a `stationarity` of its own: use "
                f"`diff.Implicit(linear_solve=torchopt.linear_solve.solve_jacobian_free())`."
            )
        if callable(problem.batches):
            raise ValueError(
                "the one-step mode needs the last batch once more, but `batches` is a function: pass "
                "a list of them or stack them in a tree, or pass all data in `args`."
            )
        if self.step_size is None and not isinstance(problem.solver, GradientTransformation):
            raise TypeError(
                f"the solver is an object of type {type(problem.solver).__name__} without an update "
                f"to differentiate: give the mode a `step_size`, or use a gradient transformation."
            )
        if self.step_size is not None and tracking():
            refuse_learned(
                problem.solver, "the step that is differentiated has a `step_size` instead"
            )
        with untracked():
            solution = _run(problem)
            if kind.has_aux and solution.aux is None:
                with leaving_no_trace():
                    aux = kind.output(solution.params, _inputs(problem))[1]
                solution = replace(solution, aux=constant(aux))
        if not tracking():
            return solution
        theta, state = constant((solution.params, solution.state))
        inputs = _inputs(problem)
        update = self._update(problem.solver, state, theta)
        # Among the evaluations of a finite difference, values must move as their derivative says.
        if self.hvp == "reverse" or watched():
            return replace(solution, params=_stepped(kind, theta, inputs, update))
        if checks.transforms_active():
            raise RuntimeError(
                "finite differences do not run inside of a transform of `torch.func`: use "
                '`diff.OneStep(hvp="reverse")`.'
            )
        if self.step_size is None and problem.reads:
            raise ValueError(
                f"the solver's update reads {', '.join(map(repr, sorted(problem.reads)))}, of which no "
                f'finite difference is taken: use `diff.OneStep(hvp="reverse")`.'
            )
        grads = gradient_by_difference(
            kind,
            theta,
            inputs,
            valued=self.step_size is None,  # else only its derivative counts
            epsilon=self.epsilon,
            holds=self.detached == "held",
        )
        return replace(solution, params=_moved(theta, update(grads)))

    def _update(self, solver: Any, state: Any, theta: Any) -> Callable[..., Any]:
        if self.step_size is None:
            return lambda grads, **extra: solver.update(
                grads, state, params=theta, inplace=False, **select(solver, extra)
            )[0]
        step = -self.step_size
        return lambda grads, **_: pytree.map_leaves(lambda g: step * g, grads)


def _inputs(problem: InnerProblem) -> tuple[Any, ...]:
    """Return the arguments of the objective after the parameters, at the last step."""
    return (*problem.args, *problem.batch(problem.steps - 1))


def _run(problem: InnerProblem) -> Solution:
    """Return the last point, the solver's state and the auxiliary output there."""
    if problem.steps or not isinstance(problem.solver, GradientTransformation):
        return problem.run()
    return problem.start().solution(iterations=torch.zeros((), dtype=torch.int64, device="cpu"))


def _stepped(kind: Minimum, theta: Any, inputs: tuple[Any, ...], update: Callable[..., Any]) -> Any:
    """Return theta with the derivative of a step from it."""
    environment = Environment()
    with environment.evaluation():
        grads, _, value, _ = kind.evaluate(theta, inputs, where=AT_END, tracked=True)

    def value_fn(params: Any) -> torch.Tensor:
        with environment.evaluation():
            return kind.value(params, inputs)[0]

    return _moved(theta, update(grads, value=value, value_fn=value_fn))


def _moved(theta: Any, updates: Any) -> Any:
    """Return theta with the derivative of its updates."""
    leaves, spec = pytree.flatten(theta)
    # In this order also a negative zero stays what it is.
    moved = [
        t if t is None or d is None else (t - (d.detach() - d)).to(t.dtype)
        for t, d in zip(leaves, pytree.leaves(updates), strict=True)
    ]
    return pytree.unflatten(spec, moved)
