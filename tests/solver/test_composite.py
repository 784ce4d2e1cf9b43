"""Minima in a set, by a gradient transformation: each mode has the closed form, or refuses."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.func import jacrev, vmap

import torchopt
from torchopt import sets
from torchopt.diff import Explicit, Implicit, OneStep, ZeroOrder

F64 = torch.float64
PHI = torch.tensor([0.9, 0.6, -0.4], dtype=F64)
RADIUS = torch.tensor(1.0, dtype=F64)
START = torch.full((3,), 1 / 3, dtype=F64)
#: The curvatures of the objective; the first two unknowns stay positive.
H = torch.tensor([1.0, 2.0, 1.5], dtype=F64)

MODES = {
    "explicit": ({"steps": 30}, Explicit()),
    "explicit-step": ({"steps": 30}, Explicit("step")),
    "implicit": ({"atol": 1e-10, "maxiter": 500}, Implicit()),
    "implicit-steps": ({"steps": 30}, Implicit()),
}
by_mode = pytest.mark.parametrize("mode", MODES)


def loss(x: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
    return (H * (x - phi).square()).sum() / 2


def solve(
    phi: torch.Tensor, radius: torch.Tensor = RADIUS, mode: str = "implicit", **options: Any
) -> torch.Tensor:
    until, diff = MODES[mode]
    return torchopt.minimize(
        loss,
        START,
        (phi,),
        subject_to=sets.Simplex(radius),
        solver=torchopt.sgd(0.5),
        diff=diff,
        **until,
        **options,
    ).params


def closed_form(phi: torch.Tensor, radius: torch.Tensor) -> torch.Tensor:
    """Return the solution whose first two elements are positive: ``H (x - phi) + multiplier = 0``."""
    multiplier = (phi[0] + phi[1] - radius) / (1 / H[0] + 1 / H[1])
    return torch.stack([phi[0] - multiplier / H[0], phi[1] - multiplier / H[1], 0 * phi[2]])


@by_mode
def test_solutions_and_jacobians_are_those_of_the_closed_form(mode: str) -> None:
    torch.testing.assert_close(solve(PHI, mode=mode), closed_form(PHI, RADIUS), rtol=0, atol=1e-7)
    for argument in (0, 1):
        expected = jacrev(closed_form, argument)(PHI, RADIUS)
        phi, radius = PHI.clone().requires_grad_(), RADIUS.clone().requires_grad_()
        out = solve(phi, radius, mode)
        found = torch.stack(
            [torch.autograd.grad(o, (phi, radius)[argument], retain_graph=True)[0] for o in out]
        )
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-7)


@by_mode
def test_a_batch_of_problems_is_that_of_single_ones(mode: str) -> None:
    many = PHI + 0.05 * torch.arange(6, dtype=F64).reshape(2, 3)
    radii = torch.tensor([1.0, 1.2], dtype=F64)
    expected = torch.stack([closed_form(p, r) for p, r in zip(many, radii, strict=True)])
    found = vmap(lambda p, r: solve(p, r, mode))(many, radii)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
def test_one_step_is_the_derivative_of_a_projected_step(hvp: Any) -> None:
    phi = PHI.clone().requires_grad_()
    radius = RADIUS.clone().requires_grad_()

    def solve_by(mode: OneStep) -> torch.Tensor:
        return torchopt.minimize(
            loss,
            START,
            (phi,),
            subject_to=sets.Simplex(radius),
            solver=torchopt.sgd(0.5),
            steps=30,
            diff=mode,
        ).params

    x = solve_by(OneStep(hvp=hvp))
    torch.testing.assert_close(x.detach(), closed_form(PHI, RADIUS), rtol=0, atol=1e-7)
    found = torch.stack([torch.autograd.grad(o, phi, retain_graph=True)[0] for o in x])
    # The step is `phi - H (x - phi) / 2`, of which the mean of what stays positive is subtracted.
    centre = torch.tensor([[0.5, -0.5, 0.0], [-0.5, 0.5, 0.0], [0.0, 0.0, 0.0]], dtype=F64)
    torch.testing.assert_close(found, centre @ torch.diag(0.5 * H), rtol=0, atol=1e-6)
    found = torch.stack([torch.autograd.grad(o, radius, retain_graph=True)[0] for o in x])
    torch.testing.assert_close(found, torch.tensor([0.5, 0.5, 0.0], dtype=F64))
    with pytest.raises(TypeError, match="a step without constraints"):
        solve_by(OneStep(hvp=hvp, step_size=0.5))


def test_a_mode_that_does_not_reach_the_parameters_of_a_set_says_so() -> None:
    with pytest.raises(ValueError, match="tensor of shape"):
        torchopt.minimize(
            loss,
            START,
            (PHI.clone().requires_grad_(),),
            subject_to=sets.Simplex(RADIUS.clone().requires_grad_()),
            solver=torchopt.sgd(0.5),
            steps=3,
            diff=ZeroOrder(generator=0),
        ).params.sum().backward()


@pytest.mark.parametrize("mode", ["explicit", "implicit"])
def test_a_tree_of_sets(mode: str) -> None:
    until, diff = MODES[mode]
    phi = {"p": PHI, "bounded": 3 * PHI[:2], "free": PHI[:1]}
    params = {"p": START, "bounded": torch.zeros(2, dtype=F64), "free": torch.zeros(1, dtype=F64)}

    def f(x: Any, phi: Any) -> torch.Tensor:
        return sum(((x[k] - phi[k]) ** 2).sum() / 2 for k in x)

    parts = {"p": sets.Simplex(), "bounded": sets.Box(0.0, 2.0), "free": None}
    x = torchopt.minimize(
        f, params, (phi,), subject_to=parts, solver=torchopt.sgd(0.5), diff=diff, **until
    ).params
    expected = {
        "p": torch.tensor([0.65, 0.35, 0.0], dtype=F64),
        "bounded": torch.tensor([2.0, 1.8], dtype=F64),
        "free": PHI[:1],
    }
    for name, value in expected.items():
        torch.testing.assert_close(x[name], value, rtol=0, atol=1e-7)
