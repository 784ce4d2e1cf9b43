"""A table on top of each page of the reference: what it describes, with first sentences."""

from __future__ import annotations

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

FEWEST = 4


def row(*cells: nodes.Node) -> nodes.row:
    """Return a row of a table."""
    return nodes.row("", *(nodes.entry("", cell) for cell in cells))


def add_summary(app: Sphinx, document: nodes.document) -> None:
    """Put the table behind the first paragraph of a page."""
    if not app.env.current_document.docname.startswith("api/"):
        return
    rows = []
    for described in document.findall(addnodes.desc):
        signature, content = described[0], described[-1]
        kinds = ("function", "class", "exception")
        if described["objtype"] not in kinds or not signature.get("ids"):
            continue
        name = nodes.literal("", signature["fullname"])
        link = nodes.reference("", "", name, refid=signature["ids"][0], internal=True)
        texts = (p for p in content.children if isinstance(p, nodes.paragraph))
        first = next((p for p in texts if not p.astext().startswith("Bases:")), None)
        if first is not None:
            text = first.deepcopy()
            for reference in list(text.findall(addnodes.pending_xref)):
                reference.replace_self(
                    reference.children
                )  # the description itself has the link
            rows.append(row(nodes.paragraph("", "", link), text))
    section = next(document.findall(nodes.section), None)
    if len(rows) < FEWEST or section is None:
        return
    widths = [nodes.colspec(colwidth=width) for width in (1, 3)]
    group = nodes.tgroup("", *widths, nodes.tbody("", *rows), cols=2)
    section.insert(2, nodes.table("", group, classes=["summary"]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transformation with Sphinx."""
    app.connect("doctree-read", add_summary)
    return {"parallel_read_safe": True}
