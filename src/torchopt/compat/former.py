"""What programs take from modules of TorchOpt 0.7.3 that have no such place here."""

from __future__ import annotations

from typing import Any

import torch.distributed as dist
from torch.distributed import rpc

from torchopt.transform import (
    GradientTransformation,
    add_decayed_weights,
    chain,
    scale,
    scale_by_learning_rate,
)
from torchopt.transform.options import with_forms

__all__ = ["dist", "flip_sign_and_add_weight_decay", "rpc", "scale_by_neg_lr"]


@with_forms
def flip_sign_and_add_weight_decay(
    weight_decay: float = 0.0, maximize: bool = False
) -> GradientTransformation:
    """Negate gradients to maximize, and add weight decay."""
    decay = [add_decayed_weights(weight_decay)] if weight_decay else []
    return chain(*([scale(-1.0)] if maximize else []), *decay)


@with_forms
def scale_by_neg_lr(lr: Any) -> GradientTransformation:
    """Multiply by the negative learning rate, a number or a schedule."""
    return scale_by_learning_rate(lr)
