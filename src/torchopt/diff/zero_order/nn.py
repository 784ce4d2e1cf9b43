"""The name under which existing programs import the module."""

from torchopt.nn import ZeroOrderGradientModule

__all__ = ["ZeroOrderGradientModule"]
