"""The report of the runner."""

import argparse
from pathlib import Path

import pytest

from benchmarks import _runner


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
