"""Endless batches from any loader, with a position that can be saved and restored.

Most loaders cannot save their position. To restore it, the loader is opened again and draws the same
number of batches, each from the random state that its first draw had.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

from torchopt import checks, pytree
from torchopt.diff.batches import iterable_batches
from torchopt.multilevel._random import Trace, random_state, set_random_state, untouched


class Batches:
    """Batches without end: a loader is opened again whenever it has ended.

    At the beginning of each epoch the loader, its samplers and its data set are told the number of the
    epoch where they have a method ``set_epoch``, as ``DistributedSampler`` has.

    **Resuming.** After :meth:`load_state_dict`, those batches come, bit for bit, that would have
    come. The loader is opened as it was at the beginning of the epoch, and the batches of the epoch
    that had been used are drawn again and thrown away; the default generators are then as they were
    before (to put *them* back is the caller's, by ``set_random_state``). This covers what a loader,
    its samplers, its data set and its workers draw from the default generators of PyTorch, Python
    and NumPy or from generators of their own, and numbers that these objects count in attributes. A
    loader with ``state_dict`` and ``load_state_dict`` is asked for its position instead: after
    ``load_state_dict`` it must go on there when it is opened. Two things cannot be found again: the
    random numbers that *persistent* workers draw after their first epoch, of which a warning is
    given, and a hidden state that is neither a generator nor a number.

    Args:
        loader: Batches of any kind: a ``DataLoader`` or another object that can be iterated, a list of
            batches, a tree of stacked tensors, or a function of the step, which never ends. ``None``
            yields ``None`` for ever: a problem without data.
        name: What errors call it.
        on_epoch_end: Called when the loader has ended, before it is opened again.

    Raises:
        TypeError: If it is of no kind.
        ValueError: If the first axes of stacked tensors differ.

    Example:
        >>> batches = Batches([1, 2, 3])
        >>> [batches.next() for _ in range(4)], batches.epoch
        ([1, 2, 3, 1], 1)
        >>> resumed = Batches([1, 2, 3])
        >>> resumed.load_state_dict(batches.state_dict())
        >>> resumed.next()
        2
    """

    def __init__(
        self,
        loader: Any,
        *,
        name: str = "the data loader",
        on_epoch_end: Callable[[], None] | None = None,
    ) -> None:
        self._loader: Any = None if loader is None else iterable_batches(loader, name)
        self._name = name
        self._on_epoch_end = on_epoch_end
        self._keeps_position = all(
            callable(getattr(loader, method, None)) for method in ("state_dict", "load_state_dict")
        )
        # A list runs no code of anybody, and a loader that keeps its position repeats nothing.
        traced = not self._keeps_position and type(self._loader) is not list
        self._trace = Trace(self._loader if traced else None)
        self._restart()

    def _restart(self) -> None:
        self._iterator: Iterator[Any] | None = None
        self._opened = 0  # times: this is the epoch of `_iterator`, counted from one
        self._drawn = 0  # batches from `_iterator`
        self._reopened: list[bool] = []  # whether each loader's persistent workers were there
        self._epoch = 0  # of the batch that was returned last, counted from zero
        self._ahead: list[Any] = []  # the batch that was peeked at
        self._before: dict[str, Any] | None = None  # the position before it, if the loader keeps it

    @property
    def epoch(self) -> int:
        """The number of epochs that had ended when the last batch was returned."""
        return self._epoch

    def next(self) -> Any:
        """Return the next batch.

        Returns:
            The batch, as the loader yields it.

        Raises:
            ValueError: If the loader yields nothing, or is an iterator that has ended.
        """
        batch = self._ahead.pop() if self._ahead else self._draw()
        self._before = None
        self._epoch = max(self._opened - 1, 0)
        return batch

    def peek(self, *, quietly: bool = False) -> Any:
        """Return the batch that :meth:`next` will return.

        Args:
            quietly: Whether the end of an epoch is not told.

        Returns:
            The batch, as the loader yields it.

        Raises:
            ValueError: If the loader yields nothing, or is an iterator that has ended.
        """
        if not self._ahead:
            if self._keeps_position:
                self._before = {
                    "opened": self._opened,
                    "drawn": self._drawn,
                    "position": copy.deepcopy(self._position()),
                    "random": random_state(),
                }
            self._ahead.append(self._draw(quietly=quietly))
        return self._ahead[0]

    def open(self) -> None:
        """Begin the first epoch, which draws a loader's seed, if it has not begun."""
        if self._iterator is None and self._loader is not None:
            self._open()

    def _draw(self, *, quietly: bool = False) -> Any:
        if self._loader is None:
            return None
        if self._iterator is None:
            self._open()
        while True:
            assert self._iterator is not None
            try:
                with self._trace.draw(self._drawn + 1):
                    batch = next(self._iterator)
            except StopIteration:
                self._end(quietly)
            else:
                self._drawn += 1
                return batch

    def _end(self, quietly: bool) -> None:
        if not self._drawn:
            once = self._opened > 1 and isinstance(self._loader, Iterator)
            raise ValueError(
                f"{self._name} is an iterator that has ended and cannot be read again: give a "
                f"`DataLoader`, a list, or an object whose `__iter__` begins anew."
                if once
                else f"{self._name} yields no batch."
            )
        if self._on_epoch_end is not None and not quietly:
            self._on_epoch_end()
        self._open()

    def _open(self, seen: Mapping[int, Mapping[str, Any]] | None = None) -> None:
        """Begin an epoch; or repeat its beginning, with the same random numbers."""
        self._iterator = None  # its workers end before others begin
        self._tell_epoch()
        self._trace.begin()
        self._reopened = [loader._iterator is not None for loader in self._trace.persistent]
        with self._trace.draw(0, seen):
            self._iterator = iter(self._loader)
        self._opened += 1
        self._drawn = 0

    def _tell_epoch(self) -> None:
        names = ("sampler", "batch_sampler", "dataset")
        parts = [self._loader, *(getattr(self._loader, name, None) for name in names)]
        parts.append(getattr(parts[2], "sampler", None))
        for part in {id(part): part for part in parts}.values():
            if callable(getattr(part, "set_epoch", None)):
                part.set_epoch(self._opened)

    def _position(self) -> Any:
        with untouched():
            return self._loader.state_dict()

    # Resuming

    def _warn_of_workers(self, opened: int) -> None:
        """Warn if persistent workers draw other random numbers than a loader that is opened again."""
        if opened > 1 and self._trace.persistent and not self._trace.known:
            checks.warn(
                f"{self._name} has persistent workers: if they draw random numbers, a run that is "
                f"resumed after the first epoch does not equal one that was not interrupted; set "
                f"`persistent_workers=False`."
            )

    def state_dict(self) -> dict[str, Any]:
        """Return the position, for :meth:`load_state_dict`.

        Returns:
            A dictionary of tensors, numbers and strings, besides what a loader's own ``state_dict``
            holds.

        Warns:
            UserWarning: If persistent workers may have drawn random numbers after their first epoch.
        """
        self._warn_of_workers(self._opened)
        state = {
            "opened": self._opened,
            "drawn": self._drawn,
            "epoch": self._epoch,
            "reopened": self._reopened,
            "ahead": bool(self._ahead),
            "before": self._before,
            **self._trace.state_dict(),
        }
        if self._keeps_position and self._before is None:
            state["position"] = self._position()
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go to a position.

        Args:
            state: What :meth:`state_dict` has returned, of batches from a loader like this one.

        Raises:
            ValueError: If the loader is an iterator that is beyond the position already, or if it
            does not
                yield as many batches as it did, or lacks a generator that it had.

        Warns:
            UserWarning: As :meth:`state_dict`.
        """
        if self._loader is None:
            return
        self._warn_of_workers(state["opened"])
        with untouched():
            if self._keeps_position:
                self._continue(state)
            else:
                self._repeat(state)
        self._epoch = state["epoch"]

    def _continue(self, state: Mapping[str, Any]) -> None:
        """Restore the position through the loader's own state."""
        self._restart()
        before = state["before"]
        start = state if before is None else before
        self._opened, self._drawn = start["opened"], start["drawn"]
        self._loader.load_state_dict(start["position"])
        if start["opened"]:
            self._iterator = iter(self._loader)
        if before is not None:
            set_random_state(before["random"])
            self._ahead = [self._draw(quietly=True)]
            self._before = dict(before)

    def _repeat(self, state: Mapping[str, Any]) -> None:
        """Open the loader again, and draw as many batches as had been drawn."""
        seen, last = state["seen"], []
        if self._can_begin_anew(state):
            self._restart()
            if state["opened"]:
                self._opened = state["opened"] - 1
                reopened = state["reopened"]
                persistent = self._trace.persistent
                if any(reopened) and len(reopened) != len(persistent):
                    raise ValueError(
                        f"{self._name} has {len(persistent)} loaders with persistent workers, but the "
                        f"saved run had {len(reopened)}: they shuffle in another order, so resume with "
                        f"the same loaders."
                    )
                for loader, again in zip(persistent, reopened, strict=False):
                    loader._iterator = None
                    if again:
                        iter(loader)  # its first opening, which draws other random numbers
                self._open(seen)
        else:
            self._check_not_beyond(state)
            last, self._ahead = self._ahead, []
        while self._drawn < state["drawn"]:
            assert self._iterator is not None
            try:
                with self._trace.draw(self._drawn + 1, seen):
                    last = [next(self._iterator)]
            except StopIteration:
                raise ValueError(
                    f"{self._name} yields {self._drawn} batches, but the saved run had used "
                    f"{state['drawn']} of its epoch: resume with the same data."
                ) from None
            self._drawn += 1
        if state["ahead"]:
            self._ahead = last
        self._trace.load_state_dict(state)

    def _can_begin_anew(self, state: Mapping[str, Any]) -> bool:
        return (
            not isinstance(self._loader, Iterator)
            or self._opened == 0  # nothing has been read
            or max(self._opened, state["opened"]) > 1  # it has begun anew before
        )

    def _check_not_beyond(self, state: Mapping[str, Any]) -> None:
        kept = bool(self._ahead) or not state["ahead"]
        if not state["opened"] or self._drawn > state["drawn"] - (not kept):
            raise ValueError(
                f"{self._name} is an iterator that has been read beyond the position of the saved run "
                f"and cannot go back: make a new one."
            )


def to_device(batch: Any, device: torch.device | str | None) -> Any:
    """Return a batch with its tensors on a device.

    Args:
        batch: A tensor, an object with a method ``to``, or any nest of dictionaries, lists, (named)
        tuples
            and other containers of them. All else stays as it is.
        device: The device; ``None`` leaves the batch as it is.

    Returns:
        The same nest.

    Example:
        >>> to_device({"x": torch.ones(2), "names": ["a", "b"]}, "cpu")
        {'x': tensor([1., 1.]), 'names': ['a', 'b']}
    """
    if device is None:
        return batch

    def has_to(part: Any) -> bool:
        return not isinstance(part, type) and callable(getattr(part, "to", None))

    def move(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor):
            return leaf.to(device, non_blocking=leaf.is_pinned())
        return leaf.to(device) if has_to(leaf) else leaf

    return pytree.tree_map(move, batch, is_leaf=has_to)
