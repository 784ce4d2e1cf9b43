"""Hyperparameter optimization by implicit differentiation: as many penalties as there are weights.

The outer variables are the logarithms of penalties, the inner problem is training to convergence, and
the outer loss is the loss on validation examples. Read ``search.py`` for the idea in a page.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; see ``python -m torchopt.examples hpo --help``."""
    from torchopt.examples.hpo.program import main

    return main(argv)
