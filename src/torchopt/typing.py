"""The words of annotations, for programs: those of trees, and the types of transformations."""

from torchopt.io.names import publish as _publish
from torchopt.pytree import typing as _words
from torchopt.pytree.typing import *
from torchopt.transform import (
    ChainedGradientTransformation,
    EmptyState,
    GradientTransformation,
    UninitializedState,
)

__all__ = [
    "ChainedGradientTransformation",
    "EmptyState",
    "GradientTransformation",
    "UninitializedState",
]
__all__ += _words.__all__

_publish(__name__)
