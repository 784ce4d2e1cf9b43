"""Hyperparameters by the engine: the hypergradient, the claim."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import cross_entropy

from examples.hpo_multilevel import Config, make_engine, run, training_loss
from examples.tools.digits import split_digits
from examples.tools.report import Report


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
    found, _ = engine.hypergradient("tuning")
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
    result = run(Config(steps=400, networks=1))
    assert result["learned"][0] < 0.9 * result["the start"][0]
    assert result["learned"][1] < result["the start"][1]
