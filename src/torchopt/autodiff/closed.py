"""A closed function: all that its evaluations read besides what they are given, made explicit once.

What it reads is where its graph ends (:mod:`torchopt.autodiff.edges`), and its world is its environment
(:mod:`torchopt.autodiff.environment`). Inside of ``torch.func``, which has no such graph, operations
show what they read (:class:`torchopt.autodiff.functional.Reads`). First evaluations are looked at, and
later ones are compared with them: steps of a solver, blocks, and conditions that a solution meets.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import torch
from torch.autograd import forward_ad

from torchopt.autodiff.captured import Substitute
from torchopt.autodiff.edges import Ends, Found, Look, as_they_were, key_of
from torchopt.autodiff.environment import Environment
from torchopt.autodiff.function_mode import replacing_modes
from torchopt.autodiff.functional import Reads
from torchopt.autodiff.graph import leaves_reached
from torchopt.autodiff.second_order import in_this_thread
from torchopt.errors import ReplayError

Tensors = Sequence[torch.Tensor]


class Closed:
    """What a function reads besides what it is given.

    Args:
        environment: Its environment.
        name: What errors call the function, such as ``"the objective"``.
        instead: What they advise: to pass it, and what else.
        inside: Whether first evaluations are where no graph shows what is read.

    Attributes:
        environment: As given.
        inside: As given.
        ends: Where the graphs of first evaluations end.
        free: The variables that the function reads besides what it is given.
        used: Identities of those of them that a later evaluation has read where they are replaced.
        looks: What was seen of later evaluations, by name.
    """

    def __init__(
        self, environment: Environment, name: str, instead: str, *, inside: bool = False
    ) -> None:
        self.environment = environment
        self.inside = inside
        self.ends = Ends(environment.tensors)
        self.free: list[torch.Tensor] = []
        self.used: set[int] = set()
        self._name = name
        self._instead = instead
        self._shown: set[int] = set()  # those of `free` that must be read again
        self._replaced: set[int] = set()
        self._copies: list[weakref.ref[torch.Tensor]] = []
        self._around = replacing_modes()
        self.looks: dict[Any, Look] = {}

    # First evaluations.

    def note_copies(self, leaves: Iterable[Any]) -> None:
        """Note leaves that a first evaluation is given, which nothing else may meet."""
        self._copies += [weakref.ref(x) for x in leaves if isinstance(x, torch.Tensor)]

    def _alive(self) -> set[int]:
        """Return the identities of the copies that something still holds."""
        self._copies = [reference for reference in self._copies if reference() is not None]
        return {id(reference()) for reference in self._copies}

    def note(
        self, name: Any, look: Look, evaluate: Callable[[], Any], known: Iterable[Any] = ()
    ) -> None:
        """Note what a first evaluation has read.

        Args:
            name: The name of the evaluation.
            look: What was seen of it.
            evaluate: Evaluates once more, to find tensors that are no leaves.
            known: The copies that it was given.
        """
        alive = self._alive()
        if alive and look.leaves().keys() & (alive - set(map(id, known))):
            self._refuse_cached()
        tensors: dict[Any, torch.Tensor] = {}
        if unknown := self.ends.unknown(look):
            met = as_they_were(list(look.leaves().values()))
            with self.environment.again(), in_this_thread(), met, Found(unknown) as found:
                evaluate()
            tensors = found.tensors
            if unknown - tensors.keys():
                raise RuntimeError(self._hidden)
            if alive and alive.intersection(map(id, leaves_reached([*tensors.values()]))):
                self._refuse_cached()
        self.ends.add(name, look, tensors)

    def settle(self) -> None:
        """Know, after the first evaluations, what all of them read."""
        self.ends.settle()
        self.free = self.ends.free
        self._shown = set(map(id, self.free))

    def note_reads(self, reads: Reads) -> None:
        """Note what a first evaluation has read where operations show it."""
        self.free += reads.free
        self._shown |= reads.older

    # Later evaluations.

    @property
    def composed(self) -> list[torch.Tensor]:
        """Those of :attr:`free` that are replaced in each later evaluation."""
        return [] if self.inside else self.ends.to_replace()

    def own(self, values: Tensors) -> list[torch.Tensor]:
        """Return values of :attr:`free`: what it reads stands for itself, unless it is composed.

        What was read inside of ``torch.func`` has the values of that time: nothing is as it was.
        """
        if self.inside:
            return list(values)
        composed = set(map(id, self.composed))
        return [s if id(t) in composed else t for t, s in zip(self.free, values, strict=True)]

    @contextmanager
    def at(
        self,
        values: Tensors,
        given: Mapping[int, torch.Tensor] | None = None,
        *,
        replace: bool,
    ) -> Iterator[None]:
        """Enclose a later evaluation.

        Args:
            values: Those of :attr:`free`.
            given: New tensors in the place of others, where all is replaced.
            replace: Whether all is replaced. Else only what is composed is, and what modes around the
                first evaluation replaced is as it was.
        """
        table = {id(t): s for t, s in zip(self.free, values, strict=True) if s is not t}
        old = self.free
        if replace:
            table = {key: s for key, s in {**(given or {}), **table}.items() if id(s) != key}
        else:
            old = self.composed
            table = {id(t): table[id(t)] for t in old if id(t) in table}
        around = {key: t for mode in self._around for key, t in mode.table.items()}
        table = {key: table.get(id(t), t) for key, t in around.items()} | table
        if not table:
            yield
            return
        if old:
            self.refuse_hidden(self.ends)
        self._replaced |= set(table) if replace else set()
        with Substitute(table, old, self.cached) as substitute:
            yield
        self.used |= substitute.used | {
            id(t) for key, t in around.items() if key in substitute.used
        }

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Enclose later evaluations, in the environment of the first ones."""
        ends = self.ends
        met = as_they_were(ends.free)
        with self.environment.again(), in_this_thread(), met, ends.passing():
            try:
                yield
            finally:  # of a pass that failed
                self.looks.clear()

    @contextmanager
    def reading_again(self) -> Iterator[None]:
        """Enclose later evaluations; raise if what is replaced in them is not read again."""
        self.used.clear()
        self._replaced.clear()
        yield
        self.check_used()

    def check_used(self) -> None:
        """Raise if a variable that was read at first, and is replaced, has not been read again."""
        for t in self.free:
            if id(t) in self._shown & self._replaced and id(t) not in self.used:
                self.refuse_unread(t)

    def look(self, name: Any, given: Iterable[torch.Tensor]) -> Look:
        """Return what looks at the graph of a later evaluation that is about to begin."""
        self.looks[name] = look = self.ends.look(given, later=True)
        return look

    def compare(self, name: Any) -> None:
        """Raise if a later evaluation read other variables than the first."""
        look = self.looks.get(name)
        if look is None:
            return
        if look.older or look.leaves().keys() & self._alive():
            self._refuse_cached()
        if any(look.reached(key_of(t)) for t in self.composed):
            raise RuntimeError(self._hidden)
        for t in self.ends.unread(name, look):
            if id(t) not in self.used:
                self.refuse_unread(t)

    def finish(self) -> None:
        """Raise if the backward pass of later evaluations read more; once their graphs are freed."""
        looks = list(self.looks.values())
        self.looks.clear()
        for look in looks:
            for t in self.ends.strange(look):
                self.refuse_hook(t)

    # Errors.

    def refuse_hidden(self, seen: Ends | Look) -> None:
        """Raise if a variable that is to be replaced was read where that cannot be done."""
        if seen.hidden:
            raise RuntimeError(self._hidden)

    @property
    def _hidden(self) -> str:
        return (
            f"{self._name} reads a tensor that requires grad inside of a custom autograd.Function, "
            f"scripted code or another thread, where it cannot be replaced: read it elsewhere, or "
            f"{self._instead}."
        )

    def _refuse_cached(self) -> NoReturn:
        raise ReplayError(self.cached)

    @property
    def cached(self) -> str:
        """What is wrong where a later evaluation reads what an earlier one has made."""
        forward = forward_ad._current_level >= 0
        closure = ", or in forward mode, as by an `hvp` around it, one that it closes over"
        return (
            f"{self._name} reads a tensor that requires grad when it is computed again, and did not "
            f"at first, such as one that it keeps from an earlier evaluation (in a cache, say)"
            f"{closure if forward else ''}: make it in each evaluation, or before the first and "
            f"{self._instead}."
        )

    def refuse_unread(self, t: torch.Tensor) -> NoReturn:
        """Raise, since a variable is no longer what it was in the first evaluation."""
        raise ReplayError(
            f"{self._name} read a tensor of shape {tuple(t.shape)} that requires grad, and not again "
            f"when it was computed again: it was replaced before the backward pass, or each call makes "
            f"it anew where that cannot be seen (in another thread). Leave it where it is, or "
            f"{self._instead}."
        )

    def refuse_hook(self, t: torch.Tensor) -> NoReturn:
        """Raise, since the backward pass reads what the forward pass does not."""
        raise ReplayError(
            f"a hook, or the backward pass of a custom autograd.Function, in {self._name} reads a "
            f"tensor of shape {tuple(t.shape)} that requires grad and that {self._name} itself does "
            f"not read: {self._instead}."
        )
