"""Programs that use zero-order differentiation as the published paper and pages print them."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

import torchopt
from torchopt.compat import make_functional
from torchopt.nn import ZeroOrderGradientModule


def linear_data(dim: int = 4, count: int = 64) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    x = torch.randn(count, dim)
    w = torch.randn(dim, 1)
    return x, x @ w + 0.5 + 0.1 * torch.randn(count, 1)


def test_listing_3_of_the_paper_object_oriented_api() -> None:
    """The class arguments, `forward` and `sample`; meta-gradients reach the module's parameters."""

    class Module(ZeroOrderGradientModule, method="naive", num_samples=40, sigma=0.01):
        def __init__(self, dim):  # type: ignore[no-untyped-def]
            super().__init__()
            self.fc = nn.Linear(dim, 1)

        def forward(self, batch):  # type: ignore[no-untyped-def]
            x, y = batch
            return F.mse_loss(self.fc(x), y)

        def sample(self, sample_shape=torch.Size()):  # type: ignore[no-untyped-def]  # noqa: B008
            return torch.randn(sample_shape)

    batch = linear_data()
    net = Module(4)
    loss = net(batch)
    grads = torch.autograd.grad(loss, net.parameters())
    assert [g.shape for g in grads] == [p.shape for p in net.parameters()]
    net(batch).backward()
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in net.parameters())


def test_the_name_of_the_decorator_inside_its_module() -> None:
    """The notebook's first program: `zero_order.zero_order(distribution, sigma=...)`."""
    torch.manual_seed(0)
    fmodel, params = make_functional(torch.nn.Linear(32, 1))
    x = torch.randn(64, 32)
    y = torch.randn(64)
    distribution = torch.distributions.normal.Normal(loc=0, scale=1)

    @torchopt.diff.zero_order.zero_order(distribution, sigma=0.001)
    def forward_process(params, f, x, y):  # type: ignore[no-untyped-def]
        y_pred = f(params, x)
        loss = torch.mean((y - y_pred) ** 2)
        return loss

    out = forward_process(params, fmodel, x, y)
    torch.random.manual_seed(0)
    grads = torch.autograd.grad(out, params)
    # One naive sample of a loss near one, divided by sigma: gradients of hundreds, as it prints.
    assert 100 < grads[0].abs().max() < 1e5


def test_the_notebook_trains_one_layer_functionally() -> None:
    x, y = linear_data()
    fmodel, params = make_functional(nn.Linear(4, 1))
    distribution = torch.distributions.normal.Normal(loc=0, scale=1)

    @torchopt.diff.zero_order(
        distribution=distribution, method="naive", argnums=0, num_samples=40, sigma=0.1
    )
    def forward_process(params, fn, x, y):  # type: ignore[no-untyped-def]
        y_pred = fn(params, x)
        loss = torch.mean((y - y_pred) ** 2)
        return loss

    optimizer = torchopt.adam(lr=0.1)
    opt_state = optimizer.init(params)
    losses = []
    for _ in range(30):
        loss = forward_process(params, fmodel, x, y)
        grads = torch.autograd.grad(loss, params)
        updates, opt_state = optimizer.update(grads, opt_state)
        params = torchopt.apply_updates(params, updates)
        losses.append(loss.item())
    assert losses[-1] < 0.2 * losses[0]


def test_the_import_path_of_the_published_module() -> None:
    from torchopt.diff.zero_order.nn import ZeroOrderGradientModule as Module

    from torchopt.diff.zero_order import zero_order

    assert Module is ZeroOrderGradientModule
    assert torchopt.diff.zero_order.nn.ZeroOrderGradientModule is Module
    assert torchopt.diff.zero_order.ZeroOrderGradientModule is Module
    assert zero_order is torchopt.diff.zero_order.zero_order
