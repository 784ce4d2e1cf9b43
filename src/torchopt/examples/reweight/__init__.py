"""Learning with wrong labels: one weight for each image, found by the loss on a few clean ones.

Half of the labels of scikit-learn's digits are wrong. The lower problem trains a network on the
weighted images, the upper one moves the weights so that the network reads a few clean images well:
what pulls it away from these loses its weight. Read ``problems.py`` for the idea in a page.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; see ``python -m torchopt.examples reweight --help``."""
    from torchopt.examples.reweight.program import main

    return main(argv)
