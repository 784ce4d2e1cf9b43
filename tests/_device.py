"""The suite on another device: a GPU, or one that is emulated.

``TORCHOPT_TEST_DEVICE=cuda`` makes tensors and generators that say nothing of theirs on that device.
``TORCHOPT_TEST_DEVICE=emulated`` leaves tensors where they are and takes them for those of a GPU: steps
of optimizers run in its kernels, thread by thread, and read no scalar.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import torch


def use(device: str) -> None:
    """Run the tests on a device."""
    if device == "emulated":
        _emulate()
    else:
        _default_to(device)


def _default_to(device: str) -> None:
    torch.set_default_device(device)

    class Generator(torch.Generator):
        """PyTorch's, which is on the CPU by default even so."""

        def __new__(cls, device: Any = device) -> Generator:
            return super().__new__(cls, device)

    torch.Generator = Generator


def _emulate() -> None:
    from torchopt.native import cuda
    from torchopt.ops import _backend
    from torchopt.transform import _step

    replaced: tuple[tuple[Any, str, Any], ...] = (
        (cuda, "fused", partial(cuda.fused, launcher=_Emulated())),
        (cuda, "unavailable", lambda: None),
        (_step, "_is_on_cpu", lambda tensor: False),
    )
    for module, name, other in replaced:
        setattr(module, name, other)
    _backend.BACKENDS["cpu"] = _backend.BACKENDS["cuda"]


class _Emulated:
    """Compiles a kernel for the emulator when it is first asked for, and keeps it for other runs."""

    device_type = "cpu"

    def __init__(self) -> None:
        self._emulators: dict[str, Any] = {}

    def kernels(self, functor: Any, dtype: torch.dtype, device: torch.device) -> Any:
        from torchopt.native.cuda._emulation import Emulator

        if functor.text not in self._emulators:
            self._emulators[functor.text] = Emulator(_library(functor))
        self._emulator = self._emulators[functor.text]
        return self._emulator.kernels(functor, dtype, device)

    def stream(self, device: torch.device) -> int:
        return 0

    def launch(self, *args: Any) -> None:
        self._emulator.launch(*args)


def _library(functor: Any) -> Path:
    from torchopt.native._load import cache_directory
    from torchopt.native.cuda._emulation import build
    from torchopt.native.cuda._functor import SOURCES, program

    emulator = [(SOURCES / name).read_text() for name in ("emulate.h", "emulate.cpp")]
    text = "".join([program([functor.text]), *emulator])
    path = cache_directory() / "emulated" / f"{hashlib.sha256(text.encode()).hexdigest()}.so"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=path.parent))
        os.replace(build({functor.name: functor.text}, scratch), path)
        shutil.rmtree(scratch)
    return path
