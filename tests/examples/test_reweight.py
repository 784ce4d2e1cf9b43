"""The reweighting example: its hypergradient, its claim."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch.nn.functional import cross_entropy

from examples.reweight import Config, make_data, make_engine, run
from examples.tools.report import Report

_TINY = Config(width=16, unroll_steps=5, steps=60, validate_every=20)


def test_first_step_of_the_weights_is_that_of_the_formula() -> None:
    config = replace(_TINY, unroll_steps=1, batch=1000, weight_lr=1.0)
    noisy, _, clean, test = make_data(config)
    engine = make_engine(config, noisy, clean, test, Report())
    net = engine.classifier.module
    before = [p.detach().clone() for p in net.parameters()]
    engine.train_step()
    moved = engine.weights.params.detach() - 0.5
    # -lr / batch <gradient on clean images, gradient of an image>, where the step began.
    on_clean = torch.autograd.grad(cross_entropy(net(clean.x), clean.y), net.parameters())
    with torch.no_grad():
        for p, value in zip(net.parameters(), before, strict=True):
            p.copy_(value)
    seen = moved.nonzero().flatten()[:50]
    expected = []
    for i in seen.tolist():
        loss = cross_entropy(net(noisy.x[i : i + 1]), noisy.y[i : i + 1])
        own = torch.autograd.grad(loss, net.parameters())
        product = torch.stack([(a * b).sum() for a, b in zip(on_clean, own, strict=True)]).sum()
        expected.append(config.lr / config.batch * product)
    assert len(seen) == 50
    assert moved.abs().max() > 1e-5
    torch.testing.assert_close(moved[seen], torch.stack(expected), rtol=1e-2, atol=1e-7)


@pytest.mark.slow
def test_weights_undo_what_wrong_labels_do() -> None:
    result = run(Config())
    assert result["noisy labels"] < 0.65
    assert result["noisy labels, with weights"] >= 0.85
    assert result["area under the curve"] >= 0.9
