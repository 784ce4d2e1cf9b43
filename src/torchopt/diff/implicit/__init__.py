"""Implicit differentiation; programs of TorchOpt 0.7.3 find its names here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchopt.diff.implicit.mode import Implicit

if TYPE_CHECKING:  # as 0.7.3 names them
    from torchopt.compat import ImplicitMetaGradientModule as ImplicitMetaGradientModule
    from torchopt.compat import custom_root as custom_root

__all__ = ["Implicit"]
