"""A deep equilibrium classifier: a network whose only layer is applied until nothing changes.

The forward pass is any solver of ``z = layer(z, x)``, the backward pass one linear equation at the
solution, so that memory does not depend on how the solution was found. Read ``model.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; see ``python -m torchopt.examples deq --help``."""
    from torchopt.examples.deq.program import main

    return main(argv)
