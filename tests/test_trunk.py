"""The numbers that `tools/trunk.py` prints fall only, and are counted as it says."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import _fresh
from tools import trunk

#: A process of its own, in which no test has filled a cache.
PROGRAM = """
from tools import trunk
kept = trunk.read()
print(*trunk.risen(trunk.measured(kept), kept), sep="\\n")
"""


def test_numbers_of_the_trunk_fall_only() -> None:
    risen = _fresh.run(PROGRAM).strip()
    assert not risen, (
        f"{risen}\n`python tools/trunk.py --files` says more. Remove elsewhere what this needs; "
        "`python tools/trunk.py --write` writes down what has fallen."
    )


def test_each_goal_but_those_of_times_has_a_number() -> None:
    goals = {name for name in trunk.GOALS if not name.startswith("time ")}
    assert goals <= trunk.read()["numbers"].keys()


def test_what_is_no_trunk_is_there() -> None:
    files = [p.relative_to(trunk.SOURCE).with_suffix("") for p in trunk.SOURCE.rglob("*.py")]
    for pattern in " ".join(trunk.LEAVES.values()).split():
        found = [p for f in files for p in (f, *f.parents) if str(p) != "." and p.match(pattern)]
        assert found, f"`LEAVES` in tools/trunk.py has {pattern}, which is no file any more"


def test_a_risen_number_is_named_and_only_fallen_ones_are_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(trunk, "NUMBERS", tmp_path / "trunk.json")
    trunk.write({"a": 3, "b": 5}, trunk.read())
    kept = trunk.read()
    assert trunk.risen({"a": 4, "b": 5}, kept) == ["a has risen from 3 to 4."]
    trunk.write({"a": 4, "b": 2}, kept)
    assert trunk.read() == {"on": trunk.versions(), "numbers": {"a": 3, "b": 2}}
    trunk.write({"a": 1}, {"on": "others", "numbers": {"a": 3, "b": 2}})
    assert trunk.read() == {"on": "others", "numbers": {"a": 1, "b": 2}}


def test_each_way_to_wait_for_a_device_is_counted() -> None:
    class Looks(torch.autograd.Function):
        @staticmethod
        def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
            return x.clone()

        @staticmethod
        def backward(ctx: object, g: torch.Tensor) -> torch.Tensor:
            looks = (bool, float, torch.Tensor.item, torch.Tensor.tolist, torch.Tensor.cpu)
            for look in (*looks, torch.nonzero, lambda x: torch.equal(x, x + 1)):
                look(g.sum())
            return g * 2

    x = torch.ones(3, requires_grad=True)
    assert trunk.waits(lambda: Looks.apply(x).sum(), x) == 7
