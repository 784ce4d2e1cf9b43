"""The implicit MAML example: its meta-gradient, the common start, and a run of seconds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from results import check_is_one_sentence, check_is_picture
from rich.console import Console

from torchopt.examples.imaml import main, program
from torchopt.examples.imaml.config import PRESETS, Config
from torchopt.examples.imaml.learner import ImplicitLearner
from torchopt.examples.imaml.program import compare
from torchopt.examples.imaml.warmup import warm_up
from torchopt.examples.maml.functional import Meta
from torchopt.examples.maml.letters import Letters
from torchopt.examples.maml.problem import Tasks, build

_TINY = Config(
    ways=3,
    queries=2,
    test_queries=3,
    channels=4,
    inner_steps=3,
    warmup=4,
    meta_batch=3,
    iterations=4,
    log_every=2,
    validate_every=4,
    validation_tasks=4,
    test_tasks=4,
    dtype="float64",
)


def _learner(letters: Letters, config: Config) -> ImplicitLearner:
    network = build(letters, seed=0, dtype=torch.float64)
    warm_up(network, letters.splits["train"], steps=5, lr=1e-2, seed=0)
    return ImplicitLearner(config, letters, network)


def test_meta_gradient_equals_backpropagation_through_converged_descent(letters: Letters) -> None:
    config = replace(_TINY, inner_lr=0.018, inner_steps=40, penalty=50.0, cg_steps=40)
    learner = _learner(letters, config)
    tasks = letters.sample("train", 2, torch.Generator().manual_seed(3))
    start = {name: p.clone().requires_grad_() for name, p in learner.meta.params.items()}
    outer = torch.zeros((), dtype=torch.float64)
    for x, y, query_x, query_y in zip(*tasks, strict=True):
        params = start
        for _ in range(config.inner_steps):
            distance = sum((p - start[name]).square().sum() for name, p in params.items())
            loss = letters.loss(learner.outputs(params, x), y) + 25 * distance
            grads = torch.autograd.grad(loss, tuple(params.values()), create_graph=True)
            steps = zip(params.items(), grads, strict=True)
            params = {name: p - config.inner_lr * g for (name, p), g in steps}
        outer = outer + letters.loss(learner.outputs(params, query_x), query_y) / 2
    expected = torch.autograd.grad(outer, tuple(start.values()))
    before = learner.meta

    # A step of Adam hides the gradient's size: read it where it is made.
    grads, loss, _ = learner._gradient(before, tasks)
    torch.testing.assert_close(loss, outer.detach())
    assert isinstance(grads, Meta)
    for g, e in zip(grads.params.values(), expected, strict=True):
        assert e.abs().max() > 1e-5
        torch.testing.assert_close(g, e, rtol=1e-5, atol=1e-8)


def test_tasks_in_a_batch_do_not_see_each_other(letters: Letters) -> None:
    learner = _learner(letters, _TINY)
    tasks = letters.sample("test", 3, torch.Generator().manual_seed(0))
    together = learner.predict(tasks, steps=5)
    for i, alone in enumerate(together):
        one = Tasks(*(t[i : i + 1] for t in tasks))
        torch.testing.assert_close(learner.predict(one, steps=5)[0], alone)


@pytest.mark.filterwarnings("ignore:`Implicit` differentiates a point")  # three steps
def test_both_learn_from_one_start_and_the_same_tasks(letters: Letters, tmp_path: Path) -> None:
    first, results = compare(_TINY, tmp_path / "a", letters, Console(quiet=True))
    second, again = compare(_TINY, tmp_path / "b", letters, Console(quiet=True))
    assert results == again
    assert set(results) == {"their start", "MAML", "implicit MAML"}
    for name, run in first.items():
        assert run.iteration == 4
        losses = [r["loss"] for r in run.records]
        assert losses == [r["loss"] for r in second[name].records]
    a, b = (run.records[0]["loss"] for run in first.values())
    assert a != b


def test_warm_up_learns_features_and_leaves_the_head(letters: Letters) -> None:
    network = build(letters, seed=0, dtype=torch.float64)
    features = network.get_parameter("features.0.weight").detach().clone()
    losses: list[float] = []
    before = torch.get_rng_state()
    warm_up(network, letters.splits["train"], steps=30, lr=1e-2, seed=0, on_step=losses.append)
    assert torch.equal(torch.get_rng_state(), before)
    assert losses[-1] < 0.8 * losses[0]
    assert not torch.equal(network.get_parameter("features.0.weight"), features)
    assert not network.get_parameter("head.weight").any()


@pytest.mark.usefixtures("few_threads")
@pytest.mark.filterwarnings("ignore:`Implicit` differentiates a point")  # three steps
def test_command_writes_a_table_and_pictures(
    letters: Letters,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(program, "make_problem", lambda config: letters)
    monkeypatch.setenv("COLUMNS", "120")
    changed = {
        name: value
        for name, value in vars(_TINY).items()
        if value != getattr(PRESETS["default"], name)
    }
    options = [f"--{name.replace('_', '-')}={value}" for name, value in changed.items()]
    assert main([f"--runs={tmp_path}", "--name=it", "--threads=1", *options]) == 0
    out = capsys.readouterr().out
    for text in ("chance", "their start, 3 steps", "MAML, 3 steps", "implicit MAML", "±", "s left"):
        assert text in out
    for name in ("learning_curves.png", "predictions.png"):
        check_is_picture(tmp_path / "it" / name)
    assert (tmp_path / "it" / "implicit-maml" / "metrics.jsonl").exists()


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--penalty=-1", "`penalty` is -1.0"),
        ("--ways=0", "`ways` is 0"),
        ("--warmup=0", "`warmup`"),
    ],
)
def test_bad_settings_are_one_sentence(
    option: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--runs={tmp_path}", option]) == 1
    check_is_one_sentence(capsys.readouterr().err, message)
