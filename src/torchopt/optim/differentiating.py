"""The gradient of a loss that a step is given."""

from __future__ import annotations

from typing import Any

import torch

from torchopt.autodiff.second_order import gradient

__all__ = ["differentiate"]


def differentiate(loss: torch.Tensor, leaves: list[Any], *, create_graph: bool) -> list[Any]:
    """Return the gradient for each leaf: None if it requires no grad, or the loss does not use it."""
    inputs = [leaf for leaf in leaves if leaf is not None and leaf.requires_grad]
    if not inputs:
        raise ValueError("no parameter requires grad: there is nothing to optimize.")
    try:
        grads = gradient(loss, inputs, create_graph=create_graph, allow_unused=True)
    except RuntimeError as error:
        if "backward through the graph a second time" not in str(error):
            raise
        raise RuntimeError(
            "the graph of the loss is gone, since a backward pass has used it up: `step(loss)` "
            "differentiates the loss itself, so call no `backward()` on it before, nor on what it "
            "shares a graph with (or do so with `retain_graph=True`)."
        ) from error
    if all(g is None for g in grads):
        raise ValueError(
            "the loss does not depend on any of the parameters: compute it from the parameters that "
            "the optimizer was given."
        )
    remaining = iter(grads)
    return [next(remaining) if leaf is not None and leaf.requires_grad else None for leaf in leaves]
