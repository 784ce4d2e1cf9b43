"""The deep equilibrium example: the gradient."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import conv2d, cross_entropy

from examples.deq import MODES, Classifier, Config
from torchopt.diff import Implicit


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("examples.deq.STEPS", (10, 100))


def _model(mode: str) -> Classifier:
    torch.manual_seed(0)
    return Classifier(Config(channels=3, contraction=0.8, atol=1e-12), MODES[mode]).double()


def _gradients(model: torch.nn.Module, logits: torch.Tensor) -> list[torch.Tensor]:
    loss = cross_entropy(logits, torch.tensor([3, 1, 4, 1]))
    return list(torch.autograd.grad(loss, list(model.parameters())))


@pytest.fixture
def x() -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.rand(4, 64, generator=generator, dtype=torch.float64)


def test_implicit_gradient_equals_backpropagation_through_plain_iterations(x: torch.Tensor) -> None:
    model = _model("exact (GMRES)")
    model.equilibrium.diff = Implicit()  # of a tighter tolerance
    size = model.recur.weight.abs().sum((1, 2, 3), keepdim=True)
    weight = model.recur.weight * 0.8 / size.clamp_min(0.8)
    injected = model.inject(x.view(-1, 1, 8, 8))
    z = torch.zeros_like(injected)
    for _ in range(150):
        z = (conv2d(z, weight, padding=1) + injected).relu()
    unrolled = _gradients(model, model.head(z.flatten(1)))
    for g, h in zip(_gradients(model, model(x)), unrolled, strict=True):
        assert h.abs().max() > 1e-3
        torch.testing.assert_close(g, h, rtol=1e-8, atol=1e-10)
