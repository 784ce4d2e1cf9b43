"""A table: one row for each step, one column for each metric."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO

from torchopt.io.atomic import replacing
from torchopt.io.calls import CallRepr
from torchopt.logging._sink import numbers


class CSV(CallRepr):
    """Writes a table of comma-separated values, a row for each step, at once.

    A metric that appears later gets a column of its own: the table is written anew, with empty cells in
    the rows before. A cell is empty where a step has no such metric.

    Args:
        path: The file. A new run starts it anew; one that is resumed continues it.

    Example:
        >>> import pathlib, tempfile
        >>> path = tempfile.mkdtemp() + "/metrics.csv"
        >>> sink = CSV(path)
        >>> sink.log({"loss": 0.5}, step=1)
        >>> sink.log({"loss": 0.25, "accuracy": 0.75}, step=2)
        >>> sink.close()
        >>> print(pathlib.Path(path).read_text())
        step,loss,accuracy
        1,0.5,
        2,0.25,0.75
        <BLANKLINE>
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._columns = ["step"]
        self._file: TextIO | None = None

    def log(self, metrics: Mapping[str, Any], step: int) -> None:
        """See :class:`Sink`."""
        values = numbers(metrics)
        if "step" in values:
            raise ValueError("A metric is named `step`: this word is taken.")
        row = {"step": step, **values}
        new = [name for name in row if name not in self._columns]
        if self._file is None or new:
            rows = [] if self._file is None else self._read()
            self._columns += new
            self._rewrite(rows)
        assert self._file is not None
        self._file.write(self._text([row]))
        self._file.flush()

    def resume(self, step: int) -> None:
        """Keep the rows up to ``step``; also a row that a killed run has left unfinished goes."""
        rows = self._read()
        self._columns = list(dict.fromkeys(["step", *(name for row in rows for name in row)]))
        self._rewrite([row for row in rows if int(row["step"]) <= step])

    def close(self) -> None:
        """See :class:`Sink`."""
        if self._file is not None:
            self._file.close()

    def _read(self) -> list[dict[str, Any]]:
        if not self.path.exists():
            return []
        text = self.path.read_bytes().decode("utf-8")
        return list(csv.DictReader(io.StringIO(text[: text.rfind("\n") + 1], newline="")))

    def _rewrite(self, rows: list[dict[str, Any]]) -> None:
        self.close()
        header = dict(zip(self._columns, self._columns, strict=True))
        with replacing(self.path) as file:
            file.write(self._text([header, *rows]).encode("utf-8"))
        self._file = open(self.path, "a", encoding="utf-8", newline="")  # noqa: SIM115

    def _text(self, rows: Iterable[Mapping[str, Any]]) -> str:
        text = io.StringIO()
        csv.DictWriter(text, self._columns, restval="", lineterminator="\n").writerows(rows)
        return text.getvalue()
