"""One list of all sets, with points and the support function of each, written again.

A case has the shape of a leaf, the parameters as tensors, and what the tests of all sets need. Data are
away from kinks; those are listed by themselves.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from torchopt import sets
from torchopt.sets import Set

Tensor = torch.Tensor
F64 = torch.float64


def draw(seed: int, *shape: int) -> Tensor:
    """Return normal numbers."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=F64)


def uniform(seed: int, *shape: int) -> Tensor:
    """Return numbers between 0 and 1."""
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed), dtype=F64)


@dataclass(frozen=True)
class Case:
    """A set with numbers.

    Attributes:
        name: The name of the class, and what tells it from others after a hyphen.
        make: ``make(*parameters, **options)`` returns the set; options are ``dim``.
        x: What is projected, points of several shapes of solution, stacked: ``(k, *shape)``.
        parameters: Tensors of one leaf, by name, in the order of ``make``.
        points: ``points(directions, *parameters)`` returns points of the set, ``(any, *shape)``; for
            each direction, ``(k, *shape)``, they have one with the largest product with it, or, if
            ``support`` is given, just any.
        violation: ``violation(x, *parameters)`` returns by how much a point is not in the set.
        support: ``support(direction, *parameters)`` returns the largest product of a point with it.
        kinks: Points where the projection has no derivative, or its formula has 0/0.
        dims: Whether there is an option ``dim``, for vectors of ``shape``.
        convex: Whether the set is.
        tolerance: Of values, for data of size one.
    """

    name: str
    make: Callable[..., Set]
    x: Tensor
    points: Callable[..., Tensor]
    violation: Callable[..., Tensor]
    parameters: dict[str, Tensor] = field(default_factory=dict)
    support: Callable[..., Tensor] | None = None
    kinks: tuple[Tensor, ...] = ()
    dims: bool = True
    convex: bool = True
    tolerance: float = 1e-9

    @property
    def cls(self) -> str:
        """The name of the class."""
        return self.name.split("-")[0]

    def project(self, x: Tensor, *parameters: Tensor, **options: Any) -> Tensor:
        """Return the projection, a function of all tensors."""
        return self.make(*parameters, **options).project(x)

    function = project

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """What the function takes: a point, the parameters."""
        return (self.x[0], *self.numbers)

    @property
    def numbers(self) -> tuple[Tensor, ...]:
        """The parameters."""
        return tuple(self.parameters.values())


def positive_part(x: Tensor) -> Tensor:
    """Return the largest positive element; zero if there is none."""
    return x.clamp(min=0).max() if x.numel() else x.sum()


N = 5
X = torch.stack([2 * draw(1, N), draw(2, N) / 9, 30 * draw(3, N), draw(4, N) + 3, draw(5, N) - 3])
RADIUS = torch.tensor(1.3, dtype=F64)
CENTER = draw(6, N) / 5
NORMAL = draw(7, N)
OFFSET = torch.tensor(0.7, dtype=F64)
LOWER, UPPER = -0.2 - uniform(8, N), 0.3 + uniform(9, N)
EYE = torch.eye(N, dtype=F64)
SIGNS = torch.cartesian_prod(*[torch.tensor([-1.0, 1.0], dtype=F64)] * N)
MATRIX, RIGHT = draw(10, 2, N), draw(11, 2)
ZERO, ONES = torch.zeros(N, dtype=F64), torch.ones(N, dtype=F64)


def unit(x: Tensor) -> Tensor:
    """Return vectors divided by their lengths."""
    return x / x.square().sum(-1, keepdim=True).sqrt()


def plane_points(normal: Tensor, offset: Tensor) -> Tensor:
    """Return points that solve one equation, by the last variable."""
    z = 5 * draw(12, 40, N)
    last = (offset - z[:, :-1] @ normal[:-1]) / normal[-1]
    return torch.cat([z[:, :-1], last[:, None]], -1)


def affine_points(matrix: Tensor, right: Tensor) -> Tensor:
    """Return points that solve two equations, by the last two variables."""
    z = 5 * draw(13, 40, N)
    last = torch.linalg.solve(matrix[:2, -2:], (right[:2] - z[:, :-2] @ matrix[:2, :-2].T).T).T
    return torch.cat([z[:, :-2], last], -1)


def section_points(total: Tensor, weights: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """Return all vertices: each has at most one element that is at no bound."""
    corners = torch.where(SIGNS > 0, upper, lower)
    vertices = []
    for i in range(N):
        others = corners.clone()
        others[:, i] = 0
        others[:, i] = (total - others @ weights) / weights[i]
        vertices.append(others[(others[:, i] >= lower[i]) & (others[:, i] <= upper[i])])
    return torch.cat(vertices)


def section_violation(
    x: Tensor, total: Tensor, weights: Tensor, lower: Tensor, upper: Tensor
) -> Tensor:
    """Return by how much bounds and the equation are not met."""
    return torch.maximum(
        (weights @ x - total).abs(), positive_part(torch.cat([lower - x, x - upper]))
    )


def cone_points(_: Tensor) -> Tensor:
    """Return points of the boundary and of the interior of the second-order cone."""
    z = 3 * draw(14, 400, N - 1)
    z = torch.cat([z, z / 1e3, 0 * z[:1]])
    norm = z.norm(dim=-1, keepdim=True)
    return torch.cat([torch.cat([norm, z], -1), torch.cat([norm * 1.5 + 0.1, z], -1)])


def ball(
    name: str,
    order: float,
    points: Callable[..., Tensor],
    support: Callable[..., Tensor],
    *kinks: Tensor,
) -> Case:
    """Return the case of a ball, of which two functions are for the centre zero."""
    return Case(
        name,
        getattr(sets, name),
        X,
        parameters={"radius": RADIUS, "center": CENTER},
        points=lambda g, r, c: c + r * points(g),
        violation=lambda x, r, c: positive_part(torch.linalg.vector_norm(x - c, order) - r),
        support=lambda g, r, c: g @ c + r * support(g),
        kinks=(CENTER, *(CENTER + RADIUS * kink for kink in kinks)),
    )


M = 3
SQUARES = torch.stack([draw(41, M, M), 20 * draw(42, M, M), draw(43, M, M) / 9 + torch.eye(M)])
MATRICES = torch.stack([draw(44, M, 4), draw(45, M, 4) / 5, 9 * draw(46, M, 4), draw(47, M, 4) - 2])
SUMS_OF_ROWS, SUMS_OF_COLUMNS = 1 + uniform(48, M), 1 + uniform(49, 4)
ROWS, SIDES = draw(50, 6, N), 0.5 + uniform(51, 6)
FLAT, LEVEL = draw(52, 1, N), torch.tensor([0.1], dtype=F64)


def plans(rows: Tensor, columns: Tensor) -> Tensor:
    """Return transport plans that fill rows and columns one by one, in many orders, and their mean."""
    found = []
    for order in torch.cartesian_prod(torch.arange(24), torch.arange(6)):
        places = [
            list(itertools.permutations(range(size)))[k]
            for size, k in zip((4, 3), order, strict=True)
        ]
        plan, p, q = torch.zeros(3, 4, dtype=F64), rows.clone(), columns.clone()
        for j in places[0]:
            for i in places[1]:
                plan[i, j] = torch.minimum(p[i], q[j])
                p[i], q[j] = p[i] - plan[i, j], q[j] - plan[i, j]
        found.append(plan)
    return torch.stack([torch.stack(found).mean(0), *found])


def plan_violation(x: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Return by how much sums are others, and elements are negative."""
    sums = torch.cat([x.sum(-1) - rows, x.sum(-2) - columns])
    return torch.maximum(sums.abs().max(), positive_part(-x))


def polyhedron_points(G: Tensor, h: Tensor, A: Tensor, b: Tensor) -> Tensor:
    """Return points of the boundary and of the interior, on rays from a point that is inside."""
    start = (A / (A @ A.mT)).mT @ b
    z = draw(53, 400, N)
    z = z - z @ A.mT @ A / (A @ A.mT)
    room = torch.where(z @ G.mT > 0, (h - G @ start) / (z @ G.mT), 9.0).amin(-1, keepdim=True)
    return start + z * room * torch.tensor([1.0, 0.4], dtype=F64).repeat(200)[:, None]


CASES = [
    *(
        Case(
            f"Monotone-{word}",
            lambda increasing=increasing, **options: sets.Monotone(
                increasing=increasing, **options
            ),
            X,
            points=lambda g, increasing=increasing: torch.cat(
                [
                    torch.cat([g, X, ZERO[None]]).sort(-1, descending=not increasing).values,
                    ONES[None],
                ]
            ),
            violation=lambda x, sign=1.0 if increasing else -1.0: positive_part(-sign * x.diff()),
            kinks=(ZERO, torch.tensor([1.0, 3, 3, 2, 2]).double()),
        )
        for word, increasing in (("increasing", True), ("decreasing", False))
    ),
    Case(
        "PositiveSemidefinite",
        sets.PositiveSemidefinite,
        SQUARES,
        parameters={"min_eigenvalue": torch.tensor(0.2, dtype=F64)},
        points=lambda g, bound: (
            bound * torch.eye(M)
            + torch.cat(
                [
                    z @ z.mT
                    for z in (g, draw(54, 200, M, M), draw(55, 200, M, 1), draw(56, 50, M, 2))
                ]
            )
        ),
        violation=lambda x, bound: (
            positive_part(bound - torch.linalg.eigvalsh(x)) + (x - x.mT).abs().max()
        ),
        kinks=(
            0.2 * torch.eye(M, dtype=F64),
            torch.diag(torch.tensor([0.2, 1.0, 1.0])).double(),
            torch.diag(torch.tensor([0.2, -1.0, 3.0])).double(),
        ),
        dims=False,
    ),
    Case(
        "TransportPolytope",
        lambda r, c: sets.TransportPolytope(r / r.sum(), c / c.sum()),
        MATRICES,
        # With these sums of any total, which the set has divided by it.
        parameters={"rows": SUMS_OF_ROWS, "columns": SUMS_OF_COLUMNS},
        points=lambda g, r, c: plans(r / r.sum(), c / c.sum()),
        violation=lambda x, r, c: plan_violation(x, r / r.sum(), c / c.sum()),
        kinks=(torch.zeros(M, 4, dtype=F64), 5 * torch.eye(M, 4, dtype=F64)),
        dims=False,
    ),
    Case(
        "Birkhoff",
        sets.Birkhoff,
        SQUARES,
        points=lambda g: torch.stack(
            [torch.eye(M, dtype=F64)[list(p)] for p in itertools.permutations(range(M))]
            + [torch.full((M, M), 1 / M, dtype=F64)]
        ),
        violation=lambda x: plan_violation(x, torch.ones(M), torch.ones(M)),
        kinks=(torch.zeros(M, M, dtype=F64), torch.eye(M, dtype=F64)),
        dims=False,
    ),
    Case(
        "Polyhedron",
        lambda G, h, A, b, **options: sets.Polyhedron(G, h, A=A, b=b, **options),
        X,
        parameters={"G": ROWS, "h": SIDES, "A": FLAT, "b": LEVEL},
        points=lambda g, *blocks: polyhedron_points(*blocks),
        violation=lambda x, G, h, A, b: positive_part(torch.cat([G @ x - h, (A @ x - b).abs()])),
        dims=False,
    ),
    Case(
        "NonNegative",
        sets.NonNegative,
        X,
        points=lambda g: torch.cat([g.clamp(min=0), uniform(15, 20, N), EYE]),
        violation=lambda x: positive_part(-x),
        kinks=(ZERO, X[0] * (EYE[1] == 0)),
        dims=False,
    ),
    Case(
        "Box",
        sets.Box,
        X,
        parameters={"lower": LOWER, "upper": UPPER},
        points=lambda g, lower, upper: torch.where(SIGNS > 0, upper, lower),
        violation=lambda x, lower, upper: positive_part(torch.cat([lower - x, x - upper])),
        support=lambda g, lower, upper: torch.maximum(g * lower, g * upper).sum(),
        kinks=(LOWER, UPPER),
        dims=False,
    ),
    Case(
        "Simplex",
        sets.Simplex,
        X,
        parameters={"radius": RADIUS},
        points=lambda g, r: r * EYE,
        violation=lambda x, r: torch.maximum((x.sum() - r).abs(), positive_part(-x)),
        support=lambda g, r: r * g.max(),
        kinks=(ZERO, ONES, RADIUS * EYE[1], RADIUS * EYE[1] + EYE[2]),
    ),
    Case(
        "SparseSimplex",
        lambda radius, **options: sets.SparseSimplex(radius, k=2, **options),
        X,
        parameters={"radius": RADIUS},
        points=lambda g, r: torch.cat(
            [
                r * EYE,
                *(
                    r * (t * EYE + (1 - t) * EYE.roll(s, 0))
                    for t in uniform(16, 30)
                    for s in (1, 2)
                ),
            ]
        ),
        violation=lambda x, r: torch.stack(
            [(x.sum() - r).abs(), positive_part(-x), positive_part((x != 0).sum() - 2.0)]
        ).max(),
        support=lambda g, r: r * g.max(),
        kinks=(ZERO, ONES, RADIUS * EYE[1]),
        convex=False,
    ),
    ball(
        "L1Ball",
        1,
        lambda g: torch.cat([EYE, -EYE]),
        lambda g: g.abs().max(),
        EYE[1],
        ONES,
        ONES / N,
    ),
    ball(
        "L2Ball",
        2,
        lambda g: unit(torch.cat([g, draw(17, 50, N)])),
        lambda g: g.norm(),
        EYE[1],
        unit(ONES),
    ),
    ball("LinfBall", torch.inf, lambda g: SIGNS, lambda g: g.abs().sum(), EYE[1], ONES),
    Case(
        "L1Sphere",
        sets.L1Sphere,
        X,
        parameters={"radius": RADIUS, "center": CENTER},
        points=lambda g, r, c: c + r * torch.cat([EYE, -EYE, g / g.abs().sum(-1, keepdim=True)]),
        violation=lambda x, r, c: ((x - c).abs().sum() - r).abs(),
        support=lambda g, r, c: g @ c + r * g.abs().max(),
        kinks=(CENTER, CENTER + RADIUS * EYE[1], CENTER + ONES),
        convex=False,
    ),
    Case(
        "L2Sphere",
        sets.L2Sphere,
        X,
        parameters={"radius": RADIUS, "center": CENTER},
        points=lambda g, r, c: c + r * unit(torch.cat([g, draw(18, 50, N)])),
        violation=lambda x, r, c: ((x - c).norm() - r).abs(),
        support=lambda g, r, c: g @ c + r * g.norm(),
        kinks=(CENTER,),
        convex=False,
    ),
    Case(
        "Hyperplane",
        sets.Hyperplane,
        X,
        parameters={"normal": NORMAL, "offset": OFFSET},
        points=lambda g, a, b: plane_points(a, b),
        violation=lambda x, a, b: (a @ x - b).abs(),
    ),
    Case(
        "HalfSpace",
        sets.HalfSpace,
        torch.cat([X, -X]),
        parameters={"normal": NORMAL, "offset": OFFSET},
        points=lambda g, a, b: torch.cat([plane_points(a, b), plane_points(a, b) - a]),
        violation=lambda x, a, b: positive_part(a @ x - b),
        kinks=(plane_points(NORMAL, OFFSET)[0],),
    ),
    Case(
        "AffineSet",
        sets.AffineSet,
        X,
        parameters={"A": MATRIX, "b": RIGHT},
        points=lambda g, a, b: affine_points(a, b),
        violation=lambda x, a, b: (a @ x - b).abs().max(),
    ),
    Case(
        "AffineSet-redundant",
        lambda a, b, **options: sets.AffineSet(
            torch.stack([a[0], a[1], a[0] - 2 * a[1], 0 * a[0]]),
            torch.stack([b[0], b[1], b[0] - 2 * b[1], 0 * b[0]]),
            **options,
        ),
        X,
        parameters={"A": MATRIX, "b": RIGHT},
        points=lambda g, a, b: affine_points(a, b),
        violation=lambda x, a, b: (a @ x - b).abs().max(),
    ),
    Case(
        "BoxSection",
        lambda total, weights, lower, upper, **options: sets.BoxSection(
            total, weights, lower=lower, upper=upper, **options
        ),
        X,
        parameters={"total": OFFSET, "weights": NORMAL, "lower": LOWER, "upper": UPPER},
        points=lambda g, *parameters: section_points(*parameters),
        violation=section_violation,
        kinks=(ZERO, LOWER, UPPER),
    ),
    Case(
        "BoxSection-choice",
        lambda total, **options: sets.BoxSection(total, **options),
        X,
        parameters={"total": torch.tensor(2.3, dtype=F64)},
        points=lambda g, total: section_points(total, ONES, ZERO, ONES),
        violation=lambda x, total: section_violation(x, total, ONES, ZERO, ONES),
        support=lambda g, total: g.topk(2).values.sum() + 0.3 * g.topk(3).values[2],
        kinks=(ONES, ZERO, EYE[0] + EYE[3], ONES / 2),
    ),
    # A sum whose solutions are corners; there is a kink in the sum, which is no parameter here.
    Case(
        "BoxSection-corner",
        lambda **options: sets.BoxSection(2.0, **options),
        X,
        points=lambda g: (SIGNS[(SIGNS > 0).sum(-1) == 2] + 1) / 2,
        violation=lambda x: section_violation(x, torch.tensor(2.0, dtype=F64), ONES, ZERO, ONES),
        support=lambda g: g.topk(2).values.sum(),
        kinks=(ONES, ZERO, EYE[0] + EYE[3], 2 * (EYE[0] + EYE[3]), ONES / 2),
    ),
    Case(
        "SecondOrderCone",
        sets.SecondOrderCone,
        torch.cat([X, X - 40 * EYE[0], X + 90 * EYE[0], -X]),
        points=cone_points,
        violation=lambda x: positive_part(x[1:].norm() - x[0]),
        kinks=(ZERO, EYE[0], -EYE[0], EYE[0] + EYE[1], EYE[1] - EYE[0], EYE[1] / 9),
    ),
]

#: Sets of trees, of which the parts are sets of the table.
COMPOSED = {"Product"}
