"""Settings of the suite: one thread a process, and property tests that draw the same on every run.

``TORCHOPT_TEST_ULP=1`` runs the tests on a processor that rounds otherwise (`_ulp`).
``TORCHOPT_TEST_DEVICE`` names a device to run them on (`_device`).
``TORCHOPT_TEST_SHARE`` is the share of each test's cases to run, and the number ``TORCHOPT_TEST_TURN``
says which (`_cases`).
"""

import faulthandler
import gc
import os
import sys
import time
from collections.abc import Iterator

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from _pytest.runner import runtestprotocol
from hypothesis import settings

from _browser import Browser, start

# Read when PyTorch is imported, here and in the processes that tests start: several run side by side.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# That data outlast a loss of power cannot be tested, and a disk is slow to say so.
os.fsync = lambda descriptor: None

settings.register_profile("suite", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("suite")

# Without examples: pytest would import one conftest.py only, and static_*.py are for type checkers.
collect_ignore_glob = ["*conftest.py", "*static_*.py", "*reference/make_*.py"]

if os.environ.get("TORCHOPT_TEST_ULP"):
    import _ulp

    KERNELS = _ulp.perturb()


if os.environ.get("TORCHOPT_TEST_DEVICE"):
    import _device

    _device.use(os.environ["TORCHOPT_TEST_DEVICE"])


@pytest.hookimpl(trylast=True)  # of the cases that are left
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a CPU, on another device, and leave out cases but for a share."""
    if device := os.environ.get("TORCHOPT_TEST_DEVICE"):
        _device.skip_what_needs_a_cpu(items, device)
    if share := os.environ.get("TORCHOPT_TEST_SHARE"):
        from _cases import share_of_cases  # it imports PyTorch

        turn = int(os.environ.get("TORCHOPT_TEST_TURN", "0"))
        items[:] = share_of_cases(items, float(share), turn)


#: A test that hangs shows where after so many seconds, or a tenth earlier: pytest's own option starts
#: and ends a thread for each test.
HANGS = 300
armed = -HANGS


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """In one of several processes, tell the first only what it prints: half as many messages."""
    global armed
    if time.monotonic() - armed > HANGS / 10:
        armed = time.monotonic()
        stderr = item.config.stash[fault_handler_stderr_fd_key]
        faulthandler.dump_traceback_later(HANGS, file=stderr)
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.duration > 0.1:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


gc.disable()  # a collection of tests makes objects that stay


def pytest_collection_finish() -> None:
    """Leave what PyTorch and the suite are made of out of every garbage collection to come."""
    gc.freeze()  # without a collection before: nine tenths of it are no garbage
    gc.enable()
    gc.set_threshold(2000, 10, 100)  # the compiler makes much that stays for a while


@pytest.fixture(scope="module", autouse=True)
def what_is_imported_stays() -> None:
    """Leave out what earlier files have imported, too: a collection of PyTorch's compiler is slow."""
    gc.collect()
    gc.freeze()
    if guards := sys.modules.get("torch._dynamo.guards"):
        # After each compilation it empties the caches of the processor, to time the guards for a log.
        vars(guards)["profile_guard_manager"] = lambda *arguments: 0.0


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser without a window, for tests marked ``browser``."""
    browser = start(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.quit()
