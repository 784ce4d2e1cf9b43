"""Learning to ignore: pretraining on doubtful data, finetuning, and on top the weights of the former.

Some examples are labelled wrong, others come from elsewhere. How much each counts in pretraining is
learned by what finetuning makes of it. Read ``levels.py`` for the program in a page.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchopt.examples import require_extra

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; see ``python -m torchopt.examples trilevel --help``.

    Raises:
        ModuleNotFoundError: If the ``examples`` extra is not installed.
    """
    require_extra("matplotlib", "rich", "sklearn")
    from torchopt.examples.trilevel.program import main

    return main(argv)
