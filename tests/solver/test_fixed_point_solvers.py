"""Fixed-point iteration, Anderson acceleration and Broyden's method against what theory says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from _problems import fixed_point, root

from torchopt.errors import NotConvergedError, NotConvergedWarning
from torchopt.solver import Anderson, Broyden, FixedPointIteration, Newton

DTYPE = torch.float64


@pytest.fixture(autouse=True)
def _without_graphs() -> Iterator[None]:
    with torch.no_grad():
        yield


@pytest.mark.parametrize("solver", [FixedPointIteration, Broyden])
@pytest.mark.parametrize("seed", range(3))
def test_a_map_that_draws_random_numbers_does_not_converge(solver: Any, seed: int) -> None:
    W = torch.tensor([[0.1, -0.2, 0.1], [0.0, 0.1, 0.2], [0.1, 0.1, -0.1]])

    def step(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.dropout(x @ W + 1, 0.5)

    torch.manual_seed(seed)
    with pytest.warns(NotConvergedWarning, match="draws random numbers, as dropout does"):
        run = solver().run(fixed_point(step), torch.zeros(3))
    assert not run.stats.converged
    with pytest.raises(NotConvergedError, match="draws random numbers"):
        solver(on_failure="raise").run(fixed_point(step), torch.zeros(3))


def test_a_map_beside_which_random_numbers_are_drawn_converges() -> None:
    def step(x: torch.Tensor) -> torch.Tensor:
        torch.rand(1)  # as another thread may
        noise = torch.rand(3, generator=torch.Generator().manual_seed(0))
        return 0.5 * x + noise

    assert FixedPointIteration().run(fixed_point(step), torch.zeros(3)).stats.converged


def contraction(radius: float, n: int = 12) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return a matrix that is not symmetric, with this spectral radius, a vector, the fixed point."""
    gen = torch.Generator().manual_seed(0)
    A = torch.randn(n, n, dtype=DTYPE, generator=gen)
    A = A * radius / torch.linalg.eigvals(A).abs().max()
    b = torch.randn(n, dtype=DTYPE, generator=gen)
    return A, b, torch.linalg.solve(torch.eye(n, dtype=DTYPE) - A, b)


def test_iteration_converges_at_the_rate_of_its_contraction() -> None:
    A = torch.diag(torch.tensor([0.5, -0.3, 0.1], dtype=DTYPE))
    problem = fixed_point(lambda x: A @ x + 1)
    one, two = (
        FixedPointIteration(rtol=0.0, maxiter=n, on_failure="ignore")
        .run(problem, torch.zeros(3, dtype=DTYPE))
        .stats.error
        for n in (20, 21)
    )
    torch.testing.assert_close(two / one, one.new_tensor(0.5), rtol=1e-4, atol=0)


def test_acceleration_needs_fewer_steps_than_iteration() -> None:
    A, b, _ = contraction(0.97)
    problem, x = fixed_point(lambda x: torch.tanh(A @ x) + 0.1 * b), torch.zeros_like(b)
    plain = FixedPointIteration().run(problem, x)
    for solver in (Anderson(), Broyden(), Newton()):
        run = solver.run(problem, x)
        assert run.stats.converged
        assert run.stats.iterations < plain.stats.iterations / 2
        torch.testing.assert_close(run.x, plain.x, rtol=0, atol=1e-6)


def test_broyden_is_the_secant_method_in_one_dimension() -> None:
    def cubic(x: torch.Tensor) -> torch.Tensor:
        return x**3 + x - 3

    x0 = 1.0
    x1 = x0 - 0.2 * (x0**3 + x0 - 3)
    x2 = x1 - (x1**3 + x1 - 3) * (x1 - x0) / ((x1**3 + x1) - (x0**3 + x0))
    run = Broyden(scale=0.2, line_search=False, maxiter=2, on_failure="ignore").run(
        root(cubic), torch.tensor([x0], dtype=DTYPE)
    )
    torch.testing.assert_close(run.x, torch.tensor([x2], dtype=DTYPE), rtol=1e-12, atol=0)
