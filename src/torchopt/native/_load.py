"""Finds or builds the binaries, chooses the instruction set, tests and loads them: at first use, once.

A process asks :func:`is_live` and, where it is, takes kernels' addresses from :func:`kernels` and
passes them to ``torch.ops.torchopt.fused``. Nothing here runs at import.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib.machinery
import importlib.util
import logging
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import torch

from torchopt import checks
from torchopt.errors import CompileError
from torchopt.io.atomic import replacing
from torchopt.native import _build
from torchopt.native._build import Library
from torchopt.native._probe import probe_difference

_PACKAGE = Path(__file__).resolve().parent
_LOG = logging.getLogger("torchopt.native")
# Each decision is made once; what is made is never unloaded, since kernels' addresses are handed out.
_LOCK = threading.RLock()


class NotLiveError(RuntimeError):
    """The native backend is not live, and is not expected to be."""


@dataclass(frozen=True)
class Status:
    """Whether the native backend is live, and why.

    Attributes:
        live: Whether fused kernels run.
        reason: One sentence that says why, or why not.
        instruction_set: ``"baseline"`` or ``"avx2"``; None where it is not live.
        path: The library of kernels in use.
        driver: The driver in use.
        compiler: The C++ compiler that would build what is missing.
        kernels: How many kernels the library has.
    """

    live: bool
    reason: str
    instruction_set: str | None = None
    path: Path | None = None
    driver: Path | None = None
    compiler: str | None = None
    kernels: int = 0


@dataclass(frozen=True)
class _Runtime:
    status: Status
    table: Mapping[str, int]
    driver: ctypes.CDLL | None = None


class _Kernel(ctypes.Structure):
    """``TorchoptKernel`` of ``csrc/kernel.h``."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        *((count, ctypes.c_int32) for count in ("inputs", "outputs", "scalars", "sums")),
        ("run_f32", ctypes.c_void_p),
        ("run_f64", ctypes.c_void_p),
    )


_runtime: _Runtime | None = None
# Libraries of users' formulas, by the digest of their header.
_compiled: dict[str, dict[str, int]] = {}


def is_live() -> bool:
    """Whether the native backend is live; the first call loads, and may compile, it.

    Example:
        >>> is_live() == status().live
        True
    """
    return (_runtime or _load()).status.live


def status() -> Status:
    """Return whether the native backend is live, and why; the first call loads it.

    Example:
        >>> import torchopt
        >>> torchopt.experimental.status().live == torchopt.accelerated_op.is_available("cpu")
        True
    """
    return (_runtime or _load()).status


def kernels() -> Mapping[str, int]:
    """Return the address of each kernel by its name: empty where the backend is not live."""
    return (_runtime or _load()).table


def compile_kernels(header_text: str) -> dict[str, int]:
    """Compile formulas at run time; binaries are kept in the cache by the formulas' text.

    Args:
        header_text: A header in the form of the generated one: functors and ``TORCHOPT_KERNELS``.

    Returns:
        The address of each kernel by its name; empty where the backend is not live.

    Raises:
        CompileError: If the compiler refuses.
    """
    state = _runtime or _load()
    if state.status.instruction_set is None:
        return {}
    key = hashlib.sha256(header_text.encode()).hexdigest()[:16]
    with _LOCK:
        if key not in _compiled:
            header = cache_directory() / f"formula_{key}.h"
            header.parent.mkdir(parents=True, exist_ok=True)
            if not header.exists():
                _write(header, header_text)
            library = _build.kernels(state.status.instruction_set, header, f"formula_{key}")
            table = _open_kernels(_cached(library))
            if difference := _difference(table):
                raise CompileError(f"the compiled formula differs from torch: {difference}.")
            del table["probe"]
            _compiled[key] = table
        return dict(_compiled[key])


def extension(name: str) -> ModuleType | None:
    """Return the extension module ``name``, such as ``"_pytree"``, built if need be.

    Returns:
        The module, or None where it can be neither found nor built.
    """
    if _choice() == "off":
        return None
    try:
        library = next((one for one in _build.extensions() if one.name == name), None)
        packaged = _PACKAGE / f"{name}{importlib.machinery.EXTENSION_SUFFIXES[0]}"
        path = find(library) if library is not None else packaged
        loader = importlib.machinery.ExtensionFileLoader(f"torchopt.native.{name}", str(path))
        spec = importlib.util.spec_from_file_location(loader.name, path, loader=loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except Exception as error:  # whatever happens to binaries, plain Python runs
        _LOG.info("no extension %s: %s", name, error)
        return None
    return module


def cache_directory() -> Path:
    """Return where binaries are built: ``$TORCHOPT_CACHE``, or the user's cache directory.

    Raises:
        CompileError: If the user has no home directory.
    """
    if chosen := os.environ.get("TORCHOPT_CACHE"):
        return Path(chosen)
    if chosen := os.environ.get("XDG_CACHE_HOME"):
        return Path(chosen, "torchopt")
    caches = "Library/Caches" if sys.platform == "darwin" else ".cache"
    try:
        return Path.home() / caches / "torchopt"
    except RuntimeError as error:
        raise CompileError(
            "there is no home directory to keep binaries in: name a folder in TORCHOPT_CACHE."
        ) from error


def usable_instruction_sets() -> list[str]:
    """Return the instruction sets that this processor has, the preferred one first."""
    capability = torch.backends.cpu.get_cpu_capability()
    usable = ["avx2", "baseline"] if capability in ("AVX512", "AVX2") else ["baseline"]
    return [name for name in usable if name in _build.instruction_sets()]


def _load() -> _Runtime:
    global _runtime
    with _LOCK:
        if _runtime is None:
            try:
                _runtime = _load_or_raise()
            except Exception as error:  # whatever happens to kernels, plain operations run
                reason = str(error) or repr(error)
                _runtime = _Runtime(Status(False, reason, compiler=_compiler_name()), {})
                if not isinstance(error, NotLiveError):
                    checks.warn(
                        f"torchopt's fused kernels are disabled, and the plain PyTorch operations run "
                        f"instead (TORCHOPT_NATIVE=off does so without this warning): {reason}"
                    )
        return _runtime


def _load_or_raise() -> _Runtime:
    if os.name != "posix":
        raise NotLiveError("the native backend is for Linux and macOS.")
    instruction_set = _choose_instruction_set()
    path = find(_build.kernels(instruction_set))
    table = _open_kernels(path)
    driver_path = find(_build.DRIVER)
    driver = _open_driver(driver_path)
    if found := _difference(table):
        raise RuntimeError(f"{path} differs from the reference on this machine: {found}.")
    origin = "came with the package" if path.parent == _PACKAGE else "were built into the cache"
    state = Status(
        live=True,
        reason=f"the binaries {origin}, and agree with torch.",
        instruction_set=instruction_set,
        path=path,
        driver=driver_path,
        compiler=_compiler_name(),
        kernels=len(table),
    )
    return _Runtime(state, table, driver)


def _choice() -> str:
    return os.environ.get("TORCHOPT_NATIVE", "").strip().lower()


def _choose_instruction_set() -> str:
    choice, usable = _choice(), usable_instruction_sets()
    if choice == "off":
        raise NotLiveError("TORCHOPT_NATIVE=off.")
    if choice and choice not in usable:
        raise ValueError(
            f"TORCHOPT_NATIVE={choice}: this machine has {', '.join(usable)}, and off."
        )
    return choice or usable[0]


def find(library: Library) -> Path:
    """Return the packaged binary if these very sources made it, else the cached one, built if need be.

    Raises:
        CompileError: If it cannot be built.
    """
    packaged = _PACKAGE / library.filename
    if packaged.exists() and _build.stamp(library).encode() in packaged.read_bytes():
        return packaged
    return _cached(library)


def _cached(library: Library) -> Path:
    command = _build.compiler()
    if command is None:
        raise CompileError(
            "no packaged binary and no C++ compiler: install g++, or name one in CXX."
        )
    key = hashlib.sha256(f"{_build.stamp(library)} {_build.compiler_version(command)}".encode())
    target = cache_directory() / f"{library.name}-{key.hexdigest()[:16]}{library.suffix}"
    if target.exists():
        return target
    failure = target.with_suffix(".failed")
    with _file_lock(target.with_suffix(".lock")):
        if failure.exists():
            raise CompileError(
                f"{failure.read_text(encoding='utf-8', errors='replace')}\n"
                f"(`python -m torchopt.native build` tries again; remembered in {failure})"
            )
        if not target.exists():
            _LOG.warning("torchopt: compiling %s, once, into %s", library.name, target.parent)
            try:
                _build.compile_library(library, target)
            except CompileError as error:
                _write(failure, str(error))
                raise
    return target


@contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    """Hold a lock among processes; it goes with the process that holds it."""
    import fcntl  # not on every system that imports this module

    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _write(path: Path, text: str) -> None:
    with replacing(path) as file:
        file.write(text.encode("utf-8", "replace"))


def _open_kernels(path: Path) -> dict[str, int]:
    library = ctypes.CDLL(str(path))
    library.torchopt_kernels.restype = ctypes.POINTER(_Kernel)
    count = ctypes.c_int64()
    first = library.torchopt_kernels(ctypes.byref(count))
    return {first[i].name.decode(): ctypes.addressof(first[i]) for i in range(count.value)}


def _open_driver(path: Path) -> ctypes.CDLL:
    torch.ops.load_library(path)
    driver = ctypes.CDLL(str(path))  # the same one
    driver.torchopt_pool_trim.restype = ctypes.c_int64
    driver.torchopt_pool_trim.argtypes = [ctypes.c_int64]
    driver.torchopt_pool_set_limit.restype = None
    driver.torchopt_pool_set_limit.argtypes = [ctypes.c_int64]
    driver.torchopt_pool_stats.restype = None
    if driver.torchopt_register() != 0:
        raise OSError(f"PyTorch refused the operators of {path}.")
    if limit := os.environ.get("TORCHOPT_POOL_BYTES"):
        if not limit.isdecimal():
            raise ValueError(f"TORCHOPT_POOL_BYTES is {limit!r}: it must be a number of bytes.")
        driver.torchopt_pool_set_limit(int(limit))
    return driver


def _difference(table: Mapping[str, int]) -> str | None:
    """Return in a few words what the probe of a library computes otherwise than torch."""
    try:
        # No mode or transformation of the caller is active in another thread.
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(probe_difference, table["probe"]).result()
    except RuntimeError:  # at the end of the program, no thread can be started
        return probe_difference(table["probe"])


@functools.cache
def _compiler_name() -> str | None:
    try:
        command = _build.compiler()
        return _build.compiler_version(command) if command else None
    except CompileError:
        return None
