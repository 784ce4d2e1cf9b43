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

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.autograd import forward_ad
from torch.autograd.graph import get_gradient_edge

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.autodiff.captured import Altered
from torchopt.autodiff.closed import Closed
from torchopt.autodiff.edges import graft
from torchopt.autodiff.environment import Environment
from torchopt.autodiff.exact import HigherOrder
from torchopt.autodiff.function_mode import unseen
from torchopt.autodiff.functional import Reads
from torchopt.autodiff.graph import alias, is_hook_of_module, leaf, nodes_reached
from torchopt.autodiff.tracking import NO_SPARSE, tracking, untracked, without_hooks
from torchopt.operators._equations import (
    BatchedEquation,
    Equation,
    HeldResidual,
    LinearEquation,
    NonlinearEquation,
    SolutionCheck,
    Tensors,
)
from torchopt.operators._pullback import pulled_back, vjp_at
from torchopt.operators.linear import JVP, LinearOperator, jacobian_operator
from torchopt.pytree import flattening as pytree

__all__ = ["Conditions", "Equation", "NonlinearEquation", "Root", "conditions", "implicit"]


@dataclass(frozen=True, eq=False)
class Conditions:
    """What a solution meets, with all that it reads.

    Attributes:
        equation: What is zero at the solution.
        x: The solution.
        theta: What the equation reads.
    """

    equation: NonlinearEquation
    x: Tensors
    theta: Tensors

    def root(self) -> Any:
        """Return the solution as a function of what the equation reads."""
        # Aliases: operations, which show an outer equation what is read.
        root = _rooted(self.equation, len(self.x), *self.x, *map(alias, self.theta))
        return self.equation.combine(root)

    def residual(self, x: Any) -> Any:
        """Return the residual elsewhere, in the world of the solution."""
        tensors = pytree.partition(x)[0]
        return self.equation.combine(self.equation.evaluated(tensors, self.theta))

    def pullback(self, u: Any) -> Any:
        """Return ``Aᵀ u`` by the graph that is held."""
        assert self.equation.held is not None
        return self.equation.combine(self.equation.held.of_x(pytree.partition(u)[0]))


def implicit(residual: Callable[..., Any], solution: Any, **options: Any) -> Any:
    """Return a solution as a differentiable function of all that its equation reads.

    Args:
        residual: ``residual(x, *inputs)``, zero at the solution: a tree like ``x``.
        solution: A tree of tensors; None stands for nothing. Its values are returned.
        **options: As of :func:`conditions`.
    """
    return conditions(residual, solution, **options).root() if tracking() else solution


def conditions(
    residual: Callable[..., Any],
    solution: Any,
    *,
    linear_solve: Callable[[LinearOperator, Any], Any],
    inputs: tuple[Any, ...] = (),
    symmetric: bool = False,
    hvp: JVP = "reverse",
    residuals: Callable[..., Any] | None = None,
    replayed: bool = True,
) -> Conditions:
    """Evaluate what is zero at a solution, and return it with all that it reads.

    Args:
        residual: ``residual(x, *inputs)``, zero at the solution: a tree like ``x``.
        solution: A tree of tensors; None stands for nothing.
        linear_solve: ``linear_solve(operator, b)`` solves a linear equation on trees like ``x``,
            without being differentiated itself.
        inputs: What the residual is called with. A tensor among these that it never reads has
            gradient zero.
        symmetric: Whether the residual's Jacobian is symmetric.
        hvp: How the linear solve's products with the Jacobian are computed; see
            :func:`torchopt.linalg.jacobian_operator`.
        residuals: ``residuals(x, *inputs)``, whose Gauss-Newton matrix is to stand for the Jacobian.
        replayed: Whether each evaluation is to see the same random numbers, and to leave PyTorch's
            generators and the buffers of modules as they are.

    Raises:
        TypeError, ValueError: If the residual is no tree like the solution.
    """
    tensors, combine = pytree.partition(solution)
    theta, combine_inputs = pytree.partition(inputs)
    with untracked():
        x = [t.detach().clone() for t in tensors]  # a solver may write to its result again
    # Forward mode outside of torch.func has no graph either.
    inside = checks.transforms_active() or transforms.forward_depth() > 0
    what = "the optimality condition", "pass it in `args`"
    closed = Closed(Environment(residual, inputs), *what, inside=inside)
    asked = linear_solve, symmetric, hvp, residuals
    equation = NonlinearEquation(residual, combine, combine_inputs, *asked, closed, replayed)
    read = _read_inside if inside else _read
    equation = read(equation, x, theta)
    return Conditions(equation, x, [*theta, *closed.free])


def _read_inside(equation: NonlinearEquation, x: Tensors, theta: Tensors) -> NonlinearEquation:
    """Evaluate the residual at its solution where operations alone show what it reads."""
    closed = equation.closed
    assert closed is not None
    # Aliases tell tensors that are read as arguments from the same ones read as closures.
    aliases = [alias(t) for t in theta]
    reads = Reads([*x, *aliases], closed.known)
    # Outside of torch.func a custom autograd.Function does not show what it closes over.
    look = None if checks.transforms_active() else closed.watch([*x, *aliases])
    with reads, untracked() if look is None else nullcontext():
        r = equation.residual(x, aliases)
    if look is not None:
        look.at(r)
        closed.refuse_hidden(look)
    closed.note_reads(reads)
    return replace(equation, check=SolutionCheck.of(x, r))


def _read(equation: NonlinearEquation, x: Tensors, theta: Tensors) -> NonlinearEquation:
    """Evaluate the residual at its solution, and keep its graph, whose ends are all that it reads."""
    closed = equation.closed
    assert closed is not None
    point, variables = [t.detach().requires_grad_() for t in x], [leaf(t) for t in theta]
    known = [*point, *variables]
    look = closed.watch(known)
    hooks = HigherOrder.hooks
    with torch.enable_grad(), without_hooks():
        r = equation.residual(point, variables)
    look.at(r)
    if equation.symmetric and (look.custom or HigherOrder.hooks > hooks):
        _refuse_hooks(equation, r, point, variables)
    check = SolutionCheck.of(x, r)
    named = closed.known.issuperset(look.leaves())
    if not named:
        del r  # with its graph, whose leaves are only then known to be its own
    closed.note(None, look, lambda: equation.residual(point, variables))
    closed.settle()
    own = closed.own([leaf(t) for t in closed.free])
    if closed.composed or not named:
        with torch.enable_grad(), without_hooks():
            r = equation.residual(point, [*variables, *own])
    as_is = [t for t, s in zip(closed.free, own, strict=True) if t is s and t.requires_grad]
    return replace(
        equation,
        check=check,
        held=HeldResidual(
            r, point, [*variables, *own], [(t, get_gradient_edge(t).node) for t in as_is]
        ),
    )


def _refuse_hooks(equation: NonlinearEquation, r: Tensors, x: Tensors, theta: Tensors) -> None:
    """Raise if a hook changes the gradient of an objective."""
    with Altered() as altered, torch.enable_grad():
        equation.residual(x, theta)
    if altered.hooked or any(map(is_hook_of_module, nodes_reached(r))):
        raise RuntimeError(
            "the objective changes its own gradient by a hook that returns another tensor, even a copy "
            "(or a module of it has a hook that may), so that what is zero at its solution is no "
            "gradient, and PyTorch calls the hook again in its derivative: remove the hook, or pose "
            "what is zero by `torchopt.root`, without hooks."
        )


def _linear_root(
    equation: Equation, x: Tensors, theta: Tensors, b: Tensors, *, transposed: bool
) -> Tensors:
    """Return the solution of ``A w = b``, or of its transposed, differentiable in all arguments."""
    with untracked():
        w = equation.solve(x, theta, b, transposed)
    if not tracking():
        return w
    return _rooted(LinearEquation(equation, len(x), transposed), len(x), *w, *x, *theta, *b)


class Root(torch.autograd.Function):
    """A root, as a function of what its equation reads."""

    @staticmethod
    def forward(equation: Equation, size: int, *tensors: torch.Tensor) -> Tensors:
        """Return copies of the root."""
        return tuple(x.clone() for x in tensors[:size])

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Keep the root and what its equation reads."""
        ctx.equation, ctx.size, *tensors = inputs
        ctx.save_for_backward(*output, *tensors[ctx.size :])
        ctx.save_for_forward(*output, *tensors[ctx.size :])

    @staticmethod
    @unseen()
    def backward(ctx: Any, *cotangents: torch.Tensor) -> tuple[Any, ...]:
        """Return the cotangents of what the equation reads."""
        n = ctx.size
        equation: Equation = ctx.equation
        saved = _saved(ctx, cotangents)
        x, theta = saved[:n], saved[n:]
        needed = ctx.needs_input_grad[2 + n :]
        u = [-t for t in _linear_root(equation, x, theta, list(cotangents), transposed=True)]
        if not any(needed):
            pulled: Iterator[Any] = iter(())
        elif equation.own(theta) is None:
            _, vjp = vjp_at(*_partial(equation, x, theta, needed), constant=True)
            pulled = iter(vjp(u))
        else:
            pulled = iter(_pulled_at_copies(equation, x, theta, u, needed))
        return None, None, *[None] * n, *(next(pulled) if need else None for need in needed)

    @staticmethod
    @unseen()
    def jvp(ctx: Any, _equation: Any, n: Any, *tangents: torch.Tensor | None) -> Any:
        """Return the tangents of the root."""
        n = ctx.size
        live = _saved(ctx, tangents[n:])
        if any(t.layout != torch.strided for t in live):
            raise NotImplementedError(NO_SPARSE)
        # Without their own tangents, which would be counted twice.
        saved = [forward_ad.unpack_dual(t).primal for t in live]
        x, theta = saved[:n], saved[n:]
        moving = tangents[n:]
        partial, point = _partial(ctx.equation, x, theta, [t is not None for t in moving])
        # PyTorch turns forward mode off in a jvp; an outer level needs it.
        with forward_ad._set_fwd_grad_enabled(True):
            dr = jacobian_operator(partial, point)([t for t in moving if t is not None])
            dx = _linear_root(ctx.equation, x, theta, [-t for t in dr], transposed=False)
        return tuple(forward_ad.unpack_dual(t).primal for t in dx)

    @staticmethod
    def vmap(
        info: Any, in_dims: Any, equation: Equation, size: int, *tensors: torch.Tensor
    ) -> tuple[Any, Any]:
        """Return the roots of a batch of equations."""
        dims = in_dims[2:]
        x = [
            t.expand(info.batch_size, *t.shape) if d is None else t.movedim(d, 0)
            for t, d in zip(tensors[:size], dims[:size], strict=True)
        ]
        batched = BatchedEquation(equation, tuple(dims[size:]), info.randomness)
        return Root.apply(batched, size, *x, *tensors[size:]), (0,) * size


# PyTorch asks for it at each call, and makes it anew unless it is there.
Root.forward.__signature__ = inspect.signature(Root.forward)  # type: ignore[attr-defined]


def _saved(ctx: Any, moving: Sequence[torch.Tensor | None]) -> Tensors:
    """Return what was saved for the cotangents or tangents."""
    transforms.refuse_legacy_batches(moving, "a linear solve")
    # A pullback of torch.func may be called when its level has ended.
    return tuple(map(transforms.unwrap_dead, ctx.saved_tensors))


def _rooted(equation: Equation, size: int, *tensors: torch.Tensor) -> Tensors:
    """Apply :class:`Root`, where no transform runs without the binding of arguments by signature."""
    apply = Root.apply if transforms.are_active() else super(torch.autograd.Function, Root).apply
    return apply(equation, size, *map(transforms.unwrap_dead, tensors))


def _pulled_at_copies(
    equation: Equation, x: Tensors, theta: Tensors, u: Tensors, needed: Sequence[bool]
) -> Sequence[torch.Tensor | None]:
    """Return the cotangents of some tensors of theta, which may be made of one another, for ``u``."""
    track = torch.is_grad_enabled()
    at_u = [t.detach().requires_grad_() for t in u] if track else u
    with equation.passing():
        held = equation.at_copies(x, theta)
        wanted = [t for t, need in zip(held.theta, needed, strict=True) if need]
        pulled = pulled_back(held.r, wanted, at_u, constant=True)
        if not track:
            return pulled
        return graft(pulled, [*held.x, *held.theta, *at_u], [*x, *theta, *u])


def _partial(
    equation: Equation, x: Tensors, theta: Tensors, needed: Sequence[bool]
) -> tuple[Callable[[Tensors], list[torch.Tensor]], list[torch.Tensor]]:
    """Return the residual as a function of some tensors of theta, and these."""

    def residual(values: Tensors) -> list[torch.Tensor]:
        it = iter(values)
        whole = [next(it) if need else t for t, need in zip(theta, needed, strict=True)]
        return list(equation.residual(x, whole))

    return residual, [t for t, need in zip(theta, needed, strict=True) if need]
