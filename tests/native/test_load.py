"""Binaries are found or built, tested, and chosen by processor; every other way ends in a reason."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from _formulas import ADAM, HEADER

from torchopt import native
from torchopt.native import __main__ as command
from torchopt.native import _build, _load


def python(code, **environment):
    """Run a program in a fresh interpreter; return what it printed and what it wrote as errors."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


REASON = "from torchopt import native; s = native.status(); print(s.live, s.reason)"


def test_it_is_live_here():
    # Continuous integration has a compiler and a recent torch: a silent fallback is a failure.
    state = native.status()
    assert state.live, state.reason
    assert native.is_live()
    assert state.kernels == len(native.kernels()) > 0
    assert native.kernel("probe") == native.kernels()["probe"]
    assert native.kernel("no such kernel") is None


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


def test_an_instruction_set_that_is_not_there_is_named():
    out, _ = python(REASON, TORCHOPT_NATIVE="avx1024")
    assert out.startswith("False TORCHOPT_NATIVE=avx1024: this machine has ")


def test_baseline_can_be_asked_for():
    code = "from torchopt import native; print(native.status().instruction_set)"
    assert python(code, TORCHOPT_NATIVE="baseline")[0] == "baseline"


def test_an_older_torch_is_not_tried():
    code = "import torch; torch.__version__ = '2.10.1'\n" + REASON
    assert python(code)[0] == "False it needs torch 2.11 or newer, and this is 2.10.1."


def test_without_compiler_and_binaries_it_says_so(tmp_path):
    code = (
        "from pathlib import Path; from torchopt.native import _load\n"
        f"_load._PACKAGE = Path({str(tmp_path)!r})\n" + REASON
    )
    out, _ = python(code, TORCHOPT_CACHE=str(tmp_path), PATH="/nonexistent", CXX="")
    assert out == ("False no packaged binary and no C++ compiler: install g++, or name one in CXX.")


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
    for _ in range(2):
        out, _ = python(code, TORCHOPT_CACHE=str(tmp_path / "cache"), CXX=str(compiler))
        assert out.startswith("False ")
        assert "out of order" in out
    assert (tmp_path / "calls").read_text() == "called\n"


def test_a_self_test_that_differs_disables_the_binary_with_one_warning():
    code = (
        "import warnings\n"
        "from torchopt import native\n"
        "native.register_self_test(lambda table: 'adam is 2, not 1')\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    live = [native.is_live(), native.is_live()]\n"
        "print(live, len(seen), 'adam is 2, not 1' in str(seen[0].message), native.kernels())\n"
    )
    assert python(code)[0] == "[False, False] 1 True {}"


def test_self_tests_run_outside_of_the_callers_modes_and_only_before_loading():
    code = (
        "import torch\n"
        "from torchopt import native\n"
        "seen = []\n"
        "native.register_self_test(lambda table: seen.append(torch.ones(2) * 2))\n"
        "with torch.device('meta'), torch.inference_mode():\n"
        "    live = torch.func.vmap(lambda x: x * native.is_live())(torch.ones(2, device='cpu'))\n"
        "print(live.tolist(), seen[0].tolist())\n"
        "try:\n    native.register_self_test(print)\n"
        "except RuntimeError as error:\n    print(error)\n"
    )
    assert python(code)[0].splitlines() == [
        "[1.0, 1.0] [2.0, 2.0]",
        "register self-tests before the native backend is used first.",
    ]


@pytest.mark.parametrize("instruction_set", _load.usable_instruction_sets())
def test_every_instruction_set_gives_the_same_bits(instruction_set, tmp_path):
    assert native.is_live()
    tables = []
    for name in ("baseline", instruction_set):
        path = tmp_path / f"{name}.so"
        _build.compile_library(_build.kernels(name, HEADER), path)
        tables.append(_load._open_kernels(path))
        assert _load._difference(tables[-1], checks=()) is None
    generator = torch.Generator().manual_seed(0)
    tensors = [torch.rand(1003, generator=generator) for _ in range(3)]
    results = [
        torch.ops.torchopt.fused(tensors, table["k_adam_forward"], 1, [1] * 6, ADAM)
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
    with pytest.raises(native.CompileError, match="no_such_function"):
        native.compile_kernels("#define TORCHOPT_KERNELS(KERNEL) no_such_function()\n")


def test_stamp_follows_sources_flags_and_header(tmp_path, monkeypatch):
    before = _build.stamp(_build.DRIVER)
    assert before == _build.stamp(_build.DRIVER)
    assert before != _build.stamp(_build.kernels("baseline"))
    other = tmp_path / "kernels.h"
    other.write_text(HEADER.read_text())
    same = _build.stamp(_build.kernels("baseline", HEADER))
    assert same == _build.stamp(_build.kernels("baseline", other))
    other.write_text("//")
    assert same != _build.stamp(_build.kernels("baseline", other))
    monkeypatch.setenv("TORCHOPT_CXXFLAGS", "-g")
    assert before != _build.stamp(_build.DRIVER)


def test_cache_directory(monkeypatch):
    monkeypatch.delenv("TORCHOPT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert _load.cache_directory() == Path("/x/torchopt")
    monkeypatch.setenv("TORCHOPT_CACHE", "/y")
    assert _load.cache_directory() == Path("/y")
    monkeypatch.delenv("TORCHOPT_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert _load.cache_directory().name == "torchopt"


def test_status_says_what_is_live(capsys):
    assert command.main(["status"]) == 0
    printed = capsys.readouterr().out
    assert f"path:            {native.status().path}" in printed
    assert "bytes_cached:" in printed
