"""Functors compiled for a GPU at run time, by the NVRTC that PyTorch's CUDA wheels bring.

Results are cached on disk, keyed by everything that they depend on.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import hashlib
import importlib.util
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch

from torchopt.errors import CompileError
from torchopt.io.atomic import replacing
from torchopt.native._load import cache_directory
from torchopt.native.cuda._functor import C_TYPES, program

# NVRTC would fuse a * b + c into one rounding; the CPU's kernels round twice, and bits agree. Their
# speed is that of memory, so it costs nothing. Divisions and roots round correctly by default.
FLAGS = ("--std=c++17", "--fmad=false")

# The first errors say what is wrong; the rest follow from them, for every place that is instantiated.
LOG_CHARACTERS = 2000


@dataclass(frozen=True)
class Module:
    """Compiled kernels.

    Attributes:
        image: What the driver loads: machine code, or PTX where the GPU is newer than NVRTC.
        names: The symbol of each functor's kernel, and of ``"finish"``.
    """

    image: bytes
    names: dict[str, str]


def _candidates() -> Iterator[Path]:
    pattern = "nvrtc64_*.dll" if sys.platform == "win32" else "libnvrtc.so*"
    wheels = importlib.util.find_spec("nvidia")
    places = [Path(torch.__file__).parent / "lib", Path(sys.prefix) / "lib"]
    for root in (wheels.submodule_search_locations or []) if wheels else []:
        places += [
            *Path(root).glob("*/lib"),
            *Path(root).glob("*/bin"),
            *Path(root).glob("*/bin/*"),
        ]
    for toolkit in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if toolkit:
            places += [Path(toolkit) / "lib64", Path(toolkit) / "bin"]
    for place in places:
        yield from sorted(p for p in place.glob(pattern) if "alt" not in p.name)
    found = ctypes.util.find_library("nvrtc")
    if found:
        yield Path(found)


class _Nvrtc:
    """The library's C functions that are used here, with errors as exceptions."""

    def __init__(self, path: Path) -> None:
        # Its companion is opened by bare name, which finds it if it is there already.
        if path.is_absolute():
            for companion in sorted(path.parent.glob("libnvrtc-builtins.so*")):
                ctypes.CDLL(str(companion))
        self.path = path
        self._library = ctypes.CDLL(str(path))
        self._library.nvrtcGetErrorString.restype = ctypes.c_char_p
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        self.version = (major.value, minor.value)
        count = ctypes.c_int()
        self.call("nvrtcGetNumSupportedArchs", ctypes.byref(count))
        numbers = (ctypes.c_int * count.value)()
        self.call("nvrtcGetSupportedArchs", numbers)
        self.architectures = tuple(numbers)

    def call(self, name: str, *args: object) -> None:
        code = getattr(self._library, name)(*args)
        if code != 0:
            reason = self._library.nvrtcGetErrorString(code).decode()
            raise RuntimeError(f"{name} of {self.path.name} failed: {reason}.")

    def text(self, size: str, content: str, handle: ctypes.c_void_p) -> bytes:
        """Return what a pair of functions, one for the size and one for the bytes, gives."""
        length = ctypes.c_size_t()
        self.call(size, handle, ctypes.byref(length))
        buffer = ctypes.create_string_buffer(length.value)
        self.call(content, handle, buffer)
        return buffer.raw

    def compile(self, source: str, names: Mapping[str, str], flags: tuple[str, ...]) -> Module:
        handle = ctypes.c_void_p()
        self.call(
            "nvrtcCreateProgram",
            ctypes.byref(handle), source.encode(), b"torchopt.cu", 0, None, None,
        )  # fmt: skip
        try:
            for expression in names.values():
                self.call("nvrtcAddNameExpression", handle, expression.encode())
            options = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
            try:
                self.call("nvrtcCompileProgram", handle, len(flags), options)
            except RuntimeError as error:
                log = self.text("nvrtcGetProgramLogSize", "nvrtcGetProgramLog", handle)
                told = log.rstrip(bytes(1)).decode()[:LOG_CHARACTERS]
                raise RuntimeError(f"{error}\n{told}") from None
            lowered = {}
            for name, expression in names.items():
                symbol = ctypes.c_char_p()
                self.call("nvrtcGetLoweredName", handle, expression.encode(), ctypes.byref(symbol))
                assert symbol.value is not None
                lowered[name] = symbol.value.decode()
            kind = "CUBIN" if "--gpu-architecture=sm_" in "".join(flags) else "PTX"
            return Module(self.text(f"nvrtcGet{kind}Size", f"nvrtcGet{kind}", handle), lowered)
        finally:
            self.call("nvrtcDestroyProgram", ctypes.byref(handle))


@cache
def library() -> _Nvrtc:
    """Return NVRTC: of PyTorch's CUDA release if there is one, else whichever loads.

    Raises:
        RuntimeError: If none is found.
    """
    wanted = (torch.version.cuda or "").split(".")[0]
    failures = []
    found: list[_Nvrtc] = []
    for path in _candidates():
        try:
            nvrtc = _Nvrtc(path)
        except (OSError, AttributeError, RuntimeError) as error:
            failures.append(f"{path}: {error}")
            continue
        if str(nvrtc.version[0]) == wanted:
            return nvrtc
        found.append(nvrtc)
    if found:
        return found[0]
    tried = "; ".join(failures) or "none found"
    raise RuntimeError(
        f"No NVRTC library ({tried}). PyTorch's CUDA wheels bring it; else install "
        "nvidia-cuda-nvrtc, or set CUDA_HOME."
    )


def supported() -> bool:
    """Whether an NVRTC library is there."""
    try:
        library()
    except RuntimeError:
        return False
    return True


def _architecture_flag(arch: int, known: tuple[int, ...]) -> str:
    if arch in known:
        return f"--gpu-architecture=sm_{arch}"
    older = [a for a in known if a < arch]
    if not older:
        raise RuntimeError(f"NVRTC compiles for sm_{min(known)} and newer; this GPU is sm_{arch}.")
    return f"--gpu-architecture=compute_{max(older)}"


def compile_functors(texts: Mapping[str, str], dtype: torch.dtype, arch: int) -> Module:
    """Compile the kernels of these functors.

    Args:
        texts: The functors, by name.
        dtype: The type of the tensors.
        arch: The GPU's compute capability, as in ``90``.

    Returns:
        The module, from the cache if it was compiled before.

    Raises:
        RuntimeError: If NVRTC is missing, or refuses the program; its log is in the message.
    """
    nvrtc = library()
    flags = (*FLAGS, _architecture_flag(arch, nvrtc.architectures))
    kind = C_TYPES[dtype]
    names = {
        name: f"torchopt::fused<torchopt::{name}<{kind}, {kind}>, {kind}>" for name in texts
    } | {"finish": "torchopt::finish"}
    source = program(texts.values())
    key = json.dumps([source, names, flags, nvrtc.version])
    try:
        path = cache_directory() / "cuda" / f"{hashlib.sha256(key.encode()).hexdigest()}.bin"
    except CompileError:  # no home directory: nothing is kept
        return nvrtc.compile(source, names, flags)
    found = _read(path)
    if found is None:
        found = nvrtc.compile(source, names, flags)
        with suppress(OSError):  # read-only or full: it is compiled again the next time
            _write(path, found)
    return found


# A line of JSON: the names and the image's digest; then the image.
def _read(path: Path) -> Module | None:
    try:
        head, _, image = path.read_bytes().partition(b"\n")
        names, digest = json.loads(head)
    except (OSError, ValueError):
        return None
    # A disk that was full, or a stranger's file: compile again.
    return Module(image, names) if hashlib.sha256(image).hexdigest() == digest else None


def _write(path: Path, module: Module) -> None:
    head = json.dumps([module.names, hashlib.sha256(module.image).hexdigest()])
    with replacing(path) as file:
        file.write(head.encode() + b"\n" + module.image)
