"""The public names and their signatures are those that the repository has on record."""

from __future__ import annotations

import difflib
import importlib
import inspect
import pkgutil

import pytest

import _public
import torchopt
from tools import public_names


def test_public_names_and_signatures_are_those_on_record() -> None:
    recorded = public_names.FILE.read_text(encoding="utf-8").splitlines()
    difference = difflib.unified_diff(
        recorded, public_names.lines(_public.modules()), "on record", "now", n=0, lineterm=""
    )
    changes = [line for line in difference if not line.startswith("@@")]
    assert not changes, "\n".join(
        [
            "Public names have changed. If this is meant, write it into CHANGELOG.md and run "
            "`python tools/public_names.py`, which renews docs/public_names.txt.",
            *changes,
        ]
    )


def test_the_package_exports_each_of_its_rooms_but_the_internal_ones() -> None:
    rooms = {name for _, name, _ in pkgutil.iter_modules(torchopt.__path__, "torchopt.")}
    exported = {f"torchopt.{x}" for x in torchopt.__all__ if inspect.ismodule(getattr(torchopt, x))}
    assert exported == rooms - _public.INTERNAL
    assert rooms >= _public.INTERNAL


def test_a_public_name_without_an_entry_fails_the_build(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.syspath_prepend(str(public_names.ROOT / "docs" / "_ext"))
    second_names = importlib.import_module("second_names")
    public = {*second_names.public_names()}
    assert "torchopt.Adam.step" not in public  # members are described with their class

    (entry,) = second_names.entries(public - {"torchopt.accelerated_op.is_available"}).values()
    assert entry == [
        ".. py:data:: is_available\n\n   The same as :py:obj:`torchopt.accelerated_op_available`."
    ]
    assert not caplog.records

    second_names.entries(public - {"torchopt.pytree.tree_ravel"})
    assert [r.getMessage() for r in caplog.records] == [
        "torchopt.pytree.tree_ravel has no entry in the reference"
    ]
