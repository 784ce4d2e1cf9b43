"""The errors and warnings that have a class: what they inherit, and who raises them."""

from __future__ import annotations

import ast
import builtins
import pickle
import re
from pathlib import Path

import pytest

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
    inside = {*("BlockedError", "DetachedError"), *("NotBatchableError", "NotLiveError")}
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
