"""Meta-learning without unrolling: implicit MAML beside MAML, on the same tasks and network.

The inner problem has a proximal term that ties a task's parameters to the start, so that its
solution is a function of the start, and the meta-gradient needs the solution only, not the way to
it. Read ``learner.py`` for the difference to MAML in a page.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; see ``python -m torchopt.examples imaml --help``."""
    from torchopt.examples.imaml.program import main

    return main(argv)
