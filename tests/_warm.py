"""Programs in processes that have imported PyTorch before: copies of a server that did so once."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import sys
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    [
        "torch",
        "torchopt.distributed.spmd",
        "torchopt.multilevel",
        "torchopt.solver",
        "torch._dynamo",  # by the first optimizer of PyTorch
        "torch._decomp.decompositions_for_jvp",  # by the first forward derivative
    ]
)


class Program:
    """A process that does what ``python WORDS`` does, for a file or ``-c CODE``."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str]) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._prints = [Path(self._folder.name, name) for name in ("out", "err")]
        self.process = CONTEXT.Process(
            target=_run, args=(words, environment, *self._prints), daemon=True
        )
        self.process.start()

    def printed(self) -> str:
        """Return what it has printed until now."""
        return self._prints[0].read_text() if self._prints[0].exists() else ""

    def end(self, timeout: float | None = None) -> tuple[int, str, str]:
        """Wait for the end, kill it after some seconds, and return its status and what it printed."""
        self.process.join(timeout)
        self.process.kill()
        self.process.join()
        out, err = (path.read_text() if path.exists() else "" for path in self._prints)
        self._folder.cleanup()
        assert self.process.exitcode is not None
        return self.process.exitcode, out, err


def _run(words: Sequence[str], environment: Mapping[str, str], out: Path, err: Path) -> None:
    for path, descriptor in ((out, 1), (err, 2)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, descriptor)
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # that of the environment
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    main = sys.modules["__main__"] = ModuleType("__main__")
    if words[0] == "-c":
        source, sys.argv = words[1], [words[0], *words[2:]]
    else:
        source, sys.argv = Path(words[0]).read_text(encoding="utf-8"), list(words)
        sys.path.insert(0, str(Path(words[0]).parent))
        main.__file__ = words[0]
    try:
        exec(compile(source, words[0], "exec"), vars(main))
    finally:
        atexit._run_exitfuncs()
        # From Python 3.13 on a child forgets what its parent registered, this among it.
        weakref.finalize._exitfunc()
