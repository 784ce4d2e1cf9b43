"""Inner steps of a recorded graph are found without being named; the truth is what the program says."""

import sys
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import graph_programs as programs
import pytest
import torch

from torchopt.visual import GradGraph, record
from torchopt.visual._walk import walk

maml, meta = programs.maml, programs.meta_optimizer

STEPWISE = [
    *[(maml, {"net": net}) for net in programs.NETS],
    *[
        (maml, {"net": net, "optimizer": optimizer, "steps": steps})
        for k, optimizer in enumerate(programs.OPTIMIZERS)
        for net, steps in zip(("mlp", "nobias"), ((1, 3), (3, 1))[k % 2], strict=True)
    ],
    (maml, {"optimizer": "adam", "steps": 20}),
    (maml, {"keep_loss": True}),
    (maml, {"keep_loss": True, "net": "logits", "optimizer": "adam"}),
    (maml, {"outer": False}),
    (programs.learned_rates, {}),
    (programs.learned_rates, {"net": "nobias"}),
    *[
        (meta, {"which": which, "net": net})
        for which in ("MetaSGD", "MetaAdam", "MetaAdamW", "MetaRMSProp", "MetaAdaGrad")
        for net in ("mlp",)
    ],
    (programs.functional, {}),
    (programs.quadratic, {}),
    (programs.power, {}),
    (programs.tasks, {"gathered": True, "count": 3}),
    (programs.functorch, {}),
    (programs.functorch, {"net": "nobias"}),
]
ALL = [
    *STEPWISE,
    (programs.minimize, {}),
    (programs.levels, {}),
    (programs.power, {}),
    (programs.players, {}),
    (programs.players, {"alternating": False}),
    (programs.from_constants, {}),
    (programs.reweighting, {}),
    (programs.hypernetwork, {}),
    (programs.tasks, {}),
    (programs.tasks, {"lockstep": True}),
    (programs.trilevel, {}),
    (programs.implicit, {}),
    (programs.implicit_mode, {}),
    (programs.plain, {}),
    (programs.plain, {"net": "attention"}),
    (programs.plain, {"net": "residual"}),
]


def name(value):
    if callable(value):
        return value.__name__
    return "-".join(map(str, value.values())) if isinstance(value, dict) else None


def run(program, options, *, anomaly=True):
    marks = programs.Marks()
    with (
        torch.autograd.set_detect_anomaly(anomaly, check_nan=False),
        # To format the whole stack for each node, the tests' frames too, would be most of the time.
        mock.patch.object(sys, "tracebacklimit", 4, create=True),
        marks.watching(),
    ):
        return program(marks, **options), marks


def phases(graph):
    """Return the step and phase of each operation, as far as it is in a step."""
    found = {}
    for node in graph.nodes:
        group = graph.groups[node.group]
        if node.kind != "leaf":
            kind = "update" if group.kind == "params" else group.kind
            found[node.id] = (group.step, kind)
    return found


def steps(graph):
    return [group.label for group in graph.groups if group.kind == "step"]


def steps_of(outputs):
    return [group for group in GradGraph(outputs).groups if group.kind == "step"]


# Anomaly mode imports what it needs when it is first entered; its own warning is not of interest.
pytestmark = pytest.mark.filterwarnings("ignore:Anomaly Detection:UserWarning")


@pytest.mark.parametrize(("program", "options"), ALL, ids=name)
def test_gradient_groups_are_what_anomaly_mode_says(program, options):
    outputs, _ = run(program, options)
    graph = GradGraph(outputs)
    truth = [node.metadata.get("parent_") is not None for node in walk(outputs).nodes]
    assert [graph.groups[node.group].kind == "gradient" for node in graph.nodes] == truth


@pytest.mark.parametrize(("program", "options"), STEPWISE, ids=name)
def test_steps_and_phases_are_those_of_the_program(program, options):
    outputs, marks = run(program, options)
    graph, walked = GradGraph(outputs), walk(outputs)
    found = phases(graph)
    # A node that stands for a missing derivative has no number.
    known = {k for k in found if graph.nodes[k].type != "NotImplemented"}
    assert {k: found[k] for k in known} == {k: marks.of(walked.times[k]) for k in known}


@pytest.mark.parametrize(
    ("program", "noted"), [(maml, True), (programs.functional, True), (programs.plain, False)]
)
def test_a_graph_that_was_not_recorded_has_no_steps_and_says_so(program, noted):
    outputs, _ = run(program, {}, anomaly=False)
    graph = GradGraph(outputs)
    assert steps(graph) == []
    assert any("visual.record()" in note for note in graph.notes) == noted


@pytest.mark.parametrize("which", ["SGD", "Adam", "AdamW", "RMSProp", "AdaGrad"])
def test_a_fused_update_is_one_node_of_its_own_kind(which):
    outputs, _ = run(meta, {"which": f"Meta{which}", "steps": 3})
    graph = GradGraph(outputs)
    updates = [node for node in graph.nodes if node.kind == "update"]
    groups = [group for group in graph.groups if group.kind == "update"]
    assert [(node.id,) for node in updates] == [group.nodes for group in groups]
    assert {node.operation for node in updates} == {"fused update"}


def test_tasks_are_told_apart_in_labels():
    expected = [f"task {task}, inner step {k}" for task in (1, 2) for k in (1, 2)]
    outputs, _ = run(programs.tasks, {})
    assert steps(GradGraph(outputs)) == expected
    outputs, _ = run(programs.tasks, {"lockstep": True})
    assert sorted(steps(GradGraph(outputs))) == expected


def test_the_steps_of_a_third_level_are_inside_the_loss_of_a_step():
    outputs, _ = run(programs.trilevel, {"outer_steps": 2, "inner_steps": 3})
    graph = GradGraph(outputs)
    inner = [f"inner step {k}" for k in (1, 2, 3)]
    assert steps(graph) == ["middle step 1", *inner, "middle step 2", *inner]
    for group in graph.groups:
        if group.label.startswith("inner step"):
            loss = graph.groups[group.parent]
            assert loss.kind == "loss"
            assert graph.groups[loss.parent].label.startswith("middle step")


@pytest.mark.parametrize("alternating", [False, True])
def test_problems_that_are_not_alike_are_no_tasks(alternating):
    outputs, _ = run(programs.players, {"steps": 3, "alternating": alternating})
    expected = [f"problem {player}, inner step {k}" for k in (1, 2, 3) for player in (1, 2)]
    assert steps(GradGraph(outputs)) == expected


def test_levels_of_fused_updates_have_no_false_steps():
    outputs, _ = run(programs.levels, {})
    inner = [f"inner step {k}" for k in (1, 2, 3)]
    found = [f"{g.label}, outermost" if g.parent is None else g.label for g in steps_of(outputs)]
    top = ["middle step 1", "middle step 2", *inner]
    assert sorted(found) == sorted([*inner * 2, *(f"{label}, outermost" for label in top)])


@pytest.mark.parametrize("count", [1, 3])
def test_a_batch_by_vmap_has_the_steps_of_one_task(count):
    outputs, _ = run(programs.batched, {"steps": count})
    assert steps(GradGraph(outputs)) == [f"inner step {k + 1}" for k in range(count)]


@pytest.mark.parametrize("program", [programs.implicit, programs.implicit_mode])
def test_an_implicit_solution_is_one_node_without_steps(program):
    outputs, _ = run(program, {})
    graph = GradGraph(outputs)
    assert steps(graph) == []
    assert [node.operation for node in graph.nodes if node.type == "RootBackward"] == [
        "implicit solution"
    ]


def test_what_steps_share_is_computed_before_them():
    outputs, _ = run(programs.reweighting, {"steps": 2})
    graph = GradGraph(outputs)
    (shared,) = (group for group in graph.groups if group.label == "computed inputs")
    assert [graph.nodes[k].operation for k in shared.nodes] == ["softmax"]
    outputs, _ = run(programs.hypernetwork, {})
    graph = GradGraph(outputs)
    (shared,) = (group for group in graph.groups if group.label == "computed inputs")
    assert "tanh" in [graph.nodes[k].operation for k in shared.nodes]


def test_a_projection_belongs_to_the_update_before_it():
    phi = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    start = w = torch.tensor([0.3, -0.2], dtype=torch.float64, requires_grad=True)
    with record():
        for _ in range(3):
            (g,) = torch.autograd.grad(((w - phi) ** 4).sum(), w, create_graph=True)
            w = (w - 0.1 * g).clamp(min=0.0)
        loss = (w**2).sum()
    graph = GradGraph(loss, {"w": start})
    assert steps(graph) == ["inner step 1", "inner step 2", "inner step 3"]
    clamps = [node for node in graph.nodes if node.type.startswith("Clamp")]
    assert [node.names for node in clamps[:2]] == [((0, "w @ 1"),), ((0, "w @ 2"),)]
    assert {graph.groups[node.group].kind for node in clamps[:2]} == {"params"}


@pytest.mark.parametrize(
    ("net", "optimizer"),
    [("mlp", "adam_each"), *((net, "sgd") for net in ("conv", "gru", "attention", "transformer"))],
)
def test_a_backward_pass_in_a_thread_of_its_own_is_told_as_well(net, optimizer):
    # As on a GPU: that thread counts the nodes that it makes by itself. So does each, from 0 on: the
    # other one is new, too, since the numbers of the thread of the tests may be anywhere.
    original = torch.autograd.grad

    def count_far():
        x = torch.ones((), requires_grad=True)
        for _ in range(10_000):
            x.sin()

    def recorded():
        with torch.autograd.set_detect_anomaly(True, check_nan=False):
            return maml(programs.Marks(), net=net, optimizer=optimizer, steps=3)

    with ThreadPoolExecutor(1) as forward, ThreadPoolExecutor(1) as backward:
        backward.submit(count_far).result()
        with mock.patch(
            "torch.autograd.grad", lambda *a, **k: backward.submit(original, *a, **k).result()
        ):
            outputs = forward.submit(recorded).result()
    graph = GradGraph(outputs)
    truth = [node.metadata.get("parent_") is not None for node in walk(outputs).nodes]
    assert steps(graph) == ["inner step 1", "inner step 2", "inner step 3"]
    assert [graph.groups[node.group].kind == "gradient" for node in graph.nodes] == truth
