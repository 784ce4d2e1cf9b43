"""Processes that come and go: recovery within a step, by torchft where it is installed."""

from __future__ import annotations

import multiprocessing
import os
import signal
from pathlib import Path
from typing import Any

import pytest
import torch
from test_elastic import STEPS, begin, step

from torchopt.experimental import elastic
from torchopt.pytree import flattening as pytree

pytestmark = pytest.mark.processes


def replica(number: int, address: str, directory: str) -> None:
    """The second replica kills itself in a step; a third one joins later."""
    torch.set_num_threads(1)

    def fatal(state: Any, index: int, group: Any) -> Any:
        Path(directory, f"made-{number}-{index}-of-{group.size}").touch()
        if number == 1 and index == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return step(state, index, group)

    found = elastic.run_replicas(
        fatal, begin(), steps=STEPS, lighthouse=address, min_replicas=2, timeout=10
    )
    torch.save(pytree.flatten(found)[0], Path(directory) / f"end-{number}.pt")


def test_a_step_in_which_a_process_is_lost_is_made_again_by_the_others(tmp_path: Path) -> None:
    coordination = pytest.importorskip("torchft.coordination", reason="torchft is optional")
    lighthouse = coordination.LighthouseServer(
        bind="127.0.0.1:0", min_replicas=2, join_timeout_ms=500, heartbeat_timeout_ms=2000
    )
    address = f"http://127.0.0.1:{lighthouse.address().rsplit(':', 1)[1]}"
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=replica, args=(k, address, str(tmp_path))) for k in range(3)
    ]
    for process in processes[:2]:
        process.start()
    processes[1].join(120)
    processes[2].start()
    for process in processes:
        process.join(120)
        process.kill()
    lighthouse.shutdown()
    assert [process.exitcode for process in processes] == [0, -signal.SIGKILL, 0]
    assert (tmp_path / "made-0-2-of-2").exists()  # with the one that was lost, and with the new one
    expected = elastic.run(step, begin(), steps=STEPS, checkpoint=tmp_path / "alone")
    for number in (0, 2):
        found = torch.load(tmp_path / f"end-{number}.pt", weights_only=True)
        for a, b in zip(found, pytree.flatten(expected)[0], strict=True):
            if isinstance(b, torch.Tensor):
                torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)
            else:
                assert a == b
    assert not (tmp_path / "made-2-0-of-2").exists()  # the new one was given the state


def test_what_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torchft", None)
    with pytest.raises(ImportError, match="torchft_lighthouse"):
        elastic.run_replicas(step, begin(), steps=1, lighthouse="http://127.0.0.1:1")
