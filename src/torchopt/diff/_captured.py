"""The tensors that the steps of an unroll read besides the carry."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import torch

from torchopt.autodiff.captured import Substitute
from torchopt.autodiff.edges import Ends, Look, key_of
from torchopt.autodiff.function_mode import replacing_modes
from torchopt.autodiff.functional import Reads
from torchopt.autodiff.graph import leaf, leaves_reached
from torchopt.errors import ReplayError
from torchopt.pytree import flattening as pytree

Tensors = Sequence[torch.Tensor]

HIDDEN = (
    "the objective reads a tensor that requires grad inside of a custom autograd.Function, scripted "
    "code or another thread, where this memory policy cannot see it: pass it in `args`, read it in the "
    'thread that calls the objective, or use memory="graph".'
)


CACHED = (
    "the objective keeps a tensor that requires grad from an earlier evaluation (in a cache, say), and "
    "reads it when a step is computed again: compute it in each evaluation, or before the first and "
    'pass it in `args`, or use memory="graph".'
)


class Captured:
    """What varies among the arguments and batches of a problem, and the variables it closes over.

    A list of tensors with one for each of them, in this order, is called *others*: steps can be
    evaluated at other values.

    Args:
        args: The arguments that are the same in each step.
        indices: The steps.
        ends: Where the graphs of the steps end; of steps outside of ``torch.func``.
        inside: Whether the first run is inside of ``torch.func``, where each tensor may vary.

    Attributes:
        free: The variables that the objective closes over.
        ends: As given.
        used: Identities of those of ``free`` that a later evaluation has read where they are replaced.
    """

    def __init__(self, args: tuple[Any, ...], indices: range, ends: Ends, *, inside: bool) -> None:
        self.free: list[torch.Tensor] = []
        self.ends = ends
        self.used: set[int] = set()
        self._shown: set[int] = set()  # those of `free` that must be read again
        self._replaced = False
        self._copies: list[weakref.ref[torch.Tensor]] = []
        self._args = args
        self._indices = indices
        self._inside = inside
        self._batches: list[tuple[Any, ...]] = []
        self._around = replacing_modes()
        self._places: list[tuple[int, int]] = []  # a step (-1 for arguments), and a leaf

    @property
    def composed(self) -> list[torch.Tensor]:
        """Those of :attr:`free` that are replaced in each later evaluation."""
        return [] if self._inside else self.ends.to_replace()

    @property
    def passed(self) -> int:
        """How many of *others* come before those that are closed over."""
        return len(self._places)

    def __len__(self) -> int:
        """Return the number of *others*."""
        return len(self._places) + len(self.free)

    def note_args(self) -> tuple[list[torch.Tensor], tuple[Any, ...]]:
        """Note the arguments; return what varies among them, and the arguments to run with."""
        return self._note(-1, self._args)

    def note_batch(self, batch: tuple[Any, ...]) -> tuple[list[torch.Tensor], tuple[Any, ...]]:
        """Note the batch of the next step; return what varies in it, and the batch to run with."""
        self._batches.append(batch)
        return self._note(self._indices.start + len(self._batches) - 1, batch)

    def _note(self, step: int, tree: Any) -> tuple[list[torch.Tensor], Any]:
        # Variables become leaves of their own: then what is closed over differs from what is passed,
        # also where it is the same tensor and a custom autograd.Function reads it.
        leaves, spec = pytree.flatten(tree)
        varying = []
        for place, x in enumerate(leaves):
            if isinstance(x, torch.Tensor) and (self._inside or x.requires_grad):
                varying.append(x)
                self._places.append((step, place))
                if not self._inside:
                    leaves[place] = leaf(x)
                    self.note_copies([leaves[place]])
        return varying, pytree.unflatten(spec, leaves)

    def note_copies(self, leaves: Iterable[Any]) -> None:
        """Note leaves of the first run, which nothing else may meet."""
        self._copies += [weakref.ref(x) for x in leaves if isinstance(x, torch.Tensor)]

    def copies(self) -> set[int]:
        """Return the identities of the copies that something still holds."""
        self._copies = [reference for reference in self._copies if reference() is not None]
        return {id(reference()) for reference in self._copies}

    def note_step(
        self, index: int, look: Look, tensors: dict[Any, torch.Tensor], known: Tensors
    ) -> None:
        """Note what a step outside of ``torch.func`` has read.

        Args:
            index: The step.
            look: What was seen of it.
            tensors: The tensors of ends that were not known.
            known: The tensors that it was given besides the carry.
        """
        copies = self.copies()
        if look.leaves().keys() & (copies - set(map(id, known))):
            raise ReplayError(CACHED)
        if self.ends.unknown(look) - tensors.keys():
            raise RuntimeError(HIDDEN)
        if copies and copies.intersection(map(id, leaves_reached(tensors.values()))):
            raise ReplayError(CACHED)
        self.ends.add(index, look, tensors)

    def note_ends(self) -> None:
        """Note the variables that steps outside of ``torch.func`` close over."""
        self.ends.settle()
        self.free = self.ends.free
        self._shown = set(map(id, self.free))

    def note_free(self, reads: Reads) -> None:
        """Note the variables that a step inside of ``torch.func`` closes over."""
        self.free += reads.free
        self._shown |= reads.older

    @contextmanager
    def at(
        self, index: int, others: Tensors, *, replace: bool
    ) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        """Run a step at other values; yield its arguments and its batch.

        Args:
            index: The step.
            others: The values.
            replace: Whether what the objective closes over is replaced, too. Else it is read as it is.
        """
        args, spec = pytree.flatten(self._args)
        batch, batch_spec = pytree.flatten(self._batch(index))
        for (step, place), tensor in zip(self._places, others, strict=False):
            if step in (-1, index):
                (args if step == -1 else batch)[place] = tensor
        new = pytree.unflatten(spec, args), pytree.unflatten(batch_spec, batch)
        if replace:
            table = self.table(others, index)
        else:
            free = self._of_free(others)
            table = {id(t): s for t in self.composed if (s := free[id(t)]) is not t}
            # What modes around the first run replace, a later evaluation finds as it was.
            for mode in self._around:
                table |= mode.table
        if not table:
            yield new
            return
        if self.ends.hidden and (replace or self.composed):
            raise RuntimeError(HIDDEN)
        self._replaced |= replace
        with Substitute(table, self.free if replace else self.composed) as substitute:
            yield new
        self.used |= substitute.used

    def table(self, others: Tensors, index: int | None = None) -> dict[int, torch.Tensor]:
        """Return the other values by the identity of what they replace, at one step or at all."""
        args = pytree.leaves(self._args)
        batches = {
            step: pytree.leaves(self._batch(step))
            for step in (self._indices if index is None else [index])
        }
        # What is passed may be closed over, too.
        table = {
            id((args if step == -1 else batches[step])[place]): tensor
            for (step, place), tensor in zip(self._places, others, strict=False)
            if step == -1 or step in batches
        }
        table |= self._of_free(others)
        return {key: s for key, s in table.items() if id(s) != key}

    def _of_free(self, others: Tensors) -> dict[int, torch.Tensor]:
        free = others[len(self._places) :]
        return {id(t): s for t, s in zip(self.free, free, strict=True)}

    def _batch(self, index: int) -> tuple[Any, ...]:
        return self._batches[index - self._indices.start]

    def replaced(self, leaves: list[Any], others: Tensors) -> list[Any]:
        """Return leaves of a result with the other values in place of variables closed over."""
        table = self._of_free(others)
        self.used |= {id(x) for x in leaves if id(x) in table}
        return [table.get(id(x), x) for x in leaves]

    def not_closed_over(self, outputs: list[torch.Tensor]) -> list[torch.Tensor]:
        """Return outputs but for those that the objective closes over, which count as read."""
        free = set(map(id, self.free))
        self.used |= {id(t) for t in outputs if id(t) in free}
        return [t for t in outputs if id(t) not in free]

    def varying_at(self, index: int) -> list[int]:
        """Return the positions in *others* of what a step reads."""
        number = len(self._places)
        placed = [i for i, (step, _) in enumerate(self._places) if step in (-1, index)]
        return [*placed, *range(number, number + len(self.free))]

    def with_own(self, others: Tensors) -> list[torch.Tensor]:
        """Return *others* with what the objective closes over as it is, unless it is composed.

        Of a first run inside of ``torch.func``, it has the values of that time: nothing is as it was.
        """
        if self._inside:
            return list(others)
        composed = set(map(id, self.composed))
        pairs = zip(self.free, others[len(self._places) :], strict=True)
        own = [s if id(t) in composed else t for t, s in pairs]
        return [*others[: len(self._places)], *own]

    @contextmanager
    def read_again(self) -> Iterator[None]:
        """Enclose a later evaluation of the steps; raise if it does not read what the first one did."""
        self.used.clear()
        self._replaced = False
        yield
        if self._replaced:
            self.check_used()

    def check_used(self) -> None:
        """Raise if a variable that was read at first has not been read again."""
        for t in self.free:
            if id(t) in self._shown and id(t) not in self.used:
                _refuse_unread(t)

    def compare(self, index: int, look: Look, *, freed: bool) -> None:
        """Raise if a later evaluation of a step read other variables; perhaps its graph is freed."""
        if look.older or look.leaves().keys() & self.copies():
            raise ReplayError(CACHED)
        if any(look.reached(key_of(t)) for t in self.composed):
            raise RuntimeError(HIDDEN)
        for t in self.ends.unread(index, look):
            if id(t) not in self.used:
                _refuse_unread(t)
        for t in self.ends.strange(look) if freed else ():
            raise ReplayError(
                f"a hook, or the backward pass of a custom autograd.Function, in the objective reads a "
                f"tensor of shape {tuple(t.shape)} that requires grad and that the objective itself "
                f'does not read: pass it in `args`, or use memory="graph".'
            )


def _refuse_unread(t: torch.Tensor) -> NoReturn:
    raise ReplayError(
        f"the objective read a tensor of shape {tuple(t.shape)} that requires grad, and not again when "
        f"the steps were computed again: it was replaced before the backward pass, or each call makes "
        f"it anew where that cannot be seen (in another thread). Leave it where it is, pass it in "
        f'`args`, or use memory="graph".'
    )
