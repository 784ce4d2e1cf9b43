"""Test-time training: a character transformer that goes on learning while it reads.

Each document has words of its own, and attention sees the last few characters only. What was read
before is kept in the weights of the last block, by a gradient step after each chunk; the transformer
is trained through these steps. Read ``learning.py`` for the idea in a page.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; see ``python -m torchopt.examples ttt --help``."""
    from torchopt.examples.ttt.program import main

    return main(argv)
