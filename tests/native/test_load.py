"""Binaries are found or built, tested, and chosen by processor; every other way ends in a reason."""

import functools
import os
import sys
from pathlib import Path

import pytest
import torch
from _formulas import ADAM, HEADER

from _warm import Program
from torchopt import native
from torchopt.errors import CompileError
from torchopt.native import _build, _load

pytestmark = pytest.mark.processes


def python(code, **environment):
    """Run a program where nothing is loaded yet; return what it printed and what it wrote as errors."""
    status, out, err = Program(["-c", code], {**os.environ, **environment}).end()
    assert status == 0, err
    return out.strip(), err


REASON = "from torchopt import native; s = native.status(); print(s.live, s.reason)"


def test_it_is_live_here():
    # Continuous integration has a compiler and a recent torch: a silent fallback is a failure.
    state = native.status()
    assert state.live, state.reason
    assert native.is_live()
    assert state.kernels == len(native.kernels()) > 0
    assert "probe" in native.kernels()


def test_kernels_are_trusted_where_torch_rounds_otherwise():
    code = f"import _ulp; kernels = _ulp.perturb(); {REASON}"
    path = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    out, _ = python(code, PYTHONPATH=path)
    assert out.startswith("True "), out


def test_importing_loads_and_compiles_nothing(tmp_path):
    code = (
        "import torchopt, torchopt.native, torch\n"
        "from torchopt.native import _load\n"
        "print(_load._runtime, [x for x in torch.ops.loaded_libraries if 'torchopt' in x])"
    )
    out, _ = python(code, TORCHOPT_CACHE=str(tmp_path))
    assert out == "None []"
    assert not list(tmp_path.iterdir())


def test_off_is_off():
    assert python(REASON, TORCHOPT_NATIVE="off")[0] == "False TORCHOPT_NATIVE=off."


def test_without_compiler_and_binaries_it_says_so(tmp_path):
    code = (
        "from pathlib import Path; from torchopt.native import _load\n"
        f"_load._PACKAGE = Path({str(tmp_path)!r})\n" + REASON
    )
    out, _ = python(code, TORCHOPT_CACHE=str(tmp_path), PATH="/nonexistent", CXX="")
    assert out == ("False no packaged binary and no C++ compiler: install g++, or name one in CXX.")


def script(folder, text):
    compiler = folder / "g++"
    compiler.write_bytes(b"#!/bin/sh\n" + text)
    compiler.chmod(0o755)
    return str(compiler)


VERSION = b'[ "$1" = --version ] && echo 1.0 && exit 0\n'


@pytest.fixture
def unbuilt(tmp_path, monkeypatch):
    """Nothing is loaded and nothing came with the package."""
    monkeypatch.setattr(_load, "_runtime", None)
    monkeypatch.setattr(_load, "_PACKAGE", tmp_path)
    monkeypatch.setenv("TORCHOPT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(_build, "_VERSION_SECONDS", 0.5)
    monkeypatch.setattr(_build, "_COMPILE_SECONDS", 0.5)
    _load._compiler_name.cache_clear()
    yield tmp_path
    _load._compiler_name.cache_clear()


def check_is_disabled(reason):
    with pytest.warns(UserWarning, match="fused kernels are disabled") as seen:
        states = [native.status(), native.status()]
    assert len(seen) == 1
    assert reason in str(seen[0].message)
    assert reason in states[0].reason
    assert not states[1].live
    assert native.kernels() == {}


@pytest.mark.parametrize(
    ("compiler", "reason"),
    [
        ("g++ -DX='", "no command line"),
        ("/nonexistent/g++", "cannot run /nonexistent/g"),
        (b"exit 0\n", "No such file"),
        (VERSION + b"printf 'na\\357ve \\377' >&2; exit 1\n", "na\ufffdve"),
        (b"printf '\\377\\n'; exit 0\n", "No such file"),
        (VERSION + b"kill -SEGV $$\n", "ended with the status -11"),
        (VERSION + b"sleep 9\n", "did not end within"),
        (b"sleep 9\n", "did not end within"),
    ],
    ids=["quote", "missing", "silent", "latin", "no text", "crash", "hangs", "hangs at once"],
)
def test_whatever_the_compiler_does_one_warning_says_so(compiler, reason, unbuilt, monkeypatch):
    command = compiler if isinstance(compiler, str) else script(unbuilt, compiler)
    monkeypatch.setenv("CXX", command)
    if "did not end" in reason:
        call = "_COMPILE_SECONDS" if VERSION in compiler else "_VERSION_SECONDS"
        monkeypatch.setattr(_build, call, 0.05)
    check_is_disabled(reason)
    assert native.extension("_pytree") is None


def test_binaries_are_loaded_at_the_end_of_the_program_too():
    # As in a process that answers remote calls after its main function has returned.
    code = (
        "import atexit, torchopt\n"
        "from torchopt import native\n"
        "atexit.register(lambda: print(native.status().live, native.status().reason))\n"
    )
    assert python(code)[0].startswith("True ")
    refused = "import threading\ndef refuse(self): raise RuntimeError('can\\'t start new thread')\n"
    code = refused + code + "threading.Thread.start = refuse\n"  # as Python 3.12 does then
    assert python(code)[0].startswith("True ")


def test_a_failing_compiler_is_remembered_and_not_called_again(tmp_path):
    compiler = tmp_path / "g++"
    compiler.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo 1.0 && exit 0\n'
        f"echo called >> {tmp_path}/calls\necho out of order >&2\nexit 1\n"
    )
    compiler.chmod(0o755)
    code = (
        "from pathlib import Path; from torchopt.native import _load\n"
        f"_load._PACKAGE = Path({str(tmp_path)!r})\n" + REASON
    )
    calls = []
    for _ in range(2):
        out, _ = python(code, TORCHOPT_CACHE=str(tmp_path / "cache"), CXX=str(compiler))
        assert out.startswith("False ")
        assert "out of order" in out
        calls.append((tmp_path / "calls").read_text())
    assert calls[0] == calls[1]


def test_a_probe_that_differs_disables_the_binary_with_one_warning():
    code = (
        "import warnings\n"
        "from torchopt import native\n"
        "from torchopt.native import _load\n"
        "_load.probe_difference = lambda kernel: 'a root is 2, not 1'\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    live = [native.is_live(), native.is_live()]\n"
        "print(live, len(seen), 'a root is 2, not 1' in str(seen[0].message), native.kernels())\n"
    )
    assert python(code)[0] == "[False, False] 1 True {}"


@functools.cache
def table_of(instruction_set):
    """The kernels of the sample for an instruction set, which the cache keeps."""
    return _load._open_kernels(_load.find(_build.kernels(instruction_set, HEADER, "sample")))


@pytest.mark.parametrize("n", [1, 15, 16, 17, 33, 1003])
@pytest.mark.parametrize("kernel", ["k_adam_forward", "k_adam_vjp"])
@pytest.mark.parametrize("instruction_set", _load.usable_instruction_sets())
def test_every_instruction_set_gives_the_same_bits(instruction_set, kernel, n):
    assert native.is_live()
    tables = [table_of(name) for name in ("baseline", instruction_set)]
    assert all(_load._difference(table) is None for table in tables)
    generator = torch.Generator().manual_seed(n)
    count = 6 if kernel.endswith("vjp") else 3
    tensors = [torch.rand(n, generator=generator) for _ in range(count)]
    results = [
        torch.ops.torchopt.fused(tensors, table[kernel], 1, [1] * (count + 3), ADAM)[:3]
        for table in tables
    ]
    assert all(map(torch.equal, *results))


def test_formulas_are_compiled_once_and_found_again():
    code = (
        "from pathlib import Path; from torchopt import native\n"
        f"text = Path({str(HEADER)!r}).read_text() + '// {os.urandom(8).hex()}'\n"
        "print(sorted(native.compile_kernels(text)))"
    )
    runs = [python(code) for _ in range(2)]
    assert "compiling formula_" in runs[0][1]
    assert "compiling formula_" not in runs[1][1]
    assert runs[0][0] == runs[1][0]
    assert "k_adam_forward" in runs[0][0]
    assert "probe" not in runs[0][0]


def test_a_formula_that_does_not_compile_raises_with_the_compilers_words():
    with pytest.raises(CompileError, match="no_such_function"):
        native.compile_kernels("#define TORCHOPT_KERNELS(KERNEL) no_such_function()\n")
