"""Sinks: what arrives where, and what a resumed run leaves of an interrupted one."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch

from torchopt.logging import (
    CSV,
    Console,
    JSONLines,
    Progress,
    Several,
    Sink,
    TensorBoard,
    WandB,
    make_sink,
)

TEXT = {"metrics.jsonl": JSONLines, "metrics.csv": CSV}


def read(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    return [
        {k: float(v) for k, v in row.items() if v}
        for row in csv.DictReader(io.StringIO(path.read_text()))
    ]


def test_console_prints_one_short_line(capsys: pytest.CaptureFixture[str]) -> None:
    sink = Console()
    sink.log({"inner/loss": torch.tensor(0.123456), "outer/loss": 12, "bad": math.nan}, step=7)
    sink.resume(3)
    sink.close()
    assert capsys.readouterr().out == "step 7 | inner/loss 0.1235 | outer/loss 12 | bad nan\n"
    stream = io.StringIO()
    Console(stream).log({}, step=1)
    assert stream.getvalue() == "step 1\n"


@pytest.mark.parametrize("name", TEXT)
def test_each_step_is_on_disk_at_once(name: str, tmp_path: Path) -> None:
    path = tmp_path / "deep" / name
    sink = TEXT[name](path)
    assert not path.exists()
    expected = []
    for step in (1, 2, 5):
        sink.log({"loss": torch.tensor(1.5) / step, "count": step}, step=step)
        expected.append({"step": step, "loss": 1.5 / step, "count": step})
        found = read(path)
        assert [row.keys() for row in found] == [row.keys() for row in expected]
        for row, wanted in zip(found, expected, strict=True):
            assert row == pytest.approx(wanted, rel=1e-7)
    sink.close()
    sink.close()


@pytest.mark.parametrize("torn", [True, False])
@pytest.mark.parametrize("resumed_at", [0, 3, 4, 9])
@pytest.mark.parametrize("name", TEXT)
def test_a_resumed_run_writes_the_file_of_an_uninterrupted_one(
    name: str, resumed_at: int, torn: bool, tmp_path: Path
) -> None:
    def log(sink: Any, first: int, last: int) -> None:
        for step in range(first, last + 1):
            metrics = {"inner/loss": 1 / step}
            if step % 2 == 0:
                metrics["outer, and\nmore"] = 10.0 + step
            sink.log(metrics, step=step)

    whole = TEXT[name](tmp_path / f"whole-{name}")
    log(whole, 1, 12)
    whole.close()

    killed = TEXT[name](tmp_path / name)
    log(killed, 1, 9)
    killed.close()
    if torn:
        text = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(text + text[-9:-3])
    resumed = TEXT[name](tmp_path / name)
    resumed.resume(resumed_at)
    log(resumed, resumed_at + 1, 12)
    resumed.resume(12)
    resumed.close()
    assert read(tmp_path / name) == read(tmp_path / f"whole-{name}")
    assert len(list(tmp_path.iterdir())) == 2


def test_json_is_standard_and_keeps_what_is_not_finite(tmp_path: Path) -> None:
    sink = JSONLines(tmp_path / "m.jsonl")
    sink.log({"a": math.nan, "b": -math.inf, "c": torch.tensor(True), "d": 3}, step=1)
    sink.close()

    def refuse(word: str) -> Any:
        raise AssertionError(word)

    line = json.loads((tmp_path / "m.jsonl").read_text(), parse_constant=refuse)
    assert line == {
        "step": 1,
        "a": None,
        "b": None,
        "c": 1,
        "d": 3,
        "not_finite": {"a": "nan", "b": "-inf"},
    }


# Packages that may be missing


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [("tensorboard", "tensorboard", "tensorboard"), ("wandb", "wandb", "wandb")],
)
def test_a_missing_package_is_an_error_that_names_the_extra(
    name: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf'pip install "torchopt-diff\[{extra}\]"'):
        make_sink(name, tmp_path)


def test_tensorboard_gets_scalars_and_purges_what_comes_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls: list[Any] = []

    class SummaryWriter:
        def __init__(self, folder: str, purge_step: int | None = None) -> None:
            calls.append(("open", folder, purge_step))

        def add_scalar(self, name: str, value: float, step: int) -> None:
            calls.append((name, value, step))

        def flush(self) -> None:
            calls.append("flush")

        def close(self) -> None:
            calls.append("close")

    fake = ModuleType("torch.utils.tensorboard")
    fake.SummaryWriter = SummaryWriter  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tensorboard", ModuleType("tensorboard"))
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", fake)
    sink = make_sink("tensorboard", tmp_path)
    assert isinstance(sink, TensorBoard)
    sink.log({"loss": torch.tensor(0.5)}, step=3)
    sink.resume(2)
    sink.log({"loss": 0.25}, step=3)
    sink.close()
    folder = str(tmp_path / "tensorboard")
    assert calls == [
        ("open", folder, None),
        ("loss", 0.5, 3),
        "flush",
        "close",
        ("open", folder, 3),
        ("loss", 0.25, 3),
        "flush",
        "close",
    ]


def test_wandb_continues_the_run_of_its_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls: list[Any] = []

    def init(**options: Any) -> Any:
        calls.append(("init", options))
        return SimpleNamespace(
            id=options.get("id", "run-1"),
            log=lambda metrics, step: calls.append((metrics, step)),
            finish=lambda: calls.append("finish"),
        )

    fake = ModuleType("wandb")
    fake.init = init  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "wandb", fake)
    first = WandB(tmp_path / "w", project="p")
    assert not calls
    first.resume(0)  # nothing to go on with
    first.log({"loss": torch.tensor(0.5)}, step=1)
    first.log({"loss": 0.25}, step=2)
    first.close()
    first.close()
    second = make_sink("wandb", tmp_path / "w")
    second.resume(1)
    second.log({"loss": 0.25}, step=2)
    second.close()
    folder = str(tmp_path / "w")
    assert calls == [
        ("init", {"dir": folder, "project": "p"}),
        ({"loss": 0.5}, 1),
        ({"loss": 0.25}, 2),
        "finish",
        ("init", {"dir": folder, "id": "run-1", "resume": "allow"}),
        ({"loss": 0.25}, 2),
        "finish",
    ]


# By name


def test_sinks_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sink = make_sink(["jsonl", "csv", "none"])
    sink.log({"loss": 0.5}, step=1)
    sink.resume(1)
    sink.log({"loss": 0.25}, step=2)
    sink.close()
    expected = [{"step": 1, "loss": 0.5}, {"step": 2, "loss": 0.25}]
    for name in TEXT:
        assert read(tmp_path / "runs" / name) == expected
    with pytest.raises(
        ValueError, match="no sink named 'jsonlines': take one of 'none', 'console'"
    ):
        make_sink("jsonlines")


def test_objects_are_sinks_if_they_have_the_methods() -> None:
    class Mine:
        def log(self, metrics: Any, step: int) -> None: ...

        def close(self) -> None: ...

    class Whole(Mine):
        def resume(self, step: int) -> None: ...

    sink = Whole()
    assert make_sink(sink) is sink
    for each in (sink, Console(), JSONLines("a"), CSV("a"), Several(), Progress(1)):
        assert isinstance(each, Sink)
    for wrong in (Mine(), Whole, None, 3):
        with pytest.raises(TypeError, match=r"A sink is a name, or an object with the methods"):
            make_sink(wrong)
    with pytest.raises(
        TypeError, match=r"the sink is an object of type str: .*`torchopt.logging.make"
    ):
        Several("csv")


@pytest.mark.parametrize("make", [lambda path: Console(), CSV, JSONLines])
def test_a_step_in_the_place_of_metrics_is_refused(make: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="`metrics` is an object of type int: pass a dict"):
        make(tmp_path / "log").log(3, {"loss": 0.5})
    assert not [*tmp_path.iterdir()]
