"""Programs without a solution, or with constraints that are redundant, too many or missing."""

from __future__ import annotations

import pytest
import torch
from _solve import solve_qp
from _solved_programs import Blocks, random_program

from torchopt.quadratic.solving import QuadraticSolution

DOUBLE = torch.float64


def infeasible_among_good() -> Blocks:
    Q, c, G, h, A, b = random_program(4, 5, 6, 2)
    G[1, 1], h[1, 1] = -G[1, 0], -h[1, 0] - 1
    return Blocks(Q, c, G, h, A, b)


def test_one_infeasible_program_among_good_ones_has_a_certificate() -> None:
    problems = infeasible_among_good().leaves()
    solution = solve_qp(*problems)
    proof = solution.certificate
    assert solution.converged.tolist() == [True, False, True, True]
    assert proof.infeasible.tolist() == [False, True, False, False]
    assert not proof.unbounded.any()
    _, _, G, h, A, b = problems.row(1)
    z, y = proof.z[1], proof.y[1]
    assert (z >= 0).all()
    torch.testing.assert_close(G.mT @ z + A.mT @ y, torch.zeros(5, dtype=DOUBLE), rtol=0, atol=1e-9)
    assert h @ z + b @ y < -0.1
    assert solution.x[1].isnan().all()
    good = torch.tensor([0, 2, 3])
    gradients = torch.autograd.grad(solution.x[good].square().sum(), problems)
    alone = [t[good].detach().requires_grad_() for t in problems]
    wanted = torch.autograd.grad(solve_qp(*alone).x.square().sum(), alone)
    for ours, theirs in zip(gradients, wanted, strict=True):
        torch.testing.assert_close(ours[good], theirs)
        assert (ours[1] == 0).all()


def test_equalities_that_contradict_each_other_have_a_certificate() -> None:
    Q, c, _, _, A, b = random_program(3, 5, 0, 2)
    A2, b2 = torch.cat([A, A], 1), torch.cat([b, b + 1], 1)
    solution = solve_qp(Q, c, A=A2, b=b2)
    assert solution.certificate.infeasible.all()
    y = solution.certificate.y
    torch.testing.assert_close((A2.mT @ y.unsqueeze(-1)).squeeze(-1), 0 * c, rtol=0, atol=1e-9)
    assert ((b2 * y).sum(-1) < -0.1).all()


def test_unbounded_programs_have_a_direction() -> None:
    _, c, G, h, A, b = random_program(6, 6, 2, 2)
    v = torch.randn(6, 1, 6, generator=torch.Generator().manual_seed(0), dtype=DOUBLE)
    Q = v.mT @ v
    solution = solve_qp(Q, c, G, h, A, b)
    assert solution.certificate.unbounded.all()
    d = solution.certificate.ray.unsqueeze(-1)
    assert (Q @ d).abs().max() < 1e-8
    assert (G @ d).max() < 1e-8
    assert (A @ d).abs().max() < 1e-8
    assert ((c.unsqueeze(-1) * d).sum((-1, -2)) < -1e-3).all()
    assert solution.x.isnan().all()


def same(ours: QuadraticSolution, wanted: QuadraticSolution) -> None:
    assert ours.converged.all()
    torch.testing.assert_close(ours.x, wanted.x, rtol=1e-9, atol=1e-10)


def gradient(Q: torch.Tensor, c: torch.Tensor, *rest: torch.Tensor | None) -> torch.Tensor:
    c = c.detach().requires_grad_()
    (g,) = torch.autograd.grad(solve_qp(Q, c, *rest).x.square().sum(), c)
    return g


def test_redundant_and_zero_rows_change_neither_solution_nor_gradient() -> None:
    Q, c, G, h, A, b = random_program(8, 5, 6, 2)
    exact, slope = solve_qp(Q, c, G, h, A, b), gradient(Q, c, G, h, A, b)
    more = [
        (torch.cat([G, G, 2 * G], 1), torch.cat([h, h, 2 * h], 1), A, b),
        (
            G,
            h,
            torch.cat([A, A.sum(1, keepdim=True)], 1),
            torch.cat([b, b.sum(1, keepdim=True)], 1),
        ),
        (
            torch.cat([G, 0 * G], 1),
            torch.cat([h, 0 * h], 1),
            torch.cat([A, 0 * A], 1),
            torch.cat([b, 0 * b], 1),
        ),
    ]
    for blocks in more:
        same(solve_qp(Q, c, *blocks), exact)
        torch.testing.assert_close(gradient(Q, c, *blocks), slope, rtol=1e-7, atol=1e-8)


def test_infinite_right_hand_sides_bound_nothing() -> None:
    problems = random_program(3, 4, 5, 1).leaves()
    Q, c, G, h, A, b = problems
    bounds = torch.ones(3, 5, dtype=torch.bool)
    bounds[1, :2], bounds[2] = False, False
    solution = solve_qp(Q, c, G, torch.where(bounds, h, torch.inf), A, b)
    assert solution.converged.all()
    assert (solution.z[~bounds] == 0).all()
    gradients = torch.autograd.grad(solution.x.square().sum(), problems)
    for i, kept in enumerate(bounds):
        alone = (Q[i], c[i], G[i][kept], h[i][kept], A[i], b[i])
        leaves = [t.detach().requires_grad_() for t in alone]
        x = solve_qp(*leaves).x
        torch.testing.assert_close(solution.x[i], x)
        wanted = torch.autograd.grad(x.square().sum(), leaves, materialize_grads=True)
        for k, (ours, theirs) in enumerate(zip(gradients, wanted, strict=True)):
            mine = ours[i][kept] if k in (2, 3) else ours[i]
            torch.testing.assert_close(mine, theirs)
    assert (gradients[3][~bounds] == 0).all()
    batched = torch.func.vmap(lambda *t: solve_qp(*t).x)
    torch.testing.assert_close(
        batched(Q, c, G, torch.where(bounds, h, torch.inf), A, b), solution.x
    )


def test_more_equalities_than_unknowns_that_agree() -> None:
    g = torch.Generator().manual_seed(0)
    A, x = torch.randn(7, 3, generator=g, dtype=DOUBLE), torch.randn(3, generator=g, dtype=DOUBLE)
    solution = solve_qp(torch.eye(3, dtype=DOUBLE), torch.ones(3, dtype=DOUBLE), A=A, b=A @ x)
    torch.testing.assert_close(solution.x, x)


def test_a_vertex_with_too_many_active_constraints() -> None:
    angle = torch.arange(9, dtype=DOUBLE) * torch.pi / 16
    G = torch.stack([angle.cos(), angle.sin()], -1)
    corner = torch.tensor([0.5, 0.5], dtype=DOUBLE)
    c = torch.tensor([-2.0, -3.0], dtype=DOUBLE)
    eye = torch.eye(2, dtype=DOUBLE)
    solution = solve_qp(eye, c, G, G @ corner)
    torch.testing.assert_close(solution.x, corner)
    assert (solution.z >= 0).all()
    torch.testing.assert_close(G.mT @ solution.z, -c - corner)
    torch.testing.assert_close(gradient(eye, c, G, G @ corner), 0 * c, rtol=0, atol=1e-8)


def test_an_empty_batch() -> None:
    blocks = random_program(0, 3, 4, 1).leaves()
    solution = solve_qp(*blocks)
    assert solution.x.shape == (0, 3)
    assert solution.converged.shape == (0,)
    assert all(
        g.shape == t.shape
        for g, t in zip(torch.autograd.grad(solution.x.sum(), blocks), blocks, strict=True)
    )


def test_semi_definite_programs_have_the_objective_of_a_long_run_of_projected_gradients() -> None:
    g = torch.Generator().manual_seed(0)
    v = torch.randn(5, 2, 6, generator=g, dtype=DOUBLE)
    c, eye = torch.randn(5, 6, generator=g, dtype=DOUBLE), torch.eye(6, dtype=DOUBLE)
    Q = v.mT @ v
    solution = solve_qp(Q, c, torch.cat([eye, -eye]), torch.ones(12, dtype=DOUBLE))
    assert solution.converged.all()
    x = torch.zeros_like(c)
    step = 1 / torch.linalg.matrix_norm(Q, 2)[:, None]
    for _ in range(3000):
        x = (x - step * ((Q @ x.unsqueeze(-1)).squeeze(-1) + c)).clamp(-1, 1)

    def value(x: torch.Tensor) -> torch.Tensor:
        return (x * ((Q @ x.unsqueeze(-1)).squeeze(-1) / 2 + c)).sum(-1)

    torch.testing.assert_close(value(solution.x), value(x), rtol=1e-7, atol=1e-8)


def test_the_estimate_of_the_error_finds_complementarity_that_is_not_strict() -> None:
    one = torch.ones(1, 1, dtype=DOUBLE)
    c = torch.tensor([[-1.0], [-1.5], [-0.5]], dtype=DOUBLE)
    solution = solve_qp(one, c, one, one[0])
    assert solution.derivative_error[0] > 0.1
    assert (solution.derivative_error[1:] < 1e-6).all()


@pytest.mark.parametrize("n", [3, 8])
def test_a_solution_that_is_not_unique_has_no_derivative(n: int) -> None:
    costs = torch.zeros(n, dtype=DOUBLE)
    costs[0] = 1.0
    eye, one = torch.eye(n, dtype=DOUBLE), torch.ones(1, n, dtype=DOUBLE)
    solution = solve_qp(0 * eye, costs, -eye, 0 * costs, one, one[0, :1])
    assert solution.converged
    assert abs(solution.x[0]) < 1e-9
    assert solution.derivative_error == 1


@pytest.mark.parametrize(
    ("curvature", "row", "solved"),
    [
        (-1.0, [1.0, 0.0], False),  # a saddle satisfies the conditions
        (-1.0, [1.0, 0.9], False),
        (-1.0, [0.9, 1.0], True),  # convex along the equality
        (-1.0, [0.0, 1e8], True),
        (-1e-9, [1.0, 0.0], True),  # no more than rounding
    ],
)
def test_negative_curvature_along_the_equalities_is_no_solution(
    curvature: float, row: list[float], solved: bool
) -> None:
    Q = torch.diag(torch.tensor([1.0, curvature], dtype=DOUBLE))
    eye, ones, zero = torch.eye(2, dtype=DOUBLE), torch.ones(4, dtype=DOUBLE), torch.zeros(1)
    A = torch.tensor([row], dtype=DOUBLE)
    solution = solve_qp(Q, torch.zeros(2, dtype=DOUBLE), torch.cat([eye, -eye]), ones, A, zero)
    assert solution.converged == solved
    assert solution.error <= 1e-12
