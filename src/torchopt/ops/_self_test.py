"""A test of the compiled kernels before their first use: steps of two optimizers."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from torchopt import native
from torchopt.formula import Graph, derivatives, kernel_name, optimizers
from torchopt.ops._evaluate import evaluate


def register() -> None:
    """Register the test, which runs when the kernels are loaded."""
    native.register_self_test(_difference)


def _difference(table: Mapping[str, int]) -> str | None:
    """Return which kernel is missing or wrong, or None."""
    for rescaling in (optimizers.adam, optimizers.adamax):
        graph = optimizers.formula((optimizers.decay, rescaling), apply=True)
        for derived in derivatives(graph):
            if kernel_name(derived) not in table:
                return f"{rescaling.__name__} has no kernel {derived.order}"
            for dtype in (torch.float32, torch.float64):
                error = _error(derived, table[kernel_name(derived)], dtype)
                if not error < 200 * torch.finfo(dtype).eps:
                    return f"{rescaling.__name__}, {derived.order}, {dtype}: relative error {error:.1e}"
    return None


def _error(graph: Graph, kernel: int, dtype: torch.dtype) -> float:
    """Return the largest relative difference between a kernel and PyTorch's operations."""
    # Not random: the user's random number generator must not advance.
    grid = torch.arange(1, 38, dtype=dtype, device="cpu")
    tensors = [(0.3 + (grid * (k + 1)).sin().abs()) for k in range(len(graph.tensors))]
    scalars = [0.3 + 0.05 * k for k in range(len(graph.scalars))]
    modes = [1] * (len(graph.tensors) + len(graph.outputs))
    actual = torch.ops.torchopt.fused(tensors, kernel, 1, modes, scalars)
    outputs, sums = evaluate(graph, tensors, scalars)
    expected = [*outputs, *([torch.stack(sums)] if sums else [])]
    return max(
        float(((a - b).abs() / (1 + b.abs())).max()) for a, b in zip(actual, expected, strict=True)
    )
