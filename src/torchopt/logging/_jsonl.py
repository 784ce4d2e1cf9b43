"""One JSON object for each step, one a line."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from torchopt.io.atomic import replacing
from torchopt.io.calls import CallRepr
from torchopt.logging._sink import numbers


class JSONLines(CallRepr):
    """Writes one JSON object for each step, on a line of its own, at once.

    JSON has no infinity and no NaN: such a metric is ``null``, so that every reader takes its
    column for numbers, and what it was stands beside, under ``"not_finite"``.

    Args:
        path: The file. A new run starts it anew; one that is resumed continues it.

    Example:
        >>> import pathlib, tempfile
        >>> path = tempfile.mkdtemp() + "/metrics.jsonl"
        >>> sink = JSONLines(path)
        >>> sink.log({"loss": 0.5}, step=1)
        >>> sink.log({"loss": float("inf")}, step=2)
        >>> sink.close()
        >>> print(pathlib.Path(path).read_text())
        {"step": 1, "loss": 0.5}
        {"step": 2, "loss": null, "not_finite": {"loss": "inf"}}
        <BLANKLINE>
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._file: TextIO | None = None

    def log(self, metrics: Mapping[str, Any], step: int) -> None:
        """See :class:`Sink`."""
        values = numbers(metrics)
        if "step" in values or "not_finite" in values:
            raise ValueError("A metric is named `step` or `not_finite`: these words are taken.")
        odd = {name: str(value) for name, value in values.items() if not math.isfinite(value)}
        line: dict[str, Any] = {"step": step, **values, **dict.fromkeys(odd)}
        if odd:
            line["not_finite"] = odd
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = open(self.path, "w", encoding="utf-8")  # noqa: SIM115
        self._file.write(json.dumps(line, allow_nan=False) + "\n")
        self._file.flush()

    def resume(self, step: int) -> None:
        """Keep the lines up to ``step``; also a line that a killed run has left unfinished goes."""
        self.close()
        lines = self.path.read_bytes().splitlines(keepends=True) if self.path.exists() else []
        with replacing(self.path) as file:
            for line in lines:
                if line.endswith(b"\n") and json.loads(line)["step"] <= step:
                    file.write(line)
        self._file = open(self.path, "a", encoding="utf-8")  # noqa: SIM115

    def close(self) -> None:
        """See :class:`Sink`."""
        if self._file is not None:
            self._file.close()
