"""Learning to ignore: the gradient through two solutions, what the levels add."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.func import functional_call, grad
from torch.nn.functional import cross_entropy

from examples import trilevel
from examples.tools.digits import Data
from examples.tools.report import Report
from examples.trilevel import Config, make_data, make_engine

_TINY = Config(source=60, width=6, steps=28, warmup=2, final_steps=4)


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
    found, _ = engine.hypergradient("ignore")
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
