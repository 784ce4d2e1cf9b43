"""Arguments of the faces that are not what they should be get one clear sentence, at the call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchopt
from torchopt import diff
from torchopt.errors import NotConvergedWarning

FACES: dict[str, Callable[..., Any]] = {
    "minimize": torchopt.minimize,
    "root": torchopt.root,
    "fixed_point": torchopt.fixed_point,
    "least_squares": torchopt.least_squares,
}
faces = pytest.mark.parametrize("face", FACES)


def call(name: str, params: Any = None, **options: Any) -> Any:
    def function(x: torch.Tensor, a: Any = 2.0) -> torch.Tensor:
        return (x - a).square().sum() if name == "minimize" else 0.5 * (x + a)

    options = {"solver": torchopt.sgd(0.1), "steps": 200, **options}
    return FACES[name](function, torch.ones(3) if params is None else params, **options)


@pytest.mark.parametrize(
    "make",
    [
        torchopt.sgd,
        lambda lr: torchopt.chain(torchopt.transform.clip_grad_norm(1.0), torchopt.adam(lr)),
        lambda lr: torchopt.sgd(0.1, weight_decay=lr),
        lambda lr: torchopt.sgd(lambda step: lr / (1 + step)),
    ],
    ids=["sgd", "chain", "weight_decay", "schedule"],
)
@faces
@pytest.mark.filterwarnings("ignore:`Implicit` differentiates a point")
def test_a_learning_rate_that_an_implicit_derivative_does_not_reach(face: str, make: Any) -> None:
    lr = torch.tensor(0.1, requires_grad=True)

    def solve(lr: torch.Tensor) -> Any:
        return call(face, solver=make(lr), diff=diff.Implicit(), steps=20)

    with pytest.raises(
        ValueError, match=r"a hyperparameter of the solver.* by `Implicit` its gradient"
    ):
        solve(lr)
    with pytest.raises(ValueError, match="a hyperparameter of the solver"):
        torch.func.grad(lambda lr: solve(lr).params.sum())(lr.detach())
    with torch.no_grad():
        solve(lr)
    solve(lr.detach())


@pytest.mark.parametrize(
    "mode", [diff.ZeroOrder(), diff.OneStep(step_size=0.1)], ids=["zero_order", "one_step"]
)
@pytest.mark.parametrize(
    "make",
    [
        torchopt.adam,
        lambda bound: torchopt.chain(torchopt.transform.clip_grad_norm(bound), torchopt.sgd(0.1)),
    ],
    ids=["rate", "bound"],
)
def test_hyperparameters_that_a_mode_does_not_reach_are_refused(mode: Any, make: Any) -> None:
    """Their gradient would be that of the rest of the loss."""
    learned = torch.tensor(0.2, requires_grad=True)
    with pytest.raises(ValueError, match=r"a hyperparameter of the solver.* requires grad, but"):
        call("minimize", solver=make(learned), diff=mode)
    with torch.no_grad():
        call("minimize", solver=make(learned), diff=mode)
    call("minimize", solver=make(learned.detach()), diff=mode)


START = {"zero": torch.zeros(2), "other": torch.tensor([3.0, -1.0])}
FUNCTIONS: dict[str, Any] = {
    "minimize": lambda x, a: (x - a).square().sum(),
    "root": lambda x, a: x - a,
    "fixed_point": lambda x, a: 0.5 * (x + a),
    "least_squares": lambda x, a: x - a,
}


@faces
@pytest.mark.parametrize("start", START)
@pytest.mark.parametrize("known", [False, True])
def test_a_function_that_returns_its_start_warns_unless_that_is_the_solution(
    face: str, start: str, known: bool
) -> None:
    """As from a solver elsewhere, which is exact to rounding."""
    x = START[start]
    rounding = 1 + 3e-7 * torch.tensor([1.0, -1.0])
    a = (x * rounding + (1e-8 if known else 2.0)).requires_grad_()

    def solve() -> Any:
        return FACES[face](FUNCTIONS[face], x, (a,), solver=lambda x, a: x)

    if known:
        solve()
    else:
        with pytest.warns(NotConvergedWarning, match="the solver returned its start"):
            solve()
