"""Processes as workers: errors come back, what was lost is done again, nothing hangs."""

from __future__ import annotations

import os
import signal
import threading

import pytest
import torch

from distributed import remote_programs as programs
from torchopt.distributed import ProcessExecutor, _process, remote_map
from torchopt.errors import RemoteError, WorkerLostError

pytestmark = pytest.mark.processes


@pytest.fixture
def x():
    return torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)


def exact(x):
    return (torch.cos(x) + 3 * x**2).detach()


def test_functions_run_in_processes_of_their_own(process_executor, x):
    found = remote_map(programs.process_of, [x, x, x], executor=process_executor)
    assert set(found) == set(process_executor.pids.values())
    assert os.getpid() not in found
    assert remote_map(programs.threads_of, [x], executor=process_executor) == [1]


def test_errors_keep_their_type_and_tell_where_they_come_from(process_executor, x):
    with pytest.raises(KeyError, match="no such thing") as caught:
        remote_map(programs.fails, [x], executor=process_executor)
    cause = caught.value.__cause__
    assert isinstance(cause, RemoteError)
    assert cause.worker == "process-0"
    assert "in fails" in cause.remote_traceback
    with pytest.raises(RemoteError, match="AwkwardError: this and that"):
        remote_map(programs.fails_awkwardly, [x], executor=process_executor)
    assert len(remote_map(programs.process_of, [x], executor=process_executor)) == 1


def test_a_worker_that_dies_in_the_forward_pass_costs_a_retry(process_executor, x, tmp_path):
    before = process_executor.pids
    args = (str(tmp_path / "died"), signal.SIGKILL)
    calls = zip(*[(x, *args)] * 2, strict=True)
    losses = remote_map(programs.first_dies, *calls, executor=process_executor)
    (gradient,) = torch.autograd.grad(losses[0], x)
    torch.testing.assert_close(gradient, exact(x), rtol=1e-14, atol=0)
    assert process_executor.pids != before
    assert len(process_executor.workers) == 2


def test_a_worker_that_dies_in_the_backward_pass_costs_a_retry(process_executor, x):
    losses = remote_map(
        programs.slow, [x, 2 * x], [0.5, 0.5], executor=process_executor, mode="recompute"
    )
    victim = process_executor.pids["process-0"]
    killer = threading.Timer(0.2, os.kill, (victim, signal.SIGKILL))
    killer.start()
    (gradient,) = torch.autograd.grad(sum(losses), x)
    killer.join()
    torch.testing.assert_close(gradient, 10 * x.detach(), rtol=1e-14, atol=0)
    assert victim not in process_executor.pids.values()


def test_a_call_that_always_kills_its_worker_is_an_error_that_names_it(process_executor, x):
    with pytest.raises(WorkerLostError, match=r"worker 'process-\d' was lost: .* by SIGKILL"):
        remote_map(programs.kills_itself, [x], executor=process_executor, retries=1)
    assert len(remote_map(programs.process_of, [x, x], executor=process_executor)) == 2


@pytest.mark.slow
def test_a_stopped_worker_is_noticed_by_its_silence(x, tmp_path):
    with ProcessExecutor(2, patience=3.0) as executor:
        remote_map(programs.process_of, [x, x], executor=executor)
        args = (str(tmp_path / "stopped"), signal.SIGSTOP)
        (loss,) = remote_map(programs.first_dies, [x], *([a] for a in args), executor=executor)
        torch.testing.assert_close(torch.autograd.grad(loss, x)[0], exact(x), rtol=1e-14, atol=0)
        args = (str(tmp_path / "stopped again"), signal.SIGSTOP)
        with pytest.raises(WorkerLostError, match=r"no sign of life for 3 s"):
            remote_map(programs.first_dies, [x], *([a] for a in args), executor=executor, retries=0)


def test_a_call_that_takes_too_long_is_given_up(process_executor, x):
    with pytest.raises(WorkerLostError, match=r"did not answer within 0\.2 s"):
        remote_map(programs.slow, [x], [60.0], executor=process_executor, timeout=0.2, retries=0)


def test_dynamic_schedule_gives_the_next_call_to_who_is_idle(process_executor, tmp_path):
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    # The first call ends when the last one begins: with a share each, they would wait for one another.
    whats = ["read", "nothing", "nothing", "write"]
    found = remote_map(
        programs.meet, [path] * 4, whats, executor=process_executor, schedule="dynamic"
    )
    assert found[0] not in found[1:]
    assert len(set(found)) == 2


def test_a_closed_executor_says_so(x):
    executor = ProcessExecutor(1)
    pid = executor.pids["process-0"]
    executor.close()
    executor.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(RuntimeError, match=r"no worker of the executor is left|closed"):
        remote_map(programs.process_of, [x], executor=executor)
    for wrong in ({"num_workers": 0}, {"num_threads": 0}, {"patience": -1.0}):
        with pytest.raises(ValueError, match=f"`{next(iter(wrong))}`"):
            ProcessExecutor(**wrong)


def test_an_exit_of_the_function_is_its_error(process_executor, x):
    before = process_executor.pids
    with pytest.raises(RemoteError, match="SystemExit: 3"):
        remote_map(programs.leaves, [x], executor=process_executor)
    assert process_executor.pids == before


def test_an_executor_is_not_used_behind_a_fork(process_executor, x):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:  # no test framework may run on here
        try:
            process_executor.submit("process-0", programs.process_of, x)
        except RuntimeError as error:
            os.write(write, str(error).encode())
        process_executor.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert b"before a fork" in os.read(read, 1000)
    os.close(read)
    os.close(write)
    assert len(remote_map(programs.process_of, [x, x], executor=process_executor)) == 2


def test_a_time_out_below_the_start_of_a_worker_does_not_end_the_executor(x, monkeypatch):
    monkeypatch.setattr(_process, "_serve", programs.serves_late)
    with ProcessExecutor(1) as executor:
        with pytest.raises(WorkerLostError, match="did not answer within 0"):
            remote_map(programs.process_of, [x], executor=executor, timeout=0.01, retries=4)
        assert len(remote_map(programs.process_of, [x], executor=executor)) == 1


def test_parameters_travel_once_for_each_version(process_executor):
    p = torch.randn(2000, dtype=torch.float64, requires_grad=True)

    def sent():
        return [link.lanes[0].parcels._sent.copy() for link in process_executor._links.values()]

    calls = [p, p]
    remote_map(programs.value_of, calls, executor=process_executor)
    first = sent()
    assert all(numbers for numbers in first)
    for found in remote_map(programs.value_of, calls, executor=process_executor):
        assert torch.equal(found, p)
    assert sent() == first
    p.data.mul_(2)  # which leaves no new version behind
    for found in remote_map(programs.value_of, calls, executor=process_executor):
        assert torch.equal(found, p)
    assert sent() != first
    del p, calls
    q = torch.randn(2000, requires_grad=True)
    remote_map(programs.value_of, [q, q], executor=process_executor)
    remote_map(programs.value_of, [q, q], executor=process_executor)
    assert all(len(numbers) <= len(old) for numbers, old in zip(sent(), first, strict=True))
