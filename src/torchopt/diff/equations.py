"""The kinds of problems whose function gives the residual: equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from torchopt import checks
from torchopt.diff.kinds import Evaluation, Kind, step_of
from torchopt.diff.protocols import ProblemKind
from torchopt.pytree import flattening as pytree
from torchopt.pytree import tree_sub

__all__ = ["Equation", "FixedPoint", "OwnKind", "Root"]


class Equation(Kind):
    """What the function returns determines ``x``, a tree of the same structure."""

    def evaluate(
        self, x: Any, args: tuple[Any, ...], *, where: str | None = "", **options: Any
    ) -> Evaluation:
        """Return what the function returns, and the auxiliary output; see :class:`Kind`."""
        out, aux = self.output(x, args)
        leaves, spec = pytree.flatten(x)
        outputs, out_spec = pytree.flatten(out)
        root = f"the {self.word}'s {self.returns}{step_of(where)}"
        checks.check_same_structure(spec, out_spec, root=root, reference="its first argument")
        for index, (r, t) in enumerate(zip(outputs, leaves, strict=True)):
            path = checks.leaf_path(spec, index, self.returns)
            if (r is None) != (t is None) or not (r is None or isinstance(r, torch.Tensor)):
                raise TypeError(
                    f"`{path}` is an object of type {type(r).__name__}, but that leaf of the first "
                    f"argument is one of type {type(t).__name__}: return a tensor for each tensor."
                )
            if r is not None and r.shape != t.shape:
                raise ValueError(
                    f"the {self.word}'s `{path}` has shape {tuple(r.shape)}, but "
                    f"`{checks.leaf_path(spec, index, 'params')}` has shape {tuple(t.shape)}: return a "
                    f"tensor of that shape."
                )
        return Evaluation(out, aux)


class Root(Equation):
    """``F(x) = 0``."""


@dataclass(frozen=True)
class OwnKind(Equation):
    """A kind of a program's own, whose function is its residual.

    Attributes:
        own: The kind that the program has written.
        name: Its name.
        symmetric: Whether its residual has a symmetric Jacobian.
    """

    own: ProblemKind | None = None
    name: str = "root"
    symmetric: bool = False

    word = "problem"
    returns = "residual"

    @classmethod
    def of(cls, kind: ProblemKind) -> OwnKind:
        """Return a kind as modes and solvers see it."""
        residual = kind.residual
        function = lambda x, *args: residual(x, args)  # noqa: E731  # its closure is looked into
        return cls(function, kind.has_aux, kind, kind.name, kind.symmetric)


class FixedPoint(Equation):
    """``x = T(x)``."""

    name = "fixed_point"

    def evaluate(self, x: Any, args: tuple[Any, ...], **options: Any) -> Evaluation:
        """Return ``x - T(x)`` and the auxiliary output."""
        evaluation = super().evaluate(x, args, **options)
        return evaluation._replace(residual=tree_sub(x, evaluation.residual))
