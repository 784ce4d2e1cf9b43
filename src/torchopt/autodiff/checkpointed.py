"""What a checkpointed region of activations sees when it is computed again.

PyTorch restores random numbers and autocast there. Modes of operators and buffers of modules are as
they happen to be in the backward pass, unless they are noted here during the evaluation.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils.checkpoint import _CheckpointFrame

from torchopt.autodiff.captured import nodes_reached

__all__ = [
    "Fingerprint",
    "Recomputation",
    "ReplayWarning",
    "hooks_aside",
    "refuse_reentrant",
    "regions",
    "rounding",
    "without_hooks",
]


class ReplayWarning(UserWarning):
    """A step, or a block of `torchopt.remat`, did not give the same bits when it was computed again.

    Attributes:
        difference: How far it was off, relative to the norm of what was compared.
    """

    difference: float


class Recomputation:
    """The recomputation of a region, in contexts.

    Attributes:
        contexts: Makes each context, by a key of its own.
    """

    def __init__(self, recompute: Callable[..., None]) -> None:
        self._recompute = recompute
        self.contexts: dict[Any, Callable[[], AbstractContextManager[Any]]] = {}

    def __call__(self, *args: Any) -> None:
        """Compute the region again, in its contexts."""
        with ExitStack() as stack:
            for context in self.contexts.values():
                stack.enter_context(context())
            self._recompute(*args)


_AROUND: ContextVar[tuple[Recomputation, ...]] = ContextVar(
    "regions whose hooks are aside", default=()
)


def regions() -> list[Recomputation]:
    """Return the regions that are being evaluated, the innermost first."""
    if torch.compiler.is_compiling():
        return []
    if torch._C._autograd._top_saved_tensors_default_hooks(True) is None:
        return list(_AROUND.get())
    with without_hooks() as hooks:
        closures = [inspect.getclosurevars(unpack).nonlocals for _, unpack in hooks]
    found = []
    # PyTorch has no way to ask for them, or to add a context afterwards.
    for frame in (closure.get("frame") for closure in closures):
        if isinstance(frame, _CheckpointFrame):
            if not isinstance(frame.recompute_fn, Recomputation):
                frame.recompute_fn = Recomputation(frame.recompute_fn)
            found.append(frame.recompute_fn)
    return [*found, *_AROUND.get()]


@contextmanager
def without_hooks() -> Iterator[list[Any]]:
    """Put hooks on saved tensors aside, and yield them."""
    hooks: list[Any] = []
    top: Callable[[bool], Any] = torch._C._autograd._top_saved_tensors_default_hooks
    while (pair := top(True)) is not None:
        hooks.append(pair)
        torch._C._autograd._pop_saved_tensors_default_hooks()
    try:
        yield hooks
    finally:
        for pack, unpack in reversed(hooks):
            torch._C._autograd._push_saved_tensors_default_hooks(pack, unpack)


@contextmanager
def hooks_aside() -> Iterator[None]:
    """Put hooks on saved tensors aside in an evaluation that their regions do again."""
    token = _AROUND.set(tuple(regions()))
    try:
        with without_hooks():
            yield
    finally:
        _AROUND.reset(token)


def refuse_reentrant(output: torch.Tensor) -> None:
    """Raise where a graph has a region whose parameters ``autograd.grad`` takes for unread.

    Args:
        output: Of which some gradients are None.

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


class Fingerprint:
    """What is kept of some tensors to tell later ones from them: of each, a random projection.

    The projection of a difference is about as large as its norm, whatever its direction is (Alon,
    Matias and Szegedy, *The Space Complexity of Approximating the Frequency Moments*, 1999).

    Args:
        tensors: The tensors; those that are not strided are left out.
    """

    def __init__(self, tensors: Iterable[torch.Tensor]) -> None:
        with torch._C.DisableTorchFunction():  # no mode need look at this
            self._projections = _projections(_strided(tensors))

    @property
    def size(self) -> float:
        """About the norm of all tensors together."""
        return float(torch.linalg.vector_norm(self._projections.nan_to_num()))

    def distance(
        self, tensors: Iterable[torch.Tensor], *, together: bool = False, floor: float = 0.0
    ) -> float:
        """Return how far other tensors are from these, relative to their norm; 0 if no bit differs.

        Args:
            tensors: The other tensors.
            together: Whether they count as one vector; else the one that is farthest off counts.
            floor: A difference that counts as none.
        """
        with torch._C.DisableTorchFunction():
            return self._distance(_strided(tensors), together, floor)

    def _distance(self, values: list[torch.Tensor], together: bool, floor: float) -> float:
        found = _projections(values)
        if found.shape != self._projections.shape:
            return math.inf
        if torch.equal(found, self._projections):
            return 0.0
        same = (found == self._projections) | (found.isnan() & self._projections.isnan())
        if bool(same.all()):
            return 0.0
        apart = torch.where(same, 0, (found - self._projections).abs())
        norms = torch.stack([_norm(t) for t in values]).to(apart)
        if together:
            apart, norms = torch.linalg.vector_norm(apart), torch.linalg.vector_norm(norms)
        off = float(torch.where(apart <= floor, 0, apart / norms).max())
        return math.inf if math.isnan(off) else off


def rounding(tensors: Iterable[torch.Tensor], autocast: Iterable[torch.dtype] = ()) -> float:
    """Return by what part of their norm results may differ that are computed twice.

    Operations that are not deterministic differ in the last digits, which cancellation moves forward:
    what agrees to half of the digits of the least precise dtype counts as the same.

    Args:
        tensors: The results; those that are not floating must not differ at all.
        autocast: Further dtypes of the computation.
    """
    dtypes = {t.dtype for t in tensors} | set(autocast)
    moving = [d for d in dtypes if d.is_floating_point or d.is_complex]
    return max((torch.finfo(d).eps for d in moving), default=0.0) ** 0.5


def _strided(tensors: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    return [t.detach() for t in tensors if t.layout == torch.strided]


def _norm(t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.vector_norm(_entries(t).to(torch.float64)).cpu()


def _entries(t: torch.Tensor) -> torch.Tensor:
    """Return the entries of a tensor, real and in a row."""
    if t.dtype.itemsize == 1:  # which has no arithmetic
        t = t.float()
    return (torch.view_as_real(t.resolve_conj()) if t.is_complex() else t).flatten()


def _projections(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return the projection of each tensor, in one tensor on the CPU."""
    found: list[torch.Tensor] = []
    pack: list[torch.Tensor] = []  # of small ones, which are projected at once
    size = 0

    def unpack() -> None:
        nonlocal size
        if len(pack) == 1:
            found.append(_projected(pack[0]).cpu().view(1))
        elif pack:
            lengths = torch.tensor([x.numel() for x in pack], device=pack[0].device)
            values = torch.cat(pack) * _directions(pack[0].device)[:size]
            found.append(torch.segment_reduce(values, "sum", lengths=lengths, unsafe=True).cpu())
        pack.clear()
        size = 0

    for t in tensors:
        entries = _entries(t)
        room = _directions(t.device).numel()
        if size + entries.numel() > room or (pack and pack[0].device != t.device):
            unpack()
        if entries.numel() > room:
            found.append(_projected(entries).cpu().view(1))
        else:
            pack.append(entries.to(torch.float64))
            size += entries.numel()
    unpack()
    return torch.cat([torch.zeros(0, dtype=torch.float64), *found])


def _projected(t: torch.Tensor) -> torch.Tensor:
    # In parts, since each takes twice the memory of its entries for a moment.
    directions = _directions(t.device)
    if len(t) <= len(directions):
        return (t * directions[: len(t)]).sum()
    return _projected(torch.stack([_projected(part) for part in t.split(len(directions))]))


@functools.lru_cache(maxsize=16)
def _directions(device: torch.device) -> torch.Tensor:
    # A CPU is fastest within its cache, and a GPU with few launches.
    size = 1 << (16 if device.type == "cpu" else 20)
    generator = torch.Generator().manual_seed(0)
    with _disable_current_modes(), temporarily_clear_interpreter_stack():  # it stays
        return torch.randn(size, generator=generator, dtype=torch.float64, device="cpu").to(device)
