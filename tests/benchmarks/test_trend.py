"""The trend names what is slower, and only that; its record is what the pages show."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest

from benchmarks import _runner, trend
from benchmarks._runner import Summary
from benchmarks._selection import PARTS

ROW = "optimizer, MLP: plain / ours"


def record(rows: dict[str, Summary], version: str = "0.8.0", **machine: object) -> trend.Record:
    return trend.Record(version, "2026-11-23T10:00:00+00:00", "abc", {"cores": 2, **machine}, rows)


def drawn(rng: random.Random, ratio: float, between: float, within: float) -> Summary:
    """Return the ratio of three runs of five rounds, some of which something else has disturbed."""
    sample = []
    for _ in range(3):
        centre = rng.gauss(0, between)
        for _ in range(5):
            off = rng.gauss(0, within) + (rng.uniform(-0.5, 0.5) if rng.random() < 0.05 else 0)
            sample.append(ratio * math.exp(centre + off))
    return _runner.summarize(sample)


@pytest.mark.parametrize(
    ("between", "within", "least_found"),
    [(0.02, 0.02, 0.99), (0.02, 0.05, 0.97), (0.05, 0.05, 0.8), (0.05, 0.1, 0), (0.1, 0.1, 0)],
)
def test_alarms_are_rare_on_an_unchanged_tree_and_a_factor_of_1_3_is_found_or_called_noise(
    between: float, within: float, least_found: float
) -> None:
    rng, count = random.Random(0), 1000
    false = found = hidden = 0
    for _ in range(count):
        before, same, slower = (drawn(rng, x, between, within) for x in (2.0, 2.0, 2.0 / 1.3))
        false += trend.Change("", before, same).is_worse
        change = trend.Change("", before, slower)
        found += change.is_worse
        hidden += not change.is_worse and change.noise < 1.2
    assert false * 50 / count <= 0.5  # in 50 rows
    assert found / count >= least_found
    assert hidden / count <= 0.05  # missed, and nothing says that one might be


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


def test_what_is_better_too_noisy_or_not_measured_is_no_regression_but_is_said() -> None:
    before = record(
        {"a": Summary(1, 0.99, 1.01), "b": Summary(2, 1.5, 2.5), "c": Summary(1, 1, 1)}, "0.7"
    )
    after = record({"a": Summary(2, 1.98, 2.02), "b": Summary(1.6, 1.2, 2.1)})
    text, is_worse = trend.compare(before, after)
    assert not is_worse
    assert "Better:\n- a: 1.00" in text
    assert "Too noisy to see a factor of 1.3, measure again on a quiet machine:\n- b: 2.00" in text
    assert "Not measured now:\n- c" in text
    assert "No row is worse beyond its noise." in text


def test_another_machine_is_a_reason_and_no_regression() -> None:
    before = record({ROW: Summary(3, 2.9, 3.1)}, "0.7", torch="2.12", vectors="AVX2")
    after = record({ROW: Summary(1, 0.9, 1.1)}, torch="2.13", vectors="AVX2")
    text, is_worse = trend.compare(before, after)
    assert not is_worse
    assert "measured elsewhere (torch 2.12, now 2.13)" in text
    assert f"Worse:\n- {ROW}" in text


def test_a_ratio_of_zero_or_below_is_no_measurement() -> None:
    with pytest.raises(ValueError, match="import: torch / ours: a ratio is not positive"):
        trend.rows({"import: torch / ours": [1.0, -3.0]})


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = record({ROW: Summary(2.5, 2.25, 2.75), "b": Summary(1e-3, 1e-3, 2e-3)}, torch="2.13")
    written.write(tmp_path / "new" / "0.8.0.json")
    assert trend.records(tmp_path / "new") == [written]


def test_the_page_has_a_column_for_each_record_from_the_earliest_on(tmp_path: Path) -> None:
    old = record({"a, x: p / q": Summary(1, 1, 1), "b: p / q": Summary(2, 2, 2)}, "0.8.0")
    new = record({"a, x: p / q": Summary(3, 3, 3)}, "0.10.0")._replace(measured="2027-01-01")
    for each in (new, old):
        each.write(tmp_path / f"{each.version}.json")
    page = trend.page(tmp_path)
    cells = [
        [c.strip() for c in line.split("|")[1:-1]] for line in page.splitlines() if "|" in line
    ]
    assert ["theirs / ours", "0.8.0", "0.10.0"] in cells
    assert ["a, x: p / q", "1.00 (1.00 to 1.00)", "3.00 (3.00 to 3.00)"] in cells
    assert ["b: p / q", "2.00 (2.00 to 2.00)", "-"] in cells
    assert ["0.10.0", "2027-01-01", "`abc`", "cores 2"] in cells
    assert [line for line in page.splitlines() if line.startswith("#")] == [
        "## `a`", "## `b`", "## Measured on"
    ]  # fmt: skip


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


@pytest.mark.slow
def test_each_part_is_measured_without_the_peers(tmp_path: Path) -> None:
    output = tmp_path / "out.json"
    tiny = ["--runs", "1", "--rounds", "1", "--budget", "0", "--peers", str(tmp_path / "absent")]
    trend.main([*tiny, "--output", str(output)])
    rows = trend.Record.read(output).rows
    assert {trend.part(name) for name in rows} == set(PARTS)
    assert not [name for name in rows if "0.7.3" in name or "JAX" in name]
