"""The graph as data: nodes, edges, sources, and what it does to the graph that it looks at: nothing."""

import gc
import json
import linecache
import os

import graph_programs as programs
import pytest
import torch
from torch import nn

from _warm import Program
from torchopt.visual import GradGraph, record
from torchopt.visual.data import Edge, Output


def leaf(*shape):
    return programs.data(*shape).requires_grad_()


def test_nodes_and_edges_of_a_known_expression():
    x, w = leaf(4, 3), leaf(3, 2)
    graph = GradGraph(torch.tanh(x @ w).sum(), {"x": x, "w": w})
    assert [(node.operation, node.outputs[0].shape) for node in graph.nodes[2:]] == [
        ("mm", (4, 2)),
        ("tanh", (4, 2)),
        ("sum", ()),
    ]
    number = {name: node.id for node in graph.nodes for _, name in node.names}
    assert set(graph.edges) == {
        Edge(number["x"], 0, 2, 0),
        Edge(number["w"], 0, 2, 1),
        Edge(2, 0, 3, 0),
        Edge(3, 0, 4, 0),
    }
    assert graph.outputs == (4,)
    assert graph.nodes[2].outputs == (Output((4, 2), "float64", "cpu"),)
    assert graph.nodes[2].type == "MmBackward0"


@pytest.mark.parametrize("net", programs.NETS)
def test_inputs_come_before_what_reads_them(net):
    graph = GradGraph(programs.maml(programs.Marks(), net))
    assert all(edge.source < edge.target for edge in graph.edges)
    assert [node.id for node in graph.nodes] == list(range(len(graph.nodes)))
    kinds = [node.kind == "leaf" for node in graph.nodes]
    assert kinds == sorted(kinds, reverse=True)


def test_outputs_may_be_any_tree_and_constants_are_noted():
    x = leaf(3)
    graph = GradGraph({"a": [x.sin(), x], "b": torch.ones(2), "c": 3})
    assert [graph.nodes[k].operation for k in graph.outputs] == ["sin", "tensor"]
    assert graph.notes == ("`outputs['b']` does not require grad: it has no graph.",)


def test_looking_changes_nothing():
    x = leaf(3)
    loss = programs.maml(programs.Marks(), steps=2) + (x**2).sum()
    state = torch.get_rng_state()
    GradGraph(loss)
    assert torch.equal(torch.get_rng_state(), state)
    assert x.grad is None
    loss.backward()
    torch.testing.assert_close(x.grad, 2 * x.detach())


def test_json_has_everything():
    with record():
        loss = programs.maml(programs.Marks(), steps=2)
    graph = GradGraph(loss)
    content = json.loads(graph.to_json())
    assert [node["id"] for node in content["nodes"]] == [node.id for node in graph.nodes]
    assert content["nodes"][-1]["outputs"] == [{"shape": [], "dtype": "float64", "device": "cpu"}]
    assert content["edges"][0] == {
        name: getattr(graph.edges[0], name) for name in ("source", "output", "target", "input")
    }
    assert [group["label"] for group in content["groups"]] == [g.label for g in graph.groups]
    assert content["freed"] is False
    assert content["gradient_norms"] is None


def test_the_summary_has_a_row_for_each_group_and_the_names():
    net = programs.mlp()
    graph = GradGraph(net(programs.data(2, 3)).sum(), net)
    text = graph.summary()
    assert text.splitlines()[0].split() == ["group", "operations", "saved"]
    assert "0.weight (8, 3)" in text
    rows = {line.split("  ")[0] for line in text.splitlines()[1:]}
    assert {group.label for group in graph.groups} <= rows


def test_sources_are_the_users_lines_where_anomaly_mode_was_on():
    x = leaf(3)
    assert GradGraph(x.sin()).nodes[-1].source is None
    with pytest.warns(UserWarning, match="Anomaly Detection"), torch.autograd.detect_anomaly():
        y = nn.functional.softplus(x).sum()  # here
    line = next(
        number
        for number, text in enumerate(linecache.getlines(__file__), 1)
        if text.rstrip().endswith("# here")
    )
    code = "y = nn.functional.softplus(x).sum()  # here"
    for node in GradGraph(y).nodes[1:]:
        assert node.source == f"test_grad_graph.py:{line} {code}"


def test_inside_of_torch_func_it_says_what_is_not_seen():
    seen = []

    def f(x):
        y = x.sin().sum()
        seen.append(GradGraph(y))
        return y

    torch.func.grad(f)(programs.data(3))
    assert [node.operation for node in seen[0].nodes[1:]] == ["sin", "sum"]
    assert any("torch.func" in note for note in seen[0].notes)


DEEP = """
import torch
from torchopt.visual import GradGraph, record
x = torch.ones(2, requires_grad=True)
{body}
graph = GradGraph(y)
print(len(graph.nodes))
{delete}
print("freed")
"""
HELD = "y = x\nfor _ in range(30_000):\n    z = y.sum()\n    y = y + torch.tanh(y)"


@pytest.mark.slow
@pytest.mark.processes
def test_deep_graphs_are_walked_and_freed():
    # In a process of its own: what would go wrong is an overflow of the stack.
    program = DEEP.format(body=HELD, delete="del y\ndel z")
    status, out, err = Program(["-c", program], dict(os.environ)).end()
    assert status == 0, err
    assert out.split()[-1] == "freed"
    assert int(out.split()[0]) > 60_000


def test_the_summary_shows_inner_steps_right_under_the_loss_that_they_are_in():
    with record():
        outputs = programs.trilevel(programs.Marks(), outer_steps=1, inner_steps=1)
    rows = [line[:20].rstrip() for line in GradGraph(outputs).summary().splitlines()]
    at = rows.index("  loss")
    assert rows[at + 1].strip() == "inner step 1"
    assert rows.index("  gradient") > at + 1


def test_the_garbage_collector_is_left_as_it_was():
    x = torch.ones(2, requires_grad=True)
    for enabled in (False, True):
        (gc.enable if enabled else gc.disable)()
        try:
            GradGraph(x.sin())
            assert gc.isenabled() == enabled
        finally:
            gc.enable()


def test_sparse_leaves_are_in_the_graph_by_name():
    s = torch.eye(3).to_sparse().requires_grad_()
    graph = GradGraph(torch.sparse.mm(s, torch.ones(3, 1)).sum(), {"s": s})
    assert [node.names for node in graph.nodes if node.kind == "leaf"] == [((0, "s"),)]
