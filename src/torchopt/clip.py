"""Gradient clipping, under the published package's name."""

from torchopt.transform._clip_grad_norm import clip_grad_norm

__all__ = ["clip_grad_norm"]
