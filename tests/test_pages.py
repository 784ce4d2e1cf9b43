"""The documentation as it is built, opened in a real browser that has no network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from _browser import Browser

pytestmark = [pytest.mark.slow, pytest.mark.browser]

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built pages."""
    folder = tmp_path_factory.mktemp("pages")
    command = [sys.executable, "-m", "sphinx", "-q", "--fail-on-warning", "-b", "html"]
    subprocess.run([*command, "docs", str(folder)], cwd=ROOT, check=True)
    return folder


def test_formulas_are_typeset_without_a_network(pages: Path, browser: Browser) -> None:
    count = 0
    for page in sorted(pages.rglob("*.html")):
        if 'class="math' not in page.read_text(encoding="utf-8"):
            continue
        browser.open(page.as_uri())
        text = browser.run("return MathJax.startup.promise.then(() => document.body.innerText)")
        assert "\\(" not in text, page
        assert "\\[" not in text, page
        formulas = browser.run("return document.querySelectorAll('.math').length")
        typeset = browser.run("return document.querySelectorAll('.math > mjx-container').length")
        assert typeset == formulas > 0, page
        assert browser.all("mjx-merror, [data-mml-node=merror]") == [], page
        count += formulas
    assert count > 100


@pytest.mark.parametrize("page", ["index", "concepts", "faq", "api/minimize", "api/names"])
def test_pages_load_files_only(pages: Path, browser: Browser, page: str) -> None:
    browser.open((pages / f"{page}.html").as_uri())
    selector = "script[src], img[src], link[rel=stylesheet], link[rel=icon]"
    script = "return [...document.querySelectorAll(arguments[0])].map(e => e.src || e.href)"
    loaded = browser.run(script, selector)
    assert loaded
    assert [address for address in loaded if not address.startswith("file:")] == []
    assert browser.log() == []  # nothing that could not be loaded later, either


@pytest.mark.parametrize("page", ["index", "examples", "concepts", "api/minimize", "faq"])
@pytest.mark.parametrize("width", [360, 800, 1600])
def test_pages_are_not_wider_than_the_window(
    pages: Path, browser: Browser, page: str, width: int
) -> None:
    browser.open((pages / f"{page}.html").as_uri())
    assert browser.width_of_page(width) <= width


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("MAML", "tutorials/maml"),
        ("LOLA", "tutorials/lola"),
        ("MeZO", "tutorials/mezo"),
        ("solve_cg", "api/names"),
    ],
)
def test_a_search_finds_the_page_first(
    pages: Path, browser: Browser, words: str, page: str
) -> None:
    browser.open(f"{(pages / 'search.html').as_uri()}?q={words}")
    first = browser.run(
        """return new Promise(done => {
             const look = () => {
               const link = document.querySelector('#search-results li a');
               link ? done(link.getAttribute('href')) : setTimeout(look, 20);
             };
             look();
           })"""
    )
    assert first.partition("#")[0].partition("?")[0] == f"{page}.html"
