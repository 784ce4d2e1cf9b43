"""Runs that survive a lost process: started again by ``torchrun``, from the last complete checkpoint.

A step is a function of a state and of its number. What is saved is the state after a step, under a name
that a file gets only once it is whole; random numbers follow from the number of the step. So a run that
was interrupted ends, on the same machines, with the bits of one that was not.
"""

from __future__ import annotations

import io
import os
import pickle
import re
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar, cast

import torch
import torch.distributed as dist

from torchopt import checkpoint, checks
from torchopt.autodiff.generators import seed_of, seeded
from torchopt.collectives.group import Group, Ranks, ranks_of
from torchopt.distributed.spmd import broadcast
from torchopt.errors import CheckpointError
from torchopt.pytree import flattening as pytree

__all__ = ["init_process_group", "run"]

_State = TypeVar("_State")

_MIX = 0x9E3779B97F4A7C15  # to make the seed of a step of that of the run
_POLL = 0.02  # seconds


def run(
    step: Callable[[_State, int], _State],
    /,
    state: _State,
    *,
    steps: int,
    checkpoint: str | os.PathLike[str],
    every: int = 1,
    keep: int = 2,
    per_rank: bool = False,
    generator: torch.Generator | int = 0,
    group: Group = None,
) -> _State:
    """Make the steps of a run, from the last complete checkpoint on if there is one.

    The same program is started on every rank by ``torchrun --max-restarts=N``. Where a process is
    killed, or hangs for longer than the time-out of the process group, a collective of the others
    raises :class:`~torchopt.errors.WorkerLostError`; ``torchrun`` then starts all of them again,
    and the run goes on. Without a process group, and with several processes, one is made by
    :func:`init_process_group`.

    Args:
        step: ``step(state, index)`` returns the next state. It must depend on nothing else that
            changes: keep optimizer states, counters and a position in the data in the state, or
            compute them from the index. PyTorch's default generators are seeded before each step: with
            the same seed on each rank, so that what is replicated stays so, unless ``per_rank``.
        state: What to begin with: tensors, numbers and strings in any containers. A step returns one
            like it: the same structure, shapes, dtypes and types, so that it can be restored. Tensors
            that share memory do not when they are restored.
        steps: How many steps there are in all.
        checkpoint: A directory, which is made if it is missing.
        every: After how many steps the state is saved; always after the last.
        keep: How many checkpoints are kept.
        per_rank: Whether the states of the ranks differ. Then each rank saves its own, and their
            number must stay the same. By default the first rank saves and restores for all, to disks
            that the others need not see, and a run may go on with another number of ranks.
        generator: Where the random numbers of all steps come from: a number, or a
            ``torch.Generator`` in the same state on each rank and at each start.
        group: The ranks that make the run.

    Returns:
        The state after the last step.

    Raises:
        TypeError: If a state holds an object that checkpoints cannot: a module, an array of NumPy.
        ValueError: If a number is out of its range, a step returns a state that is not like the first,
            a checkpoint is of another state or of more steps, or none of them can be read. One that is
            damaged is passed over for the one before it, with a warning.
        WorkerLostError: If a rank was lost.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     halved = run(lambda x, index: x / 2, 8.0, steps=2, checkpoint=directory)
        ...     run(lambda x, index: x / 2, 8.0, steps=3, checkpoint=directory)  # one step more
        1.0

    References:
        Mohan et al., CheckFreq, FAST 2021 (recovery that is exact in the data too).
    """
    for name, value, least in (("steps", steps, 0), ("every", every, 1), ("keep", keep, 1)):
        checks.check_count(name, value, least)
    if group is None and int(os.environ.get("WORLD_SIZE", "1")) > 1 and not dist.is_initialized():
        init_process_group()
    ranks = ranks_of(group)
    # One more than needed: a process may be lost while some ranks have saved and others have not.
    shelf = _Shelf(Path(checkpoint), ranks.rank if per_rank else 0, keep + per_rank, state)
    done, state = _restored(shelf, state, ranks, group, per_rank=per_rank)
    if done > steps:
        raise ValueError(
            f"`steps` is {steps}, but the run in {os.fspath(checkpoint)!r} has made {done} steps: ask "
            f"for at least as many, or give the run a directory of its own."
        )
    seed = seed_of(generator)
    for index in range(done, steps):
        number = index * ranks.size + ranks.rank if per_rank else index
        with seeded((seed + (number + 1) * _MIX) % (1 << 63)):
            state = step(state, index)
        if (index + 1) % every == 0 or index + 1 == steps:
            shelf.check(state, f"after step {index}")  # on all ranks alike
            if per_rank or ranks.rank == 0:
                shelf.save(index + 1, state)
    return state


def _detached(leaves: list[Any]) -> list[Any]:
    return [x.detach() if isinstance(x, torch.Tensor) else x for x in leaves]


def _like(value: Any, leaf: Any) -> Any:
    """Return a saved or received value on a leaf's device, with the leaf's `requires_grad`."""
    if not isinstance(leaf, torch.Tensor):
        return value
    return value.detach().to(leaf.device).requires_grad_(leaf.requires_grad)


def init_process_group(
    backend: str | None = None, *, timeout: float = 300.0, startup: float = 300.0
) -> None:
    """Make the process group of a program that ``torchrun`` has started, also for another time.

    As ``torch.distributed.init_process_group()``, which hangs after a restart with gloo: ``torchrun``
    keeps its store, where a process then finds the addresses of those that were there before. Here the
    ranks first agree on a new place in the store.

    Args:
        backend: ``"gloo"``, ``"nccl"``, ...; by default as PyTorch does.
        timeout: After how many seconds a collective fails because a rank does not answer.
        startup: How long to wait for all ranks to be there.

    Raises:
        TimeoutError: If they are not.

    References:
        PyTorch issue 135712 (restarts and the shared store).
    """
    # Not at the top: there are builds of PyTorch without it.
    from torch.distributed import PrefixStore  # type: ignore[attr-defined]
    from torch.distributed.rendezvous import rendezvous

    store, rank, size = next(rendezvous("env://", timeout=timedelta(seconds=startup)))
    meeting = PrefixStore("torchopt", store)
    fresh = PrefixStore(_agree(meeting, rank, size, startup), meeting)
    limit = timedelta(seconds=timeout)
    dist.init_process_group(backend, store=fresh, rank=rank, world_size=size, timeout=limit)


def _agree(store: Any, rank: int, size: int, startup: float) -> str:
    """Return a word that all ranks of this start share, whatever former starts left in the store.

    Each rank writes a new token; the first rank publishes a word with the tokens that it has read, and
    publishes a new one until each rank has confirmed its own token.
    """
    token, word, seen = uuid.uuid4().hex, "", ""
    store.set(f"hello/{rank}", token)
    for _ in _patiently(startup, f"rank {rank} waits for all {size} ranks to start"):
        if rank == 0:
            keys = [f"hello/{r}" for r in range(size)]
            tokens = " ".join(_get(store, key) for key in keys)
            if tokens != seen:
                seen, word = tokens, uuid.uuid4().hex
                store.set("word", f"{word} {tokens}")
            if all(_get(store, f"found/{r}") == word for r in range(1, size)):
                store.set("go", word)
                break
        else:
            word, *tokens_seen = _get(store, "word").split(" ")
            if tokens_seen[rank : rank + 1] == [token]:
                store.set(f"found/{rank}", word)
                if _get(store, "go") == word:
                    break
    return word


def _get(store: Any, key: str) -> str:
    """Return an entry of a store without waiting for it; ``-`` if there is none."""
    return str(store.get(key).decode()) if store.check([key]) else "-"


def _patiently(limit: float, what: str) -> Iterator[None]:
    end, pause = time.monotonic() + limit, threading.Event()
    while time.monotonic() < end:
        yield
        pause.wait(_POLL)
    raise TimeoutError(f"{what}; {limit:g} s were not enough.")


class _Shelf:
    """The checkpoints of a rank in a directory, by the number of steps done."""

    def __init__(self, directory: Path, rank: int, keep: int, like: Any) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory, self._rank, self._keep = directory, rank, keep
        leaves, spec = pytree.flatten(like)
        self._kinds = dict(zip(checks.leaf_paths(spec, "state"), map(_kind, leaves), strict=True))
        self.check(like, "at the beginning")

    def _path(self, done: int) -> Path:
        return self._directory / f"step-{done:010d}-rank-{self._rank}.pt"

    def present(self) -> list[int]:
        """Return the numbers of complete checkpoints."""
        ours = re.compile(rf"step-(\d{{10,}})-rank-{self._rank}\.pt")
        matches = (ours.fullmatch(path.name) for path in self._directory.iterdir())
        return sorted(int(match[1]) for match in matches if match)

    def check(self, state: Any, when: str) -> None:
        """Raise if a state cannot be restored from its checkpoint."""
        leaves, spec = pytree.flatten(state)
        paths = checks.leaf_paths(spec, "state")
        kinds = dict(zip(paths, map(_kind, leaves), strict=True))
        for path in dict.fromkeys([*self._kinds, *paths]):
            before, now = self._kinds.get(path, "missing"), kinds.get(path, "missing")
            if before != now:
                raise ValueError(
                    f"`{path}` is {now} {when}, but {before} at the beginning: a checkpoint of it "
                    f"could not be restored; begin with a state like those that steps return."
                )
        for path, leaf in zip(paths, leaves, strict=True):
            if not isinstance(leaf, torch.Tensor) and not _readable(leaf):
                raise TypeError(
                    f"`{path}` is {_kind(leaf)} {when}, which checkpoints cannot hold, since they are "
                    f"read without running code: use tensors, numbers and strings."
                )

    def save(self, done: int, state: Any) -> None:
        """Save a state to a temporary file; rename it when it is complete and on the disk."""
        leaves, spec = pytree.flatten(state)
        values = _detached(leaves)
        path = self._path(done)
        checkpoint.save({"paths": checks.leaf_paths(spec, "state"), "leaves": values}, path)
        old = [self._path(k) for k in self.present()[: -self._keep]]
        # Of a process that was killed.
        lost = self._directory.glob(f"*step-*-rank-{self._rank}.*.tmp")
        for path in [*old, *lost]:
            path.unlink(missing_ok=True)

    def load(self, done: int) -> list[Any]:
        """Return the leaves of a saved state.

        Only tensors and plain values are read, never code.

        Raises:
            CheckpointError: If it cannot be read.
            ValueError: If it is of another state.
        """
        path = self._path(done)
        try:
            saved = checkpoint.load(path)
            kinds = dict(zip(saved["paths"], map(_kind, saved["leaves"]), strict=True))
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise CheckpointError(f"the checkpoint {path} is damaged ({error})") from error
        if kinds.keys() != self._kinds.keys():
            other = sorted(kinds.keys() ^ self._kinds.keys())
            raise ValueError(
                f"the checkpoint {path.name} is of another state: {', '.join(other[:3])} are in one of "
                f"them only; give the run a directory of its own."
            )
        for name, kind in self._kinds.items():
            if kind != kinds[name]:
                raise ValueError(
                    f"`{name}` is {kinds[name]} in the checkpoint {path.name}, but {kind} here: give "
                    f"the run a directory of its own."
                )
        return list(saved["leaves"])


def _readable(leaf: Any) -> bool:
    """Whether a value can be read from a checkpoint without running code."""
    if leaf is None or type(leaf) in (bool, int, float, complex, str):  # the usual ones, at no cost
        return True
    memory = io.BytesIO()
    try:
        torch.save(leaf, memory)
        memory.seek(0)
        torch.load(memory, weights_only=True)
    except (pickle.PicklingError, pickle.UnpicklingError, AttributeError, TypeError):
        return False
    return True


def _kind(leaf: Any) -> str:
    if isinstance(leaf, torch.Tensor):
        return f"a tensor of shape {tuple(leaf.shape)} and dtype {leaf.dtype}"
    return f"an object of type {type(leaf).__name__}"


def _restored(
    shelf: _Shelf, state: _State, ranks: Ranks, group: Group, *, per_rank: bool
) -> tuple[int, _State]:
    """Return the state, and its number of steps, of the last checkpoint that all ranks can read."""
    leaves, spec = pytree.flatten(state)
    own = per_rank or ranks.rank == 0
    everyone = ranks.objects(shelf.present())
    common = sorted(set.intersection(*map(set, everyone)) if per_rank else everyone[0])
    damaged = ""
    while common:
        done, saved, failure = common.pop(), leaves, None
        try:
            saved = shelf.load(done) if own else leaves
        except ValueError as error:
            failure = error
        failures = [error for error in ranks.objects(failure) if error is not None]
        if not failures:
            break
        if not isinstance(failures[0], CheckpointError):
            raise failures[0]
        damaged = str(failures[0])
        checks.warn(f"{damaged}: trying the one before it.")
    else:
        if damaged:
            raise ValueError(f"{damaged}, and there is none before it: remove it to begin anew.")
        return 0, state
    tensors = [k for k, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    restored = [_like(x, leaf) for x, leaf in zip(saved, leaves, strict=True)]
    if not per_rank:
        sent = broadcast([restored[k].detach() for k in tensors], 0, group=group)
        plain = ranks.objects([None if k in tensors else x for k, x in enumerate(restored)])[0]
        for k, tensor in zip(tensors, sent, strict=True):
            plain[k] = _like(tensor, leaves[k])
        restored = plain
    return done, cast(_State, pytree.unflatten(spec, restored))
