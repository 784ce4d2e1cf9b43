"""Dataset distillation: ten images, one for each digit, that teach a fresh network to read.

The lower problem trains a network, anew each time, on the ten images for a few steps; the upper one
changes the images (and the learning rate) so that this network reads real digits. Read
``problems.py`` for the idea in a page.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; see ``python -m torchopt.examples distill --help``."""
    from torchopt.examples.distill.program import main

    return main(argv)
