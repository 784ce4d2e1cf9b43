"""The kinds of problems whose function gives the residual: equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from torchopt import checks
from torchopt.diff.kinds import Evaluation, Kind
from torchopt.diff.protocols import ProblemKind
from torchopt.pytree import flattening as pytree
from torchopt.pytree import tree_sub

__all__ = ["Equation", "FixedPoint", "OwnKind", "Root", "leaves_like"]


def leaves_like(tree: Any, params: Any, root: str, reference: str = "`params`") -> list[Any]:
    """Return the leaves of a tree, which has a tensor of the same shape for each tensor of another.

    Args:
        tree: The tree.
        params: The other.
        root: What the tree is, for errors.
        reference: What the other is.
    """
    leaves, spec = pytree.flatten(params)
    found, found_spec = pytree.flatten(tree)
    checks.check_same_structure(spec, found_spec, root=root, reference=reference)
    for index, (r, t) in enumerate(zip(found, leaves, strict=True)):
        if r is None and t is None:
            continue
        if isinstance(r, torch.Tensor) and t is not None and r.shape == t.shape:
            continue
        path, wanted = (checks.leaf_path(spec, index, of) for of in (root, "params"))
        if not isinstance(r, torch.Tensor) or t is None:
            raise TypeError(
                f"`{path}` is an object of type {type(r).__name__}, but `{wanted}` is one of "
                f"type {type(t).__name__}: return a tensor for each tensor."
            )
        raise ValueError(
            f"`{path}` has shape {tuple(r.shape)}, but `{wanted}` has shape "
            f"{tuple(t.shape)}: return a tensor of that shape."
        )
    return found


class Equation(Kind):
    """What the function returns determines ``x``, a tree of the same structure."""

    def evaluate(self, x: Any, args: tuple[Any, ...], **options: Any) -> Evaluation:
        """Return what the function returns, and the auxiliary output; see :class:`Kind`."""
        out, aux = self.output(x, args)
        leaves_like(out, x, f"the {self.word}'s {self.returns}", "its first argument")
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
