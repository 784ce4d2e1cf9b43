"""The name under which existing programs import the module."""

from torchopt.nn import ImplicitMetaGradientModule

__all__ = ["ImplicitMetaGradientModule"]
