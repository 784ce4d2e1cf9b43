"""The errors and warnings that have a class: what they inherit, and who raises them."""

from __future__ import annotations

import ast
import builtins
import pickle
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch

import torchopt
from torchopt import errors

SOURCE = Path(torchopt.__file__).parent
CLASSES = [getattr(errors, name) for name in errors.__all__]
ARGUMENTS = {
    errors.MetaGradientError: ("wrong", "a comparison"),
    errors.RemoteError: ("worker-0", "ValueError: no", "Traceback"),
    errors.WorkerLostError: ("worker-0", "it was killed"),
}


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_each_inherits_our_base_and_a_builtin_and_can_be_sent(cls: type[Exception]) -> None:
    base = errors.TorchOptWarning if cls.__name__.endswith("Warning") else errors.TorchOptError
    assert issubclass(cls, base)
    if cls not in (errors.TorchOptError, errors.TorchOptWarning):
        assert next(b for b in cls.__mro__ if b in vars(builtins).values()) is not Exception
    error = cls(*ARGUMENTS.get(cls, ("words",)))
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (cls, str(error), vars(error))


def test_no_other_room_has_a_public_class_of_errors() -> None:
    """A class that is raised where users see it stands in `errors`; the others never leave a room."""
    inside = {
        *("BlockedError", "DetachedError"),
        *("NotBatchableError", "NotLiveError"),
    }
    made = set()
    for file in SOURCE.rglob("*.py"):
        if file != SOURCE / "errors.py":
            text = file.read_text()
            if not re.search(r"\bclass\s+\w+(Error|Warning)\b", text):
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ClassDef) and node.name.endswith(("Error", "Warning")):
                    made.add(node.name)
    assert made == inside


def test_a_replay_that_differs_has_a_class() -> None:
    scales = iter([2.0, 3.0])
    phi = torch.tensor(1.5, requires_grad=True)
    block = torchopt.remat(lambda x: x.square() * next(scales))
    with pytest.raises(errors.ReplayError, match="gave other results"):
        block(phi).backward()
    lr = torch.tensor(0.1, requires_grad=True)
    seen: list[Any] = []

    def objective(x: torch.Tensor) -> torch.Tensor:
        seen.append(None)
        return (x - len(seen)).square().sum()

    solution = torchopt.minimize(
        objective,
        torch.ones(2),
        solver=torchopt.sgd(lr),
        steps=3,
        diff=torchopt.diff.Explicit("step"),
    )
    with pytest.raises(errors.ReplayError, match="when it was computed again"):
        solution.params.sum().backward()


def test_every_warning_of_the_library_is_a_torchopt_warning() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torchopt.fixed_point(
            lambda x: 0.99 * x + 1, torch.zeros(2), solver=torchopt.solver.Anderson(maxiter=0)
        )
        torchopt.linear_solve.CG(maxiter=0)(lambda x: 2 * x, torch.ones(2))
    assert [w.category.__name__ for w in caught] == ["NotConvergedWarning", "LinearSolveWarning"]
    assert all(issubclass(w.category, errors.TorchOptWarning) for w in caught)
