"""Gradient hooks, under the published package's name."""

from torchopt.transform.hooks import nan_to_num_hook, register_hook, zero_nan_hook

__all__ = ["nan_to_num_hook", "register_hook", "zero_nan_hook"]
