"""Three levels through a normalization: PyTorch's own third derivatives are wrong there, ours are not.

The truth is the same program with the normalization written out in elementary operations.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from _toys import flat
from torch import nn

from torchopt.diff import Explicit, Implicit, OneStep
from torchopt.linear_solve import solve_gmres
from torchopt.multilevel import Config, Engine, EngineConfig, Problem

EDGES = {
    "u2l": {"top": ["low", "mid"], "mid": ["low"]},
    "l2u": {"low": ["mid", "top"], "mid": ["top"]},
}


def draw(seed: int, *shape: int) -> torch.Tensor:
    g = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=g, dtype=torch.float64)


X, Y = draw(1, 7, 2), draw(2, 7, 1)
X_MID, Y_MID = draw(3, 6, 2), draw(4, 6, 1)
X_TOP, Y_TOP = draw(5, 5, 2), draw(6, 5, 1)
FEATURES = draw(7, 7, 2)


class WrittenOut(nn.LayerNorm):
    """The normalization in elementary operations."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        centered = x - x.mean(1, keepdim=True)
        variance = (centered * centered).mean(1, keepdim=True)
        return centered / (variance + self.eps) ** 0.5 * self.weight + self.bias


class Low(Problem):
    def training_step(self, batch: Any) -> Any:
        weights = torch.nn.functional.softplus(FEATURES @ self.mid.params)
        losses = (self.module(X) - Y).square().squeeze(1)
        penalty = sum(t.square().sum() for t in self.module.parameters())
        return (weights * losses).mean() + self.top.params[0].exp() * penalty


class Mid(Problem):
    def training_step(self, batch: Any) -> Any:
        penalty = self.top.params[1].exp() * (self.params - 1).square().sum()
        return (self.low(X_MID) - Y_MID).square().mean() + penalty


class Top(Problem):
    def training_step(self, batch: Any) -> Any:
        loss = (self.low(X_TOP) - Y_TOP).square().mean()
        return loss + 0.1 * self.mid.params.square().sum() + 0.01 * self.params.sum()


MODES = {
    "implicit": Implicit(solve_gmres(rtol=1e-12)),
    "explicit": Explicit(),
    "one step": OneStep(step_size=0.1, hvp="reverse"),
}


def hypergradient(norm: nn.Module, mode: str) -> torch.Tensor:
    """Return that of the top problem, with this normalization in the lowest one."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 3), norm, nn.Tanh(), nn.Linear(3, 1)).double()
    psi, phi = (
        torch.tensor(values, dtype=torch.float64, requires_grad=True)
        for values in ([0.3, -0.5], [1.0, 2.0])  # penalties that make each loss convex
    )
    config, sgd = Config(diff=MODES[mode], unroll_steps=2), torch.optim.SGD
    low = Low("low", config, net, sgd(net.parameters(), 0.1))
    mid = Mid("mid", config, optimizer=sgd([psi], 0.1), params=psi)
    top = Top("top", optimizer=sgd([phi], 0.1), params=phi)
    engine = Engine([low, mid, top], EngineConfig(), EDGES)
    for _ in range(3):
        engine.train_step()  # unrolled problems are then amid their steps
    return flat(engine.hypergradient(top)[1])


@pytest.mark.parametrize("mode", MODES)
def test_a_trilevel_hypergradient_is_that_of_elementary_operations(mode: str) -> None:
    found, truth = (hypergradient(norm(3), mode) for norm in (nn.LayerNorm, WrittenOut))
    assert truth.norm() > 1e-4
    torch.testing.assert_close(found, truth, rtol=1e-8, atol=1e-12)
