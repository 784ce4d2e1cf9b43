"""Sinks by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from torchopt.logging._console import Console
from torchopt.logging._csv import CSV
from torchopt.logging._jsonl import JSONLines
from torchopt.logging._sink import Several, Sink
from torchopt.logging._tensorboard import TensorBoard
from torchopt.logging._wandb import WandB

__all__ = ["check_sink", "make_sink"]

_SINKS: dict[str, Callable[[Path], Sink]] = {
    "none": lambda folder: Several(),
    "console": lambda folder: Console(),
    "jsonl": lambda folder: JSONLines(folder / "metrics.jsonl"),
    "csv": lambda folder: CSV(folder / "metrics.csv"),
    "tensorboard": lambda folder: TensorBoard(folder / "tensorboard"),
    "wandb": lambda folder: WandB(folder),
}


def make_sink(
    sink: str | Sink | Sequence[str | Sink], folder: str | os.PathLike[str] | None = None
) -> Sink:
    """Return the sink of a name.

    Args:
        sink: One of ``"none"``, ``"console"``, ``"jsonl"``, ``"csv"``, ``"tensorboard"`` and
            ``"wandb"``, a sink, or a list or tuple of such.
        folder: Where sinks that are asked for by name write; ``runs`` by default.

    Returns:
        The sink.

    Raises:
        ImportError: If the package of a sink is not installed; it names the extra that installs it.
        ValueError: If there is no sink of that name.
        TypeError: If an object lacks a method of :class:`Sink`.

    Example:
        >>> make_sink(["console", "none"]).log({"loss": 1.5}, step=3)
        step 3 | loss 1.5
    """
    check_sink(sink)
    if isinstance(sink, str):
        return _SINKS[sink](Path("runs" if folder is None else folder))
    if isinstance(sink, (list, tuple)):
        return Several(*(make_sink(each, folder) for each in sink))
    return cast(Sink, sink)


def check_sink(sink: Any) -> None:
    """Raise as :func:`make_sink` does for what is no sink, without making one."""
    if isinstance(sink, (list, tuple)):
        for each in sink:
            check_sink(each)
    elif isinstance(sink, str):
        if sink not in _SINKS:
            names = ", ".join(repr(name) for name in _SINKS)
            raise ValueError(f"There is no sink named {sink!r}: take one of {names}, or an object.")
    else:
        missing = [
            name for name in ("log", "resume", "close") if not callable(getattr(sink, name, None))
        ]
        if missing or isinstance(sink, type):
            raise TypeError(
                f"A sink is a name, or an object with the methods `log(metrics, step)`, "
                f"`resume(step)` and `close()`; {sink!r} lacks "
                f"{', '.join(f'`{name}`' for name in missing) or 'being made'}."
            )
