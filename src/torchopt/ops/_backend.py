"""Which compiled kernel runs a graph on which kind of device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any

import torch
from torch.fx.experimental.proxy_tensor import get_proxy_mode

from torchopt import checks, native
from torchopt.autodiff import aliases, transforms
from torchopt.formula import Graph, derivatives, functor, header, kernel_name
from torchopt.native import cuda

#: Called with tensors, modes, the number of leaves and scalars; returns outputs and a tensor of sums.
#: Tensors to write into come last.
Kernel = Callable[[Sequence[torch.Tensor], Sequence[int], int, Sequence[Any]], list[torch.Tensor]]

#: How an output travels that is written into given tensors, which may be inputs.
INTO_LIST = cuda.LIST + 1

#: The dtypes that there are kernels for.
DTYPES = frozenset({torch.float32, torch.float64})

_is_contiguous = torch.Tensor.is_contiguous

# Order three and above runs as PyTorch's operations, through which autograd can go on.
_ORDERS = {"forward", "vjp", "vjps", "jvp", "vjp_vjp", "vjps_vjps"}


# Addresses of kernels that were compiled at run time.
_COMPILED: dict[str, int] = {}


def is_live() -> bool:
    """Whether kernels run on the CPU; the first call loads and tests them."""
    return native.is_live()


def compile_formula(root: Graph) -> bool:
    """Compile the kernels of a formula for the CPU, where they are not there.

    Binaries are kept in the user's cache, so that this takes seconds once.

    Returns:
        Whether they are there now.

    Warns:
        UserWarning: Once for a formula, if it cannot be compiled: there is no compiler, it refuses, or
            the cache cannot be written.
    """
    if not native.is_live() or "_refused" in root.__dict__:
        return False
    if _on_cpu(root) is None:
        try:
            compiled = native.compile_kernels(header([root]))
        except Exception as error:  # whatever happens to kernels, PyTorch's operations run
            root.__dict__["_refused"] = True
            checks.warn(
                f"no kernel could be compiled ({error}); PyTorch's operations run instead, with the "
                f"same numbers to rounding."
            )
            return False
        _COMPILED.update(compiled)
        for graph in derivatives(root):
            graph.__dict__.pop("_kernels", None)
    return _on_cpu(root) is not None


def _on_cpu(graph: Graph) -> Kernel | None:
    name = kernel_name(graph)
    address = native.kernels().get(name) or _COMPILED.get(name)
    return None if address is None else partial(_fused, torch.ops.torchopt.fused.default, address)


def _fused(
    driver: Callable[..., list[torch.Tensor]],
    kernel: int,
    tensors: Sequence[torch.Tensor],
    modes: Sequence[int],
    leaves: int,
    scalars: Sequence[Any],
) -> list[torch.Tensor]:
    operands = tensors
    if not all(map(_is_contiguous, tensors)):
        operands, modes = _without_targets(tensors, modes, leaves)
        operands = _same_layout(operands, leaves)
    numbers = [*map(float, scalars)]
    try:
        return driver(operands, kernel, leaves, modes, numbers)
    except RuntimeError:  # of autograd's zeros without memory, whose copies have some
        return driver([*map(torch.clone, operands)], kernel, leaves, modes, numbers)


def _without_targets(
    tensors: Sequence[torch.Tensor], modes: Sequence[int], leaves: int
) -> tuple[Sequence[torch.Tensor], Sequence[int]]:
    """Return tensors without those to write into, and modes by which new ones are made."""
    count = leaves * modes.count(INTO_LIST)
    return tensors[: len(tensors) - count], [fresh_mode(mode) for mode in modes]


def fresh_mode(mode: int) -> int:
    """Return the mode of an output that is made, for one that is written into given tensors."""
    return cuda.LIST if mode == INTO_LIST else mode


def _same_layout(tensors: Sequence[torch.Tensor], leaves: int) -> list[torch.Tensor]:
    """Return dense tensors; those of a leaf in one memory format: channels last if one of them is."""
    formats = []
    for index in range(leaves):
        column = tensors[index::leaves]
        known = {4: torch.channels_last, 5: torch.channels_last_3d}.get(column[0].dim())
        wanted = torch.contiguous_format
        if known is not None and any(
            t.is_contiguous(memory_format=known) and not t.is_contiguous() for t in column
        ):
            wanted = known
        formats.append(wanted)
    return [t.contiguous(memory_format=formats[k % leaves]) for k, t in enumerate(tensors)]


def _on_gpu(graph: Graph) -> Kernel | None:
    if cuda.unavailable() is not None:
        return None
    return partial(_fused_on_gpu, functor_of(graph))


def _fused_on_gpu(
    functor: cuda.Functor,
    tensors: Sequence[torch.Tensor],
    modes: Sequence[int],
    leaves: int,
    scalars: Sequence[Any],
) -> list[torch.Tensor]:
    # The driver of the CPU is an operator, for which PyTorch takes them off.
    tensors = [*map(transforms.unwrap_dead, tensors)]
    scalars = [transforms.unwrap_dead(x) if isinstance(x, torch.Tensor) else x for x in scalars]
    inputs, fresh = _without_targets(tensors, modes, leaves)
    targets = tensors[len(inputs) :]
    if not targets or not all(map(_is_contiguous, targets)):
        return cuda.fused(functor, inputs, fresh, leaves, scalars, allocate=_allocate)
    rest = iter(targets)
    given = [mode == INTO_LIST for mode in modes[functor.inputs :]]
    out = [[*islice(rest, leaves)] if is_given else None for is_given in given]
    return cuda.fused(functor, inputs, fresh, leaves, scalars, out=out, allocate=_allocate)


def _allocate(like: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Return tensors of these shapes in one buffer: a GPU's allocator takes a while for each."""
    if len(like) == 1:
        return [torch.empty_like(like[0])]
    *starts, total = cuda.offsets(tuple(map(torch.Tensor.numel, like)), like[0].dtype.itemsize)
    return aliases.parts(like[0].new_empty(total), starts, like)


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
    if get_proxy_mode() is not None:  # proxies trace operations
        return None
    known: dict[Any, Kernel | None] = graph.__dict__.setdefault("_kernels", {})
    if find not in known:
        known[find] = find(graph)
    return known[find]
