"""Solve quadratic programs by a solver, and differentiate the solution by the problem's conditions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import torch

from torchopt.autodiff.loops import any_true
from torchopt.autodiff.tracking import untracked
from torchopt.pytree.dataclass import register_dataclass
from torchopt.quadratic._certificate import Proof, prove
from torchopt.quadratic._derivative import attach
from torchopt.quadratic._interior_point import (
    Outcome,
    active_at,
    finish,
    follow,
    follow_again,
    settle,
)
from torchopt.quadratic._kkt import Factor, largest, or_one
from torchopt.quadratic.program import Program, Rows, Units, batch_of, blocks_of, rows_of

#: The least tolerance on a point of the central path.
_PATH = 1e-9

#: The negative curvature that may be rounding of a semi-definite matrix, in float64; see `_is_convex`.
_CURVED = 1e-5


@register_dataclass
@dataclass(frozen=True, eq=False)
class Point:
    """A point with the multipliers of inequalities and equalities: what a solver returns.

    Example:
        >>> import torch, torchopt
        >>> def solver(program):  # without constraints
        ...     x = torch.linalg.solve(program.Q, -program.c)
        ...     return torchopt.quadratic.Point(x, program.h, program.b)
        >>> torchopt.quadratic_program(2 * torch.eye(2), torch.ones(2), solver=solver).params
        tensor([-0.5000, -0.5000])
    """

    x: torch.Tensor
    z: torch.Tensor
    y: torch.Tensor


#: A function of a batch of programs, with one leading axis, float64 and without graphs.
ProgramSolver: TypeAlias = Callable[[Program], Point]


@register_dataclass
@dataclass(frozen=True, eq=False)
class Certificate:
    r"""Proof that a quadratic program has no solution, for each problem of a batch.

    Attributes:
        infeasible: Whether no point satisfies the constraints.
        unbounded: Whether the objective is unbounded below on them.
        ray: For an unbounded one a direction :math:`d` with :math:`Q d = 0`, :math:`G d \le 0`,
            :math:`A d = 0` and :math:`c^\top d < 0`; else zero.
        z: For an infeasible one :math:`z \ge 0`, and
        y: with :math:`G^\top z + A^\top y = 0` and :math:`h^\top z + b^\top y < 0`; else zero.

    Example:
        >>> import torch, torchopt
        >>> solution = torchopt.quadratic_program(  # the least -x is unbounded
        ...     torch.zeros(1, 1), torch.tensor([-1.0]),
        ...     solver=torchopt.solver.InteriorPoint(on_failure="ignore"))
        >>> solution.stats.certificate.unbounded
        tensor(True)
    """

    infeasible: torch.Tensor
    unbounded: torch.Tensor
    ray: torch.Tensor
    z: torch.Tensor
    y: torch.Tensor


class QuadraticSolution(NamedTuple):
    r"""The solution of quadratic programs, for each problem of a batch.

    Attributes:
        x: The primal solution, ``(..., n)``.
        z: The multipliers of the inequalities, :math:`\ge 0`.
        y: The multipliers of the equalities.
        iterations: The number of steps; 0 for another solver.
        error: The largest violation of an optimality condition, relative to its terms.
        derivative_error: The estimated relative error of derivatives, at most 1.
        converged: Whether it is a solution.
        certificate: Why a problem has no solution.
    """

    x: torch.Tensor
    z: torch.Tensor
    y: torch.Tensor
    iterations: torch.Tensor
    error: torch.Tensor
    derivative_error: torch.Tensor
    converged: torch.Tensor
    certificate: Certificate


def solve_program(
    program: Program,
    *,
    solver: ProgramSolver | None = None,
    mu: float | torch.Tensor | None = None,
    rtol: float = 1e-12,
    maxiter: int = 50,
) -> QuadraticSolution:
    r"""Solve a batch of quadratic programs, with derivatives of every order.

    .. math:: \min_x \; \tfrac12 x^\top Q x + c^\top x \quad\text{s.t.}\quad G x \le h, \; A x = b

    It works under ``torch.func.vmap``, ``grad`` and ``jvp``. It does not warn: look at ``converged``.

    Args:
        program: The programs, as :func:`torchopt.quadratic.program.program_of` has checked them.
        solver: What solves them; by default an interior point method.
        mu: The parameter of the central path, whose point is then returned; None for the solution.
        rtol: How far conditions may be violated, each relative to the terms that it is a sum of.
        maxiter: The most steps of the interior point method.

    Example:
        The nearest point of a half-plane:

        >>> import torch
        >>> from torchopt.quadratic.program import program_of
        >>> Q, c = torch.eye(2), -torch.tensor([2.0, 2.0])
        >>> solve_program(program_of(Q, c, torch.ones(1, 2), torch.ones(1), None, None)).x
        tensor([0.5000, 0.5000])
    """
    dtype, m = program.Q.dtype, program.h.shape[-1]
    program = _bounding(Program(*(t.double() for t in blocks_of(program))))
    rows = rows_of(program)
    batch = batch_of(rows, (2, 1, 2, 1))
    barrier = torch.as_tensor(0.0 if mu is None else mu, dtype=rows.c.dtype, device=rows.c.device)
    barrier = barrier[(None,) * (len(batch) - barrier.dim())].unsqueeze(-1)
    curved = max(_CURVED, torch.finfo(dtype).eps ** 0.5)
    how = _How(m, solver, mu is not None, rtol, maxiter, curved)
    with untracked():
        results = _Solved.apply(how, *(t.detach() for t in (*rows, barrier)))
        size, end = len(Outcome._fields), len(results) - len(Proof._fields)
        outcome, proof = Outcome(*results[:size]), Proof(*results[end:])
    inequality = torch.arange(rows.f.shape[-1], device=rows.f.device) < m
    x, multipliers = attach(
        rows,
        barrier * inequality,
        Units(*results[size:end]),
        outcome.x,
        outcome.multipliers,
        Factor(outcome.triangle, outcome.weights),
    )
    # There is none, and derivatives of the others must not see it.
    without = (proof.infeasible | proof.unbounded).unsqueeze(-1)
    x, multipliers = (torch.where(without, torch.nan, t).to(dtype) for t in (x, multipliers))
    return QuadraticSolution(
        x,
        multipliers[..., :m],
        multipliers[..., m:],
        outcome.iterations,
        outcome.error,
        outcome.derivative_error,
        outcome.converged,
        Certificate(
            proof.infeasible,
            proof.unbounded,
            proof.ray.to(dtype),
            proof.multipliers[..., :m].to(dtype),
            proof.multipliers[..., m:].to(dtype),
        ),
    )


def _bounding(program: Program) -> Program:
    """Return a program with rows of zeros for infinite sides, that bound nothing or everything."""
    infinite = program.h.isinf()
    if not any_true(infinite):
        return program
    G = torch.where(infinite.unsqueeze(-1), 0.0, program.G)
    return replace(program, G=G, h=torch.where(infinite, program.h.sign(), program.h))


class _How(NamedTuple):
    """How a batch is solved."""

    inequalities: int
    solver: ProgramSolver | None
    on_path: bool
    rtol: float
    maxiter: int
    curved: float


class _Solved(torch.autograd.Function):
    """The solution as a constant: `vmap` adds an axis to the batch, and nothing differentiates it."""

    @staticmethod
    def forward(how: _How, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        batch = batch_of(tensors, (2, 1, 2, 1, 1))
        flat = [
            t.expand(*batch, *t.shape[t.dim() - k :]).reshape(
                math.prod(batch), *t.shape[t.dim() - k :]
            )
            for t, k in zip(tensors, (2, 1, 2, 1, 1), strict=True)
        ]
        results = _solve(Rows(*flat[:4]), flat[4].squeeze(-1), how)
        return tuple(t.reshape((*batch, *t.shape[1:])) for t in results)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, outputs: Any) -> None:
        ctx.mark_non_differentiable(*outputs)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        return (None,) * 6

    @staticmethod
    def vmap(info: Any, dims: Any, how: _How, *tensors: torch.Tensor) -> Any:
        pairs = zip(tensors, dims[1:], strict=True)
        front = [t.unsqueeze(0) if d is None else t.movedim(d, 0) for t, d in pairs]
        out = _Solved.apply(how, *front)
        return out, (0,) * len(out)


def _solve(program: Rows, mu: torch.Tensor, how: _How) -> tuple[torch.Tensor, ...]:
    """Return an outcome in units, these, and a proof in the programs' own, for flat programs."""
    m = how.inequalities
    units = Units.of(program)
    scaled = units.scale(program)
    start = None
    if how.solver is not None:
        Q, c, E, f = program
        point = how.solver(Program(Q, c, E[:, :m], f[:, :m], E[:, m:], f[:, m:]))
        y = torch.cat([point.z, point.y], -1) / units.multiplier
        start = (point.x / units.x, y)
    if not program.c.shape[0]:
        return (*_empty(program), *units, *Proof.none(program))
    path = mu / units.objective if how.on_path and m else None
    if start is not None and not how.on_path:
        outcome = _near(scaled, start, m, how.rtol)
        proof = _proof(scaled, units, outcome, m)
    else:
        rtol = max(how.rtol, _PATH) if how.on_path else how.rtol
        most = (how.maxiter + 1) // 2
        outcome = follow(scaled, m, tol=rtol, maxiter=most, mu=path, start=start)
        proof = _proof(scaled, units, outcome, m)
        left = ~(outcome.converged | proof.infeasible | proof.unbounded)
        most = how.maxiter // 2
        outcome = follow_again(scaled, m, outcome, left, tol=rtol, maxiter=most, mu=path)
    converged = outcome.converged & _is_convex(program, m, how.curved)
    return (*outcome._replace(converged=converged), *units, *proof)


def _is_convex(program: Rows, count: int, curved: float) -> torch.Tensor:
    """Return whether no direction along the equalities has negative curvature.

    Args:
        program: The programs; the last rows are equalities.
        count: The number of inequalities.
        curved: What may be rounding, in units in which a positive diagonal is one.
    """
    Q, E = program.Q, program.E[:, count:]
    size = Q.diagonal(dim1=-2, dim2=-1)
    size = torch.where(size < 0, largest(size).unsqueeze(-1), size)  # a negative one has no unit
    size = or_one(torch.maximum(size, torch.finfo(Q.dtype).eps * largest(Q)).sqrt()).unsqueeze(-2)
    E = E / size
    E = E / or_one(torch.linalg.vector_norm(E, dim=-1, keepdim=True))
    ridge = curved * torch.eye(Q.shape[-1], dtype=Q.dtype, device=Q.device)
    return torch.linalg.cholesky_ex(Q / size / size.mT + ridge + E.mT @ E / curved).info == 0


def _near(
    scaled: Rows, start: tuple[torch.Tensor, torch.Tensor], count: int, rtol: float
) -> Outcome:
    """Solve programs from points nearby, if need be by inverses of whole matrices."""
    active = active_at(scaled, *start, count)
    for inverted in (False, True):
        outcome = finish(scaled, *start, active, count, rtol, inverted=inverted)
        outcome = settle(scaled, outcome, count, rtol, inverted=inverted)
        if bool(outcome.converged.all()):
            break
    return outcome


def _proof(scaled: Rows, units: Units, outcome: Outcome, count: int) -> Proof:
    """Look for a proof where there is no solution, and write one into the outcome."""
    proof = Proof.none(scaled)
    missing = (~outcome.converged).nonzero().squeeze(-1)
    if not len(missing):
        return proof
    found = prove(Rows(*(t[missing] for t in scaled)), count)
    for whole, part in zip(proof, found, strict=True):
        whole[missing] = part
    multipliers, ray = proof.multipliers * units.multiplier, proof.ray * units.x
    size = largest(multipliers)
    multipliers = multipliers / torch.where(size > 0, size, 1.0).unsqueeze(-1)
    size = largest(ray)
    ray = ray / torch.where(size > 0, size, 1.0).unsqueeze(-1)
    # Finite numbers, so that zero times them is zero in a derivative.
    without = proof.infeasible | proof.unbounded
    for tensor in (outcome.x, outcome.multipliers, outcome.weights):
        tensor[without] = 0.0
    outcome.triangle[without] = torch.eye(scaled.c.shape[-1], device="cpu").to(outcome.triangle)
    return proof._replace(multipliers=multipliers, ray=ray)


def _empty(program: Rows) -> Outcome:
    Q, c, _, f = program
    none = c.sum(-1)
    return Outcome(c, f, Q, f, none, none, none.long(), none.bool())
