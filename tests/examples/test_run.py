"""A whole run: its files, its exact resumption, its command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
import torch
from results import check_is_one_sentence, check_is_picture

from _cases import covering
from torchopt.examples.maml import main, train
from torchopt.examples.maml.config import Algorithm, Config, Preset, Task, recipe
from torchopt.examples.maml.letters import Letters
from torchopt.examples.maml.train import Run


def _records(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [{k: v for k, v in json.loads(line).items() if k != "seconds"} for line in lines]


@pytest.mark.parametrize(("api", "algorithm"), covering(["functional", "oop"], ["maml", "metasgd"]))
def test_resumed_run_is_the_uninterrupted_one(
    api: Any, algorithm: Algorithm, tiny: Config, letters: Letters, tmp_path: Path
) -> None:
    config = replace(tiny, api=api, algorithm=algorithm, iterations=6)
    whole = Run(config, tmp_path / "whole", letters)
    whole.train()
    # Interrupted one step after the checkpoint: that step is done again, and recorded once.
    Run(config, tmp_path / "parts", letters).train(until=3)
    assert len(_records(tmp_path / "parts")) == 4
    resumed = Run.resume(tmp_path / "parts", letters)
    assert resumed.iteration == 2
    resumed.train()
    assert _records(tmp_path / "parts") == _records(tmp_path / "whole")
    states = [run.learner.state_dict() for run in (whole, resumed)]
    torch.testing.assert_close(*states, rtol=0, atol=0)
    assert resumed.test() == whole.test()


def test_run_interrupted_before_its_first_validation_can_be_resumed(
    tiny: Config, letters: Letters, tmp_path: Path
) -> None:
    Run(tiny, tmp_path / "whole", letters).train()
    Run(tiny, tmp_path / "parts", letters).train(until=1)
    resumed = Run.resume(tmp_path / "parts", letters)
    assert resumed.iteration == 0
    resumed.train()
    assert _records(tmp_path / "parts") == _records(tmp_path / "whole")


def test_runs_do_not_touch_the_global_random_state(
    tiny: Config, letters: Letters, tmp_path: Path
) -> None:
    before = torch.get_rng_state()
    Run(tiny, tmp_path, letters).train(until=1)
    assert torch.equal(torch.get_rng_state(), before)


def test_resume_without_checkpoint_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"checkpoint\.pt"):
        Run.resume(tmp_path)


@pytest.fixture
def few_threads() -> Any:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


_OPTIONS = [
    "--ways=3",
    "--queries=2",
    "--test-queries=3",
    "--channels=4",
    "--meta-batch=3",
    "--iterations=4",
    "--log-every=1",
    "--validate-every=2",
    "--validation-tasks=4",
    "--test-tasks=4",
    "--test-steps=3",
    "--scratch-steps=2",
    "--threads=1",
]


@pytest.mark.usefixtures("few_threads")
@pytest.mark.parametrize("task", get_args(Task))
def test_command_writes_records_pictures_and_checkpoint(
    task: str,
    letters: Letters,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if task == "letters":
        monkeypatch.setattr(train, "make_problem", lambda config: letters)
    # The same columns everywhere, so that the table is not wrapped.
    monkeypatch.setenv("COLUMNS", "120")
    command = [f"--task={task}", f"--runs={tmp_path}", "--name=it", "--dtype=float64", *_OPTIONS]
    assert main(command) == 0
    out = capsys.readouterr().out
    for text in (
        "from scratch, 3 steps of sgd",
        "from scratch, 2 steps of",
        "maml, ",
        "±",
        "s left",
    ):
        assert text in out
    folder = tmp_path / "it"
    records = _records(folder)
    assert [r["split"] for r in records].count("train") == 4
    assert [r["split"] for r in records].count("validation") == 2
    assert [r["split"] for r in records].count("test") == 3
    for name in ("learning_curve.png", "predictions.png"):
        check_is_picture(folder / name)
    saved = torch.load(folder / "checkpoint.pt", weights_only=True)
    assert saved["iteration"] == 4
    assert saved["config"]["task"] == task
    # Resuming a finished run only judges it again.
    assert main([*command, "--resume"]) == 0
    assert _records(folder) == records
    assert not list(folder.glob("*.tmp"))


@pytest.mark.usefixtures("few_threads")
def test_resume_refuses_a_changed_setting(
    tiny: Config,
    letters: Letters,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(train, "make_problem", lambda config: letters)
    Run(tiny, tmp_path / "it", letters).train(until=2)
    assert main(["--runs", str(tmp_path), "--name", "it", "--resume", "--seed", "5"]) == 1
    assert "`seed` 0, not 5" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--data", "omniglot"], "--root DIR"),
        (["--data", "omniglot", "--root", "nowhere"], "images_background"),
        (["--ways", "0"], "`ways` is 0"),
        (["--log-every", "3", "--validate-every", "4"], "multiple"),
        (["--api", "oop", "--compile"], "--compile"),
    ],
)
@pytest.mark.usefixtures("few_threads")
def test_bad_settings_are_one_sentence(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(options) == 1
    check_is_one_sentence(capsys.readouterr().err, message)


def test_every_recipe_is_a_valid_configuration_of_what_was_asked() -> None:
    for task in get_args(Task):
        for preset in get_args(Preset):
            for algorithm in get_args(Algorithm):
                config = recipe(task, preset, algorithm)
                assert (config.task, config.algorithm) == (task, algorithm)
                assert config.test_tasks >= 200
