"""The distributed runtime: many programs on many workers, and one program on many data."""

from typing import TYPE_CHECKING

import torch.distributed as _distributed
import torch.distributed.rpc as _rpc_of_torch

# What programs of TorchOpt 0.7.3 import: no list of names has it.
from torchopt.distributed import api as api
from torchopt.distributed import autograd as autograd
from torchopt.distributed import spmd
from torchopt.distributed import world as world
from torchopt.distributed._executor import Executor
from torchopt.distributed._local import LocalExecutor
from torchopt.distributed._population import Workers
from torchopt.distributed._process import ProcessExecutor
from torchopt.distributed._ray import RayExecutor
from torchopt.distributed._remote_map import remote_map
from torchopt.io.names import publish as _publish

if TYPE_CHECKING:  # as 0.7.3 names them
    from torchopt.distributed.api import *
    from torchopt.distributed.world import *

__all__ = [
    "Executor",
    "LocalExecutor",
    "ProcessExecutor",
    "RayExecutor",
    "Workers",
    "remote_map",
    "spmd",
]


def is_available() -> bool:
    """Whether this torch was built with all that the functions of TorchOpt 0.7.3 need."""
    return _distributed.is_available() and _rpc_of_torch.is_available() and autograd.is_available()


_publish(__name__)
