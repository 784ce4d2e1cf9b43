"""The words that say what an argument must be, and the sentences that they make."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import pytest
import torch

from torchopt import checks, pytree

WRONG: list[tuple[checks.Word, Any, type[Exception], str]] = [
    (checks.count(1, "steps"), 0, ValueError, "`x` is 0: use a whole number of steps, at least 1."),
    (checks.count(), True, ValueError, "`x` is True: use an integer, at least 0."),
    (checks.or_none(checks.count(2)), 2.0, ValueError, "at least 2, or None."),
    (checks.one_of(Literal["a", "b"]), "c", ValueError, "`x` is 'c': use one of 'a', 'b'."),
    (checks.one_of("ab"), "c", ValueError, "use one of 'a', 'b'."),
    (checks.POSITIVE, 0.0, ValueError, "`x` is 0.0: use a positive number."),
    (checks.POSITIVE, math.inf, ValueError, "use a positive number."),
    (checks.POSITIVE, True, TypeError, "`x` is an object of type bool: use a positive number."),
    (checks.NOT_NEGATIVE, -1, ValueError, "`x` is -1: use a number that is not negative."),
    (checks.NOT_NEGATIVE, math.nan, ValueError, "`x` is nan:"),
    (checks.number(0, 1, ends="(]"), 0, ValueError, "use a number more than 0 and at most 1."),
    (checks.number(0, 1, ends="[)"), 1, ValueError, "use a number at least 0 and less than 1."),
    (checks.number(0), "1", TypeError, "`x` is an object of type str: use a number at least 0."),
    (checks.a_function("`(params)`"), 1, TypeError, "of type int: pass a function of `(params)`."),
    (checks.of_type(dict, "a dictionary"), list, TypeError, "`x` is the class list: pass a dict"),
    (
        checks.of_type(list, "a list"),
        list,
        TypeError,
        "class list: make an object of it, such as `list()`.",
    ),
    (checks.A_TENSOR, 1.0, TypeError, "`x` is an object of type float: pass a tensor."),
    (checks.FLOATING, torch.ones(1).int(), TypeError, "`x` is a tensor of torch.int32: pass a fl"),
    (
        checks.Word("give it two axes", torch.Tensor, lambda t: t.dim() == 2),
        torch.ones(3),
        ValueError,
        "`x` has shape (3,): give it two axes.",
    ),
]


@pytest.mark.parametrize(("word", "value", "error", "sentence"), WRONG)
def test_what_a_word_is_not_true_of_is_named_with_a_remedy(
    word: checks.Word, value: Any, error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error) as caught:
        checks.check("x", value, word)
    assert type(caught.value) is error
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("word", "value"),
    [
        (checks.count(1), 1),
        (checks.or_none(checks.POSITIVE), None),
        (checks.POSITIVE, 1e-300),
        (checks.number(0, 1, ends="(]"), 1),
        (checks.number(0, 1, ends="[)"), 0.0),
        (checks.number(0), math.inf),
        (checks.number(-1, 1), -1),
        (checks.a_function("anything"), print),
        (checks.FLOATING, torch.ones(2)),
    ],
)
def test_what_a_word_is_true_of_passes(word: checks.Word, value: Any) -> None:
    checks.check("x", value, word)


@dataclass
class _Loop(checks.Checked):
    steps: int = checks.field(5, checks.count(1))
    rate: float = checks.field(0.1, checks.POSITIVE)


@dataclass
class _LongLoop(_Loop):
    steps: int = 500


def test_a_field_is_checked_and_has_its_default() -> None:
    assert (_Loop().steps, _Loop(rate=2.0).rate, _Loop.steps) == (5, 2.0, 5)
    with pytest.raises(ValueError, match="`steps` is 0"):
        _Loop(steps=0)


def test_another_default_in_a_subclass_keeps_the_word() -> None:
    assert _LongLoop().steps == 500
    with pytest.raises(ValueError, match="`steps` is -1: use an integer, at least 1"):
        _LongLoop(steps=-1)


def test_a_leaf_is_named_by_its_path() -> None:
    leaves, spec = pytree.tree_flatten({"a": [torch.ones(1), 2]})
    with pytest.raises(TypeError, match=r"`tree\['a'\]\[1\]` is an object of type int: pass a te"):
        checks.check_leaves(leaves, spec, "tree", checks.A_TENSOR)


def test_an_unknown_name_is_answered_with_those_that_are_known() -> None:
    checks.check_known("worker", "a", ["a"])
    with pytest.raises(ValueError, match=r"there is no worker 'c'; there are 'a', 'b'\."):
        checks.check_known("worker", "c", ["b", "a"])
    with pytest.raises(ValueError, match="there are none"):
        checks.check_known("worker", "c", [])
