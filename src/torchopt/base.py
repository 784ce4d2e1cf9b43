"""The protocol of gradient transformations, under the published package's name."""

from torchopt.io.names import publish as _publish
from torchopt.transform.chaining import (
    ChainedGradientTransformation,
    EmptyState,
    GradientTransformation,
    GradientTransformationExtraArgs,
    IdentityGradientTransformation,
    UninitializedState,
    identity,
)

__all__ = [
    "ChainedGradientTransformation",
    "EmptyState",
    "GradientTransformation",
    "GradientTransformationExtraArgs",
    "IdentityGradientTransformation",
    "UninitializedState",
    "identity",
]

_publish(__name__)
