"""Gallery pages, which are notebooks that the build runs, and the cards that lead to them.

The title of a page, its first paragraph and the figure of the cell tagged ``result`` make its card.
That figure moves from its cell to the top of the page, above the run time and a link that downloads
the notebook. The header of a page has the figure's ``alt``, and, if a card is to show a part of it,
``card``: from and to how many percent of its width, and of its height. The directive ``gallery`` is a
hidden table of contents with a card for each entry.
"""

from __future__ import annotations

import os
import sys
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from docutils import nodes
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, ProjectNb
from PIL import Image
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.directives.other import TocTree
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

PAGE = "gallery"
CARD = """
:::{{grid-item-card}} {title}
:link: /{page}
:link-type: doc
:img-top: /{image}
:img-alt: {alt}
{summary}
:::
"""


def run(notebook: ProjectNb) -> CacheBundleIn:
    """Run a notebook, in a fork of the process that `conf.py` has started."""
    import run_notebook  # there it is imported; here it would take seconds

    return run_notebook.run(notebook)


def run_notebooks(app: Sphinx) -> None:
    """Start the notebooks that are not in the cache, as many at a time as there are processors."""
    cache = get_cache(app.config.nb_execution_cache_path)
    for path in sorted(Path(app.srcdir, "tutorials").glob("*.md")):
        if "{code-cell}" in path.read_text(encoding="utf-8"):
            cache.add_nb_to_project(
                str(path), read_data={"name": "myst_nb_md", "type": "plugin"}
            )
    notebooks = [cache.get_project_notebook(n.pk) for n in cache.list_unexecuted()]
    if not notebooks:
        return
    context = get_context("spawn" if sys.platform == "win32" else "forkserver")
    pool = context.Pool(maxtasksperchild=1)
    results = pool.imap_unordered(run, notebooks)
    pool.close()
    running = {notebook.uri for notebook in notebooks}

    def wait_for_notebook(app: Sphinx, page: str, source: list[str]) -> None:
        while str(app.env.doc2path(page)) in running:
            bundle = next(results)
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
            running.remove(bundle.uri)

    app.connect("source-read", wait_for_notebook)


def result_first(app: Sphinx, document: nodes.document) -> None:
    """Move the result to the top of a notebook, and say below it how long the cells ran."""
    page = app.env.current_document.docname
    ran = app.env.nb_metadata[page].get("exec_data")
    if ran is None:
        return
    section = next(document.findall(nodes.section))
    summary = next(section.findall(nodes.paragraph))
    outputs = [
        output
        for cell in document.findall(nodes.container)
        if "tag_result" in cell["classes"]
        for output in cell.findall(nodes.container)
        if "cell_output" in output["classes"]
    ]
    header = {
        name.astext(): text.astext() for name, text in document.findall(nodes.field)
    }
    for output in outputs:
        output.parent.remove(output)
        for image in output.findall(nodes.image):
            image["alt"] = header.get("alt", "")
            image["card"] = header.get("card", "")
    notebook = os.path.relpath(
        Path(app.env.mystnb_config.output_folder, page), app.srcdir
    )
    download = addnodes.download_reference(reftarget=f"/{notebook}.ipynb")
    download += nodes.inline(text="Download the notebook.")
    about = nodes.paragraph(classes=["about-notebook"])
    about += nodes.Text(
        f"The cells of this page ran in {ran['runtime']:.0f} seconds when it was built, on a CPU "
        f"with PyTorch {torch.__version__.partition('+')[0]}. "
    )
    about += download
    place = section.index(summary) + 1
    section[place:place] = [*outputs, about]


def part(path: Path, percent: list[int], folder: Path) -> Path:
    """Cut a figure near some percent of its width and height, in white gaps; return the file."""
    picture = Image.open(path)
    pixels, edges = np.asarray(picture.convert("L")), []
    for axis, ends in enumerate((percent[:2], percent[2:] or [0, 100])):
        white = pixels.min(axis) > 250
        reach = len(white) // 16
        for x in (end * len(white) // 100 for end in ends):
            near = range(max(0, x - reach), min(len(white), x + reach))
            gaps = [[*g] for blank, g in groupby(near, white.__getitem__) if blank]
            gap = max(gaps, key=len, default=[x])
            edges.append(x if x in (0, len(white)) else gap[len(gap) // 2])
    left, right, top, bottom = edges
    folder.mkdir(parents=True, exist_ok=True)
    picture.crop((left, top, right, bottom)).save(folder / path.name)
    return folder / path.name


class Gallery(TocTree):
    """A card for each page, with the figure of its result."""

    def run(self) -> list[nodes.Node]:
        """Return the hidden table of contents, and the grid of cards."""
        self.options["hidden"] = None
        toctree = super().run()
        pages = next(toctree[0].findall(addnodes.toctree))["includefiles"]
        cards = "".join(map(self.card, pages))
        grid = f"::::{{grid}} 1 1 2 2\n:gutter: 2\n{cards}\n::::"
        return toctree + self.parse_text_to_nodes(grid)

    def card(self, page: str) -> str:
        """Return the Markdown of the card of one page."""
        document = self.env.get_doctree(page)
        image = next(document.findall(nodes.image), {})
        if not image.get("alt"):
            logging.getLogger(__name__).warning(
                "%s has no figure, or no `alt` for it", page
            )
        uri = image.get("uri", "")
        if percent := image.get("card"):
            source, folder = Path(self.env.srcdir), Path("_build/cards")
            cut = part(source / uri, [*map(int, percent.split())], source / folder)
            uri = cut.relative_to(source).as_posix()
        return CARD.format(
            page=page,
            title=self.env.titles[page].astext(),
            image=uri,
            alt=image.get("alt"),
            summary=next(document.findall(nodes.paragraph)).astext(),
        )


def read_last(app: Sphinx, env: BuildEnvironment, names: list[str]) -> None:
    """Read notebooks while they need no waiting, and the gallery after the pages that it shows."""
    names.sort(key=lambda name: name.startswith("tutorials/"))
    names[:] = [name for name in names if name != PAGE] + [PAGE]


def write_beside(app: Sphinx, env: BuildEnvironment) -> None:
    """Write pages in other processes; they are read in one, which some extensions need."""
    app.parallel = 1 + (os.cpu_count() or 1)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive with Sphinx."""
    app.add_directive("gallery", Gallery)
    app.connect("builder-inited", run_notebooks)
    app.connect(
        "doctree-read", result_first, priority=400
    )  # before images and downloads are noted
    app.connect("env-before-read-docs", read_last)
    app.connect("env-updated", write_beside)
    return {"parallel_read_safe": False}
