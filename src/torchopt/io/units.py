"""Sizes of memory in words."""

from __future__ import annotations


def size(count: int) -> str:
    """Return a number of bytes in words, such as ``1.5 KiB``."""
    if count < 1024:
        return f"{count} B"
    value = float(count)
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        value /= 1024
        if value < 1024 or unit == "TiB":
            break
    return f"{value:.1f} {unit}"
