"""The distributed runtime: many programs on many workers, and one program on many data."""

from torchopt.distributed._engine import Engine, RemoteError, WorkerLostError
from torchopt.distributed._local import LocalEngine
from torchopt.distributed._process import ProcessEngine
from torchopt.distributed._remote_map import remote_map

__all__ = [
    "Engine",
    "LocalEngine",
    "ProcessEngine",
    "RemoteError",
    "WorkerLostError",
    "remote_map",
]
