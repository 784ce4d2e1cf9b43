"""The directive ``second-names``: an entry for each public name that no other page describes.

``docs/names`` lists the public names. A name of the core that means the same object as a described
name refers to it; a state has its name only. A name that comes from another package, or stands for a
type or a constant, says what it stands for. Any other name without an entry fails the build. An old
name is described if it stands for nothing else; Betty's are those of Betty.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

RECORDS = Path(__file__).parents[1] / "names"
PAGE = "api/names"


#: The lines of old names that need no entry.
_OLD = r"^(?:[\w.]+ = |(?:class )?torchopt\.multilevel\.).*\n"


def _record(name: str) -> str:
    return (RECORDS / f"{name}.txt").read_text("utf-8")


def public_names() -> dict[str, str]:
    """Return, for each public name of a module, its definition as the record has it."""
    text = (
        re.sub(_OLD, "", _record("compat"), flags=re.MULTILINE)
        + _record("core")
        + _record("data")
    )
    lines = re.findall(r"^(class |module |where |)([\w.]+)(.*)$", text, re.MULTILINE)
    classes = {path for kind, path, _ in lines if kind == "class "}
    return {
        path: rest
        for kind, path, rest in lines
        if kind not in ("module ", "where ") and path.rpartition(".")[0] not in classes
    }


def entries(described: set[str]) -> dict[str, list[str]]:
    """Return the text of the missing entries, by module; an empty text is an entry to be written."""
    public, states = (
        public_names(),
        {*re.findall(r"^class ([\w.]+)", _record("data"), re.MULTILINE)},
    )
    same: dict[str, list[str]] = defaultdict(list)
    for path, definition in public.items():
        first = definition.removeprefix(" = ")
        same[first if first in public else path].append(path)
    synonyms = {path: group for group in same.values() for path in group}
    missing: dict[str, list[str]] = defaultdict(list)
    for path in sorted(public.keys() - described):
        module, _, name = path.rpartition(".")
        value = public[path].removeprefix(" = ")
        if path in states:
            text = f".. py:class:: {name}\n\n   A state. Its fields may change with any release."
        elif others := described.intersection(synonyms[path]):
            text = f".. py:data:: {name}\n\n   The same as :py:obj:`{min(others)}`."
        elif value == "optree":
            text = f".. py:data:: {name}\n\n   The same as ``optree.{name}``."
        elif value == "torch":
            text = f".. py:data:: {name}\n\n   PyTorch's ``{name}``."
        elif value != public[path]:
            kind = "data" if name.isupper() or name.startswith("__") else "type"
            text = f".. py:{kind}:: {name}\n\n   ``{value}``"
        else:
            logging.getLogger(__name__).warning(
                "%s has no entry in the reference", path
            )
            continue
        missing[module].append(text)
    return missing


class SecondNames(SphinxDirective):
    """Add the missing entries, under a heading for each module."""

    def run(self) -> list[nodes.Node]:
        """Return the entries as nodes."""
        described = {*self.env.domains.python_domain.objects}
        parts = []
        for module, texts in entries(described).items():
            parts += [
                f".. rubric:: {module}",
                f".. py:currentmodule:: {module}",
                *texts,
            ]
        return self.parse_text_to_nodes("\n\n".join(parts))


def read_last(app: Sphinx, env: BuildEnvironment, names: list[str]) -> None:
    """Read the page after all others, also if it has not changed itself."""
    names[:] = [name for name in names if name != PAGE] + [PAGE]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive with Sphinx."""
    app.add_directive("second-names", SecondNames)
    app.connect("env-before-read-docs", read_last)
    return {"parallel_read_safe": False}
