"""Which constraints hold with equality at a projection: nonnegative least squares by an active set."""

from __future__ import annotations

import torch

from torchopt.autodiff.half import narrow, wide
from torchopt.autodiff.loops import iterate


def active_set(
    gram: torch.Tensor, b: torch.Tensor, size: torch.Tensor, free: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    r"""Return which entries of the minimizer are not at their bound, and the minimizer.

    .. math:: \min_y \; \tfrac12 y^\top J J^\top y - b^\top y, \qquad y_i \ge 0 \text{ unless free}

    It is the dual of the projection onto constraints whose gradients are the rows of :math:`J`. Rows of
    the returned set are linearly independent: a free one that depends on others is left out.

    Args:
        gram: The matrix :math:`J J^\top`, whose diagonal is one, or zero for a row of zeros.
        b: The linear term.
        size: How large the terms are that each entry of ``b`` is the sum of.
        free: Which entries have no bound.

    Returns:
        The set, a boolean vector, and the minimizer.

    References:
        Lawson and Hanson, *Solving Least Squares Problems*, 1974, chapter 23.
    """
    eps = torch.finfo(b.dtype).eps
    diagonal = gram.diagonal()
    if not len(b):
        return free, b

    Carry = tuple[torch.Tensor, torch.Tensor, torch.Tensor]

    def step(carry: Carry) -> Carry:
        y, on, _ = carry
        columns = masked_solve(gram, on, torch.cat([b.unsqueeze(1), gram], 1))
        target = columns[:, 0]
        # How far each row is from the span of those in the set, squared.
        apart = diagonal - (gram * columns[:, 1:]).sum(0)

        # On the way there, entries that become negative leave the set.
        falls = on & ~free & (target <= 0)
        share = torch.where(falls, y / torch.where(falls, y - target, 1.0).clamp(min=eps**4), 1.0)
        nearest = share.min()
        leaves = falls & (share <= nearest)
        retreats = falls.any()
        y = torch.where(retreats, y + nearest * (target - y), target).masked_fill(leaves, 0.0)

        # There, the constraint that is violated most enters; at first those without a bound.
        gap = b - gram @ y
        noise = 100 * eps * (size + (gram * y).abs().sum(1))
        enters = ~on & ~retreats & (apart > eps**0.5) & (free | (gap > noise))
        rank = torch.where(enters, torch.where(free, 2 + apart, gap / (1 + gap.abs())), -1.0)
        first = torch.arange(len(b), device=b.device) == rank.argmax()
        return y, (on & ~leaves) | (enters & first), ~retreats & ~enters.any()

    start = torch.zeros_like(b), torch.zeros_like(free), torch.zeros_like(free[0])
    (y, on, _), _ = iterate(step, start, lambda carry: ~carry[2], maxiter=4 * len(b) + 10)
    return on, y


def masked_solve(gram: torch.Tensor, on: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Solve with the rows and columns of a set, and return zero elsewhere.

    Args:
        gram: A matrix.
        on: The set, a boolean vector.
        b: The right-hand sides, one a column.
    """
    both = on.unsqueeze(0) & on.unsqueeze(1)
    unit = torch.eye(len(on), dtype=gram.dtype, device=gram.device)
    matrix, right = torch.where(both, gram, unit), torch.where(on.unsqueeze(1), b, 0.0)
    return narrow(torch.linalg.solve_ex(wide(matrix), wide(right))[0], b.dtype)
