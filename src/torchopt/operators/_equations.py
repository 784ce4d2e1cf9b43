"""Equations ``residual(x, theta) = 0`` on lists of tensors, and how each is linearized and solved.

The equation of a user is nonlinear; a derivative's is linear, and its derivative's is linear again. One
of a batch is solved under one ``vmap``.
"""

from __future__ import annotations

import abc
import functools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.autograd.graph import get_gradient_edge

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.autodiff.closed import Closed
from torchopt.autodiff.edges import as_they_were
from torchopt.autodiff.environment import eagerly
from torchopt.autodiff.graph import leaf
from torchopt.autodiff.loops import is_surely_finite, norm
from torchopt.autodiff.second_order import in_this_thread
from torchopt.autodiff.tracking import tracking, untracked
from torchopt.autodiff.transforms import value_of
from torchopt.errors import ReplayError
from torchopt.operators._pullback import Pullback, pulled_back
from torchopt.operators.linear import (
    JVP,
    LinearOperator,
    ProductOfTrees,
    derivative_operator,
    gauss_newton_operator,
    jacobian_operator,
)
from torchopt.pytree import flattening as pytree

Tensors = Sequence[torch.Tensor]


class Equation(abc.ABC):
    """An equation ``residual(x, theta) = 0`` on lists of tensors, and its linearization ``A``.

    Attributes:
        symmetric: Whether ``A`` is symmetric.
    """

    symmetric: bool

    @abc.abstractmethod
    def residual(self, x: Tensors, theta: Tensors) -> Tensors:
        """Return what is zero at the solution."""

    def product(self, x: Tensors, theta: Tensors, w: Tensors, transposed: bool) -> Tensors:
        """Return ``A w`` or its transposed, differentiable in all arguments."""
        A = jacobian_operator(lambda x: self.residual(x, theta), list(x), symmetric=self.symmetric)
        return (A.T if transposed else A)(list(w))

    @abc.abstractmethod
    def solve(self, x: Tensors, theta: Tensors, b: Tensors, transposed: bool) -> Tensors:
        """Solve ``A w = b`` or its transposed; called untracked."""

    def own(self, theta: Tensors) -> list[torch.Tensor] | None:
        """Return theta with what the residual closes over as it is; None where that is replaced."""
        return None

    def passing(self, *, evaluated: bool = False) -> AbstractContextManager[Any]:
        """Enclose a derivative of the residual, maybe evaluated again, by what it closes over."""
        return nullcontext()

    def at_copies(self, x: Tensors, theta: Tensors) -> HeldResidual:
        """Return the residual at copies of x and of what :meth:`own` replaces."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class NonlinearEquation(Equation):
    """The equation of a user.

    Attributes:
        function: ``function(x, *inputs)``, zero at the solution.
        combine: Makes a tree like the solution of its tensors.
        combine_inputs: Makes the inputs of their tensors, which come first in theta.
        linear_solve: Solves a linear equation on trees like the solution.
        symmetric: Whether the Jacobian is symmetric.
        hvp: How products with it are computed.
        residuals: The residuals whose Gauss-Newton matrix replaces the Jacobian.
        closed: What the function reads besides, the last of theta; None if it reads nothing.
        replayed: Whether each evaluation is in the world of the first one.
        check: Compares a residual with that at the solution.
        held: The residual at the solution, with its graph; None where a transform is at work.
    """

    function: Callable[..., Any]
    combine: Callable[[Tensors], Any]
    combine_inputs: Callable[[Tensors], Any]
    linear_solve: Callable[[LinearOperator, Any], Any]
    symmetric: bool
    hvp: JVP
    residuals: Callable[..., Any] | None
    closed: Closed | None = None
    replayed: bool = True
    check: SolutionCheck | None = None
    held: HeldResidual | None = None

    def residual(self, x: Tensors, theta: Tensors) -> Tensors:
        r = self.evaluated(x, theta)
        # What the function returns may be a variable itself, which is to be another tensor.
        if not all(t.grad_fn is not None and is_surely_finite(t) for t in r):
            # The derivatives of a residual that is NaN may be finite: this makes them NaN, too.
            sound = functools.reduce(
                torch.logical_and, [torch.isfinite(t).all().to(r[0].device) for t in r]
            )
            r = [t * torch.where(sound, 1, math.nan).to(t) for t in r]
        if self.check is not None:
            self.check(x, r, lambda x: self.evaluated(x, theta))
        return r

    def product(self, x: Tensors, theta: Tensors, w: Tensors, transposed: bool) -> Tensors:
        return self._at(x, theta, transposed, "reverse")(list(w))

    def solve(self, x: Tensors, theta: Tensors, b: Tensors, transposed: bool) -> Tensors:
        held = self.held
        if held is None or self.hvp != "reverse" or self.residuals is not None:
            return self._solved(self._at(x, theta, transposed, self.hvp), b)
        forth = Pullback(held.of_x, lambda: [torch.zeros_like(t) for t in x])
        operator = LinearOperator(held.of_x, forth, self.symmetric)
        return self._solved(operator if transposed else operator.T, b)

    def own(self, theta: Tensors) -> list[torch.Tensor] | None:
        held, closed = self.held, self.closed
        if held is None or closed is None or (checks.transforms_active() and tracking()):
            return None
        inputs, free = self.split(theta)
        return [*inputs, *closed.own(free)]

    def split(self, theta: Tensors) -> tuple[Tensors, Tensors]:
        """Return what the function is given, and what it closes over."""
        size = len(theta) - (0 if self.closed is None else len(self.closed.free))
        return theta[:size], theta[size:]

    def passing(self, *, evaluated: bool = False) -> AbstractContextManager[Any]:
        if self.closed is None:
            return nullcontext()
        return as_they_were(self.closed.free, evaluated=evaluated)

    def at_copies(self, x: Tensors, theta: Tensors) -> HeldResidual:
        held, closed = self.held, self.closed
        assert held is not None
        assert closed is not None
        for t, node in held.nodes:  # `detach_`, or another dtype, gives a tensor a new one
            if get_gradient_edge(t).node is not node:
                closed.refuse_unread(t)
        return held

    def evaluated(self, x: Tensors, theta: Tensors) -> list[torch.Tensor]:
        """Return the residual as it is, neither checked nor marked where it is NaN."""
        return self._tensors_of(self._call(self.function, x, theta), "residual", x)

    def _tensors_of(self, tree: Any, what: str, like: Tensors) -> list[torch.Tensor]:
        pair = pytree.flatten(tree), pytree.flatten(self.combine(like))
        return checks.check_like(*pair, root=what, reference="the solution")

    def _solved(self, operator: LinearOperator, b: Tensors) -> Tensors:
        lifted = LinearOperator(
            ProductOfTrees(operator.matvec, self.combine),
            None if operator.symmetric else ProductOfTrees(operator.T.matvec, self.combine),
            operator.symmetric,
        )
        w = self.linear_solve(lifted, self.combine(b))
        return self._tensors_of(w, "linear_solve(...)", b)

    def _call(self, function: Callable[..., Any], x: Tensors, theta: Tensors) -> Any:
        closed, (inputs, free) = self.closed, self.split(theta)
        if closed is None:
            with eagerly():
                return function(self.combine(x), *self.combine_inputs(inputs))
        replace = closed.inside or checks.transforms_active()
        ours = function is self.function
        later = ours and self.held is not None and torch.is_grad_enabled() and not replace
        world = closed.environment.evaluation() if self.replayed else nullcontext()
        reading = closed.reading_again() if ours else nullcontext()
        at = closed.at(free, replace=replace)
        with eagerly(), in_this_thread(), reading, world, at:
            look = closed.look(None, [*x, *inputs]) if later else None
            out = function(self.combine(x), *self.combine_inputs(inputs))
        if look is not None:
            look.at(t for t in pytree.leaves(out) if isinstance(t, torch.Tensor))
            closed.compare(None)
        return out

    def _at(self, x: Tensors, theta: Tensors, transposed: bool, how: JVP) -> LinearOperator:
        if self.residuals is not None:
            of = self.residuals
            return gauss_newton_operator(lambda x: self._call(of, x, theta), list(x), jvp=how)
        operator = derivative_operator(
            lambda x: self.residual(x, theta),
            list(x),
            symmetric=self.symmetric,
            jvp=how,
            gradient=self.symmetric,  # as the residuals of minima
        )
        return operator.T if transposed else operator


@dataclass(frozen=True, eq=False)
class HeldResidual:
    """The residual at copies of a solution and of theta, with its graph.

    Attributes:
        nodes: What is read as it is, with the nodes that the graph ends at.
        matrix: ``Aᵀ``, once it is known as a whole.
    """

    r: Tensors
    x: Tensors
    theta: Tensors
    nodes: Sequence[tuple[torch.Tensor, Any]] = ()
    matrix: list[torch.Tensor] = field(default_factory=list)

    def of_x(self, u: Tensors) -> list[torch.Tensor]:
        """Return ``Aᵀ u``."""
        if not self.matrix:
            return pulled_back(self.r, self.x, u)
        if len(u) == 1:
            return [(self.matrix[0] @ u[0].reshape(-1)).view(u[0].shape)]
        product = self.matrix[0] @ torch.cat([t.reshape(-1) for t in u])
        parts = product.split([t.numel() for t in self.x])
        return [part.view(t.shape) for part, t in zip(parts, self.x, strict=True)]

    def keep(self, matrix: torch.Tensor) -> None:
        """Take products from the matrix, of few unknowns, which has them faster than the graph."""
        if is_surely_finite(matrix) and all(t.dtype == matrix.dtype for t in self.x):
            self.matrix[:] = [matrix.mT]


@dataclass(frozen=True, eq=False)
class SolutionCheck:
    """The solution and its residual, which later evaluations are compared with."""

    x: Tensors
    r: Tensors

    @classmethod
    def of(cls, x: Tensors, r: Tensors) -> SolutionCheck:
        with _plainly():
            return cls(*([value_of(t).detach() for t in tensors] for tensors in (x, r)))

    def __call__(self, x: Tensors, r: Tensors, residual: Callable[[Tensors], Tensors]) -> None:
        """Raise if the residual at the solution has changed since the solve."""
        with _plainly():
            points = zip(map(value_of, x), self.x, strict=True)
            if any(p.shape != q.shape or not p.equal(q) for p, q in points):
                return
            now, was = norm([value_of(t) for t in r]), norm(self.r)
            if not (now - was).abs() > 0.01 * (now + was):
                return
        # It is rounding if a change of x in the last half of its digits changes the residual as much.
        with untracked():
            near = residual([_nearby(t) for t in x])
        with _plainly():
            change = norm([value_of(a) - value_of(b) for a, b in zip(near, r, strict=True)])
        if (now - was).abs() > change:
            raise ReplayError(
                f"the optimality conditions have another value at the solution than when it was found "
                f"(norm {now:.3g}, was {was:.3g}): they read what has changed since, such as a "
                f"loop variable or a module's mode; pass what changes in `args`."
            )


def _nearby(x: torch.Tensor) -> torch.Tensor:
    """Return ``x`` with its elements changed by ``± sqrt(eps)``, relative; zeros change as ones do."""
    step = torch.finfo(x.dtype).eps ** 0.5 * torch.where(x == 0, 1, x.abs())
    up = torch.arange(x.numel(), device=x.device).reshape(x.shape) % 2 == 0
    return x.detach() + torch.where(up, step, -step)


@contextmanager
def _plainly() -> Iterator[None]:
    """Run a block without a graph, outside of every transform."""
    with untracked(), transforms.outside():
        yield


@dataclass(frozen=True, eq=False)
class LinearEquation(Equation):
    """``A w = b`` or its transpose, the equation of a derivative; its theta is x, theta and b."""

    of: Equation
    size: int
    transposed: bool

    def _split(self, theta: Tensors) -> tuple[Tensors, Tensors, Tensors]:
        n = self.size
        return theta[:n], theta[n:-n], theta[-n:]

    def residual(self, w: Tensors, theta: Tensors) -> Tensors:
        x, inner, b = self._split(theta)
        product = self.of.product(x, inner, w, self.transposed)
        return [p - q for p, q in zip(product, b, strict=True)]

    def product(self, x: Tensors, theta: Tensors, w: Tensors, transposed: bool) -> Tensors:
        at, inner, _ = self._split(theta)
        return self.of.product(at, inner, w, self.transposed != transposed)

    def solve(self, w: Tensors, theta: Tensors, b: Tensors, transposed: bool) -> Tensors:
        x, inner, _ = self._split(theta)
        return self.of.solve(x, inner, b, self.transposed != transposed)

    def own(self, theta: Tensors) -> list[torch.Tensor] | None:
        x, inner, b = self._split(theta)
        own = None if checks.transforms_active() else self.of.own(inner)
        return None if own is None else [*x, *own, *b]

    def passing(self, *, evaluated: bool = False) -> AbstractContextManager[Any]:
        return self.of.passing(evaluated=True)

    def at_copies(self, w: Tensors, theta: Tensors) -> HeldResidual:
        own = self.own(theta)
        assert own is not None
        at = [leaf(t) if t is s else s for t, s in zip(theta, own, strict=True)]
        with torch.enable_grad():
            w = [t.detach().requires_grad_() for t in w]
            return HeldResidual(self.residual(w, at), w, at)


@dataclass(frozen=True, eq=False)
class BatchedEquation(Equation):
    """A batch of equations, solved under one ``vmap``."""

    of: Equation
    dims: tuple[int | None, ...]
    randomness: str

    def _map(self, function: Callable[..., Any], x: Tensors, theta: Tensors, *rest: Tensors) -> Any:
        dims = ([0] * len(x), list(self.dims), *([0] * len(r) for r in rest))
        batched = torch.func.vmap(function, dims, randomness=self.randomness)
        return batched(list(x), list(theta), *map(list, rest))

    def residual(self, x: Tensors, theta: Tensors) -> Tensors:
        return self._map(self.of.residual, x, theta)

    def product(self, x: Tensors, theta: Tensors, w: Tensors, transposed: bool) -> Tensors:
        return self._map(lambda x, theta, w: self.of.product(x, theta, w, transposed), x, theta, w)

    def solve(self, x: Tensors, theta: Tensors, b: Tensors, transposed: bool) -> Tensors:
        return self._map(lambda x, theta, b: self.of.solve(x, theta, b, transposed), x, theta, b)
