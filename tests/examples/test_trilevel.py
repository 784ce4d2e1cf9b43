"""Learning to ignore: the gradient through two solutions, resumption, what each level adds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from results import check_is_one_sentence, check_is_picture
from rich.console import Console
from torch.func import functional_call, grad
from torch.nn.functional import cross_entropy

from torchopt.examples.trilevel import levels, main
from torchopt.examples.trilevel.config import PRESETS, Config
from torchopt.examples.trilevel.data import Digits, load
from torchopt.examples.trilevel.levels import Ignore, three_levels
from torchopt.examples.trilevel.program import compare, separation

_TINY = PRESETS["test"]
_QUIET = Console(quiet=True)


def test_data_are_what_they_are_said_to_be() -> None:
    config = Config()
    digits = load(config)
    assert torch.bincount(digits.kind).tolist() == [360, 480, 360]
    assert [len(part.y) for part in (digits.tune, digits.judge, digits.test)] == [20, 80, 497]
    honest = _honest_source(config)
    right, wrong, foreign = (digits.kind == number for number in range(3))
    assert torch.equal(digits.source.y[~wrong], honest.y[~wrong])
    assert not (digits.source.y[wrong] == honest.y[wrong]).any()
    assert torch.equal(digits.source.x[~foreign], honest.x[~foreign])
    turned = honest.x[foreign].reshape(-1, 8, 8).rot90(2, (1, 2)).reshape(-1, 64)
    assert torch.equal(digits.source.x[foreign], turned)
    assert right.sum() == 360


def _honest_source(config: Config) -> Any:
    from torchopt.examples.tools.digits import split_digits

    return split_digits(config.seed, config.source, config.tune, config.judge)[0]


def _double(digits: Digits) -> Digits:
    def part(data: Any) -> Any:
        return data._replace(x=data.x.double())

    return digits._replace(
        **{n: part(getattr(digits, n)) for n in ("source", "tune", "judge", "test")}
    )


def test_gradient_of_the_weights_goes_through_both_solutions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against dense linear algebra with both Hessians, at the point where the levels are."""
    config = replace(_TINY, source=12, width=2, cg_steps=400, warmup=0, nearness=3.0)
    make = levels._network
    monkeypatch.setattr(levels, "_network", lambda config: make(config).double())
    digits = _double(load(config))
    # Strongly convex lower levels, whose Hessians conjugate gradients can solve with.
    step = levels.Pretrain.training_step
    ridge = lambda self, batch: (  # noqa: E731
        step(self, batch) + sum(p.square().sum() for p in self.module.parameters())
    )
    monkeypatch.setattr(levels.Pretrain, "training_step", ridge)
    engine = three_levels(config, digits, tmp_path, _QUIET)
    _, found = engine.hypergradient("ignore")
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
        losses = cross_entropy(output(theta, digits.source.x), digits.source.y, reduction="none")
        return (logits.sigmoid() * losses).mean() + theta.square().sum()

    def middle(theta: torch.Tensor, near: torch.Tensor) -> torch.Tensor:
        loss = cross_entropy(output(theta, digits.tune.x), digits.tune.y)
        return loss + 0.5 * config.nearness * (theta - near).square().sum()

    def upper(theta: torch.Tensor) -> torch.Tensor:
        return cross_entropy(output(theta, digits.judge.x), digits.judge.y)

    logits = ignore.params.detach().double()
    hessian, jacobian = torch.func.hessian, torch.func.jacrev
    v = torch.linalg.solve(hessian(middle)(at[1], at[0]), grad(upper)(at[1]))
    v = v @ jacobian(grad(middle), argnums=1)(at[1], at[0])
    v = torch.linalg.solve(hessian(lower)(at[0], logits), v)
    expected = v @ jacobian(grad(lower), argnums=1)(at[0], logits)
    assert expected.abs().max() > 1e-5
    assert found[0] is not None
    torch.testing.assert_close(found[0].double(), expected, rtol=1e-4, atol=1e-8)


def test_separation_is_the_area_under_the_curve() -> None:
    weights = torch.tensor([0.9, 0.4, 0.4, 0.1])
    good = torch.tensor([True, True, False, False])
    assert separation(weights, good, ~good) == pytest.approx(3.5 / 4)


@pytest.mark.parametrize("stop", [pytest.param(1, marks=pytest.mark.slow), 4])
def test_killed_and_resumed_run_equals_the_uninterrupted_one(
    stop: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digits = load(_TINY)
    whole = compare(_TINY, digits, _folder(tmp_path / "whole"), _QUIET)
    step, calls = Ignore.training_step, 0

    def interrupted(self: Ignore, batch: Any) -> torch.Tensor:
        nonlocal calls
        calls += 1
        if calls > stop + 1:  # one call is the engine's check
            raise KeyboardInterrupt
        return step(self, batch)

    parts = _folder(tmp_path / "parts")
    monkeypatch.setattr(Ignore, "training_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compare(_TINY, digits, parts, _QUIET)
    monkeypatch.undo()
    resumed = compare(_TINY, digits, parts, _QUIET)
    assert torch.equal(resumed.weights, whole.weights)
    assert resumed._replace(weights=None) == whole._replace(weights=None)


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def test_three_levels_ignore_wrong_labels(tmp_path: Path) -> None:
    config = Config(source=300, width=8, steps=100, warmup=30, valid_every=50, lr=0.5)
    digits = load(config)
    engine = three_levels(config, digits, tmp_path, _QUIET)
    engine.run()
    weights = engine.problems[0].params.detach().sigmoid()
    assert separation(weights, digits.kind == 0, digits.kind == 1) > 0.75


@pytest.mark.usefixtures("few_threads")
def test_command_writes_tables_and_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    command = ["--preset=test", f"--runs={tmp_path}", "--name=it", "--threads=1"]
    assert main(command) == 0
    first = capsys.readouterr().out
    for text in ("one: ", "two: ", "three: ", "nearness", "wrong label", "upside down", "%"):
        assert text in first
    folder = tmp_path / "it"
    check_is_picture(folder / "weights.png")
    assert (folder / "plan.svg").exists()
    assert main([*command, "--resume"]) == 0
    again = capsys.readouterr().out
    assert first[first.index("accuracy on") :] == again[again.index("accuracy on") :]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--wrong=0.8"], "leave good examples"),
        (["--source=1700"], "at most 1697"),
        (["--tune-lr=0"], "`tune_lr` is 0.0"),
        (["--resume"], "start without --resume"),
    ],
)
def test_bad_settings_are_one_sentence(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--runs={tmp_path}", *options]) == 1
    check_is_one_sentence(capsys.readouterr().err, message)
