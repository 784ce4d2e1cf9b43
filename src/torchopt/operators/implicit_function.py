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
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.autograd import forward_ad

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.autodiff.decompositions.sparse import NO_FORWARD_MODE
from torchopt.autodiff.freezing import evaluated_equation
from torchopt.autodiff.frozen import stand_for, unwatched
from torchopt.autodiff.function_mode import unseen
from torchopt.autodiff.functional import Reads
from torchopt.autodiff.graph import alias, is_hook_of_module, leaf, leaves_reached, nodes_reached
from torchopt.autodiff.replay import Replay
from torchopt.autodiff.tracking import tracking, untracked
from torchopt.operators._equations import (
    BatchedEquation,
    Equation,
    HeldResidual,
    LinearEquation,
    NonlinearEquation,
    SolutionCheck,
    Tensors,
)
from torchopt.operators._pullback import Pullback
from torchopt.operators.linear import JVP, LinearOperator, jacobian_operator
from torchopt.pytree import flattening as pytree

__all__ = ["NonlinearEquation", "Root", "implicit"]


def implicit(
    residual: Callable[..., Any],
    solution: Any,
    *,
    linear_solve: Callable[[LinearOperator, Any], Any],
    inputs: tuple[Any, ...] = (),
    symmetric: bool = False,
    hvp: JVP = "reverse",
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
        hvp: How the linear solve's products with the Jacobian are computed; see
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
    # A solution that is computed again at another point moves as its derivative says.
    with unwatched():
        tensors, combine = pytree.partition(solution)
        theta, combine_inputs = pytree.partition(inputs)
        with untracked():
            x = [t.detach() for t in tensors]
        replay = Replay(residual, inputs, default=True, trace=False) if replayed else None
        equation = NonlinearEquation(
            residual, combine, combine_inputs, linear_solve, symmetric, hvp, residuals, replay
        )
        equation, variables = _read(equation, x, theta, evaluated)
        return combine(Root.apply(equation, len(x), *x, *variables))


def _read(
    equation: NonlinearEquation,
    x: Tensors,
    theta: Tensors,
    evaluated: AbstractContextManager[None],
) -> tuple[NonlinearEquation, list[torch.Tensor]]:
    """Evaluate the residual at its solution, and return all that it reads."""
    if checks.transforms_active():
        # Aliases tell tensors that are read as arguments from the same ones read as closures.
        aliases = [alias(t) for t in theta]
        reads = Reads([*x, *aliases])
        with reads, untracked():
            r = equation.residual(x, aliases)
        equation = replace(
            equation,
            free=tuple(reads.free),
            moving=frozenset(reads.older),
            check=SolutionCheck.of(x, r),
        )
        return equation, [alias(t) for t in (*theta, *reads.free)]
    with torch.enable_grad():
        point = [t.detach().requires_grad_() for t in x]
        variables = [leaf(t) for t in theta]
        stand_for(theta, variables)
        reads = Reads([*point, *variables], alias=True)
        with reads, evaluated:
            r = equation.residual(point, variables)
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
    # A tensor that the residual itself changes is a buffer.
    constants = [(t, version) for t, version in reads.constants.values() if t._version == version]
    equation = replace(
        equation,
        free=tuple(t for t, _ in free),
        moving=frozenset(reads.older),
        hidden=tuple(hidden),
        constants=tuple(constants),
        check=SolutionCheck.of(x, r),
        held=HeldResidual(r, point, [*variables, *(seen for _, seen in free), *hidden]),
    )
    # Aliased by an operation, which an outer equation sees as a read.
    return equation, [*(alias(t) for t in (*theta, *equation.free)), *hidden]


def _linear_root(
    equation: Equation, x: Tensors, theta: Tensors, b: Tensors, *, transposed: bool
) -> Tensors:
    """Return the solution of ``A w = b``, or of its transposed, differentiable in all arguments."""
    with untracked():
        w = equation.solve(x, theta, b, transposed)
    if not tracking():
        return w
    return Root.apply(LinearEquation(equation, len(x), transposed), len(x), *w, *x, *theta, *b)


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
        _refuse_legacy_batches(cotangents)
        equation = ctx.equation
        # A pullback of torch.func may be called when its level has ended.
        saved = tuple(map(transforms.unwrap_dead, ctx.saved_tensors))
        x, theta = saved[:n], saved[n:]
        needed = ctx.needs_input_grad[2 + n :]
        if isinstance(equation, NonlinearEquation) and equation.held and not tracking():
            gradients = equation.vjp(x, theta, list(cotangents), needed)
            return None, None, *[None] * n, *(None if g is None else -g for g in gradients)
        if equation.hidden:
            raise RuntimeError(
                f"the optimality conditions read a tensor of shape {tuple(equation.hidden[0].shape)} "
                f"inside a custom autograd.Function, and nowhere else: second derivatives cannot reach "
                f"it there; pass it to the problem in `args`."
            )
        u = _linear_root(equation, x, theta, list(cotangents), transposed=True)
        partial = _PartialResidual(equation, x, theta, needed)
        pulled = iter(partial.pullback(u) if any(needed) else ())
        return None, None, *[None] * n, *(-next(pulled) if need else None for need in needed)

    @staticmethod
    @unseen()
    def jvp(ctx: Any, _equation: Any, n: Any, *tangents: torch.Tensor | None) -> Any:
        """Return the tangents of the root."""
        n = ctx.size
        _refuse_legacy_batches(tangents[n:])
        # Without their own tangents, which would be counted twice.
        live = tuple(map(transforms.unwrap_dead, ctx.saved_tensors))
        if any(t.layout != torch.strided for t in live):
            raise NotImplementedError(NO_FORWARD_MODE)
        saved = [forward_ad.unpack_dual(t).primal for t in live]
        x, theta = saved[:n], saved[n:]
        moving = tangents[n:]
        partial = _PartialResidual(ctx.equation, x, theta, [t is not None for t in moving])
        # PyTorch turns forward mode off in a jvp; an outer level needs it.
        with forward_ad._set_fwd_grad_enabled(True):
            dr = jacobian_operator(partial, partial.point())([t for t in moving if t is not None])
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


def _refuse_legacy_batches(tensors: Sequence[torch.Tensor | None]) -> None:
    if any(t is not None and transforms.is_legacy_batch(t) for t in tensors):
        raise RuntimeError(
            "`is_grads_batched=True` and `torch.autograd.functional` with `vectorize=True` batch by an "
            "older kind of tensor, which solvers cannot look at: use `torch.func.vmap` or "
            "`torch.func.jacrev`, or a loop."
        )


@dataclass(frozen=True, eq=False)
class _PartialResidual:
    """The residual as a function of some tensors of theta."""

    equation: Equation
    x: Tensors
    theta: Tensors
    needed: Sequence[bool]

    def pullback(self, u: Tensors) -> list[torch.Tensor]:
        """Return the cotangents of these tensors for those of the residual; zero for unused ones."""
        return Pullback(self, self.point, constant=True)(list(u))

    def point(self) -> list[torch.Tensor]:
        return [t for t, need in zip(self.theta, self.needed, strict=True) if need]

    def __call__(self, values: Tensors) -> Tensors:
        it = iter(values)
        theta = [next(it) if need else t for t, need in zip(self.theta, self.needed, strict=True)]
        return self.equation.residual(self.x, theta)
