"""Matrices with given sums of rows and columns: transport plans."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import torch

from torchopt import checks
from torchopt.autodiff.loops import iterate, wide
from torchopt.prox.term import parameter
from torchopt.prox.vectors import A_MATRIX
from torchopt.pytree.typing import Numeric
from torchopt.sets.base import Set, unless_empty


@dataclass(frozen=True, eq=False)
class TransportPolytope(Set):
    r"""Non-negative matrices with given sums of rows and of columns: transport plans.

    .. math::
        C = \{X \geq 0, \; X 1 = p, \; X^\top 1 = q\}, \qquad
        P(X)_{ij} = \max(X_{ij} + \alpha_i + \beta_j, 0)

    with potentials :math:`\alpha, \beta` for which the sums are right: a smooth convex problem of
    :math:`m + n` unknowns, solved by Newton's method to rounding, in about ten steps of
    :math:`O(m n^2 + n^3)`; more where elements are much larger than the sums. The derivative is that of
    the piece: of the elements that stay positive, to any order. The projection of
    :math:`-C / \varepsilon` is the transport of cost :math:`C` with a quadratic regularization.

    The mirror map is the negative entropy. Its step scales rows and columns, as Sinkhorn does, of
    :math:`X e^{-t G}`, by Newton's method, too; its derivatives are right to the third order.

    Args:
        rows: The sums of rows :math:`p \geq 0`: a positive number for all, or a tensor that broadcasts
            with the shape of a leaf without its last axis; it may require grad.
        columns: The sums of columns :math:`q \geq 0`, of the same total: a positive number, or a
            tensor that broadcasts with the shape of a leaf without its last but one axis. If totals
            differ by more than one part in 10,000, there are no plans.

    Raises:
        ValueError: If ``rows`` or ``columns`` is a number that is not positive, or has a negative
            element; in use, if a leaf is no matrix, or totals differ. Tensors are looked at on the CPU
            outside of transforms and compiled code; elsewhere results are NaN.
        TypeError: If ``rows`` or ``columns`` is neither a number nor a floating tensor.

    Example:
        >>> import torch, torchopt
        >>> p, q = torch.tensor([0.5, 0.5]), torch.tensor([0.25, 0.75])
        >>> plans = torchopt.sets.TransportPolytope(p, q)
        >>> plans.project(torch.tensor([[1.0, 0.0], [0.0, 1.0]]))
        tensor([[0.2500, 0.2500],
                [0.0000, 0.5000]])

    References:
        Blondel, Seguy and Rolet, *Smooth and Sparse Optimal Transport*, 2018, equation 7. Cuturi,
        *Sinkhorn Distances*, 2013. Li, Sun and Toh, *On the Efficient Computation of a Generalized
        Jacobian of the Projector over the Birkhoff Polytope*, 2020.
    """

    rows: Numeric = field(metadata=parameter(positive=True))
    columns: Numeric = field(metadata=parameter(positive=True))

    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the nearest plans."""
        plan = project_transport(*_problem(x, self.rows, self.columns))
        return self._if_there_is_one(plan)

    def mirror_step_leaf(
        self, x: torch.Tensor, gradient: torch.Tensor, step_size: Numeric
    ) -> torch.Tensor:
        """Return a step of exponentiated gradient descent, scaled to the sums."""
        x, zero = wide(x), x == 0  # whose logarithm has no derivative
        moved = torch.where(zero, 1.0, x).log() - step_size * wide(gradient)
        moved = torch.where(zero, -torch.inf, moved)
        plan = scale_to_sums(*_problem(moved, self.rows, self.columns))
        return self._if_there_is_one(plan)

    def _if_there_is_one(self, plan: torch.Tensor) -> torch.Tensor:
        """Return the plan; there is none where totals differ by more than rounding, if in float32."""
        _, p, q = _problem(plan.detach(), self.rows, self.columns)
        totals = [t.detach().sum(-1)[..., None, None] for t in (p, q)]
        return unless_empty(
            plan,
            (totals[0] - totals[1]).abs() <= max(1e-4, 4 * self._rounding) * totals[0],
            lambda at: "`rows` have the sum {:g}, and `columns` {:g}: make both the same".format(
                *(t[at].item() for t in totals)
            ),
        )


def _problem(x: torch.Tensor, rows: Numeric, columns: Numeric) -> tuple[torch.Tensor, ...]:
    checks.check("the leaf", x, A_MATRIX)
    p = torch.as_tensor(rows, dtype=x.dtype, device=x.device)
    q = torch.as_tensor(columns, dtype=x.dtype, device=x.device)
    try:
        return x, p.expand(x.shape[:-1]), q.expand(*x.shape[:-2], x.shape[-1])
    except RuntimeError:
        raise ValueError(
            f"a leaf has shape {tuple(x.shape)}, `rows` {tuple(p.shape)} and `columns` "
            f"{tuple(q.shape)}: pass a sum for each row and one for each column."
        ) from None


def project_transport(x: torch.Tensor, p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """Return the nearest matrices to some without negative elements, with sums ``p`` and ``q``."""
    with torch.no_grad():
        a, b = _potentials(x, p, q, _Squares)
        plan = x.detach().double() + _sum(a, b)
        # An element that is zero but for rounding would join parts of the plan that move by themselves.
        largest = torch.maximum(p.amax(-1), q.amax(-1)) + x.abs().amax((-2, -1)) / 10
        positive = ~(plan <= 1e-11 * largest[..., None, None])  # NaN stays
        a, b, weights = a.to(x.dtype), b.to(x.dtype), positive.to(x.dtype)
        size = p.shape[-1]
        both = torch.cat(
            [
                torch.cat([torch.diag_embed(weights.sum(-1)), weights], -1),
                torch.cat([weights.mT, torch.diag_embed(weights.sum(-2))], -1),
            ],
            -2,
        )
        # Potentials of parts of the plan that share no row and no column move freely.
        inverse = torch.linalg.pinv(both, hermitian=True)
    x = torch.where(positive, x + _sum(a, b), 0.0)
    missing = torch.cat([p - x.sum(-1), q - x.sum(-2)], -1)
    change = (inverse @ missing.unsqueeze(-1)).squeeze(-1)
    return torch.where(positive, x + _sum(change[..., :size], change[..., size:]), 0.0).relu()


def scale_to_sums(x: torch.Tensor, p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """Return exponentials of matrices, rows and columns scaled to the sums ``p`` and ``q``."""
    empty = (p == 0).unsqueeze(-1) | (q == 0).unsqueeze(-2)
    x = torch.where(empty, -torch.inf, x)
    with torch.no_grad():
        a, b = (t.to(x.dtype) for t in _potentials(x, p, q, _Exponentials))
    # Each step of Newton's method from the solution doubles the order of right derivatives, and one.
    for _ in range(2):
        plan = torch.exp(x + _sum(a, b))
        da, db = _newton(plan, p - plan.sum(-1), q - plan.sum(-2), 0.0)
        a, b = a + da, b + db
    return torch.exp(x + _sum(a, b))


_Pair: TypeAlias = tuple[torch.Tensor, torch.Tensor]


class _Squares:
    """The conjugate of half the square of non-negative numbers, and its first two derivatives."""

    @staticmethod
    def start(x: torch.Tensor, p: torch.Tensor, q: torch.Tensor) -> _Pair:
        return _newton(torch.ones_like(x), p - x.sum(-1), q - x.sum(-2), 0.0)

    @staticmethod
    def derivatives(u: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        plan = u.relu()
        return plan.square() / 2, plan, (u > 0).to(u.dtype)


class _Exponentials:
    """The conjugate of the negative entropy, which is its own derivative."""

    @staticmethod
    def start(x: torch.Tensor, p: torch.Tensor, q: torch.Tensor) -> _Pair:
        b = torch.zeros_like(q)
        for _ in range(5):  # potentials of what is empty may be anything
            a = torch.where(p > 0, p.log() - (x + b.unsqueeze(-2)).logsumexp(-1), 0.0)
            b = torch.where(q > 0, q.log() - (x + a.unsqueeze(-1)).logsumexp(-2), 0.0)
        return a, b

    @staticmethod
    def derivatives(u: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        plan = u.exp()
        return plan, plan, plan


class _State(NamedTuple):
    """Potentials, and what the problem is there."""

    a: torch.Tensor
    b: torch.Tensor
    value: torch.Tensor
    rows: torch.Tensor
    columns: torch.Tensor
    weights: torch.Tensor
    damping: torch.Tensor


def _potentials(
    x: torch.Tensor, p: torch.Tensor, q: torch.Tensor, kind: type[_Squares | _Exponentials]
) -> _Pair:
    """Return the potentials of plans, by Newton's method with a damping that the decrease adapts."""
    x, p, q = (t.detach().double() for t in (x, p, q))
    scale = torch.maximum(p.abs().amax(-1), q.abs().amax(-1))
    largest = torch.where(x.isinf(), 0.0, x.abs()).amax((-2, -1))  # what is empty is exact
    rounding = torch.finfo(x.dtype).eps * (50 + 2 * largest / scale)

    def state(a: torch.Tensor, b: torch.Tensor, damping: torch.Tensor) -> _State:
        value, plan, weights = kind.derivatives(x + _sum(a, b))
        value = value.sum((-2, -1)) - (p * a).sum(-1) - (q * b).sum(-1)
        return _State(a, b, value, p - plan.sum(-1), q - plan.sum(-2), weights, damping)

    def missing(s: _State) -> torch.Tensor:
        return torch.maximum(s.rows.abs().amax(-1), s.columns.abs().amax(-1)) / scale

    def step(s: _State) -> _State:
        damping = s.damping * missing(s).clamp(max=1)
        da, db = _newton(s.weights, s.rows, s.columns, damping)
        new = state(s.a + da, s.b + db, s.damping / 4)
        decrease = (s.rows * da).sum(-1) + (s.columns * db).sum(-1)
        better = (new.value <= s.value - decrease / 10) | (missing(new) < missing(s) / 2)
        return _select(better, new, s._replace(damping=8 * s.damping))

    def going(s: _State) -> torch.Tensor:
        return ((missing(s) > rounding) & (s.damping < 1e12)).any()

    first = state(*kind.start(x, p, q), torch.ones_like(scale))
    last, _ = iterate(step, first, going, maxiter=500)
    return last.a, last.b


def _select(condition: torch.Tensor, new: _State, old: _State) -> _State:
    """Return one state where a condition on each matrix of a leaf holds, and another elsewhere."""

    def one(n: torch.Tensor, o: torch.Tensor) -> torch.Tensor:
        more = n.dim() - condition.dim()
        return torch.where(condition.reshape(condition.shape + (1,) * more), n, o)

    return _State(*map(one, new, old))


def _newton(
    weights: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor, damping: Numeric
) -> _Pair:
    """Return the step of Newton's method for weights of elements, and what is missing in the sums."""
    of_rows, of_columns = weights.sum(-1), weights.sum(-2)
    unit = torch.maximum(of_rows.amax(-1), of_columns.amax(-1)).detach()
    # A part of the plan that shares no row and no column with another has a matrix without an inverse.
    more = (unit * (damping + 8 * torch.finfo(unit.dtype).eps)).unsqueeze(-1)
    of_rows, of_columns = of_rows + more, of_columns + more
    share = weights / of_rows.unsqueeze(-1)
    # To move all potentials of rows up and those of columns down changes nothing: this fixes it.
    gauge = of_columns / of_columns.sum(-1, keepdim=True)
    schur = (
        torch.diag_embed(of_columns)
        - weights.mT @ share
        + of_columns.unsqueeze(-1) * gauge.unsqueeze(-2)
    )
    right = columns - (share * rows.unsqueeze(-1)).sum(-2)
    b = torch.linalg.solve_ex(schur, right.unsqueeze(-1)).result.squeeze(-1)
    return (rows - (weights * b.unsqueeze(-2)).sum(-1)) / of_rows, b


def _sum(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.unsqueeze(-1) + b.unsqueeze(-2)
