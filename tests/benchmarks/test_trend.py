"""The trend names what is slower, and only that; its record is what the pages show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import trend
from benchmarks._runner import Summary
from benchmarks._selection import PARTS

ROW = "optimizer, MLP: plain / ours"


def record(rows: dict[str, Summary], version: str = "0.8.0", **machine: object) -> trend.Record:
    return trend.Record(version, "2026-11-23T10:00:00+00:00", "abc", {"cores": 2, **machine}, rows)


def test_a_regression_is_named_with_both_ratios_and_the_noise() -> None:
    before = record({ROW: Summary(2.6, 2.57, 2.63), "pytree: a": Summary(6.0, 5.9, 6.1)}, "0.7")
    after = record({ROW: Summary(2.0, 1.98, 2.02), "pytree: a": Summary(5.8, 5.7, 5.9)})
    text, is_worse = trend.compare(before, after)
    assert is_worse
    assert (
        "Regressions:\n- optimizer, MLP: plain / ours: 2.60 (2.57 to 2.63) before, "
        "2.00 (1.98 to 2.02) now: 1.30 times worse, of which noise explains 1.05"
    ) in text
    assert "pytree" not in text


def test_what_is_committed_was_measured_with_everything_that_the_selection_has() -> None:
    for each in trend.records():
        assert {trend.part(name) for name in each.rows} == set(PARTS), each.version
        assert "local changes" not in each.commit


def test_measures_writes_and_compares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(trend, "FOLDER", tmp_path)
    tiny = ["--runs", "2", "--rounds", "1", "--budget", "0", "--peers", str(tmp_path / "absent")]
    assert trend.main([*tiny, "--parts", "pytree", "--name", "1.0"]) == 0
    assert "There is no earlier record to compare with." in capsys.readouterr().out
    path = tmp_path / "1.0.json"
    found = json.loads(path.read_text())
    assert found["machine"].keys() >= {"processor", "cores", "Python", "torch", "threads", "device"}
    assert len(found["rows"]) == 6
    # Ours was a hundred times as fast before.
    found["rows"] = {name: [100 * x for x in row] for name, row in found["rows"].items()}
    path.write_text(json.dumps(found))
    assert trend.main([*tiny, "--parts", "pytree", "--name", "1.1"]) == 1
    shown = capsys.readouterr().out
    assert "Compared with 1.0" in shown
    assert "Regressions:\n- pytree, flatten, ResNet18: optree / ours: " in shown
    assert trend.main([*tiny, "--parts", "pytree", "--against", str(tmp_path / "1.1.json")]) in (
        0,
        1,
    )
    assert "Compared with 1.1" in capsys.readouterr().out
