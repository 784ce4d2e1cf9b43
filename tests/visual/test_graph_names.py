"""What operations, leaves and inner states are called."""

import dataclasses

import graph_programs as programs
import pytest
import torch
from torch import nn
from torch.func import functional_call

import torchopt
from torchopt.visual import GradGraph, record

F = nn.functional


def names(graph):
    return {name for node in graph.nodes for _, name in node.names}


@dataclasses.dataclass
class Held:
    """Two variables and a text."""

    first: torch.Tensor
    second: torch.Tensor
    text: str


def unrolled(net, steps=2):
    x, y = programs.data(5, 3), programs.data(5, 2, seed=2)
    p = dict(net.named_parameters())
    for _ in range(steps):
        loss = F.mse_loss(functional_call(net, p, x), y)
        g = torch.autograd.grad(loss, list(p.values()), create_graph=True)
        p = {k: w - 0.1 * q for (k, w), q in zip(p.items(), g, strict=True)}
    return F.mse_loss(functional_call(net, p, x.flip(0)), y)


@pytest.mark.parametrize(
    "given",
    [
        lambda net: net,
        lambda net: dict(net.named_parameters()),
        lambda net: net.named_parameters(),
        lambda net: list(net.named_parameters()),
        lambda net: torchopt.extract_state_dict(net, enable_visual=True),
        lambda net: [net],
        lambda net: [torchopt.extract_state_dict(net, enable_visual=True)],
        lambda net: [net.named_parameters(), {}],
    ],
)
def test_parameters_and_their_inner_states_are_named(given):
    net = programs.mlp(sizes=(3, 4, 2))
    with record():
        loss = unrolled(net)
    graph = GradGraph(loss, given(net))
    parameters = {"0.weight", "0.bias", "2.weight", "2.bias"}
    assert names(graph) == {
        *parameters,
        *(f"{name} @ {step}" for name in parameters for step in (1, 2)),
    }


def test_trees_name_their_leaves_by_path():
    a, b = (torch.ones(2, requires_grad=True) for _ in range(2))
    assert names(GradGraph(a * b, [a, b])) == {"0", "1"}
    assert names(GradGraph(a * b, {"p": (a, b)})) == {"p.0", "p.1"}
    assert names(GradGraph(a * b, {"p": Held(a, b, "kept")})) == {"p.first", "p.second"}
    assert names(GradGraph(a * b, a)) == {"tensor"}


def test_a_module_after_fused_steps_names_its_start_and_its_states():
    net = programs.mlp(sizes=(3, 4, 2))
    optimizer = torchopt.MetaAdam(net, lr=0.1)
    x, y = programs.data(5, 3), programs.data(5, 2, seed=2)
    with record():
        for _ in range(2):
            optimizer.step(F.mse_loss(net(x), y))
        loss = F.mse_loss(net(x.flip(0)), y)
    graph = GradGraph(loss, net)
    updates = [node for node in graph.nodes if node.kind == "update"]
    assert [dict(node.names) for node in updates] == [
        {
            k: f"{name} @ {step}"
            for k, name in enumerate(["0.bias", "0.weight", "2.bias", "2.weight"])
        }
        for step in (1, 2)
    ]
    leaves = {name for node in graph.nodes if node.kind == "leaf" for _, name in node.names}
    assert leaves == {"0.bias", "0.weight", "2.bias", "2.weight"}


def test_a_state_without_names_is_refused():
    net = nn.Linear(2, 1)
    with pytest.raises(ValueError, match="enable_visual=True"):
        GradGraph(net(torch.ones(1, 2)), torchopt.extract_state_dict(net))


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


@pytest.mark.parametrize(
    ("make", "operation"),
    [
        (lambda x: Square.apply(x), "Square"),
        (lambda x: x.log_softmax(0), "log_softmax"),
        (lambda x: F.mse_loss(x, x.detach() + 1), "mse_loss"),
        (lambda x: torch.autograd.grad(x.tanh().sum(), x, create_graph=True), "tanh backward"),
        (
            lambda x: torch.autograd.grad(x.log_softmax(0)[0], x, create_graph=True),
            "log_softmax backward",
        ),
        (lambda x: x.clone().index_put_((torch.tensor([0]),), x[:1]), "index_put"),
        (lambda x: torch.view_as_real(x.to(torch.complex128)), "view_as_real"),
    ],
)
def test_operations_are_called_as_in_pytorch(make, operation):
    x = torch.tensor([1.0, 2.0, -0.5], dtype=torch.float64, requires_grad=True)
    graph = GradGraph(make(x))
    assert graph.nodes[graph.outputs[0]].operation == operation


def test_functions_of_this_library_are_called_what_they_are_and_are_none_of_the_users():
    phi = torch.tensor([1.0, 2.0], requires_grad=True)

    def loss(w, phi):
        return ((w - phi) ** 2).sum()

    def solve(**options):
        solver = torchopt.sgd(0.25)
        return torchopt.minimize(loss, torch.zeros(2), (phi,), solver=solver, steps=20, **options)

    implicit = solve(diff=torchopt.diff.Implicit()).params
    unrolled = solve().params

    @torchopt.diff.zero_order(torch.randn, method="naive", num_samples=4)
    def estimate(w):
        return w.square().sum()

    operations = {
        "implicit solution": GradGraph(implicit.sum()),
        "fused update": GradGraph(unrolled.sum()),
        "fused update backward": GradGraph(
            torch.autograd.grad(unrolled.square().sum(), phi, create_graph=True)[0].sum()
        ),
        "zero-order estimate": GradGraph(estimate(phi)),
    }
    for name, graph in operations.items():
        assert name in {node.operation for node in graph.nodes}
        assert not any("custom" in note for note in graph.notes)
