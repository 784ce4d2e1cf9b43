"""What a source file names, so that tests ask its text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator


def full_names(tree: ast.Module) -> Iterator[str]:
    """Yield the full names of what a module imports, and of what it reaches through it."""
    imported = {}
    nodes = [*ast.walk(tree)]
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            imported |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
        elif isinstance(node, ast.Import):
            imported |= {
                a.asname or a.name.split(".")[0]: a.name if a.asname else a.name.split(".")[0]
                for a in node.names
            }

    def full(node: ast.AST) -> str | None:
        match node:
            case ast.Name(id=name):
                return imported.get(name)
            case (
                ast.Attribute(value=owner, attr=str(name))
                | ast.Call(func=ast.Name("getattr"), args=[owner, ast.Constant(str(name)), *_])
            ):
                return f"{place}.{name}" if (place := full(owner)) else None
            case ast.Constant(str(text)) if re.fullmatch(r"torch\.[\w.]+", text):
                return text  # looked up in `sys.modules`
        return None

    yield from imported.values()
    yield from filter(None, map(full, nodes))
