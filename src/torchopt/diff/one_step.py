"""The one-step mode: differentiate one further step of the solver, not the way to it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias

import torch

from torchopt import checks
from torchopt.autodiff.compiling import uncompiled
from torchopt.autodiff.environment import Environment, leaving_no_trace
from torchopt.autodiff.tracking import constant, tracking, untracked
from torchopt.diff import _adjoint
from torchopt.diff._learned import refuse_learned
from torchopt.diff._products import FiniteDifference, Split
from torchopt.diff._steps import Unroll
from torchopt.diff.kinds import AT_END, AT_STEP, Composite, Objective
from torchopt.diff.problem import InnerProblem
from torchopt.diff.protocols import Differentiates
from torchopt.diff.solution import Solution
from torchopt.io.calls import CallRepr
from torchopt.operators.linear import MixedHVP
from torchopt.pytree import flattening as pytree
from torchopt.transform import scale
from torchopt.transform.chaining import GradientTransformation

__all__ = ["OneStep"]

Detached: TypeAlias = Literal["refused", "moves"]
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
    The mixed product comes from autograd (``hvp="reverse"``, the default) or from a central difference,

    .. math::
        u^\top \frac{\partial^2 f}{\partial\theta\, \partial\varphi} \approx
            \frac{\nabla_\varphi f(\theta + \epsilon u, \varphi)
                - \nabla_\varphi f(\theta - \epsilon u, \varphi)}{2 \epsilon} ,

    of two first derivatives, which needs the memory of plain training and works with any kernel. Two
    more, with half the step, estimate the error, and one more finds :math:`u`. These evaluations happen
    in the backward pass, so what the objective reads must not change before it. All of them see the
    same random numbers of PyTorch and leave buffers unchanged. Random numbers of Python or NumPy are
    not replayed; a large difference between both sides is an error. An objective that detaches a value
    of the parameters, or reads one as a number, and goes on with it is refused: a difference would move
    what autograd holds constant. A custom ``autograd.Function`` is evaluated by its ``forward``. If its
    ``backward`` is not the derivative of that, as in a straight-through quantizer, use
    ``hvp="reverse"``.

    This is the cheapest mode and the most biased: it ignores all steps but the last. Use it if the
    levels alternate and the inner problem is large. The step begins where the solver has ended, as in
    Betty; the gradient of DARTS (equation 7) is that of a step that is made: that of ``steps=1`` and
    ``diff=Explicit("step", hvp="finite_difference")``. Derivatives of higher order are those of the
    same step. The starting point gets no gradient. A tensor that is passed and never read has gradient
    zero.

    Args:
        step_size: The step size of gradient descent. By default None: the solver, which must be a
            gradient transformation, in its present state; this takes the gradient at the solution.
        hvp: ``"reverse"`` (default) is exact and keeps a second-order graph of one evaluation.
            ``"finite_difference"`` needs first derivatives only: use it where a kernel has no second
            ones, or the graph does not fit the memory.
        eps: The length of the difference step, :math:`\epsilon \|u\|`. DARTS uses 0.01; a given
            value is used as it is, with a warning if it is visibly bad. By default None: twice the
            cube root of the precision of the evaluation, times one plus the root mean square of
            :math:`\theta` (about 0.01 in float32).
        detached: Whether a finite difference of an objective that detaches is ``"refused"`` (default),
            or what is detached ``"moves"`` with the parameters, as in the code of DARTS and Betty.

    Raises:
        ValueError: If ``step_size`` or ``eps`` is not positive, or another argument is unknown.
            When solving: if ``step_size`` is given and a hyperparameter of the solver requires grad.
        RuntimeError: In the backward pass, if a difference is taken of an objective that detaches, or
            ``eps`` is None and the difference is not accurate to a tenth, as where part of the
            evaluation rounds to less than its dtype says.

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

    __promised__: ClassVar[tuple[str, ...]] = (
        *("__init__", "differentiate", "step_size", "hvp", "eps", "detached"),
    )

    step_size: float | None = None
    _: KW_ONLY
    hvp: MixedHVP = "reverse"
    eps: float | None = None
    detached: Detached = "refused"

    def __post_init__(self) -> None:
        checks.check_choice("hvp", self.hvp, MixedHVP)
        checks.check_choice("detached", self.detached, Detached)
        for name, value in (("step_size", self.step_size), ("eps", self.eps)):
            if value is not None and not 0 < value < float("inf"):
                raise ValueError(f"`{name}` is {value!r}: use a positive number, or None.")

    @property
    def differentiates(self) -> Differentiates:
        """What it goes through."""
        return "step" if self.step_size is None else "solution"

    @uncompiled
    def differentiate(self, problem: InnerProblem) -> Solution:
        """Run the solver without a graph; see :class:`DifferentiationMode`."""
        kind = problem.kind
        if not isinstance(kind, Objective):
            raise TypeError(
                f"the one-step mode differentiates a step of descent, but this is a `{kind.title}`: "
                f"use `diff.Implicit(linear_solve=torchopt.linear_solve.JacobianFree())`."
            )
        if isinstance(kind, Composite) and self.step_size is not None:
            raise TypeError(
                "the one-step mode with a `step_size` differentiates a step without constraints, but "
                "the problem has a set or a proximal term: use a gradient transformation and no "
                "`step_size`, or "
                "`diff.Implicit(linear_solve=torchopt.linear_solve.JacobianFree())`."
            )
        if problem.solver_stationarity is not None:
            raise TypeError(
                f"the one-step mode differentiates a step of descent, but the solver "
                f"{type(problem.solver).__name__} has a `stationarity` of its own: use "
                f"`diff.Implicit(linear_solve=torchopt.linear_solve.JacobianFree())`."
            )
        problem.check_batches("the one-step mode needs the last batch once more")
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
            solution = problem.run()
            if kind.has_aux and solution.aux is None:
                with leaving_no_trace():
                    inputs = (*problem.args, *problem.batch(problem.steps - 1))
                    aux = kind.output(solution.params, inputs)[1]
                solution = replace(solution, aux=constant(aux))
        if not tracking():
            return solution
        return replace(solution, params=self._stepped(problem, solution))

    def _stepped(self, problem: InnerProblem, solution: Solution) -> Any:
        """Return the solution with the derivative of a step from it."""
        theta, state = constant((solution.params, solution.state))
        last, batch = problem.steps or 0, problem.batch(problem.steps - 1)
        solver: Any = problem.solver
        if self.step_size is not None:
            solver, state = scale(-self.step_size), None
        one = replace(
            problem, params=theta, solver=solver, state=state, progress=None,
            batches=list(batch) or None,
        )  # fmt: skip
        with Environment().evaluation():
            if self.hvp == "reverse":
                steps = isinstance(problem.solver, GradientTransformation)
                where = AT_STEP if steps else AT_END
                moved = one.stepped(last, one.start(), batch, where=where).params
            else:
                moves = self.detached == "moves"
                product = FiniteDifference(eps=self.eps, refuses=not moves)
                indices = range(last, last + 1)
                unroll = Unroll(one, indices, False, "step", Split(product), False, symmetric=True)
                moved = _adjoint.run(unroll, one.start()).params
        return pytree.map_leaves(with_derivative, theta, moved)


def with_derivative(t: torch.Tensor, moved: torch.Tensor) -> torch.Tensor:
    # In this order also a negative zero stays what it is.
    return t - (moved.detach() - moved)
