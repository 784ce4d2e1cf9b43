"""The faces `root`, `fixed_point` and `least_squares`: values and derivatives, and what they return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchopt
from torchopt import diff, solver
from torchopt.errors import NotConvergedWarning

DOUBLE = torch.float64
FACES: dict[str, Callable[..., Any]] = {
    "root": torchopt.root,
    "fixed_point": torchopt.fixed_point,
    "least_squares": torchopt.least_squares,
}


def test_what_a_solution_tells() -> None:
    start = {"x": torch.tensor([1.0, 2.0], requires_grad=True)}
    solution = torchopt.root(lambda p: ({"x": p["x"] ** 3 - 2}, "aux"), start, has_aux=True)
    assert solution.aux == "aux"
    assert solution.iterations.dtype == torch.int64
    assert 0 < int(solution.iterations) < 10
    assert bool(solution.converged)
    assert solution.error < 1e-3
    assert not solution.error.requires_grad
    assert start["x"].tolist() == [1, 2]  # as it was
    assert start["x"].requires_grad


@pytest.mark.parametrize("face", FACES)
def test_auxiliary_output_is_that_at_the_solution(face: str) -> None:
    start = torch.zeros(2, dtype=DOUBLE)
    solution = FACES[face](lambda z: (z / 2 + 1, {"z": z}), start, has_aux=True)
    torch.testing.assert_close(solution.aux["z"], solution.params)


@pytest.mark.parametrize(
    ("face", "function", "options"),
    [
        ("root", lambda x: x**2 + 1, {}),
        ("fixed_point", lambda z: 1.5 * z + 1, {"solver": solver.FixedPointIteration(maxiter=20)}),
    ],
)
def test_what_has_no_solution_is_told(face: str, function: Any, options: Any) -> None:
    with pytest.warns(NotConvergedWarning, match="did not converge"):
        solution = FACES[face](function, torch.ones((), dtype=DOUBLE), **options)
    assert not solution.converged
    assert solution.params.isfinite()


def decay(problem_solver: Any, hvp: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """A fit that leaves residuals: exp(-rate t) + level against data of another shape."""
    t = torch.linspace(0, 2, 6, dtype=DOUBLE)
    y = (1.5 / (1 + t) + 0.1 * torch.sin(5 * t)).requires_grad_()

    def residuals(p: dict[str, torch.Tensor], y: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"fit": torch.exp(-p["rate"] * t) + p["level"] - y, "small": 0.1 * p["level"]}

    start = {"level": torch.zeros((), dtype=DOUBLE), "rate": torch.ones((), dtype=DOUBLE)}
    p = torchopt.least_squares(
        residuals, start, (y,), solver=problem_solver, diff=diff.Implicit(hvp=hvp)
    ).params
    return torch.stack([p["level"], p["rate"]]), y, t


@pytest.mark.parametrize(
    "problem_solver",
    [solver.LevenbergMarquardt(rtol=0.0, atol=1e-12), solver.LBFGS(rtol=0.0, atol=1e-12)],
    ids=["levenberg_marquardt", "lbfgs"],
)
@pytest.mark.parametrize("hvp", ["reverse", "gauss_newton"])
def test_full_and_gauss_newton_curvature_of_a_fit(problem_solver: Any, hvp: Any) -> None:
    p, y, t = decay(problem_solver, hvp)
    found = torch.stack([torch.autograd.grad(q, y, retain_graph=True)[0] for q in p])
    level, rate = p.detach()
    zero = torch.zeros(1, dtype=DOUBLE)
    J = torch.stack(
        [
            torch.cat([torch.ones(6, dtype=DOUBLE), zero + 0.1]),
            torch.cat([-t * torch.exp(-rate * t), zero]),
        ],
        dim=1,
    )
    r = torch.exp(-rate * t) + level - y.detach()
    curvature = torch.zeros(2, 2, dtype=DOUBLE)
    if hvp == "reverse":
        curvature[1, 1] = (r * t * t * torch.exp(-rate * t)).sum()
    expected = torch.linalg.solve(J.T @ J + curvature, J[:6].T)
    torch.testing.assert_close(found, expected, rtol=1e-7, atol=1e-9)


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
