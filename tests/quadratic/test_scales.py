"""Programs with one number that is far larger or smaller than the others, in rational arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from _enumerated import solve_exactly
from _solve import solve_qp
from _solved_programs import Blocks, random_program

DOUBLE = torch.float64
EYE = torch.eye(3, dtype=DOUBLE)
NO_ROWS, NO_SIDES = torch.zeros(0, 3, dtype=DOUBLE), torch.zeros(0, dtype=DOUBLE)
BOX = torch.cat([EYE, -EYE])

Case = tuple[Blocks, torch.Tensor | float]
"""A program, and the unit of each unknown."""

CASES: dict[str, Callable[[float], Iterator[Case]]] = {}


def case(make: Callable[[float], Iterator[Case]]) -> Callable[[float], Iterator[Case]]:
    CASES[make.__name__] = make
    return make


def programs(m: int, p: int) -> Iterator[tuple[int, Blocks]]:
    for seed in range(3):
        yield seed, random_program(1, 3, m, p, seed).row(0)


def times(vector: torch.Tensor, index: int, scale: float) -> torch.Tensor:
    """Return a vector with one element, or row, scaled."""
    scaled = vector.clone()
    scaled[index] *= scale
    return scaled


@case
def a_row(scale: float) -> Iterator[Case]:
    for seed, at in programs(4, 1):
        yield at._replace(G=times(at.G, seed, scale), h=times(at.h, seed, scale)), 1.0


@case
def an_equality(scale: float) -> Iterator[Case]:
    for _, at in programs(3, 2):
        yield at._replace(A=times(at.A, 1, scale), b=times(at.b, 1, scale)), 1.0


@case
def an_unknown(scale: float) -> Iterator[Case]:
    for seed, (Q, c, G, h, A, b) in programs(4, 1):
        unit = times(torch.ones(3, dtype=DOUBLE), seed, scale)
        yield Blocks(Q / unit / unit[:, None], c / unit, G / unit, h, A / unit, b), unit


@case
def an_objective(scale: float) -> Iterator[Case]:
    for _, at in programs(4, 1):
        yield at._replace(Q=scale * at.Q, c=scale * at.c), 1.0


@case
def a_cost(scale: float) -> Iterator[Case]:
    for seed, at in programs(4, 1):
        yield at._replace(c=times(at.c, seed, scale)), 1.0


@case
def a_cost_within_bounds(scale: float) -> Iterator[Case]:
    for seed, (Q, c, _, _, A, _) in programs(0, 1):
        middle = A @ torch.full((3,), 0.1, dtype=DOUBLE)
        yield Blocks(Q, times(c, seed, scale), BOX, torch.ones(6, dtype=DOUBLE), A, middle), 1.0


@case
def a_side(scale: float) -> Iterator[Case]:
    for seed, at in programs(3, 0):
        yield at._replace(h=times(at.h.abs(), seed, scale)), 1.0


@case
def curvatures(scale: float) -> Iterator[Case]:
    for _, (_, c, G, *_) in programs(1, 0):
        rows, sides = torch.cat([BOX, G]), torch.full((7,), 0.8, dtype=DOUBLE)
        yield Blocks(scale * EYE, c, rows, sides, NO_ROWS, NO_SIDES), 1.0


@case
def a_curvature(scale: float) -> Iterator[Case]:
    for seed, (_, c, G, h, A, b) in programs(2, 1):
        Q = torch.diag(times(torch.ones(3, dtype=DOUBLE), seed, scale))
        rows, sides = torch.cat([G, EYE[:1], -EYE[:1]]), torch.cat([h, 2 + 0 * h])
        yield Blocks(Q, c, rows, sides, A, b), 1.0


@case
def the_point_that_is_projected_on_a_box(scale: float) -> Iterator[Case]:
    for _, at in programs(0, 0):
        yield Blocks(EYE, scale * at.c, BOX, torch.ones(6, dtype=DOUBLE), NO_ROWS, NO_SIDES), 1.0


@case
def the_point_that_is_projected(scale: float) -> Iterator[Case]:
    for _, at in programs(6, 0):
        yield at._replace(Q=EYE, c=scale * at.c), 1.0


@case
def the_width_of_a_set(scale: float) -> Iterator[Case]:
    for _, at in programs(0, 0):
        sides, sum_of_all = torch.full((6,), scale, dtype=DOUBLE), torch.ones(1, 3, dtype=DOUBLE)
        yield Blocks(EYE, at.c, BOX, sides, sum_of_all, sides[:1] / 2), scale


@case
def a_cost_of_a_linear_program(scale: float) -> Iterator[Case]:
    for seed, (Q, c, G, *_) in programs(1, 0):
        rows, sides = torch.cat([BOX, G]), torch.tensor([1.0, 2, 3, 1, 1, 1, 0.5], dtype=DOUBLE)
        yield Blocks(0 * Q, times(c, seed, scale), rows, sides, NO_ROWS, NO_SIDES), 1.0


@case
def copies_of_rows(scale: float) -> Iterator[Case]:
    for _, at in programs(3, 1):
        rows, sides = torch.cat([at.G, scale * at.G]), torch.cat([at.h, scale * at.h])
        yield at._replace(G=rows, h=sides), 1.0


def differ(x: torch.Tensor, truth: torch.Tensor, unit: torch.Tensor | float) -> float:
    return float(((x - truth).abs() / (truth.abs() + 1e-2 * unit)).max())


@pytest.mark.parametrize("scale", [1e-12, 1e-9, 1e-6, 1e6, 1e9, 1e12])
@pytest.mark.parametrize("name", CASES)
def test_one_scale_changes_nothing_but_itself(name: str, scale: float) -> None:
    cases = list(CASES[name](scale))
    blocks = [torch.stack(t).requires_grad_() for t in zip(*(at for at, _ in cases), strict=True)]
    solution = solve_qp(*blocks)
    assert solution.converged.all()
    weights = torch.tensor([1.0, 2.0, 3.0], dtype=DOUBLE)
    (slopes,) = torch.autograd.grad((solution.x * weights).sum(), blocks[1])
    for x, slope, known, (at, unit) in zip(
        solution.x.detach(), slopes, solution.derivative_error, cases, strict=True
    ):
        exact = solve_exactly(*at)
        assert exact is not None
        assert differ(x, exact.x, unit) < 1e-7
        if known < 1e-3:
            natural = (weights * exact.x).abs().sum() / at.c.abs()  # of a cost that matters
            off = (slope - exact.slope).abs() / (
                exact.slope.abs() + 1e-4 * natural + 1e-11 * exact.slope.abs().max()
            )
            assert off.max() < 1e-4


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e6, 1e12])
@pytest.mark.parametrize("n", [8, 40])
def test_all_rows_and_unknowns_may_have_scales_of_their_own(n: int, scale: float) -> None:
    Q, c, G, h, A, b = random_program(6, n, n + 5, 2)
    exact = solve_qp(Q, c, G, h, A, b).x
    g = torch.Generator().manual_seed(0)

    def scales(size: int) -> torch.Tensor:
        return scale ** torch.rand(6, size, generator=g, dtype=DOUBLE)

    unit, rows, equal = scales(n), scales(n + 5), scales(2)
    solution = solve_qp(
        Q * unit.unsqueeze(-1) * unit.unsqueeze(-2),
        c * unit,
        G * unit.unsqueeze(-2) * rows.unsqueeze(-1),
        h * rows,
        A * unit.unsqueeze(-2) * equal.unsqueeze(-1),
        b * equal,
    )
    assert solution.converged.all()
    torch.testing.assert_close(solution.x * unit, exact, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("gap", [0.0, 1e-12, 1e-9, 1e-6, 1e-3, -1e-9, -1e-6, -1e-3, -1.0])
def test_a_set_is_thin_or_empty(gap: float) -> None:
    _, c, G, *_ = random_program(1, 3, 1, 0).row(0)
    rows, sides = torch.cat([G, -G, EYE[:2]]), torch.tensor([0.3 + gap, -0.3, 1, 1], dtype=DOUBLE)
    solution = solve_qp(EYE, c, rows, sides)
    exact = solve_exactly(EYE, c, rows, sides, NO_ROWS, NO_SIDES)
    if exact is None:
        assert not solution.converged
        assert solution.certificate.infeasible or gap > -1e-8
    else:
        assert solution.converged
        assert differ(solution.x, exact.x, 1.0) < 1e-6


@pytest.mark.parametrize("far", [1.0, 1e4, 1e8, 1e12])
def test_a_bound_that_is_far_away_hides_no_contradiction(far: float) -> None:
    Q, c, G, h, A, b = random_program(8, 6, 8, 2)
    G[:, 1], h[:, 1] = -G[:, 0], -h[:, 0] - 1
    G[:, 2:4], h[:, 2:4] = G[:, 4:6] + 1, far
    solution = solve_qp(Q, c, G, h, A, b)
    assert solution.certificate.infeasible.all()
    z, y = solution.certificate.z, solution.certificate.y
    column = (G.mT @ z.unsqueeze(-1) + A.mT @ y.unsqueeze(-1)).squeeze(-1)
    assert column.abs().max() < 1e-9
    assert ((h * z).sum(-1) + (b * y).sum(-1) < -0.1).all()


@pytest.mark.parametrize("scale", [1e6, 1e8, 1e10, 1e12])
def test_a_derivative_is_exact_where_a_factor_is_rough(scale: float) -> None:
    """Cholesky factors of numbers of many sizes have few digits left, near a solution as well."""
    cases = [
        at._replace(Q=at.Q + (scale - 1) * torch.diag(EYE[i] * at.Q[i])) for i, at in programs(5, 1)
    ]
    row = torch.tensor([[1.0, 1, 0], [0, 1, 1], [0, 1, 0]], dtype=DOUBLE)
    cost = torch.tensor([-scale, 0.3, -0.4], dtype=DOUBLE)
    cases.append(Blocks(EYE, cost, row, cost.new_tensor([0.4, 1.7, 1.2]), NO_ROWS, NO_SIDES))
    for at in cases:
        c = at.c.clone().requires_grad_()
        solution = solve_qp(*at._replace(c=c))
        exact = solve_exactly(*at)
        assert exact is not None
        (slope,) = torch.autograd.grad((solution.x * solution.x.new_tensor([1.0, 2, 3])).sum(), c)
        torch.testing.assert_close(slope, exact.slope, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("curvature", [1e-8, 1e-11])
def test_a_small_curvature_is_no_proof_of_an_unbounded_objective(curvature: float) -> None:
    for _, at in programs(1, 0):
        v = at.c.unsqueeze(-1) + 0.1
        flat = at._replace(
            Q=v @ v.mT + curvature * EYE, c=at.G[0] + at.h, G=0 * at.G, h=0 * at.h + 1
        )
        exact = solve_exactly(*flat)
        assert exact is not None
        solution = solve_qp(*flat)
        assert solution.converged
        assert (
            differ(solution.x, exact.x, exact.x.abs().max()) < 1e-12 / curvature
        )  # by the tolerance


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e160, 1e200, 1e300])
def test_a_row_may_be_so_large_that_its_square_is_infinite(scale: float) -> None:
    for seed, at in programs(4, 1):
        scaled = at._replace(G=times(at.G, seed, scale), h=times(at.h, seed, scale))
        exact, c = solve_exactly(*at), at.c.clone().requires_grad_()
        assert exact is not None
        x = solve_qp(*scaled._replace(c=c)).x
        torch.testing.assert_close(x.detach(), exact.x, rtol=1e-9, atol=1e-9)
        (slope,) = torch.autograd.grad((x * x.new_tensor([1.0, 2.0, 3.0])).sum(), c)
        torch.testing.assert_close(slope, exact.slope, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-300, 1e-200])
def test_a_tiny_side_is_no_contradiction(scale: float) -> None:
    solution = solve_qp(EYE, -EYE[0], EYE[:2], torch.tensor([scale, 3.0], dtype=DOUBLE))
    assert not solution.certificate.infeasible


@pytest.mark.parametrize("mu", [1e-10, 1e-5, 1.0, 1e3, 1e6, 1e8])
def test_a_point_of_the_central_path_for_parameters_of_all_sizes(mu: float) -> None:
    Q, c, G, h, A, b = random_program(5, 3, 4, 1)
    solution = solve_qp(Q, c, G, h, A, b, mu=mu)
    assert solution.converged.all()
    product = solution.z * (h - (G @ solution.x.unsqueeze(-1)).squeeze(-1))
    torch.testing.assert_close(
        product, torch.full_like(product, mu), rtol=1e-8 + 1e-15 / mu, atol=0
    )
    force = (G.mT @ solution.z.unsqueeze(-1) + A.mT @ solution.y.unsqueeze(-1)).squeeze(-1)
    gradient = (Q @ solution.x.unsqueeze(-1)).squeeze(-1) + c
    torch.testing.assert_close(force, -gradient, rtol=1e-8, atol=1e-8 * mu**0.5)
