"""The documents, the package and the tests name the same releases of PyTorch and Python."""

from __future__ import annotations

import re
import shutil
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import torchopt
from _fresh import run
from tools import test_matrix as matrix
from torchopt.version import DISTRIBUTION

PAGE = (matrix.ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
PROJECT = (matrix.ROOT / "pyproject.toml").read_text(encoding="utf-8")
PYTHONS = re.findall(r"Programming Language :: Python :: (3\.\d+)", PROJECT)


def row(name: str) -> list[str]:
    """Return the cells of a row of the page."""
    found = re.search(rf"^\| {name} \| (.*) \|$", PAGE, re.MULTILINE)
    assert found is not None
    return found[1].split(" | ")


def test_the_page_names_the_releases_on_record() -> None:
    assert row("oldest") == [matrix.recorded("floor"), PYTHONS[0]]
    assert row("pinned for development")[0] == matrix.recorded("pinned")
    assert row("newest tested") == [matrix.recorded("newest"), PYTHONS[-1]]


def test_the_releases_on_record_are_in_order() -> None:
    oldest, pinned, newest = (matrix.minor(matrix.recorded(r)) for r in matrix.RELEASES)
    assert oldest <= pinned <= newest


def test_the_matrix_has_each_python_and_each_release_of_pytorch() -> None:
    assert [python for python, _ in matrix.ENVIRONMENTS] == PYTHONS
    assert {release for _, release in matrix.ENVIRONMENTS} == set(matrix.RELEASES)
    assert f'requires-python = ">={PYTHONS[0]}"' in PROJECT
    readme = (matrix.ROOT / "README.md").read_text(encoding="utf-8")
    assert f"Python {PYTHONS[0]} to {PYTHONS[-1]}" in readme
    assert f"`torch>={matrix.recorded('floor')}`" in readme


def test_continuous_integration_has_the_pinned_release() -> None:
    make = (matrix.ROOT / "Makefile").read_text(encoding="utf-8")
    assert "--constraint constraints.txt" in make
    assert "make test" in (matrix.ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_workflows_have_each_python_and_the_oldest_release_of_pytorch() -> None:
    workflow = (matrix.ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    (listed,) = re.findall(r"^ +python: \[(.*)\]$", workflow, re.MULTILINE)
    assert re.findall(r'"(3\.\d+)"', listed)[: len(PYTHONS)] == PYTHONS
    assert f"torch=={matrix.recorded('floor')}.0\n" in workflow
    wheels = " ".join(f"cp{python.replace('.', '')}-*" for python in PYTHONS)
    assert f'build = "{wheels}"' in PROJECT


def test_metadata_has_no_upper_bound_of_pytorch() -> None:
    (dependency,) = re.findall(r'"(torch[<>=!~][^"]*)"', PROJECT)
    assert dependency == f"torch>={matrix.recorded('floor')}"


def test_the_distribution_has_one_name_and_refuses_the_published_package_beside_it(
    tmp_path: Path,
) -> None:
    assert f'\nname = "{DISTRIBUTION}"' in PROJECT
    shutil.copy(torchopt.__file__, tmp_path)
    (tmp_path / "_C").mkdir()  # its stubs lie there
    spec = spec_from_file_location("both", tmp_path / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    with pytest.raises(ImportError, match=f"run `pip uninstall torchopt {DISTRIBUTION}`, and"):
        spec.loader.exec_module(module_from_spec(spec))


@pytest.mark.processes
def test_a_newer_pytorch_is_neither_refused_nor_warned_of() -> None:
    program = "import torch; torch.__version__ = '99.0.0'; import torchopt; print('imported')"
    assert run(program) == "imported\n"  # warnings are errors there
