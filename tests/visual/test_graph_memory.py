"""What the graph keeps alive, counted in bytes of storages."""

import graph_programs as programs
import pytest
import torch
from torch.utils.checkpoint import checkpoint

from torchopt.visual import GradGraph, record


def leaf(*shape):
    return programs.data(*shape).requires_grad_()


def test_results_are_counted_once_and_leaves_not_at_all():
    x = leaf(10)
    graph = GradGraph((x * x).exp().sin() + (x * 2).exp())
    # exp saves its result, which sin saves, too; mul saves leaves and a number of 8 bytes.
    kept = {node.operation: 0 for node in graph.nodes}
    for node in graph.nodes:
        kept[node.operation] += node.saved_bytes
    assert kept == {"tensor": 0, "mul": 8, "exp": 160, "sin": 0, "add": 0}


def test_groups_add_up_to_what_is_allocated_for_the_graph():
    with record():
        outputs = programs.maml(programs.Marks(), steps=3)
    graph = GradGraph(outputs)
    total = sum(node.saved_bytes for node in graph.nodes)
    assert total > 0
    assert sum(group.saved_bytes for group in graph.groups if group.parent is None) == total


@pytest.mark.parametrize("custom", [False, True])
def test_a_freed_graph_says_so(custom):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return 2 * x

        @staticmethod
        def backward(ctx, g):
            return 2 * g

    x = leaf(3)
    loss = (Twice.apply(x) if custom else x.exp()).sum()
    assert not GradGraph(loss).freed
    loss.backward()
    graph = GradGraph(loss)
    assert graph.freed
    assert graph.nodes[1].saved_bytes is None
    assert any("backward pass has freed" in note for note in graph.notes)
    assert "freed" in graph.summary()


def test_checkpointing_is_not_run_again():
    calls = []

    def block(x):
        calls.append(1)
        return x.exp().sin()

    x = leaf(3)
    graph = GradGraph(checkpoint(block, x, use_reentrant=False).sum())
    assert len(calls) == 1
    assert any("checkpointing" in note for note in graph.notes)
