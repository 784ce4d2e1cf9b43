"""Random trees of all kinds of nodes, and the custom nodes in them."""

import os
from collections import OrderedDict, defaultdict, deque
from typing import NamedTuple

from hypothesis import strategies as st

from torchopt import pytree

NAMESPACE = "torchopt-tests"


class Point(NamedTuple):
    x: object
    y: object


class Checked(Point):
    """A NamedTuple whose constructor does more than pack, so that it must be called."""

    made = 0

    def __new__(cls, x, y):
        Checked.made += 1
        return super().__new__(cls, x, y)


class Pair:
    """A custom node without names for its children."""

    def __init__(self, first, second, tag=None):
        self.first, self.second, self.tag = first, second, tag

    def __eq__(self, other):
        return type(other) is type(self) and vars(self) == vars(other)

    __hash__ = None

    def __repr__(self):
        return f"{type(self).__name__}({self.first!r}, {self.second!r}, {self.tag!r})"


class Named(Pair):
    """A custom node with names for its children."""


class Anywhere(Pair):
    """A custom node that is known by its methods."""

    def tree_flatten(self):
        return (self.first, self.second), self.tag

    @classmethod
    def tree_unflatten(cls, tag, children):
        return cls(*children, tag)


pytree.register_pytree_node(
    Pair,
    lambda x: ((x.first, x.second), x.tag),
    lambda tag, children: Pair(*children, tag),
    namespace=NAMESPACE,
)
pytree.register_pytree_node(
    Named,
    lambda x: ([x.first, x.second], x.tag, ("first", "second")),
    lambda tag, children: Named(*children, tag),
    path_entry_type=pytree.GetAttrEntry,
    namespace=NAMESPACE,
)
pytree.register_pytree_node_class(Anywhere, namespace=NAMESPACE)

KEYS = st.one_of(
    st.sampled_from(["a", "b", "c", "weight", "bias", "läyer", "層"]),
    st.integers(-3, 3),
    st.booleans(),
    st.none(),
    st.tuples(st.integers(0, 2)),
    st.sampled_from([0.5, 1j, 2j, frozenset({1})]),
)
LEAVES = st.one_of(
    st.integers(0, 99), st.text(max_size=2), st.none(), st.floats(0, 1), st.just({1})
)


def _containers(children):
    lists = st.lists(children, max_size=4)
    dicts = st.dictionaries(KEYS, children, max_size=5)
    texts = st.dictionaries(st.text("abcdef", max_size=2), children, max_size=8)
    tags = st.sampled_from([None, "tag", ("t", 1)])
    return st.one_of(
        lists,
        lists.map(tuple),
        dicts,
        texts,
        dicts.map(OrderedDict),
        st.builds(defaultdict, st.sampled_from([None, list, int]), dicts),
        st.builds(deque, lists, st.sampled_from([None, 4, 6])),
        st.builds(Point, children, children),
        st.builds(Checked, children, children),
        st.tuples(children, children).map(os.terminal_size),
        st.builds(Pair, children, children, tags),
        st.builds(Named, children, children, tags),
        st.builds(Anywhere, children, children, tags),
    )


TREES = st.recursive(LEAVES, _containers, max_leaves=25)
OPTIONS = st.fixed_dictionaries(
    {"none_is_leaf": st.booleans(), "namespace": st.sampled_from(["", NAMESPACE, "unknown"])}
)
PREDICATES = st.sampled_from([None, lambda x: isinstance(x, (tuple, Pair)), lambda x: x is None])


def same(found, expected):
    """Compare two trees with the types, the order of keys and the maximal lengths of containers."""
    if type(found) is not type(expected):
        return False
    if isinstance(expected, dict):
        if list(found) != list(expected):
            return False
        if isinstance(expected, defaultdict) and found.default_factory != expected.default_factory:
            return False
        return all(same(found[key], expected[key]) for key in expected)
    if isinstance(expected, Pair):
        return same(vars(found), vars(expected))
    if isinstance(expected, (list, tuple, deque)):
        if getattr(found, "maxlen", None) != getattr(expected, "maxlen", None):
            return False
        return len(found) == len(expected) and all(map(same, found, expected))
    return found == expected
