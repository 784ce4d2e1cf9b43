"""Neural auto-curricula: learn which opponents to train against, from exploitability alone.

A population of strategies for a game grows by best responses to mixtures of itself. What the mixture
is, a small network says, and its parameters are found by estimated gradients, since a best response
is an argmax. Read ``curriculum.py`` and ``training.py`` for the idea in two pages.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; see ``python -m torchopt.examples nac --help``."""
    from torchopt.examples.nac.program import main

    return main(argv)
