r"""Mehrotra's predictor-corrector method on a batch, finished on the active set.

A step is one Cholesky factorization of :math:`Q + E^\top D E`. Equalities are rows of a large weight,
and semi-definite matrices get a ridge: both are steps of the proximal method of multipliers, so that
neither rows nor matrix need full rank. Once the active rows seem to be known, the equations of the
solution on these are solved to rounding errors; if that point satisfies all conditions, it is the
solution. What is solved leaves the batch.

References:
    Mehrotra, *On the Implementation of a Primal-Dual Interior Point Method*, 1992. Pougkakiotis and
    Gondzio, *An Interior Point-Proximal Method of Multipliers for Convex Quadratic Programming*, 2021.
    Stellato et al., *OSQP*, 2020, section 4 (the polish).
"""

from __future__ import annotations

from typing import NamedTuple

import torch

from torchopt.quadratic._kkt import (
    LARGEST,
    LARGEST_INVERTED,
    RIDGE,
    RIDGE_INVERTED,
    factorize,
    largest,
    least,
    mtv,
    mv,
    or_one,
    plus_mv,
    solve_kkt,
    solve_once,
)
from torchopt.quadratic.program import Rows

#: How many steps are in single precision, and the largest weight of a row there.
_SINGLE, _LARGEST_SINGLE = 12, 1e4

#: Programs with fewer unknowns cost calls, not arithmetic: what is solved early waits for most of them.
_SMALL = 32

#: The tolerance that ends a run early: with the right active rows, only rounding errors are left.
_SHARP = 1e-13

#: How much of an equation its refinement with a Cholesky factor may leave.
_ROUGH = 1e-6

#: The ridges of the starting points of a first run, and of one more with inverses of whole matrices.
_NEAR, _FAR = 1.0, 1e-3

#: After how many steps rows that were tried are tried again, from a point that is nearer.
_RETRY = 8


class Outcome(NamedTuple):
    """What became of a batch of programs, in the units in which they are solved.

    Attributes:
        x: The last points.
        multipliers: The multiplier of each row.
        triangle: The factor of the equations there.
        weights: Its weights, 0 for rows that are not active.
        error: The largest violation of an optimality condition.
        derivative_error: The estimated relative error of the derivative.
        iterations: The number of steps.
        converged: Whether it is a solution.
    """

    x: torch.Tensor
    multipliers: torch.Tensor
    triangle: torch.Tensor
    weights: torch.Tensor
    error: torch.Tensor
    derivative_error: torch.Tensor
    iterations: torch.Tensor
    converged: torch.Tensor


def finish(
    program: Rows,
    x: torch.Tensor,
    y: torch.Tensor,
    active: torch.Tensor,
    count: int,
    tol: float,
    *,
    inverted: bool = False,
) -> Outcome:
    """Solve the equations of a solution with given active rows, from a point nearby.

    Args:
        program: The programs; the last rows are equalities.
        x: The point.
        y: The multipliers.
        active: Which inequalities are active.
        count: The number of inequalities.
        tol: How far conditions may be violated, each relative to the terms that it is a sum of.
        inverted: Whether the whole matrix of the equations is inverted.
    """
    Q, c, E, f = program
    most, ridge = _bounds(inverted)
    weights = _padded(active * most, f, most)
    y = torch.where(weights > 0, y, 0.0)
    factor = factorize(Q, E, weights, ridge=ridge, inverted=inverted)
    dual = plus_mv(plus_mv(c, Q, x), E.mT, y)
    u, t, du, dt = solve_kkt(factor, Q, E, torch.zeros_like(f), -dual, f - mv(E, x))
    # However short the way was, an equation of the same matrix is solved as well.
    eps = torch.finfo(x.dtype).eps
    rough = largest(du) / or_one(torch.maximum(largest(u), eps * largest(x)))
    x, y = _sum(x, u, du), _sum(y, t, dt)
    at = _Conditions.at(program, x, y, count)
    error = at.error(weights > 0)
    # How far each inequality is from changing sides, and how well that is known.
    margin = least(torch.where(active, *at.sides())).clamp(min=torch.finfo(x.dtype).tiny)
    known = torch.maximum(largest(du) / or_one(largest(x)), error).clamp(min=eps)
    relative = known + known / margin + rough
    if inverted:
        n = x.shape[-1]
        singular = largest(factor.triangle[..., :n, :n].flatten(-2)) >= 0.1 / ridge
    else:
        triangle = factor.triangle.diagonal(dim1=-2, dim2=-1).square()
        singular = least(triangle) <= 10 * ridge
    relative = torch.where(singular, 1.0, relative.nan_to_num(1.0, 1.0)).clamp(max=1.0)
    y[..., :count].clamp_(min=0)
    none = torch.zeros_like(error, dtype=torch.int64)
    # What a factor does not solve well, an inverse may.
    converged = (error <= tol) & (singular | (rough <= _ROUGH) | inverted)
    return Outcome(x, y, *factor, error, relative, none, converged)


class _Conditions(NamedTuple):
    """The conditions of a solution at a point, each with the sizes of the terms that it is a sum of.

    Conditions are violated relative to their own terms: no number hides what is wrong with another.

    Attributes:
        dual: The gradient of the Lagrangian.
        slack: The slacks of all rows.
        z: The multipliers of the inequalities.
        force: The sizes of the terms of ``dual``.
        reach: The sizes of the terms of ``slack``.
        rows: The magnitudes of all rows.
    """

    dual: torch.Tensor
    slack: torch.Tensor
    z: torch.Tensor
    force: torch.Tensor
    reach: torch.Tensor
    rows: torch.Tensor

    @classmethod
    def at(cls, program: Rows, x: torch.Tensor, y: torch.Tensor, count: int) -> _Conditions:
        Q, c, E, f = program
        rows = E.abs()
        force = plus_mv(plus_mv(c.abs(), Q.abs(), x.abs()), rows.mT, y.abs())
        dual = plus_mv(plus_mv(c, Q, x), E.mT, y)
        reach = plus_mv(f.abs(), rows, x.abs())
        return cls(dual, f - mv(E, x), y[:, :count], force, reach, rows)

    def sides(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return multipliers and slacks of the inequalities, relative to their sizes."""
        count = self.z.shape[-1]
        z = self.z * largest(self.rows[:, :count] / _or_tiny(self.force).unsqueeze(-2))
        return z, (self.slack / _or_tiny(self.reach))[:, :count]

    def error(self, active: torch.Tensor) -> torch.Tensor:
        """Return the largest violation.

        Args:
            active: Which rows are to be equalities.
        """
        # The rounding of one sum changes what other sums are made of.
        rounding, count = 16 * torch.finfo(self.z.dtype).eps, self.z.shape[-1]
        shared = mtv(self.rows, torch.where(active, self.reach, 0.0))
        off = torch.where(active, self.slack.abs(), (-self.slack).clamp(min=0))
        off = (off - rounding * mv(self.rows, shared)).clamp(min=0)
        least_z = -rounding * mv(self.rows[:, :count], self.force)
        z, _ = self._replace(z=(self.z - least_z).clamp(max=0)).sides()
        parts = [self.dual.abs() / _or_tiny(self.force), off / _or_tiny(self.reach), z.abs()]
        return largest(torch.cat(parts, -1))


def _sum(start: torch.Tensor, change: torch.Tensor, last: torch.Tensor) -> torch.Tensor:
    """Return a point moved by a change; zero where nothing but rounding errors are left of it."""
    end = start + change
    rounding = 1e-13 * torch.maximum(start.abs(), change.abs())
    return torch.where(end.abs() <= torch.maximum(rounding, 8 * last.abs()), 0.0, end)


def _or_tiny(t: torch.Tensor) -> torch.Tensor:
    """Return sizes that something is divided by: of nothing, all that is not zero is large."""
    return t.clamp(min=torch.finfo(t.dtype).tiny)


def _bounds(inverted: bool) -> tuple[float, float]:
    """Return the largest weight of a row, and the ridge."""
    return (LARGEST_INVERTED, RIDGE_INVERTED) if inverted else (LARGEST, RIDGE)


def settle(
    program: Rows, outcome: Outcome, count: int, tol: float, *, inverted: bool = False
) -> Outcome:
    """Correct which rows are active where a multiplier is negative or a row is violated.

    A primal-dual active set method (Hintermueller, Ito and Kunisch, 2003), for points nearby.
    """
    for _ in range(10):
        left = (~outcome.converged).nonzero().squeeze(-1)
        if not len(left):
            break
        part = Rows(*(t[left] for t in program))
        x, y = outcome.x[left], outcome.multipliers[left]
        active = active_at(part, x, y, count)
        again = finish(part, x, y, active, count, tol, inverted=inverted)
        again = again._replace(iterations=outcome.iterations[left])
        for whole, new in zip(outcome, again, strict=True):
            whole[left] = new
    return outcome


def active_at(program: Rows, x: torch.Tensor, y: torch.Tensor, count: int) -> torch.Tensor:
    """Return which inequalities seem to be active at a point."""
    z, slack = _Conditions.at(program, x, y, count).sides()
    rounding = 1e-12
    return (slack < -rounding) | ((z > rounding) & (z > slack))


class _Iterate(NamedTuple):
    r"""Programs and where they are; see :func:`follow`.

    Attributes:
        Q: The matrices, with a ridge.
        c: The linear terms.
        E: The rows.
        f: Their right-hand sides.
        x: The points.
        y: The multipliers of all rows.
        s: The slacks of the inequalities.
        dual: The residual :math:`Q x + c + E^\top y`.
        gap: What is left of the rows, :math:`f - E x`, which the slacks are to equal.
        dual_size: The largest residual of the first kind at the start, and
        primal_size: of the second.
        weight: The ratio of multiplier and slack of each inequality one step ago.
        previous: Which inequalities seemed to be active one step ago.
        failed: Which ones did when they were last tried.
        where: The place of each program in the batch.
        alive: Whether it is not solved.
    """

    Q: torch.Tensor
    c: torch.Tensor
    E: torch.Tensor
    f: torch.Tensor
    x: torch.Tensor
    y: torch.Tensor
    s: torch.Tensor
    dual: torch.Tensor
    gap: torch.Tensor
    dual_size: torch.Tensor
    primal_size: torch.Tensor
    weight: torch.Tensor
    previous: torch.Tensor
    failed: torch.Tensor
    where: torch.Tensor
    alive: torch.Tensor

    def measured(self) -> _Iterate:
        """Return it with its residuals, which are updated in between up to rounding errors."""
        dual = plus_mv(plus_mv(self.c, self.Q, self.x), self.E.mT, self.y)
        return self._replace(dual=dual, gap=self.f - mv(self.E, self.x))

    def to(self, dtype: torch.dtype) -> _Iterate:
        """Return it with its numbers in another precision."""
        return _Iterate(*(t.to(dtype) if t.is_floating_point() else t for t in self))

    def kept(self, which: torch.Tensor) -> _Iterate:
        """Return some of the programs."""
        return _Iterate(*(t[which] for t in self))


def follow(
    program: Rows,
    count: int,
    *,
    tol: float,
    maxiter: int,
    mu: torch.Tensor | None = None,
    start: tuple[torch.Tensor, torch.Tensor] | None = None,
    inverted: bool = False,
) -> Outcome:
    """Solve programs, or find the point of their central path.

    Args:
        program: The programs, one leading axis; the last rows are equalities.
        count: The number of inequalities.
        tol: The tolerance on all conditions.
        maxiter: The most steps.
        mu: The product of slack and multiplier of each inequality; None for the solution.
        start: A point and multipliers to start from.
        inverted: Whether the whole matrices of the equations are inverted: slower, and as good for
            numbers of all sizes.
    """
    Q, c, E, f = program
    batch, m = f.shape[0], count
    # With a ridge, unbounded programs have a central path.
    ridged = Q if inverted or mu is not None else _ridged(Q)
    if start is None:
        x, y, s = _first(ridged, c, E, f, m, _FAR if inverted else _NEAR)
        if mu is not None:  # no product is far below its target
            floor = mu.sqrt().unsqueeze(-1)
            s, y = torch.maximum(s, floor), torch.maximum(y, _padded(floor + 0 * s, y, -torch.inf))
    else:
        x, y, s = _inside(E, f, m, mu, *start)
    none = torch.zeros_like(s, dtype=torch.bool)
    where = torch.arange(batch, device=f.device)
    weight = torch.full_like(s, torch.inf)
    one = torch.ones_like(c[..., :1].sum(-1))
    at = _Iterate(ridged, c, E, f, x, y, s, c, f, one, one, weight, none, ~none, where, where >= 0)
    small_ones = c.shape[-1] < _SMALL
    # Single precision finds the active rows as well; small programs take no less time by it.
    single = mu is None and start is None and m > 0 and not small_ones and not inverted
    if single:
        at = at.to(torch.float32)
    out: Outcome | None = None
    for k in range(maxiter + 1):
        if single and k == _SINGLE:
            single, at = False, _doubled(at, program)
        if k % 4 == 0:
            at = at.measured()
        z, s = at.y.narrow(-1, 0, m), at.s
        primal = largest(at.gap - _padded(s, at.gap, 0.0))
        dual = largest(at.dual)
        if k == 0:
            at = at._replace(dual_size=or_one(dual), primal_size=or_one(primal))
        left = torch.maximum(dual / at.dual_size, primal / at.primal_size)
        last = k == maxiter or (not m and k == 3)  # linear equations, up to refinement
        # A multiplier that falls more slowly than its slack belongs to an active row, in any unit.
        weight = z / s
        growth = weight / at.weight
        stays = (growth > 0.9) & (growth < 1.1)  # what has converged changes by rounding errors
        active, weight = at.previous.where(stays, growth > 1), at.weight.where(stays, weight)
        if last or not m:
            attempt = at.alive
        elif mu is not None:
            attempt = at.alive & (left <= 1e-9) & (largest(s * z - mu[:, None]) <= 1e-9 * mu)
        else:
            new = (active != at.failed).any(-1) | (k % _RETRY == 0)
            same = (active == at.previous).all(-1) & new
            attempt = at.alive & same & (left < 1e-2)
        at = at._replace(previous=active, weight=weight)
        chosen = attempt.nonzero().squeeze(-1)
        waits = small_ones and not last and 10 * len(chosen) < 9 * len(attempt)
        if len(chosen) and not (waits and k % 4):
            place = at.where[chosen]
            part = Rows(*(t[place] for t in program))
            x, y = at.x[chosen].to(c.dtype), at.y[chosen].to(c.dtype)
            if mu is None:
                sharp = tol if last and inverted else min(tol, _SHARP)
                ended = finish(part, x, y, active[chosen], m, sharp, inverted=inverted)
                if last:
                    ended = settle(part, ended, m, sharp, inverted=inverted)
            else:
                ended = _on_path(part, x, y, at.s[chosen], m, mu[chosen], tol, inverted)
            ended = ended._replace(iterations=ended.iterations + k)
            if out is None:
                out = Outcome(*(t.new_zeros((batch, *t.shape[1:])) for t in ended))
            for whole, found in zip(out, ended, strict=True):
                whole[place] = found
            at.failed[chosen] = active[chosen]
            at.alive[chosen] &= ~(ended.converged | last)
            alive = at.alive.nonzero().squeeze(-1)
            if not len(alive):
                break
            if len(alive) <= 0.75 * len(at.alive):
                at = at.kept(alive)
                mu = None if mu is None else mu[alive]
        at = _step(at, mu, inverted)
    assert out is not None
    return out


def follow_again(
    program: Rows,
    count: int,
    outcome: Outcome,
    left: torch.Tensor,
    *,
    tol: float,
    maxiter: int,
    mu: torch.Tensor | None = None,
) -> Outcome:
    """Solve by inverses of whole matrices what is left, and return the outcome of all.

    Args:
        program: The programs.
        count: The number of inequalities.
        outcome: What became of them.
        left: Which ones are not solved.
        tol: The tolerance on all conditions.
        maxiter: The most steps.
        mu: The product of slack and multiplier of each inequality; None for the solution.
    """
    place = left.nonzero().squeeze(-1)
    if not len(place) or not program.f.shape[-1]:
        return outcome
    mu = None if mu is None else mu[place]
    part = Rows(*(t[place] for t in program))
    found = follow(part, count, tol=tol, maxiter=maxiter, mu=mu, inverted=True)
    found = found._replace(iterations=found.iterations + outcome.iterations[place])
    # One kind of factor for the whole batch.
    weights = outcome.weights.index_copy(0, place, found.weights)
    factor = factorize(program.Q, program.E, weights, ridge=RIDGE_INVERTED, inverted=True)
    outcome = outcome._replace(triangle=factor.triangle)
    for whole, new in zip(outcome, found, strict=True):
        whole[place] = new
    return outcome


def _doubled(at: _Iterate, program: Rows) -> _Iterate:
    """Return iterates in double precision, from the start where they are not finite."""
    Q, c, E, f = (t[at.where] for t in program)
    Q, at = _ridged(Q), at.to(c.dtype)
    x, y, s = at.x, at.y, at.s
    finite = (x.sum(-1) + y.sum(-1) + s.sum(-1)).isfinite().unsqueeze(-1)
    if not bool(finite.all()):
        fresh = _first(Q, c, E, f, s.shape[-1], _NEAR)
        x, y, s = (torch.where(finite, t, new) for t, new in zip((x, y, s), fresh, strict=True))
    return at._replace(Q=Q, c=c, E=E, f=f, x=x, y=y, s=s).measured()


def _step(at: _Iterate, mu: torch.Tensor | None, inverted: bool) -> _Iterate:
    """Do one predictor-corrector step."""
    Q, E, y, s, gap = at.Q, at.E, at.y, at.s, at.gap
    m = s.shape[-1]
    z, room = y.narrow(-1, 0, m), gap.narrow(-1, 0, m)
    most, ridge = _bounds(inverted)
    if y.dtype != torch.float64:
        most = _LARGEST_SINGLE
    weights = _padded((z / s).clamp(max=most), y, most)
    ridge = 0.0 if mu is None and not inverted else ridge
    factor = factorize(Q, E, weights, ridge=ridge, inverted=inverted)
    r, q = -at.dual, gap
    if mu is not None:
        q = q - _padded(mu.unsqueeze(-1) / z, q, 0.0)
    u, t, reach = solve_once(factor, E, r, q)
    if not m:
        return at._replace(x=at.x + u, y=y + t).measured()
    v = torch.cat([s, z], -1)  # what is not to become negative
    dv = torch.cat([room - s - reach.narrow(-1, 0, m), t.narrow(-1, 0, m)], -1)
    length = _longest(v, dv)
    mean = _mean_product(v)
    target = (_mean_product(torch.addcmul(v, length, dv)) / mean).pow(3) * mean
    if mu is not None:
        target = (target - mu.unsqueeze(-1)).clamp(min=0)
    # The second-order term counts as far as the predictor can go.
    target = target - length * dv.narrow(-1, 0, m) * dv.narrow(-1, m, m)
    q = q - _padded(target / z, q, 0.0)
    if mu is None:
        u, t, reach = solve_once(factor, E, r, q)
    else:
        e = _padded(s / z, y, 1 / most)
        u, t, *_ = solve_kkt(factor, Q, E, e, r, q, refinements=2)
        reach = mv(E, u)
    dv = torch.cat([room - s - reach.narrow(-1, 0, m), t.narrow(-1, 0, m)], -1)
    longest = _longest(v, dv)
    length = 0.995 * longest if mu is None else (0.995 * longest).where(longest < 1, 1.0)
    # What the equations leave of the residuals.
    dual, gap = (1 - length) * at.dual, torch.addcmul(gap, length, reach, value=-1)
    y, s = torch.addcmul(y, length, t), torch.addcmul(s, length, dv.narrow(-1, 0, m))
    if bool((length < 0.5).any()):
        z = y.narrow(-1, 0, m)
        product = s * z
        floor = product.mean(-1, keepdim=True) / 10
        # Too close to a boundary to go on.
        floor = torch.where((length < 0.5) & (product < floor / 100), floor, 0.0)
        raised = torch.where(s < z, torch.maximum(s, floor / z), s)
        lifted = torch.where(s < z, z, torch.maximum(z, floor / s))
        dual = dual + mtv(E[:, :m], lifted - z)
        s, y = raised, torch.cat([lifted, y[:, m:]], -1)
    return at._replace(x=torch.addcmul(at.x, length, u), y=y, s=s, dual=dual, gap=gap)


def _first(
    Q: torch.Tensor,
    c: torch.Tensor,
    E: torch.Tensor,
    f: torch.Tensor,
    m: int,
    ridge: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return a starting point: a short one on the equalities, with slacks that it has or needs.

    The larger the ridge, the shorter it is. All products of slack and multiplier are alike, so that a
    bound that is far away has no say.
    """
    weights = torch.full_like(f, LARGEST)
    weights[:, :m] = 0.0
    x, y, reach = solve_once(factorize(Q, E, weights, ridge=ridge), E, -c, f)
    if not m:
        return x, y, f[:, :0]
    gap = (f - reach)[:, :m]
    away = (-gap).amax(-1, keepdim=True).clamp(min=0)
    near = or_one(torch.maximum(away, 1e-2 * largest(x).unsqueeze(-1)))
    s = torch.maximum(gap, near)
    force = or_one(largest(plus_mv(c, Q, x)).unsqueeze(-1))
    z = force * near / s
    return x, torch.cat([z, y[:, m:]], -1), s


def _inside(
    E: torch.Tensor,
    f: torch.Tensor,
    m: int,
    mu: torch.Tensor | None,
    x: torch.Tensor,
    y: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return a given point, with slacks and multipliers that are positive."""
    floor = 1e-4 if mu is None else mu.sqrt().unsqueeze(-1)
    s = torch.maximum((f - mv(E, x))[:, :m], torch.as_tensor(floor, dtype=f.dtype, device=f.device))
    z = torch.maximum(y[:, :m], torch.as_tensor(floor, dtype=f.dtype, device=f.device))
    return x, torch.cat([z, y[:, m:]], -1), s


def _on_path(
    program: Rows,
    x: torch.Tensor,
    y: torch.Tensor,
    s: torch.Tensor,
    m: int,
    mu: torch.Tensor,
    tol: float,
    inverted: bool,
) -> Outcome:
    """Return a point of the central path with the factor of its equations."""
    Q, _, E, f = program
    most, ridge = _bounds(inverted)
    e = _padded(mu.unsqueeze(-1) / y.narrow(-1, 0, m).square(), f, 1 / most)
    factor = factorize(Q, E, 1 / e.clamp(min=1 / most), ridge=ridge, inverted=inverted)
    # On the path each inequality has the slack that belongs to its multiplier.
    there = program._replace(f=f - _padded(s, f, 0.0))
    on = torch.ones_like(f, dtype=torch.bool)
    error = _Conditions.at(there, x, y, m).error(on)
    error = torch.maximum(error, largest(s * y[:, :m] / mu.unsqueeze(-1) - 1))
    none = torch.zeros_like(error, dtype=torch.int64)
    return Outcome(x, y, *factor, error, error, none, error <= tol)


def _ridged(Q: torch.Tensor) -> torch.Tensor:
    return Q + RIDGE * torch.eye(Q.shape[-1], dtype=Q.dtype, device=Q.device)


def _padded(part: torch.Tensor, whole: torch.Tensor, value: float) -> torch.Tensor:
    """Return what belongs to the inequalities with a value for the equalities, which follow."""
    more = whole.shape[-1] - part.shape[-1]
    return torch.nn.functional.pad(part, (0, more), value=value) if more else part


def _mean_product(v: torch.Tensor) -> torch.Tensor:
    """Return the mean product of elements of the two halves of vectors."""
    first, second = v.chunk(2, -1)
    return (first * second).mean(-1, keepdim=True)


def _longest(v: torch.Tensor, dv: torch.Tensor) -> torch.Tensor:
    """Return the longest step, at most one, that keeps elements from being negative."""
    return -1 / (dv / v).amin(-1, keepdim=True).clamp(max=-1.0)
