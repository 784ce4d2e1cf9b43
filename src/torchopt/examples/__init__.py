"""Runnable programs: ``python -m torchopt.examples`` lists them.

A program is a package here with a function ``main(argv) -> exit status``. Programs use the public
face of the library only, and nothing imports them.
"""

from __future__ import annotations

from importlib.util import find_spec

__all__ = ["PROGRAMS", "require_extra"]

PROGRAMS = {
    "maml": "learn to read the letters of a script from one example each (MAML and relatives)",
}


def require_extra(*packages: str) -> None:
    """Raise unless the packages of the ``examples`` extra are installed.

    Args:
        *packages: Names as in an ``import`` statement.

    Raises:
        ModuleNotFoundError: If one is missing; the message says what to install.
    """
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(
            f"this example needs {' and '.join(missing)}: run `pip install torchopt[examples]`.",
            name=missing[0],
        )
