"""The suite on another device: a GPU, or one that is emulated.

``TORCHOPT_TEST_DEVICE=cuda`` makes tensors and generators that say nothing of theirs on that device.
``TORCHOPT_TEST_DEVICE=emulated`` leaves tensors where they are and takes them for those of a GPU: steps
of optimizers run in its kernels, thread by thread, and read no scalar.
``TORCHOPT_TEST_DEVICE=pretend`` runs them on a device that is a GPU to PyTorch (``pretend.cpp``):
backward passes run in its thread, tensors and generators of two devices do not mix, and waits for it
are counted.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch.utils import cpp_extension

#: For tests of what is told by the numbers of nodes, which are each thread's own.
in_this_thread = pytest.mark.skipif(
    os.environ.get("TORCHOPT_TEST_DEVICE") == "pretend",
    reason="the backward pass runs in another thread, where this cannot be told, or is not measured",
)


def use(device: str) -> None:
    """Run the tests on a device."""
    if device == "emulated":
        _emulate()
    elif device == "pretend":
        pretend()
        _default_to("pretend")
    else:
        _default_to(device)


def _default_to(device: str) -> None:
    torch.set_default_device(device)

    class Generator(torch.Generator):
        """PyTorch's, which is on the CPU by default even so."""

        def __new__(cls, device: Any = device) -> Generator:
            return super().__new__(cls, device)

    torch.Generator = Generator


def pretend() -> Any:
    """Add the device ``"pretend"`` to PyTorch; return its operators, as `waits`."""
    source = Path(__file__).with_name("pretend.cpp")
    command = [
        *("g++", "-std=c++20", "-O1", "-shared", "-fPIC", "-w", str(source)),
        *(f"-I{path}" for path in cpp_extension.include_paths("cpu")),
        *(f"-L{path}" for path in cpp_extension.library_paths("cpu")),
        *("-lc10", "-ltorch_cpu", "-ltorch"),
    ]

    def build(scratch: Path) -> Path:
        made = scratch / "pretend.so"
        subprocess.run([*command, "-o", str(made)], check=True)
        return made

    torch.ops.load_library(_built("pretend", source.read_text() + torch.__version__, build))
    torch.utils.rename_privateuse1_backend("pretend")
    module: Any = ModuleType("torch.pretend")
    module.default_generators = (torch.ops.pretend.default_generator(),)
    module.is_available = module.is_initialized = lambda: True
    module.device_count = lambda: 1
    module.current_device = lambda: 0
    module.get_amp_supported_dtype = lambda: [torch.float16, torch.bfloat16]
    module.get_rng_state = lambda device=None: module.default_generators[0].get_state()
    module.set_rng_state = lambda state, device=None: module.default_generators[0].set_state(state)
    module._is_in_bad_fork = lambda: False
    module.manual_seed_all = lambda seed: module.default_generators[0].manual_seed(seed)
    torch._register_device_module("pretend", module)
    torch.utils.generate_methods_for_privateuse1_backend()
    return torch.ops.pretend


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
    from torchopt.native.cuda._emulation import build
    from torchopt.native.cuda._functor import SOURCES, program

    emulator = [(SOURCES / name).read_text() for name in ("emulate.h", "emulate.cpp")]
    text = "".join([program([functor.text]), *emulator])
    return _built("emulated", text, lambda scratch: build({functor.name: functor.text}, scratch))


def _built(name: str, text: str, build: Callable[[Path], Path]) -> Path:
    """Return a library that is kept for other runs, built if it is not there."""
    from torchopt.native._load import cache_directory

    path = cache_directory() / name / f"{hashlib.sha256(text.encode()).hexdigest()}.so"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=path.parent))
        os.replace(build(scratch), path)
        shutil.rmtree(scratch)
    return path
