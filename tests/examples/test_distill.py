"""The distillation example: its hypergradient, its claim, a killed run, and a run of seconds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from killing import check_killed_run_goes_on_as_if_uninterrupted
from results import check_is_one_sentence, check_is_picture
from torch.func import functional_call
from torch.nn.functional import cross_entropy

from examples.distill import PRESETS, Config, main, make_engine, run, teach
from examples.tools.digits import split_digits
from examples.tools.report import Report

_TINY = Config(inner_steps=3, steps=9, batch=128, width=8, networks=2, validate_every=3)
_OPTIONS = ["--inner-steps=3", "--steps=9", "--batch=128", "--width=8", "--networks=2"]


def test_gradient_of_the_images_is_that_of_backpropagation_by_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    test, real = split_digits(0, 500)
    engine = make_engine(replace(_TINY, batch=len(real.y)), real, test, Report())
    found: list[torch.Tensor] = []
    hook = lambda self: found.extend(p.grad.clone() for p in self.params)  # noqa: E731
    monkeypatch.setattr(type(engine.teacher), "grad_callback", hook)
    engine.check()
    images, log_rate = (p.detach().clone().requires_grad_() for p in engine.teacher.params)
    torch.manual_seed(3)
    for _ in range(_TINY.inner_steps):
        engine.train_step()
    torch.manual_seed(3)
    net = engine.student.module
    engine.student.on_inner_loop_start()
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


@pytest.mark.slow
def test_learned_images_teach_better_than_real_ones_and_than_averages() -> None:
    result = run(Config(inner_steps=10, steps=50, networks=5, validate_every=50))
    assert result["learned"] > 0.78
    assert result["learned"] > result["real"] + 0.15
    assert result["learned"] > result["average"] + 0.05


def test_teaching_leaves_the_random_state_alone_and_is_repeatable() -> None:
    test, real = split_digits(0, 500)
    ten = torch.stack([real.x[real.y == label][0] for label in range(10)])
    before = torch.get_rng_state()
    config = replace(_TINY, inner_steps=20)
    first = teach(config, ten, 0.5, test)
    assert torch.equal(torch.get_rng_state(), before)
    assert first == teach(config, ten.expand(_TINY.networks, 10, 64), 0.5, test)
    assert first > teach(replace(_TINY, inner_steps=1), ten, 0.5, test)


@pytest.mark.slow
@pytest.mark.usefixtures("few_threads")
@pytest.mark.processes
def test_killed_run_goes_on_as_if_uninterrupted(tmp_path: Path) -> None:
    torch.set_num_threads(1)
    check_killed_run_goes_on_as_if_uninterrupted("distill", _TINY, tmp_path, at=16)


@pytest.mark.usefixtures("few_threads")
def test_command_writes_a_table_and_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    command = [f"--runs={tmp_path}", "--name=it", *_OPTIONS, "--validate-every=3", "--threads=1"]
    assert main(command) == 0
    out = capsys.readouterr().out
    for text in ("teacher -> student", "learned", "average", "s left", "%"):
        assert text in out
    check_is_picture(tmp_path / "it" / "images.png")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rate=0"], "`rate` is 0"),
        (["--networks=0"], "`networks` is 0"),
        (["--resume"], "start without --resume"),
    ],
)
def test_bad_settings_are_one_sentence(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--runs={tmp_path}", *options]) == 1
    check_is_one_sentence(capsys.readouterr().err, message)


def test_presets() -> None:
    assert set(PRESETS) == {"quick", "default", "full"}
    assert PRESETS["default"] == Config()
