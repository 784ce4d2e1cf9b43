"""MAML as a program of two levels, beside the same written with Core: the numbers are the same.

The lower problem's parameters are what adaptation adds to the start, one displacement for each task;
the upper problem's are the start. Read ``levels.py`` for the program in a page.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; see ``python -m torchopt.examples maml_multilevel --help``."""
    from torchopt.examples.maml_multilevel.program import main

    return main(argv)
