"""The public names and their signatures are those that the repository has on record."""

from __future__ import annotations

import difflib
import importlib
import re
from collections import Counter

import pytest

import _public
from tools import public_names

LISTS = _public.lists()
NOW = public_names.texts(LISTS)


@pytest.mark.parametrize("name", NOW)
def test_public_names_and_signatures_are_those_on_record(name: str) -> None:
    recorded = (public_names.FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    difference = difflib.unified_diff(
        recorded, NOW[name].splitlines(), "on record", "now", n=0, lineterm=""
    )
    changes = [line for line in difference if not line.startswith("@@")]
    assert not changes, "\n".join(
        [
            "Public names have changed. If this is meant, write it into CHANGELOG.md and run "
            f"`python tools/public_names.py`, which renews docs/names/{name}.txt.",
            *changes,
        ]
    )


#: `Any` is right for what a user's function returns, and for what is handed on to one.
HANDED_ON = re.compile(
    r"Callable\[(\.\.\.|\[[^\[\]]*\]), Any\]|\*+\w+: Any|tuple\[Any, \.\.\.\]|"
    r"(Mapping|dict)\[str, Any\]"
)
#: Where else it stands, by room: states, problems of other libraries, trees of any values. No more.
ANY = {
    **{"transform": 34, "multilevel": 27, "pytree": 16, "distributed": 16, "diff": 9, "solver": 9},
    **{"visual": 7, "errors": 5, "checkpoint": 3, "logging": 2, "linalg": 1, "nn": 1, "typing": 1},
    "": 33,  # the package itself
}


def test_any_stands_only_where_no_union_says_more() -> None:
    found: Counter[str] = Counter()
    for line in NOW["core"].splitlines():
        room = re.match(r"(?:\w+ )?torchopt\.([a-z_]+)\.", line)
        found[room[1] if room else ""] += len(re.findall(r"\bAny\b", HANDED_ON.sub("", line)))
    assert found["optim"] == found["optimizers"] == found["schedule"] == found["sets"] == 0
    risen = {room: n for room, n in found.items() if n > ANY.get(room, 0)}
    assert not risen, "a union, a type variable or `object` says more than `Any`"


def test_a_name_is_in_one_list() -> None:
    assert {file.stem for file in public_names.FOLDER.iterdir()} == LISTS.keys()
    paths = [path for things in LISTS.values() for path in things]
    assert len(paths) == len({*paths})
    exported = {f"{m.__name__}.{name}" for m in _public.modules() for name in m.__all__}
    assert exported == LISTS["core"].keys() | LISTS["data"].keys()


def test_states_are_named_and_no_more() -> None:
    lines = NOW["data"].splitlines()
    assert "class torchopt.transform.ScaleByAdamState" in lines
    assert all(re.fullmatch(r"class [\w.]+|[\w.]+ = [\w.]+", line) for line in lines)
    assert "ScaleByAdamState." not in "".join(NOW.values())


def test_results_can_get_fields_without_breaking_programs_that_unpack_them() -> None:
    tuples = re.findall(r"^class torchopt\.([\w.]+).* extends tuple$", NOW["core"], re.MULTILINE)
    published, sequence = "GradientTransformation", "visual.Explanation"
    assert {*tuples} == {published, sequence, "transform.EmptyState"}


def test_a_public_name_without_an_entry_fails_the_build(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.syspath_prepend(str(public_names.ROOT / "docs" / "_ext"))
    second_names = importlib.import_module("second_names")
    public = {*second_names.public_names()}
    assert "torchopt.optim.Adam.step" not in public  # members are described with their class

    (entry,) = second_names.entries(public - {"torchopt.transform.chain"}).values()
    assert entry == [".. py:data:: chain\n\n   The same as :py:obj:`torchopt.chain`."]
    assert not caplog.records

    second_names.entries(public - {"torchopt.pytree.tree_ravel"})
    assert [r.getMessage() for r in caplog.records] == [
        "torchopt.pytree.tree_ravel has no entry in the reference"
    ]
