"""Both engines do on random trees of all kinds of nodes what optree does."""

import copy
import functools
import pickle
import tracemalloc

import optree
import pytest
from _engines import available, selected
from _random_trees import NAMESPACE, OPTIONS, PREDICATES, TREES, Checked, Point, same
from hypothesis import example, given, note, settings
from hypothesis import strategies as st

from torchopt import pytree

more = settings(max_examples=50)
each_engine = pytest.mark.usefixtures("engine")


def on_each_engine(test):
    """Run a test of random trees on each engine: to draw a tree takes longer than to test it."""

    @functools.wraps(test)
    def run(**drawn):
        for name in available():
            note(f"engine: {name}")
            with selected(name):
                test(**drawn)

    return run


def outcome(function, *args, **kwargs):
    """Return what a call returns, or the type of what it raises."""
    try:
        return function(*args, **kwargs), None
    except Exception as error:
        return None, type(error)


@more
@given(tree=TREES, options=OPTIONS, is_leaf=PREDICATES)
@example(tree={"b": 1, "a": 2}, options={}, is_leaf=None)
@example(tree={2j: 1, 1j: 2, "a": 3}, options={}, is_leaf=None)
@on_each_engine
def test_flatten_and_unflatten(tree, options, is_leaf):
    expected, reference = optree.tree_flatten(tree, is_leaf, **options)
    for _ in range(2):  # the second time, the native engine knows the structure
        leaves, spec = pytree.tree_flatten(tree, is_leaf, **options)
        assert len(leaves) == len(expected)
        assert all(a is b for a, b in zip(leaves, expected, strict=True))
        assert repr(spec) == repr(reference)
        assert spec.paths() == reference.paths()
        assert spec.accessors() == reference.accessors()
        assert spec.entries() == reference.entries()
        children = [(x.type, x.namespace, x.paths()) for x in reference.children()]
        assert [(x.type, x.namespace, x.paths()) for x in spec.children()] == children
        for name in ("num_leaves", "num_nodes", "num_children", "none_is_leaf", "namespace"):
            assert getattr(spec, name) == getattr(reference, name)
        assert (spec.type, spec.kind, len(spec)) == (reference.type, reference.kind, len(reference))
        assert (spec.is_leaf(), spec.is_leaf(strict=False), spec.is_one_level()) == (
            reference.is_leaf(),
            reference.is_leaf(strict=False),
            reference.is_one_level(),
        )
        assert same(pytree.tree_unflatten(spec, leaves), tree)
        fresh = [object() for _ in leaves]
        assert pytree.tree_leaves(spec.unflatten(iter(fresh)), **options) == fresh
        assert pytree.tree_leaves(tree, is_leaf, **options) == leaves
        assert pytree.tree_structure(tree, is_leaf, **options) == spec
        assert pytree.tree_is_leaf(tree, is_leaf, **options) == optree.tree_is_leaf(
            tree, is_leaf, **options
        )


@more
@given(tree=TREES, options=OPTIONS)
@on_each_engine
def test_structures_survive_pickling_copying_and_optree(tree, options):
    spec, reference = pytree.tree_structure(tree, **options), optree.tree_structure(tree, **options)
    for other in (pickle.loads(pickle.dumps(spec)), copy.copy(spec), copy.deepcopy(spec)):
        assert (other == spec, hash(other) == hash(spec)) == (True, True)
        assert same(other.unflatten(range(len(other))), spec.unflatten(range(len(spec))))
    assert spec.to_optree() == reference
    assert pytree.PyTreeSpec.from_optree(reference) == spec
    for child in spec.children():
        assert pickle.loads(pickle.dumps(child)) == child
        assert same(
            child.unflatten(range(len(child))), child.to_optree().unflatten(range(len(child)))
        )


@more
@given(a=TREES, b=TREES, options=OPTIONS, other=OPTIONS)
@example(a=[None], b=[None], options={"none_is_leaf": True}, other={})
@example(a={"a": 1, "b": 2}, b={"b": 1, "a": 2}, options={}, other={})
@on_each_engine
def test_equality_and_order_of_structures(a, b, options, other):
    ours = pytree.tree_structure(a, **options), pytree.tree_structure(b, **other)
    theirs = optree.tree_structure(a, **options), optree.tree_structure(b, **other)
    assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])
    assert (ours[0] != ours[1]) == (theirs[0] != theirs[1])
    if ours[0] == ours[1]:
        assert hash(ours[0]) == hash(ours[1])
    for compare in ("__lt__", "__le__", "__gt__", "__ge__", "is_prefix", "is_suffix"):
        found = outcome(getattr(ours[0], compare), ours[1])
        assert found == outcome(getattr(theirs[0], compare), theirs[1]), compare


@more
@given(a=TREES, b=TREES, options=OPTIONS, is_leaf=PREDICATES)
@on_each_engine
def test_map_and_prefix_of_two_random_trees(a, b, options, is_leaf):
    """Mostly they do not fit; then the same kind of exception is raised."""
    for name in ("tree_map", "broadcast_prefix", "tree_broadcast_prefix"):
        args = (lambda *x: x, a, b) if name == "tree_map" else (a, b)
        found = outcome(getattr(pytree, name), *args, is_leaf=is_leaf, **options)
        expected = outcome(getattr(optree, name), *args, is_leaf=is_leaf, **options)
        assert same(found, expected), name


@st.composite
def trees_and_suffixes(draw):
    """Return a tree, options, and another tree with subtrees in the place of the leaves."""
    tree, options = draw(TREES), draw(OPTIONS)
    leaves, spec = optree.tree_flatten(tree, **options)
    subtrees = [draw(st.one_of(st.integers(), st.lists(st.integers(), max_size=2))) for _ in leaves]
    return tree, options, _reversed_dicts(spec.unflatten(subtrees))


def _reversed_dicts(tree):
    """Return a tree in which the keys of all dicts were inserted the other way round."""
    if type(tree) is dict:
        return {key: _reversed_dicts(tree[key]) for key in reversed(tree)}
    if type(tree) in (list, tuple):
        return type(tree)(map(_reversed_dicts, tree))
    return tree


@more
@given(drawn=trees_and_suffixes())
@on_each_engine
def test_map_over_several_trees_that_fit(drawn):
    tree, options, suffix = drawn
    for name in ("broadcast_prefix", "tree_broadcast_prefix"):
        expected = getattr(optree, name)(tree, suffix, **options)
        assert same(getattr(pytree, name)(tree, suffix, **options), expected)

    def collect(*leaves):
        return list(leaves)

    assert same(
        pytree.tree_map(collect, tree, suffix, tree, **options),
        optree.tree_map(collect, tree, suffix, tree, **options),
    )
    seen = []
    returned = pytree.tree_map_(lambda *x: seen.append(x), tree, suffix, **options)
    assert returned is tree
    rows = zip(
        optree.tree_leaves(tree, **options),
        optree.tree_structure(tree, **options).flatten_up_to(suffix),
        strict=True,
    )
    assert seen == list(rows)
    for name in ("tree_map_with_path", "tree_map_with_accessor"):
        found = getattr(pytree, name)(collect, tree, suffix, **options)
        assert same(found, getattr(optree, name)(collect, tree, suffix, **options))


@more
@given(outer=TREES, inner=TREES, options=OPTIONS)
@on_each_engine
def test_transpose(outer, inner, options):
    specs = [pytree.tree_structure(x, **options) for x in (outer, inner)]
    references = [optree.tree_structure(x, **options) for x in (outer, inner)]
    numbers = range(specs[0].num_leaves * specs[1].num_leaves)
    tree = references[0].compose(references[1]).unflatten(numbers)
    found = outcome(pytree.tree_transpose, *specs, tree)
    assert same(found, outcome(optree.tree_transpose, *references, tree))


@more
@given(tree=TREES, options=OPTIONS)
@on_each_engine
def test_reductions_and_paths(tree, options):
    tree = pytree.tree_map(lambda x: len(repr(x)), tree, **options)
    names = ["leaves", "paths", "accessors", "flatten_with_path", "sum", "max", "min", "all", "any"]
    for name in [f"tree_{name}" for name in names]:
        found = outcome(getattr(pytree, name), tree, **options)
        expected = outcome(getattr(optree, name), tree, **options)
        if name == "tree_flatten_with_path":
            found, expected = found[0][:2], expected[0][:2]
        assert found == expected, name
    assert list(pytree.tree_iter(tree, **options)) == list(optree.tree_iter(tree, **options))
    add = lambda x, y: x + y  # noqa: E731
    found = outcome(pytree.tree_reduce, add, tree, **options)
    assert found == outcome(optree.tree_reduce, add, tree, **options)
    assert pytree.tree_reduce(add, tree, 1, **options) == optree.tree_reduce(
        add, tree, 1, **options
    )
    assert pytree.tree_max(tree, default=-1, key=lambda x: -x, **options) == optree.tree_max(
        tree, default=-1, key=lambda x: -x, **options
    )


@each_engine
@pytest.mark.parametrize("arguments", [{"is_leaf": 3}, {"namespace": 3}, {"namespace": None}])
def test_arguments_of_the_wrong_type_raise(arguments):
    for module in (pytree, optree):
        with pytest.raises(TypeError):
            module.tree_flatten([1], **arguments)


@each_engine
def test_a_constructor_that_does_more_than_pack_is_called():
    before = Checked.made
    pytree.tree_map(lambda x: x, [Checked(1, 2), Point(1, 2)])
    assert Checked.made == before + 2


@each_engine
def test_too_deep_a_tree_raises_as_in_optree():
    for depth in (900, 1001, 100_000):
        tree = []
        for _ in range(depth):
            tree = [tree]
        if depth == 900:
            assert pytree.backend() == "python" or pytree.tree_structure(tree).num_nodes == 901
            continue
        for module in (pytree, optree):
            with pytest.raises(RecursionError):
                module.tree_flatten(tree)


@each_engine
def test_functions_of_optree_know_the_nodes_registered_here():
    from _random_trees import Pair

    assert optree.tree_leaves(Pair(1, [2]), namespace=NAMESPACE) == [1, 2]


@each_engine
def test_the_library_may_put_a_tree_of_a_user_into_containers_of_its_own():
    tree = 0
    for _ in range(1000):
        tree = {"a": tree}
    # The engine in Python has the interpreter's limit.
    if pytree.backend() == "native":
        assert pytree.tree_leaves((((tree,),),), namespace=NAMESPACE) == [0]


@each_engine
def test_a_large_tree_that_was_flattened_costs_smaller_ones_nothing():
    large, small = (([0] * 20_000,), {}), (([0],), {})
    pytree.tree_flatten(small)
    for _ in range(8):  # in all places where structures are kept
        pytree.tree_flatten(large)
    tracemalloc.start()
    try:
        pytree.tree_flatten(small)
        assert tracemalloc.get_traced_memory()[1] < 10_000
    finally:
        tracemalloc.stop()
