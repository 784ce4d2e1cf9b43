"""What is exported is named by its public path, and states load safely, also from earlier files."""

from __future__ import annotations

import inspect
import io
import pickle
import pkgutil
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import make_states
import pytest
import torch

import _public
import torchopt
from torchopt import linear_solve, multilevel, solver
from torchopt.diff import zero_order
from torchopt.io import names
from torchopt.quadratic import Certificate, Point, Program

PUBLIC = {
    name: (paths, thing)
    for name, (paths, thing) in _public.names().items()
    if inspect.isclass(thing) or inspect.isfunction(thing)
    if thing.__module__.split(".")[0] == "torchopt"
}


STATES = Path(__file__).with_name("states")
FILES = sorted(STATES.glob("*.pt"))
#: Names of states by kind.
NOW = {
    "optimizers": make_states.optimizers,
    "solvers": make_states.solvers,
    "searches": make_states.searches,
    "solution": make_states.solution,
}
RECORDS = [
    thing
    for _, thing in PUBLIC.values()
    if (hasattr(thing, "_fields") and not issubclass(thing, torchopt.GradientTransformation))
    or (is_dataclass(thing) and thing.__name__ in " ".join(names.RESULTS.values()).split())
]


def saved_and_loaded(state: Any) -> Any:
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


# Public paths


def test_what_is_exported_has_its_shortest_public_path() -> None:
    for paths, thing in PUBLIC.values():
        own = [path for path in paths if path.rpartition(".")[2] == thing.__name__]
        assert f"{thing.__module__}.{thing.__qualname__}" in own
        assert thing.__module__.count(".") + 1 == min(path.count(".") for path in own)


def test_what_is_exported_is_pickled_by_its_public_path() -> None:
    for _, thing in PUBLIC.values():
        data = pickle.dumps(thing, protocol=0)
        assert data.startswith(f"c{thing.__module__}\n{thing.__name__}\n".encode())
        assert pickle.loads(data) is thing


# Safe loading


def test_states_of_each_optimizer_solver_and_search_are_tried() -> None:
    names = make_states.optimizers().keys()
    assert {*names, *(name.partition("_")[0] for name in names)} >= _public.ALIASES.keys()
    assert {*make_states.solvers()} == _public.exported(solver, solver.Solver).keys()
    stateful = {name for name in zero_order.__all__ if hasattr(getattr(zero_order, name), "init")}
    assert stateful - {"Estimator"} <= make_states.searches().keys()


@pytest.mark.parametrize("kind", NOW)
def test_states_load_safely(kind: str) -> None:
    for state in NOW[kind]().values():
        loaded = saved_and_loaded(state)
        assert type(loaded) is type(state)
        assert make_states.numbers(loaded) == make_states.numbers(state)


@pytest.mark.parametrize("cls", RECORDS)
def test_named_tuples_and_results_load_safely(cls: Any) -> None:
    named = [f.name for f in fields(cls)] if is_dataclass(cls) else cls._fields
    loaded = saved_and_loaded(cls(**{name: torch.tensor(k) for k, name in enumerate(named)}))
    assert type(loaded) is cls
    assert [int(getattr(loaded, name)) for name in named] == [*range(len(named))]


@pytest.mark.parametrize(
    "cls",
    [
        multilevel.LevelGradient,
        multilevel.LevelStep,
        linear_solve.LinearSolution,
        Certificate,
        Point,
        Program,
    ],
)
def test_results_come_out_of_vmap(cls: Any) -> None:
    values = torch.arange(3.0)
    batched = torch.func.vmap(lambda x: cls(*(x + k for k, _ in enumerate(fields(cls)))))(values)
    for k, field in enumerate(fields(cls)):
        assert torch.equal(getattr(batched, field.name), values + k)


def test_functions_do_not_load() -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"torchopt.checkpoint.save"):
        saved_and_loaded([torchopt.checkpoint.save])


# Files that were written before


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_states_of_0_8_load_safely(file: Path) -> None:
    for name, (state, numbers) in torch.load(file, weights_only=True).items():
        assert make_states.numbers(state) == numbers
        assert type(state) is type(NOW[file.stem]()[name])


def test_a_class_is_found_by_its_name_in_earlier_files(monkeypatch: pytest.MonkeyPatch) -> None:
    now = io.BytesIO()
    state = torchopt.transform.TraceState([torch.ones(2)])
    torch.save(state, now, _use_new_zipfile_serialization=False)  # the other has a checksum
    former = now.getvalue().replace(b"torchopt.transform\n", b"torchopt.transfers\n")
    assert former != now.getvalue()
    with pytest.raises(pickle.UnpicklingError, match="transfers"):
        torch.load(io.BytesIO(former), weights_only=True)
    moved = {"torchopt.transfers.TraceState": "torchopt.transform.TraceState"}
    monkeypatch.setattr(names, "FORMER", moved)
    with torch.serialization.safe_globals([]):
        names.allow_data()
        loaded = torch.load(io.BytesIO(former), weights_only=True)
    assert type(loaded) is type(state)
    assert loaded[0][0].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("former", names.FORMER)
def test_a_moved_class_is_found_where_files_and_programs_have_it(former: str) -> None:
    allowed = {pair[1] for pair in torch.serialization.get_safe_globals() if type(pair) is tuple}
    assert former in allowed
    assert pkgutil.resolve_name(former) is pkgutil.resolve_name(names.FORMER[former])
