"""Applying updates, where TorchOpt 0.7.3 has it."""

from torchopt.io.names import publish as _publish
from torchopt.transform import apply_updates

__all__ = ["apply_updates"]

_publish(__name__)
