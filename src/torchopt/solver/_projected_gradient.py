"""Projected gradient descent: proximal gradient descent on a set."""

from __future__ import annotations

from dataclasses import dataclass

from torchopt.diff.flat_problem import FlatProblem
from torchopt.diff.kinds import Composite
from torchopt.prox.term import passed
from torchopt.solver._proximal_gradient import ProximalGradient


@dataclass(frozen=True, kw_only=True, eq=False)
class ProjectedGradient(ProximalGradient):
    r"""Projected gradient descent with acceleration, for constraints.

    .. math:: x_{k+1} = P_C(y_k - t_k \nabla f(y_k))

    This is :class:`ProximalGradient` with a set :math:`C` of ``torchopt.sets`` as ``subject_to``, or a
    tree of sets; terms that are no sets are refused. Everything else, arguments too, is as there.

    The first choice for smooth objectives on sets with a cheap projection. For distributions, see
    :class:`MirrorDescent`, too; for sets whose projection is expensive, :class:`FrankWolfe`.

    Args:
        **common: The arguments of :class:`ProximalGradient`.

    Raises:
        ValueError: If an argument is out of its range; in use, if there is a term that is no set.
        TypeError: If an argument has the wrong type.

    Example:
        Non-negative least squares, and how the solution depends on the data:

        >>> import torch, torchopt
        >>> A = torch.tensor([[2.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
        >>> b = torch.tensor([3.0, -1.0, 1.0], requires_grad=True)
        >>> x = torchopt.least_squares(
        ...     lambda x: A @ x - b, torch.ones(2), subject_to=torchopt.sets.NonNegative(),
        ...     solver=torchopt.solver.ProjectedGradient()).params
        >>> x.detach(), torch.autograd.grad(x[0], b)
        (tensor([1.0000, 0.0000]), (tensor([0.3333, 0.1667, 0.1667]),))

    References:
        Goldstein, *Convex Programming in Hilbert Space*, 1964. Beck and Teboulle, *A Fast Iterative
        Shrinkage-Thresholding Algorithm for Linear Inverse Problems*, 2009.
    """

    kinds = frozenset({Composite})

    def check_kind(self, problem: FlatProblem) -> None:
        """Raise ``ValueError`` if this solver is not for such a problem."""
        super().check_kind(problem)
        if not problem.term.is_set:
            raise ValueError(
                f"`ProjectedGradient` is a solver for sets, but {passed(problem.term)}: "
                f"use `torchopt.solver.ProximalGradient()`."
            )
