"""The architecture search example: its hypergradient, the cell, resumption, and the rank."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
import torch
from torch.func import functional_call
from torch.nn.functional import cross_entropy

from examples.darts import (
    Config,
    Network,
    make_engine,
    run,
    train_alone,
)
from examples.tools.digits import Data, split_digits
from examples.tools.report import Report

_TINY = Config(images=40, channels=2, steps=28, warmup=2, final_steps=1, batch=20)


def test_gradient_of_the_mixture_is_that_through_one_step_of_descent() -> None:
    train, judge, _ = split_digits(0, 40, 40)
    train, judge = (part._replace(x=part.x.double()) for part in (train, judge))
    config = replace(_TINY, batch=40, lr=0.05)  # all images: the order does not matter
    search = make_engine(config, train, judge, Report())
    mixture, weights = search.problems
    network = weights.module.double()
    with torch.no_grad():
        mixture.params.copy_(torch.linspace(-1, 1, 12).reshape(3, 4).sin())
    _, (found,) = search.hypergradient(mixture)

    logits = mixture.params.detach().double().requires_grad_()
    params = {n: p.detach().requires_grad_() for n, p in network.named_parameters()}

    def loss(params: dict[str, torch.Tensor], data: Any) -> torch.Tensor:
        return cross_entropy(functional_call(network, params, (data.x, logits.softmax(-1))), data.y)

    # The upper loss at the weights as they are; their dependence on the mixture, of one step.
    at = {n: p.detach().requires_grad_() for n, p in params.items()}
    upper = loss(at, judge)
    direct, *v = torch.autograd.grad(upper, [logits, *at.values()])
    grads = torch.autograd.grad(loss(params, train), list(params.values()), create_graph=True)
    (through,) = torch.autograd.grad(grads, logits, v)
    expected = direct - config.lr * through
    assert (config.lr * through).abs().max() > 1e-4
    torch.testing.assert_close(found.double(), expected, rtol=1e-3, atol=1e-6)


def test_the_cell_has_three_edges_and_four_operations() -> None:
    network, x = Network(3, seed=0), torch.rand(5, 64)
    start, one = network.stem(x.view(-1, 1, 8, 8)), torch.eye(4)

    def output(*architecture: int) -> torch.Tensor:
        return network(x, one[list(architecture)])

    def logits(out: torch.Tensor) -> torch.Tensor:
        return network.head(out.relu().mean((2, 3)))

    torch.testing.assert_close(output(0, 1, 0), logits(start))
    pool, conv = (network.cell[1][i](start) for i in (1, 2))
    torch.testing.assert_close(output(0, 2, 0), logits(pool))
    torch.testing.assert_close(output(0, 3, 0), logits(conv))
    through = network.cell[2][2](network.cell[0][1](start))
    torch.testing.assert_close(output(2, 3, 3), logits(conv + through))


def _alive(architecture: tuple[int, ...]) -> tuple[int, ...]:
    """Return the same function, without an edge into or out of the middle node that leads nowhere."""
    into, across, out = architecture
    return architecture if into and out else (0, across, 0)


def test_architectures_without_dead_edges_compute_the_same() -> None:
    network, x, one = Network(2, seed=0), torch.rand(6, 64), torch.eye(4)
    architectures = [*product(range(4), repeat=3)]
    assert len({_alive(a) for a in architectures}) == 40
    for a in architectures:
        torch.testing.assert_close(network(x, one[list(a)]), network(x, one[list(_alive(a))]))


@pytest.mark.slow
def test_the_search_finds_the_best_of_all_architectures() -> None:
    config = Config()
    train, judge, test = split_digits(0, config.images, config.images)
    search = make_engine(config, train, judge, Report())
    search.run()
    found = tuple(search.mixture.params.argmax(-1).tolist())
    both = Data(torch.cat([train.x, judge.x]), torch.cat([train.y, judge.y]))
    scores = {
        a: train_alone(replace(config, seed=1), list(a), both, test)
        for a in {_alive(a) for a in product(range(4), repeat=3)}
    }
    assert max(scores, key=scores.__getitem__) == _alive(found)


@pytest.mark.slow
def test_search_prefers_convolution_where_it_helps() -> None:
    config = Config(images=200, channels=4, steps=60, warmup=20, mix_lr=0.1, final_steps=30)
    report = Report()
    result = run(config, report)
    ((_, _, rows),) = report.tables
    assert "conv" in rows[0][2:4]  # a way to the output: an average of pixels tells little
    assert result["found"] > result["skip"]
