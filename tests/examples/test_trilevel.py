"""Learning to ignore: the gradient through two solutions, resumption, what each level adds."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.func import functional_call, grad
from torch.nn.functional import cross_entropy

from examples import trilevel
from examples.tools.digits import Data, split_digits
from examples.tools.report import Report
from examples.trilevel import (
    Config,
    make_data,
    make_engine,
    train,
)

_TINY = Config(source=60, width=6, steps=28, warmup=2, final_steps=4)


def test_data_are_what_they_are_said_to_be() -> None:
    kind, (source, tune, judge, test) = make_data(Config())
    assert torch.bincount(kind).tolist() == [360, 480, 360]
    assert [len(part.y) for part in (tune, judge, test)] == [20, 80, 497]
    honest = split_digits(0, 1200)[0]
    right, wrong, foreign = (kind == number for number in range(3))
    assert torch.equal(source.y[~wrong], honest.y[~wrong])
    assert not (source.y[wrong] == honest.y[wrong]).any()
    assert torch.equal(source.x[~foreign], honest.x[~foreign])
    turned = honest.x[foreign].reshape(-1, 8, 8).rot90(2, (1, 2)).reshape(-1, 64)
    assert torch.equal(source.x[foreign], turned)
    assert right.sum() == 360


def test_gradient_of_the_weights_goes_through_both_solutions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Against dense linear algebra with both Hessians, at the point where the levels are."""
    config = replace(_TINY, source=12, width=2, cg_steps=400, nearness=3.0)
    source, tune, judge, test = (part._replace(x=part.x.double()) for part in make_data(config)[1])
    # Strongly convex lower levels, whose Hessians conjugate gradients can solve with.
    loss = trilevel.pretraining_loss

    def ridge(net: nn.Module, data: Data, weights: torch.Tensor) -> torch.Tensor:
        return loss(net, data, weights) + sum(p.square().sum() for p in net.parameters())

    monkeypatch.setattr(trilevel, "pretraining_loss", ridge)
    engine = make_engine(config, [source, tune, judge, test], Report())
    for problem in (engine.pretrain, engine.finetune):
        problem.module.double()
    _, found = engine.hypergradient("ignore")
    ignore, finetune, pretrain = engine.problems
    structure = dict(pretrain.module.named_parameters())
    at = [
        torch.cat([p.detach().flatten() for p in problem.module.parameters()])
        for problem in (pretrain, finetune)
    ]

    def output(flat: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        sizes = [p.numel() for p in structure.values()]
        parts = zip(structure.items(), flat.split(sizes), strict=True)
        values = {name: part.reshape(p.shape) for (name, p), part in parts}
        return functional_call(pretrain.module, values, (x,))

    def lower(theta: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
        losses = cross_entropy(output(theta, source.x), source.y, reduction="none")
        return (logits.sigmoid() * losses).mean() + theta.square().sum()

    def middle(theta: torch.Tensor, near: torch.Tensor) -> torch.Tensor:
        loss = cross_entropy(output(theta, tune.x), tune.y)
        return loss + 0.5 * config.nearness * (theta - near).square().sum()

    def upper(theta: torch.Tensor) -> torch.Tensor:
        return cross_entropy(output(theta, judge.x), judge.y)

    logits = ignore.params.detach().double()
    hessian, jacobian = torch.func.hessian, torch.func.jacrev
    v = torch.linalg.solve(hessian(middle)(at[1], at[0]), grad(upper)(at[1]))
    v = v @ jacobian(grad(middle), argnums=1)(at[1], at[0])
    v = torch.linalg.solve(hessian(lower)(at[0], logits), v)
    expected = v @ jacobian(grad(lower), argnums=1)(at[0], logits)
    assert expected.abs().max() > 1e-5
    assert found[0] is not None
    torch.testing.assert_close(found[0].double(), expected, rtol=1e-4, atol=1e-8)


def test_fixed_weights_are_trained_with_as_plain_steps_are() -> None:
    """One step of finetuning after one of pretraining, by autograd on the formulas."""
    config = replace(_TINY, final_steps=1, warmup=1)
    kind, parts = make_data(config)
    scores = [train(config, parts, weights, 1.0) for weights in (kind * 0.0, kind * 0.0 + 1)]
    clean = Data(*map(torch.cat, zip(parts[1], parts[2], strict=True)))
    for score, scale in zip(scores, (0.0, 1.0), strict=True):
        lower, upper = (trilevel.make_network(config, 0.1)[0] for _ in range(2))
        losses = scale * cross_entropy(lower(parts[0].x), parts[0].y)
        start = [
            p - config.lr * g
            for p, g in zip(
                lower.parameters(), torch.autograd.grad(losses, lower.parameters()), strict=True
            )
        ]
        grads = torch.autograd.grad(cross_entropy(upper(clean.x), clean.y), upper.parameters())
        with torch.no_grad():
            for p, g, q in zip(upper.parameters(), grads, start, strict=True):
                p -= config.tune_lr * (g + (p - q))
        assert score == trilevel.accuracy(upper, parts[3])


@pytest.mark.slow
def test_three_levels_ignore_wrong_labels() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    config = Config(source=300, width=8, steps=100, warmup=30, lr=0.5)
    kind, parts = make_data(config)
    engine = make_engine(config, parts, Report())
    engine.run()
    weights = engine.ignore.params.detach()
    seen = kind != 2
    assert metrics.roc_auc_score((kind == 0)[seen].numpy(), weights[seen].numpy()) > 0.75


@pytest.mark.slow
def test_a_third_level_makes_the_nearness_matter_less() -> None:
    config = Config(steps=300)
    _, parts = make_data(config)
    engine = make_engine(config, parts, Report())
    engine.run()
    learned = engine.ignore.params.detach().sigmoid()
    near, far = (train(config, parts, learned, nearness) for nearness in (1.0, 0.03))
    assert min(near, far) > 0.85
    assert near > train(config, parts, torch.ones_like(learned), 1.0) + 0.04
