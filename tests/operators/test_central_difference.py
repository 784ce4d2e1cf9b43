"""Central differences against exact derivatives, where computations are less precise than inputs."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import nn
from torch.func import functional_call

import torchopt
from torchopt.diff import Explicit, OneStep

Tensor = torch.Tensor
Params = dict[str, Tensor]
BFLOAT16, FLOAT16, FLOAT32, FLOAT64 = torch.bfloat16, torch.float16, torch.float32, torch.float64


class RMSNorm(nn.Module):
    """As in language models: computed in float32, whatever the input is."""

    def forward(self, x: Tensor) -> Tensor:
        wide = x.float()
        return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6)).to(x.dtype)


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm, self.mix, self.out = RMSNorm(), nn.Linear(6, 18), nn.Linear(6, 6)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.mix(self.norm(x)).chunk(3, -1)
        return x + self.out(torch.softmax(q @ k.mT, -1) @ v)


NETWORKS: dict[str, Callable[[], nn.Module]] = {
    "tanh": lambda: nn.Sequential(nn.Linear(4, 12), nn.Tanh(), nn.Linear(12, 2)),
    "float32 norms": lambda: nn.Sequential(
        nn.Linear(4, 6), Attention(), RMSNorm(), nn.Linear(6, 2)
    ),
}


@functools.cache
def hypergradient(
    network: str, diff: Any, dtype: torch.dtype, autocast: torch.dtype | None = None, seed: int = 0
) -> list[Tensor]:
    """Return the derivatives by the weights of samples and a temperature, after three steps."""
    torch.manual_seed(seed)
    net = NETWORKS[network]().double()
    x, labels = torch.randn(10, 3, 4, dtype=FLOAT64), torch.randint(2, (10, 3))
    weights = torch.randn(10, dtype=FLOAT64)
    params = {k: p.detach().to(dtype).requires_grad_() for k, p in net.named_parameters()}
    x, weights = x.to(dtype), weights.to(dtype).requires_grad_()
    heat = torch.tensor(0.4, dtype=dtype, requires_grad=True)

    def loss(p: Params, weights: Tensor, heat: Tensor) -> Tensor:
        cast = torch.autocast("cpu", autocast) if autocast else contextlib.nullcontext()
        with cast:
            logits = functional_call(net, p, (x,)) * heat.exp()
            each = nn.functional.cross_entropy(logits.mT, labels, reduction="none").mean(1)
            return (weights.sigmoid() * each).mean()

    solution = torchopt.minimize(
        loss, params, (weights, heat), solver=torchopt.sgd(0.3), steps=3, diff=diff
    )
    outer = loss(solution.params, torch.zeros_like(weights), torch.zeros_like(heat))
    return [g.double() for g in torch.autograd.grad(outer, (weights, heat))]


def off(found: list[Tensor], expected: list[Tensor]) -> float:
    pairs = zip(found, expected, strict=True)
    return max(float((a - b).norm() / b.norm()) for a, b in pairs)


@contextlib.contextmanager
def refused() -> Iterator[None]:
    """Let a block say that no difference is good."""
    try:
        yield
    except RuntimeError as error:
        if "is not good to a tenth" not in str(error):
            raise


PAIRS = [
    (Explicit("step", hvp="finite_difference"), Explicit()),
    (OneStep(hvp="finite_difference"), OneStep()),
]


@pytest.mark.parametrize(("difference", "exact"), PAIRS, ids=["explicit", "one step"])
@pytest.mark.parametrize(
    ("network", "dtype", "autocast", "tolerance"),
    [
        ("tanh", FLOAT64, None, 1e-8),
        ("tanh", FLOAT32, None, 5e-3),
        ("float32 norms", FLOAT64, None, 5e-3),
        ("tanh", FLOAT32, BFLOAT16, 0.1),
        ("float32 norms", FLOAT32, BFLOAT16, 0.1),
        ("tanh", BFLOAT16, None, 0.1),
        ("tanh", FLOAT16, None, 0.05),
    ],
)
@pytest.mark.parametrize("seed", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_differences_are_as_good_as_the_computation_allows_or_refused(
    difference: Any,
    exact: Any,
    network: str,
    dtype: torch.dtype,
    autocast: torch.dtype | None,
    tolerance: float,
    seed: int,
) -> None:
    expected = hypergradient(network, exact, FLOAT64, seed=seed)
    precise = autocast is None and dtype in (FLOAT32, FLOAT64)
    with contextlib.nullcontext() if precise else refused():
        found = hypergradient(network, difference, dtype, autocast, seed)
        assert off(found, expected) < tolerance


def test_a_given_step_is_taken_and_warned_of_where_the_computation_is_imprecise() -> None:
    with pytest.warns(UserWarning, match="with a given step changes") as caught:
        hypergradient("tanh", OneStep(hvp="finite_difference", eps=1e-4), FLOAT32, BFLOAT16)
    assert caught[0].message.change > 0.05
    found = hypergradient("tanh", OneStep(hvp="finite_difference", eps=0.01), FLOAT64)
    assert off(found, hypergradient("tanh", OneStep(hvp="reverse"), FLOAT64)) < 0.01


class Noise(torch.autograd.Function):
    """A kernel that rounds, to one digit."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return (1e6 * x).sin()

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return torch.zeros_like(g)


def test_noise_is_refused() -> None:
    def objective(x: Tensor, scale: Tensor) -> Tensor:
        noise = Noise.apply(x)  # of the size of the function
        return (scale * x.square() * (1 + noise)).sum()

    scale = torch.linspace(0.5, 1.5, 7, requires_grad=True)
    solution = torchopt.minimize(
        objective,
        torch.linspace(1.0, 2.0, 7, requires_grad=True),
        (scale,),
        solver=torchopt.sgd(0.1),
        steps=3,
        diff=Explicit("step", hvp="finite_difference"),
    )
    with pytest.raises(RuntimeError, match=r'not good to a tenth.*`hvp="reverse"`'):
        solution.params.sum().backward()


@pytest.mark.parametrize("unread", [False, True])
@pytest.mark.parametrize("dead", [False, True])
@pytest.mark.parametrize("steps", [1, 3])
def test_units_without_gradient_do_not_spoil_the_steps_of_adam(
    steps: int, dead: bool, unread: bool
) -> None:
    """There the slope of Adam's step is 1 / eps, and the direction of the product is immense."""
    generator = torch.Generator().manual_seed(2)
    x, w, c, u = (
        torch.randn(*shape, dtype=FLOAT64, generator=generator)
        for shape in ((9, 3), (3, 4), (4,), (5,))
    )
    bias = torch.tensor([-20.0, -20.0, 0.1, 0.2] if dead else [0.3, 0.0, 0.1, 0.2], dtype=FLOAT64)

    def hypergradient(diff: Any) -> list[Tensor]:
        weights = torch.linspace(0.5, 1.5, 9, dtype=FLOAT64).requires_grad_()
        solution = torchopt.minimize(
            lambda p, v: (v * ((x @ p["w"] + bias).relu().square() @ p["c"] - 1).square()).mean(),
            {"w": w, "c": c} | ({"u": u} if unread else {}),
            (weights,),
            solver=torchopt.adam(0.05),
            steps=steps,
            diff=diff,
        )
        outer = sum(p.pow(3).sum() for p in solution.params.values())
        return list(torch.autograd.grad(outer, weights))

    found = hypergradient(Explicit("step", hvp="finite_difference"))
    assert off(found, hypergradient(Explicit())) < 1e-6


# PyTorch (2.13) writes to statistics without a new version: they are put back under a graph that has
# read them, so that `OneStep(hvp="reverse")` and a graph of several steps are wrong there.
@pytest.mark.parametrize(
    "diff",
    [
        *(Explicit(), Explicit("step"), Explicit("step", hvp="finite_difference")),
        OneStep(0.1, hvp="finite_difference"),
    ],
)
@pytest.mark.parametrize("read", ["by the loss", "in evaluation mode"])
def test_running_statistics_that_a_loss_reads_are_constants_or_refused(
    read: str, diff: Any
) -> None:
    torch.manual_seed(1)
    net = nn.BatchNorm1d(4, affine=False).double()
    x = torch.randn(9, 3, dtype=FLOAT64)
    weights = torch.linspace(0.5, 1.5, 9, dtype=FLOAT64).requires_grad_()
    layer = torch.randn(3, 4, dtype=FLOAT64)

    def loss(p: Tensor, weights: Tensor) -> Tensor:
        net.train()
        each = net(x @ p).sin().sum(1)
        if read == "by the loss":
            each = each + (net.running_mean * p.exp()).sum()
        else:
            net.eval()
            each = each * (1 + net(x.flip(0) @ p).square().sum(1))
        return (weights * each).mean()

    def by_hand(p: Tensor) -> Tensor:
        h = x @ p
        mean, var = (0.1 * h.mean(0)).detach(), (0.9 + 0.1 * h.var(0)).detach()
        each = ((h - h.mean(0)) / (h.var(0, correction=0) + 1e-5).sqrt()).sin().sum(1)
        if read == "by the loss":
            each = each + (mean * p.exp()).sum()
        else:
            late = (x.flip(0) @ p - mean) / (var + 1e-5).sqrt()
            each = each * (1 + late.square().sum(1))
        return (weights * each).mean()

    p = layer.clone().requires_grad_()
    (g,) = torch.autograd.grad(by_hand(p), p, create_graph=True)
    end = layer - 0.1 * g if isinstance(diff, Explicit) else layer - 0.1 * (g - g.detach())
    expected = torch.autograd.grad(end.pow(3).sum(), weights)
    refusal = pytest.raises(RuntimeError, match="the objective detaches it")
    with refusal if diff.hvp == "finite_difference" else contextlib.nullcontext():
        solution = torchopt.minimize(
            loss,
            layer,
            (weights,),
            solver=torchopt.sgd(0.1),
            steps=int(isinstance(diff, Explicit)),
            diff=diff,
        )
        found = torch.autograd.grad(solution.params.pow(3).sum(), weights)
        assert off(list(found), list(expected)) < 1e-12
