"""Runnable examples: ``python -m examples`` lists them.

They are programs of a checkout, not a part of the package. An example is a module here with a
function ``main(argv) -> exit status``; the first line of its docstring is its description. Examples
use public names of the library only; what several of them share is in :mod:`examples.tools`.
"""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules

__all__ = ["PROGRAMS", "require_extra"]


def _summary(name: str) -> str:
    """Return the first line of an example's docstring, without importing it."""
    path = Path(__file__).parent / name
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").split("\n")[0]


PROGRAMS = {
    module.name: _summary(module.name)
    for module in iter_modules(__path__)
    if module.name not in ("__main__", "tools")
}


def require_extra() -> None:
    """Raise unless the packages of the ``examples`` extra are installed.

    Raises:
        ModuleNotFoundError: If one is missing; the message says what to install.
    """
    needed = ("matplotlib", "numpy", "PIL", "rich", "sklearn")
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(
            f'the examples need {" and ".join(missing)}: run `pip install ".[examples]"`.',
            name=missing[0],
        )
