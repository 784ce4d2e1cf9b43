"""The meta-gradient: right, and the same through both faces of the library."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import pytest
import torch
from torch import nn

import torchopt
from torchopt.examples.maml.config import Algorithm, Config
from torchopt.examples.maml.functional import FunctionalLearner
from torchopt.examples.maml.letters import Letters
from torchopt.examples.maml.object_oriented import ObjectOrientedLearner
from torchopt.examples.maml.problem import Problem, Tasks, build
from torchopt.examples.maml.sinusoid import Sinusoid

ALGORITHMS = get_args(Algorithm)


@pytest.fixture(params=["letters", "sinusoid"])
def problem(request: pytest.FixtureRequest, letters: Letters) -> Problem:
    if request.param == "letters":
        return letters
    return Sinusoid(shots=5, queries=5, test_queries=5, channels=6, dtype=torch.float64)


def _network(problem: Problem) -> nn.Module:
    """Make a network off the symmetric start, where the head is zero and gradients vanish."""
    net = build(problem, seed=0, dtype=torch.float64)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for p in net.parameters():
            p += 0.1 * torch.randn(p.shape, generator=generator, dtype=p.dtype)
    return net


def _numbers(learner: Any, problem: Problem) -> torch.Tensor:
    """Return the losses of some meta-steps and the predictions that follow."""
    generator = torch.Generator().manual_seed(2)
    losses = [learner.step(problem.sample("train", 3, generator))[0] for _ in range(2)]
    outputs = learner.predict(problem.sample("test", 3, generator), steps=2)
    return torch.cat([torch.stack(losses), outputs.flatten()])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_faces_vmap_and_loop_give_the_same_numbers(
    algorithm: Algorithm, problem: Problem, tiny: Config
) -> None:
    config = replace(tiny, algorithm=algorithm, inner_lr=0.05)
    expected = _numbers(FunctionalLearner(config, problem, _network(problem)), problem)
    loop = FunctionalLearner(replace(config, vmap=False), problem, _network(problem))
    oop = ObjectOrientedLearner(replace(config, api="oop"), problem, _network(problem))
    for learner in (loop, oop):
        torch.testing.assert_close(_numbers(learner, problem), expected, rtol=1e-6, atol=1e-6)


def test_no_two_algorithms_are_the_same(problem: Problem, tiny: Config) -> None:
    found = []
    for algorithm in ALGORITHMS:
        config = replace(tiny, algorithm=algorithm, inner_lr=0.05)
        found.append(_numbers(FunctionalLearner(config, problem, _network(problem)), problem))
    for i, a in enumerate(found):
        for b in found[:i]:
            assert (a - b).abs().max() > 1e-6


@pytest.mark.parametrize("vmap", [True, False])
@pytest.mark.parametrize("algorithm", ["maml", "anil", "metasgd"])
def test_meta_gradient_equals_finite_differences(
    algorithm: Algorithm, vmap: bool, problem: Problem, tiny: Config
) -> None:
    config = replace(tiny, algorithm=algorithm, inner_lr=0.05, vmap=vmap)
    network = _network(problem)
    for module in network.modules():
        for name, child in module.named_children():
            if isinstance(child, nn.ReLU):
                # At a kink of a ReLU, finite differences are not the derivative.
                setattr(module, name, nn.Softplus())
    learner = FunctionalLearner(config, problem, network)
    tasks = problem.sample("train", 3, torch.Generator().manual_seed(3))
    generator = torch.Generator().manual_seed(4)
    meta = learner.meta
    direction = torchopt.pytree.tree_map(
        lambda p: torch.randn(p.shape, generator=generator, dtype=p.dtype), meta
    )

    def loss(step: float) -> torch.Tensor:
        moved = torchopt.pytree.tree_map(lambda p, d: p + step * d, meta, direction)
        return learner._meta_gradient(moved, tasks)[1]

    expected = (loss(1e-5) - loss(-1e-5)) / 2e-5
    grads = learner._meta_gradient(meta, tasks)[0]
    found = sum(
        (g * along[name]).sum()
        for part, along in zip(grads, direction, strict=True)
        for name, g in part.items()
    )
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-7)


def test_anil_adapts_the_head_only(problem: Problem, tiny: Config) -> None:
    learner = FunctionalLearner(replace(tiny, algorithm="anil"), problem, _network(problem))
    task = Tasks(*(t[0] for t in problem.sample("train", 1, torch.Generator().manual_seed(0))))
    adapted = learner.adapt(learner.meta, task.support_x, task.support_y, 2)
    for name, p in learner.meta.params.items():
        assert torch.equal(adapted[name], p) == (not name.startswith("head.")), name


def test_object_oriented_learner_leaves_the_start_in_place(problem: Problem, tiny: Config) -> None:
    network = _network(problem)
    before = list(network.parameters())
    learner = ObjectOrientedLearner(tiny, problem, network)
    learner.predict(problem.sample("test", 2, torch.Generator().manual_seed(0)), steps=3)
    assert all(a is b for a, b in zip(network.parameters(), before, strict=True))


def test_sinusoid_draws_waves_of_the_paper() -> None:
    problem = Sinusoid(shots=5, queries=200, test_queries=7, channels=4, dtype=torch.float64)
    tasks = problem.sample("train", 400, torch.Generator().manual_seed(0))
    assert tasks.support_x.shape == (400, 5, 1)
    assert tasks.query_x.abs().max() <= 5
    largest = tasks.query_y.abs().amax((1, 2))
    assert 4.9 < largest.max() <= 5
    assert 0.05 < largest.min() < 0.3
    name, value = problem.reference
    measured = tasks.query_y.square().mean()
    assert name == "predicting zero"
    assert measured.item() == pytest.approx(value, rel=0.1)


@pytest.mark.slow
def test_maml_learns_sinusoids(tiny: Config) -> None:
    problem = Sinusoid(shots=10, queries=10, test_queries=50, channels=20)
    config = replace(
        tiny,
        inner_lr=0.02,
        inner_steps=1,
        outer_lr=5e-3,
        outer_lr_end=5e-3,
        iterations=300,
        meta_batch=10,
    )
    learner = FunctionalLearner(config, problem, build(problem, seed=0, dtype=torch.float32))
    held_out = problem.sample("test", 200, torch.Generator().manual_seed(1))

    def error(steps: int) -> float:
        output = learner.predict(held_out, steps=steps)
        return float(problem.loss(output, held_out.query_y))

    start = error(1)
    generator = torch.Generator().manual_seed(0)
    for _ in range(300):
        learner.step(problem.sample("train", 10, generator))
    # Below the start, and below what the learned start predicts before it sees the task.
    assert error(1) < 0.8 * start
    assert error(1) < 0.9 * error(0)
