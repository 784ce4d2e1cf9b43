"""Learning to learn: MAML, first-order MAML, ANIL, Meta-SGD and Reptile.

The outer variables are the start (and, for Meta-SGD, the learning rates) of a few steps of gradient
descent on a small task; the outer loss is what the network then makes of new examples of the task.
Read ``functional.py`` for the whole idea in fifty lines, ``object_oriented.py`` for the same in the
style of ``torch.optim``.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; see ``python -m torchopt.examples maml --help``."""
    from torchopt.examples.maml.cli import main

    return main(argv)
