"""What is evaluated for a derivative sees the world of the call, and leaves the world as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import torchopt
from torchopt.diff import Explicit, Implicit, OneStep, ValueFunction, ZeroOrder
from torchopt.diff.zero_order import Antithetic, ForwardGradient, LowRank
from torchopt.linear_solve import GMRES

MODES: dict[str, dict[str, Any]] = {
    name: {"diff": diff, "solver": torchopt.sgd(0.1), "steps": 3}
    for name, diff in {
        "graph": Explicit(),
        "step": Explicit("step"),
        "tree": Explicit("tree"),
        "forward": Explicit("forward"),
        "forward over reverse": Explicit("step", hvp="forward"),
        "differences": Explicit("step", hvp="finite_difference"),
        "implicit": Implicit(GMRES()),
        "implicit, forward": Implicit(GMRES(), hvp="forward"),
        "one step": OneStep(),
        "one step by differences": OneStep(hvp="finite_difference"),
        "value function": ValueFunction(),
        "antithetic": ZeroOrder(Antithetic(num_samples=2, sigma=0.1), generator=0),
        "low rank": ZeroOrder(LowRank(num_samples=2, sigma=0.1), generator=0),
    }.items()
}
# Of an objective with noise the solution is none, and its Hessian need not be positive.
pytestmark = [
    pytest.mark.filterwarnings("ignore::torchopt.errors.NotConvergedWarning"),
    pytest.mark.filterwarnings("ignore::torchopt.errors.LinearSolveWarning"),
]


def solution(mode: str, objective: Callable[[Tensor, Tensor], Tensor], v: Tensor) -> Tensor:
    """Solve a problem, or compute a block again, or estimate the gradient of a function."""
    start = torch.full_like(v, 0.3)
    if mode == "block":
        return torchopt.remat(objective)(start, v)
    if mode == "forward gradient":
        return ZeroOrder(ForwardGradient(num_samples=2), generator=0)(
            lambda v: objective(start, v)
        )(v)
    return torchopt.minimize(objective, start, (v,), **MODES[mode]).params.sum()


by_mode = pytest.mark.parametrize("mode", [*MODES, "block", "forward gradient"])


class Noisy(nn.Module):
    """Batch statistics, dropout, and noise of a generator of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.drop = nn.BatchNorm1d(3), nn.Dropout(0.4)
        self.generator = torch.Generator().manual_seed(5)

    def forward(self, x: Tensor) -> Tensor:
        noise = torch.randn(x.shape, generator=self.generator, dtype=x.dtype)
        return self.drop(self.norm(x) + 0.1 * noise)


def state_of(net: Noisy) -> list[Tensor]:
    return [torch.get_rng_state(), net.generator.get_state(), *(b.clone() for b in net.buffers())]


@by_mode
def test_derivatives_see_the_same_noise_and_leave_buffers_and_generators(mode: str) -> None:
    torch.manual_seed(0)
    net, data = Noisy().double().requires_grad_(False), torch.randn(6, 3, dtype=torch.float64)
    v = torch.tensor([0.5, -0.3, 0.8], dtype=torch.float64, requires_grad=True)

    def objective(x: Tensor, v: Tensor) -> Tensor:
        return 0.1 * (net(data * x) - v).square().mean() + (x - v).square().sum()

    value = solution(mode, objective, v)
    if mode not in ("antithetic", "low rank", "forward gradient"):  # which refuse such a change
        net.eval()
    torch.rand(())
    before, training = state_of(net), net.training
    first, again = (torch.autograd.grad(value, v, retain_graph=True)[0] for _ in range(2))
    assert first.abs().min() > 0
    assert torch.equal(first, again)
    assert all(map(torch.equal, state_of(net), before))
    assert net.drop.training is training


@by_mode
def test_a_value_and_its_derivative_evaluate_statistics_as_often_as_steps_are_done(
    mode: str,
) -> None:
    norm = nn.BatchNorm1d(3, affine=False, dtype=torch.float64)
    v = torch.tensor([0.5, -0.3, 0.8], dtype=torch.float64, requires_grad=True)
    data = torch.linspace(-1, 1, 18, dtype=torch.float64).view(6, 3).cos()

    def objective(x: Tensor, v: Tensor) -> Tensor:
        return 0.1 * (norm(data * x) - v).square().mean() + (x - v).square().sum()

    solution(mode, objective, v).backward()
    assert norm.num_batches_tracked == (3 if mode in MODES else 1)


@by_mode
def test_autocast_is_that_of_the_call(mode: str) -> None:
    seen = set()
    w, data = torch.eye(3) + 0.1, torch.linspace(-1, 1, 18).view(6, 3)
    v = torch.tensor([0.5, -0.3, 0.8], requires_grad=True)

    def objective(x: Tensor, v: Tensor) -> Tensor:
        hidden = data @ (w * x)
        seen.add(hidden.dtype)
        return (hidden.float() - v).square().mean() + (x - v).square().sum()

    with torch.autocast("cpu", torch.bfloat16):
        value = solution(mode, objective, v)
    (found,) = torch.autograd.grad(value, v)
    assert seen == {torch.bfloat16}
    assert found.dtype == torch.float32
    assert found.isfinite().all()


#: Those that evaluate in the backward pass, and do not watch what is closed over.
AGAIN = ["step", "tree", "forward over reverse", "differences", "implicit, forward"]


@pytest.mark.parametrize("mode", [*AGAIN, "one step by differences", "block"])
def test_an_objective_that_raises_in_the_backward_pass_leaves_the_world_as_it_was(
    mode: str,
) -> None:
    net, raises = Noisy().double().requires_grad_(False), False
    v = torch.tensor([0.5, -0.3, 0.8], dtype=torch.float64, requires_grad=True)

    def objective(x: Tensor, v: Tensor) -> Tensor:
        loss = (net(x.expand(4, 3) * v.detach().sin()) - v).square().mean() + (x - v).square().sum()
        if raises:
            raise ArithmeticError("no more")
        return loss

    value, raises = solution(mode, objective, v), True
    before = state_of(net)
    with pytest.raises(ArithmeticError, match="no more"):
        torch.autograd.grad(value, v)
    assert all(map(torch.equal, state_of(net), before))
    assert not torch.overrides._get_current_function_mode_stack()
