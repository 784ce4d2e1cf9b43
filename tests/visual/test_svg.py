"""The picture: where boxes and wires go, what is folded, and a file that opens anywhere."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

import torchopt
from torchopt.visual import GradGraph
from torchopt.visual._picture import picture
from torchopt.visual.data import Edge, Group, Node, Output
from torchopt.visual.layout import BOX_HEIGHT, BOX_WIDTH, Cell, Picture, Row, Wire, lay_out
from torchopt.visual.svg import draw

_SVG = "{http://www.w3.org/2000/svg}"


def _maml(steps: int, optimizer: str = "MetaSGD") -> GradGraph:
    """Return the graph of MAML with a network of two layers."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)).double()
    names = dict(net.named_parameters())
    inner = getattr(torchopt, optimizer)(net, lr=0.1)
    x = torch.randn(5, 2, dtype=torch.float64)
    for _ in range(steps):
        inner.step(net(x).square().mean())
    return GradGraph(net(x).sin().sum(), names)


@pytest.fixture(scope="module")
def five_steps() -> GradGraph:
    return _maml(5)


@pytest.fixture(scope="module")
def many_steps() -> GradGraph:
    return _maml(50)


# ---- the layout, of grids that are drawn at random


@st.composite
def _pictures(draw: st.DrawFn) -> Picture:
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    places = [(row, column) for row in range(rows) for column in range(columns)]
    chosen = draw(st.lists(st.sampled_from(places), min_size=1, max_size=12, unique=True))
    cells = tuple(Cell(*place, "loss", "a", "b", "c", (0,), (0,)) for place in sorted(chosen))
    pairs = [(a, b) for a in range(len(cells)) for b in range(len(cells)) if a != b]
    wanted = draw(st.lists(st.sampled_from(pairs), max_size=24, unique=True)) if pairs else []
    panels = tuple(Row("step", "", draw(st.sampled_from([-1, 0])), k) for k in range(rows))
    return Picture("title", "", panels, cells, tuple(Wire(a, b, 1) for a, b in wanted))


def _segments(
    path: tuple[tuple[float, float], ...],
) -> list[tuple[float, float, float, float]]:
    return [
        (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
        for (x1, y1), (x2, y2) in pairwise(path)
        if (x1, y1) != (x2, y2)
    ]


@given(_pictures())
def test_boxes_do_not_overlap_and_lie_in_the_picture(shown: Picture) -> None:
    places = lay_out(shown)
    for x, y in places.boxes:
        assert 0 <= x <= places.width - BOX_WIDTH
        assert 0 <= y <= places.height - BOX_HEIGHT
    for (x1, y1), (x2, y2) in combinations(places.boxes, 2):
        assert abs(x1 - x2) >= BOX_WIDTH or abs(y1 - y2) >= BOX_HEIGHT


@given(_pictures())
def test_wires_join_their_boxes_and_run_through_none(shown: Picture) -> None:
    places = lay_out(shown)
    for wire, path in zip(shown.wires, places.paths, strict=True):
        for (x, y), box in ((path[0], wire.source), (path[-1], wire.target)):
            left, top = places.boxes[box]
            assert left <= x <= left + BOX_WIDTH
            assert top <= y <= top + BOX_HEIGHT
        for x1, y1, x2, y2 in _segments(path):
            assert x1 == x2 or y1 == y2
            assert x1 >= 0
            assert x2 <= places.width
            assert y1 >= 0
            assert y2 <= places.height
            for left, top in places.boxes:
                beside = x2 <= left or x1 >= left + BOX_WIDTH
                above = y2 <= top or y1 >= top + BOX_HEIGHT
                assert beside or above


@given(_pictures())
def test_wires_run_on_top_of_each_other_only_if_they_come_from_one_box(shown: Picture) -> None:
    places = lay_out(shown)
    drawn = [
        (wire.source, segment)
        for wire, path in zip(shown.wires, places.paths, strict=True)
        for segment in _segments(path)
    ]
    for (source, s), (other, t) in combinations(drawn, 2):
        if source == other:
            continue
        for axis in (0, 1):
            along = s[axis] == s[axis + 2] == t[axis] == t[axis + 2]
            shared = min(s[3 - axis], t[3 - axis]) - max(s[1 - axis], t[1 - axis])
            assert not along or shared <= 0


# ---- what is drawn


def test_every_operation_is_in_one_box(five_steps: GradGraph) -> None:
    shown = Counter(n for cell in picture(five_steps).cells for n in cell.nodes)
    assert shown == Counter(node.id for node in five_steps.nodes)


def test_wires_count_the_tensors_between_boxes(five_steps: GradGraph) -> None:
    drawn = picture(five_steps)
    box_of = {n: k for k, cell in enumerate(drawn.cells) for n in cell.nodes}
    flows = {
        (box_of[e.source], box_of[e.target], e.source, e.output)
        for e in five_steps.edges
        if box_of[e.source] != box_of[e.target]
    }
    expected = Counter((a, b) for a, b, _, _ in flows)
    assert {(w.source, w.target): w.tensors for w in drawn.wires} == dict(expected)


def test_rows_are_inner_steps_and_columns_are_phases(five_steps: GradGraph) -> None:
    drawn = picture(five_steps)
    titles = [row.title for row in drawn.rows if row.title.startswith("inner step")]
    assert titles == [f"inner step {k}" for k in range(1, 6)]
    columns: dict[str, set[int]] = {}
    for cell in drawn.cells:
        if cell.kind in ("loss", "gradient", "update", "params"):
            columns.setdefault(cell.kind, set()).add(cell.column)
    assert all(len(found) == 1 for found in columns.values())


def test_start_of_the_inner_parameters_is_one_box_with_their_names(five_steps: GradGraph) -> None:
    inputs = [cell for cell in picture(five_steps).cells if cell.kind == "inputs"]
    assert [cell.title for cell in inputs] == ["4 parameters"]
    for name in ("0.weight", "0.bias", "2.weight", "2.bias"):
        assert name in inputs[0].tooltip


def test_many_steps_are_folded_and_all_are_in_the_picture(many_steps: GradGraph) -> None:
    drawn = picture(many_steps)
    titles = [row.title for row in drawn.rows]
    assert "inner steps 4-48" in titles
    assert {cell.times for cell in drawn.cells if cell.kind == "loss"} == {1, 45}
    assert len(drawn.cells) < 40
    phases = {g.id for g in many_steps.groups if g.kind in ("loss", "gradient", "update")}
    assert phases <= {group for cell in drawn.cells for group in cell.groups}


class _Drawing:
    """A graph of one node for each phase, put together by hand."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self.groups: list[Group] = []

    def group(self, parent: int | None, kind: str, step: int | None, label: str) -> int:
        self.groups.append(Group(len(self.groups), parent, kind, step, label, (), 0))
        return len(self.groups) - 1

    def node(self, group: int, *inputs: int, kind: str = "operation") -> int:
        k = len(self.nodes)
        output = Output((2,), "float32", "cpu")
        self.nodes.append(Node(k, kind, "mul", "MulBackward0", (output,), (), 8, None, group))
        self.edges += [Edge(source, 0, k, number) for number, source in enumerate(inputs)]
        return k

    def step(self, parent: int | None, number: int, label: str) -> dict[str, int]:
        """Add the groups of a step; return them by kind."""
        step = self.group(parent, "step", number, label)
        kinds = ("loss", "gradient", "update", "params")
        return {kind: self.group(step, kind, number, kind) for kind in kinds}

    def unroll(self, parent: int | None, start: int, steps: int, prefix: str = "") -> list[int]:
        """Add inner steps; return their nodes, of which the last are the parameters at the end."""
        made = [start]
        for number in range(1, steps + 1):
            at = self.step(parent, number, f"{prefix}inner step {number}")
            loss = self.node(at["loss"], made[-1])
            update = self.node(at["update"], self.node(at["gradient"], loss, made[-1]))
            made += [loss, self.node(at["params"], made[-1], update)]
        return made

    def picture(self) -> Picture:
        groups = [
            replace(g, nodes=tuple(n.id for n in self.nodes if n.group == g.id))
            for g in self.groups
        ]
        children = {g.id: [inner for inner in groups if inner.parent == g.id] for g in groups}
        children |= {None: [g for g in groups if g.parent is None]}
        graph: Any = SimpleNamespace(
            nodes=self.nodes, edges=self.edges, groups=groups, freed=False, _children=children
        )
        return picture(graph)


def _three_levels(outer_steps: int, inner_steps: int) -> Picture:
    made = _Drawing()
    inputs = made.group(None, "inputs", None, "inputs")
    inner, middle = made.node(inputs, kind="leaf"), made.node(inputs, kind="leaf")
    for number in range(1, outer_steps + 1):
        at = made.step(None, number, f"middle step {number}")
        reads = made.unroll(at["loss"], made.node(at["loss"], inner, middle), inner_steps)
        gradient = made.node(at["gradient"], made.node(at["loss"], reads[-1]), *reads)
        middle = made.node(at["params"], middle, made.node(at["update"], gradient))
    made.node(made.group(None, "outer", None, "outer loss"), middle)
    return made.picture()


def test_inner_steps_lie_within_the_panel_of_their_outer_step() -> None:
    drawn = _three_levels(2, 3)
    titles = [row.title for row in drawn.rows]
    steps = ["inner step 1", "inner step 2", "inner step 3", ""]
    assert titles == ["inputs", "middle step 1", *steps, "middle step 2", *steps, "outer loss"]
    panels = {row: (x, y, x + w, y + h) for row, x, y, w, h in lay_out(drawn).panels}
    for outer, inner in ((1, 2), (1, 4), (6, 7), (6, 9)):
        (a, b, c, d), (x, y, z, w) = panels[outer], panels[inner]
        assert a < x
        assert b < y
        assert z < c
        assert w < d


def test_levels_are_folded_each_for_itself() -> None:
    drawn = _three_levels(12, 12)
    titles = [row.title for row in drawn.rows]
    assert titles.count("inner steps 4-10") == 6
    assert [title for title in titles if title.startswith("middle")] == [
        "middle step 1",
        "middle step 2",
        "middle step 3",
        "middle steps 4-10",
        "middle step 11",
        "middle step 12",
    ]
    folded = [cell.times for cell in drawn.cells if cell.kind == "update"]
    assert max(folded) == 7 * 7
    assert sum(folded) == 12 * 12 + 12


def test_many_tasks_are_drawn_as_one() -> None:
    made = _Drawing()
    start = made.node(made.group(None, "inputs", None, "inputs"), kind="leaf")
    ends = [made.unroll(None, start, 2, f"task {task}, ")[-1] for task in range(1, 26)]
    made.node(made.group(None, "outer", None, "outer loss"), *ends)
    drawn = made.picture()
    titles = [row.title for row in drawn.rows]
    assert titles == ["inputs", "25 tasks, inner step 1", "25 tasks, inner step 2", "outer loss"]
    assert {cell.times for cell in drawn.cells if cell.kind == "loss"} == {25}


def test_twenty_steps_of_adam_are_fewer_than_a_hundred_boxes() -> None:
    graph = _maml(20, "MetaAdam")
    assert sum(group.kind == "step" for group in graph.groups) == 20
    assert len(picture(graph).cells) < 100


def test_graph_without_steps_is_drawn_operation_by_operation() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    drawn = picture(GradGraph((x.sin() * x.cos()).sum(), {"x": x}))
    assert {cell.title for cell in drawn.cells} == {"x", "sin", "cos", "mul", "sum"}
    rows = {cell.title: cell.row for cell in drawn.cells}
    assert rows["x"] < rows["sin"] == rows["cos"] < rows["mul"] < rows["sum"]


def test_sum_of_many_leaves_is_not_drawn_as_one_long_row() -> None:
    leaves = [torch.ones(2, requires_grad=True) for _ in range(20)]
    drawn = picture(GradGraph(torch.stack(leaves).sum()))
    assert max(cell.column for cell in drawn.cells) < 6
    assert {len(cell.nodes) for cell in drawn.cells} == {20, 2}


def test_custom_function_stands_apart_from_the_outer_loss() -> None:
    class Solve(torch.autograd.Function):
        @staticmethod
        def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: object, grad: torch.Tensor) -> torch.Tensor:
            return grad * 2

    x = torch.ones(2, requires_grad=True)
    z = x
    for _ in range(40):
        z = z.sin()
    drawn = picture(GradGraph(Solve.apply(z).cos().sum(), {"x": x}))
    titles = [cell.title for cell in sorted(drawn.cells, key=lambda cell: cell.row)]
    assert titles[0] == "x"
    assert titles.index("before") < titles.index("Solve") < len(titles) - 1


def test_long_chain_is_drawn() -> None:
    x = torch.ones(2, requires_grad=True)
    z = x
    for _ in range(5_000):
        z = z.sin()
    text = GradGraph(z.sum(), {"x": x}).to_svg()
    assert "5,001 operations" in text
    assert len(text) < 5_000


# ---- the file


def test_svg_is_accessible_xml_that_loads_nothing(five_steps: GradGraph, tmp_path: Path) -> None:
    text = five_steps.to_svg(tmp_path / "graph.svg")
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8") == text
    root = ElementTree.fromstring(text)
    assert root.tag == f"{_SVG}svg"
    assert root.get("role") == "img"
    title, description = root.findtext(f"{_SVG}title"), root.findtext(f"{_SVG}desc")
    assert title
    assert title.startswith("5 inner steps")
    assert description
    assert "inner step 3" in description
    assert not re.search(r"https?:|url\(|@import|<script|\bid=", text.replace(_SVG[1:-1], ""))


def test_every_wire_and_box_tells_what_it_is(five_steps: GradGraph) -> None:
    root = ElementTree.fromstring(five_steps.to_svg())
    drawn = picture(five_steps)
    boxes = [g for g in root.iter(f"{_SVG}g") if "tg-box" in (g.get("class") or "")]
    wires = [g for g in root.iter(f"{_SVG}g") if "tg-wire" in (g.get("class") or "")]
    assert [g.findtext(f"{_SVG}title") for g in boxes] == [cell.tooltip for cell in drawn.cells]
    assert len(wires) == len(drawn.wires)
    assert all("tensor" in (g.findtext(f"{_SVG}title") or "") for g in wires)


def test_names_are_text_whatever_they_contain() -> None:
    name = "<b> & \"w\" \x00\x1b 'θ'"
    x = torch.ones(2, requires_grad=True)
    root = ElementTree.fromstring(GradGraph(x.sin().sum(), {name: x}).to_svg())
    assert any('<b> & "w"' in (text.text or "") for text in root.iter(f"{_SVG}text"))


def test_colours_have_a_dark_set(five_steps: GradGraph) -> None:
    light, dark = five_steps.to_svg().split("@media(prefers-color-scheme:dark)")
    for kind in ("inputs", "loss", "gradient", "update", "params", "outer"):
        assert f".tg-{kind} rect" in light
        assert f".tg-{kind} rect" in dark


def test_notebooks_get_the_same_picture(five_steps: GradGraph) -> None:
    assert five_steps._repr_svg_() == five_steps.to_svg() == draw(picture(five_steps))


def test_freed_graph_says_so_instead_of_bytes() -> None:
    x = torch.ones(2, requires_grad=True)
    loss = x.sin().cos().sum()
    loss.backward()
    assert "freed" in GradGraph(loss, {"x": x}).to_svg()


def test_output_without_a_graph_gives_an_empty_picture() -> None:
    ElementTree.fromstring(GradGraph(torch.ones(2)).to_svg())
