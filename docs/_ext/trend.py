"""The directive ``trend``: the tables of the ratios that each release was measured with."""

from __future__ import annotations

import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

sys.path.append(str(Path(__file__).parents[2]))

from benchmarks import trend


class Trend(SphinxDirective):
    """The tables of `benchmarks.trend`, made from its files."""

    def run(self) -> list[nodes.Node]:
        """Return the tables as nodes."""
        for path in trend.FOLDER.glob("*.json"):
            self.env.note_dependency(path)
        return self.parse_text_to_nodes(trend.page(), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive with Sphinx."""
    app.add_directive("trend", Trend)
    return {"parallel_read_safe": True}
