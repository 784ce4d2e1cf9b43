"""ANIL, Meta-SGD and Reptile: each meta-gradient equals that of plain PyTorch; a run of seconds."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

import torchopt
from examples.maml import Params, Reader, make_network
from examples.maml_variants import Meta, anil, away, meta_sgd
from examples.tools import letters
from examples.tools.tasks import Tasks


@pytest.fixture
def tasks(images: dict[str, torch.Tensor]) -> Tasks:
    generator = torch.Generator().manual_seed(3)
    x, y, query_x, query_y = letters.sample(images["train"], 3, 3, 1, 2, generator)
    return Tasks(x.double(), y, query_x.double(), query_y)


def _network() -> tuple[nn.Sequential, Params]:
    """Return a network off the symmetric start, where the head is zero and gradients vanish."""
    network, params = make_network(3, 4, 0)
    generator = torch.Generator().manual_seed(1)
    return network.double(), {
        name: (p + 0.1 * torch.randn(p.shape, generator=generator)).double()
        for name, p in params.items()
    }


def _descend(
    network: nn.Module, params: Params, rates: Params, x: torch.Tensor, y: torch.Tensor, steps: int
) -> Params:
    """Descend in the parameters that have a learning rate, in plain PyTorch."""
    for _ in range(steps):
        loss = cross_entropy(torch.func.functional_call(network, params, x), y)
        moving = [params[name] for name in rates]
        grads = torch.autograd.grad(loss, moving, create_graph=True)
        moved = {name: params[name] - rates[name] * g for name, g in zip(rates, grads, strict=True)}
        params = {**params, **moved}
    return params


def _loss(read: Reader, meta: Params | Meta, tasks: Tasks) -> torch.Tensor:
    return cross_entropy(read(meta, tasks).flatten(0, 1), tasks.query_y.flatten())


def _loss_by_hand(network: nn.Module, params: Params, rates: Params, tasks: Tasks) -> torch.Tensor:
    losses = []
    for x, y, query_x, query_y in zip(*tasks, strict=True):
        near = _descend(network, params, rates, x, y, 2)
        losses.append(cross_entropy(torch.func.functional_call(network, near, query_x), query_y))
    return torch.stack(losses).mean()


def test_anil_has_the_gradient_of_descent_in_the_head(tasks: Tasks) -> None:
    network, start = _network()
    read = anil(network, 0.05, 2)
    found, _ = torchopt.meta_grad_and_value(lambda params: _loss(read, params, tasks))(start)
    params = {name: p.clone().requires_grad_() for name, p in start.items()}
    rates = {name: torch.tensor(0.05, dtype=torch.float64) for name in ("13.weight", "13.bias")}
    _loss_by_hand(network, params, rates, tasks).backward()
    for name, p in params.items():
        torch.testing.assert_close(found[name], p.grad, rtol=1e-8, atol=1e-10)
    both = {name: torch.tensor(0.05, dtype=torch.float64) for name in start}
    assert not torch.allclose(
        _loss_by_hand(network, params, both, tasks), _loss_by_hand(network, params, rates, tasks)
    )


def test_meta_sgd_has_the_gradient_of_start_and_learning_rates(tasks: Tasks) -> None:
    network, start = _network()
    generator = torch.Generator().manual_seed(5)
    rates = {n: 0.1 * torch.rand(p.shape, generator=generator).double() for n, p in start.items()}
    read = meta_sgd(network, 2)
    found, _ = torchopt.meta_grad_and_value(lambda meta: _loss(read, meta, tasks))(
        Meta(start, rates)
    )
    expected = Meta(
        *({name: p.clone().requires_grad_() for name, p in tree.items()} for tree in (start, rates))
    )
    _loss_by_hand(network, *expected, tasks).backward()
    for ours, theirs in zip(found, expected, strict=True):
        for name, p in theirs.items():
            torch.testing.assert_close(ours[name], p.grad, rtol=1e-8, atol=1e-10)
    assert max(g.abs().max() for g in found.rates.values()) > 1e-4


def test_reptile_moves_away_from_the_mean_of_adapted_parameters(tasks: Tasks) -> None:
    network, start = _network()
    found = away(network, start, tasks, 0.05, 2)
    rates = {name: torch.tensor(0.05, dtype=torch.float64) for name in start}
    params = {name: p.clone().requires_grad_() for name, p in start.items()}
    near = [
        _descend(network, params, rates, torch.cat([x, qx]), torch.cat([y, qy]), 2)
        for x, y, qx, qy in zip(*tasks, strict=True)
    ]
    for name, p in start.items():
        expected = p - torch.stack([n[name].detach() for n in near]).mean(0)
        assert expected.abs().max() > 1e-4
        torch.testing.assert_close(found[name], expected, rtol=1e-8, atol=1e-10)
