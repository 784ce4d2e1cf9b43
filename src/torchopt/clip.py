"""Gradient clipping, where TorchOpt 0.7.3 has it."""

from torchopt.io.names import publish as _publish
from torchopt.transform import clip_grad_norm

__all__ = ["clip_grad_norm"]

_publish(__name__)
