"""Solutions and derivatives of quadratic programs against plain linear algebra and differences."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

import pytest
import torch
from _solve import solve_qp
from _solved_programs import Blocks, random_program, reference
from torch.func import grad, jacfwd, jacrev, vmap

from _differences import assert_derivatives_are_differences
from torchopt.quadratic import Point, Program

DOUBLE = torch.float64


@pytest.mark.parametrize(
    ("n", "m", "p"), [(10, 10, 2), (20, 20, 4), (4, 30, 0), (12, 3, 6), (30, 40, 1), (3, 0, 2)]
)
def test_solutions_and_gradients_are_those_of_the_equations_of_active_rows(
    n: int, m: int, p: int
) -> None:
    problems = random_program(16, n, m, p, seed=n).leaves()
    weights = torch.randn(16, n, generator=torch.Generator().manual_seed(1), dtype=DOUBLE)
    solution = solve_qp(*problems)
    assert solution.converged.all()
    blocks = [t for t in problems if t.numel()]
    ours = torch.autograd.grad((solution.x * weights).sum(), blocks)
    tried = 0
    for i in range(16):
        single = problems.row(i).leaves()
        x, strict = reference(single, solution.x[i].detach())
        torch.testing.assert_close(solution.x[i], x, rtol=1e-9, atol=1e-10)
        if strict < 1e-3:
            continue
        tried += 1
        wanted = torch.autograd.grad((x * weights[i]).sum(), [t for t in single if t.numel()])
        for name, a, b in zip("QcGhAb", (g[i] for g in ours), wanted, strict=False):
            assert (a - b).norm() <= 1e-7 * b.norm() + 1e-12, name
        assert solution.derivative_error[i] < 1e-5
    assert tried > 8


@pytest.mark.parametrize("mu", [None, 0.3])
def test_derivatives_of_both_orders_in_all_blocks_are_those_of_differences(
    mu: float | None,
) -> None:
    problems = random_program(1, 3, 2, 1, seed=3).leaves()

    def solve(*blocks: torch.Tensor) -> torch.Tensor:
        return torch.cat([part.reshape(-1) for part in solve_qp(*blocks, mu=mu)[:3]])

    assert_derivatives_are_differences(solve, problems, atol=1e-6)


def test_a_matrix_that_is_not_symmetric_counts_by_its_symmetric_part() -> None:
    Q, c, *rest = random_program(1, 4, 3, 1).row(0)
    skew = torch.randn(4, 4, generator=torch.Generator().manual_seed(0), dtype=DOUBLE)
    Q2 = (Q + skew - skew.mT).requires_grad_()
    torch.testing.assert_close(solve_qp(Q2, c, *rest).x, solve_qp(Q, c, *rest).x)
    assert torch.autograd.gradcheck(lambda Q: solve_qp(Q, c, *rest).x, Q2, atol=1e-6)


@pytest.mark.parametrize("subset", [s for k in range(1, 7) for s in combinations(range(6), k)][::4])
def test_vmap_over_any_subset_of_blocks_is_a_loop(subset: tuple[int, ...]) -> None:
    problems = random_program(3, 4, 3, 1)
    # The first program's blocks with other linear terms keep it feasible for any subset.
    blocks = [t if i in subset else t[0] for i, t in enumerate(problems)]
    blocks[3] = blocks[3] + 3.0
    dims = tuple(0 if i in subset else None for i in range(6))
    batched = vmap(lambda *b: solve_qp(*b)[:3], dims)(*blocks)
    for i in range(3):
        single = solve_qp(*(t[i] if d == 0 else t for t, d in zip(blocks, dims, strict=True)))
        if single.converged:
            for a, b in zip(batched, single[:3], strict=True):
                torch.testing.assert_close(a[i], b, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("outer", [jacrev, jacfwd])
@pytest.mark.parametrize("inner", [jacrev, jacfwd])
@pytest.mark.parametrize("mu", [None, 0.1])
def test_second_derivatives_in_any_mode_under_vmap(
    outer: Callable[..., Any], inner: Callable[..., Any], mu: float | None
) -> None:
    value, at = cubed(mu)
    hessians = vmap(outer(inner(value)))(*at)
    torch.testing.assert_close(hessians, differences_of_cubed(mu), rtol=1e-5, atol=1e-5)


def cubed(mu: float | None) -> tuple[Callable[..., torch.Tensor], tuple[torch.Tensor, ...]]:
    """Return a function of the linear terms and the other blocks, and three programs."""
    Q, c, *rest = random_program(3, 4, 3, 1)

    def value(c: torch.Tensor, Q: torch.Tensor, *rest: torch.Tensor) -> torch.Tensor:
        return solve_qp(Q, c, *rest, mu=mu).x.pow(3).sum()

    return value, (c, Q, *rest)


@cache
def differences_of_cubed(mu: float | None) -> torch.Tensor:
    """Return those of the gradients, one program and one linear term at a time."""
    value, blocks = cubed(mu)
    slope, step, rows = grad(value), 1e-5, []
    for c, *at in zip(*blocks, strict=True):
        steps = step * torch.eye(4, dtype=DOUBLE)
        rows += [(slope(c + s, *at) - slope(c - s, *at)) / (2 * step) for s in steps]
    return torch.stack(rows).view(3, 4, 4)


def test_third_derivatives_are_differences_of_second() -> None:
    Q, c, *rest = random_program(1, 3, 2, 0).row(0)

    def value(t: torch.Tensor) -> torch.Tensor:
        return solve_qp(Q * t.exp(), c, *rest).x.sum()

    third = grad(grad(grad(value)))
    t, step = torch.tensor(0.3, dtype=DOUBLE), 1e-4
    second = grad(grad(value))
    difference = (second(t + step) - second(t - step)) / (2 * step)
    torch.testing.assert_close(third(t), difference, rtol=1e-5, atol=1e-6)


def test_the_central_path_of_one_unknown_is_its_closed_form_where_there_is_a_kink() -> None:
    # minimize x^2 / 2 + c x - mu log(1 - x): (x + c) (1 - x) = mu.
    c = torch.tensor([-1.0, 0.5], dtype=DOUBLE, requires_grad=True)
    mu = torch.tensor(1e-3, dtype=DOUBLE, requires_grad=True)
    one = torch.ones(1, 1, dtype=DOUBLE)
    x = solve_qp(one, c.unsqueeze(-1), one, one[0], mu=mu).x.squeeze(-1)
    closed = ((1 - c) - ((1 + c) ** 2 + 4 * mu).sqrt()) / 2
    torch.testing.assert_close(x, closed, rtol=1e-9, atol=1e-10)
    ours = torch.autograd.grad(x.sum(), (c, mu), create_graph=True)
    wanted = torch.autograd.grad(closed.sum(), (c, mu), create_graph=True)
    torch.testing.assert_close(ours, wanted, rtol=1e-6, atol=1e-7)
    (second,) = torch.autograd.grad(ours[0].sum(), c)
    torch.testing.assert_close(
        second, torch.autograd.grad(wanted[0].sum(), c)[0], rtol=1e-5, atol=1e-5
    )


def test_linear_programs_have_vertices_and_their_central_path_derivatives() -> None:
    n = 4
    costs = torch.tensor([0.3, -0.2, 1.0, 0.5], dtype=DOUBLE, requires_grad=True)
    eye, one = torch.eye(n, dtype=DOUBLE), torch.ones(1, n, dtype=DOUBLE)
    simplex = -eye, torch.zeros(n, dtype=DOUBLE), one, one[0, :1]
    x = solve_qp(0 * eye, costs, *simplex).x
    torch.testing.assert_close(x, eye[1])
    torch.testing.assert_close(torch.autograd.grad(x[1], costs)[0], torch.zeros(n, dtype=DOUBLE))
    assert torch.autograd.gradcheck(
        lambda costs: solve_qp(0 * eye, costs, *simplex, mu=0.05).x, costs, atol=1e-6
    )


def test_float32_is_solved_in_float64() -> None:
    problems = random_program(4, 6, 6, 1)
    exact = solve_qp(*problems)
    rounded = Blocks(*(t.float().requires_grad_() for t in problems))
    solution = solve_qp(*rounded)
    assert solution.x.dtype == solution.z.dtype == torch.float32
    torch.testing.assert_close(solution.x, exact.x.float(), rtol=1e-4, atol=1e-4)
    assert all(g.dtype == torch.float32 for g in torch.autograd.grad(solution.x.sum(), rounded))


def test_the_derivative_belongs_to_the_problem_whichever_engine_finds_the_solution() -> None:
    problems = random_program(8, 6, 8, 2).leaves()
    exact = solve_qp(*problems)

    def rough(program: Program) -> Point:
        assert all(t.dtype == DOUBLE and not t.requires_grad for t in vars(program).values())
        g = torch.Generator().manual_seed(0)
        noise = [1e-4 * torch.randn(t.shape, generator=g, dtype=DOUBLE) for t in exact[:3]]
        return Point(*(t.detach() + e for t, e in zip(exact[:3], noise, strict=True)))

    ours = solve_qp(*problems, solver=rough)
    assert ours.converged.all()
    torch.testing.assert_close(ours[:3], exact[:3], rtol=1e-9, atol=1e-10)
    wanted = torch.autograd.grad(exact.x.square().sum(), problems)
    torch.testing.assert_close(
        torch.autograd.grad(ours.x.square().sum(), problems), wanted, rtol=1e-7, atol=1e-8
    )
