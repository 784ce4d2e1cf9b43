"""Meta-learning from values alone: ES-MAML on a robot that moves in clicks, and on sine waves.

Adaptation is one step along an estimated gradient, and so is meta-training: nothing is ever
backpropagated. Read ``learning.py`` for the idea in a page.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; see ``python -m torchopt.examples es_maml --help``."""
    from torchopt.examples.es_maml.program import main

    return main(argv)
