"""Whether results that are computed again are the same: by random projections of the first ones.

Equal bits are the same results. A difference within rounding is a warning, since some operations are
not deterministic; any other difference is an error, since the gradient would be wrong.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from torchopt import checks, native
from torchopt.autodiff.shards import agreed, local, meshes_of
from torchopt.autodiff.tracking import PLAIN, untracked
from torchopt.autodiff.transforms import is_wrapped, outside, values_of
from torchopt.errors import ReplayWarning


class Fingerprint:
    """A random projection of each of some tensors, to tell whether later tensors are the same.

    The projection of a difference is about as large as its norm, whatever its direction is (Alon,
    Matias and Szegedy, *The Space Complexity of Approximating the Frequency Moments*, 1999). It stays
    on the device, and nothing waits for it before it is asked.

    Args:
        tensors: The tensors; those that are not strided are left out. Of those of ``torch.func``, the
            values below count.
        later: Whether it is compared with one that has been made before, which has the norms.

    Attributes:
        projections: The projection of each tensor.
        norms: The norm of each; empty of a later one.
        meshes: The meshes of DTensors, whose parts here are projected: their processes agree.
    """

    def __init__(self, tensors: Iterable[torch.Tensor], *, later: bool = False) -> None:
        # Hidden from all modes, and without a graph or tangents.
        with torch._C.DisableTorchFunction(), untracked():
            values = [values_of(t) if is_wrapped(t) else t for t in tensors]
            strided = [t for t in values if t.layout == torch.strided]
            other = [t for t in strided if t.__class__ is not torch.Tensor]
            self.meshes = meshes_of(other) if other else []
            strided = [local(t) for t in strided] if self.meshes else strided
            digest = _digest(strided, 1 if later else 2)
            self.projections = digest[0]
            self.norms = self.projections[:0] if later else digest[1].sqrt()

    def part(self, rows: slice) -> Fingerprint:
        """Return the fingerprint of some of the tensors."""
        part = object.__new__(Fingerprint)
        part.projections, part.norms = self.projections[rows], self.norms[rows]
        part.meshes = self.meshes
        return part

    def after(self, before: Sequence[Fingerprint]) -> Fingerprint:
        """Return the fingerprint of the tensors of others, and then of these."""
        if not before:
            return self
        every, whole = [*before, self], object.__new__(Fingerprint)
        whole.projections = torch.cat([f.projections for f in every])
        whole.norms, whole.meshes = torch.cat([f.norms for f in every]), self.meshes
        return whole

    @property
    def size(self) -> float:
        """The norm of all tensors together."""
        return float(torch.linalg.vector_norm(self.norms.nan_to_num()))

    def distance(
        self,
        tensors: Iterable[torch.Tensor] | Fingerprint,
        *,
        together: bool = False,
        floor: float = 0.0,
    ) -> float:
        """Return how far other tensors are from these, relative to their norm; 0 if no bit differs.

        Args:
            tensors: The other tensors.
            together: Whether they count as one vector; else the one that is farthest off counts.
            floor: An absolute difference that counts as none.
        """
        other = tensors if isinstance(tensors, Fingerprint) else Fingerprint(tensors, later=True)
        first, later = self.projections.cpu(), other.projections.cpu()
        distance = self._distance(first, later, together, floor)
        return agreed(distance, self.meshes) if self.meshes else distance

    def _distance(
        self, first: torch.Tensor, later: torch.Tensor, together: bool, floor: float
    ) -> float:
        if later.shape != first.shape:
            return math.inf
        same = _same(first, later)
        if bool(same.all()):
            return 0.0
        apart, norms = torch.where(same, 0, (later - first).abs()), self.norms.cpu()
        if together:
            apart, norms = torch.linalg.vector_norm(apart), torch.linalg.vector_norm(norms)
        off = float(torch.where(apart <= floor, 0, apart / norms).max())
        return math.inf if math.isnan(off) else off


def all_same(pairs: Iterable[tuple[Fingerprint, Fingerprint]]) -> bool:
    """Whether no bit of each second one differs, in any process; the only wait for the device."""
    first: list[torch.Tensor] = []
    later: list[torch.Tensor] = []
    meshes: dict[int, Any] = {}
    alike = True
    for a, b in pairs:
        first.append(a.projections)
        later.append(b.projections)
        meshes.update(zip(map(id, a.meshes), a.meshes, strict=True))
        alike = alike and a.projections.shape == b.projections.shape
    same = alike and not (first and not bool(_same(torch.cat(first), torch.cat(later)).all()))
    return not agreed(not same, meshes.values()) if meshes else same


def _same(first: torch.Tensor, later: torch.Tensor) -> torch.Tensor:
    return (later == first) | (later.isnan() & first.isnan())


class ReplayCheck:
    """Decides whether results that are computed again are the first ones, and warns of rounding.

    Args:
        autocast: The dtypes of autocast in the first evaluation.
    """

    def __init__(self, autocast: Iterable[torch.dtype]) -> None:
        self._autocast = tuple(autocast)
        self._largest = 0.0

    def rounding(self, dtypes: Iterable[torch.dtype]) -> float:
        """Return the relative difference up to which results of some dtypes count as the same.

        Operations that are not deterministic differ in the last digits, and cancellation moves these
        forward. So results have to agree to half of the digits of the least precise dtype, that of
        autocast included; integers must not differ at all.
        """
        floating = [d for d in {*dtypes, *self._autocast} if d.is_floating_point or d.is_complex]
        return max((torch.finfo(d).eps for d in floating), default=0.0) ** 0.5

    def accepts(self, distance: float, dtypes: Iterable[torch.dtype]) -> bool:
        """Whether a distance is rounding; if so, it is kept for :meth:`warn`.

        Args:
            distance: The relative distance of some results from the first ones.
            dtypes: Their dtypes.
        """
        if not distance <= self.rounding(dtypes):  # also where it is NaN
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


def _entries(t: torch.Tensor) -> torch.Tensor:
    """Return the entries of a tensor that is not of plain numbers as real ones."""
    if t.dtype.itemsize == 1:  # which has no arithmetic
        t = t.float()
    return torch.view_as_real(t.resolve_conj()) if t.is_complex() else t


_CPU = torch.device("cpu")
_PLAIN = frozenset({torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64})


def _digest(tensors: Sequence[torch.Tensor], rows: int) -> torch.Tensor:
    """Return the projection of each tensor, and with two rows the sum of its squares, in float64."""
    groups: dict[Any, dict[int, torch.Tensor]] = {}
    has_kernel = _kernel() is not None
    for i, t in enumerate(tensors):
        entries = t if t.dtype in _PLAIN else _entries(t)
        fused = has_kernel and t.is_cpu and entries.dtype in _PLAIN and t.__class__ in PLAIN
        groups.setdefault(fused or (t.device, t.dtype), {})[i] = entries
    digests = [
        (_by_kernel if key is True else _of_group)([*group.values()], rows)
        for key, group in groups.items()
    ]
    if len(digests) == 1:
        return digests[0]
    # On a GPU if there is one: nothing waits for a copy that goes there.
    where = next((d.device for d in digests if d.device.type != "cpu"), _CPU)
    empty = torch.zeros(rows, 0, dtype=torch.float64, device=where)
    digest = torch.cat([empty, *(d.to(where) for d in digests)], 1)
    order = [i for group in groups.values() for i in group]
    return digest if order == sorted(order) else digest[:, _inverse(tuple(order), where)]


def _by_kernel(entries: list[torch.Tensor], rows: int) -> torch.Tensor:
    entries = [*map(torch.Tensor.contiguous, entries)]
    try:
        digest = _kernel()(entries, _directions(_CPU))
    except RuntimeError:  # of autograd's zeros without memory, whose copies have some
        digest = _kernel()([*map(torch.clone, entries)], _directions(_CPU))
    return digest[:rows]


def _of_group(entries: list[torch.Tensor], rows: int) -> torch.Tensor:
    entries = [t.reshape(-1) for t in entries]
    room = _directions(entries[0].device).numel()
    digests: list[torch.Tensor] = []
    pack: list[torch.Tensor] = []  # small tensors, which are projected at once
    size = 0
    for x in entries:
        number = x.numel()
        if size + number > room and pack:
            digests.append(_of_pack(pack, rows))
            pack, size = [], 0
        if number > room:
            digests.append(_of_large(x, rows))
        else:
            pack.append(x)
            size += number
    if pack:
        digests.append(_of_pack(pack, rows))
    return torch.cat(digests, 1) if len(digests) > 1 else digests[0]


def _of_pack(pack: list[torch.Tensor], rows: int) -> torch.Tensor:
    values = torch.cat(pack) if len(pack) > 1 else pack[0]
    directions, lengths = _plan(tuple(map(torch.Tensor.numel, pack)), rows, values.device)
    if rows > 1 or len(pack) == 1:
        values = values.to(torch.float64)
    if len(pack) == 1:
        return torch.stack([values.dot(x) for x in (directions, values)[:rows]]).view(rows, 1)
    products = (torch.stack((directions, values)) if rows > 1 else directions) * values
    sums = torch.segment_reduce(products.view(-1), "sum", lengths=lengths, unsafe=True)
    return sums.view(rows, -1)


def _of_large(x: torch.Tensor, rows: int) -> torch.Tensor:
    # In parts, since a product takes as much memory as its factors.
    directions = _directions(x.device)
    parts = torch.cat([_of_pack([part], rows) for part in x.split(len(directions))], 1)
    projections, squares = parts[0], parts[1:].sum(1)
    # In another order than within a part: else two entries could change places.
    others = directions.flip(0)
    while len(projections) > 1:
        pieces = projections.split(len(others))
        projections = torch.stack([piece.dot(others[: len(piece)]) for piece in pieces])
    return torch.cat([projections, squares]).view(rows, 1)


@functools.cache
def _kernel() -> Any:
    """Return the operator for plain tensors on the CPU, or None: the same one in a whole process."""
    return torch.ops.torchopt.digest.default if native.is_live() else None


@functools.lru_cache(maxsize=256)
def _inverse(order: tuple[int, ...], device: torch.device) -> torch.Tensor:
    with _disable_current_modes(), outside():  # it stays
        return torch.tensor(sorted(range(len(order)), key=order.__getitem__), device=device)


@functools.lru_cache(maxsize=256)
def _plan(lengths: tuple[int, ...], rows: int, device: torch.device) -> Sequence[torch.Tensor]:
    """Return the directions for tensors of some lengths, and these lengths, for each row."""
    with _disable_current_modes(), outside():  # it stays
        return _directions(device)[: sum(lengths)], torch.tensor(lengths * rows, device=device)


@functools.lru_cache(maxsize=16)
def _directions(device: torch.device) -> torch.Tensor:
    # A CPU is fastest within its cache, a GPU with few launches.
    size = 1 << (16 if device.type == "cpu" else 20)
    generator = torch.Generator("cpu").manual_seed(0)
    with _disable_current_modes(), outside():  # it stays
        return torch.randn(size, generator=generator, dtype=torch.float64, device="cpu").to(device)
