"""The list of programs, and what is said where a program cannot run."""

from __future__ import annotations

import importlib.util
import os

import pytest

from _warm import Program
from examples import PROGRAMS
from examples.__main__ import main


@pytest.mark.processes
def test_module_lists_every_program() -> None:
    code = "import runpy; runpy.run_module('examples', run_name='__main__')"
    status, out, err = Program(["-c", code], {**os.environ}).end()
    assert status == 0, err
    assert PROGRAMS
    for name, summary in PROGRAMS.items():
        assert name in out
        assert summary in out


def test_unknown_program_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mamal"]) == 2
    message = capsys.readouterr().err
    assert "'mamal'" in message
    assert "maml" in message.replace("mamal", "")


def test_missing_extra_names_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr("examples.find_spec", lambda name: None if name == "rich" else real(name))
    assert main(["maml"]) == 1
    message = capsys.readouterr().err
    assert "need rich" in message
    assert 'pip install ".[examples]"' in message
