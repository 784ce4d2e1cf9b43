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
    for _ in range(steps):
        inner.step(net(x).square().mean())
    return GradGraph(net(x).sin().sum(), names, gradients=True)


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


def test_boxes_show_shapes_under_the_pointer_and_light_their_wires(page: Page) -> None:
    tip = page.point_at(page.box(1, "inputs"))
    assert "0.weight (3, 2) float64" in tip
    assert page.all(".tg.dim .tg-wire.lit")
    page.point_at(page.one("h1"))
    assert page.tip == ""
    assert not page.all(".tg.dim")


def test_source_lines_are_shown_where_they_were_recorded(browser: Browser, tmp_path: Path) -> None:
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        x = torch.ones(3, requires_grad=True)
        loss = x.sin().sum()
    page = Page(browser)
    page.open(GradGraph(loss, {"x": x}), tmp_path)
    assert "loss = x.sin().sum()" in page.point_at(page.box(1, "outer"))
    assert browser.log() == []


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


def test_search_that_finds_nothing_says_so(page: Page) -> None:
    page.one("#search").type("nowhere")
    assert page.one("#results").text == "nothing found"


def test_every_folded_step_is_reachable(page: Page, graph: GradGraph) -> None:
    folded = [box for box in page.all(".tg-box.tg-loss") if "\u00d7" in box.text]
    assert len(folded) == 1
    folded[0].click()
    rows = page.all("#details tr")[1:]
    assert [row.text.split(" ")[2] for row in rows] == [str(k) for k in range(4, 11)]
    rows[3].all("button")[0].click()
    assert page.title.startswith("inner step 7, ")


def test_all_inner_steps_are_listed_at_the_start(page: Page) -> None:
    assert page.title == "all inner steps"
    assert len(page.all("#details tr")) == 1 + 12


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


def test_every_box_is_a_button_with_a_name(page: Page) -> None:
    for box in page.all(".tg-box"):
        assert box.attribute("role") == "button"
        assert box.attribute("tabindex") == "0"
        assert "node" in box.attribute("aria-label")


def test_colours_are_those_of_gradient_norms_if_wanted(page: Page, graph: GradGraph) -> None:
    before = page.box(1, "update").all("rect")[0].attribute("style")
    page.one("#by-norm").click()
    assert page.one("#legend").is_displayed
    assert graph.gradient_norms is not None
    for kind in ("loss", "update", "outer"):
        assert re.search(r"norm \d\.\de[+-]\d", page.box(1, kind).text)
        assert "fill" in page.box(1, kind).all("rect")[0].attribute("style")
    page.one("#by-norm").click()
    after = page.box(1, "update").all("rect")[0].attribute("style")
    assert after == before == ""


def test_norm_of_the_start_is_the_norm_of_the_gradient(page: Page, graph: GradGraph) -> None:
    assert graph.gradient_norms is not None
    leaves = [n.id for n in graph.nodes if n.kind == "leaf"]
    total = sum(graph.gradient_norms[n] ** 2 for n in leaves) ** 0.5
    tip = page.point_at(page.box(1, "inputs"))
    shown = float(re.search(r"gradient norm (\S+)", tip)[1])  # type: ignore[index]
    assert shown == pytest.approx(total, rel=0.05)


@pytest.mark.parametrize("width", [360, 800, 1600])
def test_page_is_not_wider_than_the_window(page: Page, width: int) -> None:
    assert page.browser.width_of_page(width) <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_follows_the_colours_of_the_system(page: Page, scheme: str) -> None:
    feature = {"name": "prefers-color-scheme", "value": scheme}
    page.browser.devtools("Emulation.setEmulatedMedia", features=[feature])
    script = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    grounds = [
        page.browser.run(script, selector, which)
        for selector, which in (("body", "backgroundColor"), (".tg-paper", "fill"))
    ]
    assert grounds[0] == grounds[1]
    bright = sum(map(int, re.findall(r"\d+", grounds[0])))
    assert (bright > 600) == (scheme == "light")
    page.browser.devtools("Emulation.setEmulatedMedia", features=[])


def test_long_groups_are_shown_in_portions(browser: Browser, tmp_path: Path) -> None:
    x = torch.ones(2, requires_grad=True)
    z = x
    for _ in range(1000):
        z = z.sin()
    page = Page(browser)
    page.open(GradGraph(z.sum(), {"x": x}), tmp_path)
    before = len(page.browser.all(".operation"))
    assert 0 < before < 1000
    browser.run("document.querySelector('.scroll > button').click()")
    assert before < len(page.browser.all(".operation")) <= 1001
    assert browser.log() == []


def test_zero_and_infinite_norms_are_told_apart(browser: Browser, tmp_path: Path) -> None:
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    y = torch.tensor([2.0], requires_grad=True)
    graph = GradGraph((x.sqrt().sum() + (y * 0.0).sum()), {"x": x, "y": y}, gradients=True)
    page = Page(browser)
    page.open(graph, tmp_path)
    page.one("#by-norm").click()
    texts = [box.text for box in page.all(".tg-box")]
    assert any("x" in text and "norm Infinity" in text for text in texts)
    assert any("y" in text and "norm 0" in text for text in texts)
    assert browser.log() == []


def test_names_are_never_markup(browser: Browser, tmp_path: Path) -> None:
    name = "</script><img src=x onerror=alert(1)>{{data}}"
    x = torch.ones(3, requires_grad=True)
    page = Page(browser)
    page.open(GradGraph(x.sin().sum(), {name: x}), tmp_path)
    page.one("#search").type("onerror")
    assert page.all("#results button")[0].text.startswith(name)
    assert not page.browser.all("img")
    assert browser.log() == []


def test_empty_graph_is_an_empty_page(browser: Browser, tmp_path: Path) -> None:
    page = Page(browser)
    page.open(GradGraph({"x": torch.ones(3)}), tmp_path)
    assert not page.all(".tg-box")
    assert "does not require grad" in page.one("#notes").text
    assert browser.log() == []


def test_inner_steps_of_outer_steps_are_listed_within_them(
    browser: Browser, tmp_path: Path
) -> None:
    from examples.graph import trilevel

    with record():
        problem = trilevel(outer_steps=2, inner_steps=9)  # the fewest that are folded
    graph = GradGraph(problem.loss, problem.inputs)
    page = Page(browser)
    page.open(graph, tmp_path)
    assert len(page.all("#details tr")) == 1 + 2 * (1 + 9) + 9
    # What is not displayed has no text.
    folded = next(box for box in browser.all(".tg-box.tg-update") if "\u00d7" in box.text)
    folded.click()
    assert len(page.all("#details tr")) == 1 + 4
    page.all("#details td button")[0].click()
    assert "middle step 1" in page.title
    assert "inner step 4" in page.title
    assert browser.log() == []


def test_notes_are_shown(browser: Browser, tmp_path: Path) -> None:
    x = torch.ones(3, requires_grad=True)
    loss = x.sin().sum()
    loss.backward()
    graph = GradGraph(loss)
    page = Page(browser)
    page.open(graph, tmp_path)
    assert graph.notes[0] in page.one("#notes").text
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
