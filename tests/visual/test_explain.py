"""`visual.explain`: broken programs are explained with their cause, right ones raise no alarm."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import graph_programs as programs
import pytest
import torch
from torch import nn
from torch.func import functional_call
from torch.utils.checkpoint import checkpoint

import torchopt
from _cases import covering
from torchopt import visual

GEN = torch.Generator().manual_seed(0)
X, Y, XQ, YQ = (torch.randn(6, k, generator=GEN, dtype=torch.float64) for k in (3, 2, 3, 2))
Tree = dict[str, torch.Tensor]


def make_net(activation: type[nn.Module] = nn.Tanh, seed: int = 1) -> nn.Sequential:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return nn.Sequential(nn.Linear(3, 4), activation(), nn.Linear(4, 2)).double()


def scalar(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64, requires_grad=True)


def mse(
    net: nn.Module, params: Tree | None = None, x: torch.Tensor = X, y: torch.Tensor = Y
) -> Any:
    out = net(x) if params is None else functional_call(net, params, x)
    return (out - y).square().mean()


def query(net: nn.Module, params: Tree | None = None) -> torch.Tensor:
    return mse(net, params, XQ, YQ)


def by_name(explanation: visual.Explanation) -> dict[str, visual.Finding]:
    return {finding.name: finding for finding in explanation}


# --------------------------------------------------------------------------------------------------
# Right programs: (outputs, inputs).


def maml(steps: int = 3, lr: Any = 0.1, **grad: Any) -> tuple[Any, Any]:
    net, weight = make_net(), scalar(1.3)
    start = dict(net.named_parameters())
    params = start
    for _ in range(steps):
        loss = weight * mse(net, params)
        grads = torch.autograd.grad(loss, list(params.values()), create_graph=True)
        params = {k: p - lr * g for (k, p), g in zip(params.items(), grads, strict=True)}
    inputs = {**start, "weight": weight}
    return query(net, params), {**inputs, "lr": lr} if isinstance(lr, torch.Tensor) else inputs


def straight_through() -> tuple[Any, Any]:
    x = torch.tensor([0.3, 1.7], dtype=torch.float64, requires_grad=True)
    return (x + (x.round() - x).detach()).square().sum(), {"x": x}


def masked_root() -> tuple[Any, Any]:
    x = torch.tensor([0.0, 4.0], dtype=torch.float64, requires_grad=True)
    return torch.where(x > 0, x, 1.0).sqrt().sum(), {"x": x}


def attention_mask() -> tuple[Any, Any]:
    q = torch.randn(3, 4, generator=GEN, dtype=torch.float64, requires_grad=True)
    scores = (q @ q.T).masked_fill(torch.ones(3, 3).triu(1).bool(), -torch.inf)
    return (scores.softmax(-1) @ q).square().sum(), {"q": q}


def checkpointed() -> tuple[Any, Any]:
    net = make_net()
    hidden = checkpoint(lambda x: torch.dropout(net[0](x), 0.3, True), X, use_reentrant=False)
    return net[2](hidden).square().mean(), dict(net.named_parameters())


def complex_values() -> tuple[Any, Any]:
    z = torch.randn(3, generator=GEN, dtype=torch.complex128, requires_grad=True)
    return (z * z.conj() * (1 + 2j)).abs().sum() + z.real.sum(), {"z": z}


def sparse_embedding() -> tuple[Any, Any]:
    table = nn.Embedding(5, 3, sparse=True).double()
    return table(torch.tensor([1, 1, 4])).square().sum(), dict(table.named_parameters())


def several_outputs() -> tuple[Any, Any]:
    net = make_net()
    out = net(X)
    return {"losses": [(out - Y).square(), out.abs().mean()]}, dict(net.named_parameters())


def target_network() -> tuple[Any, Any]:
    net = make_net()
    target = copy.deepcopy(net)
    with torch.no_grad():
        goal = target(XQ)
    return (net(X) - goal).square().mean() + mse(net).detach(), dict(net.named_parameters())


def outer_loop() -> tuple[Any, Any]:
    net = make_net()
    start = dict(net.named_parameters())
    outer = torch.optim.Adam(list(start.values()), lr=1e-2)
    state = torchopt.extract_state_dict(net)
    for _ in range(2):
        torchopt.MetaSGD(net, lr=0.1).step(mse(net))
        outer.zero_grad()
        query(net).backward()
        outer.step()
        torchopt.recover_state_dict(net, state)
    torchopt.MetaSGD(net, lr=0.1).step(mse(net))
    outer.zero_grad()
    return query(net), start


def moving_average() -> tuple[Any, Any]:
    net = make_net()
    target = copy.deepcopy(net)
    with torch.no_grad():
        for a, b in zip(target.parameters(), net.parameters(), strict=True):
            a.lerp_(b + 1, 0.1)
    return (net(X) - target(X).detach()).square().mean(), dict(net.named_parameters())


def nodes_of(tensor: torch.Tensor) -> list[Any]:
    found, stack = {}, [tensor.grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and node not in found:
            found[node] = None
            stack.extend(n for n, _ in node.next_functions)
    return list(found)


def read_by(loss: Any) -> dict[str, torch.Tensor]:
    """Return the leaves that a loss depends on."""
    leaves = (node.variable for node in nodes_of(loss) if hasattr(node, "variable"))
    return {f"leaf {k}": leaf for k, leaf in enumerate(leaves)}


RIGHT: dict[str, Callable[[], tuple[Any, Any]]] = {
    "maml, learned rate": lambda: maml(lr=scalar(0.1)),
    "straight-through": straight_through,
    "masked root": masked_root,
    "attention mask": attention_mask,
    "checkpoint": checkpointed,
    "complex": complex_values,
    "sparse": sparse_embedding,
    "several outputs": several_outputs,
    "target network": target_network,
    "outer loop": outer_loop,
    "moving average": moving_average,
}
KNOWN: list[tuple[Any, dict[str, Any]]] = [
    *((programs.maml, {"net": net}) for net in ("mlp", "conv", "gru", "tied")),
    *((programs.meta_optimizer, {"which": f"Meta{x}"}) for x in ("SGD", "Adam", "RMSProp")),
    (programs.meta_optimizer, {"momentum": 0.9}),
    *((programs.minimize, {"memory": memory}) for memory in ("graph", "step")),
    *((programs.plain, {"net": net}) for net in ("relu", "residual")),
    *((p, {}) for p in (programs.functional, programs.learned_rates, programs.reweighting)),
    *((p, {}) for p in (programs.tasks, programs.batched, programs.players, programs.trilevel)),
    *((p, {}) for p in (programs.functorch, programs.hypernetwork, programs.penalty)),
    *((p, {}) for p in (programs.implicit, programs.implicit_mode)),
]


def right(program: str | int) -> tuple[Any, dict[str, torch.Tensor]]:
    if isinstance(program, str):
        return RIGHT[program]()
    run, options = KNOWN[program]
    loss = run(programs.Marks(), **options)
    return loss, read_by(loss)


@pytest.mark.filterwarnings("ignore:`Implicit` differentiates a point")  # a few steps
@pytest.mark.parametrize(
    ("program", "recorded"), covering([*RIGHT, *range(len(KNOWN))], [False, True])
)
def test_right_program_is_reached_with_the_norm_of_its_gradient(
    program: str | int, recorded: bool
) -> None:
    with visual.record() if recorded else nullcontext() as recording:
        outputs, inputs = right(program)
    random = torch.get_rng_state()
    found = visual.explain(outputs, inputs, recording=recording)
    assert torch.equal(torch.get_rng_state(), random)
    assert [(f.name, f.kind, f.cause) for f in found] == [(k, "reached", "") for k in inputs]
    assert all(t.grad is None for t in inputs.values())
    total = sum(t.sum() for t in torchopt.pytree.tree_leaves(outputs))
    expected = torch.autograd.grad(total, list(inputs.values()))
    for finding, gradient in zip(found, expected, strict=True):
        gradient = gradient.to_dense() if gradient.is_sparse else gradient
        assert finding.norm == pytest.approx(gradient.abs().square().sum().sqrt().item(), rel=1e-12)


# --------------------------------------------------------------------------------------------------
# Broken programs: (outputs, inputs, what is found for some of them).

Broken = tuple[Any, dict[str, torch.Tensor], dict[str, tuple[str, str]]]


def all_of(inputs: Tree, kind: str, cause: str) -> dict[str, tuple[str, str]]:
    return dict.fromkeys(inputs, (kind, cause))


def detached_start(make_leaf: Callable[[torch.Tensor], torch.Tensor]) -> Broken:
    net = make_net()
    start = dict(net.named_parameters())
    params = {k: make_leaf(p) for k, p in start.items()}
    for _ in range(2):
        grads = torch.autograd.grad(mse(net, params), list(params.values()), create_graph=True)
        params = {k: p - 0.1 * g for (k, p), g in zip(params.items(), grads, strict=True)}
    return query(net, params), start, all_of(start, "cut", "detach")


def detached_between_steps() -> Broken:
    net, weight = make_net(), scalar(1.3)
    params = start = dict(net.named_parameters())
    for _ in range(2):
        grads = torch.autograd.grad(weight * mse(net, params), list(params.values()))
        params = {
            k: (p - 0.1 * g).detach().requires_grad_()  # cut
            for (k, p), g in zip(params.items(), grads, strict=True)
        }
    inputs = {**start, "weight": weight}
    return query(net, params), inputs, all_of(inputs, "cut", "detach")


def deep_copy(steps: int) -> Broken:
    net = make_net()
    fast = copy.deepcopy(net)  # cut
    start = dict(net.named_parameters())
    inner = torchopt.MetaSGD(fast, lr=0.1)
    for _ in range(steps):
        inner.step(mse(fast))
    return query(fast), start, all_of(start, "cut", "copy")


def module_clone_deepcopy() -> Broken:
    net = make_net()
    fast = torchopt.module_clone(net, by="deepcopy")  # cut
    start = dict(net.named_parameters())
    torchopt.MetaAdam(fast, lr=0.1).step(mse(fast))
    return query(fast), start, all_of(start, "cut", "detach")


def stopped_gradient() -> Broken:
    net, weight = make_net(), scalar(1.3)
    start = dict(net.named_parameters())
    inner = torchopt.MetaSGD(net, lr=0.1)
    inner.step(weight * mse(net))
    torchopt.stop_gradient(net)  # cut
    inner.step(mse(net))
    inputs = {**start, "weight": weight}
    return query(net), inputs, all_of(inputs, "cut", "detach")


def optimizer_inside(make: Callable[[Any], Any]) -> Broken:
    net, weight = make_net(), scalar(1.3)
    inner = make(net.parameters())
    for _ in range(2):
        inner.zero_grad()
        (weight * mse(net)).backward()
        inner.step()  # cut
    weight.grad = None
    KEEP.append(inner)
    return query(net), {"weight": weight}, {"weight": ("cut", "in-place")}


KEEP: list[Any] = []


def optimizer_inside_on_a_copy() -> Broken:
    net, weight = make_net(), scalar(1.3)
    fast = copy.deepcopy(net)
    inner = torch.optim.SGD(fast.parameters(), lr=0.1)
    for _ in range(2):
        inner.zero_grad()
        (weight * mse(fast)).backward()
        inner.step()  # cut
    inputs = {**dict(net.named_parameters()), "weight": weight}
    weight.grad = None
    return query(fast), inputs, all_of(inputs, "cut", "in-place")


def inner_step_by_hand_in_place() -> Broken:
    net, weight = make_net(), scalar(1.3)
    (weight * mse(net)).backward()
    with torch.no_grad():
        for p in net.parameters():
            p -= 0.1 * p.grad  # cut
    weight.grad = None
    return query(net), {"weight": weight}, {"weight": ("cut", "in-place")}


def create_graph_false(update: str) -> Broken:
    net, weight = make_net(), scalar(1.3)
    params = start = dict(net.named_parameters())
    lr = scalar(0.1)
    transformation = torchopt.adam(0.1)
    state = transformation.init(params)
    for _ in range(2):
        grads = torch.autograd.grad(weight * mse(net, params), list(params.values()))  # cut
        pairs = zip(params.items(), grads, strict=True)
        if update == "rate":
            params = {k: p - lr * g for (k, p), g in pairs}
        elif update == "adam":
            tree = {k: g for (k, _), g in pairs}
            updates, state = transformation.update(tree, state, inplace=False)
            params = torchopt.apply_updates(params, updates, inplace=False)
        else:
            params = {k: p - 0.1 * g for (k, p), g in pairs}
    found = {"weight": ("cut", "create_graph"), **all_of(start, "reached", "first order")}
    return query(net, params), {**start, "weight": weight}, found


def first_order() -> Broken:
    net, weight = make_net(), scalar(0.5)
    start = {k: p.detach().requires_grad_() for k, p in net.named_parameters()}
    solution = torchopt.minimize(  # cut
        lambda p, w: w * mse(net, p),
        start,
        (weight,),
        solver=torchopt.sgd(0.05),
        steps=3,
        diff=torchopt.diff.Explicit(first_order=True),
    )
    found = {"weight": ("cut", "create_graph"), **all_of(start, "reached", "first order")}
    return query(net, solution.params), {**start, "weight": weight}, found


def rounded_outer(name: str) -> Broken:
    net = make_net()
    start = dict(net.named_parameters())
    torchopt.MetaSGD(net, lr=0.1).step(mse(net))
    predictions = getattr(torch, name)(10 * net(XQ))  # cut
    return (predictions - YQ).square().mean(), start, all_of(start, "zero", "flat")


def rounded_inner() -> Broken:
    net, weight = make_net(), scalar(1.3)
    inner = torchopt.MetaSGD(net, lr=0.1)
    for _ in range(2):
        loss = (net(X) * weight * 5).round().square().mean()  # cut
        inner.step(loss + 0.1 * sum(p.square().sum() for p in net.parameters()))
    return query(net), {"weight": weight}, {"weight": ("zero", "flat")}


def frozen(level: str) -> Broken:
    net = make_net()
    (net[0] if level == "layer" else net[0].bias).requires_grad_(False)
    start = dict(net.named_parameters())
    inner = torchopt.MetaSGD(net, lr=0.1)
    for _ in range(2):
        inner.step(mse(net))
    found = {
        k: ("reached", "") if p.requires_grad else ("no grad", "frozen") for k, p in start.items()
    }
    return query(net), start, found


def root_of_zero() -> Broken:
    x = torch.tensor([0.0, 4.0], dtype=torch.float64, requires_grad=True)
    loss = torch.where(x > 0, x.sqrt(), 0.0).sum()  # cut
    return loss, {"x": x}, {"x": ("not finite", "singular")}


def root_in_the_inner_loss() -> Broken:
    net, weight = make_net(nn.ReLU), scalar(1.3)
    start = dict(net.named_parameters())
    moved = net[0].weight - net[0].weight.detach()
    distance = moved.square().sum().sqrt()  # cut
    loss = weight * mse(net) + distance
    grads = torch.autograd.grad(loss, list(start.values()), create_graph=True)
    params = {k: p - 0.1 * g for (k, p), g in zip(start.items(), grads, strict=True)}
    inputs = {"0.weight": start["0.weight"], "weight": weight}
    return query(net, params), inputs, all_of(inputs, "not finite", "singular")


def root_in_the_second_derivative() -> Broken:
    x, scale = scalar(0.0), scalar(2.0)
    inner = (x.abs() * scale).pow(1.5) + (x - 1).square()  # cut
    (g,) = torch.autograd.grad(inner, x, create_graph=True)
    return (x - 0.1 * g).square(), {"x": x}, {"x": ("not finite", "singular")}


def negative_root_in_forward() -> Broken:
    net = make_net()
    loss = (net(X) - 10).sqrt().sum()  # cut
    start = dict(net.named_parameters())
    return loss, start, all_of(start, "not finite", "forward")


def log_of_negative() -> Broken:
    x = torch.tensor([-1.0, 4.0], dtype=torch.float64, requires_grad=True)
    w = scalar(1.5)
    loss = (x.log() * w).square().sum()  # cut
    return loss, {"x": x, "w": w}, {"x": ("not finite", "forward"), "w": ("not finite", "forward")}


def dead_relu(where: str) -> Broken:
    net, weight = make_net(nn.ReLU), scalar(1.3)
    with torch.no_grad():
        net[0].bias.fill_(-100.0)
    start = dict(net.named_parameters())
    if where == "meta":
        inner = torchopt.MetaSGD(net, lr=0.1)
        for _ in range(2):
            inner.step(weight * mse(net))
    elif where == "maml":
        grads = torch.autograd.grad(mse(net, start), list(start.values()), create_graph=True)
        params = {k: p - 0.1 * g for (k, p), g in zip(start.items(), grads, strict=True)}
        functional_loss = query(net, params)
    found = {"0.weight": ("zero", "dead"), "0.bias": ("zero", "dead")}
    found |= {"2.weight": ("zero", "dead"), "2.bias": ("reached", "")}
    return functional_loss if where == "maml" else query(net), start, found


def another_net() -> Broken:
    net, other = make_net(), make_net(seed=7)
    inner = torchopt.MetaSGD(net, lr=0.1)
    inner.step(mse(net))
    inputs = dict(other.named_parameters())  # cut
    return query(net), inputs, all_of(inputs, "cut", "not read")


def parameters_taken_after_the_steps() -> Broken:
    net = make_net()
    inner = torchopt.MetaSGD(net, lr=0.1)
    for _ in range(2):
        inner.step(mse(net))
    inputs = dict(net.named_parameters())  # cut
    return query(net), inputs, all_of(inputs, "reached", "not a leaf")


def number(convert: Callable[[torch.Tensor], float]) -> Broken:
    net, lr = make_net(), scalar(0.1)
    inner = torchopt.MetaSGD(net, lr=convert(lr))  # cut
    inner.step(mse(net))
    return query(net), {"lr": lr}, {"lr": ("cut", "number")}


def chosen() -> Broken:
    net = make_net()
    labels = net(X).argmax(1)  # cut
    scale = scalar(1.0)
    inputs = dict(net.named_parameters())
    return (scale * labels).square().mean(), inputs, all_of(inputs, "cut", "no derivative")


def data_attribute() -> Broken:
    net, mask = make_net(), torch.rand(4, generator=GEN, dtype=torch.float64).requires_grad_()
    hidden = torch.tanh(net[0](X)) * mask.data  # cut
    return net[2](hidden).square().mean(), {"mask": mask}, {"mask": ("cut", "data")}


def without_grad_mode() -> Broken:
    net, weight = make_net(), torch.rand(6, 1, generator=GEN, dtype=torch.float64).requires_grad_()
    with torch.no_grad():
        scaled = weight.softmax(0)  # cut
    return (scaled * net(X)).square().mean(), {"weight": weight}, {"weight": ("cut", "no_grad")}


BROKEN: dict[str, Callable[[], Broken]] = {
    "detached start": lambda: detached_start(lambda p: p.detach().requires_grad_()),  # cut
    "detached clone": lambda: detached_start(
        lambda p: p.detach().clone().requires_grad_()  # cut
    ),
    "detached between steps": detached_between_steps,
    "deep copy": lambda: deep_copy(2),
    "deep copy, not stepped": lambda: deep_copy(0),
    "module_clone": module_clone_deepcopy,
    "stop_gradient": stopped_gradient,
    "torch.optim.SGD": lambda: optimizer_inside(lambda p: torch.optim.SGD(p, lr=0.1)),
    "torch.optim.Adam": lambda: optimizer_inside(lambda p: torch.optim.Adam(p, lr=0.1)),
    "torch.optim.AdamW": lambda: optimizer_inside(lambda p: torch.optim.AdamW(p, fused=True)),
    "torchopt.Adam": lambda: optimizer_inside(lambda p: torchopt.Adam(p, lr=0.1)),
    "torch.optim on a copy": optimizer_inside_on_a_copy,
    "in place by hand": inner_step_by_hand_in_place,
    "create_graph=False": lambda: create_graph_false("sgd"),
    "create_graph=False, learned rate": lambda: create_graph_false("rate"),
    "create_graph=False, adam": lambda: create_graph_false("adam"),
    "first_order": first_order,
    "round": lambda: rounded_outer("round"),
    "floor": lambda: rounded_outer("floor"),
    "sign": lambda: rounded_outer("sign"),
    "round in the inner loss": rounded_inner,
    "frozen layer": lambda: frozen("layer"),
    "frozen bias": lambda: frozen("bias"),
    "root of zero": root_of_zero,
    "root in the inner loss": root_in_the_inner_loss,
    "root in the second derivative": root_in_the_second_derivative,
    "root of negative": negative_root_in_forward,
    "log of negative": log_of_negative,
    "dead, supervised": lambda: dead_relu("none"),
    "dead, MetaSGD": lambda: dead_relu("meta"),
    "dead, maml": lambda: dead_relu("maml"),
    "another net": another_net,
    "parameters after": parameters_taken_after_the_steps,
    "item": lambda: number(lambda t: t.item()),
    "float": lambda: number(lambda t: float(t.detach())),
    "argmax": chosen,
    "data": data_attribute,
    "no_grad": without_grad_mode,
}


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("program", BROKEN)
def test_broken_program_is_explained_with_its_cause(program: str, recorded: bool) -> None:
    with visual.record() if recorded else nullcontext() as recording:
        outputs, inputs, expected = BROKEN[program]()
    found = by_name(visual.explain(outputs, inputs, recording=recording))
    assert list(found) == list(inputs)
    for name, (kind, cause) in expected.items():
        if not recorded and kind == "cut":
            cause = "not recorded"
        if not recorded and cause == "first order":
            cause = ""
        assert (found[name].kind, found[name].cause) == (kind, cause), found[name]
        assert found[name].advice or not cause
        if recorded and cause in LOCATED:
            assert "# cut" in found[name].where, found[name]


# With a recording, the line that is at fault is named.
LOCATED = ("detach", "copy", "data", "no_grad", "in-place", "create_graph", "flat", "singular")


def test_bias_of_a_learned_loss_is_not_read_by_the_inner_gradient() -> None:
    net, critic = make_net(), nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 1)).double()
    for recorded in (False, True):
        with visual.record() if recorded else nullcontext() as recording:
            inner = torchopt.MetaAdam(net, lr=1e-2)
            for _ in range(2):
                inner.step(critic(torch.cat([net(X), Y], 1)).mean())
            loss = query(net)
        found = by_name(visual.explain(loss, critic, recording=recording))
        assert found.pop("2.bias").cause == ("not read" if recorded else "not recorded")
        assert {f.kind for f in found.values()} == {"reached"}


def test_saved_gradients_are_as_they_were() -> None:
    net = make_net()
    mse(net).backward()
    before = {k: p.grad.clone() for k, p in net.named_parameters()}
    visual.explain(query(net), net)
    assert all(torch.equal(p.grad, before[k]) for k, p in net.named_parameters())


def test_no_hook_stays_and_the_graph_can_be_differentiated_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outputs, inputs = maml()
    alive = []
    kinds = {type(node) for node in nodes_of(outputs)}
    nodes = nodes_of(outputs)
    removed = torch.utils.hooks.RemovableHandle.remove
    created = torch.utils.hooks.RemovableHandle.__init__

    def create(self: Any, *args: Any, **kwargs: Any) -> None:
        alive.append(self)
        created(self, *args, **kwargs)

    def remove(self: Any) -> None:
        alive.remove(self)
        removed(self)

    monkeypatch.setattr(torch.utils.hooks.RemovableHandle, "__init__", create)
    monkeypatch.setattr(torch.utils.hooks.RemovableHandle, "remove", remove)
    visual.explain(outputs, inputs)
    assert not alive
    assert len(nodes) > 20
    assert kinds
    outputs.backward()
    assert all(t.grad is not None for t in inputs.values())


def test_a_backward_that_raises_is_named_and_no_hook_stays() -> None:
    class Refuses(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
            calls.append(g)
            if len(calls) == 1:
                raise ArithmeticError("not today")
            return g * 2

    calls: list[torch.Tensor] = []
    x = scalar(1.5)
    y = Refuses.apply(x) ** 2
    (found,) = visual.explain(y, x)
    assert (found.kind, found.norm) == ("refused", None)
    assert found.where == "`Refuses`: the backward pass stops with ArithmeticError: not today."
    assert torch.is_grad_enabled()
    assert visual.explain(y, x)[0].norm == pytest.approx(12.0)


def test_grad_mode_does_not_matter_and_stays() -> None:
    outputs, inputs = maml()
    expected = [f.norm for f in visual.explain(outputs, inputs)]
    with torch.no_grad():
        assert [f.norm for f in visual.explain(outputs, inputs)] == expected
        assert not torch.is_grad_enabled()


def test_freed_graph_is_said_in_one_sentence_and_cuts_are_still_found() -> None:
    net = make_net()
    other = scalar(1.0)
    loss = mse(net)
    loss.backward()
    found = visual.explain(loss, {"net": net, "other": other})
    assert [f.kind for f in found] == ["freed"] * 4 + ["cut"]
    assert any("freed by an earlier backward pass" in note for note in found.notes)
    assert "freed" in str(found)


def test_cut_before_an_operation_without_slope_is_the_cause() -> None:
    x, w = (VALUES.clone().requires_grad_() for _ in range(2))
    with visual.record() as recording:
        mixed = (x * 3).detach() * w  # cut
        loss = mixed.round().sum()
    found = by_name(visual.explain(loss, {"x": x, "w": w}, recording=recording))
    assert (found["x"].kind, found["x"].cause) == ("cut", "detach")
    assert "# cut" in found["x"].where
    assert (found["w"].kind, found["w"].cause) == ("zero", "flat")


def test_parameters_that_were_overwritten_after_use_are_explained() -> None:
    net = make_net()
    with visual.record() as recording:
        inner = torch.optim.SGD(net.parameters(), lr=0.1)
        loss = mse(net)
        mse(net).backward()
        inner.step()  # cut
    with pytest.raises(RuntimeError, match="inplace"):
        torch.autograd.grad(loss, list(net.parameters()), retain_graph=True)
    for given in (None, recording):
        found = visual.explain(loss, net, recording=given)
        assert {(f.kind, f.cause) for f in found} == {("overwritten", "in-place")}
        assert all(("# cut" in f.where) is (given is not None) for f in found)
        assert "in place" in found.notes[-1]


def test_inputs_are_a_tensor_a_tree_a_module_or_named_parameters() -> None:
    net = make_net()
    loss = mse(net)
    expected = [name for name, _ in net.named_parameters()]
    for inputs in (net, net.named_parameters(), dict(net.named_parameters())):
        assert [f.name for f in visual.explain(loss, inputs)] == expected
    assert [f.name for f in visual.explain(loss, {"net": net})] == [f"net.{k}" for k in expected]
    (only,) = visual.explain(loss, net[0].weight)
    assert only.kind == "reached"
    (called,) = visual.explain(loss, net[0].weight, names=net)
    assert called.name == "0.weight"


def test_buffers_of_a_module_are_no_inputs() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)).double()
    found = visual.explain(net(X).square().mean(), net)
    assert [f.name for f in found] == [name for name, _ in net.named_parameters()]


@pytest.mark.parametrize("inputs", [{}, {"a": 1.0}, []])
def test_inputs_without_tensors_are_refused(inputs: Any) -> None:
    with pytest.raises(TypeError, match="inputs"):
        visual.explain(scalar(1.0) * 2, inputs)


def test_outputs_without_tensors_are_refused() -> None:
    with pytest.raises(TypeError, match="outputs"):
        visual.explain(3.0, scalar(1.0))


def test_outputs_without_graph_are_explained() -> None:
    x = scalar(2.0)
    with torch.no_grad():
        loss = x**2
    assert by_name(visual.explain(loss, {"x": x}))["x"].cause == "constant output"
    with visual.record() as recording, torch.no_grad():
        loss = x**2  # cut
    (found,) = visual.explain(loss, {"x": x}, recording=recording)
    assert found.cause == "no_grad"
    assert "# cut" in found.where


def test_integer_inputs_are_said_to_have_no_gradient() -> None:
    (found,) = visual.explain(scalar(2.0) * 2, {"index": torch.tensor([1, 2])})
    assert (found.kind, found.cause) == ("no grad", "dtype")


class NoGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> None:
        return None


VALUES = torch.tensor([0.4, -1.2, 2.5], dtype=torch.float64)
ZERO = {
    "cancel": (lambda x: (x - x).sum() + 1.0, "cancel"),
    "softmax": (
        lambda x: x.softmax(0).sum().square() * torch.zeros(2, dtype=x.dtype),
        "zero factor",
    ),
    "saturated": (lambda x: (x * 1e4).sigmoid().square().sum(), "saturated"),
    "mask": (lambda x: (x * torch.zeros(3, dtype=x.dtype)).sum(), "zero factor"),
    "index": (lambda x: x[:0].sum(), "not chosen"),
    "where": (lambda x: torch.where(x > 9, x, 1.0).sum(), "not chosen"),
    "maximum": (lambda x: torch.maximum(x, x.detach() + 1).sum(), "not chosen"),
    "custom": (lambda x: NoGradient.apply(x).sum(), "no derivative"),
    "clamp": (lambda x: x.clamp(min=5.0).sum(), "bound"),
    "trunc": (lambda x: x.trunc().square().sum() + 1, "flat"),
}


@pytest.mark.parametrize("name", ZERO)
def test_zero_gradient_is_explained_with_the_first_operation_that_stops_it(name: str) -> None:
    function, cause = ZERO[name]
    x = VALUES.clone().requires_grad_()
    (found,) = visual.explain(function(x), {"x": x})
    assert (found.kind, found.norm, found.cause) == ("zero", 0.0, cause)


def test_first_of_several_operations_that_stop_it_is_named() -> None:
    x = VALUES.clone().requires_grad_()
    (found,) = visual.explain((x.floor() * 3).round().sum(), {"x": x})
    assert "`round`" in found.where  # backward meets it first
    assert "floor" not in found.where


NOT_FINITE = {
    "sqrt": (lambda x: x.sqrt().sum(), [0.0, 1.0], "singular", "sqrt"),
    "log": (lambda x: (x.log() * x).sum(), [0.0, 1.0], "forward", "log"),
    "norm": (lambda x: (x - 1).square().sum().sqrt(), [1.0, 1.0], "singular", "sqrt"),
    "power": (lambda x: x.pow(0.5).sum(), [0.0, 2.0], "singular", "pow"),
    "quotient": (lambda x: (x / x.detach()).sum(), [0.0, 2.0], "forward", "div"),
    "arccosine": (lambda x: x.acos().sum(), [1.0, 0.5], "singular", "acos"),
    "overflow": (lambda x: (x * 1e200).square().sum().mul(1e200).exp(), [1.0, 2.0], "forward", ""),
    "exponential": (lambda x: (x.exp() - x.exp()).sum(), [1e3, 1.0], "forward", "exp"),
    "leaf": (lambda x: (x * x).sum(), [float("nan"), 1.0], "forward", "`x` itself"),
}


@pytest.mark.parametrize("name", NOT_FINITE)
def test_gradient_that_is_not_finite_is_explained_with_the_first_operation(name: str) -> None:
    function, values, cause, where = NOT_FINITE[name]
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    loss = function(x)
    gradient = torch.autograd.grad(loss, x, retain_graph=True)[0]
    assert not torch.isfinite(gradient).all()
    (found,) = visual.explain(loss, {"x": x})
    assert (found.kind, found.cause) == ("not finite", cause), found
    assert where in found.where


def test_constant_that_is_not_finite_is_named() -> None:
    net = make_net()
    data = X.clone()
    data[2, 1] = float("nan")
    found = by_name(visual.explain((net(data) - Y).square().mean(), net))
    assert found["0.weight"].cause == "forward"
    assert "constant that `addmm`" in found["0.weight"].where


def unrolled(rate: float, steps: int = 12) -> Any:
    x = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
    target = torch.tensor([0.5, 0.3], dtype=torch.float64, requires_grad=True)
    params = x
    for _ in range(steps):
        (g,) = torch.autograd.grad(
            0.5 * (params - target).square().sum(), params, create_graph=True
        )
        params = params - rate * g
    # Each step multiplies what flows back by 1 - rate.
    return (params * torch.tensor([3.0, 4.0], dtype=torch.float64)).sum(), {
        "x": x,
        "target": target,
    }


@pytest.mark.parametrize(
    ("rate", "kind"), [(0.7, "vanishing"), (4.0, "exploding"), (0.1, "reached")]
)
def test_norms_along_the_inner_steps_are_those_of_the_closed_form(rate: float, kind: str) -> None:
    outputs, inputs = unrolled(rate)
    found = by_name(visual.explain(outputs, inputs))
    assert found["x"].kind == kind
    expected = [5 * abs(1 - rate) ** (12 - step) for step in range(1, 13)]
    assert found["x"].norms == pytest.approx(expected, rel=1e-9)
    assert found["x"].norm == pytest.approx(5 * abs(1 - rate) ** 12, rel=1e-9)
    # That the start is forgotten takes nothing from what enters at every step.
    assert found["target"].kind == ("reached" if kind == "vanishing" else kind)
    if kind != "reached":
        assert f"{expected[0]:.2g}" in str(visual.explain(outputs, inputs)).replace("\n", " ")


def test_complex_inputs_have_the_norm_of_their_gradient() -> None:
    z = torch.randn(3, generator=GEN, dtype=torch.complex128, requires_grad=True)
    w = torch.randn(3, generator=GEN, dtype=torch.complex128, requires_grad=True)
    with visual.record() as recording:
        loss = (z * w.detach()).abs().square().sum()
    found = by_name(visual.explain(loss, {"z": z, "w": w}, recording=recording))
    assert found["z"].norm == pytest.approx(
        (2 * z * w.abs() ** 2).abs().square().sum().sqrt().item()
    )
    assert (found["w"].kind, found["w"].cause) == ("cut", "detach")


def test_inside_of_torch_func_it_is_refused_and_outside_it_works() -> None:
    x = VALUES.clone().requires_grad_()

    def inner(t: torch.Tensor) -> torch.Tensor:
        visual.explain(t.sum(), t)
        return t.sum()

    with pytest.raises(RuntimeError, match=r"torch\.func"):
        torch.func.grad(inner)(x)
    batched = torch.func.vmap(lambda t: t.sin())(x)
    assert visual.explain(batched, {"x": x})[0].norm == pytest.approx(x.cos().norm().item())


def test_norms_do_not_overflow_and_tiny_gradients_are_not_zero() -> None:
    x = VALUES.clone().requires_grad_()
    for scale in (1e-200, 1e200):
        (found,) = visual.explain((x * scale).sum(), {"x": x})
        assert (found.kind, found.norm) == ("reached", pytest.approx(scale * 3**0.5))
    half = VALUES.to(torch.float16).requires_grad_()
    assert visual.explain((half * 3e4).sum(), half)[0].norm == pytest.approx(3e4 * 3**0.5, rel=1e-3)


def test_long_chain_is_explained() -> None:
    x = VALUES.clone().requires_grad_()
    y = x
    for _ in range(2000):  # more than Python's calls may be nested
        y = y * 1.0001
    assert visual.explain(y.sum(), x)[0].norm == pytest.approx(3**0.5 * 1.0001**2000)


def test_random_operations_of_a_backward_pass_leave_the_generator() -> None:
    class Noisy(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
            return g + torch.rand_like(g)

    x = VALUES.clone().requires_grad_()
    before = torch.get_rng_state()
    visual.explain(Noisy.apply(x).sum(), x)
    assert torch.equal(torch.get_rng_state(), before)


def test_optimizer_inside_on_the_parameters_themselves_is_remarked() -> None:
    net = make_net()
    inner = torch.optim.SGD(net.parameters(), lr=0.1)
    with visual.record() as recording:
        mse(net).backward()
        inner.step()  # cut
        loss = query(net)
    for finding in visual.explain(loss, net, recording=recording):
        assert (finding.kind, finding.cause) == ("reached", "in-place")
        assert "# cut" in finding.where
        assert "SGD" in finding.where


def test_explanation_is_a_tuple_a_table_and_html() -> None:
    outputs, inputs, _ = frozen("layer")
    found = visual.explain(outputs, inputs)
    assert isinstance(found, tuple)
    assert len(found) == len(inputs)
    lines = str(found).splitlines()
    assert lines[0].split() == ["input", "finding", "where", "what", "to", "do"]
    assert max(map(len, lines)) < 180
    assert "requires_grad is False" in str(found)
    page = found._repr_html_()
    assert page.count("<tr>") == len(inputs) + 1
    html = visual.explain(scalar(1.0) * 2, {"<b>": scalar(1.0)})._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    again = copy.copy(found)
    assert (again, again.notes) == (found, found.notes)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_on_a_gpu_norms_and_random_numbers_are_the_same() -> None:
    net = make_net(nn.ReLU).cuda()
    start = dict(net.named_parameters())
    inner = torchopt.MetaSGD(net, lr=0.1)
    inner.step(mse(net, x=X.cuda(), y=Y.cuda()))
    loss = mse(net, x=XQ.cuda(), y=YQ.cuda())
    before = torch.cuda.get_rng_state()
    found = visual.explain(loss, start)
    assert torch.equal(torch.cuda.get_rng_state(), before)
    expected = [g.norm().item() for g in torch.autograd.grad(loss, list(start.values()))]
    assert [f.norm for f in found] == pytest.approx(expected, rel=1e-12)


UNARY = [
    torch.sin,
    torch.exp,
    torch.relu,
    torch.round,
    torch.sqrt,
    torch.log,
    torch.tanh,
    torch.detach,
    torch.abs,
    lambda t: t.softmax(0),
    lambda t: t * 0.0,
    lambda t: t[[0, 0, 2]],
    lambda t: t - 1.5,
    lambda t: torch.where(t > 0, t, 0.5),
    lambda t: t.clamp(-0.5, 0.5),
    lambda t: t.argsort().double(),
]
BINARY = [torch.add, torch.mul, torch.div, torch.maximum, lambda a, b: a @ b * a]


@pytest.mark.parametrize(("seed", "recorded"), covering(range(40), [False, True]))
def test_random_programs_are_judged_as_their_gradients_are(seed: int, recorded: bool) -> None:
    draw = random.Random(seed)
    gen = torch.Generator().manual_seed(seed)
    inputs = {
        name: torch.randn(3, generator=gen, dtype=torch.float64).requires_grad_()
        for name in ("a", "b", "c", "d")
    }
    with visual.record() if recorded else nullcontext() as recording:
        values = list(inputs.values())
        for _ in range(draw.randint(3, 14)):
            value = draw.choice(UNARY)(draw.choice(values))
            values.append(draw.choice(BINARY)(value, draw.choice(values)))
        loss = values[-1].sum() + values[-2].sum()
        if loss.requires_grad:
            (first,) = torch.autograd.grad(loss, [values[0]], create_graph=True, allow_unused=True)
            loss = loss if first is None else loss + first.square().sum()
    tensors = list(inputs.values())
    expected: Any = [None] * 4
    if loss.requires_grad:
        expected = torch.autograd.grad(loss, tensors, retain_graph=True, allow_unused=True)
    for finding, gradient in zip(
        visual.explain(loss, inputs, recording=recording), expected, strict=True
    ):
        if gradient is None:
            assert finding.kind in ("cut", "zero")
        elif not torch.isfinite(gradient).all():
            assert finding.kind == "not finite"
        elif not gradient.any():
            assert finding.kind == "zero"
        else:
            assert finding.kind == "reached"
            assert finding.norm == pytest.approx(gradient.norm().item(), rel=1e-10)
        assert finding.kind == "reached" or (finding.cause and finding.where and finding.advice)


def test_norms_along_fused_updates_are_those_of_the_closed_form() -> None:
    phi = torch.tensor([3.0, 4.0], dtype=torch.float64)
    start = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    done = torchopt.minimize(
        lambda w: 0.5 * ((w - phi) ** 2).sum(), start, solver=torchopt.sgd(0.7), steps=12
    )
    (found,) = visual.explain((done.params * phi).sum(), start)
    expected = [5 * 0.3 ** (12 - step) for step in range(1, 13)]
    assert found.norms == pytest.approx(expected, rel=1e-9)
    assert found.kind == "vanishing"


def test_norms_of_players_are_those_of_the_player_who_starts_from_the_input() -> None:
    a = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    b = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
    x, y, states = a, b, []
    for _ in range(3):
        (g,) = torch.autograd.grad((x * y).square().sum(), x, create_graph=True)
        x = x - 0.1 * g
        (h,) = torch.autograd.grad((x.sum() - y).square().sum(), y, create_graph=True)
        y = y - 0.1 * h
        states.append((x, y))
    loss = (x * y).sum()
    found = by_name(visual.explain(loss, {"a": a, "b": b}))
    for number, name in enumerate("ab"):
        chain = [pair[number] for pair in states]
        truth = torch.autograd.grad(loss, chain, retain_graph=True)
        assert found[name].norms == pytest.approx([g.norm().item() for g in truth])


def test_an_outer_loss_that_reads_all_steps_is_no_explosion() -> None:
    p = torch.tensor([30.0, -20.0], dtype=torch.float64, requires_grad=True)
    w, total = p, torch.zeros(())
    for _ in range(25):
        loss = (w**2).sum()
        total = total + loss
        (g,) = torch.autograd.grad(loss, w, create_graph=True)
        w = w - 0.3 * g
    (found,) = visual.explain(total + (w**2).sum(), p)
    assert found.norms[0] > 1e4 * found.norms[-1]
    assert (found.kind, found.cause) == ("reached", "")


def test_a_diverging_loop_is_no_singularity_whether_recorded_or_not() -> None:
    for how in (nullcontext(), visual.record()):
        p = start = torch.tensor([1.5, -0.7], dtype=torch.float64, requires_grad=True)
        with how as recording:
            for _ in range(12):
                (g,) = torch.autograd.grad((p**4).sum(), p, create_graph=True)
                p = p - 3.0 * g
            loss = (p**2).sum()
        (found,) = visual.explain(loss, start, recording=recording)
        assert (found.kind, found.cause) == ("not finite", "forward")


def test_a_choice_that_an_inner_loss_has_multiplied_by_is_found_behind_its_gradient() -> None:
    net, weights = make_net(), VALUES.clone().requires_grad_()
    with visual.record() as recording:
        chosen = (weights > 0.0).double()
        inner = torchopt.MetaSGD(net, lr=0.1)
        inner.step(mse(net) * chosen.sum())
        loss = mse(net)
    (found,) = visual.explain(loss, {"weights": weights}, recording=recording)
    assert (found.kind, found.cause) == ("cut", "no derivative")
    assert "weights > 0.0" in found.where


def test_a_leaf_that_is_all_zero_is_named() -> None:
    head = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    x = VALUES.clone().requires_grad_()
    found = by_name(visual.explain((x.sin() * head).sum(), {"x": x, "head": head}))
    assert (found["x"].kind, found["x"].cause) == ("zero", "zero factor")
    assert "`head`, which is zero" in found["x"].where
    assert found["head"].kind == "reached"


def test_softmax_that_is_summed_up_is_not_saturated_and_one_that_is_saturated_is() -> None:
    x = VALUES.clone().requires_grad_()
    assert visual.explain(x.softmax(0).sum() * 2.0, x)[0].cause == "cancel"
    sharp = (VALUES * 1e4).requires_grad_()
    assert visual.explain(sharp.softmax(0)[0], sharp)[0].cause == "saturated"


def test_a_second_derivative_that_does_not_exist_is_said_with_its_operation() -> None:
    q = torch.randn(1, 2, 4, 8, generator=GEN, requires_grad=True)
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION):
        out = nn.functional.scaled_dot_product_attention(q, q, q)
    (g,) = torch.autograd.grad(out.square().sum(), q, create_graph=True)
    loss = (q - 0.1 * g).square().sum()
    with pytest.raises(RuntimeError, match="not implemented"):
        torch.autograd.grad(loss, q, retain_graph=True)
    (found,) = visual.explain(loss, q)
    assert found.kind == "refused"
    assert "missing derivative" in found.where
    assert "not implemented" in found.where


def test_sparse_inputs_have_the_norm_of_their_gradient() -> None:
    s = torch.diag(VALUES).to_sparse().requires_grad_()
    loss = torch.sparse.mm(s, torch.ones(3, 1, dtype=torch.float64)).square().sum()
    (found,) = visual.explain(loss, {"s": s})
    (g,) = torch.autograd.grad(loss, s)
    assert found.norm == pytest.approx(g.coalesce().values().norm().item())
