"""Ranks that are killed, stopped, or do something else: an error says which, and there is no number."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import torch
import torch.distributed as dist
from _ranks import Ranks

from _warm import Program
from torchopt.distributed import spmd
from torchopt.errors import WorkerLostError

pytestmark = pytest.mark.processes

LIMIT = 5.0  # the time-out of the process group


@pytest.fixture
def ranks() -> Iterator[Ranks]:
    pool = Ranks(timeout=LIMIT)
    yield pool
    pool.close()


def meta_gradient(group: Any, victim: int, moment: str, number: int) -> tuple[str, float]:
    """A meta-step in which a rank sends itself a signal; returns the error and how long it took."""

    def at(now: str) -> None:
        if group.rank() == victim and now == moment:
            os.kill(os.getpid(), number)

    x = torch.ones(3, requires_grad=True)
    spmd.psum(torch.ones(1), group=group)  # all are there
    began = time.monotonic()
    try:
        at("forward")
        loss = spmd.psum((spmd.pvary(x, group=group) ** 2).sum(), group=group)
        at("backward")
        loss.backward()
    except WorkerLostError as error:
        return str(error), time.monotonic() - began
    return f"nothing was raised: {x.grad}", 0.0


def out_of_step(_: Any) -> str:
    group = dist.new_group(timeout=timedelta(seconds=3))
    spmd.psum(torch.ones(1), group=group)
    try:
        if group.rank() == 0:
            spmd.psum(torch.ones(1), group=group)
    except RuntimeError as error:
        return str(error)
    return "waiting is over"


AT_THE_END = """
import atexit, threading
import torch.distributed as dist
from torchopt.collectives import group as _group

names = lambda: [thread.name for thread in threading.enumerate()]
atexit.register(lambda: print("at the end:", names()))
store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
dist.init_process_group("gloo", store=store, rank=0, world_size=1)
_group._watch()
print("before:", names())
"""


def test_no_thread_is_in_the_store_when_python_ends() -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "GLOO_SOCKET_IFNAME": "lo"}
    code, out, err = Program(["-c", AT_THE_END], environment).end(120)
    assert code == 0, err
    assert out.splitlines() == [
        "before: ['MainThread', 'torchopt-beat']",
        "at the end: ['MainThread']",
    ]


@pytest.mark.slow
def test_ranks_that_are_not_in_step_are_told_within_the_time_out() -> None:
    ranks = Ranks(2)
    try:
        messages = ranks.run(out_of_step)
    finally:
        ranks.close()
    assert "all ranks are alive" in messages[0]
    assert "spmd.checked()" in messages[0]


@pytest.mark.slow
def test_a_rank_killed_in_a_backward_pass_is_named(ranks: Ranks) -> None:
    ranks.start(meta_gradient, 3, "backward", signal.SIGKILL)
    for rank in range(3):
        good, (text, seconds) = ranks.answer(rank)
        assert good
        assert "worker 'rank 3 (host" in text
        assert f"process {ranks.processes[3].pid})" in text
        assert "checkpoint=folder" in text
        assert seconds < 2 * LIMIT + 10
