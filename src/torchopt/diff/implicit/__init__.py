"""Implicit differentiation: the mode, and the decorators that use it."""

from __future__ import annotations

from torchopt.diff.implicit._decorators import custom_fixed_point, custom_root
from torchopt.diff.implicit.mode import Implicit
from torchopt.diff.implicit.nn import ImplicitMetaGradientModule

__all__ = ["Implicit", "ImplicitMetaGradientModule", "custom_fixed_point", "custom_root"]
