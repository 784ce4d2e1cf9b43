"""An error in a function of a program: the same object, with a note, without frames of the library."""

from __future__ import annotations

import dataclasses
import functools
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import _public
import torchopt
from torchopt import diff, solver

OURS = Path(torchopt.__file__).parent
START = {"w": torch.ones(3, 2), "b": torch.ones(2)}
SHAPES = "shapes: params['b'] (2,), params['w'] (3, 2)"
A = torch.tensor(1.5, requires_grad=True)
#: The steps are numbered by their batches.
STEPS = torch.arange(3.0)


class FaultError(Exception):
    """What objectives raise."""


class Failing:
    """An objective that raises one error, in a call that is not its first.

    Attributes:
        calls: After how many calls it raises.
        at: The batch of that call.
    """

    __qualname__ = "Failing"

    def __init__(self, calls: int) -> None:
        self.calls = calls
        self.error: Exception = FaultError("no")
        self.at: int | None = None

    def __call__(self, x: Any, a: torch.Tensor, *batch: torch.Tensor) -> torch.Tensor:
        self.calls -= 1
        if self.calls < 0:
            self.at = int(batch[0]) if batch else None
            raise self.error
        return (a * x["w"]).square().sum() + (x["b"] - a).square().sum()


def stepped(mode: Any, objective: Any, a: torch.Tensor = A, **options: Any) -> Any:
    options = {"solver": torchopt.adam(0.1), "steps": 3, "batches": STEPS} | options
    return torchopt.minimize(objective, START, (a,), diff=mode, **options).params


def backward(mode: Any, objective: Any, **options: Any) -> None:
    torch.autograd.grad(stepped(mode, objective, **options)["w"].sum(), A)


def caught(run: Callable[[], Any], error: type[Exception] = FaultError) -> tuple[Any, list[Any]]:
    """Return the error, and the entries of its traceback below this function."""
    with pytest.raises(error) as found:
        run()
    return found.value, traceback.extract_tb(found.value.__traceback__)[1:]


def inside(entries: list[Any]) -> list[str]:
    """Return the names of the library's functions in a traceback, but that which looks at keywords."""
    ours = [e.name for e in entries if Path(e.filename).is_relative_to(OURS)]
    return [name for name in ours if name != "call"]


def check_note(error: Any, *words: str) -> None:
    if sys.version_info >= (3, 11):
        notes = error.__notes__
        assert len(notes) == len(words)
        for note, part in zip(notes, words, strict=True):
            assert part in note


@dataclasses.dataclass(frozen=True)
class FrozenError(Exception):
    code: int = 1


class NotedError(Exception):
    __notes__ = ("no list",)


@pytest.mark.parametrize("kind", [FrozenError, NotedError])
def test_an_error_that_takes_no_note_is_raised_as_it_is(kind: type[Exception]) -> None:
    objective = Failing(1)
    objective.error = kind()
    error, entries = caught(lambda: stepped(None, objective), kind)
    assert error is objective.error
    assert inside(entries) == ["minimize", "solve", "differentiate"]


LBFGS = {"solver": solver.LBFGS(maxiter=2, on_failure="ignore"), "steps": None, "batches": None}
#: A mode, after how many calls there is an error, and options. With one call it is in the first run.
RUNS: dict[str, tuple[Any, int, dict[str, Any]]] = {
    "graph": (diff.Explicit(), 1, {}),
    **{f"{name}, first run": (mode, 1, {}) for name, mode in _public.POLICIES.items()},
    **{name: (mode, 4, {}) for name, mode in _public.POLICIES.items()},
    "two checkpoints": (diff.Explicit("tree", carries=2), 4, {}),
    **{
        f"step, {hvp}": (diff.Explicit("step", hvp=hvp), 4, {})
        for hvp in ("forward", "finite_difference")
    },
    "zero order": (diff.ZeroOrder(), 5, {}),
}
#: Where no step is told.
UNNUMBERED: dict[str, tuple[Any, int, dict[str, Any]]] = {
    "conditions, at the solution": (diff.Implicit(), 4, {}),
    "conditions, in the backward pass": (diff.Implicit(hvp="forward"), 9, {}),
    "steps of a solver": (diff.Explicit("step"), 5, LBFGS),
}


@pytest.mark.filterwarnings("ignore::torchopt.errors.NotConvergedWarning")
@pytest.mark.parametrize("name", [*RUNS, *UNNUMBERED])
def test_an_error_is_that_of_the_objective_with_its_step(name: str) -> None:
    mode, calls, options = (RUNS | UNNUMBERED)[name]
    objective = Failing(calls)
    error, entries = caught(lambda: backward(mode, objective, **options))
    assert error is objective.error
    assert entries[-1].name == "__call__"
    first = any(e.name == "stepped" for e in entries)
    assert inside(entries) == (["minimize", "solve", "differentiate"] if first else [])
    assert first == (name in ("graph", "conditions, at the solution") or "first run" in name)
    step = f" at step {objective.at}; " if name in RUNS else "; "
    check_note(error, f"raised in the objective `Failing`{step}{SHAPES}")


@pytest.mark.filterwarnings("ignore::torchopt.errors.NotConvergedWarning")
@pytest.mark.parametrize("name", [*RUNS, *UNNUMBERED])
def test_the_end_of_an_iterator_in_an_objective_ends_no_loop_of_the_library(name: str) -> None:
    mode, calls, options = (RUNS | UNNUMBERED)[name]
    objective = Failing(calls)
    objective.error = StopIteration()
    with pytest.raises(RuntimeError, match=r"^the objective raised StopIteration: ") as found:
        backward(mode, objective, **options)
    assert found.value.__cause__ is objective.error


def test_the_step_of_a_solver_is_that_of_its_loop() -> None:
    error, entries = caught(lambda: stepped(diff.Implicit(), Failing(3), **LBFGS))
    assert entries[-1].name == "__call__"
    check_note(error, "`Failing` at step 1; ")


def wrong(x: torch.Tensor) -> torch.Tensor:
    return x @ torch.ones(7)


class Kind(diff.ProblemKind):
    def residual(self, x: Any, args: Any) -> Any:
        return wrong(x)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (torchopt.root, "function `wrong`"),
        (torchopt.fixed_point, "function `wrong`"),
        (torchopt.least_squares, "function `wrong`"),
        (
            lambda f, x: torchopt.minimize(functools.partial(f), x, solver=solver.LBFGS()),
            "objective `wrong`",
        ),
        (lambda f, x: solver.solve(Kind(), x, solver=solver.Newton()), "problem `Kind`"),
    ],
)
def test_each_function_that_solves_has_the_door(call: Any, words: str) -> None:
    error, entries = caught(lambda: call(wrong, torch.ones(2)), RuntimeError)
    assert entries[-1].name == "wrong"
    assert inside(entries)[-2:] == ["solve", "differentiate"]
    check_note(error, f"raised in the {words}; shapes: params (2,)")


@pytest.mark.parametrize(
    ("objective", "args", "more"),
    [(lambda x: x.sum(), (), 1), (lambda x, a, y, z: x.sum(), (A,), 2)],
    ids=["no batch", "a batch of two as two"],
)
def test_the_note_says_what_an_objective_is_called_with(
    objective: Any, args: Any, more: int
) -> None:
    options = {"solver": torchopt.sgd(0.1), "steps": 1, "batches": [(A, A)]}
    error, _ = caught(
        lambda: torchopt.minimize(objective, torch.ones(2), args, **options), TypeError
    )
    check_note(error, f" at step 0; shapes: params (2,), and {more} more arguments")


@pytest.mark.parametrize("mode", [diff.Explicit(), *_public.POLICIES.values()], ids=str)
def test_it_ends_where_an_operation_fails(mode: Any) -> None:
    """Also where modes look at each operation."""

    def objective(x: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        return (a * wrong(x)).sum()

    _, entries = caught(
        lambda: torchopt.minimize(
            objective, torch.ones(2), (A,), solver=torchopt.sgd(0.1), steps=1, diff=mode
        ),
        RuntimeError,
    )
    assert [e.name for e in entries[-2:]] == ["objective", "wrong"]


@pytest.mark.parametrize(
    ("calls", "frames"), [(1, ["minimize", "solve", "differentiate"]), (4, [])]
)
def test_an_outer_loss_is_in_between(calls: int, frames: list[str]) -> None:
    objective = Failing(calls)

    def outer(a: torch.Tensor) -> torch.Tensor:
        return stepped(diff.Explicit("step"), objective, a)["w"].sum()

    error, entries = caught(lambda: torchopt.meta_grad_and_value(outer)(A.detach()))
    assert error is objective.error
    assert inside(entries) == ["grad_and_value", *frames]
    assert not any("torch/autograd" in e.filename for e in entries)
    check_note(error, f"at step {objective.at}; ")


def test_problems_in_problems_have_a_note_each() -> None:
    def outer(x: torch.Tensor) -> torch.Tensor:
        return stepped(diff.Explicit("step"), Failing(1), x.sum())["w"].sum()

    error, entries = caught(
        lambda: torchopt.minimize(outer, torch.ones(4), solver=torchopt.sgd(0.1), steps=2)
    )
    assert inside(entries) == 2 * ["minimize", "solve", "differentiate"]
    check_note(error, "`Failing` at step 1; ", ".outer` at step 0; shapes: params (4,)")


def test_a_level_is_named() -> None:
    level = torchopt.multilevel.Level
    inner = level("inner", lambda p, values, batch: wrong(p), solver=torchopt.sgd(0.1))
    outer = level(
        "outer",
        lambda p, values, batch: (p * values["inner"]).sum(),
        solver=torchopt.sgd(0.1),
        lowers=[inner],
    )
    state = outer.init({"outer": torch.ones(2), "inner": torch.ones(2)})
    error, entries = caught(lambda: outer.step(state), RuntimeError)
    assert [e.name for e in entries[-3:]] == ["differentiate", "<lambda>", "wrong"]
    check_note(error, "raised in the objective of level 'inner' at step 0; shapes: params (2,)")


class Wrapped:
    """A mode of a program, whose frame stays."""

    def differentiate(self, problem: diff.Problem) -> diff.Solution:
        return diff.Explicit("step").differentiate(problem)


def test_frames_of_a_mode_of_a_program_stay() -> None:
    error, entries = caught(lambda: stepped(Wrapped(), Failing(1)))
    own = Path(__file__)
    assert [e.name for e in entries if Path(e.filename) == own][-2:] == [
        "differentiate",
        "__call__",
    ]
    assert inside(entries) == ["minimize", "solve", "differentiate"]
    check_note(error, "at step 1; ")


def test_functions_without_frames_and_of_pytorch() -> None:
    ones = torch.ones(3, 2)
    error, entries = caught(lambda: torchopt.root(torch.linalg.cholesky, ones), RuntimeError)
    assert entries[-1].name == "differentiate"
    check_note(error, "`linalg_cholesky`")
    norm = torch.nn.functional.layer_norm
    error, entries = caught(lambda: torchopt.root(norm, ones, ((7,),)), RuntimeError)
    assert [e.name for e in entries[-2:]] == ["differentiate", "layer_norm"]
    many = {f"{{{k}}}": torch.ones(k) for k in range(6)}
    error, _ = caught(lambda: torchopt.root(lambda x: x.no, many), AttributeError)
    check_note(error, "params['{3}'] (3,) and 2 more")


def test_errors_of_the_library_keep_their_frames() -> None:
    error, entries = caught(lambda: stepped(None, lambda x, a, k: x["w"]), ValueError)
    assert not hasattr(error, "__notes__")
    assert inside(entries)[-1] == "check_loss"


def test_the_whole_traceback_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHOPT_TRACEBACK", "full")
    error, entries = caught(lambda: backward(diff.Explicit("step"), Failing(4)))
    assert {"backward", "_pull", "evaluate", "output"} <= set(inside(entries))
    check_note(error, "`Failing`")


@pytest.mark.compiled
def test_code_that_is_compiled_around_it_raises_the_same() -> None:
    """Of which the traceback depends on the compiler."""

    def objective(x: torch.Tensor, a: torch.Tensor) -> Any:
        return (a * x).square().sum().missing()

    sgd = torchopt.sgd(0.1)  # made here, where it is not traced

    @torch.compile(backend="eager")
    def outer(a: torch.Tensor) -> torch.Tensor:
        solution = torchopt.minimize(objective, torch.ones(2), (a,), solver=sgd, steps=1)
        return solution.params.sum()

    with pytest.raises(AttributeError, match="no attribute 'missing'"):
        outer(A)
