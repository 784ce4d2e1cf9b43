"""Regions of activations that ``torch.utils.checkpoint`` computes again in the backward pass.

It knows neither modes of operators nor buffers of modules, so that what it computes again may differ.
What would be wrong is refused; :func:`torchopt.remat` knows both.
"""

from __future__ import annotations

from typing import Any

import torch

from torchopt.autodiff.graph import nodes_reached
from torchopt.autodiff.tracking import top_hooks

INSTEAD = "call `torchopt.remat(function)(x)` in the place of `checkpoint(function, x)`"


def refuse_region(around: Any) -> None:
    """Raise in a region that would be computed again by other operators.

    Args:
        around: The innermost hooks on saved tensors where the mode of operators was entered.
    """
    hooks = top_hooks(True)
    if hooks != around and getattr(hooks[0], "__module__", "") == "torch.utils.checkpoint":
        raise RuntimeError(
            "activation checkpointing saves little in a gradient that is differentiated again, and "
            f"would compute it by other operators: turn it off there, or {INSTEAD}."
        )


def refuse_reentrant(output: torch.Tensor) -> None:
    """Raise if a graph has a region of which ``torch.autograd.grad`` finds no gradients of parameters.

    Args:
        output: The root of the graph; some of its gradients are None.

    Raises:
        RuntimeError: If activations are checkpointed with ``use_reentrant=True``.
    """
    for node in nodes_reached([output]):
        if node.name() == "CheckpointFunctionBackward":
            raise RuntimeError(
                "a part of the program checkpoints activations with use_reentrant=True, so that "
                "`torch.autograd.grad` finds no gradient of the parameters in it: use "
                "`checkpoint(..., use_reentrant=False)`."
            )
