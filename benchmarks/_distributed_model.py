"""A model of the time of a meta-step: compute, what the controller does, latency and bytes.

It has few numbers, each with a meaning. They are fitted to one and two workers, and checked against
more of them; then it says what still more would give, and what bounds them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Wire(NamedTuple):
    """What a message takes: ``latency + bytes * per_byte`` seconds, there and back."""

    latency: float
    per_byte: float

    def seconds(self, size: float) -> float:
        """Return what a message of so many bytes takes."""
        return self.latency + size * self.per_byte


def wire(sizes: Sequence[int], seconds: Sequence[float]) -> Wire:
    """Fit a line through the smallest and the largest message."""
    per_byte = max(0.0, (seconds[-1] - seconds[0]) / (sizes[-1] - sizes[0]))
    return Wire(seconds[0] - sizes[0] * per_byte, per_byte)


@dataclass(frozen=True)
class Model:
    r"""Seconds of a meta-step of K tasks on N workers.

    .. math:: T = \lceil K/N \rceil t + f + K h + N g + r(N) (l + b s)

    Attributes:
        task: :math:`t`, of a worker for a task.
        fixed: :math:`f`, of a worker for a meta-step.
        handle: :math:`h`, of the controller for a task: its call, its gradient.
        worker: :math:`g`, of the controller for a worker: its copy of the parameters.
        wire: :math:`l` and :math:`s`, of a message.
        bytes: :math:`b`, those of a gradient.
        reduces: Whether the ranks reduce among themselves, in :math:`r = 2 \log_2 N` messages one after
            the other; a controller waits for one answer, and its bytes are in its own time.
    """

    task: float
    fixed: float
    handle: float
    worker: float
    wire: Wire
    bytes: float
    reduces: bool

    def terms(self, tasks: int, workers: int) -> dict[str, float]:
        """Return the terms of the sum by name."""
        rounds = 2 * math.log2(workers) if self.reduces else 1
        moved = 2 * (workers - 1) / workers * self.bytes if self.reduces else 0
        return {
            "compute": math.ceil(tasks / workers) * self.task,
            "fixed": self.fixed,
            "controller": tasks * self.handle + workers * self.worker,
            "latency": rounds * self.wire.latency,
            "bytes": moved * self.wire.per_byte,
        }

    def cpu(self, tasks: int, workers: int) -> float:
        """Return the CPU seconds of the critical path, without what is only waited for."""
        terms = self.terms(tasks, workers)
        return terms["compute"] + terms["fixed"] + terms["controller"]

    def seconds(self, tasks: int, workers: int) -> float:
        """Return the seconds, where each worker has a core."""
        return sum(self.terms(tasks, workers).values())

    def bound(self, tasks: int, workers: int) -> str:
        """Return what takes most of the time, in words."""
        terms = self.terms(tasks, workers)
        name = max(terms, key=terms.__getitem__)
        share = f"{terms[name] / self.seconds(tasks, workers):.0%}"
        if name == "compute" and workers > tasks:
            return f"one task ({share}): {workers - tasks} workers are idle"
        return f"{name} ({share})"


def fit(
    workers: Mapping[int, float],
    controller: Mapping[int, float],
    tasks: int,
    message: Wire,
    gradient: float,
    reduces: bool,
) -> Model:
    """Fit a model to what the busiest worker and the controller took, by number of workers.

    Only the two smallest numbers of workers are looked at.
    """
    few, more = sorted(workers)[:2]
    shares = [math.ceil(tasks / n) for n in (few, more)]
    task = (workers[few] - workers[more]) / (shares[0] - shares[1])
    each = max(0.0, (controller[more] - controller[few]) / (more - few))
    return Model(
        task=task,
        fixed=max(0.0, workers[few] - shares[0] * task),
        handle=max(0.0, controller[few] - few * each) / tasks,
        worker=each,
        wire=message,
        bytes=gradient,
        reduces=reduces,
    )
