"""Hyperparameters of a network, found while it trains: penalties, label smoothing, noise on its input.

The lower problem trains a network on few images; the upper one moves its hyperparameters along the
hypergradient of the validation loss. A random search gets as many evaluations of gradients. Read
``problems.py`` for the idea in a page; the example ``hpo`` trains to convergence at each step instead.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; see ``python -m torchopt.examples hpo_multilevel --help``."""
    from torchopt.examples.hpo_multilevel.program import main

    return main(argv)
