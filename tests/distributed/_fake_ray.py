"""As much of Ray as the executor uses, in threads of this process, where Ray is not installed."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from concurrent.futures import Future
from types import SimpleNamespace


class RayActorError(Exception):
    pass


class Stopped(BaseException):
    """In place of a process that is stopped."""


class _Handle:
    def __init__(self, kind, args):
        self._actor = kind(*args)
        self._lock = threading.Lock()
        self._pending = set()
        self.dead = self.stopped = False

    def __getattr__(self, name):
        return SimpleNamespace(remote=lambda *args: self._call(name, args))

    def _call(self, name, args):
        future = Future()
        with self._lock:
            if self.dead:
                future.set_exception(RayActorError("the actor died"))
                return SimpleNamespace(future=lambda: future)
            self._pending.add(future)
        if self.stopped:
            return SimpleNamespace(future=lambda: future)
        args = pickle.loads(pickle.dumps(args, protocol=5))

        def work():
            try:
                value = pickle.loads(pickle.dumps(getattr(self._actor, name)(*args), protocol=5))
            except SystemExit:
                self.kill()
            except Stopped:
                self.stopped = True
            else:
                with self._lock:
                    known = future in self._pending
                    self._pending.discard(future)
                if known:
                    future.set_result(value)

        threading.Thread(target=work, daemon=True).start()
        return SimpleNamespace(future=lambda: future)

    def kill(self):
        with self._lock:
            self.dead = True
            pending, self._pending = self._pending, set()
        for future in pending:
            future.set_exception(RayActorError("the actor died\nand so on"))


class _Class:
    def __init__(self, kind):
        self._kind = kind

    def options(self, **options):
        assert options["scheduling_strategy"] == "SPREAD"
        return self

    def remote(self, *args):
        return _Handle(self._kind, args)


class FakeRay:
    """In place of the module."""

    exceptions = SimpleNamespace(RayActorError=RayActorError)

    def __init__(self):
        self.started = None

    def is_initialized(self):
        return self.started is not None

    def init(self, **options):
        self.started = options

    def shutdown(self):
        self.started = None

    def cluster_resources(self):
        return {"CPU": 2.0}

    def remote(self, **options):
        return _Class

    def method(self, **options):
        return lambda function: function

    def kill(self, handle):
        handle.kill()


def end_this_worker(how):
    """End the process, as it can be ended where there is one."""
    if os.environ.get("RAY_RAYLET_PID"):
        os.kill(os.getpid(), how)
        threading.Event().wait()
    raise SystemExit if how == signal.SIGKILL else Stopped
