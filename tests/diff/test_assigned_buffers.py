"""A module that assigns a buffer in its forward pass: each memory policy gives the same."""

from __future__ import annotations

from typing import Any, get_args

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call

import torchopt
from torchopt.diff import Explicit
from torchopt.diff._explicit import Policy

F64 = torch.float64
X = torch.tensor([1.0, 2.0], dtype=F64)


class Centered(nn.Module):
    """A product without its moving average, a buffer that ``forward`` assigns."""

    ema: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.tensor(1.0, dtype=F64))
        self.register_buffer("ema", torch.tensor(0.0, dtype=F64))

    def forward(self, x: Tensor) -> Tensor:
        y = self.w * x
        self.ema = 0.9 * self.ema + 0.1 * y.detach().mean()
        return y - self.ema


MODES: dict[str, Explicit] = {
    **{policy: Explicit(policy) for policy in get_args(Policy)},
    "checkpoints": Explicit("tree", carries=2),
    "forward_products": Explicit("step", hvp="forward"),
}


@pytest.mark.parametrize("name", MODES)
def test_meta_gradient_is_that_of_the_formula(name: str) -> None:
    phi = torch.tensor(0.5, dtype=F64, requires_grad=True)
    net = Centered()

    def objective(p: Any) -> Tensor:
        return (functional_call(net, p, (X,)) - phi).square().sum()

    start = {"w": net.w.detach()}
    solution = torchopt.minimize(
        objective, start, solver=torchopt.sgd(0.05), steps=3, diff=MODES[name]
    )
    (found,) = torch.autograd.grad(solution.params["w"], phi)
    w, ema, slope = 1.0, 0.0, 0.0  # and the derivative of w by phi, while the average is a constant
    for _ in range(3):
        ema = 0.9 * ema + 0.1 * w * 1.5
        w, slope = (
            w - 0.05 * sum(2 * (w * x - ema - 0.5) * x for x in (1.0, 2.0)),
            slope - 0.05 * sum(2 * (slope * x - 1) * x for x in (1.0, 2.0)),
        )
    assert solution.params["w"].item() == pytest.approx(w, rel=1e-12)
    assert net.ema.item() == pytest.approx(ema, rel=1e-12)
    assert found.item() == pytest.approx(slope, rel=1e-6)
