"""A quadratic program as tensors: checked, completed, and in units of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.pytree.dataclass import register_dataclass
from torchopt.quadratic._kkt import geometric_mean, largest, lengths, or_one

#: How often columns and rows are brought to one size in turns; differences become their square roots.
_PASSES = 8


@register_dataclass
@dataclass(frozen=True, eq=False)
class Program:
    r"""Minimize :math:`\frac12 x^\top Q x + c^\top x` subject to :math:`G x \le h`, :math:`A x = b`.

    Later releases may add attributes.

    Attributes:
        Q: Symmetric positive semi-definite matrices, of shape ``(..., n, n)``.
        c: The linear terms, ``(..., n)``.
        G: The rows of the inequalities, ``(..., m, n)``; ``m`` may be 0.
        h: Their right-hand sides, ``(..., m)``.
        A: The rows of the equalities, ``(..., p, n)``; ``p`` may be 0.
        b: Their right-hand sides, ``(..., p)``.

    Example:
        >>> import torch, torchopt
        >>> none = torch.zeros(0, 2), torch.zeros(0)
        >>> program = torchopt.quadratic.Program(torch.eye(2), torch.ones(2), *none, *none)
        >>> torchopt.quadratic_program(**vars(program)).params
        tensor([-1., -1.])
    """

    Q: torch.Tensor
    c: torch.Tensor
    G: torch.Tensor
    h: torch.Tensor
    A: torch.Tensor
    b: torch.Tensor


def blocks_of(program: Program) -> tuple[torch.Tensor, ...]:
    """Return the six blocks, in the order of :func:`torchopt.quadratic_program`'s formula."""
    return program.Q, program.c, program.G, program.h, program.A, program.b


class Rows(NamedTuple):
    """A program with its constraints in one block, inequalities first."""

    Q: torch.Tensor
    c: torch.Tensor
    E: torch.Tensor
    f: torch.Tensor


def program_of(Q: Any, c: Any, G: Any, h: Any, A: Any, b: Any) -> Program:
    """Check the blocks of a program, and return it with all of them, in one dtype.

    Raises:
        TypeError: If a block is no floating tensor.
        ValueError: If shapes do not fit, or one of two blocks that belong together is missing.
    """
    blocks = {"Q": Q, "c": c, "G": G, "h": h, "A": A, "b": b}
    for name, value in blocks.items():
        needed = name in ("Q", "c")
        checks.check(name, value, checks.FLOATING if needed else checks.or_none(checks.FLOATING))
    for rows, side in (("G", "h"), ("A", "b")):
        if (blocks[rows] is None) != (blocks[side] is None):
            there, missing = (rows, side) if blocks[side] is None else (side, rows)
            raise ValueError(
                f"`{there}` is there and `{missing}` is missing: pass both or neither."
            )
    if Q.dim() < 2 or c.dim() < 1 or Q.shape[-1] != Q.shape[-2] or Q.shape[-1] != c.shape[-1]:
        raise ValueError(
            f"`Q` has shape {tuple(Q.shape)} and `c` has {tuple(c.shape)}: pass `Q` of shape "
            f"(..., n, n) and `c` of shape (..., n)."
        )
    n = c.shape[-1]
    for rows, side in (("G", "h"), ("A", "b")):
        matrix, vector = blocks[rows], blocks[side]
        if matrix is None:
            blocks[rows], blocks[side] = Q.new_zeros((0, n)), Q.new_zeros((0,))
            continue
        fits = matrix.dim() > 1 and vector.dim() and matrix.shape[-1] == n
        if not fits or matrix.shape[-2] != vector.shape[-1]:
            raise ValueError(
                f"`{rows}` has shape {tuple(matrix.shape)} and `{side}` has {tuple(vector.shape)}: for "
                f"{n} unknowns pass `{rows}` of shape (..., k, {n}) and `{side}` of shape (..., k)."
            )
    dtype = Q.dtype
    for value in blocks.values():
        dtype = torch.promote_types(dtype, value.dtype)
    own = (2, 1, 2, 1, 2, 1)
    try:
        batch_of(list(blocks.values()), own)
    except RuntimeError as error:
        batches = {
            k: tuple(v.shape[: v.dim() - d]) for (k, v), d in zip(blocks.items(), own, strict=True)
        }
        raise ValueError(
            f"the leading axes of the blocks do not broadcast: "
            f"{', '.join(f'`{k}` has {v}' for k, v in batches.items())}."
        ) from error
    return Program(*(v.to(dtype) for v in blocks.values()))


def two_sided(
    G: torch.Tensor | None, h: torch.Tensor | None, h_lower: torch.Tensor | None
) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    """Return rows between two sides as twice as many with one; see :func:`one_sided`.

    Raises:
        TypeError: If the lower side is no floating tensor.
        ValueError: If it has no rows, or not one number for each.
    """
    if h_lower is None:
        return G, h
    checks.check("h_lower", h_lower, checks.FLOATING)
    if not isinstance(G, torch.Tensor) or G.dim() < 2 or h_lower.shape[-1:] != G.shape[-2:-1]:
        rows = tuple(G.shape) if isinstance(G, torch.Tensor) else G
        raise ValueError(
            f"`h_lower` has shape {tuple(h_lower.shape)} and `G` is {rows}: pass `G` of shape "
            f"(..., k, n) and `h_lower` of shape (..., k)."
        )
    if h is None:
        h = torch.full_like(h_lower, math.inf)
    return torch.cat([G, -G], -2), torch.cat(_expanded([h, -h_lower], 1), -1)


def one_sided(multipliers: torch.Tensor) -> torch.Tensor:
    """Return those of rows between two sides: positive at the upper one, negative at the lower one."""
    upper, lower = multipliers.chunk(2, -1)
    return upper - lower


def rows_of(program: Program) -> Rows:
    """Return a program with one block of rows, all of the same number of leading axes."""
    Q, c, G, h, A, b = blocks_of(program)
    E = torch.cat(_expanded([G, A], 2), -2) if A.shape[-2] else G
    f = torch.cat(_expanded([h, b], 1), -1) if A.shape[-2] else h
    if not G.shape[-2] and A.shape[-2]:
        E, f = A, b
    depth = max(Q.dim() - 2, c.dim() - 1, E.dim() - 2, f.dim() - 1)
    Q = (Q + Q.mT) / 2
    return Rows(*(_deep(t, depth + k) for t, k in zip((Q, c, E, f), (2, 1, 2, 1), strict=True)))


def batch_of(tensors: Sequence[torch.Tensor], own: Sequence[int]) -> tuple[int, ...]:
    """Return the shape of the leading axes of tensors, which broadcast.

    Args:
        tensors: The tensors.
        own: How many axes of each are its own.
    """
    shapes = {t.shape[: t.dim() - k] for t, k in zip(tensors, own, strict=True)}
    return tuple(shapes.pop() if len(shapes) == 1 else torch.broadcast_shapes(*shapes))


def _expanded(tensors: list[torch.Tensor], own: int) -> list[torch.Tensor]:
    """Return tensors with the same leading axes."""
    batch = batch_of(tensors, [own] * len(tensors))
    return [t.expand(*batch, *t.shape[t.dim() - own :]) for t in tensors]


def _deep(tensor: torch.Tensor, dims: int) -> torch.Tensor:
    return tensor[(None,) * (dims - tensor.dim())] if dims > tensor.dim() else tensor


class Units(NamedTuple):
    """Units in which each row has length one, and the largest entries of all columns are alike.

    They depend on the matrices only: no side and no cost, which may be large, is in the unit of others.

    Attributes:
        x: The unit of each unknown.
        row: The length of each row.
        objective: The unit of the objective, for each problem.
    """

    x: torch.Tensor
    row: torch.Tensor
    objective: torch.Tensor

    @classmethod
    def of(cls, program: Rows) -> Units:
        """Return the units of flat programs, with one leading axis."""
        Q, c, E, _ = program
        x = _columns(Q, E)
        row = lengths(E * x.unsqueeze(-2))
        curvature = largest((Q * x.unsqueeze(-1) * x.unsqueeze(-2)).flatten(-2))
        # Between curvature and costs, so that neither is as small as a rounding error; or their mean.
        slope = c.abs() * x
        between = (curvature * torch.maximum(curvature, largest(slope))).sqrt()
        mean = geometric_mean(slope, slope > 0)
        return cls(x, row, or_one(torch.where(curvature > 0, between, mean)))

    @property
    def multiplier(self) -> torch.Tensor:
        """The unit of each multiplier."""
        return self.objective.unsqueeze(-1) / self.row

    def scale(self, program: Rows) -> Rows:
        """Return the programs in these units."""
        Q, c, E, f = program
        objective = self.objective.unsqueeze(-1)
        return Rows(
            Q * (self.x.unsqueeze(-1) * self.x.unsqueeze(-2) / objective.unsqueeze(-1)),
            c * (self.x / objective),
            E * self.x.unsqueeze(-2) / self.row.unsqueeze(-1),
            f / self.row,
        )


def _columns(Q: torch.Tensor, E: torch.Tensor) -> torch.Tensor:
    """Return units in which the largest entries of all columns are alike: powers of two."""
    unit = Q.new_ones(Q.shape[:-1])
    if not Q.shape[-1]:
        return unit
    diagonal, size = Q.diagonal(dim1=-2, dim2=-1).clamp(min=0), E.abs()
    for _ in range(_PASSES):
        scaled = size * unit.unsqueeze(-2)
        row = scaled.amax(-1, keepdim=True)
        column = (scaled / torch.where(row > 0, row, 1.0)).amax(-2) if E.shape[-2] else 0 * unit
        curvature = diagonal * unit.square()
        there = curvature > 1e-15 * curvature.amax(-1, keepdim=True)  # less is rounding errors
        # A typical curvature counts as much as a row.
        typical = (curvature / geometric_mean(curvature, there).unsqueeze(-1)).sqrt()
        most = torch.maximum(column, torch.where(there, typical, 0.0))
        change = torch.where(most > 0, most, 1.0)
        if bool(((change > 0.1) & (change < 10)).all()):
            break
        unit = unit / change
    return torch.exp2(torch.log2(unit).round())
