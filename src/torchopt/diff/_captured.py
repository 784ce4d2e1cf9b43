"""The tensors that the steps of an unroll read besides the carry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from torchopt.autodiff.captured import Substitute, Variables
from torchopt.autodiff.functional import Reads
from torchopt.autodiff.graph import leaf
from torchopt.errors import ReplayError
from torchopt.pytree import flattening as pytree

__all__ = ["HIDDEN", "Captured"]

Tensors = Sequence[torch.Tensor]

HIDDEN = (
    "the objective reads a tensor that requires grad inside of a custom autograd.Function or scripted "
    "code, where this memory policy cannot see it: pass it in `args`, or use "
    'memory="graph".'
)


class Captured:
    """What varies among the arguments and batches of a problem, and the variables it closes over.

    A list of tensors with one for each of them, in this order, is called *others*: steps can be
    evaluated at other values.

    Args:
        args: The arguments that are the same in each step.
        indices: The steps.
        inside: Whether the first run is inside of ``torch.func``, where each tensor may vary.

    Attributes:
        free: The variables that the objective closes over.
        hidden: The leaves among them that are also read without an operation that shows it.
        used: Identities of those of ``free`` that a later evaluation has read.
    """

    def __init__(self, args: tuple[Any, ...], indices: range, *, inside: bool) -> None:
        self.free: list[torch.Tensor] = []
        self.hidden: list[torch.Tensor] = []
        self.used: set[int] = set()
        self._shown: set[int] = set()  # those of `free` that must be read again
        self._args = args
        self._indices = indices
        self._inside = inside
        self._batches: list[tuple[Any, ...]] = []
        self._places: list[tuple[int, int]] = []  # a step (-1 for arguments), and a leaf

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
                leaves[place] = x if self._inside else leaf(x)
        return varying, pytree.unflatten(spec, leaves)

    def note_free(self, reads: Reads | Variables) -> None:
        """Note the variables that a step closes over."""
        if isinstance(reads, Variables):
            reads.settle()
            self.hidden += reads.hidden
            if reads.unseen:
                raise RuntimeError(HIDDEN)
            older = {id(t) for t in reads.free if not reads.made(t)}
        else:
            older = reads.older
        self.free += reads.free
        self._shown = (self._shown | older) - {id(t) for t in self.hidden}

    @contextmanager
    def at(self, index: int, others: Tensors) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        """Run a step at other values; yield its arguments and its batch."""
        args, spec = pytree.flatten(self._args)
        batch, batch_spec = pytree.flatten(self._batch(index))
        table = self.table(others, index)
        for (step, place), tensor in zip(self._places, others, strict=False):
            if step in (-1, index):
                (args if step == -1 else batch)[place] = tensor
        hidden = set(map(id, self.hidden))
        replaced = [t for t in self.free if id(t) not in hidden]
        new = pytree.unflatten(spec, args), pytree.unflatten(batch_spec, batch)
        with Substitute(table, replaced) as substitute:
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

    def varying_at(self, index: int) -> list[int]:
        """Return the positions in *others* of what a step reads."""
        number = len(self._places)
        placed = [i for i, (step, _) in enumerate(self._places) if step in (-1, index)]
        return [*placed, *range(number, number + len(self.free))]

    def with_hidden(self, others: Tensors) -> list[torch.Tensor]:
        """Return *others* with the hidden leaves themselves, which cannot be replaced."""
        number, hidden = len(self._places), {id(t) for t in self.hidden}
        pairs = zip(self.free, others[number:], strict=True)
        return [*others[:number], *(t if id(t) in hidden else s for t, s in pairs)]

    @contextmanager
    def read_again(self) -> Iterator[None]:
        """Enclose a later evaluation of the steps; raise if it does not read what the first one did."""
        self.used.clear()
        yield
        self.check_used()

    def check_used(self) -> None:
        """Raise if a variable that was read at first has not been read again."""
        for t in self.free:
            if id(t) in self._shown and id(t) not in self.used:
                raise ReplayError(
                    f"the objective read a tensor of shape {tuple(t.shape)} that requires grad, and "
                    f"not again when the steps were computed again: it was replaced before the "
                    f"backward pass, or each call makes it anew where that cannot be seen (in another "
                    f'thread). Leave it where it is, pass it in `args`, or use memory="graph".'
                )
