"""A lane: one interpreter in which contenders are built, checked, timed and weighed.

`Lane` works in this process; `ProcessLane` is the same thing in another interpreter, one JSON line
per request over stdin and stdout. Contenders that can share a lane are timed in one process. A
contender is named ``"module:function"``; ``function(case)`` returns a callable that makes one step
and returns tensors (its gradient).
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
Case = dict[str, Any]


class LaneError(RuntimeError):
    """A contender failed in another interpreter; the message is that of its exception."""


class Lane:
    """Contenders in this process.

    Args:
        threads: The number of threads that torch may use.
    """

    def __init__(self, threads: int = 1) -> None:
        import torch  # late: the parent of a process lane stays small, see `peak`

        torch.set_num_threads(threads)
        self._torch = torch
        self._open: dict[str, Callable[[], Any]] = {}

    def __enter__(self) -> Lane:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.clear()

    def gradient(self, contender: str, case: Case) -> list[float]:
        """Return the gradient of one float64 step as one flat list."""
        tensors = _build(contender, {**case, "dtype": "float64"})()
        return [x for tensor in tensors for x in tensor.detach().flatten().tolist()]

    def first(self, contender: str, case: Case) -> float:
        """Return the seconds of the first call, with what is compiled in it."""
        step = _build(contender, case)
        start = time.perf_counter()
        step()
        self._synchronize()
        return time.perf_counter() - start

    def open(self, contender: str, case: Case) -> float:
        """Build a contender, warm it up, and return the seconds of one warm call."""
        self._open[contender] = _build(contender, case)
        self.time(contender, 2)
        return self.time(contender, 1)

    def time(self, contender: str, repeats: int) -> float:
        """Return the seconds per call over ``repeats`` calls of an open contender."""
        step = self._open[contender]
        gc.collect()  # what another contender left behind is not charged to this one
        self._synchronize()
        start = time.perf_counter()
        for _ in range(repeats):
            step()
        self._synchronize()
        return (time.perf_counter() - start) / repeats

    def close(self, contender: str) -> None:
        """Forget an open contender."""
        del self._open[contender]

    def peak(self, contender: str, case: Case) -> float:
        """Return by how many MiB one step raises the peak memory; only right in a fresh process."""
        return self.cost(contender, case)[0]

    def cost(self, contender: str, case: Case) -> tuple[float, float]:
        """Return the MiB of `peak`, and the seconds of the same step."""
        _build(
            contender, {**case, "steps": 1}
        )()  # kernels and thread pools load before the baseline
        step = _build(contender, case)
        gc.collect()
        measure = self._resident if case.get("device", "cpu") == "cpu" else self._allocated
        return measure(step)

    def whole(self, contender: str, case: Case, repeats: int) -> Case:
        """Return the MiB that a fresh process holds at most, and what its steps take and give."""
        step = _build(contender, case)
        on_cpu = case.get("device", "cpu") == "cpu"
        seconds = []
        for _ in range(1 + repeats):
            start = time.perf_counter()
            tensors = step()
            self._synchronize()
            seconds.append(time.perf_counter() - start)
        peak = _peak_resident() if on_cpu else self._torch.cuda.max_memory_allocated()
        return {
            "MiB": peak / 2**20,
            "first": seconds[0],
            "seconds": seconds[1:],
            "gradient": [x for t in tensors for x in t.detach().flatten().tolist()],
        }

    def _resident(self, step: Callable[[], Any]) -> tuple[float, float]:
        _lower_peak()
        before, start = _peak_resident(), time.perf_counter()
        step()
        seconds = time.perf_counter() - start
        return (_peak_resident() - before) / 2**20, seconds

    def _allocated(self, step: Callable[[], Any]) -> tuple[float, float]:
        self._torch.cuda.reset_peak_memory_stats()
        self._synchronize()
        before, start = self._torch.cuda.memory_allocated(), time.perf_counter()
        step()
        self._synchronize()
        seconds = time.perf_counter() - start
        return (self._torch.cuda.max_memory_allocated() - before) / 2**20, seconds

    def _synchronize(self) -> None:
        if self._torch.cuda.is_available():
            self._torch.cuda.synchronize()


class ProcessLane:
    """A `Lane` in another interpreter, which starts when it is first asked, with the same methods.

    Args:
        python: The interpreter.
        threads: The number of threads that torch may use there.
        path: Folders for its ``PYTHONPATH``: `sys.path` for our interpreter, none for another one,
            which then finds its own packages and not ours.
        variables: Further environment variables.
    """

    def __init__(
        self,
        python: Path | str,
        threads: int = 1,
        *,
        path: Iterable[str] = (),
        variables: Mapping[str, str] | None = None,
    ) -> None:
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path)), **(variables or {})}
        self._start = functools.partial(
            subprocess.Popen[str],
            [str(python), "-m", "benchmarks._lane", str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env=env,
            text=True,
        )

    @functools.cached_property
    def _process(self) -> subprocess.Popen[str]:
        return self._start()

    def __enter__(self) -> ProcessLane:
        return self

    def __exit__(self, *_: object) -> None:
        if "_process" in vars(self):
            self._process.communicate()  # closes stdin, which ends the other side's loop

    def gradient(self, contender: str, case: Case) -> list[float]:
        """See `Lane.gradient`."""
        return self._ask("gradient", contender, case)

    def first(self, contender: str, case: Case) -> float:
        """See `Lane.first`."""
        return self._ask("first", contender, case)

    def open(self, contender: str, case: Case) -> float:
        """See `Lane.open`."""
        return self._ask("open", contender, case)

    def time(self, contender: str, repeats: int) -> float:
        """See `Lane.time`."""
        return self._ask("time", contender, repeats)

    def close(self, contender: str) -> None:
        """See `Lane.close`."""
        self._ask("close", contender)

    def peak(self, contender: str, case: Case) -> float:
        """See `Lane.peak`."""
        return self._ask("peak", contender, case)

    def cost(self, contender: str, case: Case) -> tuple[float, float]:
        """See `Lane.cost`."""
        mebibytes, seconds = self._ask("cost", contender, case)
        return mebibytes, seconds

    def whole(self, contender: str, case: Case, repeats: int) -> Case:
        """See `Lane.whole`."""
        return self._ask("whole", contender, case, repeats)

    def _ask(self, *request: object) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # it died: the empty answer below says so
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise LaneError(f"the worker ended with status {self._process.wait()}, see its stderr")
        value, error = json.loads(answer)
        if error is not None:
            raise LaneError(error)
        return value


def _build(contender: str, case: Case) -> Callable[[], Any]:
    module, _, function = contender.partition(":")
    return getattr(importlib.import_module(module), function)(case)


def _lower_peak() -> None:
    """Set the peak to what is resident now, where the system can (Linux)."""
    clear = Path("/proc/self/clear_refs")
    if clear.exists():
        clear.write_text("5")


def _peak_resident() -> int:
    """Return this process's peak resident memory in bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # `ru_maxrss` cannot be lowered, and starts from the parent's on Linux
        [line] = [x for x in status.read_text().splitlines() if x.startswith("VmHWM:")]
        return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _answers(lane: Lane, lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        method, *arguments = json.loads(line)
        try:
            answer = [getattr(lane, method)(*arguments), None]
        except Exception as error:  # it goes to the parent, which raises it
            answer = [None, f"{type(error).__name__}: {error}"]
        yield json.dumps(answer)


def main() -> None:
    """Serve requests from stdin until it closes."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    sys.stdout = sys.stderr  # what a package prints must not mix with the replies
    for answer in _answers(Lane(int(sys.argv[1])), sys.stdin):
        print(answer, file=replies, flush=True)


if __name__ == "__main__":
    main()
