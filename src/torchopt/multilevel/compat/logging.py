"""Betty's loggers: lines on the console, and metrics in a sink of :mod:`torchopt.logging`."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from typing import Any

from torchopt import checks
from torchopt.logging import Several, Sink, make_sink

__all__ = ["LoggerBase", "TensorBoardLogger", "WandBLogger", "get_logger", "logger"]


class _Console(logging.StreamHandler[Any]):
    """A handler of the standard output of the moment, which may be redirected."""

    @property
    def stream(self) -> Any:
        return sys.stdout

    @stream.setter
    def stream(self, stream: Any) -> None:
        """The standard output is always that of the moment."""


def get_logger() -> logging.Logger:
    """Return the logger that writes lines to the standard output."""
    log = logging.getLogger(__name__)
    if not log.handlers:
        form = "[%(asctime)s] [%(levelname)s] %(message)s"
        handler = _Console()
        handler.setFormatter(logging.Formatter(form, "%Y-%m-%d %H:%M:%S"))
        log.addHandler(handler)
        log.setLevel(logging.INFO)
        log.propagate = False
    return log


class LoggerBase:
    """Writes lines to the console, and metrics to a sink.

    Args:
        sink: The sink; none by default.
    """

    debug = staticmethod(get_logger().debug)
    info = staticmethod(get_logger().info)
    warning = staticmethod(get_logger().warning)
    error = staticmethod(get_logger().error)

    def __init__(self, sink: Sink | None = None) -> None:
        self.sink: Sink = sink or Several()

    def log(
        self, stats: Mapping[str, Any] | None, tag: str | None = None, step: int | None = None
    ) -> None:
        """Write metrics to the sink, under names that begin with the tag."""
        flat: dict[str, Any] = {}
        for key, values in (stats or {}).items():
            name = key if tag is None else f"{tag}/{key}"
            several = isinstance(values, list | tuple)
            for index, value in enumerate(values) if several else [("", values)]:
                flat[f"{name}_{index}" if several else name] = value
        if flat:
            self.sink.log(flat, step or 0)

    def close(self) -> None:
        """Close the sink."""
        self.sink.close()


class TensorBoardLogger(LoggerBase):
    """Writes metrics for TensorBoard."""

    def __init__(self) -> None:
        super().__init__(make_sink("tensorboard"))


class WandBLogger(LoggerBase):
    """Writes metrics to Weights & Biases."""

    def __init__(self) -> None:
        super().__init__(make_sink("wandb"))


def logger(logger_type: Any = "none", folder: Any = None) -> LoggerBase:
    """Return the logger of a name, or of a sink; one without a sink if its package is missing."""
    try:
        return LoggerBase(make_sink(logger_type, folder))
    except ImportError as error:
        checks.warn(f"{error} Metrics go to the console only.")
        return LoggerBase()
