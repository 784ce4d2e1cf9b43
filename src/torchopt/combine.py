"""Combinators of gradient transformations, under the published package's name."""

from torchopt.transform.chaining import chain

#: For flat lists of tensors, which are trees like any other.
chain_flat = chain

__all__ = ["chain", "chain_flat"]
