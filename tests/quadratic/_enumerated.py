"""Small quadratic programs solved in rational arithmetic, by enumerating which rows are active."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import torch

__all__ = ["Exact", "solve_exactly"]


class Exact(NamedTuple):
    """A solution, and the derivative of x_1 + 2 x_2 + 3 x_3 + ... in the linear terms."""

    x: torch.Tensor
    slope: torch.Tensor


def solve_exactly(
    Q: torch.Tensor,
    c: torch.Tensor,
    G: torch.Tensor,
    h: torch.Tensor,
    A: torch.Tensor,
    b: torch.Tensor,
) -> Exact | None:
    """Return the solution of a program with a few unknowns and rows; None if it is infeasible.

    Every floating number is a fraction, and all that follows is exact. A set of rows whose equations
    are singular is left out: another set has the same solution, as long as that is unique.
    """
    quadratic, rows, equalities = (_fractions(t) for t in (Q, G, A))
    cost, side, values = (_fractions(t) for t in (c, h, b))
    n, p = len(cost), len(values)
    bounding = [i for i in range(len(side)) if side[i] is not None]
    for size in range(n - p + 1):
        for active in combinations(bounding, size):
            chosen = [*equalities, *(rows[i] for i in active)]
            zeros = [Fraction(0)] * len(chosen)
            right = [*values, *(side[i] for i in active)]
            matrix = [[*quadratic[j], *(row[j] for row in chosen)] for j in range(n)]
            matrix += [[*row, *zeros] for row in chosen]
            both = _eliminated(matrix, [*(-v for v in cost), *right])
            if both is None or any(z < 0 for z in both[n + p :]):
                continue
            x = both[:n]
            if all(
                sum(g * v for g, v in zip(rows[i], x, strict=True)) <= side[i] for i in bounding
            ):
                adjoint = _eliminated(matrix, [*(Fraction(k + 1) for k in range(n)), *zeros])
                assert adjoint is not None
                slope = [-v for v in adjoint[:n]]
                return Exact(
                    *(torch.tensor([float(v) for v in t], dtype=torch.float64) for t in (x, slope))
                )
    return None


def _fractions(t: torch.Tensor) -> list[Any]:
    if t.dim() > 1:
        return [_fractions(row) for row in t]
    return [None if v == float("inf") else Fraction(v) for v in t.tolist()]


def _eliminated(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """Solve a square system by elimination; None if it is singular."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for k in range(size):
        pivot = next((i for i in range(k, size) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(size):
            if i != k and rows[i][k] != 0:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [rows[k][size] / rows[k][k] for k in range(size)]
