"""One backward pass without effects: the gradient that each node receives, and what it sends on.

Hooks on the nodes measure and are removed again; ``.grad`` is not written, the graph stays, and random
generators are restored.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch.autograd.graph import GradientEdge, Node
from torch.utils.hooks import RemovableHandle

from torchopt.autodiff.generators import at_states, generator_states
from torchopt.errors import TorchOptWarning
from torchopt.visual._names import leaf_of
from torchopt.visual._walk import Walk, tensors_of


class BlockedError(RuntimeError):
    """No gradient can be computed.

    Attributes:
        kind: ``"freed"`` (a backward pass has freed the graph), ``"overwritten"`` (a saved tensor was
            written to in place) or ``"refused"`` (an operation raised an error in its backward pass).
        position: The operation that refused.
    """

    def __init__(self, kind: str, message: str, position: int = 0) -> None:
        super().__init__(message)
        self.kind, self.position = kind, position


@dataclass(frozen=True)
class Flow:
    """Norms of the gradients in a backward pass; NaN and infinity where an entry is.

    Attributes:
        arrived: For each output of a node that a gradient reached, ``(position, output)``, its norm.
        sent: What a node sent to its inputs, by position; None where it sent nothing.
        order: The positions in the order in which the backward pass met them.
    """

    arrived: dict[tuple[int, int], float]
    sent: dict[int, list[float | None]]
    order: list[int]

    @cached_property
    def totals(self) -> dict[int, float]:
        """The norm of the gradients that reached the outputs of each node, by position."""
        totals: dict[int, float] = {}
        for (position, _), norm in self.arrived.items():
            totals[position] = math.hypot(totals.get(position, 0.0), norm)
        return dict(sorted(totals.items()))


def flow(outputs: Any, walk: Walk) -> Flow:
    """Differentiate once, and measure the gradient at every node.

    Args:
        outputs: A tensor or a tree of tensors.
        walk: Their graph.

    Raises:
        BlockedError: If the graph was freed, what it needs was written to in place, or an operation
            cannot be differentiated.

    Example:
        >>> import torch
        >>> from torchopt.visual._walk import walk
        >>> x = torch.tensor([3.0, 4.0], requires_grad=True)
        >>> y = (x ** 2).sum()
        >>> flow(y, walk(y)).totals  # the leaf, the square, the sum
        {0: 10.0, 1: 1.4142135623730951, 2: 1.0}
    """
    tensors = [t for _, t in tensors_of(outputs) if t.requires_grad]
    ends = [k for k, node in enumerate(walk.nodes) if not node.next_functions]
    if not tensors or not ends:
        return Flow({}, {}, [])
    seen: list[tuple[int, tuple[Any, ...], tuple[Any, ...]]] = []

    def hook_of(position: int) -> Callable[[Any, Any], None]:
        def hook(sent: tuple[Any, ...], arrived: tuple[Any, ...]) -> None:
            seen.append((position, tuple(map(_measure, arrived)), tuple(map(_measure, sent))))

        return hook

    # A recomputation in a backward pass may draw random numbers, and nobody asked for its warnings.
    with (
        _hooked(walk.nodes, hook_of),
        at_states(generator_states()),
        torch.no_grad(),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", TorchOptWarning)
        try:
            reached = torch.autograd.grad(
                tensors,
                [GradientEdge(walk.nodes[k], 0) for k in ends],
                [torch.ones_like(t) for t in tensors],
                retain_graph=True,
                allow_unused=True,
            )
        except Exception as error:  # a user's own backward may raise anything
            if "through the graph a second time" in str(error):
                raise BlockedError(
                    "freed",
                    "the graph was freed by an earlier backward pass, so that no gradient can be "
                    "computed: look before it, or pass `retain_graph=True` to it.",
                ) from error
            if "modified by an inplace operation" in str(error):
                raise BlockedError(
                    "overwritten",
                    "a tensor that the gradient needs was written to in place after it had been used, "
                    "so that PyTorch refuses to differentiate.",
                ) from error
            # What was made last is differentiated first.
            position = max(set(range(len(walk.nodes))) - {k for k, *_ in seen} - set(ends))
            first = str(error).partition("\n")[0].strip().rstrip(".")
            text = f"the backward pass stops with {type(error).__name__}: {first}."
            raise BlockedError("refused", text, position) from error
        for k, gradient in zip(ends, reached, strict=True):
            if leaf_of(walk.nodes[k]) is not None:
                seen.append((k, (_measure(gradient),), ()))
    numbers = iter(_read([m for _, *both in seen for side in both for m in side if m is not None]))
    arrived: dict[tuple[int, int], float] = {}
    sent: dict[int, list[float | None]] = {}
    for position, came, went in seen:
        for output, measure in enumerate(came):
            if measure is not None:
                arrived[position, output] = next(numbers)
        sent[position] = [None if measure is None else next(numbers) for measure in went]
    return Flow(arrived, sent, [position for position, *_ in seen])


@contextmanager
def _hooked(
    nodes: list[Node], hook_of: Callable[[int], Callable[[Any, Any], None]]
) -> Iterator[None]:
    handles: list[RemovableHandle] = []
    try:
        handles.extend(node.register_hook(hook_of(k)) for k, node in enumerate(nodes))
        yield
    finally:
        for handle in handles:
            handle.remove()


def _measure(gradient: torch.Tensor | None) -> torch.Tensor | None:
    """Return the largest absolute value, and the norm divided by it.

    So the squares neither overflow nor underflow.
    """
    if gradient is None:
        return None
    values = gradient.detach()
    if values.layout is torch.sparse_coo:
        values = values.coalesce().values()
    elif values.layout is not torch.strided:
        values = values.values()
    sizes = values.abs().to(torch.float32 if values.device.type == "mps" else torch.float64)
    if sizes.numel() == 0:
        return sizes.new_zeros(2)
    peak = sizes.amax()
    return torch.stack([peak, torch.linalg.vector_norm(sizes / peak)])


def _read(measures: list[torch.Tensor]) -> list[float]:
    """Return norms as numbers, with one transfer for each device."""
    norms = [0.0] * len(measures)
    for device in {m.device for m in measures}:
        here = [k for k, m in enumerate(measures) if m.device == device]
        for k, (peak, scaled) in zip(
            here, torch.stack([measures[k] for k in here]).tolist(), strict=True
        ):
            norms[k] = peak * scaled if peak != 0 and math.isfinite(peak) else peak
    return norms
