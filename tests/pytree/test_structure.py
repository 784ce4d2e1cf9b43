"""Structures as values: what they say of a tree that does not fit, builders, dict order, nodes."""

import dataclasses
import pickle
from collections import OrderedDict, defaultdict, deque

import optree
import pytest
import torch
from _random_trees import NAMESPACE, Named, Pair, Point

from torchopt import pytree
from torchopt.pytree import _engine, flattening

pytestmark = pytest.mark.usefixtures("engine")


@pytest.mark.parametrize(
    ("tree", "other", "message"),
    [
        (
            {"a": [(1, 2)]},
            {"a": [(1,)]},
            r"`tree\['a'\]\[0\]`: expected a tuple of 2 children, .* 1",
        ),
        ({"a": [(1, 2)]}, {"a": ((1, 2),)}, r"`tree\['a'\]`: .* instance of list, .* one of tuple"),
        ([{"a": 1}], [{"b": 1}], r"`tree\[0\]`: expected the keys \['a'\], .*\['a'\] are missing"),
        ([{"a": 1}], [{"a": 1, "b": 2}], r"`tree\[0\]`: .* but \['b'\] are not expected"),
        ([{"a": 1}], [3], r"`tree\[0\]`: expected an instance of dict, but found one of int"),
        ([Point(1, (2,))], [Point(1, 3)], r"`tree\[0\]\.y`: expected an instance of tuple"),
        ([Point(1, 2)], [(1, 2)], r"`tree\[0\]`: expected an instance of Point"),
        ([None], [1], r"`tree\[0\]`: expected an instance of NoneType, but found one of int"),
        ([deque([1])], [deque()], r"`tree\[0\]`: expected a deque of 1 children, but found 0"),
        (
            [Pair(1, 2)],
            [(1, 2)],
            r"`tree\[0\]`: expected an instance of Pair, but found one of tuple",
        ),
        ([Named(1, [2])], [Named(1, 2)], r"`tree\[0\]\.second`: expected an instance of list"),
        ([Pair(1, 2, "x")], [Pair(1, 2, "y")], r"`tree\[0\]`: expected the metadata 'x', .* 'y'"),
    ],
)
def test_error_names_the_place(tree, other, message):
    spec = pytree.tree_structure(tree, namespace=NAMESPACE)
    for call in (
        lambda: spec.flatten_up_to(other),
        lambda: pytree.tree_map(lambda *x: x, tree, other, namespace=NAMESPACE),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_a_mismatch_deep_down_is_found_in_one_walk():
    def nested(leaf):
        for _ in range(150):
            leaf = {"b": 1, "a": leaf}
        return leaf

    spec = pytree.tree_structure(nested([2]))
    with pytest.raises(ValueError, match=r"^`tree(\['a'\]){150}`: expected an instance of list"):
        spec.flatten_up_to(nested(2))


def test_wrong_number_of_leaves_names_the_first_missing_one():
    spec = pytree.tree_structure({"a": [1, 2], "b": 3})
    with pytest.raises(
        ValueError, match=r"few leaves: expected 3, got 1; none for `tree\['a'\]\[1\]`"
    ):
        spec.unflatten([1])
    with pytest.raises(ValueError, match="too many leaves: expected 3, got 4"):
        spec.unflatten(range(4))
    with pytest.raises(TypeError):
        spec.unflatten(3)


def test_mappings_stand_for_each_other_as_prefixes():
    spec = pytree.tree_structure({"b": 1, "a": 2})
    for other in (OrderedDict(b=1, a=2), defaultdict(list, a=2, b=1), {"a": 2, "b": 1}):
        assert spec.flatten_up_to(other) == [2, 1]
    assert pytree.tree_structure(deque([1], maxlen=3)).flatten_up_to(deque([2])) == [2]


def test_structures_of_both_engines_are_equal():
    tree = {"b": [1, (2, None)], "a": deque([Point(3, {})]), "c": Pair(1, 2, "tag")}
    found = []
    for name in {"python", _engine.backend()}:
        _engine.select(name)
        found.append(pytree.tree_structure(tree, namespace=NAMESPACE))
    assert all(a == b and hash(a) == hash(b) for a in found for b in found)
    assert not any(a != b for a in found for b in found)
    assert all(a <= b and not a < b for a in found for b in found)
    assert all(isinstance(x, pytree.PyTreeSpec) for x in found)
    assert found[0] != pytree.tree_structure(tree)


def test_structures_compare_to_nothing_else():
    spec = pytree.tree_structure([1])
    assert spec != [1]
    assert spec != optree.tree_structure([1])
    with pytest.raises(TypeError):
        spec < 3  # noqa: B015


def test_structures_with_metadata_that_cannot_be_hashed_can_be():
    specs = [pytree.tree_structure(Pair(1, 2, tag=[1]), namespace=NAMESPACE) for _ in range(2)]
    assert len(set(specs)) == 1


def test_a_structure_with_a_node_that_is_unknown_here_does_not_unpickle():
    class Box:
        pass

    Box.__qualname__ = "Box"
    globals()["Box"] = Box
    pytree.register_pytree_node(Box, lambda x: ((), None), lambda *_: Box(), namespace="boxes")
    data = pickle.dumps(pytree.tree_structure(Box(), namespace="boxes"))
    assert pickle.loads(data).type is Box
    pytree.unregister_pytree_node(Box, namespace="boxes")
    with pytest.raises(RuntimeError, match=r"Box, which is not registered .* 'boxes'"):
        pickle.loads(data)
    del globals()["Box"]


def test_builders_take_and_return_our_structures():
    leaf, pair = pytree.treespec_leaf(), pytree.tree_structure((1, 2))
    assert isinstance(leaf, pytree.PyTreeSpec)
    assert pytree.treespec_tuple([leaf, leaf]) == pair
    assert pytree.treespec_tuple(iter([leaf, leaf])) == pair
    assert pytree.treespec_list([pair, leaf]) == pytree.tree_structure([(1, 2), 3])
    assert pytree.treespec_dict({"b": leaf, "a": pair}) == pytree.tree_structure(
        {"a": (1, 2), "b": 3}
    )
    assert pytree.treespec_dict(a=leaf) == pytree.tree_structure({"a": 1})
    assert pytree.treespec_namedtuple(Point(leaf, pair)) == pytree.tree_structure(Point(1, (2, 3)))
    assert pytree.treespec_none() == pytree.tree_structure(None)
    assert pytree.treespec_ordereddict([("b", leaf)]) == pytree.tree_structure(OrderedDict(b=1))
    assert pytree.treespec_defaultdict(list, {"b": leaf}) == pytree.tree_structure(
        defaultdict(list, b=1)
    )
    assert pytree.treespec_deque([leaf], maxlen=2) == pytree.tree_structure(deque([1], maxlen=2))
    assert pytree.treespec_from_collection([leaf, pair]) == pytree.tree_structure([1, (2, 3)])
    custom = pytree.treespec_from_collection(Pair(leaf, leaf, "tag"), namespace=NAMESPACE)
    assert custom == pytree.tree_structure(Pair(1, 2, "tag"), namespace=NAMESPACE)
    assert pytree.treespec_children(pair) == [leaf, leaf]
    assert pytree.treespec_child(pair, 1) == leaf
    assert (pytree.treespec_entries(pair), pytree.treespec_entry(pair, 1)) == ([0, 1], 1)
    assert pytree.treespec_paths(pair) == [(0,), (1,)]
    assert pytree.treespec_accessors(pair) == pair.accessors()
    assert pytree.treespec_is_prefix(pair, pytree.tree_structure((1, [2])))
    assert pytree.treespec_is_suffix(pytree.tree_structure((1, [2])), pair)
    assert pytree.treespec_is_leaf(leaf)
    assert not pytree.treespec_is_strict_leaf(pytree.treespec_none())
    assert pytree.treespec_is_one_level(pair)
    assert pytree.treespec_one_level(pytree.tree_structure((1, [2]))) == pair


def test_methods_that_optree_does_for_us():
    pair, inner = pytree.tree_structure((1, 2)), pytree.tree_structure([1])
    assert pair.compose(inner) == pytree.tree_structure(([1], [1]))
    assert pair.compose(inner).one_level() == pair
    assert pytree.treespec_leaf().one_level() is None
    assert pair.transform(None, lambda leaf: inner) == pytree.tree_structure(([1], [1]))
    nested = pytree.tree_structure((1, [2]))
    assert nested.transform(lambda node: node) == nested
    wide = pytree.tree_structure(([1, 2], 3))
    assert pair.broadcast_to_common_suffix(wide) == wide
    assert pair.traverse([1, 2], sum, lambda x: 10 * x) == 30
    assert pair.walk([1, 2], lambda cls, data, children: (cls, children), None) == (tuple, (1, 2))
    assert pair.child(0).is_leaf()
    assert pair.entry(1) == 1


def test_names_of_optree_that_work_on_trees_work():
    assert pytree.tree_broadcast_map(lambda x, y: x + y, [1, 2], 3) == [4, 5]
    assert pytree.tree_broadcast_common([1], [[2, 3]]) == ([[1, 1]], [[2, 3]])
    assert pytree.tree_transpose_map(lambda x: (x, -x), [1, 2]) == ([1, 2], [-1, -2])
    assert pytree.tree_partition(lambda x: x > 1, [1, 2], fillvalue=0) == ([0, 2], [1, 0])
    assert pytree.tree_replace_nones(0, [None, 1]) == [0, 1]
    paths, leaves, spec = pytree.tree_flatten_with_path({"b": [1], "a": 2})
    assert (paths, leaves) == ([("a",), ("b", 0)], [2, 1])
    assert spec == pytree.tree_structure({"b": [1], "a": 2})
    assert isinstance(pytree.tree_broadcast_common(spec, [1, 2])[0][1], pytree.PyTreeSpec)
    with pytest.raises(AttributeError, match=r"'torchopt.pytree' has no attribute 'tree_nonsense'"):
        pytree.tree_nonsense  # noqa: B018
    if hasattr(optree, "treespec_frozendict"):  # a type of newer Pythons
        assert pytree.treespec_frozendict.__name__ == "treespec_frozendict"
    [error] = pytree.prefix_errors((1, 2), [1, 2])
    assert isinstance(error("tree"), ValueError)


def test_an_ordered_dict_is_walked_in_its_own_order_where_keys_have_moved():
    """Which is not the order of the dict underneath, that optree 0.20 takes."""
    tree = OrderedDict(a=1, b=[2], c=3)
    for _ in range(2):
        assert pytree.tree_leaves(tree) == [1, 2, 3]
    tree.move_to_end("a")
    for _ in range(2):
        leaves, spec = pytree.tree_flatten(tree)
        assert leaves == [2, 3, 1]
        assert list(spec.unflatten(leaves).items()) == [("b", [2]), ("c", 3), ("a", 1)]
        assert spec.flatten_up_to({"a": 4, "b": [5], "c": 6}) == [5, 6, 4]
    paths = [("b", 0), ("c",), ("a",)]
    assert pytree.tree_paths([tree]) == [(0, *path) for path in paths]
    assert pytree.tree_flatten_with_path(tree)[:2] == (paths, [2, 3, 1])
    assert pytree.tree_reduce(lambda x, y: 10 * x + y, (tree,)) == 231
    assert pytree.broadcast_prefix(tree, tree) == [2, 3, 1]


def test_dicts_in_the_order_of_insertion():
    tree = {"b": 1, "a": defaultdict(list, {"d": 2, "c": 3})}
    with pytree.dict_insertion_ordered(True, namespace="ordered"):
        for _ in range(2):
            for module in (pytree, optree):
                assert module.tree_leaves(tree, namespace="ordered") == [1, 2, 3]
                assert module.tree_leaves(tree) == [3, 2, 1]
        with pytree.dict_insertion_ordered(False, namespace="ordered"):
            assert pytree.tree_leaves(tree, namespace="ordered") == [3, 2, 1]
        spec = pytree.tree_structure(tree, namespace="ordered")
        assert list(spec.unflatten([1, 2, 3])) == ["b", "a"]
    assert pytree.tree_leaves(tree, namespace="ordered") == [3, 2, 1]


def test_registering_and_unregistering_changes_what_a_type_is_at_once():
    class Cell:
        def __init__(self, value):
            self.value = value

    cell = Cell(1)
    for _ in range(2):
        assert pytree.tree_leaves([cell], namespace="cells") == [cell]
        returned = pytree.register_pytree_node(
            Cell, lambda x: ((x.value,), None), lambda _, x: Cell(*x), namespace="cells"
        )
        assert returned is Cell
        assert pytree.tree_leaves([cell], namespace="cells") == [1]
        assert pytree.tree_leaves([cell]) == [cell]
        assert optree.tree_leaves([cell], namespace="cells") == [1]
        with pytest.raises(ValueError, match="already registered"):
            pytree.register_pytree_node(Cell, lambda x: x, lambda _, x: x, namespace="cells")
        assert pytree.unregister_pytree_node(Cell, namespace="cells").type is Cell
    with pytest.raises(ValueError, match="not registered"):
        pytree.unregister_pytree_node(Cell, namespace="cells")


def test_register_a_class_by_decorator():
    @pytree.register_pytree_node_class(namespace="decorated")
    class Cell:
        def __init__(self, value):
            self.value = value

        def tree_flatten(self):
            return (self.value,), None

        @classmethod
        def tree_unflatten(cls, metadata, children):
            return cls(*children)

    assert pytree.tree_leaves(Cell([1, 2]), namespace="decorated") == [1, 2]


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (3, TypeError),
        ((1,), RuntimeError),
        ((3, None), TypeError),
        (((1, 2), None, (1,)), RuntimeError),
        (((1, 2), None, 3), TypeError),
        (((1, 2), None, None, 4), RuntimeError),
    ],
)
def test_custom_flatten_functions_that_return_nonsense_raise(result, error):
    class Odd:
        pass

    pytree.register_pytree_node(Odd, lambda _: result, lambda *_: Odd(), namespace="odd")
    for module in (pytree, optree):
        with pytest.raises(error):
            module.tree_flatten([Odd()], namespace="odd")


@dataclasses.dataclass(frozen=True)
class Layer:
    weight: object
    bias: object
    name: str = dataclasses.field(default="layer", metadata={"static": True})


def test_dataclasses_are_containers_on_sight_in_the_library_only():
    layer = Layer([1, 2], None, "first")
    leaves, spec = flattening.flatten({"x": layer})
    assert leaves == [1, 2, None]
    assert flattening.unflatten(spec, leaves) == {"x": layer}
    assert [x.codify("params") for x in spec.accessors()] == [
        "params['x'].weight[0]",
        "params['x'].weight[1]",
        "params['x'].bias",
    ]
    assert flattening.flatten(Layer([1, 2], None, "second"))[1] != spec.child(0)
    assert pytree.tree_leaves(layer) == [layer]
    assert optree.tree_leaves(layer, namespace="torchopt") == [1, 2]
    assert flattening.flatten(Layer)[0] == [Layer]  # a class is no instance


def test_tensors_are_leaves_whatever_they_are():
    @dataclasses.dataclass
    class Odd(torch.Tensor):
        extra: object = None

    odd = torch.zeros(2).as_subclass(Odd)
    assert flattening.flatten([odd])[0][0] is odd


def test_ravel_is_differentiable_both_ways():
    generator = torch.Generator().manual_seed(0)
    tree = {
        "w": torch.randn(2, 3, generator=generator, dtype=torch.float64, requires_grad=True),
        "b": [torch.randn((), generator=generator, dtype=torch.float64, requires_grad=True), None],
    }
    vector, unravel = pytree.tree_ravel(tree)
    torch.testing.assert_close(vector, torch.cat([tree["b"][0].reshape(1), tree["w"].reshape(-1)]))
    back = unravel(vector)
    assert back["b"][1] is None
    torch.testing.assert_close(back["w"], tree["w"])
    (back["w"] ** 3).sum().backward()
    torch.testing.assert_close(tree["w"].grad, 3 * tree["w"].detach() ** 2)
    with pytest.raises(ValueError, match=r"expected a vector of shape \(7,\), but found \(6,\)"):
        unravel(torch.zeros(6))
    with pytest.raises(
        TypeError, match=r"`tree\['b'\]\[0\]` is an object of type int, not a tensor"
    ):
        pytree.tree_ravel({"b": [1]})


def test_ravel_promotes_and_gives_the_dtypes_back():
    tree = [torch.ones(2, dtype=torch.float32), torch.ones(1, dtype=torch.float64)]
    vector, unravel = pytree.tree_ravel(tree)
    assert vector.dtype == torch.float64
    assert [x.dtype for x in unravel(vector)] == [torch.float32, torch.float64]
    assert [x.dtype for x in unravel(vector.to(torch.complex64))] == [torch.complex64] * 2
    empty, unravel = pytree.tree_ravel({"a": ()})
    assert (empty.shape, unravel(empty)) == ((0,), {"a": ()})
