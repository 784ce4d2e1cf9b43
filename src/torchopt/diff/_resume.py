"""Steps that go on where a process that was killed has stopped.

A folder has *points* of the first run: the carry and the environment before a step, and a log of all
steps before it; and *pulled* files: the cotangents and their totals in the backward pass. The process
that goes on does again only those steps that read something for the first time, to know what all read.
Writing takes a twentieth of the time at most, and a point in the middle may be computed again from the
one before it: so a folder need not hold all that a memory policy keeps.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import torch

from torchopt import checkpoint, checks
from torchopt.autodiff.closure_guard import ClosureGuard
from torchopt.autodiff.environment import Snapshot
from torchopt.autodiff.fingerprint import Fingerprint
from torchopt.autodiff.graph import Tensors
from torchopt.autodiff.shards import is_sharded, plain
from torchopt.diff import _checkpoints
from torchopt.diff._processes import Processes
from torchopt.diff._steps import CheckpointedUnroll, First, Point, Unroll, tensors_in, tensors_of
from torchopt.diff.problem import Iterate
from torchopt.errors import CheckpointError, ReplayError
from torchopt.io.terminal import say
from torchopt.pytree import flattening as pytree
from torchopt.version import __version__

SHARE = 0.05  # of the time that passes, which writing may take
_LARGE = 1 << 24  # bytes; of constants that are larger, a part is compared
_POINT, _PULLED, _FILE = "point", "pulled", "file"


class Folder:
    """The files of a run.

    Args:
        path: A folder with a folder for each run; those of other runs that have ended are removed.
        name: What the run is known by.
        processes: Those that make the run; all of them call each method, and the first one writes.
    """

    def __init__(self, path: str | os.PathLike[str], name: str, processes: Processes) -> None:
        self.path, self._processes = Path(path) / name, processes
        self._due = 0.0
        runs = [f for f in Path(path).glob("*") if re.fullmatch("[0-9a-f]{12}", f.name)]
        for other in runs if processes.rank == 0 else []:
            if other.name != name and (other / _file(_PULLED, 0)).exists():
                shutil.rmtree(other, ignore_errors=True)

    @property
    def is_due(self) -> bool:
        """Whether it is time to write something."""
        return bool(self._processes.agree(time.monotonic() >= self._due))

    def save(self, kind: str, index: int, state: dict[str, Any]) -> None:
        """Write a file.

        Raises:
            OSError: If it cannot be written, as on a full disk; those before it stay.
        """
        begun = time.monotonic()
        path = self.path / _file(kind, index)
        self.remove(kind, [index] if self._processes.meshes else [])
        self._processes.save(state, path.with_suffix(""))
        failed = None
        if self._processes.rank == 0:
            try:
                checkpoint.save(state | {_FILE: path.name}, path)
            except OSError as error:
                failed = error
                if isinstance(error, FileNotFoundError):  # whose file is a temporary one
                    failed = OSError(f"another program removed `{path}`: use a folder of its own.")
        if self._processes.agree(failed is not None):
            raise failed or OSError(f"the first process could not write `{path}`.")
        now = time.monotonic()
        self._due = now + (now - begun) * (1 / SHARE - 1)

    def load(self, kind: str, index: int) -> Any:
        """Return what a file holds; None if there is none, or with a warning if it is damaged."""
        path, state, failed = self.path / _file(kind, index), None, None
        try:
            state = checkpoint.load(path, map_location=None)
            if not isinstance(state, dict) or state.get(_FILE) != path.name:
                state, failed = None, f"`{path}` is another file under this name."
        except FileNotFoundError:
            pass
        except CheckpointError as error:
            failed = str(error)
        if not self._processes.agree(state is None) and state is not None:
            try:
                self._processes.load(state, path.with_suffix(""))
                return state
            except ValueError as error:
                failed = str(error)
        if failed is not None:
            checks.warn(f"{failed} What was written before it is used.")
        self.remove(kind, [index])
        return None

    def indices(self, kind: str) -> list[int]:
        """Return the steps of the files of a kind."""
        here = sorted(int(f.stem.split("-")[1]) for f in self.path.glob(f"{kind}-[0-9]*.pt"))
        found: list[int] = self._processes.gathered(here)[0]
        return found

    def remove(self, kind: str, indices: Iterable[int]) -> None:
        """Remove files."""
        for index in indices:
            if self._processes.rank == 0:
                path = self.path / _file(kind, index)
                path.unlink(missing_ok=True)
                shutil.rmtree(path.with_suffix(""), ignore_errors=True)
        self._processes.agree(0.0)

    def clear(self) -> None:
        """Remove all files."""
        if self._processes.rank == 0:
            shutil.rmtree(self.path, ignore_errors=True)
        self._processes.agree(0.0)


def _file(kind: str, index: int) -> str:
    return f"{kind}-{index:09d}.pt"


class Resumable(CheckpointedUnroll):
    """Steps whose state is in a folder.

    Args:
        unroll: The steps.
        inside: Not inside of ``torch.func``.
        path: The folder, which may hold other runs, too.
        mode: How the steps are differentiated, in words.
    """

    def __init__(
        self, unroll: Unroll, *, inside: bool, path: str | os.PathLike[str], mode: str
    ) -> None:
        super().__init__(unroll, inside=inside)
        self._place, self._mode = path, mode
        number = len(unroll.indices)  # and one more than the newest, which may be damaged
        self._most = max(min(_checkpoints.slots(p, number) for p in ("sqrt", unroll.policy)), 2)
        self._looked: list[int] = []  # steps that read something for the first time
        self._batches: list[torch.Tensor] = []  # the projections of the batches
        self._saved: dict[str, Any] | None = None  # the point that is gone to
        self._words: dict[str, str] = {}  # digests of the other values that the objective reads
        self._stops: list[int] = []  # the steps of points that were found
        self._random: list[torch.Tensor] = []  # where the generators of that process began

    # The first run.

    def first_run(self, start: Iterate) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Do the steps, from the newest point that is found on."""
        leaves, spec = pytree.flatten(start.start_of_next())
        problem = self.unroll.problem
        words: list[Any] = [__version__, self._mode, self.unroll.indices, self.environment.settings]
        words += [problem.micro_batches, checks.leaf_paths(spec, "start")]
        words += [x for x in leaves if isinstance(x, (int, float, str))]
        read = [*tensors_in(leaves), *tensors_of(problem.args), *self.environment.tensors.tensors]
        self._processes = Processes(read)
        words.append(bool(self._processes.meshes))
        ranks = {id(x) for mesh in self._processes.meshes for x in vars(mesh).values()}
        read = [t for t in read if id(t) not in ranks]  # another number of them may go on
        name = int(self._processes.agree(int(_digest(words, read)[:12], 16)))
        self._folder = Folder(self._place, f"{name:012x}", self._processes)
        reads = ClosureGuard(problem.kind.function, problem.solver).words()
        self._words = {n: _digest([text], [])[:16] for n, text in reads.items()}
        self._saved = self._newest()
        inputs, others = super().first_run(start)
        wanted = torch.is_grad_enabled() and any(t.requires_grad for t in [*inputs, *others])
        if not wanted and not self._folder.indices(_PULLED):
            self._end({"key": ""})
        return inputs, others

    def _newest(self) -> dict[str, Any] | None:
        """Return the newest point that can be gone to."""
        found = self._folder.indices(_POINT)
        for index in reversed(found):
            saved = self._loaded(index)
            if saved is None:
                continue
            log = saved["log"]
            saved["points"] = {i: self._loaded(i) for i in log["looked"][1:]}
            if None in saved["points"].values():
                continue
            saved["points"][index] = saved
            prints = iter(log["prints"][0].split(log["prints"][1]))
            saved["prints"] = [[next(prints), next(prints)] if n else [] for n in log["numbers"]]
            saved["batches"] = log["batches"][0].split(log["batches"][1])
            self._random = log["random"]
            stands = self.environment.stands_at(self._random, saved["random"])
            if not saved["same"]:  # their numbers are of no use
                stands = all(map(torch.equal, self._random, saved["random"]))
            if self._processes.agree(not stands):
                say(f"{self._folder.path} is of other random numbers: the run begins anew")
                break
            changed = {n for n, _ in self._words.items() ^ log["words"].items()}
            if self._processes.agree(bool(changed) and saved["same"]):
                what = f" (`{min(changed)}` is another)" if changed else ""
                say(f"{self._folder.path} is of another program{what}: the run begins anew")
                break
            self._stops = [i for i in found if i <= index]
            say(f"goes on at step {index} of {self.unroll.indices.stop} from {self._folder.path}")
            return saved
        self._folder.clear()
        return None

    def _loaded(self, index: int) -> dict[str, Any] | None:
        """Return a point, with what its process of this number, or else the first one, has written."""
        saved: dict[str, Any] | None = self._folder.load(_POINT, index)
        if saved is not None:
            ranks, own = saved["ranks"], self._processes
            saved["same"] = len(ranks) == own.size
            saved |= ranks[own.rank if saved["same"] else 0]
        return saved

    def _first(self, at: First) -> list[torch.Tensor]:
        """Do a step for the first time, or pass over it."""
        index, carry = at.index, at.carry
        saved, first = self._saved, self.unroll.indices.start
        self._batches.append(Fingerprint(tensors_of(at.batch), later=True).projections)
        if saved is not None:
            now, then = self._batches[-1], saved["batches"][index - first]
            if saved["same"] and not (now.shape == then.shape and now.cpu().equal(then.cpu())):
                self._differs(index, f"the batch of step {index} is another")
                saved = None
        if saved is not None and index not in saved["log"]["looked"]:
            self.checkpoints.pop(index, None)
            self._specs[index + 1], self.out = self._specs[index], carry
            self._remember(saved, index)
        else:
            due = index == self.unroll.indices.stop - 1 or self._folder.is_due
            if due and index > first and index not in self._stops:
                self._keep(index, carry, at.before, [*self.captured.met()])
            met, size = [*self.captured.met()], self._size()
            super()._first(at)
            new = size != self._size() or self._specs[index + 1] != self._specs[index]
            if self._processes.agree(new or index == first):
                if index > first and index not in self._folder.indices(_POINT):
                    self._keep(index, carry, at.before, met)
                self._looked.append(index)
            if saved is not None:
                self._compare_with(saved, index)
                saved = self._saved
        if saved is not None:
            self._arrive(saved, index + 1)
        return []

    def _size(self) -> tuple[Any, ...]:
        """Return how much is known of what steps read."""
        closed = self.captured
        return len(closed.met()), closed.hidden, self.environment.size(), self._to_second_order

    def _keep(self, index: int, carry: list[Any], before: Snapshot, ends: list[Any]) -> None:
        """Write a point; remove the one that leaves the smallest gap, if there are many."""
        steps = range(self.unroll.indices.start, index)
        first = [self.check.first.get(i) for i in steps]  # None: by another number of processes
        met = {key: place for place, key in enumerate(ends)}
        reads = [tuple(sorted(met[k] for k in self.captured.read[i] if k in met)) for i in steps]
        sets = list(dict.fromkeys(reads))
        log = {
            "looked": [i for i in self._looked if i < index],
            "prints": _packed([t for e in first if e for t in (e.both.projections, e.both.norms)]),
            "numbers": [e and e.number for e in first],
            "dtypes": [e and e.dtypes for e in first],
            "batches": _packed(self._batches[: len(steps)]),
            "random": [state for _, state in self.start.generators.values()],
            "met": len(met),
            "words": self._words,
            "sets": [list(places) for places in sets],
            "reads": [sets.index(places) for places in reads],
        }
        own = {"log": log, **self.environment.packed(before)}
        state = {"leaves": _plain(carry), "ranks": self._processes.gathered(own)}
        self._folder.save(_POINT, index, state)
        kept = self._folder.indices(_POINT)
        points = [self.unroll.indices.start, *(i for i in kept if i not in self._looked)]
        while len(points) - 1 > self._most:
            gaps = [points[k + 1] - points[k - 1] for k in range(1, len(points) - 1)]
            self._folder.remove(_POINT, [points.pop(1 + gaps.index(min(gaps)))])

    # A run that goes on.

    def _remember(self, saved: dict[str, Any], index: int) -> None:
        """Know the fingerprints of a step that is passed over; each process has those of its parts."""
        place = index - self.unroll.indices.start
        if not saved["same"] or not saved["prints"][place]:
            return
        self.check.remember(
            index, *saved["prints"][place], *(saved["log"][k][place] for k in ("numbers", "dtypes"))
        )

    def _compare_with(self, saved: dict[str, Any], index: int) -> None:
        """Compare a step that was done again with the one that was killed."""
        if not saved["same"]:
            return
        evaluation = self.check.first[index]
        self._remember(saved, index)
        try:
            self.check.later.append((index, evaluation))
            self.check.settle()
        except ReplayError:
            self._differs(index, f"step {index} gives other gradients or parameters")
        finally:
            self.check.first[index] = evaluation

    def _arrive(self, saved: dict[str, Any], index: int) -> None:
        """Put everything as it was before a step."""
        log, point = saved["log"], saved["points"].get(index)
        if point is None:
            return
        self.out, snapshot = self._restored(point)
        self.environment.rewind(snapshot)
        if point is saved:
            met = [*self.captured.met()]
            if len(met) != log["met"]:
                self._differs(index, f"the steps before step {index} read other tensors")
            for place, number in enumerate(log["reads"]):
                self.captured.read[self.unroll.indices.start + place] = {
                    met[k] for k in log["sets"][number]
                }
            self._saved = None

    def _restored(self, point: dict[str, Any]) -> tuple[list[Any], Snapshot]:
        return point["leaves"], self.environment.unpacked(point, self._random)

    def _differs(self, index: int, why: str) -> None:
        """Begin anew if nothing was passed over yet; else raise."""
        if index > self.unroll.indices.start:
            raise CheckpointError(
                f"`{self._folder.path}` is of another program: {why}. Remove it to begin anew, or give "
                f"this program a folder of its own."
            )
        say(f"{self._folder.path} is of another program ({why}): the run begins anew")
        self._saved, self._stops = None, []
        self._folder.clear()

    # The backward pass.

    def reverse(
        self,
        held: dict[int, Point],
        start: Point,
        given: Tensors,
        arriving: list[torch.Tensor | None],
        totals: list[torch.Tensor | None],
        advance: Callable[[Point, int, int], Point],
        back: Callable[[Point, int], None],
    ) -> None:
        """Go through the steps backwards, from where the newest file has arrived."""
        first, end = self.unroll.indices.start, self.unroll.indices.stop
        folder = self._folder
        pattern = [[c is not None for c in cotangents] for cotangents in (arriving, totals)]
        moving = [c for c in arriving if c is not None]
        known, prints = [*given, *moving], torch.empty(2, 0)
        if self._processes.meshes:  # other numbers of processes round otherwise
            whole = Fingerprint(map(plain, moving))
            known, prints = [], torch.stack([whole.projections, whole.norms]).cpu()
        key = _digest([self._mode, pattern], known)
        for index in folder.indices(_PULLED):
            state = folder.load(_PULLED, index)
            alike = state is not None and state["key"] == key
            if alike and bool(((state["prints"] - prints).abs() <= 1e-4 * prints[1]).all()):
                end, arriving[:], totals[:] = index, state["arriving"], state["totals"]
                say(f"goes on at step {index} of the backward pass from {folder.path}")
                break
            folder.remove(_PULLED, [index])

        def kept_back(point: Point, index: int) -> None:
            back(point, index)
            if index > first and not folder.is_due:
                return
            state = {"key": key, "prints": prints}
            state |= {"arriving": _plain(arriving), "totals": _plain(totals)}
            if index == first:
                self._end(state)
                return
            folder.save(_PULLED, index, state)
            folder.remove(_PULLED, folder.indices(_PULLED)[2:])

        slots = _checkpoints.slots(self.unroll.policy, end - first)
        stops = sorted(i for i in {*held, *self._stops} if first < i < end)
        while end > first:
            begin = stops.pop() if stops else first
            point = start if begin == first else held.pop(begin, None) or self._point(begin)
            if point is not None:
                free = max(slots - sum(i in held for i in stops), 0)
                _checkpoints.reverse(begin, end, point, {}, free, advance, kept_back)
                end = begin

    def _point(self, index: int) -> Point | None:
        saved = self._loaded(index)
        return None if saved is None else Point(*self._restored(saved))

    def _end(self, state: dict[str, Any]) -> None:
        """Write the last file; keep of the others what a repetition of the run needs."""
        self._folder.save(_PULLED, 0, state)
        points = [i for i in self._folder.indices(_POINT) if i not in self._looked]
        self._folder.remove(_POINT, points[:-1])
        self._folder.remove(_PULLED, [i for i in self._folder.indices(_PULLED) if i > 0])


def _digest(words: Sequence[Any], tensors: Iterable[torch.Tensor]) -> str:
    """Return a digest of words and of the values of tensors; of large constants, of a part."""
    sha = hashlib.sha256(repr(words).encode())
    for t in tensors:
        sha.update(f"{tuple(t.shape)} {t.dtype}".encode())
        if t.layout != torch.strided or not t.numel() or t.is_meta:
            continue
        constant, t = not t.requires_grad, plain(t.detach())
        if constant and t.nbytes > _LARGE:
            t = t.reshape(-1)[:: t.numel() >> 20]
        t = t.resolve_conj().resolve_neg().cpu().contiguous()
        sha.update((ctypes.c_char * t.nbytes).from_address(t.data_ptr()))
    return sha.hexdigest()


def _plain(leaves: Sequence[Any]) -> list[Any]:
    """Return leaves without a graph, and without a storage of which they are a small part.

    What is one tensor, or parts of one storage, stays so in a file: kernels may treat it otherwise.
    """
    tensors = {id(t): t for t in tensors_in(leaves) if not is_sharded(t)}
    own: Counter[int] = Counter()
    for t in tensors.values():
        own[t.untyped_storage().data_ptr()] += t.nbytes + 64  # to which kernels round up
    saved = {
        key: t.detach()
        if t.untyped_storage().nbytes() <= own[t.untyped_storage().data_ptr()]
        else t.detach().clone()
        for key, t in tensors.items()
    }
    return [saved.get(id(x), x) for x in leaves]


def _packed(tensors: Sequence[torch.Tensor]) -> tuple[torch.Tensor, list[int]]:
    """Return vectors as one vector, and their lengths: a file of few tensors is read faster."""
    vectors = [t.detach().reshape(-1).cpu() for t in tensors]
    return torch.cat(vectors) if vectors else torch.empty(0), [t.numel() for t in vectors]
