"""The kinds of problems whose function gives the residual: equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torchopt import checks
from torchopt.diff.kinds import Evaluation, Kind
from torchopt.diff.protocols import ProblemKind
from torchopt.pytree import flattening as pytree
from torchopt.pytree import tree_sub


class Equation(Kind):
    """What the function returns determines ``x``, a tree of the same structure."""

    __promised__ = ()

    def evaluate(self, x: Any, args: tuple[Any, ...], **options: Any) -> Evaluation:
        """Return what the function returns, and the auxiliary output; see :class:`Kind`."""
        out, aux = self.output(x, args)
        pair = pytree.flatten(out), pytree.flatten(x)
        root = f"{self.word if self.returns == 'value' else self.returns}(params)"
        checks.check_like(*pair, root=root, reference="`params`")
        return Evaluation(out, aux)


class Root(Equation):
    """Solve ``F(x) = 0``: the kind of problem of :func:`torchopt.root`.

    Solvers that list it solve kinds that derive from :class:`ProblemKind` directly, too.

    Args:
        function: ``F(params, *args)``, a tree like ``params``.
        has_aux: Whether the function returns a pair ``(residual, aux)``.

    Raises:
        TypeError: If the function cannot be called.

    Example:
        >>> import torch, torchopt
        >>> kind = torchopt.diff.Root(lambda x, a: x.exp() - a)
        >>> torchopt.solver.solve(
        ...     kind, torch.tensor(0.0), (torch.tensor(1.0).exp(),),
        ...     solver=torchopt.solver.Newton()).params
        tensor(1.0000)
    """


@dataclass(frozen=True)
class OwnKind(Equation):
    """A kind of a program's own, whose function is its residual.

    Attributes:
        own: The kind that the program has written.
        symmetric: Whether its residual has a symmetric Jacobian.
    """

    own: ProblemKind | None = None
    symmetric: bool = False

    word = "problem"
    returns = "residual"

    @property
    def posed(self) -> ProblemKind:
        """The kind as the program has written it."""
        return self if self.own is None else self.own

    @classmethod
    def of(cls, kind: ProblemKind) -> OwnKind:
        """Return a kind as modes and solvers see it."""
        residual = kind.residual
        function = lambda x, *args: residual(x, args)  # noqa: E731  # its closure is looked into
        return cls(function, kind, kind.symmetric, has_aux=kind.has_aux)


class FixedPoint(Root):
    """Solve ``x = T(x)``: the kind of problem of :func:`torchopt.fixed_point`.

    It is the :class:`Root` of ``x - T(x)``, whose solvers solve it, too.

    Args:
        function: ``T(params, *args)``, a tree like ``params``.
        has_aux: Whether the function returns a pair ``(image, aux)``.

    Raises:
        TypeError: If the function cannot be called.

    Example:
        >>> import torch, torchopt
        >>> kind = torchopt.diff.FixedPoint(lambda x, a: x / 2 + a)
        >>> torchopt.solver.solve(
        ...     kind, torch.tensor(0.0), (torch.tensor(3.0),), solver=torchopt.solver.Anderson()).params
        tensor(6.0000)
    """

    def evaluate(self, x: Any, args: tuple[Any, ...], **options: Any) -> Evaluation:
        """Return ``x - T(x)`` and the auxiliary output."""
        evaluation = super().evaluate(x, args, **options)
        checks.check_graph(
            f"the {self.word}'s value", *map(pytree.leaves, (x, evaluation.residual))
        )
        return evaluation._replace(residual=tree_sub(x, evaluation.residual))
