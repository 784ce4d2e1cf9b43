"""Hyperparameters by the engine: the loss, its claim, a killed run, and a run of seconds."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from examples.hpo_multilevel import (
    Config,
    make_engine,
    make_network,
    make_start,
    run,
    training_loss,
)
from examples.tools.digits import Data, split_digits
from examples.tools.report import Report

_TINY = Config(unroll_steps=2, steps=12, final_steps=6, width=8, networks=2, validate_every=4)


def _network() -> tuple[nn.Sequential, Data]:
    torch.manual_seed(0)
    return make_network(Config(width=5))[0], split_digits(0, 100, 300)[0]


def test_training_loss_is_smoothed_cross_entropy_with_weight_decay() -> None:
    net, data = _network()
    penalties = torch.linspace(0.1, 0.4, 65)
    hyper = {
        "log_penalties": penalties.log(),
        "smoothing": torch.tensor(2 * 0.2).logit(),
        "log_noise": torch.tensor(1e-9).log(),
    }
    found = training_loss(net, hyper, data)
    expected = cross_entropy(net(data.x), data.y, label_smoothing=0.2)
    hidden, last = net[0].weight, net[2].weight
    for i in range(64):
        expected = expected + 0.5 * penalties[i] * hidden[:, i].square().sum()
    expected = expected + 0.5 * penalties[64] * last.square().sum()
    torch.testing.assert_close(found, expected)


def test_noise_is_of_the_asked_deviation_and_the_loss_feels_every_hyperparameter() -> None:
    net, data = _network()
    hyper = {name: value.requires_grad_() for name, value in make_start().items()}
    loss = training_loss(net, hyper, data)
    for gradient in torch.autograd.grad(loss, list(hyper.values())):
        assert (gradient != 0).all()
    seen: list[torch.Tensor] = []
    handle = net[0].register_forward_pre_hook(lambda _, args: seen.append(args[0]))
    training_loss(net, {**make_start(), "log_noise": torch.tensor(0.3).log()}, data)
    handle.remove()
    assert (seen[0] - data.x).std().item() == pytest.approx(0.3, rel=0.05)


def test_hypergradient_is_that_of_a_dense_solve() -> None:
    train, validation, _ = split_digits(0, 30, 60)
    torch.manual_seed(0)
    engine = make_engine(Config(width=2), train, validation, Report())
    net, hyper = engine.network.module, engine.tuning.params
    with torch.no_grad():
        hyper["log_penalties"].fill_(-3.0)  # well conditioned: there are ten steps of the solver
        hyper["log_noise"].fill_(-30.0)  # else each loss has its own noise
    optimizer = torch.optim.SGD(net.parameters(), 0.5, momentum=0.9)
    for _ in range(300):  # near a minimum, where the Hessian has no negative eigenvalue
        optimizer.zero_grad()
        training_loss(net, hyper, train).backward()
        optimizer.step()
    _, found = engine.hypergradient("tuning")
    params, upper = list(net.parameters()), list(hyper.values())
    grads = torch.autograd.grad(training_loss(net, hyper, train), params, create_graph=True)
    rows = [
        torch.autograd.grad(g, [*params, *upper], retain_graph=True, materialize_grads=True)
        for grad in grads
        for g in grad.flatten()
    ]
    second = torch.stack([torch.cat([block.flatten() for block in row]) for row in rows])
    hessian, mixed = second.split([len(second), 67], dim=1)
    outer = torch.autograd.grad(cross_entropy(net(validation.x), validation.y), params)
    v = torch.cat([g.flatten() for g in outer])
    # A shift of the last bias changes nothing, so that the Hessian is singular.
    expected = -(torch.linalg.pinv(hessian, hermitian=True, rtol=1e-5) @ v) @ mixed
    got = torch.cat([g.flatten() for g in found if g is not None])
    assert expected.abs().max() > 1e-4
    # Ten steps of conjugate gradients leave out the smallest of its eigenvalues.
    assert torch.cosine_similarity(got, expected, dim=0) > 0.95
    assert got.norm() / expected.norm() == pytest.approx(1, rel=0.1)


@pytest.mark.slow
def test_learned_hyperparameters_are_better_than_the_start() -> None:
    result = run(Config(steps=1200, networks=3))
    assert result["learned"][0] < 0.9 * result["the start"][0]
    assert result["learned"][1] < result["the start"][1]
