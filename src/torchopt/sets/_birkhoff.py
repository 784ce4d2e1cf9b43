"""Doubly stochastic matrices."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from torchopt import checks
from torchopt.io.optional import optional
from torchopt.prox.vectors import A_SQUARE_MATRIX
from torchopt.pytree.typing import Numeric
from torchopt.sets._transport_polytope import TransportPolytope


@dataclass(frozen=True, eq=False)
class Birkhoff(TransportPolytope):
    r"""Non-negative square matrices whose rows and columns have the sum 1: soft permutations.

    .. math:: C = \{X \geq 0, \; X 1 = 1, \; X^\top 1 = 1\}

    Its corners are the permutations. Projection and mirror map are those of
    :class:`TransportPolytope`: the projection of a score matrix, times a large number, is a permutation
    in most of its elements, and the mirror step is Sinkhorn's operator.

    The linear minimizer, for :class:`torchopt.solver.FrankWolfe`, is the permutation of least cost, the
    linear assignment. It is found by SciPy on the CPU, and needs the extra ``scipy``:
    ``pip install "torchopt-diff[scipy]"``.

    Raises:
        ValueError: In use, if a leaf is no square matrix.
        ImportError: In use, if a linear minimizer is asked for and SciPy is not installed.

    Example:
        >>> import torch, torchopt
        >>> torchopt.sets.Birkhoff().project(torch.tensor([[1.0, 0.5], [0.0, 0.5]]))
        tensor([[0.7500, 0.2500],
                [0.2500, 0.7500]])

    References:
        Birkhoff, *Tres observaciones sobre el álgebra lineal*, 1946. Mena et al., *Learning Latent
        Permutations with Gumbel-Sinkhorn Networks*, 2018. Crouse, *On implementing 2D rectangular
        assignment algorithms*, 2016 (the assignment).
    """

    rows: Numeric = field(default=1.0, init=False, repr=False)
    columns: Numeric = field(default=1.0, init=False, repr=False)

    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the nearest doubly stochastic matrices."""
        checks.check("the leaf", x, A_SQUARE_MATRIX)
        return super().project_leaf(x)

    def linear_minimizer_leaf(self, gradient: torch.Tensor) -> torch.Tensor:
        """Return the permutation matrices of least cost."""
        checks.check("the leaf", gradient, A_SQUARE_MATRIX)
        permutation: torch.Tensor = _Assignment.apply(gradient)
        return permutation

    def mirror_step_leaf(
        self, x: torch.Tensor, gradient: torch.Tensor, step_size: Numeric
    ) -> torch.Tensor:
        """Return a step of exponentiated gradient descent, scaled to be doubly stochastic."""
        checks.check("the leaf", x, A_SQUARE_MATRIX)
        return super().mirror_step_leaf(x, gradient, step_size)


class _Assignment(torch.autograd.Function):
    """The permutation matrices of least cost, whose derivative is zero."""

    @staticmethod
    def forward(costs: torch.Tensor) -> torch.Tensor:
        assign = optional("scipy.optimize", "scipy", "`linear_minimizer` of `Birkhoff`")
        size = costs.shape[-1]
        flat = costs.detach().reshape(-1, size, size).double().cpu()
        columns = [
            torch.from_numpy(assign.linear_sum_assignment(matrix.numpy())[1]) for matrix in flat
        ]
        place = torch.stack(columns).reshape(costs.shape[:-1]) if columns else costs[..., 0].long()
        return torch.nn.functional.one_hot(place.to(costs.device), size).to(costs)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor], output: torch.Tensor) -> None:
        ctx.mark_non_differentiable(output)

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> None:
        return None

    @staticmethod
    def jvp(ctx: Any, tangent: torch.Tensor) -> None:
        return None

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[int | None], costs: torch.Tensor
    ) -> tuple[torch.Tensor, int | None]:
        if in_dims[0] is None:
            return _Assignment.apply(costs), None
        return _Assignment.apply(costs.movedim(in_dims[0], 0)), 0
