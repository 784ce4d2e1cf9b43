"""``python -m examples``: list the programs, or run one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from examples import PROGRAMS, require_extra


def main(argv: Sequence[str] | None = None) -> int:
    """List the programs, or run the one that is named first.

    Args:
        argv: The arguments; by default the command line's.

    Returns:
        The exit status.
    """
    name, *rest = [*(sys.argv[1:] if argv is None else argv)] or ["--help"]
    if name in ("-h", "--help"):
        print("usage: python -m examples PROGRAM [OPTION ...]\n\nprograms:")
        for program, summary in PROGRAMS.items():
            print(f"  {program:15} {summary}")
        print("\n`python -m examples PROGRAM --help` lists the options of a program.")
        return 0
    if name not in PROGRAMS:
        print(f"there is no program {name!r}: use one of {', '.join(PROGRAMS)}.", file=sys.stderr)
        return 2
    try:
        require_extra()
    except ModuleNotFoundError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    status: int = import_module(f"examples.{name}").main(rest)
    return status


if __name__ == "__main__":
    sys.exit(main())
