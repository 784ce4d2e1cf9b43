"""The faults of `tools/mutants.py` can be planted: a rewrite of the trunk moves them along."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import mutants

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / mutants.SOURCE


@pytest.mark.parametrize("mutant", mutants.MUTANTS, ids=lambda m: f"{m.file}: {m.reason}")
def test_a_fault_can_be_planted(mutant: mutants.Mutant) -> None:
    assert mutants.is_change(mutant, (SOURCE / mutant.file).read_text())
    assert all((TESTS / name.split("::")[0]).exists() for name in mutant.tests.split())


def test_all_rooms_of_the_trunk_have_faults() -> None:
    rooms = {mutant.file.split("/")[0] for mutant in mutants.MUTANTS}
    assert rooms >= {
        *("autodiff", "diff", "formula", "meta", "modules", "multilevel", "operators", "ops"),
        *("pytree", "solver", "transform"),
    }
    assert len({mutant.reason for mutant in mutants.MUTANTS}) == len(mutants.MUTANTS)


@pytest.mark.slow  # starts three runs of tests
@pytest.mark.processes
def test_a_fault_is_noticed_by_the_test_that_it_breaks(tmp_path: Path) -> None:
    source, tests = tmp_path / mutants.SOURCE / "__init__.py", tmp_path / "tests" / "test_double.py"
    for file, text in (
        (source, "def double(x):\n    return 2 * x\n"),
        (
            tests,
            "from torchopt import double\n\n\n"
            "def test_zero():\n    assert double(0) == 0\n\n\n"
            "def test_three():\n    assert double(3) == 6\n",
        ),
    ):
        file.parent.mkdir(parents=True)
        file.write_text(text)
    mutant = mutants.Mutant("__init__.py", "2 * x", "3 * x", "", "")
    blind = ["tests/test_double.py::test_zero"]
    noticed = mutants.noticing(mutant, tmp_path, [blind, ["tests/test_double.py"]])
    assert noticed == "tests/test_double.py::test_three"
    assert "2 * x" in source.read_text()
