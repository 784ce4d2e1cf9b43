"""The implicit mode: differentiate the conditions that a solution meets, not the way to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import torch
from torch.compiler import is_dynamo_compiling

from torchopt import checks
from torchopt.autodiff.compiling import break_graph, uncompiled
from torchopt.autodiff.environment import leaving_no_trace
from torchopt.autodiff.loops import any_true, norm
from torchopt.autodiff.tracking import constant, tracking, untracked
from torchopt.autodiff.transforms import value_of
from torchopt.diff._learned import Start, refuse_learned
from torchopt.diff.constrained import Constrained
from torchopt.diff.implicit._compiled import refusal, solve_compiled
from torchopt.diff.kinds import Composite, Minimum, SumOfSquares
from torchopt.diff.newton_step import DENSE, newton_step
from torchopt.diff.problem import InnerProblem
from torchopt.diff.protocols import Differentiates
from torchopt.diff.solution import Solution, measured
from torchopt.errors import NotConvergedWarning
from torchopt.io.calls import CallRepr
from torchopt.linear_solve import CG, GMRES
from torchopt.linear_solve.checking import check_linear_solver
from torchopt.linear_solve.dense import columns_of
from torchopt.operators.implicit_function import Conditions, conditions
from torchopt.operators.linear import HVP, LinearOperator
from torchopt.pytree import flattening as pytree
from torchopt.pytree import tree_add_scalar_mul, tree_sub
from torchopt.pytree.typing import TensorTree

#: A step of Newton's method after which no residual, beside that at the start, says anything else.
_TINY = 1e-3


def default_linear_solve(*, symmetric: bool) -> Callable[..., Any]:
    """Return conjugate gradients for a minimum; GMRES for a root or a fixed point."""
    return CG() if symmetric else GMRES()


@dataclass(frozen=True)
class Implicit(CallRepr):
    r"""Differentiate the optimality conditions of a solution (implicit function theorem).

    At a solution a residual is zero, :math:`F(\theta^*, \varphi) = 0`: the gradient of an objective,
    the function of a root problem, :math:`\theta - T(\theta, \varphi)` of a fixed point, or the
    :meth:`~torchopt.solver.Solver.stationarity` of a solver that defines one. Therefore

    .. math::
        v^\top \frac{d\theta^*}{d\varphi} = -u^\top \frac{\partial F}{\partial \varphi},
        \qquad \left(\frac{\partial F}{\partial \theta}\right)^{\!\top} u = v .

    Memory does not grow with the number of solver steps, and the solver may be any function. Use this
    mode if the inner problem is solved accurately: the error of the derivative is of the order of the
    solution's error. If it is large, a ``NotConvergedWarning`` estimates it. The starting point gets
    no gradient.

    Derivatives reach everything that the residual reads, passed or closed over, in reverse and forward
    mode, under ``vmap``, and to any order. A tensor that is passed and never read has gradient zero.

    Inside ``torch.compile``, the function is traced once, and the linear solve runs as one compiled
    loop; it warns or raises as elsewhere. There, ``derivative_error`` is not estimated: look at
    ``solution.error``. GMRES (the default for roots and fixed points), functions as linear solvers and
    preconditioners that draw random numbers run eagerly within compiled code, with a
    ``NotCompiledWarning``. What is not compiled at all, with the reason: problems for solvers such as
    ``LBFGS()``, ``atol=`` and ``rtol=``, ``batches=``, and forward mode.

    Args:
        linear_solve: The linear solver for ``A u = v`` (see :mod:`torchopt.linear_solve`), called as
            ``linear_solve(operator, v)`` on trees like the solution. The default is ``CG()``
            for minima and least squares, and ``GMRES()`` for roots and fixed points.
        hvp: How to compute products with the Jacobian of the residual (the Hessian, for a minimum).
            ``"reverse"``: pullbacks on one stored graph. ``"forward"``: forward mode, without a
            second-order graph, if the Jacobian is symmetric (transposed products are pullbacks).
            ``"gauss_newton"``: :math:`J^\top J` instead of the Hessian, for least squares.

    Raises:
        ValueError: If ``hvp`` is unknown.
        TypeError: If ``linear_solve`` cannot be called.

    Warns:
        TorchOptWarning: In the backward pass, if a gradient with respect to the starting point is
            taken, which is zero, and the conditions do not read it. Parameters of modules, which
            require grad by default, are warned of only if the solution depends on nothing else.

    Example:
        The derivative of a ridge regression with respect to its penalty:

        >>> import torch, torchopt
        >>> X, y = torch.tensor([[1.0], [2.0]]), torch.tensor([1.0, 3.0])
        >>> penalty = torch.tensor(1.0, requires_grad=True)
        >>> def objective(w, penalty):
        ...     return (X @ w - y).square().sum() + penalty * w.square().sum()
        >>> solution = torchopt.minimize(
        ...     objective, torch.zeros(1), (penalty,), solver=torchopt.solver.LBFGS(),
        ...     diff=torchopt.diff.Implicit())
        >>> solution.params.sum().backward()  # w = 7 / (5 + penalty)
        >>> penalty.grad
        tensor(-0.1944)

    References:
        Bengio, *Gradient-Based Optimization of Hyperparameters*, 2000. Rajeswaran et al.,
        *Meta-Learning with Implicit Gradients*, 2019, lemma 1. Blondel et al., *Efficient and Modular
        Implicit Differentiation*, 2022, section 2.
    """

    differentiates: ClassVar[Differentiates] = "conditions"
    __promised__: ClassVar[tuple[str, ...]] = ("__init__", "differentiate", "hvp", "linear_solve")

    linear_solve: Callable[..., TensorTree] | None = None
    _: KW_ONLY
    hvp: HVP = "reverse"

    def __post_init__(self) -> None:
        checks.check_choice("hvp", self.hvp, HVP)
        check_linear_solver(self.linear_solve)

    def differentiate(self, problem: InnerProblem) -> Solution:
        """Run the solver without a graph; see :class:`DifferentiationMode`."""
        if is_dynamo_compiling():
            reason = refusal(problem)
            if reason is None:
                return solve_compiled(self, problem)
            break_graph(reason)
        return self._solve(problem)

    @uncompiled
    def _solve(self, problem: InnerProblem) -> Solution:
        kind = problem.kind
        problem.check_batches("the implicit mode must know all batches at the solution")
        gauss_newton = self.hvp == "gauss_newton"
        if gauss_newton and problem.solver_stationarity is not None:
            raise ValueError(
                f'`hvp="gauss_newton"` stands for the Hessian of a least-squares problem, but '
                f"{type(problem.solver).__name__} has a `stationarity` of its own: use another `hvp`."
            )
        if gauss_newton and not isinstance(kind, SumOfSquares):
            raise ValueError(
                '`hvp="gauss_newton"` needs residuals: use `torchopt.least_squares`, or another `hvp`.'
            )
        if tracking():
            refuse_learned(
                problem.solver,
                "a solution does not depend on how it is found: by `Implicit` its gradient is zero",
                apart_from=kind.term if isinstance(kind, Composite) else None,
            )
        with untracked():
            solution = constant(problem.run())
            problem = problem.measured_at(solution.params)
        start = Start(problem.params, "Implicit")
        inputs = (problem.args, problem.batches, start.alias)
        carry = None if problem.carry is None else solution.state[1]

        first: list[Any] = []  # the evaluation at the solution itself

        def residual(x: Any, args: Any, batches: Any, _start: Any) -> Any:
            where = None if first else ""
            evaluation = problem.conditions(x, args, batches, carry, where=where)
            if not first:
                first.append(constant(evaluation._replace(root=None)))
                start.note((args, batches), evaluation.residual)
            return evaluation.residual

        def residuals(x: Any, args: Any, batches: Any, _start: Any) -> Any:
            assert isinstance(kind, SumOfSquares)
            return kind.residuals(x, args)

        held: Conditions | None = None
        params, symmetric = solution.params, problem.is_symmetric
        if tracking():
            held = conditions(
                residual,
                params,
                inputs=inputs,
                linear_solve=self.linear_solve or default_linear_solve(symmetric=symmetric),
                symmetric=symmetric,
                hvp="reverse" if self.hvp == "gauss_newton" else self.hvp,
                residuals=residuals if gauss_newton else None,
            )
            params = held.root()
            if problem.is_whole:
                start.compare(params)
        if solution.error is None:
            if not first:
                with untracked(), leaving_no_trace():
                    residual(solution.params, *inputs)
            at_end = first[0]
            aux = at_end.aux if solution.aux is None else solution.aux
            solution = replace(solution, value=at_end.value, aux=aux)
            solution = measured(solution, error=norm(at_end.residual))
            if held is not None and problem.is_whole and not torch.compiler.is_compiling():
                off = _report(problem, solution, at_end.residual, held)
                solution = measured(solution, derivative_error=off)
        elif held is not None and problem.solver_stationarity is None and problem.is_whole:
            # A solver whose points are no zeros of the residual, though it says that it converged.
            value = first[0].residual
            if any_true(norm(value) > 100 * solution.error):
                _report(problem, measured(solution, error=norm(value)), value, held)
        return replace(solution, params=params)


def _report(
    problem: InnerProblem, solution: Solution, value: Any, held: Conditions
) -> torch.Tensor:
    """Estimate the relative error of a derivative; warn if the solution is none.

    It is the residual divided by its slope along itself, which is about the distance to the solution,
    relative to the distance from the start, or to the size of the solution where that is the start. If
    this is large and the residual is small beside that at the start, their ratio is the estimate. What
    a function returns is judged by the step of Newton's method first, as solvers judge themselves.
    """
    error, iterations = solution.stats.error, solution.stats.iterations
    assert error is not None
    step = torch.zeros_like(error)
    with untracked():
        if not (problem.is_fixed_length or problem.iterative):
            step = _newton_step(problem, solution.params, value, held)
            if not any_true(~(step <= _TINY)):
                return step
            step = step.nan_to_num(0.0, torch.inf)
        size = norm(solution.params)
        way = norm(tree_sub(problem.params, solution.params))
        scale = torch.maximum(size, way)
        slope = _slope(problem, solution.params, value, held, scale) / error
        left = torch.where(error > 0, error / slope, error)
        # A function may return its start: a solution from elsewhere, which need not be exact.
        stayed = (way == 0) & (not problem.is_fixed_length)
        far = (left > 0.1 * way) & (left > torch.where(stayed, 0.5, 0.01) * size)
        tiny = torch.finfo(size.dtype).eps ** 0.5
        far = far & ((scale > 0) & ~stayed | (left > tiny))  # else no scale: rounding of zero, say
        relative = torch.where(error > 0, left / torch.where(way > 0, way, size), error)
        if any_true(far):
            ratio = error / norm(held.residual(problem.params))
            relative = torch.where(far & (ratio <= 0.01), ratio, relative)
            far = far & (ratio > 0.01)
        step = torch.where(stayed, 0.0, step)
        far, relative = far | (step > 0.05), torch.maximum(relative, step)
        failed, worst = value_of(far), value_of(torch.where(far, relative, 0.0)).max()
    if not failed.any():
        return relative
    which = " for some problems" if failed.numel() > 1 else ""
    more = "do more steps"
    if problem.iterative:
        more = "if the solver looks for other points, give it a `stationarity`"
    elif any_true(far & stayed):
        more = "the solver returned its start: let it solve the problem"
    checks.warn(
        f"`Implicit` differentiates a point{which} that is no solution: its residual is not small "
        f"beside that at the start (the attribute `derivative_error` of this warning estimates how far "
        f"off the derivative is); {more}, or differentiate the steps by `torchopt.diff.Explicit()`.",
        NotConvergedWarning,
        error=float(value_of(error).max()),
        iterations=0 if iterations is None else int(value_of(iterations).max()),
        failed=int(failed.sum()),
        derivative_error=float(worst),
    )
    return relative


def _slope(
    problem: InnerProblem, x: Any, value: Any, held: Conditions, scale: torch.Tensor
) -> torch.Tensor:
    """Return the norm of the product of the Jacobian with the residual."""
    if held.equation.held is not None and problem.is_symmetric:
        try:
            return norm(held.pullback(value))
        except torch.OutOfMemoryError:
            raise
        except (RuntimeError, ValueError):  # it has no derivative
            pass
    size, eps = norm(value), torch.finfo(scale.dtype).eps
    length = eps**0.5 * torch.where(scale > 0, scale, 1.0) / torch.where(size > 0, size, 1.0)
    there = held.residual(tree_add_scalar_mul(x, value, length))
    return norm(tree_sub(there, value)) / length


def _newton_step(problem: InnerProblem, params: Any, value: Any, held: Conditions) -> torch.Tensor:
    """Return Newton's step from what a function returned, relative to the unknowns; NaN if unknown."""
    x, unravel = pytree.ravel(params)
    x = x.detach()
    smooth = not isinstance(problem.kind, (Composite, Constrained))
    if not smooth or not 0 < x.numel() <= DENSE:
        return torch.full_like(x.sum(), torch.nan)
    graph = held.equation.held

    def products(rows: torch.Tensor) -> torch.Tensor:
        assert graph is not None
        transposed = LinearOperator(lambda u: pytree.ravel(held.pullback(unravel(u)))[0])
        J = columns_of(transposed, rows, batched=True, chunk_size=None).mT
        graph.keep(J)  # the rows are all unit vectors
        return J

    return newton_step(
        lambda x: pytree.ravel(held.residual(unravel(x)))[0],
        x,
        pytree.ravel(value)[0],
        largest=x.abs(),
        tolerance=0.05,
        symmetric=problem.is_symmetric,
        minimum=problem.is_symmetric and isinstance(problem.kind, Minimum),
        held=None if graph is None else products,
    )
