"""The table of `docs/optimizers.md` has every optimizer, with the memory that its state takes."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import optree
import pytest
import torch

import torchopt

PAGE = Path(__file__).parents[2] / "docs" / "optimizers.md"
TABLE = PAGE.read_text(encoding="utf-8").partition("\n## Which")[0]
ROWS = dict(re.findall(r"^\| `(\w+)` \|[^|]+\| ([^|]+) \|", TABLE, re.MULTILINE))


def elements(make: Any, m: int, n: int) -> int:
    """Return how many elements the state of a matrix has, without numbers of which a leaf has one."""
    tx = make(**({"lr": 0.1} if "lr" in inspect.signature(make).parameters else {}))
    state = tx.init({"w": torch.ones(m, n)})
    held = optree.tree_leaves(state, namespace="torchopt")
    return sum(x.numel() for x in held if isinstance(x, torch.Tensor) and x.numel() > 1)


def test_the_table_has_every_optimizer_once() -> None:
    assert re.findall(r"^\| `(\w+)` \|", TABLE, re.MULTILINE) == sorted(torchopt.optimizers.__all__)


@pytest.mark.parametrize("name", torchopt.optimizers.__all__)
def test_the_table_says_how_large_the_state_is(name: str) -> None:
    for m, n in ((16, 24), (7, 40)):
        cell = ROWS[name].strip("$")
        # A number is for each element; a formula is for the whole matrix.
        expected = int(cell) * m * n if cell.isdigit() else _value(cell, m, n)
        assert elements(getattr(torchopt.optimizers, name), m, n) == expected


def _value(formula: str, m: int, n: int) -> int:
    products = re.sub(r"(?<=\w) (?=[mnr])", "*", formula.replace("^2", "**2"))
    return int(eval(products, {"m": m, "n": n, "r": min(m, 128)}))  # of our own page


@pytest.mark.parametrize("make", [torchopt.adam, torchopt.sgd, torchopt.optim.Adam])
def test_the_options_of_every_optimizer_are_in_its_signature(make: Any) -> None:
    shared = {"maximize": False, "use_accelerated_op": None}
    parameters = inspect.signature(make).parameters
    assert {name: parameters[name].default for name in shared} == shared
    assert parameters.keys() & {"common"} == set()


@pytest.mark.parametrize("name", ["flt", "mask", "after", "l2_mask"])
def test_an_option_that_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        torchopt.sgd(0.1, **{name: None})
