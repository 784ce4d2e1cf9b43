"""A problem as functions of one flat vector, which is how the solvers see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from torchopt.diff.kinds import FixedPoint, Kind, LeastSquares, Minimum
from torchopt.linalg import LinearOperator
from torchopt.operators.linear import jacobian_operator
from torchopt.pytree import flattening as pytree

__all__ = ["Posed", "ravel"]


def ravel(tree: Any) -> tuple[torch.Tensor, Callable[[torch.Tensor], Any]]:
    """Return the tensors of a tree in one vector, and the way back; None stays where it is."""
    leaves, spec = pytree.flatten(tree)
    like = [(i, t.shape, t.dtype) for i, t in enumerate(leaves) if t is not None]
    vector = torch.cat([t.reshape(-1) for t in leaves if t is not None])
    sizes = [shape.numel() for _, shape, _ in like]

    def unravel(vector: torch.Tensor) -> Any:
        filled: list[Any] = [None] * len(leaves)
        for (i, shape, dtype), part in zip(like, vector.split(sizes), strict=True):
            filled[i] = part.reshape(shape).to(dtype)
        return pytree.unflatten(spec, filled)

    return vector, unravel


@dataclass(frozen=True)
class Posed:
    """See :class:`torchopt.solver.Posed`; ``x`` is a flat vector throughout."""

    of: Kind
    args: tuple[Any, ...]
    unravel: Callable[[torch.Tensor], Any]

    @property
    def kind(self) -> str:
        """The name of the kind."""
        return self.of.name

    def value(self, x: torch.Tensor) -> torch.Tensor:
        """Return the objective."""
        assert isinstance(self.of, Minimum)
        return self.of.value(self.unravel(x), self.args)[0].squeeze()

    def gradient(self, x: torch.Tensor) -> torch.Tensor:
        """Return the gradient of the objective."""
        return self.residual(x)

    def value_and_gradient(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return both, from one evaluation."""
        assert isinstance(self.of, Minimum)
        value, gradient, _ = self.of.value_and_residual(self.unravel(x), self.args)
        return value, self._flat(gradient, x)

    def residual(self, x: torch.Tensor) -> torch.Tensor:
        """Return what is zero at a solution."""
        return self._flat(self.of.residual(self.unravel(x), self.args)[0], x)

    def map(self, x: torch.Tensor) -> torch.Tensor:
        """Return ``T(x)``."""
        assert isinstance(self.of, FixedPoint)
        return self._flat(self.of.output(self.unravel(x), self.args)[0], x)

    def residuals(self, x: torch.Tensor) -> torch.Tensor:
        """Return what is squared and summed."""
        assert isinstance(self.of, LeastSquares)
        return torch.cat([r.reshape(-1) for r in self.of.residuals(self.unravel(x), self.args)])

    def jacobian(self, x: torch.Tensor) -> LinearOperator:
        """Return the Jacobian of the residual; of the residuals for least squares."""
        if isinstance(self.of, LeastSquares):
            return jacobian_operator(self.residuals, x)
        return jacobian_operator(self.residual, x, symmetric=self.of.symmetric)

    def _flat(self, tree: Any, like: torch.Tensor) -> torch.Tensor:
        return ravel(tree)[0].to(like.dtype)
