"""Applying updates, under the published package's name."""

from torchopt.io.names import publish as _publish
from torchopt.transform.applying import apply_updates

__all__ = ["apply_updates"]

_publish(__name__)
