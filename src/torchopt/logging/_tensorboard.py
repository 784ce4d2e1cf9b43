"""Curves in TensorBoard."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from torchopt.io.calls import CallRepr
from torchopt.io.optional import optional
from torchopt.logging._sink import numbers


class TensorBoard(CallRepr):
    """Writes scalars for TensorBoard, by ``torch.utils.tensorboard``.

    Args:
        folder: The folder of the event files.

    Raises:
        ImportError: If ``tensorboard`` is not installed.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        optional("tensorboard", "tensorboard", "TensorBoard")
        self.folder = os.fspath(folder)
        self._purge_step: int | None = None
        self._writer: Any = None

    def log(self, metrics: Mapping[str, Any], step: int) -> None:
        """See :class:`Sink`."""
        values = numbers(metrics)
        if self._writer is None:  # not before: a resumed run says where the curves continue
            writer = optional("torch.utils.tensorboard", "tensorboard", "TensorBoard").SummaryWriter
            self._writer = writer(self.folder, purge_step=self._purge_step)
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)
        self._writer.flush()

    def resume(self, step: int) -> None:
        """Hide, in TensorBoard, what was logged after ``step``."""
        self.close()
        self._writer, self._purge_step = None, step + 1

    def close(self) -> None:
        """See :class:`Sink`."""
        if self._writer is not None:
            self._writer.close()
