"""Whether fused update operators are there. They come with the runtime; until then there are none."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

__all__ = ["is_available"]


def is_available(devices: str | Any | Iterable[Any] | None = None) -> bool:
    """Whether fused update operators are there for all of these devices.

    Args:
        devices: A device or several; by default all devices.

    Returns:
        False: this release has none.

    Example:
        >>> is_available("cpu")
        False
    """
    return False


def warn_if_unavailable() -> None:
    """Warn that the plain operations run where fused ones were asked for."""
    if not is_available():
        warnings.warn(
            "use_accelerated_op=True: this release has no fused update operators; the plain PyTorch "
            "operations run instead, with the same numbers.",
            stacklevel=3,
        )
