"""Under `torch.compile` the twin is traced: whole graphs, the same numbers."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest
import torch

from torchopt import pytree
from torchopt.pytree import flattening

pytestmark = pytest.mark.compiled


class Layer(NamedTuple):
    weight: Any
    bias: Any


@dataclass
class Block:
    weight: Any
    name: str = field(default="block", metadata={"static": True})


def params(seed=0):
    gen = torch.Generator().manual_seed(seed)

    def tensor(*shape):
        return torch.randn(shape, generator=gen, dtype=torch.float64)

    return {
        "second": [tensor(3), (tensor(2, 2), None)],
        "first": Layer(tensor(4), {"b": tensor(1), "a": tensor(2)}),
        "third": OrderedDict(y=tensor(2), x=tensor(1)),
    }


def compiled(function):
    torch._dynamo.reset()
    return torch.compile(function, fullgraph=True, backend="eager")


def assert_same(found, expected):
    a, spec = pytree.tree_flatten(found)
    b, expected_spec = pytree.tree_flatten(expected)
    assert spec == expected_spec
    torch.testing.assert_close(a, b, rtol=0, atol=0)


def flatten_and_unflatten(tree):
    leaves, spec = pytree.tree_flatten(tree)
    return pytree.tree_unflatten(spec, [2 * x for x in leaves])


def map_two(tree):
    return pytree.tree_map(lambda x, y: x * y.sin(), tree, tree)


def map_one_and_call(tree):
    pytree.tree_map_(lambda x: x + 1, tree)
    return pytree.tree_map(torch.sin, tree)


def of_the_library(tree):
    leaves, spec = flattening.flatten(tree)
    assert spec == flattening.flatten(tree)[1]
    assert spec.num_leaves == len(leaves)
    return flattening.unflatten(spec, [None if x is None else x + 1 for x in leaves])


def ravelled(tree):
    vector, unravel = pytree.tree_ravel(tree)
    return unravel(3 * vector)


@pytest.mark.parametrize(
    "function", [flatten_and_unflatten, map_two, map_one_and_call, of_the_library, ravelled]
)
def test_traces_in_one_graph(function):
    assert_same(compiled(function)(params()), function(params()))


def test_a_structure_from_outside_traces():
    """Of either engine: it is captured, not an argument."""
    outside = params()
    leaves, spec = flattening.flatten(outside)
    other = flattening.flatten(outside["second"])[1]

    def function(tree):
        fresh = flattening.flatten(tree)[1]
        assert fresh == spec
        assert fresh != other
        factors = flattening.broadcast_prefix(2.0, spec)
        assert factors == [2.0] * spec.num_leaves
        columns = zip(spec.num_leaves * [2.0], flattening.subtrees(spec, tree), strict=True)
        return pytree.tree_unflatten(spec, [None if x is None else f * x for f, x in columns])

    assert_same(compiled(function)(outside), function(outside))
    assert len(leaves) == spec.num_leaves


def test_dataclasses_trace_without_registration():
    @dataclass
    class Fresh:
        weight: Any

    def function(tree):
        return flattening.map_leaves(lambda x: 2 * x, tree)

    found = compiled(function)([Fresh(torch.ones(2))])
    torch.testing.assert_close(found[0].weight, torch.full((2,), 2.0))
    blocks = compiled(function)([Block(torch.ones(2), "name")])
    assert blocks[0].name == "name"
