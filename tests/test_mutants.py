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
    assert all((TESTS / name).exists() for name in mutant.tests.split())


def test_all_rooms_of_the_trunk_have_faults() -> None:
    rooms = {mutant.file.split("/")[0] for mutant in mutants.MUTANTS}
    assert rooms >= {
        *("autodiff", "diff", "formula", "meta", "modules", "multilevel", "operators", "ops"),
        *("pytree", "solver", "transform"),
    }
    assert len({mutant.reason for mutant in mutants.MUTANTS}) == len(mutants.MUTANTS)
