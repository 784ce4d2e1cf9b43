"""Loops that stop by tolerance: each problem of a batch freezes when it is done.

Under ``vmap`` a condition is a batch of conditions, which Python cannot branch on. The plain tensor
below the wrappers can be read: the loop goes on while any problem is active, and the results of
problems that have finished are selected.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any, TypeVar, cast

import torch

from torchopt import checks
from torchopt.autodiff.half import wide as wide
from torchopt.autodiff.loop_tracing import repeat
from torchopt.autodiff.shards import largest, plain
from torchopt.autodiff.tracing import read, tracing, when_known
from torchopt.autodiff.transforms import current_level, value_of
from torchopt.pytree import flattening as pytree

_Tree = TypeVar("_Tree")


def norm(tree: Any, order: float = 2.0) -> torch.Tensor:
    """Return the norm of all tensors of a tree together, as a constant (zero has no derivative).

    It is in float32 at least.
    """
    tensors = [wide(t.detach()) for t in pytree.leaves(tree) if t is not None]
    # That of no elements is zero, in any order.
    norms = [
        _norm_of_parts(t, order)
        if hasattr(t, "full_tensor")
        else torch.linalg.vector_norm(t, order)
        if t.numel()
        else t.sum()
        for t in tensors
    ]
    if len(norms) == 1:
        return norms[0]
    return torch.linalg.vector_norm(torch.stack([n.to(norms[0]) for n in norms]), order)


def _norm_of_parts(t: torch.Tensor, order: float) -> torch.Tensor:
    """Return the norm of a DTensor."""
    if t.numel() and math.isinf(order):
        return largest(t)
    return plain(torch.linalg.vector_norm(t, order) if t.numel() else t.sum())


def is_readable(x: torch.Tensor) -> bool:
    """Whether numbers of a tensor can be read at no cost: of a plain one on the CPU."""
    plain = type(x) is torch.Tensor and x.device.type == "cpu"
    return plain and not checks.transforms_active() and not tracing()


def is_surely_finite(x: torch.Tensor) -> bool:
    """Whether all elements of a tensor are finite, where that is known at no cost."""
    return is_readable(x) and math.isfinite(x.sum().item())  # one that is not shows in the sum


def any_true(x: torch.Tensor) -> bool:
    """Whether a condition holds for any problem of a batch."""
    return _holds(value_of(x).any())


def all_true(x: torch.Tensor) -> bool:
    """Whether a condition holds for all problems of a batch."""
    return _holds(value_of(x).all())


def _holds(x: torch.Tensor) -> bool:
    if tracing():
        raise RuntimeError("it decides by values of tensors")
    return bool(x) if x.device.type == "cpu" else bool(read(x)[0])


def iterate(
    step: Callable[[_Tree], _Tree],
    /,
    carry: _Tree,
    active: Callable[[_Tree], torch.Tensor],
    *,
    maxiter: int | torch.Tensor,
) -> tuple[_Tree, torch.Tensor]:
    """Repeat a step while a condition holds, for each problem of a batch by itself.

    A batch of problems is that of ``torch.func.vmap``: the loop goes on while any problem is active,
    and the carry of the others stays as it is. Autograd goes through the steps.

    Args:
        step: ``step(carry)`` returns the next carry, without branches on values. Entries that are no
            tensors are those of the last step.
        carry: A tree of tensors: the state before the first step.
        active: ``active(carry)`` returns whether to go on: a boolean scalar tensor.
        maxiter: The most steps to do; in traced code maybe a tensor.

    Returns:
        The last carry, and the number of steps done, as an int64 tensor.

    Example:
        How often a number must be halved to be less than one, for each number of a batch:

        >>> import torch, torchopt
        >>> def halve(x):
        ...     return torchopt.solver.iterate(lambda x: x / 2, x, lambda x: x >= 1, maxiter=100)
        >>> torch.func.vmap(halve)(torch.tensor([0.5, 3.0, 1000.0]))
        (tensor([0.5000, 0.7500, 0.9766]), tensor([ 0,  2, 10]))
    """
    return repeat_while(step, carry, active, maxiter)


def repeat_while(
    step: Callable[[_Tree], _Tree],
    carry: _Tree,
    active: Callable[[_Tree], torch.Tensor],
    maxiter: int | torch.Tensor,
    *,
    begun: bool = False,
    settle: Callable[[_Tree], _Tree] | None = None,
    guesses: Guesses | None = None,
) -> tuple[_Tree, torch.Tensor]:
    """Do what :func:`iterate` does, which waits for a device once a step.

    Args:
        step: See :func:`iterate`.
        carry: See :func:`iterate`.
        active: See :func:`iterate`.
        maxiter: See :func:`iterate`.
        begun: Whether the condition is known to hold at first, and likely not to after a step, in a
            step of another loop, which may guess.
        settle: ``settle(carry)``, which may be costly and branch on values, is called where the
            condition ceases to hold, and may make it hold again; not in traced code.
        guesses: Those of the steps, which are read with the condition; None for steps that read.
    """
    if tracing():
        return repeat(step, carry, active, select, maxiter)
    assert isinstance(maxiter, int)
    count: torch.Tensor | int = 0
    advance, goes_on = step, cast("Callable[[torch.Tensor], bool]", any_true)
    around: AbstractContextManager[None] = guessing(guesses)
    if begun:  # the guesses are those of the step around

        def advance(carry: _Tree) -> _Tree:
            return once(lambda: step(carry))

        goes_on, around = lambda going: not likely(~going), nullcontext()
        carry, count = advance(carry), 1
    going = active(carry)
    goes: bool | None = None  # not read yet
    with around:
        for _ in range(maxiter - begun):
            if not (goes_on(going) if goes is None else goes):
                break
            goes, before, single = None, carry, value_of(going).dim() == 0
            if guesses is not None:
                guesses.begin()
            while True:
                # A single problem that goes on: there is nothing to freeze.
                carry = advance(before) if single else select(going, advance(before), before)
                after = active(carry) if single else going & active(carry)
                if settle is None and guesses is None:
                    break
                ended = going & ~after
                some, goes = map(bool, read(value_of(ended).any(), value_of(after).any()))
                if guesses is None or not guesses.again():
                    break
            count = count + (1 if single else going)
            del before
            if settle is not None and some:
                carry, goes = select(ended, settle(carry), carry), None
                after = going & active(carry)
            going = after
    return carry, torch.zeros_like(going, dtype=torch.int64) + count


class Guesses:
    """Conditions of a step that nearly always hold: on a device they are read with the loop's own.

    A step that guessed wrong is done again with the right answer, from what it computed :func:`once`.
    Answers and results are kept in the order in which the step asks, the first six of them; where a
    condition did not hold in the last step, and later, it is read at once.
    """

    def __init__(self) -> None:
        self.kept: list[Any] = []
        self.begin()

    def begin(self) -> None:
        """Begin a step."""
        self.reads = {place for place, kept in enumerate(self.kept) if kept is False}
        self.kept, self.place, self.wrong = [], 0, False

    def again(self) -> bool:
        """Whether the step is to be done again; its guesses have been read."""
        again, self.wrong, self.place = self.wrong, False, 0
        return again

    def learn(self, place: int, holds: torch.Tensor) -> None:
        """Take the right answer to a guess, and forget what came of a wrong one."""
        if not (holds or self.wrong):
            self.kept[place:], self.wrong = [False], True


class _Current(threading.local):
    guesses: Guesses | None = None


_CURRENT = _Current()


def guesses_for(x: torch.Tensor) -> Guesses | None:
    """Return guesses for steps with such tensors, in a block of ``gathered()``; None: they read."""
    return None if x.device.type == "cpu" or current_level() else Guesses()


@contextmanager
def guessing(guesses: Guesses | None) -> Iterator[None]:
    """Let the steps of this block guess; None: they read."""
    before, _CURRENT.guesses = _CURRENT.guesses, guesses
    try:
        yield
    finally:
        _CURRENT.guesses = before


def once(compute: Callable[[], _Tree]) -> _Tree:
    """Return a result, which a step that is done again does not compute again."""
    guesses = _CURRENT.guesses
    if guesses is None:
        return compute()
    place = guesses.place
    guesses.place += 1
    if place >= len(guesses.kept):
        with guessing(None):
            result = compute()
        if place >= 6:
            return result
        guesses.kept.append(result)
    return cast("_Tree", guesses.kept[place])


def likely(condition: torch.Tensor) -> bool:
    """Whether a condition holds for all problems of a batch: a guess, after which all must be cheap."""
    guesses = _CURRENT.guesses
    place = 6 if guesses is None else guesses.place

    def ask() -> bool:
        if guesses is None or place >= 6 or place in guesses.reads:
            return all_true(condition)
        when_known(partial(guesses.learn, place), value_of(condition).all())
        return True

    return once(ask)


def add_scaled(
    y: torch.Tensor, a: torch.Tensor, x: torch.Tensor, *, into: torch.Tensor | None = None
) -> torch.Tensor:
    """Return ``y + a x``, written to ``y`` or to ``into`` outside of ``torch.func``.

    Args:
        y: A vector that nobody else reads, unless ``into`` is given.
        a: A scalar tensor.
        x: A vector.
        into: The vector to write to instead of ``y``.
    """
    if checks.transforms_active() or tracing():
        return y + a * x
    return torch.add(y, a * x, out=y if into is None else into)


def select(condition: torch.Tensor, new: _Tree, old: _Tree) -> _Tree:
    """Return the tensors of one tree where a condition holds, and of another elsewhere."""
    after, spec = pytree.flatten(new)
    before, _ = pytree.flatten(old)
    chosen = [
        torch.where(condition, n, o) if isinstance(n, torch.Tensor) and n is not o else n
        for n, o in zip(after, before, strict=True)
    ]
    return pytree.unflatten(spec, chosen)
