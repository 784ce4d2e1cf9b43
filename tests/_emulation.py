"""The GPU kernels on a CPU: the same CUDA source, compiled for it, thread by thread.

It proves what the kernels compute on machines without a GPU; it is slow.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from pathlib import Path

import torch

from torchopt.formula import listed
from torchopt.native._build import Library, compile_library
from torchopt.native.cuda._functor import Functor
from torchopt.native.cuda._launcher import Kernels
from torchopt.native.cuda._layout import THREADS


def build(texts: Mapping[str, str], directory: Path) -> Path:
    """Compile functors for the emulator.

    Args:
        texts: The functors, by name.
        directory: Where the library is written.

    Returns:
        The path of the library.

    Raises:
        CompileError: If the compiler refuses; its messages are in the error's.
    """
    path = directory / "emulated.so"
    flags = ("-O0", "-Wno-unknown-pragmas")  # compiling takes longer than running
    library = Library("emulated", ("emulate.cpp",), flags, header=lambda: listed(texts))
    compile_library(library, path)
    return path


class Emulator:
    """Runs kernels on tensors of the CPU.

    Args:
        library: What :func:`build` made.
    """

    device_type = "cpu"

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))
        self._function = self._library.torchopt_emulated_function
        self._function.restype = ctypes.c_void_p
        self._launch = self._library.torchopt_emulated_launch
        self._launch.argtypes = [
            ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint, ctypes.c_char_p,
        ]  # fmt: skip

    def kernels(self, functor: Functor, dtype: torch.dtype, device: torch.device) -> Kernels:
        """Return the kernels of a functor."""
        found = []
        for name in (functor.name, "finish"):
            function = self._function(name.encode(), int(dtype == torch.float64))
            if not function:
                raise RuntimeError(f"{name} is not in the emulator's library.")
            found.append(function)
        return Kernels(*found)

    def stream(self, device: torch.device) -> int:
        """Return 0: a CPU has no streams."""
        return 0

    def launch(
        self, function: int, grid: int, parameter: bytes, device: torch.device, stream: int
    ) -> None:
        """Run all blocks, one after another."""
        code = self._launch(function, grid, THREADS, parameter)
        assert code in (0, 1)
        if code == 1:
            raise RuntimeError("The threads of a block did not meet at a barrier.")
