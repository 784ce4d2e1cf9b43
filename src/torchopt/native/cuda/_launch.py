"""The Python interface of the GPU kernels: one call runs a formula over all leaves of a tree."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate

import torch

from torchopt.native.cuda._driver import gpu
from torchopt.native.cuda._functor import C_TYPES, Functor
from torchopt.native.cuda._launcher import Launcher
from torchopt.native.cuda._layout import COLUMNS, PARAMETER_BYTES, Launch, plan

# How an argument is given: not at all (zeros, or not wanted), or as a tensor for each leaf.
ABSENT, LIST = 0, 1

_Tensors = Sequence[torch.Tensor]

# Read by `map`, with no bytecode for each tensor.
_dtype, _device = torch.Tensor.dtype.__get__, torch.Tensor.device.__get__  # type: ignore[attr-defined]
_numel, _data_ptr = torch.Tensor.numel, torch.Tensor.data_ptr
_is_contiguous = torch.Tensor.is_contiguous


def empty_likes(like: _Tensors) -> list[torch.Tensor]:
    """Return a tensor of the shape of each of these; none is a view, which autograd would guard."""
    return [torch.empty_like(t) for t in like]


def fused(
    functor: Functor,
    tensors: _Tensors,
    modes: Sequence[int],
    leaves: int,
    scalars: Sequence[float | torch.Tensor],
    *,
    out: Sequence[_Tensors | None] | None = None,
    allocate: Callable[[_Tensors], list[torch.Tensor]] = empty_likes,
    launcher: Launcher | None = None,
) -> list[torch.Tensor]:
    """Run a formula over all elements of all leaves.

    The work is put on PyTorch's current stream of the tensors' device. Nothing waits for the GPU and
    nothing is copied to it, so calls after the first can be captured in a CUDA graph.

    Args:
        functor: The formula.
        tensors: The inputs that are present, one argument after another, ``leaves`` tensors each. Those
            that are not contiguous are copied.
        modes: For each input and then each output: 0 if it is absent (zeros, or not wanted), 1 if it
            is a list of tensors. At least one input is a list.
        leaves: The number of leaves.
        scalars: The formula's hyperparameters: numbers, or tensors of one element, which the kernel
            reads where they are on the GPU.
        out: Where results go, for each output: tensors, or None to make them. They may be inputs.
        allocate: Makes the tensors of a list output, given those of the first list input.
        launcher: What runs the kernels; by default the GPU.

    Returns:
        The wanted outputs, one after another; list outputs have the shapes of the first list input.
        Then, if the formula has sums, a float64 tensor of them on the same device. Sums have the
        same bits in every run.

    Raises:
        RuntimeError: If the arguments do not fit the formula or one another, or CUDA fails.
    """
    launcher = gpu() if launcher is None else launcher
    _check(
        len(modes) == functor.inputs + functor.outputs and {ABSENT, LIST}.issuperset(modes),
        "There is one mode, 0 or 1, for each argument.",
    )
    if not all(map(_is_contiguous, tensors)):
        tensors = [t.contiguous() for t in tensors]
    inputs = _arguments(tensors, modes[: functor.inputs], leaves)
    targets: Sequence[_Tensors | None] = [None] * functor.outputs if out is None else out
    _check(len(targets) == functor.outputs, "`out` has one entry for each output.")
    _check(LIST in modes[: functor.inputs], "At least one input is a list of tensors.")
    like = inputs[modes.index(LIST)]
    given = tensors if out is None else [*tensors, *(t for o in out for t in o or ())]
    dtype, device = _common_type(given, launcher)
    sizes = tuple(map(_numel, like))

    table = _Table(functor, sizes)
    for argument, way in zip(inputs, modes, strict=False):
        table.add(argument, way, "input")
    results: list[torch.Tensor] = []
    for target, way in zip(targets, modes[functor.inputs :], strict=True):
        if way == ABSENT:
            made: _Tensors = ()
        elif target is not None:
            made = target
            _check(
                all(map(_is_contiguous, made)),
                "An output is not contiguous; nothing can be written there.",
            )
        else:
            made = allocate(like)
        table.add(made, way, "output")
        results += made
    table.add_scalars(scalars, device)

    kernels = launcher.kernels(functor, dtype, device)
    stream = launcher.stream(device)
    dealt = plan(sizes, table.words, len(table.columns))
    partials = None
    if functor.sums:
        partials = torch.empty(dealt.chunks * functor.sums, dtype=torch.float64, device=device)
    for launch in dealt.launches:
        parameter = table.pack(launch, dealt.chunk, partials)
        launcher.launch(kernels.fused, launch.chunks, parameter, device, stream)
    if partials is not None:
        sums = torch.empty(functor.sums, dtype=torch.float64, device=device)
        parameter = struct.pack("<QQq", partials.data_ptr(), sums.data_ptr(), dealt.chunks)
        launcher.launch(kernels.finish, functor.sums, parameter, device, stream)
        results.append(sums)
    return results


@lru_cache
def _head(arguments: int, scalars: int) -> struct.Struct:
    """Return how the fields of ``Table`` before its words are packed."""
    return struct.Struct(f"<Qqq{arguments}q{'QQd' * scalars}")


class _Table:
    """The parameter of a launch, ``Table`` in ``cuda.cuh``, as bytes.

    It holds what the kernels read and write; memory that is freed later is reused in the order of
    the stream.
    """

    def __init__(self, functor: Functor, sizes: tuple[int, ...]) -> None:
        self._functor, self._sizes = functor, sizes
        self._arguments: list[int] = []  # the column of each
        self._scalars: list[int | float] = []  # two addresses and value of each
        self._held: list[torch.Tensor] = []  # scalars that were converted
        self.columns: list[list[int]] = []
        # C++ has no empty arrays.
        self._head = _head(functor.inputs + functor.outputs, max(functor.scalars, 1))
        self.words = (PARAMETER_BYTES - self._head.size) // 8

    def add(self, argument: _Tensors, way: int, role: str) -> None:
        """Append an argument."""
        if way == ABSENT:
            self._arguments.append(0)
            return
        found = tuple(map(_numel, argument))
        if found != self._sizes:
            raise RuntimeError(
                f"Leaves of an {role} have {found} elements, those of the first {self._sizes}."
            )
        self._arguments.append(COLUMNS + len(self.columns))
        self.columns.append([*map(_data_ptr, argument)])

    def add_scalars(self, scalars: Sequence[float | torch.Tensor], device: torch.device) -> None:
        """Append the hyperparameters; those on the device stay there."""
        count = self._functor.scalars
        _check(
            len(scalars) == count, f"The formula has {count} scalars; {len(scalars)} were given."
        )
        for x in scalars:
            if not isinstance(x, torch.Tensor):
                self._scalars += (0, 0, float(x))
                continue
            _check(x.numel() == 1, f"A scalar is a tensor of shape {tuple(x.shape)}.")
            if x.device == device:
                x = x if x.dtype in C_TYPES else x.double()
                self._held.append(x)
                f32, f64 = (x.data_ptr() if x.dtype == t else 0 for t in C_TYPES)
                self._scalars += (f32, f64, 0.0)
            else:
                _check(x.device.type == "cpu", f"A scalar is on {x.device}, tensors on {device}.")
                self._scalars += (0, 0, x.detach().item())
        if not count:
            self._scalars += (0, 0, 0.0)

    def pack(self, launch: Launch, chunk: int, partials: torch.Tensor | None) -> bytes:
        """Return the bytes of one launch."""
        terms = 0
        if partials is not None:
            terms = partials.data_ptr() + 8 * self._functor.sums * launch.first
        head = self._head.pack(terms, len(launch.leaves), chunk, *self._arguments, *self._scalars)
        pointers = array("Q", [column[leaf] for column in self.columns for leaf in launch.leaves])
        return b"".join((head, launch.words, pointers.tobytes())).ljust(PARAMETER_BYTES, b"\0")


def _check(holds: bool, sentence: str) -> None:
    if not holds:
        raise RuntimeError(sentence)


def _arguments(tensors: _Tensors, ways: Sequence[int], leaves: int) -> list[_Tensors]:
    """Split the tensors into arguments."""
    counts = [leaves if way == LIST else 0 for way in ways]
    if len(tensors) != sum(counts):
        raise RuntimeError(
            f"{len(tensors)} tensors were given; modes {ways} of {leaves} leaves are {sum(counts)}."
        )
    ends = accumulate(counts)
    return [tensors[end - count : end] for end, count in zip(ends, counts, strict=True)]


def _common_type(tensors: _Tensors, launcher: Launcher) -> tuple[torch.dtype, torch.device]:
    dtypes, devices = set(map(_dtype, tensors)), set(map(_device, tensors))
    if not len(dtypes) == len(devices) == 1:
        found = " and ".join(", ".join(sorted(map(str, kinds))) for kinds in (dtypes, devices))
        raise RuntimeError(f"All tensors of a call have one dtype and device; these have {found}.")
    (dtype,), (device,) = dtypes, devices
    _check(dtype in C_TYPES, f"Kernels are for float32 and float64 tensors, not {dtype}.")
    _check(
        device.type == launcher.device_type,
        f"These kernels run on {launcher.device_type} tensors; the tensors are on {device}.",
    )
    return dtype, device
