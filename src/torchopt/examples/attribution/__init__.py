"""Which training images taught the network to read this digit: the derivative of a whole training.

The loss of a test image after training is a function of how much each training image counts. Its
derivative, through all steps of training, predicts what happens when images are left out; training
without them shows whether it was right. Read ``scores.py``: the baselines differ from the exact
derivative by one word, the differentiation mode.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; see ``python -m torchopt.examples attribution --help``."""
    from torchopt.examples.attribution.program import main

    return main(argv)
