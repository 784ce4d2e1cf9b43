"""A module with the hook ``torch.nn.utils.weight_norm`` under meta-optimizers, by differences."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import torchopt

F64 = torch.float64
X = torch.tensor([[1.0, -0.5, 2.0], [0.3, 1.0, -1.0]], dtype=F64)


def hooked() -> nn.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return nn.utils.weight_norm(linear())


def linear() -> nn.Linear:
    layer = nn.Linear(3, 2, dtype=F64)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, 0.5, -0.3], [0.2, -1.0, 0.7]]))
        layer.bias.copy_(torch.tensor([0.1, -0.2]))
    return layer


def parametrized() -> nn.Module:
    return nn.utils.parametrizations.weight_norm(linear())


def trained(make: Any, optimizer: Any, phi: Tensor) -> Tensor:
    """Return the loss after three steps."""
    net = make()
    meta = optimizer(net, lr=0.1)
    for _ in range(3):
        meta.step((net(X) - phi).square().sum())
    return (net(X) - 1.0).square().sum()


@pytest.mark.parametrize(
    "optimizer", [torchopt.MetaSGD, torchopt.MetaAdam, torchopt.optim.MetaRMSprop]
)
@pytest.mark.parametrize("make", [parametrized, hooked])
def test_meta_gradient_through_weight_norm_equals_a_difference(make: Any, optimizer: Any) -> None:
    phi = torch.tensor(0.4, dtype=F64, requires_grad=True)
    (found,) = torch.autograd.grad(trained(make, optimizer, phi), phi)
    h = 1e-5
    above, below = (trained(make, optimizer, torch.tensor(0.4 + d, dtype=F64)) for d in (h, -h))
    torch.testing.assert_close(found, ((above - below) / (2 * h)).detach(), rtol=1e-6, atol=1e-9)
