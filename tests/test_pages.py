"""The documentation as it is built, opened in a real browser that has no network."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
from filelock import FileLock

import torchopt
from _browser import Browser

pytestmark = [pytest.mark.slow, pytest.mark.browser]

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def pages(testrun_uid: str) -> Path:
    """The folder of the built pages: those of ``make docs``, where the environment says so."""
    if built_before := os.environ.get("TORCHOPT_PAGES"):
        return ROOT / built_before
    folder = ROOT / "docs" / "_build" / "tested"
    built = folder.with_suffix(".run")
    built.parent.mkdir(exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):  # the first process builds, for all
        if not built.exists() or built.read_text() != testrun_uid:
            command = [sys.executable, "-m", "sphinx", "-E", "-a", "-q", "--fail-on-warning"]
            subprocess.run([*command, "docs", str(folder)], cwd=ROOT, check=True)
            built.write_text(testrun_uid)
    return folder


WIDTHS = (360, 800, 1280, 1600)


def test_formulas_are_typeset_without_a_network(
    pages: Path, browser: Browser, tmp_path: Path
) -> None:
    """Those of all pages, on one: each page takes a second to open."""
    formulas = [
        match[0]
        for page in sorted(pages.rglob("*.html"))
        for match in re.finditer(r'<(span|div) class="math[\s\S]*?</\1>', page.read_text("utf-8"))
    ]
    page = (pages / "concepts.html").read_text("utf-8")
    scripts = re.findall(r"<script[\s\S]*?</script>", page)
    head = f'<!DOCTYPE html><head><base href="{pages.as_uri()}/"></head>'
    (tmp_path / "all.html").write_text("\n".join([head, *formulas, *scripts]), "utf-8")
    browser.open((tmp_path / "all.html").as_uri())
    text = browser.run("return MathJax.startup.promise.then(() => document.body.innerText)")
    assert "\\(" not in text
    assert "\\[" not in text
    typeset = browser.run("return document.querySelectorAll('.math > mjx-container').length")
    assert typeset == len(formulas) > 100
    assert browser.all("merror, mjx-merror, [data-mml-node=merror]") == []


@pytest.mark.parametrize(
    "page", ["index", "examples", "concepts", "api/minimize", "api/names", "faq", "gallery"]
)
def test_pages_load_files_only_and_fit_the_window(pages: Path, browser: Browser, page: str) -> None:
    browser.open((pages / f"{page}.html").as_uri())
    assert f"TorchOpt {torchopt.__version__}" in browser.run("return document.body.innerText")
    selector = "script[src], img[src], link[rel=stylesheet], link[rel=icon]"
    script = "return [...document.querySelectorAll(arguments[0])].map(e => e.src || e.href)"
    loaded = browser.run(script, selector)
    assert loaded
    assert [address for address in loaded if not address.startswith("file:")] == []
    assert [w for w in WIDTHS if page != "api/names" and browser.width_of_page(w) > w] == []
    assert browser.log() == []  # nothing that could not be loaded later, either


NOTEBOOKS = sorted(
    page.relative_to(ROOT / "docs").with_suffix("").as_posix()
    for page in (ROOT / "docs" / "tutorials").glob("*.md")
    if "{code-cell}" in page.read_text(encoding="utf-8")
)
LOADED = "return arguments[0].complete && arguments[0].naturalWidth > 0"


def test_each_notebook_has_a_card_with_its_picture(pages: Path, browser: Browser) -> None:
    browser.open((pages / "gallery.html").as_uri())
    cards = browser.all(".sd-card")
    links = [card.all("a")[0].attribute("href") for card in cards]
    assert sorted(link.removesuffix(".html") for link in links) == NOTEBOOKS
    for card, link in zip(cards, links, strict=True):
        (picture,) = card.all("img")
        assert browser.run(LOADED, picture), link
        ratio = browser.run(
            "return arguments[0].naturalWidth / arguments[0].naturalHeight", picture
        )
        assert ratio < 2 or "/maml." in link, link  # wider ones cannot be read there
    assert browser.log() == []


def test_each_picture_has_words_for_those_who_do_not_see_it(pages: Path) -> None:
    found = []
    for page in sorted(pages.rglob("*.html")):
        for picture in re.findall(r"<img (?!.*toggler)[^>]*>", page.read_text(encoding="utf-8")):
            (text,) = re.findall(r' alt="([^"]*)"', picture) or [""]
            found.append((page.name, text))
    assert len(found) > len(NOTEBOOKS)
    assert [(page, text) for page, text in found if len(text.split()) < 5] == []


def test_each_link_within_the_pages_leads_to_what_it_names(pages: Path) -> None:
    texts = {page.resolve(): page.read_text(encoding="utf-8") for page in pages.rglob("*.html")}
    anchors = {page: {"", *re.findall(r' id="([^"]+)"', text)} for page, text in texts.items()}
    lost, found = [], 0
    for page, text in texts.items():
        for link in {*re.findall(r' (?:href|src)="(?!https?:|data:|mailto:)([^"]+)"', text)}:
            path, _, anchor = unquote(unescape(link)).partition("#")
            target = (page.parent / path.partition("?")[0]).resolve() if path else page
            found += 1
            if not target.exists() or anchor not in anchors.get(target, {anchor}):
                lost.append((page.relative_to(pages.resolve()).as_posix(), link))
    assert found > 10_000
    assert lost == []


def test_each_signature_can_be_read_as_python(pages: Path) -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in (pages / "api").glob("*.html"))
    signatures = re.findall(r'<dt class="sig .*?</dt>', text, re.DOTALL)
    assert len(signatures) > 500
    assert [s for s in signatures if re.search("&lt;|~", re.sub("<[^>]*>", "", s))] == []


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        ("index", "python"),
        ("tutorials/maml", "console"),
        ("performance", "console"),
        ("api/minimize", "doctest"),
    ],
)
def test_a_button_copies_what_one_types(
    pages: Path, browser: Browser, page: str, kind: str
) -> None:
    allowed = ["clipboardReadWrite", "clipboardSanitizedWrite"]
    browser.devtools("Browser.grantPermissions", permissions=allowed)
    browser.open((pages / f"{page}.html").as_uri())
    block = browser.all(f".{kind}" if kind == "doctest" else f".highlight-{kind}")[0]
    text = block.all("pre")[0].text
    (button,) = block.all("button.copy")
    browser.run("arguments[0].scrollIntoView({behavior: 'instant', block: 'center'})", button)
    button.click()
    copied = browser.run("return navigator.clipboard.readText()").strip()
    if kind == "console":
        text = "\n".join(re.findall(r"^\$ ((?:.*\\\n)*.*)", text, re.MULTILINE))
    elif kind == "doctest":
        text = "".join(e.source for e in doctest.DocTestParser().get_examples(text))
    assert copied == text.strip()
    assert len(copied) > 20


@pytest.mark.parametrize("page", NOTEBOOKS)
def test_a_notebook_shows_its_result_first_no_error_and_fits_the_window(
    pages: Path, browser: Browser, page: str
) -> None:
    browser.open((pages / f"{page}.html").as_uri())
    assert browser.all(".traceback, .stderr") == []
    figures = browser.all(".cell_output img")
    assert figures
    assert all(browser.run(LOADED, figure) for figure in figures)
    (notebook,) = browser.all(".about-notebook a.download")
    assert (pages / page).parent.joinpath(notebook.attribute("href")).resolve().is_file()
    tops = "return arguments[0].map(e => e.getBoundingClientRect().top)"
    figure, code = browser.run(tops, [figures[0], browser.all(".cell_input")[0]])
    assert figure < code
    assert [w for w in WIDTHS if browser.width_of_page(w) > w] == []
    assert browser.log() == []


#: Words to search for, and the page to find.
SEARCHES = {
    "MAML": "tutorials/maml",
    "iMAML": "tutorials/implicit_maml",
    "DARTS": "examples",
    "influence": "tutorials/attribution",
    "score matching": "force_matching",
    "learning rate schedule": "api/schedules",
    "LOLA": "tutorials/lola",
    "MeZO": "tutorials/mezo",
    "solve_cg": "api/compat",
    "hypergradient": "tutorials/hyperparameters",
    "learning rate": "tutorials/hyperparameters",
    "quadratic program": "quadratic_programs",
    "memory": "api/memory",
    "NaN": "faq",
    "FSDP": "api/spmd",
    "checkpoint": "api/checkpoint",
    "constraints": "api/minimize",
    "simplex": "api/sets",
    "Adam": "api/optimizers",
    "Betty": "coming-from/betty",
}


def test_a_search_finds_the_page_first(pages: Path, browser: Browser) -> None:
    first = "return Search.output.querySelector('a').getAttribute('href')"
    browser.open(f"{(pages / 'search.html').as_uri()}?q=MAML")
    found = {"MAML": browser.run(first)}
    for words in SEARCHES.keys() - found.keys():  # each page takes a second to open
        found[words] = browser.run(f"Search.performSearch(arguments[0]); {first}", words)
    assert {words: re.split("[.#?]", link)[0] for words, link in found.items()} == SEARCHES
