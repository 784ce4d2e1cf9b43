"""Tensors that are packed as they were unpacked are one vector; otherwise they are copied."""

import operator

import pytest
import torch
from torch import fx

from torchopt.autodiff.packed import expand, pack, unpack

SHAPES = ((2, 3), (), (4,))


def tensors():
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(shape, generator=generator) for shape in SHAPES]


def traced(function, count):
    """Return the graph of a function in which packing is marked, as a compiler sees it."""
    graph = fx.Graph()
    inputs = [graph.placeholder(f"x{i}") for i in range(count)]
    graph.output(function(graph, inputs))
    return fx.GraphModule(torch.nn.Module(), graph)


def items(graph, vector, order):
    unpacked = graph.call_function(unpack, (vector, SHAPES))
    return [graph.call_function(operator.getitem, (unpacked, i)) for i in order]


def cats(module):
    return len(module.graph.find_nodes(op="call_function", target=torch.cat))


def test_what_is_unpacked_is_what_was_packed():
    for packed, t in zip(unpack(pack(tensors()), SHAPES), tensors(), strict=True):
        torch.testing.assert_close(packed, t)


def test_a_vector_that_is_unpacked_and_packed_again_is_not_copied():
    def step(graph, inputs):
        vector = graph.call_function(torch.sin, (graph.call_function(pack, (inputs,)),))
        again = graph.call_function(pack, (items(graph, vector, [0, 1, 2]),))
        return items(graph, graph.call_function(torch.exp, (again,)), [0, 1, 2])

    module = traced(step, 3)
    expand(module)
    assert cats(module) == 1
    assert not module.graph.find_nodes(op="call_function", target=pack)
    for y, x in zip(module(*tensors()), tensors(), strict=True):
        torch.testing.assert_close(y, x.sin().exp())


@pytest.mark.parametrize("order", [[2, 1, 0], [0, 1], [0, 0, 2]])
def test_other_pieces_or_another_order_are_copied(order):
    def step(graph, inputs):
        vector = graph.call_function(pack, (inputs,))
        return graph.call_function(pack, (items(graph, vector, order),))

    module = traced(step, 3)
    expand(module)
    assert cats(module) == 2
    torch.testing.assert_close(module(*tensors()), pack([tensors()[i] for i in order]))
