"""A problem inside the objective of another: derivatives of both, against closed forms."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import _public
import torchopt
from _cases import diagonal
from torchopt.diff import Explicit, Implicit

F64 = torch.float64
POINT = torch.tensor(0.7, dtype=F64)

# How a problem is solved, and the steps of gradient descent that this takes; none for a minimum.
SOLVES: dict[str, dict[str, Any]] = {
    "implicit": {"solver": torchopt.solver.Newton(), "diff": Implicit()},
    **{
        name: {"solver": torchopt.sgd(0.25), "steps": 2, "diff": diff}
        for name, diff in {"graph": Explicit(), **_public.POLICIES}.items()
    },
}


def nearest(how: str, response: Callable[[Tensor], Tensor], target: Tensor) -> Tensor:
    """Return the x that minimizes ½ (response(x) - target)² + ½ x²."""

    def objective(x: Tensor) -> Tensor:
        return 0.5 * (response(x) - target).square().sum() + 0.5 * x.square().sum()

    return torchopt.minimize(objective, torch.zeros_like(target), **SOLVES[how]).params


def closed_form(how: str, slope: Tensor, target: Tensor | float) -> Tensor:
    """Return the same where the response is a multiple of x."""
    if "steps" not in SOLVES[how]:
        return slope * target / (slope**2 + 1)
    x = torch.zeros_like(slope)
    for _ in range(SOLVES[how]["steps"]):
        x = x - 0.25 * (slope * (slope * x - target) + x)
    return x


def nested(levels: tuple[str, ...], p: Tensor) -> Tensor:
    """Return the solution of the outermost problem; the response of the innermost is p x."""
    response: Callable[[Tensor], Tensor] = functools.partial(torch.mul, p)
    for how in levels[:0:-1]:
        response = functools.partial(nearest, how, response)
    return nearest(levels[0], response, torch.ones(2, dtype=F64))[0]


def expected(levels: tuple[str, ...], p: Tensor) -> Tensor:
    slope = p
    for how in levels[:0:-1]:
        slope = closed_form(how, slope, 1.0)  # of a solution, which is linear in its target
    return closed_form(levels[0], slope, 1.0)


def by_eager(f: Callable[[Tensor], Tensor], order: int = 1) -> Tensor:
    p = POINT.clone().requires_grad_()
    value = f(p)
    for k in range(order):
        (value,) = torch.autograd.grad(value, p, create_graph=k + 1 < order)
    return value


ROUTES: dict[str, Callable[[Callable[[Tensor], Tensor]], Tensor]] = {
    "eager": by_eager,
    "eager, twice": functools.partial(by_eager, order=2),
    "jacfwd": lambda f: torch.func.jacfwd(f)(POINT),
    "vmap": lambda f: torch.func.vmap(torch.func.grad(f))(torch.stack([POINT, POINT]))[1],
    "hessian": lambda f: torch.func.hessian(f)(POINT),
}
SECOND = ("eager, twice", "hessian")
PAIRS = [("implicit", "implicit"), ("step", "implicit"), ("implicit", "step"), ("step", "step")]


def assert_is_the_closed_form_s(levels: tuple[str, ...], route: str) -> None:
    found = ROUTES[route](functools.partial(nested, levels))
    truth = by_eager(functools.partial(expected, levels), 2 if route in SECOND else 1)
    torch.testing.assert_close(found, truth, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    ("levels", "route"),
    [
        (levels, route)
        for levels in PAIRS
        for route in ROUTES
        if levels != ("implicit", "step") or route != "hessian"  # which PyTorch cannot nest
    ]
    + [(("implicit", "graph"), route) for route in ("eager", "vmap")],
)
def test_derivatives_of_a_nested_solution_are_the_closed_form_s(
    levels: tuple[str, ...], route: str
) -> None:
    assert_is_the_closed_form_s(levels, route)


POLICIES = [name for name in SOLVES if name != "implicit"]


@pytest.mark.parametrize(("outside", "inside"), diagonal(POLICIES, POLICIES[::-1]))
def test_all_policies_nest(outside: str, inside: str) -> None:
    assert_is_the_closed_form_s((outside, inside), "eager")


@pytest.mark.parametrize(
    "levels",
    [
        pytest.param(("implicit", "implicit", "implicit"), marks=pytest.mark.slow),
        ("step", "implicit", "implicit"),
        ("step", "step", "step"),
    ],
)
def test_derivative_through_three_levels_is_the_closed_form_s(levels: tuple[str, ...]) -> None:
    assert_is_the_closed_form_s(levels, "eager")


@pytest.mark.slow  # the fast tests have two levels on each route
@pytest.mark.parametrize(
    ("levels", "route"),
    [(("implicit", "step", "step"), "jacfwd"), (("step", "implicit", "step"), "vmap")],
)
def test_derivative_through_three_levels_under_transforms_is_the_closed_form_s(
    levels: tuple[str, ...], route: str
) -> None:
    assert_is_the_closed_form_s(levels, route)
