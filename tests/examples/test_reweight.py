"""The reweighting example: its hypergradient, its claims, a killed run, and a run of seconds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from killing import check_killed_run_goes_on_as_if_uninterrupted
from results import check_is_one_sentence, check_is_picture
from rich.console import Console
from torch.nn.functional import cross_entropy

from torchopt.examples.reweight import main
from torchopt.examples.reweight.config import PRESETS, Config
from torchopt.examples.reweight.problems import (
    Reweighting,
    accuracy,
    area_under_curve,
    load_labels,
    make_network,
    train,
)

_TINY = PRESETS["test"]
_QUIET = Console(quiet=True)


def test_so_many_labels_are_wrong_and_no_image_is_in_two_parts() -> None:
    labels = load_labels(replace(_TINY, wrong=0.3))
    count = len(labels.truth)
    assert count == 1797 - _TINY.clean_images - _TINY.test_images
    assert int(labels.wrong.sum()) == round(0.3 * count)
    images = torch.cat([labels.noisy.x, labels.clean.x, labels.test.x])
    assert len(images.unique(dim=0)) == 1797
    assert labels.noisy.y.unique().tolist() == list(range(10))


def test_area_under_the_curve_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    generator = torch.Generator().manual_seed(0)
    weights = (torch.rand(80, generator=generator) * 7).round() / 7  # with ties
    wrong = torch.rand(80, generator=generator) < 0.4
    expected = metrics.roc_auc_score((~wrong).numpy(), weights.numpy())
    assert area_under_curve(weights, wrong) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("mode", ["unroll", "darts"])
def test_first_step_of_the_weights_is_that_of_the_formula(mode: Any, tmp_path: Path) -> None:
    config = replace(_TINY, type=mode, unroll_steps=1, batch=1000, weight_lr=1.0)
    labels = load_labels(config)
    engine = Reweighting(config, labels, tmp_path, _QUIET)
    before = [p.detach().clone() for p in engine.classifier.module.parameters()]
    engine.train_step()
    engine.sink.close()
    moved = engine.found - 0.5
    net = engine.classifier.module
    after = [p.detach().clone() for p in net.parameters()]
    clean = torch.autograd.grad(
        cross_entropy(net(labels.clean.x), labels.clean.y), net.parameters()
    )
    # -lr / batch <gradient on clean images, gradient of an image>, where the step began (DARTS: ended).
    with torch.no_grad():
        for p, value in zip(net.parameters(), before if mode == "unroll" else after, strict=True):
            p.copy_(value)
    seen = moved.nonzero().flatten()[:50]
    expected = []
    for i in seen.tolist():
        loss = cross_entropy(net(labels.noisy.x[i : i + 1]), labels.noisy.y[i : i + 1])
        own = torch.autograd.grad(loss, net.parameters())
        product = torch.stack([(a * b).sum() for a, b in zip(clean, own, strict=True)]).sum()
        expected.append(config.lr / config.batch * product)
    assert len(seen) == 50
    assert moved.abs().max() > 1e-5
    # DARTS takes a finite difference in single precision, over the kinks of a network.
    cosine = torch.cosine_similarity(moved[seen], torch.stack(expected), dim=0)
    assert cosine > (1 - 1e-5 if mode == "unroll" else 0.98)
    assert moved[seen].norm() / torch.stack(expected).norm() == pytest.approx(1, rel=0.1)


@pytest.mark.slow
def test_weights_undo_what_wrong_labels_do(tmp_path: Path) -> None:
    config = PRESETS["default"]
    labels = load_labels(config)
    engine = Reweighting(config, labels, tmp_path, _QUIET)
    engine.run()
    same = torch.full_like(engine.found, 0.5)
    assert accuracy(train(config, labels.noisy, same), labels.test) < 0.65
    assert accuracy(engine.classifier.module, labels.test) >= 0.85
    assert area_under_curve(engine.found, labels.wrong) >= 0.9
    assert 0 <= engine.found.min() <= engine.found.max() <= 1


def test_networks_start_the_same_and_leave_the_random_state_alone() -> None:
    before = torch.get_rng_state()
    first, second = make_network(_TINY), make_network(_TINY)
    assert torch.equal(torch.get_rng_state(), before)
    assert all(
        torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True)
    )


@pytest.mark.slow
@pytest.mark.usefixtures("few_threads")
@pytest.mark.processes
def test_killed_run_goes_on_as_if_uninterrupted(tmp_path: Path) -> None:
    check_killed_run_goes_on_as_if_uninterrupted("reweight", tmp_path, at=47)


@pytest.mark.usefixtures("few_threads")
@pytest.mark.parametrize(
    "mode",
    [
        "unroll",
        *(pytest.param(m, marks=pytest.mark.slow) for m in ("darts", "sama", "neumann", "cg")),
    ],
)
def test_command_writes_tables_and_pictures(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    options = ["--preset=test", f"--type={mode}", "--threads=1"]
    assert main([f"--runs={tmp_path}", "--name=it", *options]) == 0
    out = capsys.readouterr().out
    for text in ("weights -> classifier", "noisy labels, with weights", "ROC", "s left"):
        assert text in out
    for name in ("weights.png", "labels.png"):
        check_is_picture(tmp_path / "it" / name)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--wrong=1"], "below one"),
        (["--width=0"], "`width` is 0"),
        (["--clean-images=1200"], "`clean_images`"),
        (["--unroll-steps=7"], "multiples"),
        (["--resume"], "start without --resume"),
    ],
)
def test_bad_settings_are_one_sentence(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--runs={tmp_path}", *options]) == 1
    check_is_one_sentence(capsys.readouterr().err, message)


@pytest.mark.usefixtures("few_threads")
def test_resume_refuses_a_changed_setting(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [f"--runs={tmp_path}", "--preset=test", "--threads=1"]
    assert main(command) == 0
    capsys.readouterr()
    assert main([*command, "--resume", "--seed=5"]) == 1
    assert "`seed` 0, not 5" in capsys.readouterr().err


def test_every_preset_is_a_valid_configuration() -> None:
    assert set(PRESETS) == {"default", "full", "test"}
    assert PRESETS["default"] == Config()
