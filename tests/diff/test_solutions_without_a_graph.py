"""Where nothing that a problem reads requires grad, its solution has no graph."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable
from multiprocessing.reduction import ForkingPickler
from typing import Any

import pytest
import torch

import torchopt
from torchopt.diff import Explicit
from torchopt.solver import (
    LBFGS,
    Anderson,
    Broyden,
    FixedPointIteration,
    GaussNewton,
    LevenbergMarquardt,
    Newton,
)

_FACES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "minimize": (lambda x, c: (x - c).pow(4).sum() + x.square().sum(), (LBFGS(), Newton())),
    "root": (lambda x, c: x**3 + x - c, (Newton(), Broyden(scale=0.7))),
    "fixed_point": (lambda x, c: c - 0.5 * x.sin(), (Anderson(), FixedPointIteration())),
    "least_squares": (
        lambda x, c: torch.cat([x - c, 0.5 * x**2]),
        (GaussNewton(), LevenbergMarquardt()),
    ),
}
_SGD = {"solver": torchopt.sgd(0.05, momentum=0.9), "steps": 4}
_CASES = [
    (face, options)
    for face, (_, solvers) in _FACES.items()
    for options in (
        _SGD,
        {"solver": torchopt.adam(0.1), "steps": 3},
        *({"solver": s} for s in solvers),
    )
]


def _start() -> torch.Tensor:
    return torch.tensor([0.5, -0.2], dtype=torch.float64)


def _c() -> torch.Tensor:
    return torch.tensor([0.7, 0.3], dtype=torch.float64)


def _tensors(solution: torchopt.diff.Solution) -> list[torch.Tensor]:
    trees = (solution.params, solution.aux, solution.value, solution.state)
    return [x for x in torchopt.pytree.tree_leaves(trees) if isinstance(x, torch.Tensor)]


@pytest.mark.parametrize(("face", "options"), _CASES)
def test_a_solution_of_constants_is_constant(face: str, options: dict[str, Any]) -> None:
    function = _FACES[face][0]
    solve = getattr(torchopt, face)
    solution = solve(function, _start(), (_c(),), diff=Explicit(), **options)
    assert not any(t.requires_grad for t in _tensors(solution))
    with torch.no_grad():
        assert torch.equal(
            solve(function, _start(), (_c(),), diff=Explicit(), **options).params, solution.params
        )


def _objective(p: dict[str, torch.Tensor], c: torch.Tensor) -> tuple[torch.Tensor, Any]:
    loss = (p["x"] * p["y"].exp() - c).pow(4).sum()
    return loss, {"loss": loss, "words": "as they are"}


def test_a_solution_of_constants_can_be_copied_sent_and_read_by_numpy() -> None:
    start = {"x": _start(), "y": _c(), "none": None}
    solution = torchopt.minimize(_objective, start, (_c(),), has_aux=True, **_SGD)
    assert not any(t.requires_grad for t in _tensors(solution))
    copied = copy.deepcopy(solution)
    buffer = io.BytesIO()
    ForkingPickler(buffer).dump(solution)
    for key in ("x", "y"):
        assert torch.equal(copied.params[key], solution.params[key])
        assert solution.params[key].numpy().shape == (2,)
    assert solution.aux["words"] == "as they are"
    # By hand, in plain PyTorch.
    x, y, mx, my = start["x"], start["y"], 0.0, 0.0
    for _ in range(4):
        x, y = x.detach().requires_grad_(), y.detach().requires_grad_()
        gx, gy = torch.autograd.grad((x * y.exp() - _c()).pow(4).sum(), (x, y))
        mx, my = 0.9 * mx + gx, 0.9 * my + gy
        x, y = x - 0.05 * mx, y - 0.05 * my
    torch.testing.assert_close(solution.params["x"], x.detach(), rtol=1e-12, atol=0)
    torch.testing.assert_close(solution.params["y"], y.detach(), rtol=1e-12, atol=0)


class _Scaled(torch.autograd.Function):
    """The identity, whose gradient is multiplied by a tensor that it is not given."""

    weight: torch.Tensor

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> torch.Tensor:
        return cotangent * _Scaled.weight


def _by_hook(x: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
    x = x * 1
    if x.requires_grad:
        x.register_hook(lambda g: g * phi)
    return (x - 1).square().sum()


def _by_backward(x: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
    _Scaled.weight = phi
    return (_Scaled.apply(x) - 1).square().sum()


_READS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "operation": lambda x, phi: phi * (x - 1).square().sum(),
    "hook": _by_hook,
    "backward": _by_backward,
}


@pytest.mark.parametrize("first", [0, 1, 3])
@pytest.mark.parametrize("how", _READS)
def test_what_is_read_at_some_steps_only_keeps_its_derivatives(how: str, first: int) -> None:
    """Also by a hook or a custom backward function, which the graph of the loss does not show."""
    phi = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    start = torch.tensor(3.0, dtype=torch.float64)

    def objective(x: torch.Tensor, late: bool) -> torch.Tensor:
        return _READS[how](x, phi if late else torch.ones_like(phi))

    def by_hand() -> torch.Tensor:
        x = start.clone().requires_grad_()
        for k in range(4):
            loss = objective(x, k >= first)
            x = x - 0.1 * torch.autograd.grad(loss, x, create_graph=True)[0]
        return x

    def derivatives(x: torch.Tensor) -> list[torch.Tensor]:
        (g,) = torch.autograd.grad(x, phi, create_graph=True)
        (h,) = torch.autograd.grad(g, phi) if first < 3 else (torch.zeros(()),)
        return [x.detach(), g.detach(), h]

    x = torchopt.minimize(
        objective, start, solver=torchopt.sgd(0.1), steps=4, batches=[k >= first for k in range(4)]
    ).params
    expected = derivatives(by_hand())
    assert expected[1].abs() > 0.1
    torch.testing.assert_close(derivatives(x), expected, rtol=1e-12, atol=0)
