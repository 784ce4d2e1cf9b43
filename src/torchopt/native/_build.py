"""The one place that compiles: a library's sources in ``csrc/``, all at once.

Needs no torch and no CMake: ``setup.py`` runs it when a wheel is made, the loader when a binary is
missing at first use. What a binary was made from is in its *stamp*, a digest that the loader compares.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from torchopt.errors import CompileError
from torchopt.formula import header as header_of
from torchopt.formula import optimizers

_PACKAGE = Path(__file__).resolve().parent
_SOURCES = _PACKAGE / "csrc"
# What the kernels of the named optimizers are generated from.
_GENERATOR = tuple(sorted(Path(optimizers.__file__).parent.glob("*.py")))
_X86_64 = platform.machine().lower() in ("x86_64", "amd64")

# Every backend rounds as the formula is written: no contraction to fused multiply-add, no fast-math.
_FLAGS = (
    *("-std=c++17", "-O3", "-fPIC", "-fvisibility=hidden"),
    *("-ffp-contract=off", "-fno-math-errno", "-Wno-psabi"),
)
_INSTRUCTION_SETS: dict[str, tuple[str, ...]] = {
    "baseline": (),
    "avx2": ("-mavx2",),
}

# What takes longer hangs.
_VERSION_SECONDS = 20.0
_COMPILE_SECONDS = 600.0

_STAMP_SOURCE = (
    'extern "C" __attribute__((used, visibility("default"))) const char torchopt_stamp[] = "{}";\n'
)


@dataclass(frozen=True)
class Library:
    """A library to be compiled.

    Attributes:
        name: Its file name without suffix.
        sources: C++ files in ``csrc/``.
        flags: Flags beyond those of all libraries.
        header: Writes ``formulas.h``, which the sources include.
        origin: The files that decide what ``header`` writes.
        links_torch: Whether it calls PyTorch's stable C functions.
        is_module: Whether it is an extension module of Python.
    """

    name: str
    sources: tuple[str, ...]
    flags: tuple[str, ...] = ()
    header: Callable[[], str] | None = None
    origin: tuple[Path, ...] = ()
    links_torch: bool = False
    is_module: bool = False

    @property
    def suffix(self) -> str:
        """The suffix of its file name, which for a module names the Python that it is for."""
        return str(sysconfig.get_config_var("EXT_SUFFIX")) if self.is_module else ".so"

    @property
    def filename(self) -> str:
        """The file's name."""
        return self.name + self.suffix


DRIVER = Library("_driver", ("driver.cpp", "pool.cpp"), links_torch=True)


def instruction_sets() -> tuple[str, ...]:
    """Return the instruction sets that kernels can be compiled for on this architecture."""
    return tuple(_INSTRUCTION_SETS) if _X86_64 else ("baseline",)


def kernels(instruction_set: str, header: Path | None = None, name: str = "_kernels") -> Library:
    """Return the library of a header's kernels, by default of the named optimizers'."""
    return Library(
        f"{name}_{instruction_set}",
        ("kernels.cpp", "kernels_f64.cpp"),
        _INSTRUCTION_SETS[instruction_set],
        header=_optimizers_header if header is None else header.read_text,
        origin=_GENERATOR if header is None else (header,),
    )


def _optimizers_header() -> str:
    return header_of(optimizers.formulas())


def extensions() -> tuple[Library, ...]:
    """Return the extension modules of Python, if Python's headers are there."""
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return ()
    return (Library("_pytree", ("pytree.cpp",), is_module=True),)


def packaged_libraries() -> tuple[Library, ...]:
    """Return the libraries that a wheel brings."""
    return (DRIVER, *map(kernels, instruction_sets()), *extensions())


def compiler() -> list[str] | None:
    """Return the command of the C++ compiler, ``$CXX`` before others, or None.

    Raises:
        CompileError: If ``$CXX`` is no command line.
    """
    if chosen := _words("CXX"):
        return chosen
    found = next((name for name in ("g++", "clang++", "c++") if shutil.which(name)), None)
    return [found] if found else None


def compiler_version(command: list[str]) -> str:
    """Return the first line that the compiler says about itself.

    Raises:
        CompileError: If it cannot be run.
    """
    out = _run([*command, "--version"], seconds=_VERSION_SECONDS)
    return out.strip().partition("\n")[0]


def stamp(library: Library) -> str:
    """Return what a binary says that it was built from; the loader looks for it in the file's bytes.

    It is a digest of sources, flags, version and architecture.
    """
    digest = hashlib.sha256()
    for part in (library.filename, *_flags(library), sys.platform, platform.machine()):
        digest.update(part.encode() + b"\0")
    files = [_PACKAGE.parent / "version.py", *_with_includes(library)]
    for file in files:
        digest.update(file.read_bytes() + b"\0")
    return f"torchopt-stamp:{digest.hexdigest()[:32]}"


def compile_library(library: Library, target: Path) -> None:
    """Compile a library to the file ``target``, which appears whole or not at all.

    Raises:
        CompileError: If there is no compiler, or it fails.
    """
    command = compiler()
    if command is None:
        raise CompileError("no C++ compiler: install g++ or clang++, or name one in CXX.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".build-") as scratch:
        call = [*command, *_flags(library)]
        if library.header is not None:
            Path(scratch, "formulas.h").write_text(library.header())
            call.append(f"-I{scratch}")
        if library.is_module:
            call.append(f"-I{sysconfig.get_path('include')}")
        stamped = Path(scratch, "stamp.cpp")
        stamped.write_text(_STAMP_SOURCE.format(stamp(library)))
        parts = {source: str(Path(scratch, f"{source}.o")) for source in library.sources}
        _run(*([*call, "-c", str(_SOURCES / name), "-o", parts[name]] for name in parts))
        result = Path(scratch, target.name)
        call += ["-shared", *parts.values(), str(stamped), "-o", str(result)]
        _run([*call, *_link_flags(library, command, scratch)])
        os.replace(result, target)


def _flags(library: Library) -> tuple[str, ...]:
    return (*_FLAGS, *library.flags, *_words("TORCHOPT_CXXFLAGS"))


def _words(variable: str) -> list[str]:
    """Return the words of a command line in the environment."""
    text = os.environ.get(variable, "")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise CompileError(f"{variable} is {text!r}, no command line: {error}.") from error


def _link_flags(library: Library, command: list[str], scratch: str) -> list[str]:
    if sys.platform == "darwin":
        return ["-undefined", "dynamic_lookup"]
    if not library.links_torch:
        return []
    # The loader of the system finds torch's functions in the library of this name that torch has
    # loaded: an empty one stands for it here.
    stub = Path(scratch, "libtorch_cpu.so")
    name = f"-Wl,-soname,{stub.name}"
    _run([*command, "-shared", "-x", "c++", os.devnull, name, "-o", str(stub)])
    return [f"-L{scratch}", "-Wl,--no-as-needed", "-ltorch_cpu"]


def _with_includes(library: Library) -> Iterator[Path]:
    """Yield the library's own files: its sources, what they include by a name in quotes, its origin."""
    pending = [*library.origin, *(_SOURCES / source for source in library.sources)]
    seen: set[Path] = set()
    while pending:
        file = pending.pop()
        if file in seen or not file.exists():
            continue
        seen.add(file)
        yield file
        names = re.findall(r'^#include "([^"]+)"', file.read_text(), flags=re.MULTILINE)
        pending += [file.parent / name for name in names]


def _run(*calls: list[str], seconds: float | None = None) -> str:
    """Run commands side by side, and return what they print; if one fails, kill the others."""
    seconds = _COMPILE_SECONDS if seconds is None else seconds
    with contextlib.ExitStack() as stack:
        started = [(call, _start(call, stack)) for call in calls]
        return "".join(_end(call, process, seconds) for call, process in started)


def _start(call: list[str], stack: contextlib.ExitStack) -> subprocess.Popen[str]:
    try:
        process = subprocess.Popen(
            call,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
    except (OSError, ValueError, RuntimeError) as error:  # the last at the end of the program
        raise CompileError(f"cannot run {call[0]}: {error}") from error
    stack.enter_context(process)
    stack.callback(_kill, process)
    return process


def _end(call: list[str], process: subprocess.Popen[str], seconds: float) -> str:
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise CompileError(f"{shlex.join(call)}\ndid not end within {seconds:g} s.") from error
    if process.returncode != 0:
        why = err.strip() or f"ended with the status {process.returncode}."
        raise CompileError(f"{shlex.join(call)}\n{why}")
    return out


def _kill(process: subprocess.Popen[str]) -> None:
    """Kill a compiler that still runs, and what it has started."""
    if process.returncode is None and os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
