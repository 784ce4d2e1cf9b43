"""Optimizers that `torch.optim` does not have give the numbers that other libraries computed."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import torchopt

REFERENCE = Path(__file__).parents[1] / "reference"


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MAKER = _load(REFERENCE / "make_optimizers.py")
MODULES = {p.stem: _load(p) for p in sorted((REFERENCE / "cases").glob("[!_]*.py"))}
STORED = {p.stem: json.loads(p.read_text()) for p in sorted((REFERENCE / "optimizers").glob("*"))}
CASES = [(module, name) for module, kept in STORED.items() for name in kept["results"]]


def run(tx: Any, params: Any, gradients: list[Any]) -> list[Any]:
    if getattr(tx, "runs", False):
        return list(tx(params, gradients))
    state, steps = tx.init(params), []
    for grads in gradients:
        updates, state = tx.update(grads, state, params=params, inplace=False)
        params = torchopt.apply_updates(params, updates, inplace=False)
        steps.append(params)
    return steps


@pytest.mark.parametrize(("module", "name"), CASES)
def test_steps_equal_those_of_the_library(module: str, name: str) -> None:
    def tensors(tree: dict[str, Any]) -> dict[str, torch.Tensor]:
        return {key: torch.tensor(x, dtype=torch.float64) for key, x in tree.items()}

    params, gradients = MAKER.problem()
    steps = run(MODULES[module].ours()[name], tensors(params), [*map(tensors, gradients)])
    for index, expected in STORED[module]["results"][name].items():
        assert steps[int(index)].keys() == expected.keys()
        for key, value in expected.items():
            torch.testing.assert_close(
                steps[int(index)][key].detach(),
                torch.tensor(value, dtype=torch.float64),
                rtol=1e-12,
                atol=1e-13,
                msg=lambda m, where=(index, key): f"step {where[0]}, {where[1]}: {m}",
            )


def test_every_case_is_stored_and_compared() -> None:
    assert STORED.keys() == MODULES.keys()
    for module, kept in STORED.items():
        assert kept["results"].keys() == MODULES[module].ours().keys()
