"""Gradient clipping, under the published package's name."""

from torchopt.transform import clip_grad_norm

__all__ = ["clip_grad_norm"]
