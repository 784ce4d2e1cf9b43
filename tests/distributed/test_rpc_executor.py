"""The executor on PyTorch's RPC: exact to the second order, and a worker that is lost is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from distributed._programs import launch
from torchopt.distributed.world import RpcExecutor

pytestmark = pytest.mark.processes


PROGRAM = str(Path(__file__).parent / "rpc_program.py")


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    return launch([PROGRAM, str(tmp_path_factory.mktemp("rpc")), "killed"], 4)


@pytest.mark.parametrize("mode", ["eager", "recompute", "retain"])
def test_first_and_second_derivatives_equal_those_of_one_process(ended, mode):
    assert ended.found[mode] < 1e-12


def test_functions_run_in_the_chosen_processes(ended):
    assert ended.found["workers"] == ["worker1", "worker2", "worker3"]
    assert not ended.found["own"]


def test_an_error_arrives_with_its_worker_and_its_traceback(ended):
    message, worker, traceback = ended.found["error"]
    assert "no such thing" in message
    assert worker == "worker1"
    assert "in fails" in traceback


def test_a_worker_that_is_killed_costs_a_retry_and_is_left_out(ended):
    value, gradient, workers = ended.found["killed"]
    assert value == gradient == 0
    assert "worker3" not in workers


def test_the_group_outlives_the_executor(ended):
    assert "closed" in ended.found["closed"]
    assert ended.found["again"]
    assert ended.found["nobody"].startswith("there is no process 'nobody'")


def test_the_others_end_when_one_of_them_has_died(ended):
    assert ended.codes == [0, 0, 0, -9]


def test_a_process_at_its_end_loads_kernels_and_makes_calls_for_those_that_it_serves():
    late = str(Path(__file__).with_name("late_program.py"))
    assert launch([late], 2).found == [0.0, 0.0, 0.0, True]


def test_there_is_no_executor_without_a_group():
    with pytest.raises(RuntimeError, match=r"RPC is not initialized: .*auto_init_rpc"):
        RpcExecutor()
    with pytest.raises(ValueError, match="patience"):
        RpcExecutor(patience=0)
