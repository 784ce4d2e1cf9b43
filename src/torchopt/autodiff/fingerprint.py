"""Whether results that are computed again are the same: by random projections of the first ones.

Equal bits are the same results. A difference within rounding is a warning, since some operations are
not deterministic; any other difference is an error, since the gradient would be wrong.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence

import torch
from torch.utils._python_dispatch import _disable_current_modes

from torchopt import checks
from torchopt.autodiff.transforms import outside
from torchopt.errors import ReplayWarning

__all__ = ["Fingerprint", "ReplayCheck", "rounding"]


class Fingerprint:
    """A random projection of each of some tensors, to tell whether later tensors are the same.

    The projection of a difference is about as large as its norm, whatever its direction is (Alon,
    Matias and Szegedy, *The Space Complexity of Approximating the Frequency Moments*, 1999).

    Args:
        tensors: The tensors; those that are not strided are left out.
    """

    def __init__(self, tensors: Iterable[torch.Tensor]) -> None:
        with torch._C.DisableTorchFunction():  # hidden from all modes
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
            floor: An absolute difference that counts as none.
        """
        with torch._C.DisableTorchFunction():
            return self._distance(_strided(tensors), together, floor)

    def _distance(self, values: list[torch.Tensor], together: bool, floor: float) -> float:
        first, later = self._projections, _projections(values)
        if later.shape != first.shape:
            return math.inf
        if torch.equal(later, first):
            return 0.0
        same = (later == first) | (later.isnan() & first.isnan())
        if bool(same.all()):
            return 0.0
        apart = torch.where(same, 0, (later - first).abs())
        norms = torch.stack([_norm(t) for t in values]).to(apart)
        if together:
            apart, norms = torch.linalg.vector_norm(apart), torch.linalg.vector_norm(norms)
        off = float(torch.where(apart <= floor, 0, apart / norms).max())
        return math.inf if math.isnan(off) else off


class ReplayCheck:
    """Decides whether results that are computed again are the first ones, and warns of rounding.

    Args:
        autocast: The dtypes of autocast in the first evaluation.
    """

    def __init__(self, autocast: Iterable[torch.dtype]) -> None:
        self._autocast = tuple(autocast)
        self._largest = 0.0

    def rounding(self, tensors: Iterable[torch.Tensor]) -> float:
        """Return the largest relative difference of some tensors that counts as rounding."""
        return rounding(tensors, self._autocast)

    def accepts(self, distance: float, tensors: Iterable[torch.Tensor]) -> bool:
        """Whether a distance is rounding; if so, it is kept for :meth:`warn`.

        Args:
            distance: The relative distance of some tensors from the first ones.
            tensors: The tensors.
        """
        if not distance <= self.rounding(tensors):  # also where it is NaN
            return False
        self._largest = max(self._largest, distance)
        return True

    def warn(self, message: str) -> None:
        """Warn if there was a difference since the last warning."""
        if self._largest:
            difference, self._largest = self._largest, 0.0
            checks.warn(message, ReplayWarning, difference=difference)

    def forget(self) -> None:
        """Forget the differences so far."""
        self._largest = 0.0


def rounding(tensors: Iterable[torch.Tensor], autocast: Iterable[torch.dtype] = ()) -> float:
    """Return the relative difference up to which results that are computed twice count as the same.

    Operations that are not deterministic differ in the last digits, and cancellation moves these
    forward. So results have to agree to half of the digits of the least precise dtype.

    Args:
        tensors: The results; integers must not differ at all.
        autocast: Further dtypes of the computation.
    """
    dtypes = {t.dtype for t in tensors} | set(autocast)
    floating = [d for d in dtypes if d.is_floating_point or d.is_complex]
    return max((torch.finfo(d).eps for d in floating), default=0.0) ** 0.5


def _strided(tensors: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    return [t.detach() for t in tensors if t.layout == torch.strided]


def _norm(t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.vector_norm(_entries(t).to(torch.float64)).cpu()


def _entries(t: torch.Tensor) -> torch.Tensor:
    """Return the entries of a tensor as a real vector."""
    if t.dtype.itemsize == 1:  # which has no arithmetic
        t = t.float()
    return (torch.view_as_real(t.resolve_conj()) if t.is_complex() else t).flatten()


def _projections(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return the projection of each tensor, in one tensor on the CPU."""
    projections: list[torch.Tensor] = []
    pack: list[torch.Tensor] = []  # small tensors, which are projected at once
    size = 0

    def unpack() -> None:
        nonlocal size
        if len(pack) == 1:
            projections.append(_projected(pack[0]).cpu().view(1))
        elif pack:
            lengths = torch.tensor([x.numel() for x in pack], device=pack[0].device)
            values = torch.cat(pack) * _directions(pack[0].device)[:size]
            projections.append(
                torch.segment_reduce(values, "sum", lengths=lengths, unsafe=True).cpu()
            )
        pack.clear()
        size = 0

    for t in tensors:
        entries = _entries(t)
        room = _directions(t.device).numel()
        if size + entries.numel() > room or (pack and pack[0].device != t.device):
            unpack()
        if entries.numel() > room:
            projections.append(_projected(entries).cpu().view(1))
        else:
            pack.append(entries.to(torch.float64))
            size += entries.numel()
    unpack()
    return torch.cat([torch.zeros(0, dtype=torch.float64, device="cpu"), *projections])


def _projected(t: torch.Tensor) -> torch.Tensor:
    # In parts, since a product takes as much memory as its factors.
    directions = _directions(t.device)
    if len(t) <= len(directions):
        return (t * directions[: len(t)]).sum()
    return _projected(torch.stack([_projected(part) for part in t.split(len(directions))]))


@functools.lru_cache(maxsize=16)
def _directions(device: torch.device) -> torch.Tensor:
    # A CPU is fastest within its cache, a GPU with few launches.
    size = 1 << (16 if device.type == "cpu" else 20)
    generator = torch.Generator().manual_seed(0)
    with _disable_current_modes(), outside():  # it stays
        return torch.randn(size, generator=generator, dtype=torch.float64, device="cpu").to(device)
