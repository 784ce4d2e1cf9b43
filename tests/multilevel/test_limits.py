"""What would be silently wrong is right, or refused in a sentence."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from _toys import typed
from quadratic_graphs import GRAPHS, Program
from torch import nn

import torchopt
from torchopt.multilevel import Config, Engine, EngineConfig, Problem


def chain(configs: dict[str, Config]) -> Engine:
    edges, sizes = GRAPHS["chain"]
    program = Program(edges, sizes, seed=2)
    return Engine(program.problems(configs, program.start, 0.1), EngineConfig(), edges)


def test_a_problem_that_is_solved_again_has_none_below() -> None:
    with pytest.raises(ValueError, match=r"problem 'mid' is solved again .* those below it .low."):
        chain({"mid": typed(type="zero_order"), "low": typed(type="cg")})


@pytest.mark.parametrize("upper", ["mid", "top"])
def test_unrolled_levels_are_not_read_twice(upper: str) -> None:
    configs = {name: typed(type="unroll", unroll_steps=2) for name in ("mid", "low")}
    configs[upper] = typed(type="unroll", unroll_steps=2, repeat=2)
    with pytest.raises(ValueError, match=f"problem {upper!r} has repeat=2"):
        chain(configs)


def test_nested_steps_that_were_interrupted_are_not_made_again() -> None:
    engine = chain({name: typed(type="unroll", unroll_steps=2) for name in ("mid", "low")})
    engine.config = EngineConfig(train_iters=3)
    with pytest.warns(UserWarning, match="amid the unrolled steps of problem 'low'"):
        engine.run()
    with pytest.raises(RuntimeError, match="steps of problem 'mid' would have to be made again"):
        engine.train_step()


def test_a_solution_with_weight_decay_is_that_of_the_penalized_loss() -> None:
    class Lower(Problem):
        def training_step(self, batch: Any) -> torch.Tensor:
            return (self.params - self.upper.params).square() / 2

    class Upper(Problem):
        def training_step(self, batch: Any) -> torch.Tensor:
            return self.lower.params

    x, y = (torch.ones((), dtype=torch.float64, requires_grad=True) for _ in range(2))
    optimizer = torch.optim.SGD([y], 0.5, weight_decay=1.0)  # y* = x / 2
    lower = Lower("lower", typed(type="cg"), params=y, optimizer=optimizer)
    upper = Upper("upper", params=x, optimizer=torch.optim.SGD([x], 0.1))
    edges = {"u2l": {upper: [lower]}, "l2u": {lower: [upper]}}
    (found,), _ = Engine([lower, upper], EngineConfig(), edges).hypergradient("upper")
    assert found is not None
    assert found.item() == pytest.approx(0.5, abs=1e-12)


def test_a_module_that_two_problems_share_is_trained_by_its_owner() -> None:
    torch.manual_seed(0)
    encoder, head = nn.Linear(3, 2).double(), nn.Linear(2, 1).double()
    data = torch.randn(5, 3, dtype=torch.float64)

    class Head(Problem):
        def training_step(self, batch: Any) -> torch.Tensor:
            return (self.module[1](self.encoder(data)) - 1).square().mean()

    class Encoder(Problem):
        def training_step(self, batch: Any) -> torch.Tensor:
            return self.head(data).exp().mean()  # through its own parameters, too

    # By hand: one step of the head, and the whole derivative in the encoder.
    loss = (head(encoder(data)) - 1).square().mean()
    grads = torch.autograd.grad(loss, [head.weight, head.bias], create_graph=True)
    weight, bias = head.weight - 0.1 * grads[0], head.bias - 0.1 * grads[1]
    upper_loss = nn.functional.linear(encoder(data), weight, bias).exp().mean()
    truth = torch.autograd.grad(upper_loss, list(encoder.parameters()))

    sgd = torch.optim.SGD
    whole = nn.Sequential(encoder, head)
    lower = Head("head", typed(type="unroll"), whole, sgd(head.parameters(), lr=0.1))
    upper = Encoder("encoder", None, encoder, sgd(encoder.parameters(), lr=1.0))
    before = [p.detach().clone() for p in encoder.parameters()]
    edges = {"u2l": {upper: [lower]}, "l2u": {lower: [upper]}}
    Engine([lower, upper], EngineConfig(), edges).train_step()
    for p, start, g in zip(encoder.parameters(), before, truth, strict=True):
        torch.testing.assert_close(start - p.detach(), g, rtol=1e-10, atol=1e-12)


def test_frozen_submodules_stay_frozen() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    net[1].eval()
    data = torch.randn(4, 2)

    class Only(Problem):
        def training_step(self, batch: Any) -> torch.Tensor:
            return self.module(data).square().mean()

    class Watched(Engine):
        def validation(self) -> dict[str, float]:
            assert not net.training
            return {"loss": 0.0}

    only = Only("only", None, net, torchopt.sgd(0.1))
    Watched([only], EngineConfig(train_iters=2, valid_step=1)).run()
    assert net.training
    assert not net[1].training
    assert net[1].num_batches_tracked == 0
