"""Processes that have imported PyTorch before they start: copies of a server, which imports it once."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["torch", "torchopt.distributed.spmd", "torchopt.multilevel"])


def run_program(words: Sequence[str], environment: dict[str, str], out: Path, err: Path) -> None:
    """Do in this process what ``python WORDS`` does, and write what it prints into two files."""
    for path, descriptor in ((out, 1), (err, 2)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, descriptor)
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = list(words)
    sys.path.insert(0, str(Path(words[0]).parent))
    main = sys.modules["__main__"] = ModuleType("__main__")
    main.__file__ = words[0]
    try:
        exec(compile(Path(words[0]).read_text(encoding="utf-8"), words[0], "exec"), vars(main))
    finally:
        atexit._run_exitfuncs()
