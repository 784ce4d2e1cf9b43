"""The distillation example: its hypergradient, its claim."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch.func import functional_call
from torch.nn.functional import cross_entropy

from examples.distill import Config, make_engine, run
from examples.tools.digits import split_digits
from examples.tools.report import Report

_TINY = Config(inner_steps=3, steps=9, batch=128, width=8, networks=2, validate_every=3)


def test_gradient_of_the_images_is_that_of_backpropagation_by_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    test, real = split_digits(0, 500)
    engine = make_engine(replace(_TINY, batch=len(real.y)), real, test, Report())
    found: list[torch.Tensor] = []
    hook = lambda self: found.extend(p.grad.clone() for p in self.params)  # noqa: E731
    monkeypatch.setattr(type(engine.teacher), "grad_callback", hook)
    engine.check()
    images, log_rate = (p.detach().clone().requires_grad_() for p in engine.teacher.params)
    torch.manual_seed(3)
    for _ in range(_TINY.inner_steps):
        engine.train_step()
    torch.manual_seed(3)
    net = engine.student.module
    engine.student.on_inner_loop_start()
    params = dict(net.named_parameters())
    for _ in range(_TINY.inner_steps):
        loss = cross_entropy(functional_call(net, params, (images,)), torch.arange(10))
        grads = torch.autograd.grad(loss, list(params.values()), create_graph=True)
        steps = zip(params.items(), grads, strict=True)
        params = {name: p - log_rate.exp() * g for (name, p), g in steps}
    loss = cross_entropy(functional_call(net, params, (real.x,)), real.y)
    expected = torch.autograd.grad(loss, (images, log_rate))
    assert len(found) == 2
    for g, e in zip(found, expected, strict=True):
        assert e.abs().max() > 1e-4
        torch.testing.assert_close(g, e, rtol=1e-4, atol=1e-7)


@pytest.mark.slow
def test_learned_images_teach_better_than_real_ones_and_than_averages() -> None:
    result = run(Config(inner_steps=10, steps=50, networks=5, validate_every=50))
    assert result["learned"] > 0.78
    assert result["learned"] > result["real"] + 0.15
    assert result["learned"] > result["average"] + 0.05
