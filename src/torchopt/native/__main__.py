"""``python -m torchopt.native status|build``: what is live and why; build what is missing."""

from __future__ import annotations

import argparse
import contextlib
import sys

from torchopt.errors import CompileError
from torchopt.native import _build, _load, _pool, cuda

_FIELDS = ("live", "reason", "instruction_set", "kernels", "path", "driver", "compiler")


def main(arguments: list[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: The command line; by default that of the process.

    Returns:
        The exit status: zero if what was asked for is so.
    """
    parser = argparse.ArgumentParser(prog="python -m torchopt.native", description=__doc__)
    commands = {"status": _status, "build": _build_all}
    parser.add_argument("command", choices=commands)
    return commands[parser.parse_args(arguments).command]()


def _status() -> int:
    state = _load.status()
    for field in _FIELDS:
        print(f"{field + ':':17}{getattr(state, field)}")
    for name, value in _pool.memory_stats().items():
        print(f"{name + ':':17}{value}")
    print(f"{'gpu:':17}{cuda.unavailable() or 'live'}")
    return 0 if state.live else 1


def _build_all() -> int:
    """Build what did not come with the package; failures of the past are forgotten."""
    with contextlib.suppress(CompileError):  # no cache; this matters below, if at all
        for failure in _load.cache_directory().glob("*.failed"):
            failure.unlink()
    sets = _load.usable_instruction_sets()
    failed = False
    for library in (_build.DRIVER, *map(_build.kernels, sets), *_build.extensions()):
        try:
            print(_load.find(library))
        except (CompileError, OSError) as error:
            failed = True
            print(f"{library.name}: {error} (TORCHOPT_CACHE names the cache)", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
