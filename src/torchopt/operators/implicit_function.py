r"""The implicit function theorem as one operator, of which every implicit derivative is made.

Let :math:`x` solve :math:`F(x, \theta) = 0`, and :math:`A = \partial F / \partial x` there. Then

.. math::
    dx = -A^{-1}\, \partial_\theta F\, d\theta, \qquad
    \bar\theta = -(\partial_\theta F)^\top A^{-\top} \bar x .

Both are made of the solution of a linear equation, which is the root of another residual, so that its
derivative is given by the same rule: hence every order, in reverse and in forward mode. What the
residual reads without being given it (parameters of modules, closures) is found and counts as
:math:`\theta` too.

References:
    Blondel et al., *Efficient and Modular Implicit Differentiation*, NeurIPS 2022, section 2.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Protocol

import torch
from torch.autograd import forward_ad

from torchopt import errors
from torchopt.autodiff import transforms
from torchopt.autodiff.captured import Reads, Substitute
from torchopt.autodiff.compiling import eagerly
from torchopt.autodiff.environment import Replay
from torchopt.autodiff.freezing import evaluated_equation
from torchopt.autodiff.frozen import stand_for, unwatched
from torchopt.autodiff.function_mode import unseen
from torchopt.autodiff.graph import alias, is_hook_of_module, leaf, leaves_reached, nodes_reached
from torchopt.autodiff.loops import norm
from torchopt.autodiff.tracking import tracking, untracked
from torchopt.autodiff.transforms import value_of
from torchopt.operators.linear import (
    LinearOperator,
    Product,
    Pullback,
    derivative_operator,
    gauss_newton_operator,
    jacobian_operator,
    pulled_back,
)
from torchopt.pytree import flattening as pytree

__all__ = ["implicit"]

Tensors = Sequence[torch.Tensor]


def implicit(
    residual: Callable[..., Any],
    solution: Any,
    *,
    linear_solve: Callable[[LinearOperator, Any], Any],
    inputs: tuple[Any, ...] = (),
    symmetric: bool = False,
    product: Product = "reverse",
    residuals: Callable[..., Any] | None = None,
    replayed: bool = True,
) -> Any:
    """Return a solution as a differentiable function of all that its equation reads.

    Args:
        residual: ``residual(x, *inputs)``, zero at the solution: a tree like ``x``.
        solution: A tree of tensors; None stands for nothing. Its values are returned.
        linear_solve: ``linear_solve(operator, b)`` solves a linear equation on trees like ``x``,
            without being differentiated itself.
        inputs: What the residual is called with. A tensor among these that it never reads has
            gradient zero.
        symmetric: Whether the residual's Jacobian is symmetric.
        product: How the linear solve's products with the Jacobian are computed; see
            :func:`torchopt.linalg.jacobian_operator`.
        residuals: ``residuals(x, *inputs)``, whose Gauss-Newton matrix is to stand for the Jacobian.
        replayed: Whether each evaluation is to see the same random numbers, and to leave PyTorch's
            generators and the buffers of modules as they are.

    Raises:
        TypeError, ValueError: If the residual is no tree like the solution.
    """
    if not tracking():
        return solution
    evaluated = evaluated_equation()
    # Where it is found anew elsewhere, it moves as its derivative says.
    with unwatched():
        leaves, spec = pytree.flatten(solution)
        arguments, arguments_spec = pytree.flatten(inputs)
        tree, given = _Tree.of(leaves, spec), _Tree.of(arguments, arguments_spec)
        with untracked():
            x = [leaves[i].detach() for i in tree.places]
        theta = [arguments[i] for i in given.places]
        replay = None
        if replayed:
            replay = Replay(default=True, trace=False)
        equation = _Nonlinear(
            residual, tree, given, linear_solve, symmetric, product, residuals, replay
        )
        equation, variables = _read(equation, x, theta, evaluated)
        return tree.fill(Root.apply(equation, len(x), *x, *variables))


def _read(
    equation: _Nonlinear,
    x: Tensors,
    theta: Tensors,
    evaluated: AbstractContextManager[None],
) -> tuple[_Nonlinear, list[torch.Tensor]]:
    """Evaluate the residual at its solution, and return all that it reads."""
    if errors.transforms_active():
        # Aliases: what is read as an argument must be told from what is read by another way.
        aliases = [alias(t) for t in theta]
        reads = Reads([*x, *aliases])
        with reads, untracked():
            r = equation.residual(x, aliases)
        equation = replace(equation, free=tuple(reads.free), found=_Found.of(x, r))
        return equation, [alias(t) for t in (*theta, *reads.free)]
    with torch.enable_grad():
        point = [t.detach().requires_grad_() for t in x]
        given = [leaf(t) for t in theta]
        stand_for(theta, given)
        reads = Reads([*point, *given], alias=True)
        with reads, evaluated:
            r = equation.residual(point, given)
    if equation.symmetric and (reads.hooked or any(map(is_hook_of_module, nodes_reached(r)))):
        raise RuntimeError(
            "the objective changes its own gradient by a hook (or a module of it has one that may), so "
            "that what is zero at its solution is no gradient, and PyTorch calls the hook again in its "
            "derivative: remove the hook, or pose what is zero by `torchopt.root`, without hooks."
        )
    leaves = leaves_reached(r)
    met = set(map(id, leaves))
    # What does not require grad is a variable for its tangent.
    free = [
        (t, seen)
        for t, seen in zip(reads.free, reads.aliases, strict=True)
        if id(seen) in met or not t.requires_grad
    ]
    hidden = [t for t in leaves if not reads.knows(t)]
    # What the residual itself changes is a buffer.
    constants = [(t, version) for t, version in reads.constants.values() if t._version == version]
    equation = replace(
        equation,
        free=tuple(t for t, _ in free),
        hidden=tuple(hidden),
        constants=tuple(constants),
        found=_Found.of(x, r),
        held=_Held(r, point, [*given, *(seen for _, seen in free), *hidden]),
    )
    # By an operation, which shows an equation around this one what is read here.
    return equation, [*(alias(t) for t in (*theta, *equation.free)), *hidden]


@dataclass(frozen=True, eq=False)
class _Held:
    """The residual at the solution with its graph, for first derivatives: nothing can change in it."""

    r: Tensors
    x: Tensors
    theta: Tensors

    def of_x(self, u: Tensors) -> list[torch.Tensor]:
        """Return ``Aᵀ u``."""
        return pulled_back(self.r, self.x, u)

    def of_theta(self, u: Tensors, needed: Sequence[bool]) -> list[torch.Tensor | None]:
        """Return the cotangents of theta for those of the residual."""
        moving = [t for t, need in zip(self.theta, needed, strict=True) if need]
        found = iter(pulled_back(self.r, moving, u, constant=True))
        return [next(found) if need else None for need in needed]


@dataclass(frozen=True, eq=False)
class _Found:
    """What the residual was at the solution."""

    x: Tensors
    norm: torch.Tensor

    @classmethod
    def of(cls, x: Tensors, r: Tensors) -> _Found:
        with _plainly():
            return cls([value_of(t).detach() for t in x], norm([value_of(t) for t in r]))

    def check(self, x: Tensors, r: Tensors, residual: Callable[[Tensors], Tensors]) -> None:
        """Raise where the residual at the same point is another than it was."""
        with _plainly():
            points = zip(map(value_of, x), self.x, strict=True)
            if any(p.shape != q.shape or not p.equal(q) for p, q in points):
                return
            now = norm([value_of(t) for t in r])
            if not (now - self.norm).abs() > 0.01 * (now + self.norm):
                return
        # Rounding, where a change of x in the last half of its digits explains it: in any units.
        with untracked():
            near = residual([_nearby(t) for t in x])
        with _plainly():
            change = norm([value_of(a) - value_of(b) for a, b in zip(near, r, strict=True)])
        if (now - self.norm).abs() > change:
            raise RuntimeError(
                f"the optimality conditions have another value at the solution than when it was found "
                f"(norm {now:.3g}, was {self.norm:.3g}): they read what has changed since, such as a "
                f"loop variable or a module's mode; pass what changes in `args`."
            )


def _nearby(x: torch.Tensor) -> torch.Tensor:
    """Return ``x``, moved by the root of its precision: up and down in turn, and zero as one is."""
    step = torch.finfo(x.dtype).eps ** 0.5 * torch.where(x == 0, 1, x.abs())
    up = torch.arange(x.numel(), device=x.device).reshape(x.shape) % 2 == 0
    return x.detach() + torch.where(up, step, -step)


@contextmanager
def _plainly() -> Iterator[None]:
    """Compute with plain tensors, outside of every transform."""
    with untracked(), transforms.outside():
        yield


class _Equation(Protocol):
    """An equation ``residual(x, theta) = 0`` on lists of tensors, and its linearization ``A``.

    Attributes:
        hidden: The last of theta, leaves which the residual reads by itself and nobody can replace.
    """

    hidden: tuple[torch.Tensor, ...]

    def residual(self, x: Tensors, theta: Tensors) -> Tensors:
        """Return what is zero at the solution."""
        ...

    def product(self, x: Tensors, theta: Tensors, w: Tensors, transposed: bool) -> Tensors:
        """Return ``A w`` or its transposed, differentiable in all arguments."""
        ...

    def solve(self, x: Tensors, theta: Tensors, b: Tensors, transposed: bool) -> Tensors:
        """Solve ``A w = b`` or its transposed; called untracked."""
        ...


def _linear_root(
    equation: _Equation, x: Tensors, theta: Tensors, b: Tensors, *, transposed: bool
) -> Tensors:
    """Return the solution of ``A w = b``, or of its transposed, differentiable in all arguments."""
    with untracked():
        w = equation.solve(x, theta, b, transposed)
    if not tracking():
        return w
    return Root.apply(_Linear(equation, len(x), transposed), len(x), *w, *x, *theta, *b)


class Root(torch.autograd.Function):
    """A root, as a function of what its equation reads."""

    @staticmethod
    def forward(equation: _Equation, size: int, *tensors: torch.Tensor) -> Tensors:
        return tuple(x.clone() for x in tensors[:size])

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.equation, ctx.size, *tensors = inputs
        ctx.save_for_backward(*output, *tensors[ctx.size :])
        ctx.save_for_forward(*output, *tensors[ctx.size :])

    @staticmethod
    @unseen()
    def backward(ctx: Any, *cotangents: torch.Tensor) -> tuple[Any, ...]:
        n = ctx.size
        _refuse_legacy_batches(cotangents)
        equation = ctx.equation
        # A pullback of torch.func may be called when its level has ended.
        saved = transforms.unwrap_dead_wrappers(ctx.saved_tensors)
        x, theta = saved[:n], saved[n:]
        needed = ctx.needs_input_grad[2 + n :]
        if isinstance(equation, _Nonlinear) and equation.held and not tracking():
            found = equation.vjp(x, theta, list(cotangents), needed)
            return None, None, *[None] * n, *(None if g is None else -g for g in found)
        if equation.hidden:
            raise RuntimeError(
                f"the optimality conditions read a tensor of shape {tuple(equation.hidden[0].shape)} "
                f"inside a custom autograd.Function, and nowhere else: second derivatives cannot reach "
                f"it there; pass it to the problem in `args`."
            )
        u = _linear_root(equation, x, theta, list(cotangents), transposed=True)
        moving = _Moving(equation, x, theta, needed)
        pulled = iter(moving.pullback(u) if any(needed) else ())
        return None, None, *[None] * n, *(-next(pulled) if need else None for need in needed)

    @staticmethod
    @unseen()
    def jvp(ctx: Any, _equation: Any, n: Any, *tangents: torch.Tensor | None) -> Any:
        n = ctx.size
        _refuse_legacy_batches(tangents[n:])
        # Without their own tangents, which the result must not have twice.
        live = transforms.unwrap_dead_wrappers(ctx.saved_tensors)
        saved = [forward_ad.unpack_dual(t).primal for t in live]
        x, theta = saved[:n], saved[n:]
        given = tangents[n:]
        moving = _Moving(ctx.equation, x, theta, [t is not None for t in given])
        # PyTorch turns every forward mode off around a jvp; an outer one must go through it.
        with forward_ad._set_fwd_grad_enabled(True):
            dr = jacobian_operator(moving, moving.point())([t for t in given if t is not None])
            dx = _linear_root(ctx.equation, x, theta, [-t for t in dr], transposed=False)
        return tuple(forward_ad.unpack_dual(t).primal for t in dx)

    @staticmethod
    def vmap(
        info: Any, in_dims: Any, equation: _Equation, size: int, *tensors: torch.Tensor
    ) -> tuple[Any, Any]:
        dims = in_dims[2:]
        x = [
            t.expand(info.batch_size, *t.shape) if d is None else t.movedim(d, 0)
            for t, d in zip(tensors[:size], dims[:size], strict=True)
        ]
        batched = _Batched(equation, tuple(dims[size:]), info.randomness)
        return Root.apply(batched, size, *x, *tensors[size:]), (0,) * size


def _refuse_legacy_batches(tensors: Sequence[torch.Tensor | None]) -> None:
    if any(t is not None and transforms.is_legacy_batch(t) for t in tensors):
        raise RuntimeError(
            "`is_grads_batched=True` and `torch.autograd.functional` with `vectorize=True` batch by an "
            "older kind of tensor, which solvers cannot look at: use `torch.func.vmap` or "
            "`torch.func.jacrev`, or a loop."
        )


@dataclass(frozen=True, eq=False)
class _Moving:
    """A residual as a function of some of theta."""

    equation: _Equation
    x: Tensors
    theta: Tensors
    needed: Sequence[bool]

    def pullback(self, u: Tensors) -> list[torch.Tensor]:
        """Return the cotangents of these for those of the residual, zero where it reads none."""
        return Pullback(self, self.point, constant=True)(list(u))

    def point(self) -> list[torch.Tensor]:
        return [t for t, need in zip(self.theta, self.needed, strict=True) if need]

    def __call__(self, values: Tensors) -> Tensors:
        it = iter(values)
        theta = [next(it) if need else t for t, need in zip(self.theta, self.needed, strict=True)]
        return self.equation.residual(self.x, theta)


@dataclass(frozen=True)
class _Tree:
    """A tree with tensors in some places, and other things in the rest."""

    spec: Any
    leaves: tuple[Any, ...]
    places: tuple[int, ...]

    @classmethod
    def of(cls, leaves: Sequence[Any], spec: Any) -> _Tree:
        is_tensor = [isinstance(leaf, torch.Tensor) for leaf in leaves]
        rest = (None if here else leaf for leaf, here in zip(leaves, is_tensor, strict=True))
        return cls(spec, tuple(rest), tuple(i for i, here in enumerate(is_tensor) if here))

    def fill(self, tensors: Tensors) -> Any:
        leaves = list(self.leaves)
        for i, t in zip(self.places, tensors, strict=True):
            leaves[i] = t
        return pytree.unflatten(self.spec, leaves)

    def read(self, tree: Any, what: str, like: Tensors) -> list[torch.Tensor]:
        """Return the tensors of a tree that must be like this one."""
        leaves, found = pytree.flatten(tree)
        errors.check_same_structure(self.spec, found, root=what, reference="the solution")
        tensors = [leaves[i] for i in self.places]
        for i, r, x in zip(self.places, tensors, like, strict=True):
            if not isinstance(r, torch.Tensor):
                raise TypeError(
                    f"`{errors.leaf_path(found, i, what)}` is an object of type "
                    f"{type(r).__name__}: return a tensor for each tensor of the solution."
                )
            if r.shape != x.shape:
                path = errors.leaf_path(found, i, what)
                errors.raise_shape_mismatch(path, r.shape, x.shape, "that leaf of the solution")
        return tensors


@dataclass(frozen=True, eq=False)
class _Nonlinear:
    """The equation of a user; theta is what it is given, what it reads besides, and what it hides."""

    function: Callable[..., Any]
    solution: _Tree
    inputs: _Tree
    linear_solve: Callable[[LinearOperator, Any], Any]
    symmetric: bool
    how: Product
    residuals: Callable[..., Any] | None
    replay: Replay | None
    free: tuple[torch.Tensor, ...] = ()
    hidden: tuple[torch.Tensor, ...] = ()
    constants: tuple[tuple[torch.Tensor, int], ...] = ()
    found: _Found | None = None
    held: _Held | None = None

    def residual(self, x: Tensors, theta: Tensors) -> Tensors:
        r = self.solution.read(self._call(self.function, x, theta), "residual", x)
        with unwatched():
            # Derivatives may be finite where the residual is not: theirs are NaN, too.
            sound = functools.reduce(
                torch.logical_and, [torch.isfinite(t).all().to(r[0].device) for t in r]
            )
            r = [t * torch.where(sound, 1, math.nan).to(t) for t in r]
            if self.found is not None:
                self.found.check(
                    x,
                    r,
                    lambda x: self.solution.read(
                        self._call(self.function, x, theta), "residual", x
                    ),
                )
        return r

    def product(self, x: Tensors, theta: Tensors, w: Tensors, transposed: bool) -> Tensors:
        return self._at(x, theta, transposed, "reverse")(list(w))

    def vjp(
        self, x: Tensors, theta: Tensors, b: Tensors, needed: Sequence[bool]
    ) -> list[torch.Tensor | None]:
        """Solve the transposed equation and pull its solution back, on the held graph."""
        held = self.held
        assert held is not None
        if self.how == "reverse" and self.residuals is None:
            forth = Pullback(held.of_x, lambda: [torch.zeros_like(t) for t in x])
            operator = LinearOperator(held.of_x, forth, self.symmetric)
        else:
            operator = self._at(x, theta, True, self.how)
        with untracked():
            u = self._solved(operator, b)
        return held.of_theta(u, needed)

    def solve(self, x: Tensors, theta: Tensors, b: Tensors, transposed: bool) -> Tensors:
        return self._solved(self._at(x, theta, transposed, self.how), b)

    def _solved(self, operator: LinearOperator, b: Tensors) -> Tensors:
        lifted = LinearOperator(
            self._on_trees(operator),
            None if operator.symmetric else self._on_trees(operator.T),
            operator.symmetric,
        )
        found = self.linear_solve(lifted, self.solution.fill(b))
        return self.solution.read(found, "linear_solve(...)", b)

    def _call(self, function: Callable[..., Any], x: Tensors, theta: Tensors) -> Any:
        for constant, version in self.constants:
            if constant._version != version:
                raise RuntimeError(
                    f"a tensor of shape {tuple(constant.shape)} that the optimality conditions read "
                    f"has been modified by an inplace operation since the solution was found: the "
                    f"derivative would be wrong; give the problem a copy."
                )
        size = len(self.inputs.places)
        table = {
            id(old): new
            for old, new in zip(self.free, theta[size:], strict=False)
            if old is not new
        }
        with (
            eagerly(),
            Substitute(table) if table else nullcontext(),
            self.replay() if self.replay else nullcontext(),
        ):
            return function(self.solution.fill(x), *self.inputs.fill(theta[:size]))

    def _at(self, x: Tensors, theta: Tensors, transposed: bool, how: Product) -> LinearOperator:
        if self.residuals is not None:
            of = self.residuals
            return gauss_newton_operator(lambda x: self._call(of, x, theta), list(x), product=how)
        operator = derivative_operator(
            lambda x: self.residual(x, theta),
            list(x),
            symmetric=self.symmetric,
            product=how,
            gradient=self.symmetric,  # as the residuals of minima
        )
        return operator.T if transposed else operator

    def _on_trees(self, operator: LinearOperator) -> Callable[[Any], Any]:
        def product(tree: Any) -> Any:
            leaves, _ = pytree.flatten(tree)
            return self.solution.fill(operator([leaves[i] for i in self.solution.places]))

        return product


@dataclass(frozen=True, eq=False)
class _Linear:
    """``A w = b``, or its transposed: a derivative's equation, whose theta is x, theta and b."""

    of: _Equation
    size: int
    transposed: bool
    hidden: tuple[torch.Tensor, ...] = ()

    def _split(self, theta: Tensors) -> tuple[Tensors, Tensors, Tensors]:
        n = self.size
        return theta[:n], theta[n:-n], theta[-n:]

    def residual(self, w: Tensors, theta: Tensors) -> Tensors:
        x, inner, b = self._split(theta)
        product = self.of.product(x, inner, w, self.transposed)
        return [p - q for p, q in zip(product, b, strict=True)]

    def product(self, w: Tensors, theta: Tensors, v: Tensors, transposed: bool) -> Tensors:
        x, inner, _ = self._split(theta)
        return self.of.product(x, inner, v, self.transposed != transposed)

    def solve(self, w: Tensors, theta: Tensors, b: Tensors, transposed: bool) -> Tensors:
        x, inner, _ = self._split(theta)
        return self.of.solve(x, inner, b, self.transposed != transposed)


@dataclass(frozen=True, eq=False)
class _Batched:
    """Many equations at once, under one ``vmap``."""

    of: _Equation
    dims: tuple[int | None, ...]
    randomness: str
    hidden: tuple[torch.Tensor, ...] = ()

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
