"""The picture: where boxes and wires go, what is folded, and a file that opens anywhere."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

import torchopt
from torchopt.visual import GradGraph, record
from torchopt.visual._picture import picture
from torchopt.visual.layout import BOX_HEIGHT, BOX_WIDTH, Cell, Picture, Row, Wire, lay_out

_SVG = "{http://www.w3.org/2000/svg}"


def _maml(steps: int, optimizer: str = "MetaSGD") -> GradGraph:
    """Return the graph of MAML with a network of two layers."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)).double()
    names = dict(net.named_parameters())
    inner = getattr(torchopt.optim, optimizer)(net, lr=0.1)
    x = torch.randn(5, 2, dtype=torch.float64)
    with record():
        for _ in range(steps):
            inner.step(net(x).square().mean())
        loss = net(x).sin().sum()
    return GradGraph(loss, names)


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


def _segments(path: tuple[tuple[float, float], ...]) -> list[tuple[float, float, float, float]]:
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


def test_many_steps_are_folded_and_all_are_in_the_picture(many_steps: GradGraph) -> None:
    drawn = picture(many_steps)
    titles = [row.title for row in drawn.rows]
    assert "inner steps 4-48" in titles
    assert {cell.times for cell in drawn.cells if cell.kind == "loss"} == {1, 45}
    assert len(drawn.cells) < 40
    phases = {g.id for g in many_steps.groups if g.kind in ("loss", "gradient", "update")}
    assert phases <= {group for cell in drawn.cells for group in cell.groups}


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
