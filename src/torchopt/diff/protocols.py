"""What a program may write of its own, a kind of problem or a mode, and what a mode is given."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, Literal, ParamSpec, Protocol, TypeAlias, TypeVar, runtime_checkable

from torchopt.diff.solution import Solution
from torchopt.pytree.typing import TensorTree

_P = ParamSpec("_P")
_R = TypeVar("_R")


class ProblemKind(abc.ABC):
    """What is zero at a solution: a subclass writes :meth:`residual`.

    :func:`torchopt.solver.solve` solves it with each mode that does not need an objective: not with
    :class:`OneStep`, nor with an ``hvp`` of :class:`Explicit`. Derivatives reach the arguments and all
    tensors that the kind holds. Its solvers are those whose ``kinds`` has the class or a base of it,
    and those of a :class:`Root`.

    Attributes:
        symmetric: Whether the Jacobian of the residual is symmetric; by default not. Linear solves are
            then by conjugate gradients.
        has_aux: Whether :meth:`residual` returns a pair ``(residual, aux)``; by default not.

    Example:
        The minimum of a smooth function plus a penalty with a proximal operator is where a
        proximal gradient step does not move:

        >>> import torch, torchopt
        >>> class Regularized(torchopt.diff.ProblemKind):
        ...     def __init__(self, smooth, prox):
        ...         self.smooth, self.prox = smooth, prox
        ...     def residual(self, x, args):
        ...         return x - self.prox(x - torch.func.grad(self.smooth)(x, *args), *args)
        >>> def distance(x, penalty):
        ...     return (x - torch.tensor([3.0, 0.5])).square().sum() / 2
        >>> def shrink(x, penalty):  # the proximal operator of penalty * |x|
        ...     return x.sign() * (x.abs() - penalty).relu()
        >>> penalty = torch.tensor(1.0, requires_grad=True)
        >>> x = torchopt.solver.solve(
        ...     Regularized(distance, shrink), torch.zeros(2), (penalty,),
        ...     solver=torchopt.sgd(1.0), maxiter=10, atol=1e-6).params
        >>> x.detach()
        tensor([2., 0.])
        >>> torch.autograd.grad(x[0], penalty)
        (tensor(-1.),)

    References:
        Blondel et al., *Efficient and Modular Implicit Differentiation*, 2022, table 1.
    """

    symmetric: bool = False
    has_aux: bool = False

    @abc.abstractmethod
    def residual(self, x: TensorTree, args: tuple[Any, ...]) -> TensorTree:
        """Return a tree like ``x``, zero at a solution; with ``has_aux``, a pair ``(residual, aux)``.

        Use plain differentiable operations, which work inside ``torch.func``. Take a derivative that is
        part of the residual by ``torch.func.grad``, which works in each mode.

        Args:
            x: A tree of tensors.
            args: The further arguments of the problem, and the batch of the step last.
        """


Differentiates: TypeAlias = Literal["steps", "run", "step", "conditions", "solution"]
"""What a mode goes through; see :func:`differentiated_by`."""


class Problem(Protocol):
    """What a differentiation mode is given: a problem, its solver, and a point to start from.

    All that it computes is differentiable, in grad mode, in all that the problem reads, passed or
    closed over. A mode that is to keep no graph of a run calls it under ``torch.no_grad()``.
    """

    @property
    def params(self) -> TensorTree:
        """The starting point, a tree of tensors."""
        ...

    @property
    def args(self) -> tuple[Any, ...]:
        """The further arguments, which are the same in each step."""
        ...

    def run(self) -> Solution:
        """Run the solver from the starting point until it stops."""
        ...

    def residual(self, x: TensorTree, args: tuple[Any, ...]) -> TensorTree:
        """Return what is zero at a solution, a tree like ``x``; over batches, the mean.

        It is the :meth:`~ProblemKind.residual` of the kind, or the
        :meth:`~torchopt.solver.Solver.stationarity` of a solver that has one.

        Raises:
            ValueError: If the batches are a function of the step.
        """
        ...

    def step(self, at: Solution | None = None, *, index: int = 0) -> Solution:
        """Do one step of the solver.

        Args:
            at: Where it starts, with the solver's state there; by default the starting point.
            index: The number of the step, by which it gets its batch.

        Raises:
            TypeError: If the solver is a function, which has no steps.
        """
        ...

    def at(self, params: TensorTree, args: tuple[Any, ...]) -> Problem:
        """Return the same problem with another start and other arguments."""
        ...


@runtime_checkable
class DifferentiationMode(Protocol):
    """How a solution is differentiated with respect to what its problem reads.

    An object with this one method is a mode, for ``diff=`` of :func:`torchopt.minimize` and the others.

    Example:
        A fixed point's derivative without the linear solve, by one application of the map at it:

        >>> from dataclasses import replace
        >>> import torch, torchopt
        >>> class JacobianFree:
        ...     def differentiate(self, problem):
        ...         with torch.no_grad():
        ...             solution = problem.run()
        ...         x = solution.params
        ...         return replace(solution, params=x - problem.residual(x, problem.args))
        >>> b = torch.tensor(1.0, requires_grad=True)
        >>> x = torchopt.fixed_point(
        ...     lambda x, b: 0.1 * x + b, torch.tensor(0.0), (b,), diff=JacobianFree()).params
        >>> torch.autograd.grad(x, b)  # exactly, 1 / (1 - 0.1)
        (tensor(1.),)

    References:
        Fung et al., *JFB: Jacobian-Free Backpropagation for Implicit Networks*, 2022.
    """

    def differentiate(self, problem: Any) -> Solution:
        """Solve the problem, so that autograd can go through the solution.

        Args:
            problem: The problem, a :class:`Problem`.
        """
        ...


class FunctionMode(Protocol):
    """How a plain function is differentiated: a mode that is called with one, as :class:`ZeroOrder`.

    Example:
        Straight through: the value of a function, the derivative of the identity.

        >>> import torch
        >>> def straight_through(function):
        ...     def differentiable(x):
        ...         return x + (function(x) - x).detach()
        ...     return differentiable
        >>> x = torch.tensor(1.6, requires_grad=True)
        >>> y = straight_through(torch.round)(x)
        >>> y.item(), torch.autograd.grad(y, x)
        (2.0, (tensor(1.),))

    References:
        Bengio et al., *Estimating or Propagating Gradients Through Stochastic Neurons for Conditional
        Computation*, 2013.
    """

    def __call__(self, function: Callable[_P, _R], /) -> Callable[_P, _R]:
        """Return a function with the same values and derivatives."""
        ...


def differentiated_by(mode: DifferentiationMode) -> Differentiates:
    """Return what a mode goes through, so what a multilevel program must keep of a level for it.

    It is the mode's attribute ``differentiates``; one without it gets a run.

    ================  ========================================================================
    ``"steps"``       the graph of each step; in a program of problems, by :class:`Explicit` only
    ``"run"``         the latest steps, made again as a whole
    ``"step"``        the last point, and one further step of the level's own optimizer from it
    ``"conditions"``  the last point, and the residual there, with the optimizer's weight decay;
                      coupled levels are solved together
    ``"solution"``    the last point, and the objective there without the optimizer
    ================  ========================================================================
    """
    kind: Differentiates = getattr(mode, "differentiates", "run")
    return kind
