"""A closed function: all that its evaluations read besides what they are given, made explicit once.

What it reads is where its graph ends (:mod:`torchopt.autodiff.edges`), and its world is its environment
(:mod:`torchopt.autodiff.environment`). Inside of ``torch.func``, which has no such graph, operations
show what they read (:class:`torchopt.autodiff.functional.Reads`). First evaluations are looked at, and
later ones are compared with them: steps of a solver, blocks, and conditions that a solution meets.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NoReturn

import torch
from torch.autograd import forward_ad

from torchopt.autodiff.captured import Substitute
from torchopt.autodiff.edges import Found, Key, Look, as_they_were, inner_ends, is_made_of, key_of
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
        known: Identities of the tensors that the function names, which may be read.
        free: The variables that the function reads besides what it is given.
        composed: Those of them that were made of others: a path would count twice in a gradient, so
            they are replaced in each later evaluation.
        hidden: Whether a custom autograd.Function reads one of them.
        read: What first evaluations read, by their names.
        ends: The tensors at which graphs of first evaluations end, by their identities there.
        used: Identities of those of them that a later evaluation has read where they are replaced.
        looks: What was seen of later evaluations, by name.
    """

    def __init__(
        self, environment: Environment, name: str, instead: str, *, inside: bool = False
    ) -> None:
        self.environment = environment
        self.inside = inside
        self.known = set(map(id, environment.tensors.tensors))
        self.free: list[torch.Tensor] = []
        self.composed: list[torch.Tensor] = []
        self.hidden = False
        self.read: dict[Any, set[Key]] = {}
        self.used: set[int] = set()
        self.looks: dict[Any, Look] = {}
        self._name = name
        self._instead = instead
        self.ends: dict[Key, torch.Tensor] = {}
        self._named = inner_ends(environment.tensors.named)
        self._leaves: dict[int, weakref.ref[torch.Tensor]] = {}
        self._shown: set[int] = set()  # those of `free` that must be read again
        self._replaced: set[int] = set()
        self._copies: dict[int, weakref.ref[torch.Tensor]] = {}
        self._around = replacing_modes()

    # First evaluations.

    def watch(self, given: Iterable[torch.Tensor], *, later: bool = False) -> Look:
        """Return what looks at the graph of an evaluation that is about to begin.

        Args:
            given: The tensors that it is given.
            later: Whether it is not the first.
        """
        known = self.ends.keys() | self._named.keys() | _AROUND.get()
        return Look(given, known, later=later)

    def note_copies(self, leaves: Iterable[Any]) -> None:
        """Note leaves that a first evaluation is given, which nothing else may meet."""
        self._copies |= {id(x): weakref.ref(x) for x in leaves if isinstance(x, torch.Tensor)}

    def _alive(self) -> Set[int]:
        """Return the identities of the copies that something still holds."""
        self._copies = {key: copy for key, copy in self._copies.items() if copy() is not None}
        return self._copies.keys()

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
        alive, leaves = self._alive(), look.leaves()
        if alive and leaves.keys() & (alive - set(map(id, known))):
            self._refuse_cached()
        if unknown := look.nodes - self.ends.keys() - self._named.keys():
            met = as_they_were(leaves.values())
            with self.environment.again(), in_this_thread(), met, Found(unknown) as found:
                evaluate()
            if unknown - found.tensors.keys():
                raise RuntimeError(self._hidden)
            if alive and not alive.isdisjoint(map(id, leaves_reached([*found.tensors.values()]))):
                self._refuse_cached()
            self.ends |= found.tensors
        self.ends |= {key: self._named[key] for key in look.nodes & self._named.keys()}
        self._leaves |= {key: weakref.ref(t) for key, t in leaves.items()}
        self.hidden |= look.hidden
        self.read[name] = {*leaves, *look.nodes}

    def met(self) -> dict[Key, torch.Tensor]:
        """Return the ends so far, in order, without leaves that an evaluation has made."""
        if not self.known.issuperset(self._leaves):
            gc.collect(1)  # what an evaluation made may hold itself
        alive = {key: t for key, end in self._leaves.items() if (t := end()) is not None}
        return self.ends | alive

    def settle(self) -> None:
        """Know, after the first evaluations, what all of them read."""
        ends = self.ends = self.met()
        self._named.clear()  # it would keep alive what nothing has read
        self.read = {name: read & ends.keys() for name, read in self.read.items()}
        self.free = list(ends.values())
        self._shown = set(map(id, self.free))
        if len(ends) > 1:
            inner = [(key[0], t) for key, t in ends.items() if t.grad_fn is not None]
            self.composed = [t for node, t in inner if is_made_of(node, ends)]

    def note_reads(self, reads: Reads) -> None:
        """Note what a first evaluation has read where operations show it."""
        self.free += reads.free
        self._shown |= reads.older

    # Later evaluations.

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
        old = self.free if replace else self.composed
        if not (replace or old or self._around):
            yield
            return
        table = {id(t): s for t, s in zip(self.free, values, strict=True) if s is not t}
        if replace:
            table = {key: s for key, s in {**(given or {}), **table}.items() if id(s) != key}
        else:
            table = {id(t): table[id(t)] for t in old if id(t) in table}
        around = {key: t for mode in self._around for key, t in mode.table.items()}
        table = {key: table.get(id(t), t) for key, t in around.items()} | table
        if not table:
            yield
            return
        if old:
            self.refuse_hidden(self)
        self._replaced |= set(table) if replace else set()
        with Substitute(table, old, self.cached) as substitute:
            yield
        self.used |= substitute.used | {
            id(t) for key, t in around.items() if key in substitute.used
        }

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Enclose later evaluations, in the environment of the first ones.

        What is evaluated within may read these ends, too, whose numbers may be of another thread.
        """
        met = as_they_were(self.ends.values())
        with self.environment.again(), in_this_thread(), met:
            token = _AROUND.set(_AROUND.get() | self.ends.keys())
            try:
                yield
            finally:  # of a pass that failed
                _AROUND.reset(token)
                self.looks.clear()

    @contextmanager
    def reading_again(self) -> Iterator[None]:
        """Enclose later evaluations; raise if what is replaced in them is not read again."""
        self.used.clear()
        self._replaced.clear()
        yield
        for t in self.free:
            if id(t) in self._shown & self._replaced and id(t) not in self.used:
                self.refuse_unread(t)

    def look(self, name: Any, given: Iterable[torch.Tensor]) -> Look:
        """Return what looks at the graph of a later evaluation that is about to begin."""
        self.looks[name] = look = self.watch(given, later=True)
        return look

    def compare(self, name: Any) -> None:
        """Raise if a later evaluation read other variables than the first."""
        look = self.looks.get(name)
        if look is None:
            return
        if look.older or look.leaves().keys() & self._alive():
            self._refuse_cached()
        for t in self.composed:
            if look.reached(key_of(t)):
                raise RuntimeError(self._hidden)
        for key in self.read.get(name, ()):
            if not look.reached(key) and id(t := self.ends[key]) not in self.used:
                self.refuse_unread(t)

    def finish(self) -> None:
        """Raise if the backward pass of later evaluations read more; once their graphs are freed."""
        looks = list(self.looks.values())
        self.looks.clear()
        for look in looks:
            for key, t in look.leaves(behind=True).items():
                if key not in self.ends:
                    self.refuse_hook(t)

    # Errors.

    def refuse_hidden(self, seen: Closed | Look) -> None:
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


_AROUND: ContextVar[frozenset[Key]] = ContextVar("ends of what is around", default=frozenset())
