"""Nonlinear constraints: the kind of problem whose solution is a point of Karush, Kuhn and Tucker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.compiling import uncompiled
from torchopt.autodiff.environment import leaving_no_trace
from torchopt.autodiff.exact import higher_order
from torchopt.autodiff.loops import any_true
from torchopt.autodiff.tracking import constant, tracking, untracked
from torchopt.autodiff.transforms import requires_grad, value_of
from torchopt.diff._active_set import active_set, masked_solve
from torchopt.diff.kinds import Evaluation, Objective
from torchopt.diff.solution import Solution
from torchopt.errors import DegenerateWarning
from torchopt.io.calls import CallRepr
from torchopt.linear_solve.stats import Stats
from torchopt.pytree import flattening as pytree
from torchopt.pytree.dataclass import register_dataclass
from torchopt.pytree.typing import TensorTree


class Pair(NamedTuple):
    """Something for both kinds of constraints, trees like the output of each; None without."""

    equality: Any = None
    inequality: Any = None


@register_dataclass
@dataclass(frozen=True, kw_only=True, eq=False)
class ConstrainedStats(Stats):
    r"""Statistics of a constrained problem: those of :class:`torchopt.diff.Stats`, and these.

    Attributes:
        inequality_duals: The multipliers :math:`\lambda \ge 0` of :math:`g(x) \le 0`, a tree like the
            output of that function, zero where one is not active; differentiable.
        equality_duals: The multipliers :math:`\nu` of :math:`c(x) = 0`, a tree like the output of that
            function; differentiable.

    Example:
        >>> import torch, torchopt
        >>> torchopt.minimize(
        ...     lambda x: x.square().sum(), torch.zeros(2),
        ...     subject_to=torchopt.Constraints(equality=lambda x: x.sum() - 1),
        ...     solver=torchopt.solver.AugmentedLagrangian()).stats.equality_duals.round(decimals=3)
        tensor(-1.)
    """

    inequality_duals: TensorTree = None
    equality_duals: TensorTree = None


@dataclass(frozen=True)
class Constraints(CallRepr):
    r"""Nonlinear constraints, for ``subject_to=`` of :func:`torchopt.minimize`.

    .. math:: c(x, \varphi) = 0, \qquad g(x, \varphi) \le 0

    If there is a projection, as for boxes, simplices and balls, a set of ``torchopt.sets`` is
    cheaper; for quadratic programs, :func:`torchopt.quadratic_program` is.

    Args:
        equality: ``c(params, *args)``, a tensor or a tree of them, all of whose entries are to be 0.
        inequality: ``g(params, *args)``, likewise; no entry is to be positive.

    Raises:
        TypeError: If one of them is not a function.
        ValueError: If both are missing.

    Example:
        The point of a disk that is nearest to another point:

        >>> import torch, torchopt
        >>> radius = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
        >>> centre = torch.tensor([3.0, 4.0], dtype=torch.float64)
        >>> solution = torchopt.minimize(
        ...     lambda x, radius: (x - centre).square().sum() / 2, torch.ones(2, dtype=torch.float64),
        ...     (radius,),
        ...     subject_to=torchopt.Constraints(inequality=lambda x, r: x.square().sum() - r**2),
        ...     solver=torchopt.solver.AugmentedLagrangian())
        >>> solution.params.detach()
        tensor([1.2000, 1.6000], dtype=torch.float64)
        >>> torch.autograd.grad(solution.params[0], radius)
        (tensor(0.6000, dtype=torch.float64),)
    """

    equality: Callable[..., Any] | None = None
    inequality: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        functions = {"equality": self.equality, "inequality": self.inequality}
        for name, function in functions.items():
            checks.check(name, function, checks.or_none(checks.a_function("`(params, *args)`")))
        if all(function is None for function in functions.values()):
            raise ValueError("`Constraints` has no constraints: pass `equality` or `inequality`.")


def _values(subject_to: Constraints, x: Any, args: tuple[Any, ...]) -> Pair:
    functions = (subject_to.equality, subject_to.inequality)
    return Pair(*(None if function is None else function(x, *args) for function in functions))


class _Point(NamedTuple):
    """The conditions at a point, in units in which each constraint's gradient has length one.

    Attributes:
        residual: By how much the projected step moves, a vector like ``x``.
        duals: The multipliers, a vector.
        combine: Makes the pair of them.
        strict: Whether the derivative is that of one set of active constraints.
    """

    residual: torch.Tensor
    duals: torch.Tensor
    combine: Callable[[torch.Tensor], Pair]
    strict: torch.Tensor


@dataclass(frozen=True)
class Constrained(Objective):
    r"""Minimize ``f(x)`` subject to ``c(x) = 0`` and ``g(x) <= 0``.

    It is the kind of problem of :func:`torchopt.minimize` with :class:`Constraints`.

    The residual is :math:`x - P(x - t \nabla f(x))`, where :math:`P` is the projection onto the
    constraints, linearized at :math:`x`. With the Jacobian :math:`J` of the active ones and their
    values :math:`r` it is

    .. math::
        t \nabla f + J^\top y, \qquad J J^\top y = r - t J \nabla f ,

    zero where the conditions of Karush, Kuhn and Tucker hold with the multipliers :math:`y / t`. Its
    Jacobian is regular where the gradients of active constraints are independent and the Lagrangian
    curves upwards along them; derivatives hold where complementarity is strict, so that the same
    constraints stay active.

    Args:
        function: ``f(params, *args) -> loss``, a scalar.
        has_aux: Whether the function returns a pair ``(loss, aux)``.
        subject_to: The constraints.

    Raises:
        TypeError: If the function cannot be called.

    Example:
        >>> import torch, torchopt
        >>> kind = torchopt.diff.Constrained(
        ...     lambda x, a: (x - a).square().sum(),
        ...     subject_to=torchopt.Constraints(inequality=lambda x, a: x.sum() - 3))
        >>> solution = torchopt.solver.solve(
        ...     kind, torch.zeros(2), (torch.tensor([2.0, 3.0]),),
        ...     solver=torchopt.solver.AugmentedLagrangian())
        >>> solution.params.round(decimals=3)
        tensor([1., 2.])

    References:
        Nocedal and Wright, *Numerical Optimization*, 2006, theorem 12.1 and section 18.1. Fiacco,
        *Introduction to Sensitivity and Stability Analysis in Nonlinear Programming*, 1983, chapter 3.
    """

    __promised__ = ("__init__", "subject_to")

    subject_to: Constraints = field(kw_only=True)

    def evaluate(
        self, x: Any, args: tuple[Any, ...], *, conditions: bool = False, **options: Any
    ) -> Evaluation:
        """Return the gradient of ``f``; with ``conditions``, the residual of the whole problem."""
        evaluation = super().evaluate(x, args, **options)
        if not conditions:
            return evaluation
        point, unravel = self._point(x, evaluation.residual, args)
        return evaluation._replace(residual=unravel(point.residual))

    def duals(self, x: Any, args: tuple[Any, ...]) -> tuple[Pair, torch.Tensor]:
        """Return the multipliers, as functions of a solution, and whether it is not degenerate."""
        gradient = super().evaluate(x, args, where=None).residual
        point, _ = self._point(x, gradient, args)
        return point.combine(point.duals), point.strict

    def read(self, x: Any, args: tuple[Any, ...]) -> None:
        """Evaluate all that the residual reads, for those who watch."""
        super().read(x, args)
        _values(self.subject_to, x, args)

    def constraints(self, x: Any, args: tuple[Any, ...]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the values of equalities and inequalities, each as a vector."""
        like = pytree.ravel(x)[0]
        values = _values(self.subject_to, x, args)
        named = zip(("equality", "inequality"), values, strict=True)
        equality, inequality = (vector_of(value, like, name) for name, value in named)
        return equality, inequality

    def _point(
        self, x: Any, gradient: Any, args: tuple[Any, ...]
    ) -> tuple[_Point, Callable[[torch.Tensor], Any]]:
        vector, unravel = pytree.ravel(x)
        g = pytree.ravel(gradient)[0].to(vector.dtype)
        J, r, free, combine = self._linearized(vector, unravel, args)
        with untracked():
            t = self._step_length(vector, g, unravel, args)
            lengths = torch.linalg.vector_norm(J.detach(), dim=1)
            lengths = torch.where(lengths > 0, lengths, 1.0)
        J, r = J / lengths.unsqueeze(1), r / lengths
        gram, slope = J @ J.T, t * (J @ g)
        with untracked():
            b, size = (r - slope).detach(), r.detach().abs() + slope.detach().abs()
            on, y = active_set(gram.detach(), b, size, free)
            gap = b - gram.detach() @ y
            strict = self._is_strict(on, y, gap, vector.detach(), free)
            # Of constraints that depend on others, or have no gradient, some may not hold.
            left = torch.where(on, 0.0, torch.where(free, gap, gap.relu())).norm() / len(g) ** 0.5
        y = masked_solve(gram, on, (r - slope).unsqueeze(1)).squeeze(1)
        residual = t * g + J.T @ y
        residual = residual + torch.where(residual.detach() < 0, -left, left)
        return _Point(residual, y / (t * lengths), combine, strict), unravel

    def _linearized(
        self, vector: torch.Tensor, unravel: Callable[[torch.Tensor], Any], args: tuple[Any, ...]
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, Callable[[torch.Tensor], Pair]]:
        """Return Jacobian and values of all constraints, which are equalities, and the way to trees."""

        def values(v: torch.Tensor) -> tuple[Pair, list[torch.Tensor]]:
            x = unravel(v)
            with higher_order():
                trees = _values(self.subject_to, x, args)
            named = [*zip(("equality", "inequality"), trees, strict=True)]
            for name, tree in named:
                checks.check_graph(f"`{name}`", [v], pytree.leaves(tree))
            return trees, [vector_of(tree, v, name) for name, tree in named]

        # First without a transform, so that those who watch meet there what constraints close over.
        trees, parts = values(vector)
        r, sizes = torch.cat(parts), [len(part) for part in parts]
        J = torch.func.jacrev(lambda v: torch.cat(values(v)[1]))(vector)
        free = torch.arange(len(r), device=r.device) < sizes[0]
        made = [pytree.ravel(tree)[1] for tree in trees]

        def combine(duals: torch.Tensor) -> Pair:
            parts = zip(made, duals.split(sizes), strict=True)
            return Pair(*(make(part) for make, part in parts))

        return J, r, free, combine

    def _step_length(
        self,
        x: torch.Tensor,
        g: torch.Tensor,
        unravel: Callable[[torch.Tensor], Any],
        args: tuple[Any, ...],
    ) -> torch.Tensor:
        """Return about how far the gradient may be followed, so that units do not matter."""
        x, g = x.detach(), g.detach()
        size = x.norm()

        def value(v: torch.Tensor) -> torch.Tensor:
            with higher_order():
                return self.value(unravel(v), args)[0].squeeze()

        # A direction that no structure of a problem is orthogonal to, as x itself often is.
        direction = torch.arange(1, len(x) + 1, dtype=x.dtype, device=x.device).cos()
        direction = size * direction / direction.norm()
        curvature = torch.func.vjp(torch.func.grad(value), x)[1](direction)[0].detach()
        change = g.norm() + curvature.norm()
        usable = (size > 0) & (change > 0) & change.isfinite()
        return torch.where(usable, size / torch.where(usable, change, 1.0), 1.0)

    def _is_strict(
        self,
        on: torch.Tensor,
        y: torch.Tensor,
        gap: torch.Tensor,
        x: torch.Tensor,
        free: torch.Tensor,
    ) -> torch.Tensor:
        """Return whether nearby problems have the same active constraints, all independent."""
        near = torch.finfo(x.dtype).eps ** (1 / 3) * torch.maximum(x.norm(), y.norm())
        weak = ~free & torch.where(on, y <= near, gap >= -near)
        return ~(weak | (free & ~on)).any()


@uncompiled
def with_duals(kind: Constrained, solution: Solution, args: tuple[Any, ...]) -> Solution:
    """Return a solution with its multipliers, and warn where it is degenerate."""
    with leaving_no_trace():
        duals, strict = kind.duals(solution.params, args)
    if not tracking():
        duals = constant(duals)
    elif any(requires_grad(d) for d in pytree.leaves(duals) if d is not None):
        _report_degenerate(strict)
    stats = ConstrainedStats(
        **vars(solution.stats),
        inequality_duals=duals.inequality,
        equality_duals=duals.equality,
    )
    return replace(solution, stats=stats)


def _report_degenerate(strict: torch.Tensor) -> None:
    """Warn where a solution has no derivative, or one of several multipliers."""
    if not any_true(~strict):
        return
    failed = value_of(~strict)
    which = " for some problems" if failed.numel() > 1 else ""
    checks.warn(
        f"the constraints are degenerate at the solution{which}: an inequality is active with a "
        f"multiplier near zero, or gradients of active constraints depend on one another; the "
        f"derivative is that of one set of active constraints, and others are possible.",
        DegenerateWarning,
        failed=int(failed.sum()),
    )


def vector_of(tree: Any, like: torch.Tensor, name: str = "") -> torch.Tensor:
    """Return the values of a function of constraints as one vector."""
    if tree is not None:
        checks.check_floating(*pytree.flatten(tree), name)
    return pytree.ravel(tree)[0].to(like)
