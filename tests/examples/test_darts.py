"""The architecture search example: its hypergradient."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch.func import functional_call
from torch.nn.functional import cross_entropy

from examples.darts import Config, make_engine
from examples.tools.digits import split_digits
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
    (found,), _ = search.hypergradient(mixture)

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
