"""Values are read and written by the name of their field, wherever they are."""

from __future__ import annotations

from typing import Any

import pytest

from _trees import Pair, Record
from torchopt import pytree

NESTED: Any = [{"a": Pair((1, 2), {"b": 3})}, Record(4, [5])]


@pytest.mark.parametrize(
    ("key", "value"), [("a", NESTED[0]["a"]), ("left", (1, 2)), ("b", 3), ("weight", 4)]
)
def test_a_value_is_found_by_its_name(key: str, value: Any) -> None:
    assert pytree.tree_get(NESTED, key) is value


def test_a_name_that_is_missing_or_ambiguous_is_refused() -> None:
    with pytest.raises(KeyError, match="no field or key 'c'"):
        pytree.tree_get(NESTED, "c")
    with pytest.raises(
        KeyError, match=r"several places, tree\[0\]\['b'\], tree\[1\]\.right\['b'\]"
    ):
        pytree.tree_get([{"b": 1}, Pair(2, {"b": 3})], "b")
    with pytest.raises(KeyError, match="no field or key 'c'"):
        pytree.tree_set(NESTED, a=1, c=2)


def test_values_are_replaced_and_the_rest_is_kept() -> None:
    changed = pytree.tree_set(NESTED, b=30, weight=(6,))
    assert changed == [{"a": Pair((1, 2), {"b": 30})}, Record((6,), [5])]
    assert NESTED[0]["a"].right == {"b": 3}
    assert pytree.tree_set([{"b": 1}, Pair(2, {"b": 3})], b=0) == [{"b": 0}, Pair(2, {"b": 0})]
