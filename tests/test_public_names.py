"""The public names and their signatures are those that the repository has on record."""

from __future__ import annotations

import difflib
import importlib
import inspect
import logging
import re
import sys
from dataclasses import fields, is_dataclass
from typing import Literal, get_origin

import pytest

import _public
import torchopt
from tools import public_names
from torchopt import linear_solve, sets
from torchopt.transform import extra_args

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


#: Where `Any` stands in a signature, and why no union, type variable or `object` says more.
REASONS = {
    r"Callable\[(?:\.\.\.|\[[^\[\]]*\]), Any\]": "a function of the user's returns it",
    r"Callable\[\[Any\], bool\]": "a function of the user's is given a node of any tree",
    r"\bbatch: Any\b|\*+\w+: Any|args: tuple\[Any, \.\.\.\]": "a function of the user's is given it",
    r"(?:Mapping|dict)\[str, Any\]": "values by name: options, batches, the state of a class",
    r"\bstate: Any\b|tuple\[(?:TensorTree|GradientTransformation), Any\]|tuple\[Any, \.\.\.\]"
    r"|Solver\[Any\]": "a state, which is of a type of its own",
    r"Solution\[P, Any\]|tuple\[LevelState, Any\]": "what an objective returns beside its loss",
    r"list\[Any\]|(?P<trees>^torchopt\.pytree\..*) -> Any$": "a tree of anything",
    r"(?P<found>^torchopt\.(?:checkpoint\.load|nn\.functional_call)\(.*) -> Any$": "of any type",
    r"(?P<method>^torchopt\.multilevel\.Problem\.\w+(?:\(.*\) ->|:)) Any$"
    r"|(?<=Mode\.differentiate\(problem: )Any": "a subclass says what it takes and returns",
    r"(?<=MetaGradientError\.result: )Any": "a class that a module above defines",
    r"console: Any|(?<=from_cvxpy\(problem: )Any|(?:parameters|variables): Sequence\[Any\]": (
        "an object of a package that need not be installed"
    ),
}


def test_any_stands_only_where_no_union_says_more() -> None:
    lines, idle = NOW["core"], []
    for pattern, reason in REASONS.items():
        kept = "".join(rf"\g<{name}>" for name in re.compile(pattern).groupindex)
        lines, number = re.subn(pattern, kept, lines, flags=re.MULTILINE)
        idle += [] if number else [reason]
    assert not [line for line in lines.splitlines() if re.search(r"\bAny\b", line)]
    assert not idle, "these reasons excuse nothing"


def test_docstrings_of_the_top_level_are_short_enough_for_help() -> None:
    documented = [x for x in (getattr(torchopt, n) for n in torchopt.__all__) if callable(x)]
    # `help` adds signatures and what classes inherit: 120 kB in all.
    assert sum(len(inspect.getdoc(x) or "") for x in documented) < 66_000


def test_each_promised_name_is_one_of_its_class() -> None:
    for cls in filter(inspect.isclass, LISTS["core"].values()):
        fields = {name for base in cls.__mro__ for name in inspect.get_annotations(base)}
        missing = set(vars(cls).get("__promised__", ())) - {*dir(cls), *fields}
        assert not missing, f"{cls.__name__} promises {missing}"


def test_the_words_of_an_option_are_on_record_and_not_the_name_of_their_type() -> None:
    lines = NOW["core"].splitlines()
    (memory,) = (line for line in lines if line.startswith("torchopt.diff.Explicit.memory: "))
    assert re.findall(r"'(\w+)'", memory) == ["graph", "step", "sqrt", "tree", "forward"]
    scopes = [vars(m) for name, m in sys.modules.items() if name.partition(".")[0] == "torchopt"]
    things = [(name, get_origin(x) is Literal) for scope in scopes for name, x in scope.items()]
    types = {name for name, is_literal in things if is_literal} - {
        n for n, is_it in things if not is_it
    }
    assert "OnFailure" in types
    said = {name for line in lines for name in re.findall(r"(?<![\w.'])[A-Z]\w*(?!')\b", line)}
    assert not said & types
    batches = "where Batches = Callable[[int], object] | Iterable[object] | Mapping[str, object] | "
    assert batches in NOW["core"]  # unions, whose members are promised, too


def test_each_option_of_a_class_is_an_attribute_on_record() -> None:
    paths = {id(cls): path for path, cls in LISTS["core"].items() if inspect.isclass(cls)}
    attributes = {line.partition(":")[0] for line in NOW["core"].splitlines()}
    for path, cls in LISTS["core"].items():
        if is_dataclass(cls) and f"\nclass {path}(" in NOW["core"]:
            owners = [paths[id(base)] for base in inspect.getmro(cls) if id(base) in paths]
            options = {field.name for field in fields(cls) if field.init}
            kept = {name for name in options for owner in owners if f"{owner}.{name}" in attributes}
            assert kept == options, path


def test_what_shares_code_only_is_not_promised_to_be_the_other() -> None:
    for line in NOW["core"].splitlines():
        assert not re.search(r"^class .* extends .*(L1Ball|Hyperplane|\bCG|Richardson|SOBA)", line)
    assert not issubclass(sets.L1Sphere, sets.L1Ball)
    assert not issubclass(sets.HalfSpace, sets.Hyperplane)
    assert not issubclass(linear_solve.NormalCG, linear_solve.CG)


def test_a_name_is_in_one_list() -> None:
    assert {file.stem for file in public_names.FOLDER.iterdir()} == LISTS.keys()
    paths = [path for things in LISTS.values() for path in things]
    assert len(paths) == len({*paths})
    exported = {f"{m.__name__}.{name}" for m in _public.modules() for name in m.__all__}
    assert exported == LISTS["core"].keys() | LISTS["data"].keys()


def test_signatures_are_on_record_whole() -> None:
    (update,) = re.findall(
        r"^torchopt\.GradientTransformation\.update(\(.*)", NOW["core"], re.MULTILINE
    )
    for argument in (
        "params: TensorTree = None",
        "inplace: bool = True",
        *extra_args._MEANINGS,
        "**extra: Any",
    ):
        assert argument in update
    elided = re.findall(r"= (\w+\(\.\.\.\)|\(init, update\))", NOW["core"])
    assert not elided, "a default inside of these may change unnoticed"


def test_states_are_named_and_have_the_fields_that_pages_tell_programs_to_use() -> None:
    lines = NOW["data"].splitlines()
    assert "class torchopt.transform.ScaleByAdamState" in lines
    fields = {line for line in lines if not re.fullmatch(r"class [\w.]+|[\w.]+ = [\w.]+", line)}
    named = {f"{path}.{x}" for path, names in public_names.FIELDS.items() for x in names.split()}
    assert {field.partition(":")[0] for field in fields} == named
    docs = [*(public_names.ROOT / "docs").rglob("*.md"), *(public_names.ROOT / "src").rglob("*.py")]
    use = re.compile(
        r"tree_get\(state, \"(\w+)|tree_set\(state, (\w+)=|(?:>>> .*|``)\bstate\.(\w+)(?!\w*\()"
    )
    text = "\n".join(file.read_text(encoding="utf-8") for file in docs)
    used = {name for names in use.findall(text) for name in names if name}
    programs_own = {"largest", "residual"}
    assert used - programs_own == {*" ".join(public_names.FIELDS.values()).split()}


def test_results_can_get_fields_without_breaking_programs_that_unpack_them() -> None:
    tuples = re.findall(r"^class torchopt\.([\w.]+).* extends tuple$", NOW["core"], re.MULTILINE)
    published, sequence = "GradientTransformation", "visual.Explanation"
    assert {*tuples} == {published, sequence, "transform.EmptyState"}


def test_a_public_name_without_an_entry_fails_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    handler = logging.Handler()
    monkeypatch.setattr(handler, "emit", lambda record: said.append(record.getMessage()))
    monkeypatch.setattr(logging.getLogger("sphinx"), "handlers", [handler])
    monkeypatch.syspath_prepend(str(public_names.ROOT / "docs" / "_ext"))
    second_names = importlib.import_module("second_names")
    public = {*second_names.public_names()}
    assert "torchopt.optim.Adam.step" not in public  # members are described with their class

    (entry,) = second_names.entries(public - {"torchopt.transform.chain"}).values()
    assert entry == [".. py:data:: chain\n\n   The same as :py:obj:`torchopt.chain`."]
    assert not said

    second_names.entries(public - {"torchopt.pytree.tree_ravel"})
    assert said == ["torchopt.pytree.tree_ravel has no entry in the reference"]
