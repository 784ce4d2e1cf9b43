"""Implicit differentiation: the mode, and the decorators that are faces of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torchopt.diff.implicit._decorators import custom_fixed_point, custom_root
from torchopt.diff.implicit._mode import Implicit

if TYPE_CHECKING:
    from torchopt.nn import ImplicitMetaGradientModule

__all__ = ["Implicit", "ImplicitMetaGradientModule", "custom_fixed_point", "custom_root"]


def __getattr__(name: str) -> Any:
    # Modules lean on the modes, so theirs is looked up only when asked for.
    if name == "ImplicitMetaGradientModule":
        from torchopt.nn import ImplicitMetaGradientModule

        return ImplicitMetaGradientModule
    if name == "nn":
        import importlib

        return importlib.import_module("torchopt.diff.implicit.nn")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
