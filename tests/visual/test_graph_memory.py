"""What the graph keeps alive, counted in bytes of storages."""

import graph_programs as programs
import pytest
import torch
from torch.utils.checkpoint import checkpoint

from torchopt.visual import GradGraph
from torchopt.visual._memory import saved_values, size


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


def test_views_share_a_storage():
    x = leaf(4, 5)
    y = x.exp()
    graph = GradGraph(y.t().sin().sum() + y[0].cos().sum())
    assert sum(node.saved_bytes for node in graph.nodes) == 4 * 5 * 8


def test_custom_functions_are_counted():
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x + 0, None)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    graph = GradGraph(Square.apply(leaf(7)))
    assert graph.nodes[-1].saved_bytes == 56
    assert any("custom autograd.Function" in note for note in graph.notes)


def test_groups_add_up_to_what_is_allocated_for_the_graph():
    outputs = programs.maml(programs.Marks(), steps=3)
    graph = GradGraph(outputs)
    total = sum(node.saved_bytes for node in graph.nodes)
    assert total > 0
    assert sum(group.saved_bytes for group in graph.groups if group.parent is None) == total


def test_there_is_a_line_for_each_step():
    graph = GradGraph(programs.maml(programs.Marks(), steps=3))
    lines = [line for line in graph.summary().splitlines() if line.startswith("inner step")]
    assert [line[:12] for line in lines] == [f"inner step {k}" for k in (1, 2, 3)]
    step = next(group for group in graph.groups if group.label == "inner step 2")
    assert lines[1].endswith(size(step.saved_bytes))


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


def test_a_freed_unroll_still_has_its_steps():
    outputs = programs.maml(programs.Marks(), steps=2, optimizer="adam")
    before = GradGraph(outputs)
    outputs.backward()
    after = GradGraph(outputs)
    assert [node.group for node in after.nodes] == [node.group for node in before.nodes]
    steps = [line for line in after.summary().splitlines() if line.startswith("inner step ")]
    assert [line.endswith("freed") for line in steps] == [True, True]


def test_checkpointing_is_not_run_again():
    calls = []

    def block(x):
        calls.append(1)
        return x.exp().sin()

    x = leaf(3)
    graph = GradGraph(checkpoint(block, x, use_reentrant=False).sum())
    assert len(calls) == 1
    assert any("checkpointing" in note for note in graph.notes)


def test_a_tensor_changed_in_place_after_it_was_saved_is_still_counted():
    y = leaf(3).exp()
    z = y.sin()
    with torch.no_grad():
        y.add_(1)
    graph = GradGraph(z)
    assert sum(node.saved_bytes for node in graph.nodes) == 24


def test_sparse_tensors_are_not_counted_and_it_is_said():
    matrix = torch.eye(3, dtype=torch.float64).to_sparse()
    graph = GradGraph(torch.sparse.mm(matrix, leaf(3, 2)))
    assert any("no storage" in note for note in graph.notes)


def test_saved_values_have_names():
    x = leaf(2, 3)
    assert dict(saved_values(x.sum(1).grad_fn)) == {
        "dim": (1,),
        "keepdim": False,
        "self_sym_sizes": (2, 3),
    }
    assert torch.equal(dict(saved_values(x.sin().grad_fn))["self"], x)
    y = x.exp()
    y.sum().backward()
    assert dict(saved_values(y.grad_fn)) == {"result": None}


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (3 * 2**40, "3.0 TiB")]
)
def test_sizes_are_readable(count, text):
    assert size(count) == text
