"""The executor on Ray; where Ray is not installed, on a stand-in for it."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys

import pytest
import torch

from distributed import remote_programs as programs
from distributed._fake_ray import FakeRay, end_this_worker
from torchopt.distributed import RayExecutor, remote_map
from torchopt.errors import RemoteError
from torchopt.experimental import MonarchExecutor

INSTALLED = importlib.util.find_spec("ray") is not None


def first_dies(*args):
    return programs.first_dies(*args, kill=end_this_worker)


@pytest.fixture(scope="module")
def executor():
    with pytest.MonkeyPatch.context() as patched:
        here = os.pathsep.join([os.path.dirname(os.path.dirname(__file__)), *sys.path])
        patched.setenv("PYTHONPATH", here)  # where workers find the functions of tests
        if not INSTALLED:
            patched.setitem(sys.modules, "ray", FakeRay())
        with RayExecutor(2, patience=4.0) as executor:
            # One that has never answered is not given up: it may be starting.
            remote_map(programs.value_of, [torch.ones(1)] * 2, executor=executor)
            yield executor


@pytest.fixture
def x():
    return torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)


def test_it_listens_on_the_loopback_interface(executor):
    ray = sys.modules["ray"]
    if INSTALLED:
        assert {node["NodeManagerAddress"] for node in ray.nodes()} == {"127.0.0.1"}
    else:
        assert ray.started["_node_ip_address"] == "127.0.0.1"


@pytest.mark.parametrize("mode", ["eager", "recompute", "retain"])
def test_derivatives_equal_those_of_one_process(executor, x, mode):
    w = torch.tensor([1.5, 0.25, -2.0], dtype=torch.float64, requires_grad=True)

    def total(results):
        return sum(loss * (k + 1) + v.sin().sum() for k, (loss, v) in enumerate(results))

    there = total(remote_map(programs.cubic, [x] * 3, [w] * 3, executor=executor, mode=mode))
    here = total([programs.cubic(x, w)] * 3)
    for again in (True, False):
        firsts = [torch.autograd.grad(y, (x, w), create_graph=again) for y in (there, here)]
        torch.testing.assert_close(*firsts, rtol=1e-12, atol=1e-12)
        there, here = (sum(g.sin().sum() for g in first) for first in firsts)


def test_errors_tell_where_they_come_from(executor, x):
    with pytest.raises(KeyError, match="no such thing") as caught:
        remote_map(programs.fails, [x], executor=executor)
    assert isinstance(caught.value.__cause__, RemoteError)
    assert caught.value.__cause__.worker == "ray-0"


# What is stopped is lost after a time-out.
@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGSTOP, marks=pytest.mark.slow)]
)
def test_an_actor_that_is_lost_is_replaced_and_costs_a_retry(executor, x, tmp_path, how):
    (loss,) = remote_map(first_dies, [x], [str(tmp_path / "died")], [how], executor=executor)
    (gradient,) = torch.autograd.grad(loss, x)
    torch.testing.assert_close(gradient, (torch.cos(x) + 3 * x**2).detach(), rtol=1e-14, atol=0)
    assert executor.workers == ("ray-0", "ray-1")
    assert len(remote_map(programs.value_of, [x, x], executor=executor)) == 2


def test_wrong_numbers_and_a_missing_package_are_refused(monkeypatch):
    with pytest.raises(ValueError, match="`num_workers` is 0"):
        RayExecutor(0)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "torchopt-diff\[ray\]"'):
        RayExecutor(1)


def test_monarch_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "monarch.actor", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "torchopt-diff\[monarch\]"'):
        MonarchExecutor(1)
    with pytest.raises(ValueError, match="`num_threads` is 0"):
        MonarchExecutor(1, num_threads=0)
