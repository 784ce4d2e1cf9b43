"""What runs the kernels: their emulation, and a GPU where there is one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from _cuda_functors import TEXTS

from _emulation import Emulator, build
from torchopt.native.cuda import Launcher, gpu

MACHINES = ["emulated", *(["gpu"] if torch.cuda.is_available() else [])]


@dataclass(frozen=True)
class Machine:
    """A launcher, and the device of its tensors."""

    launcher: Launcher
    device: torch.device


@pytest.fixture(scope="session")
def emulator_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(TEXTS, tmp_path_factory.mktemp("emulator"))


@pytest.fixture(scope="session", params=MACHINES)
def machine(request: pytest.FixtureRequest) -> Machine:
    if request.param == "gpu":
        return Machine(gpu(), torch.device("cuda", torch.cuda.current_device()))
    return Machine(Emulator(request.getfixturevalue("emulator_library")), torch.device("cpu"))
