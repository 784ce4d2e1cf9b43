"""The protocol of gradient transformations, under the published package's name."""

from torchopt.transform.chaining import (
    ChainedGradientTransformation,
    EmptyState,
    GradientTransformation,
    IdentityGradientTransformation,
    UninitializedState,
    identity,
)

__all__ = [
    "ChainedGradientTransformation",
    "EmptyState",
    "GradientTransformation",
    "IdentityGradientTransformation",
    "UninitializedState",
    "identity",
]
