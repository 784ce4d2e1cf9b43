"""Functions and solvers that write to what they are given: the caller's tensors stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchopt
from torchopt.compat import custom_fixed_point, custom_root
from torchopt.diff import Explicit, Implicit, OneStep, ZeroOrder, zero_order

Tensor = torch.Tensor
DTYPE = torch.float64


def write(x: Tensor, factor: float = 2.0) -> Tensor:
    """Multiply in the memory of a tensor, behind the back of autograd; return the sum."""
    array = x.detach().numpy()
    array *= factor
    return torch.as_tensor(array.sum())


def given() -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(2)
    draw = {k: torch.randn(4, 3, generator=generator, dtype=DTYPE) for k in "xyz"}
    return {**draw, "n": torch.arange(6)}


def simulate(x: Tensor, y: Tensor, n: Tensor, *, z: Tensor) -> Tensor:
    """Return ``2 Σx + 2 Σy + 2 Σz + 3 Σn``."""
    return write(x) + write(y) + write(z) + write(n, 3)


ESTIMATORS = {
    "antithetic": zero_order.Antithetic(num_samples=40, sigma=0.1),
    "forward": zero_order.ForwardDifference(num_samples=40, sigma=0.1),
    "low rank": zero_order.LowRank(num_samples=40, sigma=0.1),
    "coordinates": zero_order.Coordinate(sigma=0.1),
}


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("argnums", [None, 0, 1])
def test_a_simulator_gets_copies_of_its_arguments(name: str, argnums: int | None) -> None:
    args, before = given(), given()
    for key in "xyz":
        args[key].requires_grad_(key == ("y" if argnums == 1 else "x"))
    function = ZeroOrder(ESTIMATORS[name], generator=1)(simulate, argnums)
    value = function(args["x"], args["y"], args["n"], z=args["z"])
    expected = 2 * sum(before[k].sum() for k in "xyz") + 3 * before["n"].sum()
    torch.testing.assert_close(value.detach(), expected)
    value.backward()
    assert all(torch.equal(args[k], before[k]) for k in before)
    moved = args["y" if argnums == 1 else "x"]
    if name == "coordinates":
        torch.testing.assert_close(moved.grad, torch.full_like(moved, 2.0))


@pytest.mark.parametrize("decorate", [custom_root, custom_fixed_point])
def test_a_solver_gets_copies_of_its_arguments(decorate: Callable[..., Any]) -> None:
    def condition(x: Tensor, y: Tensor, z: Tensor) -> Tensor:
        return 3 * x - y * z if decorate is custom_root else x - (3 * x - y * z) / 3

    @decorate(condition, argnums=(1, 2))
    def solve(x: Tensor, y: Tensor, z: Tensor) -> Tensor:
        x.detach().numpy()[:] = (y * z / 3).detach().numpy()
        write(y)
        write(z)
        return x

    args, before = given(), given()
    y, z = args["y"].requires_grad_(), args["z"].requires_grad_()
    solution = solve(args["x"], y, z)
    solution.sum().backward()
    assert all(torch.equal(args[k], before[k]) for k in before)
    torch.testing.assert_close(solution.detach(), before["y"] * before["z"] / 3)
    torch.testing.assert_close(y.grad, before["z"] / 3)


@pytest.mark.parametrize("diff", [Implicit(), ZeroOrder(zero_order.Coordinate(sigma=0.1))])
def test_a_function_as_solver_gets_copies_of_its_arguments(diff: Any) -> None:
    def solve(x: Tensor, y: Tensor) -> Tensor:
        x.detach().numpy()[:] = y.detach().numpy() / 3
        write(y)
        return x

    args, before = given(), given()
    y = args["y"].requires_grad_()
    solution = torchopt.root(lambda x, y: 3 * x - y, args["x"], (y,), solver=solve, diff=diff)
    solution.params.sum().backward()
    assert all(torch.equal(args[k], before[k]) for k in before)
    torch.testing.assert_close(y.grad, torch.full_like(y, 1 / 3))


def test_searches_and_truncations_give_copies() -> None:
    args, before = given(), given()
    search = zero_order.GaussianSearch(population=6, sigma=0.1)
    kind = torchopt.diff.Minimum(lambda x, y: write(x) + write(y))
    search.solver(steps=2, generator=0).function_for(kind)(args["x"], args["y"])
    estimator = zero_order.PersistentES(num_samples=2, sigma=0.1)
    particles = estimator.init(args["x"], args["z"], generator=0)
    for _ in range(2):
        particles = estimator(
            lambda x, z, y: (write(x) + write(y) + write(z), z), args["x"], particles, args["y"]
        ).particles
    assert all(torch.equal(args[k], before[k]) for k in before)


@pytest.mark.parametrize(
    "mode", [Explicit("forward"), Explicit("step", hvp="forward"), OneStep(hvp="finite_difference")]
)
def test_an_objective_that_writes_over_a_view_that_its_gradient_needs_does_not_hang(
    mode: Any,
) -> None:
    # PyTorch sets an attribute of the view while it locks it, and the mode that looks on saw that.
    def f(x: Tensor) -> Tensor:
        y = 2 * x
        y[0] = y[1] * x[0]
        return y.square().sum()

    start = torch.tensor([1.0, 2.0], dtype=DTYPE, requires_grad=True)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torchopt.minimize(f, start, solver=torchopt.sgd(0.1), steps=1, diff=mode)
