"""Gradient hooks, where TorchOpt 0.7.3 has them."""

from torchopt.io.names import publish as _publish
from torchopt.transform import nan_to_num_hook, register_hook, zero_nan_hook

__all__ = ["nan_to_num_hook", "register_hook", "zero_nan_hook"]

_publish(__name__)
