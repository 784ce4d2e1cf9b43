"""Architecture search by gradient (DARTS), of a cell so small that every architecture can be trained.

The lower problem's parameters are the weights of a network that holds all architectures, the upper
problem's say how much of each operation is on each edge. Read ``search.py`` for the program in a page.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; see ``python -m torchopt.examples darts --help``."""
    from torchopt.examples.darts.program import main

    return main(argv)
