"""Fine-tune a transformer in the memory of inference (MeZO), beside backpropagation.

A direction is a seed: it is drawn again wherever it is needed, so that no gradient, no activation
and no optimizer state is kept. Read ``training.py`` for the idea in a page.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; see ``python -m torchopt.examples mezo --help``."""
    from torchopt.examples.mezo.program import main

    return main(argv)
