"""Applying updates, under the published package's name."""

from torchopt.transform._update import apply_updates

__all__ = ["apply_updates"]
