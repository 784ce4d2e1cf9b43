"""The gradient of a whole program, as a part of that program where it is compiled.

Then the program and its gradient are one graph without autograd: nothing is saved for a backward pass,
and one call runs all of it. While ``torch.compile`` traces, the gradient is a mark; in the graph that
comes out, :func:`place_gradients` replaces the mark by :func:`torch.autograd.grad`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import torch
from torch import fx


def gradients_of(loss: torch.Tensor, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Return the gradients of a scalar, without a graph: zero for inputs that it does not depend on.

    Raises:
        ValueError: If it depends on none of the inputs.
    """
    if torch.compiler.is_compiling():
        return list(_mark(loss, *inputs))
    return list(_gradients(loss, *inputs))


def place_gradients(graph: fx.GraphModule) -> None:
    """Put gradients in the place of their marks."""
    for node in graph.graph.find_nodes(op="call_function", target=_mark):
        node.target = _gradients
    graph.recompile()


def _gradients(loss: torch.Tensor, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
    gradients = torch.autograd.grad(loss.squeeze(), inputs, allow_unused=True)
    if all(g is None for g in gradients):
        raise ValueError(
            "the loss does not depend on the arguments to differentiate by: compute it from "
            "them, or choose others by `argnums`."
        )
    return tuple(
        torch.zeros_like(x) if g is None else g.detach()
        for x, g in zip(inputs, gradients, strict=True)
    )


def _mark(loss: torch.Tensor, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return tuple(x.detach().view_as(x) for x in inputs)


@functools.cache
def register() -> None:
    """Let the mark be an operation of traced graphs."""
    torch.compiler.allow_in_graph(_mark)


IN_GRAPHS = (_mark, _gradients)
"""Functions that stand in graphs."""
