"""The ES-MAML example: problems, adaptation, meta-training, and a run of seconds."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from results import check_is_one_sentence, check_is_picture

from torchopt.examples.es_maml import main
from torchopt.examples.es_maml.config import PRESETS, Config
from torchopt.examples.es_maml.learning import adapt, draw_noise, initial, meta_train
from torchopt.examples.es_maml.problems import Navigation, Sinusoid, perceptron
from torchopt.examples.es_maml.program import judge


def _generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def test_perceptron_equals_modules() -> None:
    layers = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 4))
    first, last = layers[0], layers[2]
    parts = [first.weight.T, first.bias, last.weight.T, last.bias]
    theta = torch.cat([p.detach().reshape(-1) for p in parts])
    x = torch.randn(5, 2, generator=_generator())
    torch.testing.assert_close(perceptron(theta, (2, 3, 4), x), layers(x).detach())


def test_backpropagation_through_the_robot_is_zero_though_its_cost_depends_on_the_policy() -> None:
    robot = Navigation(width=4, horizon=6, pairs=4)
    goal = torch.tensor([0.3, -0.2])
    theta = initial(robot, _generator()).requires_grad_()
    cost = robot.cost(theta, goal)
    (gradient,) = torch.autograd.grad(cost, theta)
    assert torch.equal(gradient, torch.zeros_like(theta))
    assert robot.cost(theta.detach() + 0.3, goal) != cost


def test_references_are_what_they_say() -> None:
    robot, waves = Navigation(4, 6, 4), Sinusoid(4, 10, 4)
    still = torch.func.vmap(lambda g: robot.cost(torch.zeros(4 * 5 + 2), g))
    goals = robot.sample(20_000, _generator()).query
    assert robot.reference[1] == pytest.approx(float(still(goals).mean()), rel=0.01)
    points = waves.sample(20_000, _generator()).query
    assert waves.reference[1] == pytest.approx(float(points[..., 1].square().mean()), rel=0.02)


def test_an_adaptation_with_a_whole_basis_is_gradient_descent() -> None:
    waves = Sinusoid(width=3, shots=10, pairs=10)  # as many pairs as parameters
    theta = initial(waves, _generator())
    assert theta.numel() == waves.pairs
    support = waves.sample(1, _generator()).support[0]
    noise = draw_noise(waves, theta, 1, 2, _generator())[0]
    found = adapt(waves, theta, support, noise, sigma=1e-2, lr=0.05)
    by_gradient = theta
    for _ in range(2):
        by_gradient = by_gradient - 0.05 * torch.func.grad(waves.cost)(by_gradient, support)
    assert (by_gradient - theta).abs().max() > 0.05
    torch.testing.assert_close(found, by_gradient, rtol=1e-2, atol=1e-3)


def test_meta_training_makes_adaptation_better_than_training_without_it() -> None:
    robot = Navigation(width=6, horizon=8, pairs=6)
    config = Config(outer_pairs=12, meta_batch=8, test_tasks=60)
    after = {}
    for adaptation in (True, False):
        theta = meta_train(robot, config, iterations=30, adaptation=adaptation)
        costs = judge(robot, theta, config, (0, config.inner_steps))
        after[adaptation] = [float(c.mean()) for c in costs]
    assert after[True][1] < 0.6 * robot.reference[1]
    assert after[True][1] < 0.8 * after[False][1]


def test_meta_training_is_the_same_for_the_same_seed() -> None:
    waves = Sinusoid(width=3, shots=4, pairs=2)
    config = Config(outer_pairs=2, meta_batch=2)
    before = torch.get_rng_state()
    first = meta_train(waves, config, iterations=2)
    assert torch.equal(first, meta_train(waves, config, iterations=2))
    assert torch.equal(torch.get_rng_state(), before)
    assert not torch.equal(first, meta_train(waves, config, iterations=3))


@pytest.mark.usefixtures("few_threads")
def test_command_writes_tables_and_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    options = (
        "--robot-iterations=2 --wave-iterations=2 --meta-batch=2 --outer-pairs=2 --robot-pairs=2 "
        "--wave-pairs=2 --horizon=3 --width=4 --test-tasks=5 --threads=1"
    )
    assert main([f"--runs={tmp_path}", "--name=it", *options.split()]) == 0
    out = capsys.readouterr().out
    for text in ("2-D navigation", "sine waves", "ES-MAML", "standing still", "s left"):
        assert text in out
    for name in ("learning_curves.png", "adaptation.png"):
        check_is_picture(tmp_path / "it" / name)


@pytest.mark.parametrize(
    ("option", "message"),
    [("--outer-sigma=0", "`outer_sigma` is 0"), ("--test-tasks=1", "at least 2")],
)
def test_bad_settings_are_one_sentence(
    option: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--runs={tmp_path}", option]) == 1
    check_is_one_sentence(capsys.readouterr().err, message)


def test_every_preset_is_a_valid_configuration() -> None:
    assert set(PRESETS) == {"default", "full"}
