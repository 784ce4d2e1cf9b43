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
from _cases import diagonal
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
    "attention mask": attention_mask,
    "checkpoint": checkpointed,
    "complex": complex_values,
    "sparse": sparse_embedding,
    "outer loop": outer_loop,
}
KNOWN: list[tuple[Any, dict[str, Any]]] = [
    *((programs.maml, {"net": net}) for net in ("mlp", "conv", "gru", "tied")),
    *((programs.meta_optimizer, {"which": f"Meta{x}"}) for x in ("SGD", "Adam", "RMSProp")),
    (programs.meta_optimizer, {"momentum": 0.9}),
    *((programs.minimize, {"memory": memory}) for memory in ("graph", "step")),
    *((programs.plain, {"net": net}) for net in ("relu", "residual")),
    *((p, {}) for p in (programs.functional, programs.learned_rates, programs.reweighting)),
    *((p, {}) for p in (programs.tasks, programs.batched, programs.players, programs.trilevel)),
    *((p, {}) for p in (programs.functorch, programs.hypernetwork)),
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
    ("program", "recorded"), diagonal([*RIGHT, *range(len(KNOWN))], [False, True])
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


def deep_copy() -> Broken:
    net = make_net()
    fast = copy.deepcopy(net)  # cut
    start = dict(net.named_parameters())
    inner = torchopt.MetaSGD(fast, lr=0.1)
    for _ in range(2):
        inner.step(mse(fast))
    return query(fast), start, all_of(start, "cut", "copy")


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


def create_graph_false(update: str) -> Broken:
    net, weight = make_net(), scalar(1.3)
    params = start = dict(net.named_parameters())
    lr = scalar(0.1)
    for _ in range(2):
        grads = torch.autograd.grad(weight * mse(net, params), list(params.values()))  # cut
        pairs = zip(params.items(), grads, strict=True)
        if update == "rate":
            params = {k: p - lr * g for (k, p), g in pairs}
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
    found = {"weight": ("cut", "first order"), **all_of(start, "reached", "first order")}
    return query(net, solution.params), {**start, "weight": weight}, found


def rounded_outer() -> Broken:
    net = make_net()
    start = dict(net.named_parameters())
    torchopt.MetaSGD(net, lr=0.1).step(mse(net))
    predictions = torch.round(10 * net(XQ))  # cut
    return (predictions - YQ).square().mean(), start, all_of(start, "zero", "flat")


def rounded_inner() -> Broken:
    net, weight = make_net(), scalar(1.3)
    inner = torchopt.MetaSGD(net, lr=0.1)
    for _ in range(2):
        loss = (net(X) * weight * 5).round().square().mean()  # cut
        inner.step(loss + 0.1 * sum(p.square().sum() for p in net.parameters()))
    return query(net), {"weight": weight}, {"weight": ("zero", "flat")}


def frozen() -> Broken:
    net = make_net()
    net[0].bias.requires_grad_(False)
    start = dict(net.named_parameters())
    inner = torchopt.MetaSGD(net, lr=0.1)
    for _ in range(2):
        inner.step(mse(net))
    found = {
        k: ("reached", "") if p.requires_grad else ("no grad", "frozen") for k, p in start.items()
    }
    return query(net), start, found


def root_in_the_inner_loss() -> Broken:
    net, weight = make_net(nn.ReLU), scalar(1.3)
    start = dict(net.named_parameters())
    moved = net[0].weight - net[0].weight.detach()
    distance = moved.square().sum().sqrt()  # cut
    loss = weight * mse(net) + distance
    grads = torch.autograd.grad(loss, list(start.values()), create_graph=True)
    params = {k: p - 0.1 * g for (k, p), g in zip(start.items(), grads, strict=True)}
    inputs = {"0.weight": start["0.weight"], "weight": weight}
    return query(net, params), inputs, all_of(inputs, "not finite", "forward")


def dead_relu() -> Broken:
    net = make_net(nn.ReLU)
    with torch.no_grad():
        net[0].bias.fill_(-100.0)
    found = {"0.weight": ("zero", "dead"), "0.bias": ("zero", "dead")}
    found |= {"2.weight": ("zero", "zero factor"), "2.bias": ("reached", "")}
    return query(net), dict(net.named_parameters()), found


def parameters_taken_after_the_steps() -> Broken:
    net = make_net()
    inner = torchopt.MetaSGD(net, lr=0.1)
    for _ in range(2):
        inner.step(mse(net))
    inputs = dict(net.named_parameters())  # cut
    return query(net), inputs, all_of(inputs, "reached", "not a leaf")


def chosen() -> Broken:
    net = make_net()
    labels = net(X).argmax(1)  # cut
    scale = scalar(1.0)
    inputs = dict(net.named_parameters())
    return (scale * labels).square().mean(), inputs, all_of(inputs, "cut", "no derivative")


BROKEN: dict[str, Callable[[], Broken]] = {
    "detached start": lambda: detached_start(lambda p: p.detach().requires_grad_()),  # cut
    "detached between steps": detached_between_steps,
    "deep copy": deep_copy,
    "stop_gradient": stopped_gradient,
    "torch.optim.SGD": lambda: optimizer_inside(lambda p: torch.optim.SGD(p, lr=0.1)),
    "create_graph=False": lambda: create_graph_false("sgd"),
    "create_graph=False, learned rate": lambda: create_graph_false("rate"),
    "first_order": first_order,
    "round": rounded_outer,
    "round in the inner loss": rounded_inner,
    "frozen bias": frozen,
    "root in the inner loss": root_in_the_inner_loss,
    "dead": dead_relu,
    "parameters after": parameters_taken_after_the_steps,
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
        if not recorded and program == "round in the inner loss":
            cause = "zero factor"
        assert (found[name].kind, found[name].cause) == (kind, cause), found[name]
        assert found[name].advice or not cause
        if recorded and cause in LOCATED:
            assert "# cut" in found[name].where, found[name]


VALUES = torch.tensor([0.4, -1.2, 2.5], dtype=torch.float64)


def as_number(x: Any, a: Any, b: Any) -> Any:
    return (x - a).square().sum() * b.item()  # cut


def as_float(x: Any, a: Any, b: Any) -> Any:
    return (x - a).square().sum() * float(b.detach())  # cut


def with_tensors(x: Any, a: Any, b: Any) -> Any:
    return (x - a).square().sum() * b + b * x.pow(4).sum()


STEPS = {"solver": torchopt.sgd(0.1), "steps": 3}
NEWTON = {"solver": torchopt.solver.Newton()}


def without(x: Any, a: Any, b: Any) -> Any:
    return (x - a).square().sum() + 0 * b


KINDS = {"graph": "cut", "step": "zero", "forward": "zero"}
#: An objective, options of `minimize`, the input that has no derivative, and the finding about it.
SOLVED: dict[str, tuple[Callable[..., Any], dict[str, Any], str, str, str]] = {
    "start of a solver": (with_tensors, NEWTON, "x", "zero", "start"),
    "not read": (without, NEWTON, "b", "zero", "not read"),
    "item, Newton": (as_number, NEWTON, "b", "zero", "number"),
    "float, Newton": (as_float, NEWTON, "b", "zero", "number"),
    **{
        f"{name}, {memory}": (
            objective,
            {**STEPS, "diff": torchopt.diff.Explicit(memory, **options)},
            leaf,
            "cut" if cause == "truncate" else kind,
            cause,
        )
        for memory, kind in KINDS.items()
        for name, objective, options, leaf, cause in (
            ("item", as_number, {}, "b", "number"),
            ("float", as_float, {}, "b", "number"),
            ("first_order", with_tensors, {"first_order": True}, "a", "first order"),
            ("truncate", with_tensors, {"truncate": 2}, "x", "truncate"),
        )
    },
}


@pytest.mark.filterwarnings("ignore:`params`, where the solver starts, has gradient zero")
@pytest.mark.parametrize("case", SOLVED)
def test_what_a_solution_has_no_derivative_for_is_explained(case: str) -> None:
    objective, options, leaf, kind, cause = SOLVED[case]
    inputs = {"x": torch.zeros(2, dtype=torch.float64), "a": VALUES[:2].clone(), "b": scalar(0.7)}
    inputs = {name: t.detach().requires_grad_() for name, t in inputs.items()}
    with visual.record() as recording:
        x, *args = inputs.values()
        print(args[0].sum().item(), args[1].item())  # cuts nothing
        solution = torchopt.minimize(objective, x, args=tuple(args), **options)
        outer = (solution.params + 1).square().sum()
        print(outer.item())
    found = by_name(visual.explain(outer, inputs, recording=recording))
    assert (found[leaf].kind, found[leaf].cause) == (kind, cause), found[leaf]
    words = {"number": "# cut", "start": "starts there", "not read": "does not read it"}
    assert words.get(cause, cause.replace(" ", "_")) in found[leaf].where + found[leaf].advice
    grads = torch.autograd.grad(outer, list(inputs.values()), allow_unused=True)
    for (name, other), grad in zip(found.items(), grads, strict=True):
        assert (grad is not None and bool(grad.any())) == (other.kind == "reached"), name
        assert other.kind != "reached" or other.cause in ("", "truncate", "first order"), other


# With a recording, the line that is at fault is named.
LOCATED = ("detach", "copy", "data", "no_grad", "in-place", "create_graph", "flat", "singular")


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


@pytest.mark.parametrize("inputs", [{}, {"a": 1.0}, []])
def test_inputs_without_tensors_are_refused(inputs: Any) -> None:
    with pytest.raises(TypeError, match="inputs"):
        visual.explain(scalar(1.0) * 2, inputs)


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


class NoGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> None:
        return None


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


NOT_FINITE = {
    "sqrt": (lambda x: x.sqrt().sum(), [0.0, 1.0], "singular", "sqrt"),
    "log": (lambda x: (x.log() * x).sum(), [0.0, 1.0], "forward", "mul"),
    "norm": (lambda x: (x - 1).square().sum().sqrt(), [1.0, 1.0], "singular", "sqrt"),
    "power": (lambda x: x.pow(0.5).sum(), [0.0, 2.0], "singular", "pow"),
    "quotient": (lambda x: (x / x.detach()).sum(), [0.0, 2.0], "singular", "div"),
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
    with visual.record():
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


def test_inside_of_torch_func_it_is_refused_and_outside_it_works() -> None:
    x = VALUES.clone().requires_grad_()

    def inner(t: torch.Tensor) -> torch.Tensor:
        visual.explain(t.sum(), t)
        return t.sum()

    with pytest.raises(RuntimeError, match=r"torch\.func"):
        torch.func.grad(inner)(x)
    batched = torch.func.vmap(lambda t: t.sin())(x)
    assert visual.explain(batched, {"x": x})[0].norm == pytest.approx(x.cos().norm().item())


def test_explanation_is_a_tuple_a_table_and_html() -> None:
    outputs, inputs, _ = frozen()
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


@pytest.mark.parametrize(("seed", "recorded"), diagonal(range(40), [False, True]))
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
