"""MAML as two levels: meta-gradients and whole runs equal those of Core's example."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from results import check_is_one_sentence, check_is_picture
from rich.console import Console

from torchopt.examples.maml.problem import Tasks, build
from torchopt.examples.maml_multilevel import main
from torchopt.examples.maml_multilevel.config import PRESETS, Config
from torchopt.examples.maml_multilevel.levels import Meta, TaskLoader, make_engine
from torchopt.examples.maml_multilevel.program import core, learn, make_waves, two_levels

_TINY = PRESETS["test"]
_QUIET = Console(quiet=True)


def _engine(config: Config, folder: Path) -> Any:
    waves = make_waves(config)
    network = build(waves, seed=config.seed, dtype=getattr(torch, config.dtype))
    return make_engine(config, network, waves, folder, _QUIET)


@pytest.mark.parametrize("steps", [1, 3])
def test_meta_gradient_is_that_of_backpropagation_by_hand(
    steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(_TINY, inner_steps=steps, inner_lr=0.05)
    engine = _engine(config, tmp_path)
    meta, adaptation = engine.problems
    found: list[torch.Tensor] = []
    hook = lambda self: found.extend(p.grad.clone() for p in self.params)  # noqa: E731
    monkeypatch.setattr(Meta, "grad_callback", hook)
    start = [p.detach().clone().requires_grad_() for p in meta.params]
    for _ in range(steps):
        engine.train_step()
    engine.sink.close()
    waves = make_waves(config)
    tasks = waves.sample("train", config.meta_batch, torch.Generator().manual_seed(config.seed))
    losses = []
    for x, y, query_x, query_y in zip(*tasks, strict=True):
        params = start
        for _ in range(steps):
            loss = _square_error(params, x, y)
            grads = torch.autograd.grad(loss, params, create_graph=True)
            params = [p - config.inner_lr * g for p, g in zip(params, grads, strict=True)]
        losses.append(_square_error(params, query_x, query_y))
    expected = torch.autograd.grad(torch.stack(losses).mean(), start)
    assert len(found) == len(expected)
    for g, e in zip(found, expected, strict=True):
        assert e.abs().max() > 1e-3
        torch.testing.assert_close(g, e, rtol=1e-10, atol=1e-12)
    # The displacements are those of the tasks, each with its own.
    assert not torch.equal(adaptation.params[0][0], adaptation.params[0][1])


def _square_error(params: list[torch.Tensor], x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    w1, b1, w2, b2, w3, b3 = params
    hidden = ((x @ w1.T + b1).relu() @ w2.T + b2).relu()
    return (hidden @ w3.T + b3 - y).square().mean()


@pytest.mark.filterwarnings("ignore:`Implicit` differentiates a point")  # few steps
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("mode", ["unroll", "implicit"])
def test_runs_of_both_are_the_same_step_for_step(mode: Any, dtype: Any, tmp_path: Path) -> None:
    config = replace(_TINY, mode=mode, dtype=dtype, inner_lr=0.005)
    ours, theirs = two_levels(config, tmp_path, _QUIET), core(config, _QUIET)
    difference, moved = ours.distance(theirs)
    assert len(ours.losses) == config.iterations
    # Conjugate gradients stop at a tolerance, of one system here and of one for each task there.
    tolerance = 1e-6 if mode == "implicit" and dtype == "float64" else 1e-10
    tolerance = 1e-4 if dtype == "float32" else tolerance
    assert difference.max() < tolerance
    assert moved < tolerance


@pytest.mark.filterwarnings("ignore:`Implicit` differentiates a point")  # few steps
def test_implicit_and_unrolled_are_two_algorithms() -> None:
    runs = [
        core(replace(_TINY, mode=mode, inner_lr=0.005), _QUIET) for mode in ("unroll", "implicit")
    ]
    assert runs[0].distance(runs[1])[1] > 1e-6


def test_tasks_are_given_again_until_the_start_moves_and_then_to_it() -> None:
    waves = make_waves(_TINY)
    lower, upper = (iter(TaskLoader(waves, count=2, seed=3, times=times)) for times in (3, 1))
    generator = torch.Generator().manual_seed(3)
    for _ in range(3):
        expected = waves.sample("train", 2, generator)
        given = [next(lower) for _ in range(3)] + [next(upper)]
        for tasks in given:
            for a, b in zip(Tasks(*tasks), expected, strict=True):
                assert torch.equal(a, b)


@pytest.mark.parametrize("stop", [2, 4, 5])
def test_killed_and_resumed_run_equals_the_uninterrupted_one(
    stop: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = two_levels(_TINY, _folder(tmp_path / "whole"), _QUIET)
    step, calls = Meta.training_step, 0

    def interrupted(self: Meta, batch: Any) -> torch.Tensor:
        nonlocal calls
        calls += 1
        if calls > stop + 1:  # one call is the engine's check
            raise KeyboardInterrupt
        return step(self, batch)

    parts = _folder(tmp_path / "parts")
    monkeypatch.setattr(Meta, "training_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        two_levels(_TINY, parts, _QUIET)
    monkeypatch.undo()
    assert (parts / "checkpoint.pt").exists() == (stop >= _TINY.checkpoint_every)
    resumed = two_levels(_TINY, parts, _QUIET)
    assert torch.equal(resumed.losses, whole.losses)
    assert all(torch.equal(p, whole.start[name]) for name, p in resumed.start.items())


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def test_learned_start_is_better_than_the_first(tmp_path: Path) -> None:
    config = replace(
        PRESETS["default"], width=16, meta_batch=8, iterations=150, inner_lr=0.02, outer_lr=1e-2
    )
    losses = two_levels(config, tmp_path, _QUIET).losses
    assert losses[-30:].mean() < 0.8 * losses[:30].mean()
    assert all(p.dtype == torch.float64 for p in learn(config).meta.params.values())


@pytest.mark.usefixtures("few_threads")
def test_command_writes_a_table_and_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    command = ["--preset=test", f"--runs={tmp_path}", "--name=it", "--threads=1"]
    assert main(command) == 0
    first = capsys.readouterr().out
    for text in ("two levels", "Core's example", "their difference", "predicting zero", "±"):
        assert text in first
    folder = tmp_path / "it"
    check_is_picture(folder / "same_numbers.png")
    assert (folder / "plan.svg").exists()
    assert main([*command, "--resume"]) == 0
    again = capsys.readouterr().out
    assert first[first.index("MAML on") :] == again[again.index("MAML on") :]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--inner-lr=0"], "`inner_lr` is 0.0"),
        (["--test-tasks=1"], "at least 2"),
        (["--resume"], "start without --resume"),
    ],
)
def test_bad_settings_are_one_sentence(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--runs={tmp_path}", *options]) == 1
    check_is_one_sentence(capsys.readouterr().err, message)
