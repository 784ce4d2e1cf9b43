"""The page, in a real browser without a window: what a user clicks, points at and types."""

from __future__ import annotations

import html
import itertools
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import nn

import torchopt
from _browser import Browser, Element
from torchopt.visual import GradGraph, record

pytestmark = pytest.mark.browser


def _maml(steps: int) -> GradGraph:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)).double()
    names = dict(net.named_parameters())
    inner = torchopt.MetaSGD(net, lr=0.1)
    x = torch.randn(5, 2, dtype=torch.float64)
    with record():
        for _ in range(steps):
            inner.step(net(x).square().mean())
        loss = net(x).sin().sum()
    return GradGraph(loss, names, gradients=True)


@pytest.fixture(scope="module")
def graph() -> GradGraph:
    return _maml(12)


@pytest.fixture
def page(browser: Browser, graph: GradGraph, tmp_path: Path) -> Iterator[Page]:
    page = Page(browser)
    page.open(graph, tmp_path)
    yield page
    assert browser.log() == []  # no errors, and nothing that the page may not load


class Page:
    """What a user sees and does."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser

    def open(self, graph: GradGraph, folder: Path) -> None:
        graph.to_html(folder / "graph.html")
        self.browser.open((folder / "graph.html").as_uri())
        assert self.one("html").attribute("data-ready") == "true"

    def all(self, selector: str) -> list[Element]:
        return [element for element in self.browser.all(selector) if element.is_displayed]

    def one(self, selector: str) -> Element:
        return self.browser.all(selector)[0]

    def box(self, row: int, kind: str) -> Element:
        """The box of a kind in the row of an inner step; rows are counted as drawn, from 1."""
        boxes = filter(lambda box: box.is_displayed, self.browser.all(f".tg-box.tg-{kind}"))
        return next(itertools.islice(boxes, row - 1, None))

    def point_at(self, element: Element) -> str:
        self.browser.point_at(element)
        return self.tip

    @property
    def tip(self) -> str:
        return self.one("#tip").text

    @property
    def title(self) -> str:
        return self.one("#details h2").text


def test_group_opens_on_click_and_shows_its_operations(page: Page, graph: GradGraph) -> None:
    page.box(2, "gradient").click()
    assert page.title == "inner step 2, gradient"
    (group,) = (g for g in graph.groups if (g.kind, g.step) == ("gradient", 2))
    shown = [int(row.attribute("data-node")) for row in page.all(".operation")]
    assert shown == list(group.nodes)
    inside = [e for e in graph.edges if e.source in group.nodes and e.target in group.nodes]
    assert len(page.browser.all(".arcs path")) == len(inside)
    assert "inner step 2, loss" in page.one(".near").text


def test_operations_show_shape_bytes_and_norm_under_the_pointer(
    page: Page, graph: GradGraph
) -> None:
    page.box(1, "loss").click()
    row = page.all(".operation")[0]
    node = graph.nodes[int(row.attribute("data-node"))]
    tip = page.point_at(row)
    assert node.type in tip
    assert f"({', '.join(map(str, node.outputs[0].shape))}" in tip
    assert "float64" in tip
    assert "saves" in tip
    assert graph.gradient_norms is not None
    assert f"gradient norm {graph.gradient_norms[node.id]:.1e}"[:17] in tip


def test_search_finds_a_parameter_and_opens_where_it_is(page: Page, graph: GradGraph) -> None:
    page.browser.press("/")
    page.browser.press("2.weight")
    found = page.all("#results button")
    assert found[0].text.startswith("2.weight")
    assert len(page.all(".tg-box.found")) > 1
    page.browser.press("\ue007")  # enter
    (node,) = (n.id for n in graph.nodes if n.kind == "leaf" and n.names[0][1] == "2.weight")
    assert page.one(".operation.found").attribute("data-node") == str(node)
    assert not page.all("#results button")


def test_every_folded_step_is_reachable(page: Page, graph: GradGraph) -> None:
    folded = [box for box in page.all(".tg-box.tg-loss") if "\u00d7" in box.text]
    assert len(folded) == 1
    folded[0].click()
    rows = page.all("#details tr")[1:]
    assert [row.text.split(" ")[2] for row in rows] == [str(k) for k in range(4, 11)]
    rows[3].all("button")[0].click()
    assert page.title.startswith("inner step 7, ")


def test_keyboard_alone_opens_groups(page: Page) -> None:
    page.browser.run("document.querySelector('.tg-box.tg-loss').focus()")
    assert "node" in page.tip
    page.browser.press("\ue014")  # right
    page.browser.press("\ue007")  # enter
    assert page.title == "inner step 1, gradient"
    page.browser.press("\ue015 ")  # down
    assert page.title == "inner step 2, gradient"
    page.browser.press("\ue00c")  # escape
    assert page.tip == ""


@pytest.mark.parametrize("width", [360, 800, 1600])
def test_page_is_not_wider_than_the_window(page: Page, width: int) -> None:
    assert page.browser.width_of_page(width) <= width


def test_names_are_never_markup(browser: Browser, tmp_path: Path) -> None:
    name = "</script><img src=x onerror=alert(1)>{{data}}"
    x = torch.ones(3, requires_grad=True)
    page = Page(browser)
    page.open(GradGraph(x.sin().sum(), {name: x}), tmp_path)
    page.one("#search").type("onerror")
    assert page.all("#results button")[0].text.startswith(name)
    assert not page.browser.all("img")
    assert browser.log() == []


# ---- without a browser


def test_page_is_one_file_that_loads_nothing(graph: GradGraph, tmp_path: Path) -> None:
    text = graph.to_html(tmp_path / "graph.html")
    assert os.listdir(tmp_path) == ["graph.html"]
    assert not re.search(r"<(script|img|iframe|link)[^>]*\s(src|href)=\"(?!data:,)", text)
    addresses = set(re.findall(r"https?://[^\"' )<]+", text))
    assert addresses == {"http://www.w3.org/2000/svg"}  # the name of SVG, which is not fetched
    assert "default-src 'none'" in text


def test_data_of_the_page_are_the_graph(graph: GradGraph) -> None:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', graph.to_html())
    assert found is not None
    data = json.loads(found[1])
    assert [node[0] for node in data["nodes"]] == [node.operation for node in graph.nodes]
    assert len(data["edges"]) == 3 * len(graph.edges)
    assert [group["label"] for group in data["groups"]] == [g.label for g in graph.groups]


def test_notebooks_get_the_page_in_a_frame_of_its_own(graph: GradGraph) -> None:
    found = re.fullmatch(r'<iframe [^>]*?srcdoc="([^"]*)"[^>]*></iframe>', graph._repr_html_())
    assert found is not None
    assert html.unescape(found[1]) == graph.to_html()
