"""Gradient transformations and their states, where TorchOpt 0.7.3 has them."""

from torchopt.io.names import publish as _publish
from torchopt.transform import (
    ChainedGradientTransformation,
    EmptyState,
    GradientTransformation,
    UninitializedState,
    identity,
)

__all__ = [
    "ChainedGradientTransformation",
    "EmptyState",
    "GradientTransformation",
    "UninitializedState",
    "identity",
]

_publish(__name__)
