"""Gradient hooks, under the published package's name."""

from torchopt.io.names import publish as _publish
from torchopt.transform.hooks import nan_to_num_hook, register_hook, zero_nan_hook

__all__ = ["nan_to_num_hook", "register_hook", "zero_nan_hook"]

_publish(__name__)
