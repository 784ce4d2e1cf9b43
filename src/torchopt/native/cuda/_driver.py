"""Kernels on a GPU, through CUDA's driver API: in the context and on the stream that PyTorch uses."""

from __future__ import annotations

import ctypes
import sys
import threading
from functools import cache
from typing import Any

import torch

from torchopt.native.cuda import _nvrtc
from torchopt.native.cuda._functor import Functor
from torchopt.native.cuda._launcher import Kernels
from torchopt.native.cuda._layout import THREADS

_LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"


class _Driver:
    """The driver's C functions, with errors as exceptions."""

    def __init__(self, path: str = _LIBRARY) -> None:
        self._library = ctypes.CDLL(path)
        pointer, unsigned = ctypes.c_void_p, ctypes.c_uint
        self._library.cuLaunchKernel.argtypes = [
            pointer, *[unsigned] * 7, pointer, ctypes.POINTER(pointer), ctypes.POINTER(pointer),
        ]  # fmt: skip

    def call(self, name: str, *args: Any) -> None:
        code = getattr(self._library, name)(*args)
        if code != 0:
            text = ctypes.c_char_p()
            known = self._library.cuGetErrorString(code, ctypes.byref(text)) == 0 and text.value
            reason = known.decode() if known else f"error {code}"
            raise RuntimeError(f"{name} failed: {reason}.")


class Gpu:
    """Launches kernels on GPUs; compiles and loads each at its first use on a device.

    Args:
        driver: The path of CUDA's driver library.
    """

    device_type = "cuda"

    def __init__(self, driver: str = _LIBRARY) -> None:
        self._driver = _Driver(driver)
        self._lock = threading.Lock()
        self._contexts: dict[int, ctypes.c_void_p] = {}
        self._kernels: dict[tuple[str, torch.dtype, int], Kernels] = {}

    def kernels(self, functor: Functor, dtype: torch.dtype, device: torch.device) -> Kernels:
        """Return the kernels of a functor on a device, which is compiled for at the first call."""
        key = (functor.text, dtype, device.index)
        found = self._kernels.get(key)
        if found is None:
            with self._lock:
                found = self._kernels.get(key) or self._load(functor, dtype, device)
                self._kernels[key] = found
        return found

    def stream(self, device: torch.device) -> int:
        """Return PyTorch's current stream on a device."""
        return int(torch.cuda.current_stream(device).cuda_stream)

    def launch(
        self, function: int, grid: int, parameter: bytes, device: torch.device, stream: int
    ) -> None:
        """Start a kernel whose only parameter is a structure of these bytes."""
        held = ctypes.c_char_p(parameter)
        pointers = (ctypes.c_void_p * 1)(ctypes.cast(held, ctypes.c_void_p))
        with self._current(device):
            self._driver.call(
                "cuLaunchKernel", function, grid, 1, 1, THREADS, 1, 1, 0, stream, pointers, None
            )

    def _load(self, functor: Functor, dtype: torch.dtype, device: torch.device) -> Kernels:
        major, minor = torch.cuda.get_device_capability(device)
        texts = {functor.name: functor.text}
        compiled = _nvrtc.compile_functors(texts, dtype, 10 * major + minor)
        module = ctypes.c_void_p()
        found = {}
        with self._current(device):
            self._driver.call("cuModuleLoadData", ctypes.byref(module), compiled.image)
            for name, symbol in compiled.names.items():
                function = ctypes.c_void_p()
                self._driver.call(
                    "cuModuleGetFunction", ctypes.byref(function), module, symbol.encode()
                )
                assert function.value is not None
                found[name] = function.value
        return Kernels(found[functor.name], found["finish"])

    def _current(self, device: torch.device) -> _Current:
        return _Current(self._driver, self._context(device.index))

    def _context(self, index: int) -> ctypes.c_void_p:
        """Return the context that PyTorch's runtime works in; tensors are in it, so it exists."""
        found = self._contexts.get(index)
        if found is None:
            number, found = ctypes.c_int(), ctypes.c_void_p()
            self._driver.call("cuDeviceGet", ctypes.byref(number), index)
            self._driver.call("cuDevicePrimaryCtxRetain", ctypes.byref(found), number)
            self._contexts[index] = found
        return found


class _Current:
    """A context, made current for a while."""

    def __init__(self, driver: _Driver, context: ctypes.c_void_p) -> None:
        self._driver, self._context = driver, context

    def __enter__(self) -> None:
        self._driver.call("cuCtxPushCurrent_v2", self._context)

    def __exit__(self, *error: object) -> None:
        self._driver.call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))


@cache
def gpu() -> Gpu:
    """Return the launcher for this machine's GPUs.

    Raises:
        RuntimeError: If CUDA's driver is not installed.
    """
    try:
        return Gpu()
    except OSError as error:
        raise RuntimeError(f"CUDA's driver cannot be loaded: {error}.") from error
