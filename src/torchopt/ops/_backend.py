"""Which compiled kernel runs a graph on which kind of device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch

from torchopt import native
from torchopt.native import cuda
from torchopt.ops._emit import functor, header, kernel_name
from torchopt.ops._graph import Graph

__all__ = [
    "BACKENDS",
    "DTYPES",
    "Kernel",
    "compile_formula",
    "derivatives",
    "functor_of",
    "kernel_of",
]

#: Called with tensors, modes, the number of leaves and scalars; returns outputs and a tensor of sums.
Kernel = Callable[[Sequence[torch.Tensor], Sequence[int], int, Sequence[Any]], list[torch.Tensor]]

#: The dtypes that there are kernels for.
DTYPES = (torch.float32, torch.float64)

# Order three and above runs as PyTorch's operations, through which autograd can go on.
_ORDERS = {"forward", "vjp", "vjps", "jvp", "vjp_vjp", "vjps_vjps"}


# Addresses of kernels that were compiled at run time.
_COMPILED: dict[str, int] = {}


def derivatives(root: Graph) -> tuple[Graph, ...]:
    """Return the graphs of a formula that get kernels, itself the first."""
    vjp, vjps = root.vjp, root.vjps
    return root, vjp, vjps, root.jvp, vjp.vjp, vjps.vjps


def compile_formula(root: Graph) -> bool:
    """Compile the kernels of a formula for the CPU, where they are not there.

    Binaries are kept in the user's cache, so that this takes seconds once.

    Returns:
        Whether they are there now.

    Raises:
        CompileError: If the compiler refuses.
    """
    if native.is_live() and _on_cpu(root) is None:
        _COMPILED.update(native.compile_kernels(header((g, "") for g in derivatives(root))))
        for graph in derivatives(root):
            graph.__dict__.pop("_kernels", None)
    return _on_cpu(root) is not None


def _on_cpu(graph: Graph) -> Kernel | None:
    name = kernel_name(graph)
    address = native.kernel(name) or _COMPILED.get(name)
    return None if address is None else partial(_fused, address)


def _fused(
    kernel: int,
    tensors: Sequence[torch.Tensor],
    modes: Sequence[int],
    leaves: int,
    scalars: Sequence[Any],
) -> list[torch.Tensor]:
    operands = tensors
    if not all(map(torch.Tensor.is_contiguous, operands)):
        operands = [t.contiguous() for t in operands]
    numbers = [float(h) for h in scalars]
    return torch.ops.torchopt.fused(operands, kernel, leaves, modes, numbers)


def _on_gpu(graph: Graph) -> Kernel | None:
    if cuda.unavailable() is not None:
        return None
    return partial(cuda.fused, functor_of(graph))


def functor_of(graph: Graph) -> cuda.Functor:
    """Return the functor of a graph with its text, for compilation at run time."""
    return cuda.Functor(
        name=kernel_name(graph),
        text=functor(graph),
        inputs=len(graph.tensors),
        outputs=len(graph.outputs),
        scalars=len(graph.scalars),
        sums=len(graph.sums),
    )


#: For each type of device, what finds the kernel of a graph.
BACKENDS: dict[str, Callable[[Graph], Kernel | None]] = {"cpu": _on_cpu, "cuda": _on_gpu}


def kernel_of(graph: Graph, like: torch.Tensor) -> Kernel | None:
    """Return the compiled kernel of a graph for tensors like this one, or None."""
    find = BACKENDS.get(like.device.type)
    if find is None or graph.order not in _ORDERS or like.dtype not in DTYPES:
        return None
    known: dict[Any, Kernel | None] = graph.__dict__.setdefault("_kernels", {})
    if find not in known:
        known[find] = find(graph)
    return known[find]
