"""LOLA-DiCE: two agents that differentiate through one another's learning, on two workers.

Each agent has a worker that plays its games. An agent's gradient goes through the step that the other
one is about to take, which is a derivative on the other's worker: a remote call to second order. Read
``game.py`` and ``training.py`` for the idea in two pages.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; see ``python -m torchopt.examples lola --help``."""
    from torchopt.examples.lola.program import main

    return main(argv)
