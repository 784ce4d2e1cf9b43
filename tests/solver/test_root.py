"""The face `torchopt.root`."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import torchopt
from torchopt import diff, solver
from torchopt.errors import NotConvergedWarning

DOUBLE = torch.float64


def kepler(E: torch.Tensor, e: torch.Tensor, M: torch.Tensor) -> torch.Tensor:
    """Kepler's equation, whose root has a derivative in closed form given the root."""
    return E - e * torch.sin(E) - M


def elements() -> tuple[torch.Tensor, torch.Tensor]:
    return (
        torch.tensor([0.1, 0.4, 0.7], dtype=DOUBLE, requires_grad=True),
        torch.tensor([0.5, 1.0, 2.0], dtype=DOUBLE, requires_grad=True),
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"solver": solver.Newton(rtol=0.0, atol=1e-12)},
        {"solver": solver.Broyden(rtol=0.0, atol=1e-12)},
        {"solver": torchopt.sgd(0.7), "maxiter": 200, "tol": 1e-12},
        {"solver": torchopt.sgd(0.7), "steps": 200},
        {"diff": diff.Explicit(), "solver": solver.Newton(rtol=0.0, atol=1e-12)},
        {"diff": diff.Explicit(), "solver": torchopt.sgd(0.7), "steps": 120},
    ],
    ids=["default", "newton", "broyden", "descent", "steps", "unrolled_newton", "unrolled_descent"],
)
def test_value_and_derivatives_of_keplers_equation(options: Any) -> None:
    e, M = elements()
    solution = torchopt.root(kepler, M.detach().clone(), (e, M), **options)
    E = solution.params
    value = E.detach()
    assert kepler(value, e.detach(), M.detach()).abs().max() < 1e-7
    found = torch.autograd.grad(E.sum(), (e, M))
    slope = 1 - e.detach() * torch.cos(value)
    torch.testing.assert_close(found[0], torch.sin(value) / slope, rtol=1e-5, atol=1e-8)
    torch.testing.assert_close(found[1], 1 / slope, rtol=1e-5, atol=1e-8)


def test_what_a_solution_tells() -> None:
    solution = torchopt.root(
        lambda x: (x**3 - 2, "aux"), torch.tensor(1.0, dtype=DOUBLE), has_aux=True
    )
    assert solution.aux == "aux"
    assert solution.iterations.dtype == torch.int64
    assert 0 < int(solution.iterations) < 10
    assert bool(solution.converged)
    assert solution.error < 1e-7
    assert not solution.error.requires_grad


def test_the_start_is_left_as_it_is() -> None:
    start = {"x": torch.tensor([1.0, 2.0], requires_grad=True)}
    torchopt.root(lambda p: {"x": p["x"] ** 3 - 2}, start)
    assert start["x"].tolist() == [1, 2]
    assert start["x"].requires_grad


def test_no_root_is_told() -> None:
    with pytest.warns(NotConvergedWarning, match="Newton did not converge"):
        solution = torchopt.root(lambda x: x**2 + 1, torch.tensor(1.0, dtype=DOUBLE))
    assert not solution.converged
    assert solution.params.isfinite()


def test_trees_as_deep_as_a_program_builds_them_are_solved_checked_and_named() -> None:
    def nested(leaf: Any) -> Any:
        for _ in range(1_000):
            leaf = {"k": leaf}
        return leaf

    def leaf_of(tree: Any) -> Any:
        while isinstance(tree, dict):
            tree = tree["k"]
        return tree

    start = nested(torch.tensor([1.5, 2.5], dtype=torch.float64))
    cubes = torch.tensor([3.0, 5.0], dtype=torch.float64)
    found = torchopt.root(
        lambda x: nested(leaf_of(x) ** 3 - cubes), start, solver=torchopt.solver.Newton()
    )
    torch.testing.assert_close(leaf_of(found.params), cubes ** (1 / 3))
    fixed = torchopt.fixed_point(lambda x: nested(leaf_of(x).cos()), start)
    torch.testing.assert_close(leaf_of(fixed.params).cos(), leaf_of(fixed.params))
    torchopt.check_meta_grad(lambda x: (leaf_of(x) ** 3).sum(), start)
    with pytest.raises(TypeError, match=r"\['k'\]` is an object of type str"):
        torchopt.minimize(lambda x: x, nested("a"), solver=torchopt.sgd(0.1), steps=1)
