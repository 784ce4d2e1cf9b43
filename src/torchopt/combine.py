"""Combinators of gradient transformations, under the published package's name."""

from torchopt.io.names import publish as _publish
from torchopt.transform.chaining import chain
from torchopt.transform.chaining_leaves import chain_flat

__all__ = ["chain", "chain_flat"]

_publish(__name__)
