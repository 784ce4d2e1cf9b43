"""`import torchopt` imports no room; what programs see and files hold does not depend on that."""

from __future__ import annotations

import importlib
import inspect
import io
import pickle
import random
import traceback
from pathlib import Path

import make_states
import pytest
import torch

import torchopt
from _fresh import run
from torchopt.io.names import HOMES

HERE = Path(__file__).parent
ROOMS = [name for name in torchopt.__all__ if name not in HOMES and name != "__version__"]


def test_importing_the_package_imports_nothing_but_pytorch() -> None:
    program = """
import sys, torch
before = {*sys.modules}
import torchopt
print(*sorted({*sys.modules} - before))
"""
    ours = "torchopt torchopt.io torchopt.io.names torchopt.io.published torchopt.version"
    assert run(program).split() == ours.split()


def test_the_rooms_import_no_compiler_and_no_optional_package() -> None:
    program = """
import sys, torch
before = {*sys.modules}
from torchopt import *
print(*sorted({*sys.modules} - before))
"""
    heavy = (
        "torch._dynamo torch._inductor sympy numpy pandas matplotlib graphviz rich ray tensorboard"
    )
    imported = run(program).split()
    assert "torchopt.visual" in imported
    assert not [name for name in imported if name.startswith(tuple(heavy.split()))]


def test_each_name_is_what_its_room_exports() -> None:
    for name, home in HOMES.items():
        room = importlib.import_module(home)
        assert getattr(torchopt, name) is getattr(room, name)
        assert name in getattr(room, "__all__", vars(room))
    assert {*torchopt.__all__} == {"__version__", *ROOMS, *HOMES}
    assert {name for name in ROOMS if inspect.ismodule(getattr(torchopt, name))} == {*ROOMS}
    assert len({*torchopt.__all__}) == len(torchopt.__all__) < 62
    assert dir(torchopt) == torchopt.__all__


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("adma", ": did you mean 'adamax' or 'adam'?"),
        ("adan", ": use `torchopt.optimizers.adan`."),
        ("Lion", ": use `torchopt.optim.Lion`."),
        ("solve", ": use `torchopt.solver.solve`."),
        ("CG", ": use `torchopt.linear_solve.CG`."),
        ("MetaADOPT", ": use `torchopt.MetaOptimizer(module, torchopt.optimizers.adopt(...))`."),
    ],
)
def test_a_name_that_the_package_has_not_is_refused_with_its_place(name: str, says: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(torchopt, name)
    assert str(caught.value) == f"module 'torchopt' has no attribute {name!r}{says}"
    with pytest.raises(ImportError):
        exec(f"from torchopt import {name}")


@pytest.mark.parametrize(
    ("room", "name", "words"),
    [
        ("solver", "Lbfgs", "'LBFGS'"),
        ("solver", "levenberg_marquardt", "'LevenbergMarquardt'"),
        ("solver", "Newtn", "'Newton'"),
        ("linear_solve", "Cg", "'CG'"),
        ("pytree", "tree_mapp", "'tree_map'"),
        ("diff.zero_order", "coordinate", "'Coordinate'"),
        ("schedule", "cosine_decay", "'cosine_decay_schedule'"),
        ("transform", "clip_by_global_norm", "'clip_grad_norm'"),
        ("prox", "Lasso", "'L1'"),
    ],
)
def test_a_name_that_is_spelled_otherwise_is_found(room: str, name: str, words: str) -> None:
    module = importlib.import_module(f"torchopt.{room}")
    with pytest.raises(
        AttributeError, match=f"has no attribute '{name}': did you mean {words}"
    ) as told:
        getattr(module, name)
    # What Python itself prints beside it is no private module.
    printed = "".join(traceback.format_exception(told.value))
    assert printed.endswith(f"did you mean {words}?\n")


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]
)
def test_paths_do_not_depend_on_the_order_of_imports(seed: int) -> None:
    program = """
import importlib, sys
import torchopt
for room in sys.argv[1:]:
    module = importlib.import_module(f"torchopt.{room}")
    for name in module.__all__:
        thing = getattr(module, name)
        print(room, name, getattr(thing, "__module__", None))
"""
    rooms = random.Random(seed).sample(ROOMS, len(ROOMS))
    for line in run(program, *rooms).splitlines():
        room, name, module = line.split()
        assert str(getattr(getattr(getattr(torchopt, room), name), "__module__", None)) == module


def test_a_thread_may_ask_for_names_while_another_imports_their_room() -> None:
    """The latter holds Python's lock of the room when it needs another, for which the former waits."""
    program = """
import faulthandler, sys, threading
import torchopt
asking = threading.Thread(target=lambda: torchopt.SGD, daemon=True)
class Finder:
    def find_spec(self, name, path, target=None):
        if name == "torchopt.optim":
            asking.start()
            while torchopt._lock.acquire(blocking=False):  # until the other thread has it
                torchopt._lock.release()
sys.meta_path.insert(0, Finder())
faulthandler.dump_traceback_later(60, exit=True)
import torchopt.optim
asking.join()
assert torchopt.SGD is torchopt.optim.SGD
"""
    run(program)


@pytest.mark.parametrize("names", ["present", "former"])
def test_files_load_safely_before_anything_is_imported(names: str, tmp_path: Path) -> None:
    program = """
import sys, torch
import torchopt
loaded = [torch.load(file, weights_only=True) for file in sys.argv[1:]]
import make_states
for states in loaded:
    for name, (state, numbers) in states.items():
        assert make_states.numbers(state) == numbers
print(sum(map(len, loaded)))
"""
    if names == "former":
        files = sorted((HERE / "states").glob("*.pt"))
    else:
        files = []
        for kind in ("optimizers", "solvers", "searches", "solution"):
            files.append(tmp_path / f"{kind}.pt")
            states = getattr(make_states, kind)()
            pairs = {name: (state, make_states.numbers(state)) for name, state in states.items()}
            torch.save(pairs, files[-1])
    assert int(run(program, *map(str, files))) == sum(len(torch.load(file)) for file in files)


def test_pickles_name_rooms_that_they_import() -> None:
    things = [torchopt.adam, torchopt.MetaSGD, torchopt.solver.LBFGS(), torchopt.diff.Implicit()]
    data = pickle.dumps(things)
    program = f"""
import pickle
adam, meta, lbfgs, implicit = pickle.loads({data!r})
import torchopt
assert adam is torchopt.adam and meta is torchopt.MetaSGD
assert type(lbfgs) is torchopt.solver.LBFGS and type(implicit) is torchopt.diff.Implicit
"""
    run(program)
    assert pickle.load(io.BytesIO(data))[0] is torchopt.adam
