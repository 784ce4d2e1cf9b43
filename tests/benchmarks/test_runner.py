"""Statistics and rendering of the runner, on timings that are given."""

import argparse
import math
from pathlib import Path

import pytest

from benchmarks import _runner


def test_summary_is_median_and_quartiles() -> None:
    assert _runner.summarize([5.0, 1.0, 2.0, 4.0, 3.0]) == _runner.Summary(3.0, 2.0, 4.0)
    assert _runner.summarize([7.0]) == _runner.Summary(7.0, 7.0, 7.0)
    with pytest.raises(ValueError, match="at least one measurement"):
        _runner.summarize([])


def test_ratio_is_taken_within_rounds() -> None:
    # The machine is ten times slower in the last three rounds; in each, theirs takes twice as long.
    ours = [1.0, 1.1, 10.0, 11.0, 12.0]
    theirs = [2.0, 2.2, 20.0, 22.0, 24.0]
    found = _runner.ratio(theirs, ours)
    assert (found.median, found.low, found.high) == pytest.approx((2.0, 2.0, 2.0))


def test_rounds_are_interleaved() -> None:
    calls: list[str] = []

    def timer(name: str, seconds: float) -> float:
        calls.append(name)
        return seconds + len(calls)

    times = _runner.interleave({"a": lambda: timer("a", 0.0), "b": lambda: timer("b", 0.5)}, 3)
    assert calls == ["a", "b", "a", "b", "a", "b"]
    assert times == {"a": [1.0, 3.0, 5.0], "b": [2.5, 4.5, 6.5]}


@pytest.mark.parametrize(
    ("seconds", "repeats"), [(0.03, 4), (0.1, 1), (5.0, 1), (0.0, 100_000_000)]
)
def test_a_turn_fills_the_budget(seconds: float, repeats: int) -> None:
    assert _runner.repeats_for(seconds, 0.1) == repeats


def test_difference_is_relative_to_the_largest_entry() -> None:
    assert _runner.difference([1.0, -4.0], [1.5, -4.0]) == 0.125
    assert math.isnan(_runner.difference([1.0, -4.0], [math.nan, -4.0]))
    with pytest.raises(ValueError, match="shorter"):
        _runner.difference([1.0, 2.0], [1.0])


def test_table_is_padded_markdown() -> None:
    shown = _runner.table(["inner loop", "ms"], [["mlp", "1.25"], ["a longer cnn", "10.5"]])
    assert shown.splitlines() == [
        "| inner loop   |   ms |",
        "| ------------ | ---: |",
        "| mlp          | 1.25 |",
        "| a longer cnn | 10.5 |",
    ]


def test_report_states_machine_commit_and_command_but_no_paths(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = _runner.parser("some_claim", None)
    made.add_argument("--steps", nargs="+", type=int, default=[1])
    made.add_argument("--peers", type=Path, default=Path("x"))
    output = tmp_path / "made" / "some.md"
    words = [
        "--steps",
        "5",
        "10",
        "--output",
        str(output),
        "--peers",
        str(tmp_path),
        "--rounds",
        "3",
    ]
    options: argparse.Namespace = made.parse_args(words)
    text = _runner.write("A claim", ["Said so."], made=made, options=options)
    assert output.read_text(encoding="utf-8") == text
    assert text in capsys.readouterr().out
    assert "- command: `python -m benchmarks.some_claim --rounds 3 --steps 5 10`" in text
    for fact in ("- machine: ", " cores ", "torch ", "1 thread(s)", "- commit: "):
        assert fact in text
    assert str(tmp_path) not in text
