"""Applying updates, under the published package's name."""

from torchopt.transform.applying import apply_updates

__all__ = ["apply_updates"]
