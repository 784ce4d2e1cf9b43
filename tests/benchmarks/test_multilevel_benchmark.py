"""The benchmark of multilevel programs runs with tiny settings; loops by hand compute the same."""

from pathlib import Path

import pytest
import torch

from benchmarks import _multilevel, _runner, multilevel

TINY = {"width": 6, "batch": 8, "dtype": "float64", "device": "cpu"}


@pytest.mark.parametrize("mode", multilevel.BY_HAND)
@pytest.mark.parametrize("steps", [1, 3])
def test_engine_and_loop_by_hand_agree(mode: str, steps: int) -> None:
    case = {**TINY, "steps": steps}
    engine, by_hand = (
        torch.cat([t.flatten() for t in getattr(_multilevel, name)(case)()]).tolist()
        for name in (mode, multilevel.BY_HAND[mode])
    )
    assert _runner.difference(engine, by_hand) < multilevel.TOLERANCE


@pytest.mark.slow
def test_has_a_row_for_each_mode(tmp_path: Path) -> None:
    tiny = "--width 6 --batch 8 --steps 1 --modes darts sama --rounds 1"
    report = multilevel.main([*tiny.split(), "--output", str(tmp_path / "out.md")])
    assert report.count("| darts") == 1
    assert report.count("| sama") == 1
