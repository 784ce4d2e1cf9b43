"""The architecture search example: its hypergradient, the cell, resumption, and the rank."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from results import check_is_one_sentence, check_is_picture
from rich.console import Console
from torch.func import functional_call
from torch.nn.functional import cross_entropy

from torchopt.examples.darts import enumerate as enumeration
from torchopt.examples.darts import main
from torchopt.examples.darts.cell import (
    ARCHITECTURES,
    Network,
    name,
    one_hot,
    without_dead_edges,
)
from torchopt.examples.darts.config import PRESETS, Config
from torchopt.examples.darts.enumerate import percentile, rank, train_alone
from torchopt.examples.darts.program import compare
from torchopt.examples.darts.search import Mixture, make_search
from torchopt.examples.tools.digits import split_digits

_TINY = PRESETS["test"]
_QUIET = Console(quiet=True)


def test_gradient_of_the_mixture_is_that_through_one_step_of_descent(tmp_path: Path) -> None:
    train, judge, _ = split_digits(0, _TINY.train, _TINY.judge)
    train, judge = (part._replace(x=part.x.double()) for part in (train, judge))
    config = replace(_TINY, batch=40, lr=0.05)  # all images: the order does not matter
    search = make_search(config, train, judge, tmp_path, _QUIET)
    mixture, weights = search.problems
    network = weights.module.double()
    with torch.no_grad():
        mixture.params.copy_(torch.linspace(-1, 1, 12).reshape(3, 4).sin())
    _, (found,) = search.hypergradient(mixture)

    logits = mixture.params.detach().double().requires_grad_()
    params = {n: p.detach().requires_grad_() for n, p in network.named_parameters()}

    def loss(params: dict[str, torch.Tensor], data: Any) -> torch.Tensor:
        return cross_entropy(functional_call(network, params, (data.x, logits.softmax(-1))), data.y)

    # The upper loss at the weights as they are; their dependence on the mixture, of one step.
    at = {n: p.detach().requires_grad_() for n, p in params.items()}
    upper = loss(at, judge)
    direct, *v = torch.autograd.grad(upper, [logits, *at.values()])
    grads = torch.autograd.grad(loss(params, train), list(params.values()), create_graph=True)
    (through,) = torch.autograd.grad(grads, logits, v)
    expected = direct - config.lr * through
    assert (config.lr * through).abs().max() > 1e-4
    torch.testing.assert_close(found.double(), expected, rtol=1e-3, atol=1e-6)


def test_a_mixture_of_one_operation_is_that_operation() -> None:
    torch.manual_seed(0)
    network, x = Network(3), torch.rand(5, 64)
    for architecture in ((1, 2, 3), (3, 0, 2), (0, 3, 1)):
        hard = one_hot(architecture)
        soft = hard.clone().requires_grad_()  # computes what has weight zero, too
        torch.testing.assert_close(network(x, hard), network(x, soft))
    skip = network(x, one_hot((0, 1, 0)))
    stem = network.stem(x.reshape(-1, 1, 8, 8))
    torch.testing.assert_close(skip, network.head(stem.relu().mean((2, 3))))


def test_architectures_without_dead_edges_compute_the_same() -> None:
    torch.manual_seed(0)
    network, x = Network(2), torch.rand(6, 64)
    assert len(set(ARCHITECTURES)) == 64
    assert len({without_dead_edges(a) for a in ARCHITECTURES}) == 40
    for architecture in ARCHITECTURES:
        same = without_dead_edges(architecture)
        assert torch.equal(network(x, one_hot(architecture)), network(x, one_hot(same)))


def test_rank_and_percentile_count_better_ones() -> None:
    scores = {(0,): 0.5, (1,): 0.9, (2,): 0.9, (3,): 0.1, (4,): 0.7}
    assert [rank(scores, a) for a in scores] == [4, 1, 1, 5, 3]
    assert percentile(scores, (1,)) == 100
    assert percentile(scores, (4,)) == 50
    assert percentile(scores, (3,)) == 0
    assert name((0, 1, 3)) == "none | skip | conv"


def test_search_prefers_convolution_where_it_helps(tmp_path: Path) -> None:
    config = Config(train=200, judge=200, channels=4, steps=60, warmup=20, batch=100, mix_lr=0.1)
    train, judge, test = split_digits(0, config.train, config.judge)
    search = make_search(config, train, judge, tmp_path, _QUIET)
    search.run()
    parts = search.problems[0].params.detach().softmax(-1)
    # Some way to the output must convolve: an average of pixels tells little.
    assert parts[1:, 3].max() > 0.4
    short = replace(config, final_steps=30)
    assert train_alone(short, (3, 3, 3), train, test, 0) > train_alone(
        short, (1, 1, 1), train, test, 0
    )


def _stop_after(calls: int, monkeypatch: pytest.MonkeyPatch, owner: Any, method: str) -> None:
    function, done = getattr(owner, method), 0

    def interrupted(*args: Any, **kwargs: Any) -> Any:
        nonlocal done
        done += 1
        if done > calls:
            raise KeyboardInterrupt
        return function(*args, **kwargs)

    monkeypatch.setattr(owner, method, interrupted)


@pytest.mark.parametrize(
    ("owner", "method", "calls"),
    [
        pytest.param(Mixture, "training_step", 2, marks=pytest.mark.slow),
        (Mixture, "training_step", 4),
        (enumeration, "train_alone", 7),
    ],
)
def test_killed_and_resumed_run_equals_the_uninterrupted_one(
    owner: Any, method: str, calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = compare(_TINY, _folder(tmp_path / "whole"), _QUIET)
    parts = _folder(tmp_path / "parts")
    _stop_after(calls, monkeypatch, owner, method)
    with pytest.raises(KeyboardInterrupt):
        compare(_TINY, parts, _QUIET)
    monkeypatch.undo()
    resumed = compare(_TINY, parts, _QUIET)
    assert torch.equal(resumed.mixture, whole.mixture)
    assert resumed.accuracies == whole.accuracies
    log = [(folder / "metrics.jsonl").read_text() for folder in (tmp_path / "whole", parts)]
    assert log[0] == log[1]


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


@pytest.mark.usefixtures("few_threads")
def test_command_writes_tables_and_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    command = ["--preset=test", f"--runs={tmp_path}", "--name=it", "--threads=1"]
    assert main(command) == 0
    first = capsys.readouterr().out
    for text in (
        "found by gradient",
        "best of all",
        "64 architectures, 40",
        "percentile",
        "s left",
    ):
        assert text in first
    folder = tmp_path / "it"
    check_is_picture(folder / "architectures.png")
    assert (folder / "plan.svg").exists()
    assert main([*command, "--resume"]) == 0
    again = capsys.readouterr().out
    assert first[first.index("64 arch") :] == again[again.index("64 arch") :]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--train=1000", "--judge=700"], "at most 1697"),
        (["--batch=500"], "more than the 400 images"),
        (["--mix-lr=0"], "`mix_lr` is 0.0"),
        (["--resume"], "start without --resume"),
    ],
)
def test_bad_settings_are_one_sentence(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--runs={tmp_path}", *options]) == 1
    check_is_one_sentence(capsys.readouterr().err, message)
