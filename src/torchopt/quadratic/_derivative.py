"""The derivative of a quadratic program's solution, of every order, by its optimality conditions.

It belongs to the problem: whichever engine found the solution, these two functions differentiate it.
Each derivative is the solution of an equation of the same kind, which has the same derivative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from torchopt.autodiff.nested_jvp import nested_jvp
from torchopt.quadratic._kkt import Factor, solve_kkt


def attach(
    Q: torch.Tensor,
    c: torch.Tensor,
    E: torch.Tensor,
    f: torch.Tensor,
    mu: torch.Tensor,
    x: torch.Tensor,
    multipliers: torch.Tensor,
    factor: Factor,
) -> tuple[torch.Tensor, torch.Tensor]:
    r"""Return a solution as a function of its problem.

    The solution satisfies :math:`Q x + c + E^\top \lambda = 0`; for rows that are active
    :math:`E x = f` or, on the central path, :math:`\lambda (f - E x) = \mu`; for the others
    :math:`\lambda = 0`.

    Args:
        Q: Symmetric matrices.
        c: The linear terms.
        E: The rows of all constraints.
        f: Their right-hand sides.
        mu: The parameter of the central path, with an axis of length one; zero for the solution.
        x: The solution.
        multipliers: The multiplier of each row.
        factor: Of ``Q`` and the rows that are active.
    """
    out: tuple[torch.Tensor, torch.Tensor] = _Solution.apply(
        Q, c, E, f, mu, x.detach(), multipliers.detach(), *(t.detach() for t in factor)
    )
    return out


def in_front(info: Any, dims: Sequence[int | None], tensors: Sequence[torch.Tensor]) -> Any:
    """Return tensors with the axis of a ``vmap`` in front, of length one where it is shared."""
    return [
        t.unsqueeze(0) if d is None else t.movedim(d, 0) for t, d in zip(tensors, dims, strict=True)
    ]


def _outer(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.unsqueeze(-1) * b.unsqueeze(-2)


def _product(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    return (matrix @ vector.unsqueeze(-1)).squeeze(-1)


def _summed(tensor: torch.Tensor | None, like: torch.Tensor) -> torch.Tensor | None:
    """Return a cotangent summed over the axes along which its tensor was shared."""
    return None if tensor is None else tensor.sum_to_size(like.shape)


def _filled(tangent: torch.Tensor | None, like: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(like) if tangent is None else tangent.expand_as(like)


class _Equation(torch.autograd.Function):
    """The solution of the linear equations of :mod:`_kkt`, which are symmetric."""

    @staticmethod
    def forward(Q: Any, E: Any, e: Any, r: Any, q: Any, triangle: Any, weights: Any) -> Any:
        return solve_kkt(Factor(triangle, weights), Q, E, e, r, q)[:2]

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, outputs: Any) -> None:
        ctx.save_for_backward(*inputs, *outputs)
        ctx.save_for_forward(*inputs, *outputs)

    @staticmethod
    def backward(ctx: Any, gu: torch.Tensor, gt: torch.Tensor) -> Any:
        Q, E, e, r, q, triangle, weights, u, t = ctx.saved_tensors
        a, b = _Equation.apply(Q, E, e, gu, gt, triangle, weights)
        need = ctx.needs_input_grad
        return (
            _summed(-_outer(a, u), Q) if need[0] else None,
            _summed(-(_outer(t, a) + _outer(b, u)), E) if need[1] else None,
            _summed(b * t, e) if need[2] else None,
            _summed(a, r),
            _summed(b, q),
            None,
            None,
        )

    @staticmethod
    @nested_jvp
    def jvp(saved: Any, dQ: Any, dE: Any, de: Any, dr: Any, dq: Any, *_: Any) -> Any:
        Q, E, e, _, _, triangle, weights, u, t = saved
        first, second = _filled(dr, u), _filled(dq, t)
        if dQ is not None:
            first = first - _product(dQ, u)
        if dE is not None:
            first = first - _product(dE.mT, t)
            second = second - _product(dE, u)
        if de is not None:
            second = second + de * t
        return _Equation.apply(Q, E, e, first, second, triangle, weights)

    @staticmethod
    def vmap(info: Any, dims: Any, *tensors: torch.Tensor) -> Any:
        return _Equation.apply(*in_front(info, dims, tensors)), (0, 0)


class _Solution(torch.autograd.Function):
    """A solution, as a function of its problem."""

    @staticmethod
    def forward(
        Q: Any, c: Any, E: Any, f: Any, mu: Any, x: Any, y: Any, triangle: Any, weights: Any
    ) -> Any:
        return x.clone(), y.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, outputs: Any) -> None:
        Q, c, E, f, mu, _, _, triangle, weights = inputs
        ctx.save_for_backward(Q, c, E, f, mu, *outputs, triangle, weights)
        ctx.save_for_forward(Q, c, E, f, mu, *outputs, triangle, weights)

    @staticmethod
    def backward(ctx: Any, gx: torch.Tensor, gy: torch.Tensor) -> Any:
        Q, c, E, f, mu, x, y, triangle, weights = ctx.saved_tensors
        inverse = _inverse(mu, y, weights)
        a, b = _Equation.apply(Q, E, mu * inverse.square(), gx, gy, triangle, weights)
        need = ctx.needs_input_grad
        return (
            _summed(-_outer(a, x), Q) if need[0] else None,
            _summed(-a, c),
            _summed(-(_outer(y, a) + _outer(b, x)), E) if need[2] else None,
            _summed(b, f),
            _summed(-b * inverse, mu) if need[4] else None,
            None,
            None,
            None,
            None,
        )

    @staticmethod
    @nested_jvp
    def jvp(saved: Any, dQ: Any, dc: Any, dE: Any, df: Any, dmu: Any, *_: Any) -> Any:
        Q, _, E, _, mu, x, y, triangle, weights = saved
        inverse = _inverse(mu, y, weights)
        first, second = -_filled(dc, x), _filled(df, y)
        if dQ is not None:
            first = first - _product(dQ, x)
        if dE is not None:
            first = first - _product(dE.mT, y)
            second = second - _product(dE, x)
        if dmu is not None:
            second = second - dmu * inverse
        return _Equation.apply(Q, E, mu * inverse.square(), first, second, triangle, weights)

    @staticmethod
    def vmap(info: Any, dims: Any, *tensors: torch.Tensor) -> Any:
        return _Solution.apply(*in_front(info, dims, tensors)), (0, 0)


def _inverse(mu: torch.Tensor, y: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Return the inverse multipliers where a row is on the central path, and zero elsewhere."""
    on_path = (weights > 0) & (mu > 0)
    return torch.where(on_path, 1 / torch.where(on_path, y, 1.0), 0.0)
