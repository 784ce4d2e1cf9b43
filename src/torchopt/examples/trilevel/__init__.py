"""Learning to ignore: pretraining on doubtful data, finetuning, and on top the weights of the former.

Some examples are labelled wrong, others come from elsewhere. How much each counts in pretraining is
learned by what finetuning makes of it. Read ``levels.py`` for the program in a page.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; see ``python -m torchopt.examples trilevel --help``."""
    from torchopt.examples.trilevel.program import main

    return main(argv)
