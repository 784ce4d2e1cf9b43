"""The suite on another device: a GPU, or one that is emulated.

``TORCHOPT_TEST_DEVICE=cuda`` makes tensors and generators that say nothing of theirs on that device.
``TORCHOPT_TEST_DEVICE=emulated`` leaves tensors where they are and takes them for those of a GPU: steps
of optimizers run in its kernels, thread by thread, and read no scalar.
``TORCHOPT_TEST_DEVICE=elsewhere`` runs backward passes in a second thread, as PyTorch does for a GPU:
hooks, custom Functions and solvers run there that a derivative needs.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.overrides import _get_current_function_mode_stack
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

#: For tests of what is told by the numbers of nodes, which are each thread's own.
in_this_thread = pytest.mark.skipif(
    os.environ.get("TORCHOPT_TEST_DEVICE") == "elsewhere",
    reason="the backward pass runs in another thread, where this cannot be told, or is not measured",
)


def use(device: str) -> None:
    """Run the tests on a device."""
    if device == "emulated":
        _emulate()
    elif device == "elsewhere":
        _go_elsewhere()
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


def _go_elsewhere() -> None:
    globals()["__name__"] = "torch.elsewhere"  # warnings skip the frames of PyTorch
    from torchopt.autodiff.tracking import without_hooks

    run = torch.autograd.graph._engine_run_backward
    # One thread that stays, so that the nodes which it makes go on counting.
    thread, busy = ThreadPoolExecutor(1), threading.Lock()

    def handed_on(modes: Any, hooks: Any, enabled: bool, args: Any, kwargs: Any) -> Any:
        with ExitStack() as stack:
            for mode in modes:
                torch._C._push_on_torch_function_stack(mode)
                stack.callback(torch._C._pop_torch_function_stack)
            for pack, unpack in reversed(hooks):
                stack.enter_context(torch.autograd.graph.saved_tensors_hooks(pack, unpack))
            with torch.set_grad_enabled(enabled):
                return run(*args, **kwargs)

    def _engine_run_backward(*args: Any, **kwargs: Any) -> Any:
        here = (
            busy.locked()  # a pass within another
            or not torch._C._is_multithreading_enabled()
            or torch._C._are_functorch_transforms_active()
            or _get_current_dispatch_mode_stack()  # which cannot be handed on
        )
        if here:
            return run(*args, **kwargs)
        # The engine hands these on to its threads.
        modes, enabled = _get_current_function_mode_stack(), torch.is_grad_enabled()
        with without_hooks() as hooks:
            pass
        with busy, torch._C.DisableTorchFunction():
            return thread.submit(handed_on, modes, hooks, enabled, args, kwargs).result()

    for module in (torch.autograd, torch.autograd.graph):
        module._engine_run_backward = _engine_run_backward


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
