"""The packages that benchmarks compare with, in an environment of their own (`.venv-peers`).

The published TorchOpt is imported as ``torchopt``, as ours is: the two cannot share an interpreter.
``python -m benchmarks.peers install`` makes the environment from `benchmarks/peers.txt`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = ROOT / ".venv-peers"
REQUIREMENTS = Path(__file__).with_name("peers.txt")
ABSENT = (
    "The peers are absent: only ours was measured. Install them: python -m benchmarks.peers install"
)


def python(environment: Path = ENVIRONMENT) -> Path | None:
    """Return the interpreter of the peers' environment, or None where the environment is absent."""
    path = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    return path if path.exists() else None


def packages(environment: Path = ENVIRONMENT) -> Path | None:
    """Return the folder of the peers' packages, or None where it is absent."""
    return next(iter(environment.glob("lib/python*/site-packages")), None)


def xla(threads: int, device: str = "cpu") -> dict[str, str]:
    """Return the environment variables under which JAX runs on a device, with so many threads."""
    one = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    flags = {"XLA_FLAGS": one} if threads == 1 else {}  # XLA has no number of threads: one, or all
    # On a GPU it would take most of the memory when it starts, beside PyTorch's processes.
    platform = {"JAX_PLATFORMS": device.partition(":")[0], "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    return {**platform, "JAX_ENABLE_X64": "1", **flags}


def install(environment: Path = ENVIRONMENT, *, base: str = sys.executable) -> None:
    """Make the environment and install `peers.txt` into it, with the interpreter ``base``."""
    subprocess.run([base, "-m", "venv", str(environment)], check=True)
    interpreter = python(environment)
    assert interpreter is not None
    subprocess.run(
        [str(interpreter), "-m", "pip", "install", "--requirement", str(REQUIREMENTS)], check=True
    )


def main(argv: list[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("command", choices=["install"])
    parser.add_argument("--python", default=sys.executable, help="interpreter to build on")
    parser.add_argument("--into", type=Path, default=ENVIRONMENT, help="folder of the environment")
    options = parser.parse_args(argv)
    install(options.into, base=options.python)


if __name__ == "__main__":
    main()
