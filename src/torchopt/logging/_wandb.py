"""Curves in Weights & Biases."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torchopt.io.atomic import replacing
from torchopt.io.calls import CallRepr
from torchopt.io.optional import optional
from torchopt.logging._sink import numbers


class WandB(CallRepr):
    """Logs to a run of Weights & Biases.

    The name of the run is kept in ``folder``, and a resumed run continues it there. The service ignores
    steps that it already has, whose numbers would be the same.

    Args:
        folder: The folder of the run's local files.
        **options: Further arguments of ``wandb.init``, such as ``project``, ``name`` or ``config``.

    Raises:
        ImportError: If ``wandb`` is not installed.
    """

    def __init__(self, folder: str | os.PathLike[str] = "runs", **options: Any) -> None:
        self._wandb = optional("wandb", "wandb", "Weights & Biases")
        self.folder = Path(folder)
        self._options = options
        self._run: Any = None

    def log(self, metrics: Mapping[str, Any], step: int) -> None:
        """See :class:`Sink`."""
        if self._run is None:
            self._start(self._options)
        self._run.log(numbers(metrics), step=step)

    def resume(self, step: int) -> None:
        """Continue the run whose name lies in the folder, if there is one."""
        self.close()
        known = self._name.read_text(encoding="utf-8") if self._name.exists() else None
        if known is not None:
            self._start({**self._options, "id": known, "resume": "allow"})

    def close(self) -> None:
        """See :class:`Sink`."""
        if self._run is not None:
            self._run.finish()
            self._run = None

    @property
    def _name(self) -> Path:
        return self.folder / "wandb_run.txt"

    def _start(self, options: Mapping[str, Any]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._run = self._wandb.init(**{"dir": str(self.folder), **options})
        with replacing(self._name) as file:
            file.write(self._run.id.encode("utf-8"))
