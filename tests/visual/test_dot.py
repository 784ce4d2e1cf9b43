"""make_dot: what the published one drew, and what it crashed on. The program ``dot`` is not needed."""

from __future__ import annotations

import re
import sys
from collections import Counter
from types import MappingProxyType
from typing import Any

import pytest
import torch
from torch import nn

import torchopt
from torchopt.visual import make_dot, resize_graph

pytest.importorskip("graphviz", reason="the extra `viz` is not installed")

Nodes = dict[str, dict[str, str]]
Edges = Counter[tuple[str, str, str]]


def _read(dot: Any) -> tuple[Nodes, Edges]:
    """Return the attributes of each node, and the edges by the labels of their ends."""
    nodes: Nodes = {}
    lines = []
    for line in dot.body:
        found = re.fullmatch(r"\t(\S+)(?: -> (\S+))?(?: \[(.*)\])?\n", line, re.DOTALL)
        assert found is not None, line
        name, target, text = found[1], found[2], found[3] or ""
        pairs = re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)', text, re.DOTALL)
        attributes = {key: value.strip('"') for key, value in pairs}
        if target:
            lines.append((name, target, attributes.get("dir", attributes.get("style", ""))))
        else:
            nodes[name] = attributes
    edges = Counter((nodes[a]["label"], nodes[b]["label"], kind) for a, b, kind in lines)
    return nodes, edges


def _labels(dot: Any, colour: str | None = None) -> Counter[str]:
    nodes, _ = _read(dot)
    return Counter(n["label"] for n in nodes.values() if n.get("fillcolor") == colour)


@pytest.fixture
def w() -> torch.Tensor:
    return torch.tensor([0.3, -1.2, 2.0], dtype=torch.float64, requires_grad=True)


@pytest.fixture
def net() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))


def test_network_is_drawn_as_the_published_package_draws_it(net: nn.Sequential) -> None:
    dot = make_dot(net(torch.randn(5, 3)).square().mean(), dict(net.named_parameters()))
    nodes, edges = _read(dot)
    assert Counter(node["label"] for node in nodes.values()) == Counter(
        {
            "0.weight\n(4, 3)": 1,
            "0.bias\n(4)": 1,
            "2.weight\n(2, 4)": 1,
            "2.bias\n(2)": 1,
            "AccumulateGrad": 4,
            "TBackward0": 2,
            "AddmmBackward0": 2,
            "TanhBackward0": 1,
            "PowBackward0": 1,
            "MeanBackward0": 1,
            "\n()": 1,
        }
    )
    assert _labels(dot, "lightblue").keys() == {
        "0.weight\n(4, 3)",
        "0.bias\n(4)",
        "2.weight\n(2, 4)",
        "2.bias\n(2)",
    }
    assert _labels(dot, "darkolivegreen1") == {"\n()": 1}
    assert edges["AccumulateGrad", "TBackward0", ""] == 2
    assert edges["TBackward0", "AddmmBackward0", ""] == 2
    assert edges["AddmmBackward0", "TanhBackward0", ""] == 1
    assert edges["TanhBackward0", "AddmmBackward0", ""] == 1
    assert edges["MeanBackward0", "\n()", ""] == 1
    assert edges.total() == 4 + 2 + 2 + 2 + 5


@pytest.mark.parametrize(
    "wrap",
    [lambda a, b: [a, b], lambda a, b: (a, b), lambda a, b: {"a": a, "b": [b]}],
    ids=["list", "tuple", "dict"],
)
def test_outputs_may_be_a_tree(w: torch.Tensor, wrap: Any) -> None:
    a, b = w.sin(), w.cos().sum()
    assert _labels(make_dot(wrap(a, b)), "darkolivegreen1") == {"\n(3)": 1, "\n()": 1}


def test_view_is_joined_to_what_it_views(w: torch.Tensor) -> None:
    base = w * 2
    dot = make_dot(base.view(3, 1), {"w": w, "base": base})
    _, edges = _read(dot)
    assert _labels(dot, "darkolivegreen3") == {"base\n(3)": 1}
    assert edges["base\n(3)", "\n(3, 1)", "dotted"] == 1
    assert edges["MulBackward0", "base\n(3)", ""] == 1


def test_attributes_are_listed_and_shortened(w: torch.Tensor) -> None:
    loss = w.reshape(1, 1, 3).expand(2, 4, 3).sum()
    label = next(s for s in _labels(make_dot(loss, show_attrs=True)) if "Sum" in s)
    assert label.splitlines() == ["SumBackward0", "-" * 25, "self_sym_sizes: (2, 4, 3)"]
    label = next(s for s in _labels(make_dot(loss, None, True, False, 5)) if "Sum" in s)
    assert label.splitlines()[2] == "self_sym_sizes: (2..."
    assert "[saved tensor]" in make_dot(w.sin(), show_attrs=True).source


def test_saved_tensors_are_drawn_if_wanted(w: torch.Tensor) -> None:
    loss = (w.exp() * w.cos()).sum()
    assert not _labels(make_dot(loss, {"w": w}), "orange")
    dot = make_dot(loss, {"w": w}, show_saved=True)
    assert _labels(dot, "orange") == {"result\n(3)": 1, "self\n(3)": 1, "other\n(3)": 1}
    _, edges = _read(dot)
    assert edges["ExpBackward0", "result\n(3)", "none"] == 1
    assert edges["CosBackward0", "w\n(3)", "none"] == 1  # a saved leaf is the leaf


class _Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return 2 * ctx.saved_tensors[0] * grad


def test_graph_that_backward_has_freed_is_drawn_and_says_so(w: torch.Tensor) -> None:
    loss = _Square.apply(w.exp()).sum()
    loss.backward()
    dot = make_dot(loss, {"w": w}, show_attrs=True, show_saved=True)
    assert _labels(dot).keys() >= {"_SquareBackward"}
    assert "has freed" in dot.source
    assert "has freed" not in make_dot(w.exp(), show_saved=True).source


def test_inner_states_are_named_also_after_a_fused_step() -> None:
    net = nn.Linear(2, 1)
    optimizer = torchopt.MetaAdam(net, lr=0.1, use_accelerated_op=True)
    states = []
    for k in range(3):
        states.append(
            torchopt.extract_state_dict(net, enable_visual=True, visual_prefix=f"step{k}.")
        )
        optimizer.step(net(torch.ones(3, 2)).square().mean())
    blue = "\n".join(_labels(make_dot(net(torch.ones(1, 2)).sum(), states), "lightblue"))
    for k in range(3):
        assert f"step{k}.weight\n(1, 2)" in blue
        assert f"step{k}.bias\n(1)" in blue


def test_names_are_text_whatever_they_contain(w: torch.Tensor) -> None:
    source = make_dot(w.sin(), {'<b>\\n "w"': w}).source
    assert r'label="<b>\\n \"w\"' in source


def test_missing_extra_names_the_command(monkeypatch: pytest.MonkeyPatch, w: torch.Tensor) -> None:
    monkeypatch.setitem(sys.modules, "graphviz", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "torchopt-diff\[viz\]"'):
        make_dot(w.sin())


def test_params_in_each_published_form_give_the_same_names(net: nn.Sequential) -> None:
    x = torch.randn(5, 3)
    loss = net(x).square().mean()
    state = torchopt.extract_state_dict(net, enable_visual=True, visual_prefix="net.")
    named = {f"net.{name}": p for name, p in net.named_parameters()}
    expected = _labels(make_dot(loss, {**named, "loss": loss}), "lightblue")
    assert expected["net.0.weight\n(4, 3)"] == 1
    for params in (
        [state, {"loss": loss}],
        (state, {loss: "loss"}),
        [(pair for pair in named.items()), {"loss": loss}],
        [MappingProxyType(named), {loss: "loss"}],
        {**{p: name for name, p in named.items()}, loss: "loss"},
    ):
        assert _labels(make_dot(loss, params), "lightblue") == expected


def test_the_name_of_a_function_lists_what_it_saved(w: torch.Tensor) -> None:
    power = (w**3).grad_fn
    get_fn_name: Any = torchopt.visual.get_fn_name  # a published name
    assert get_fn_name(power, False, 50) == "PowBackward0"
    assert re.search(r"exponent *: *3", get_fn_name(power, True, 50))


def test_graph_grows_with_its_content(w: torch.Tensor) -> None:
    dot = make_dot(w.sin().sum())
    assert dot.graph_attr["size"] == "12.0,12.0"
    resize_graph(dot, size_per_element=2.0, min_size=1.0)
    assert dot.graph_attr["size"] == f"{2.0 * len(dot.body)},{2.0 * len(dot.body)}"
