"""Combinators of gradient transformations, where TorchOpt 0.7.3 has them."""

from torchopt.io.names import publish as _publish
from torchopt.transform import chain
from torchopt.transform.chaining_leaves import chain_flat

__all__ = ["chain", "chain_flat"]

_publish(__name__)
