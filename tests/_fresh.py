"""Programs in processes that have imported PyTorch and nothing of ours: copies of such a server."""

from __future__ import annotations

import atexit
import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SERVER = """
import json, os, signal, sys, traceback, types
import torch

for line in sys.stdin:
    program, arguments, printed = json.loads(line)
    process = os.fork()
    if process == 0:
        signal.alarm(300)
        for path, descriptor in zip(printed, (1, 2)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), descriptor)
        sys.argv = ["-c", *arguments]
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        status = 1
        try:
            exec(compile(program, "<program>", "exec"), vars(main))
            status = 0
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
"""


@functools.cache
def _server() -> subprocess.Popen[str]:
    path = os.pathsep.join(filter(None, sys.path))
    server = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", SERVER],
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": path},
    )
    atexit.register(_end, server)
    return server


def _end(server: subprocess.Popen[str]) -> None:
    server.communicate(timeout=60)  # closes its input, which ends its loop


def run(program: str, *arguments: str) -> str:
    """Run a program, whose warnings are errors, and return what it printed.

    Args:
        program: Its code.
        *arguments: Its arguments.
    """
    server = _server()
    assert server.stdin
    assert server.stdout
    with tempfile.TemporaryDirectory() as folder:
        printed = Path(folder, "out"), Path(folder, "err")
        print(json.dumps([program, arguments, [*map(str, printed)]]), file=server.stdin, flush=True)
        status = server.stdout.readline().strip()
        out, err = (file.read_text() for file in printed)
    assert status == "0", f"{status}\n{err}"
    assert not err, err
    return out
