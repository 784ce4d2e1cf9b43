"""The distillation example: its hypergradient, its claim, a killed run, and a run of seconds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from killing import check_killed_run_goes_on_as_if_uninterrupted
from results import check_is_one_sentence, check_is_picture
from rich.console import Console
from torch.func import functional_call
from torch.nn.functional import cross_entropy

from torchopt.examples.distill import main
from torchopt.examples.distill.config import PRESETS, Config
from torchopt.examples.distill.problems import Distillation, load_digits, start_anew, taught

_TINY = PRESETS["test"]
_QUIET = Console(quiet=True)


def test_gradient_of_the_images_is_that_of_backpropagation_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, test = load_digits(_TINY)
    engine = Distillation(replace(_TINY, batch=len(real.y)), real, test, tmp_path, _QUIET)
    found: list[torch.Tensor] = []
    hook = lambda self: found.extend(p.grad.clone() for p in self.params)  # noqa: E731
    monkeypatch.setattr(type(engine.teacher), "grad_callback", hook)
    engine.check()
    images, log_rate = (p.detach().clone().requires_grad_() for p in engine.teacher.params)
    torch.manual_seed(3)
    for _ in range(_TINY.inner_steps):
        engine.train_step()
    engine.sink.close()
    torch.manual_seed(3)
    net = engine.student.module
    start_anew(net)
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


def test_learned_images_teach_better_than_real_ones_and_than_averages(tmp_path: Path) -> None:
    config = Config(inner_steps=10, steps=50, networks=5)
    real, test = load_digits(config)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        engine = Distillation(config, real, test, tmp_path, _QUIET)
        averages = engine.found[0].clone()
        engine.run()
    images, rate = engine.found
    ten = torch.stack([real.x[real.y == label][0] for label in range(10)])
    scores = [taught(config, x, rate, test)[0] for x in (ten, averages, images)]
    assert scores[2] > 0.78
    assert scores[2] > scores[0] + 0.15
    assert scores[2] > scores[1] + 0.05
    assert 0 <= images.min() < images.max() <= 1


def test_teaching_leaves_the_random_state_alone_and_is_repeatable() -> None:
    real, test = load_digits(_TINY)
    ten = torch.stack([real.x[real.y == label][0] for label in range(10)])
    before = torch.get_rng_state()
    first = taught(_TINY, ten, 0.5, test, steps=20)
    assert torch.equal(torch.get_rng_state(), before)
    assert first == taught(_TINY, ten.expand(_TINY.networks, 10, 64), 0.5, test, steps=20)
    assert first[0] > taught(_TINY, ten, 0.5, test, steps=1)[0]
    assert first[1] > 0


@pytest.mark.slow
@pytest.mark.usefixtures("few_threads")
@pytest.mark.processes
def test_killed_run_goes_on_as_if_uninterrupted(tmp_path: Path) -> None:
    check_killed_run_goes_on_as_if_uninterrupted("distill", tmp_path, at=16)


@pytest.mark.usefixtures("few_threads")
@pytest.mark.parametrize(
    "mode", ["unroll", *(pytest.param(m, marks=pytest.mark.slow) for m in ("darts", "sama"))]
)
def test_command_writes_a_table_and_pictures(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    before = torch.get_rng_state()
    options = ["--preset=test", f"--type={mode}", "--threads=1"]
    assert main([f"--runs={tmp_path}", "--name=it", *options]) == 0
    assert torch.equal(torch.get_rng_state(), before)
    out = capsys.readouterr().out
    for text in ("teacher -> student", "ten learned images", "ten real images", "s left", "%"):
        assert text in out
    for name in ("images.png", "accuracy.png"):
        check_is_picture(tmp_path / "it" / name)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rate=0"], "`rate` is 0"),
        (["--networks=1"], "at least 2"),
        (["--test-images=1700"], "`test_images` is 1700"),
        (["--resume"], "start without --resume"),
    ],
)
def test_bad_settings_are_one_sentence(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--runs={tmp_path}", *options]) == 1
    check_is_one_sentence(capsys.readouterr().err, message)


def test_every_preset_is_a_valid_configuration() -> None:
    assert set(PRESETS) == {"default", "full", "test"}
    assert PRESETS["default"] == Config()
