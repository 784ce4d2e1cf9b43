"""The graph example: its command writes pictures and pages."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from examples.graph import PROBLEMS, main


@pytest.mark.usefixtures("few_threads")
def test_command_writes_pictures_and_pages_and_prints_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--runs={tmp_path}", "--name=new", "--threads=1"]) == 0
    out = capsys.readouterr().out
    for name in PROBLEMS:
        assert f"== {name}: " in out
        ElementTree.parse(tmp_path / "new" / f"{name}.svg")
        page = (tmp_path / "new" / f"{name}.html").read_text(encoding="utf-8")
        assert page.startswith("<!DOCTYPE html>")
    assert "implicit.html, implicit.svg, maml.html" in out
    for text in ("inner step 5", "log_penalty", "importance", "lr", "reached"):
        assert text in out
