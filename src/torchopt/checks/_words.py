"""The words that say what an argument must be, and the one place where they become an error.

A dataclass that is :class:`Checked` writes a word beside a field, ``steps: int = field(5, count(1))``;
a function calls :func:`check`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar, get_args

import torch

from torchopt.checks._places import Structure, leaf_path

T = TypeVar("T")

_NUMBER = (int, float)


@dataclass(frozen=True)
class Word:
    """What an argument must be.

    Attributes:
        advice: What to do if it is not: the end of the sentence.
        types: Its types; of another one it is a ``TypeError``.
        holds: What must be true of it.
        error: The class of the error if that is false.
        none: Whether None is allowed.
    """

    advice: str
    types: Any = object
    holds: Callable[[Any], Any] | None = None
    error: type[Exception] = ValueError
    none: bool = False


def check(name: str, value: Any, word: Word) -> None:
    """Raise an error that names an argument, what it is and what to do, unless a word is true of it.

    Args:
        name: The name of the argument, or words for what is not one: ``"the result of a step"``.
        value: Its value.
        word: What it must be.

    Example:
        >>> check("damping", -1, POSITIVE)
        Traceback (most recent call last):
        ValueError: `damping` is -1: use a positive number.
        >>> check("damping", "low", POSITIVE)
        Traceback (most recent call last):
        TypeError: `damping` is an object of type str: use a positive number.
        >>> check("cell", 1, a_function("`(z, *inputs)`"))
        Traceback (most recent call last):
        TypeError: `cell` is an object of type int: pass a function of `(z, *inputs)`.
    """
    if value is None and word.none:
        return
    error = word.error
    if not isinstance(value, word.types) or (word.types is _NUMBER and isinstance(value, bool)):
        error = TypeError
    elif word.holds is None or word.holds(value):
        return
    advice = word.advice
    if isinstance(value, type):
        what = f"is the class {value.__name__}"
        if word.types is not object and issubclass(value, word.types):
            advice = f"make an object of it, such as `{value.__name__}()`"
    elif issubclass(error, TypeError):
        what = f"is an object of type {type(value).__name__}"
        if isinstance(value, torch.Tensor) and isinstance(value, word.types):
            what = f"is a tensor of {value.dtype}"
    elif isinstance(value, torch.Tensor) and value.dim():
        what = f"has shape {tuple(value.shape)}"
    else:
        what = f"is {value!r}"
    place = name if name.startswith("the ") or "`" in name else f"`{name}`"
    raise error(f"{place} {what}: {advice}{', or None' if word.none else ''}.")


def field(default: T, word: Word) -> T:
    """Return a field of a dataclass with its default and what it must be."""
    return dataclasses.field(default=default, metadata={"word": word})


class ByValue:
    """Objects are equal that are of one class with equal attributes; a tensor equals only itself."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _same(vars(self), vars(other))

    def __hash__(self) -> int:
        return hash(type(self))  # the compiler asks for it before there are attributes


def _same(a: Any, b: Any) -> bool:
    if a is b or type(a) is not type(b) or isinstance(a, torch.Tensor):
        return a is b
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    return (a == b) is True


class Checked(ByValue):
    """A dataclass whose fields have words; a subclass with another default for one keeps its word."""

    _words: ClassVar[dict[str, Word]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        fields = {name: f for name, f in vars(cls).items() if isinstance(f, dataclasses.Field)}
        own = {name: f.metadata["word"] for name, f in fields.items() if "word" in f.metadata}
        cls._words = {**cls._words, **own}

    def __post_init__(self) -> None:
        """Check the fields."""
        for name, word in self._words.items():
            check(name, getattr(self, name), word)


def check_leaves(leaves: Sequence[Any], spec: Structure, root: str, word: Word) -> None:
    """Check the leaves of a tree; an error names the first one by its path."""
    for index, leaf in enumerate(leaves):
        if leaf is not None and not isinstance(leaf, word.types):
            check(leaf_path(spec, index, root), leaf, word)


def check_known(what: str, name: Any, known: Iterable[Any]) -> None:
    """Raise ``ValueError`` unless a name is known.

    Example:
        >>> check_known("worker", "c", ["b", "a"])
        Traceback (most recent call last):
        ValueError: there is no worker 'c'; there are 'a', 'b'.
    """
    known = list(known)
    if name not in known:
        there = ", ".join(map(repr, sorted(known))) or "none"
        raise ValueError(f"there is no {what} {name!r}; there are {there}.")


# The words


def or_none(word: Word) -> Word:
    """Return a word for what may be None, too."""
    return replace(word, none=True)


def of_type(types: Any, advice: str) -> Word:
    """Return the word for an object of some types, with what to pass."""
    return Word(f"pass {advice}", types)


def a_function(of: str) -> Word:
    """Return the word for a function, with its arguments."""
    return Word(f"pass a function of {of}", Callable)


def count(least: int = 0, of: str = "") -> Word:
    """Return the word for an integer from a bound on."""
    what = f"a whole number of {of}" if of else "an integer"

    def holds(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and value >= least

    return Word(f"use {what}, at least {least}", holds=holds)


def one_of(choices: Any) -> Word:
    """Return the word for one of a ``Literal``, or of a collection."""
    values = tuple(get_args(choices) or choices)
    return Word(f"use one of {', '.join(map(repr, values))}", holds=lambda value: value in values)


def number(low: float, high: float = math.inf, *, ends: str = "[]") -> Word:
    """Return the word for a number between bounds; ``ends`` are "()" where these are left out."""
    above, below = ends[0], ends[1]
    parts = [f"{'at least' if above == '[' else 'more than'} {low:g}"] * (low > -math.inf)
    parts += [f"{'at most' if below == ']' else 'less than'} {high:g}"] * (high < math.inf)
    advice = f"use a number {' and '.join(parts)}" if parts else "use a finite number"

    def holds(value: Any) -> bool:
        return (
            low < value < high
            or (value == low and above == "[")
            or (value == high and below == "]")
        )

    return Word(advice, _NUMBER, holds)


POSITIVE = replace(number(0, ends="()"), advice="use a positive number")
NOT_NEGATIVE = replace(number(0, ends="[)"), advice="use a number that is not negative")
A_TENSOR = of_type(torch.Tensor, "a tensor")
FLOATING = Word("pass a floating tensor", torch.Tensor, torch.is_floating_point, TypeError)


def pair_of(out: Any, what: str, entries: str) -> tuple[Any, Any]:
    """Return the pair that a function returned; `what` and `entries` are for an error's words."""
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError(
            f"{what} must return a pair ({entries}), but it returned an object of type "
            f"{type(out).__name__}."
        )
    return out
