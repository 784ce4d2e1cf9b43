"""Run the numerical tests as other machines would: ``python tools/test_matrix.py``.

Each configuration is one run of pytest, in a random order of its own. The first ones differ in how
this environment computes; every pair of their settings occurs in one. The last ones are environments of
other Pythons and releases of PyTorch, ``.venv-PYTHON-RELEASE``: made where they are not there (5 GiB
each), else kept, with this library installed anew. What cannot run here is skipped, and named.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[1]
ROOMS = [
    "formula",
    "autodiff",
    "ops",
    "transform",
    "optimizers",
    "optim",
    "linalg",
    "linear_solve",
    "quadratic",
    "prox",
    "sets",
    "solver",
    "diff",
    "meta",
]
#: Vector instructions, MKL's conditional numerical reproducibility, threads.
SETTINGS = [
    ("default", "", "1"),
    ("default", "COMPATIBLE", "2"),
    ("avx2", "", "2"),
    ("avx2", "COMPATIBLE", "1"),
    ("avx512", "", "1"),
    ("avx512", "COMPATIBLE", "2"),
]
#: Pythons, each with a release of PyTorch: the oldest that is claimed, the pinned, the newest.
ENVIRONMENTS = [("3.10", "floor"), ("3.11", "pinned"), ("3.12", "newest"), ("3.13", "newest")]
#: Where each release of PyTorch is on record.
RELEASES = {
    "floor": ("pyproject.toml", r'"torch>=([\d.]+)"'),
    "pinned": ("constraints.txt", r"^torch==([\d.]+)"),
    "newest": ("pyproject.toml", r'^newest-torch = "([\d.]+)"'),
}
#: MKL asks whether the processor is Intel's, and has other kernels for those.
AS_INTEL = """
int mkl_serv_intel_cpu(void) { return 1; }
int mkl_serv_intel_cpu_true(void) { return 1; }
"""


def configurations(scratch: Path) -> Iterator[tuple[str, dict[str, str], Path]]:
    """Yield the name of each configuration, its environment variables and its interpreter."""
    here = Path(sys.executable)
    for capability, mkl, threads in SETTINGS:
        variables = {"ATEN_CPU_CAPABILITY": capability, "MKL_CBWR": mkl, "OMP_NUM_THREADS": threads}
        name = f"{capability}, MKL_CBWR {mkl or 'unset'}, {threads} thread{'s' * (threads > '1')}"
        yield name, variables, here
    if (library := as_intel(scratch)) is not None:
        yield "MKL as on an Intel processor", {"LD_PRELOAD": str(library)}, here
    yield "roots, powers and sums an ulp off", {"TORCHOPT_TEST_ULP": "1"}, here
    yield "the kernels of an emulated GPU", {"TORCHOPT_TEST_DEVICE": "emulated"}, here
    yield "a pretended device", {"TORCHOPT_TEST_DEVICE": "pretend"}, here
    for python, release in ENVIRONMENTS:
        name = f"Python {python}, torch {release}"
        yield name, {}, ROOT / f".venv-{python}-{release}" / "bin" / "python"


def as_intel(scratch: Path) -> Path | None:
    """Return a library that has MKL take this processor for one of Intel's, if it can be compiled."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        return None
    library = scratch / "as_intel.so"
    command = [compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)]
    subprocess.run(command, input=AS_INTEL, text=True, check=True)
    return library


def recorded(release: str) -> str:
    """Return the floor, the pinned or the newest tested release of PyTorch."""
    file, pattern = RELEASES[release]
    found = re.search(pattern, (ROOT / file).read_text(), re.MULTILINE)
    assert found is not None
    return found[1]


def minor(version: str) -> tuple[int, ...]:
    """Return the first two numbers of a version."""
    return tuple(map(int, version.split(".")[:2]))


def torch_requirement(release: str) -> str:
    """Return what pip installs for a release of PyTorch; the newest that there is for the newest."""
    if release == "newest":
        return "torch"
    version = recorded(release)
    return f"torch=={version}.*" if release == "floor" else f"torch=={version}"


def interpreter(version: str) -> Path | None:
    """Return a Python of this version, from the path or from pyenv."""
    if found := shutil.which(f"python{version}"):
        check = subprocess.run([found, "-c", ""], capture_output=True, check=False)
        if check.returncode == 0:  # pyenv's names may stand for nothing
            return Path(found)
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    return next(iter(sorted(versions.glob(f"{version}.*/bin/python"))), None)


def make(python: Path) -> bool:
    """Make an environment with this library, or renew it in one that is there; False if no Python."""
    folder = python.parents[1]
    _, version, release = folder.name.removeprefix(".").split("-")
    base = interpreter(version)
    if base is None:
        return False
    if not python.exists():
        subprocess.run([base, "-m", "venv", folder], check=True)
    pip: list[str | Path] = [python, "-m", "pip", "--quiet"]
    subprocess.run([*pip, "uninstall", "--yes", "torchopt", "torchopt-diff"], check=True)
    subprocess.run([*pip, "install", torch_requirement(release), f"{ROOT}[test]"], check=True)
    return True


def reason_to_skip(variables: dict[str, str], python: Path) -> str | None:
    """Return what is missing here for a configuration, if anything is."""
    capability = variables.get("ATEN_CPU_CAPABILITY", "default")
    usable = {"AVX2": ("default", "avx2"), "AVX512": ("default", "avx2", "avx512")}
    if capability not in usable.get(torch.backends.cpu.get_cpu_capability(), ("default",)):
        return f"this processor has no {capability}"
    if python != Path(sys.executable) and not make(python):
        return "no such Python here"
    return None


def run(command: list[str | Path], variables: dict[str, str]) -> tuple[str, int]:
    """Run pytest, show what it prints, and return its last line and status."""
    environment = {k: v for k, v in (os.environ | variables).items() if v or k not in variables}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    last = ""
    for line in process.stdout:
        print(line, end="", flush=True)
        last = line.strip() or last
    return last, process.wait()


def main(arguments: list[str] | None = None) -> int:
    """Run what was asked for, and print one line for each configuration."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="configurations whose name has this in it")
    parser.add_argument("--seed", type=int, default=0, help="of the random orders")
    parser.add_argument("tests", nargs="*", default=[f"tests/{room}" for room in ROOMS])
    options = parser.parse_args(arguments)
    results: list[tuple[str, str, int]] = []
    with tempfile.TemporaryDirectory() as scratch:
        for number, (name, variables, python) in enumerate(configurations(Path(scratch))):
            if options.only not in name:
                continue
            if (reason := reason_to_skip(variables, python)) is not None:
                results.append((name, f"skipped: {reason}", 0))
                continue
            version = "import platform, torch; print(platform.python_version(), torch.__version__)"
            found = subprocess.check_output([python, "-c", version], text=True).split()
            print(f"== {name}: Python {found[0]}, torch {found[1]}", flush=True)
            order = ["--random-order", f"--random-order-seed={options.seed + number}"]
            command: list[str | Path] = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
            parallel = ["--numprocesses", "auto", "--dist", "worksteal", "-m", "not slow"]
            results.append((name, *run([*command, *parallel, *order, *options.tests], variables)))
            if not results[-1][2] and minor(found[1]) > minor(recorded("newest")):
                print(
                    f"These tests pass with torch {found[1]}: move newest-torch in pyproject.toml."
                )
    print()
    for name, last, _ in results:
        print(f"{name:45} {last}")
    return int(any(code for _, _, code in results))


if __name__ == "__main__":
    sys.exit(main())
