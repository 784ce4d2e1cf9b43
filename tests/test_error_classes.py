"""The errors and warnings that have a class: what they inherit, and who raises them."""

from __future__ import annotations

import ast
import builtins
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import torchopt
from torchopt import diff, errors, linear_solve, solver
from torchopt.diff import zero_order

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


NAN, ONES = torch.full((2,), torch.nan), torch.ones(2)


def minimized(diff: Any = None, steps: int = 3, **options: Any) -> Any:
    """Run into the logarithm of a negative number, at the second step."""
    scale = torch.tensor(1.0, requires_grad=True)
    return torchopt.minimize(
        lambda x, a: (a * x).log().sum(), ONES, (scale,), solver=torchopt.sgd(3.0), steps=steps,
        diff=diff, **options,
    )  # fmt: skip


def stepped(made: type, call: Callable[[Any, torch.Tensor], Any]) -> None:
    module = torch.nn.Linear(2, 1)
    call(made(module, torchopt.sgd(0.1)), module(NAN).sum())


def level() -> None:
    one = torchopt.multilevel.Level(
        "one", lambda p, values, batch: p.log().sum(), solver=torchopt.sgd(0.1)
    )
    one.step(one.init({"one": -ONES}))


#: What has diverged.
DIVERGED: dict[str, Callable[[], Any]] = {
    **{f"a step, {mode}": lambda mode=mode: minimized(mode) for mode in (
        diff.Explicit(), diff.Explicit("step"), diff.Explicit("tree"), diff.Explicit("forward"),
        diff.OneStep(), diff.Implicit(), diff.ZeroOrder(),
    )},
    "the solution": lambda: minimized(diff.Implicit(), steps=1),
    "the start of a solver": lambda: torchopt.minimize(
        lambda x: x.log().sum(), -ONES, solver=solver.LBFGS()
    ),
    "a level": level,
    "a meta-step": lambda: stepped(torchopt.MetaOptimizer, lambda opt, loss: opt.step(loss)),
    "an outer loss": lambda: torchopt.meta_grad_and_value(lambda x: x.log().sum())(-ONES),
    "an outer loss that is checked": lambda: torchopt.check_meta_grad(
        lambda x: x.log().sum(), -ONES
    ),
    "a right-hand side": lambda: linear_solve.CG()(lambda x: x, NAN),
    "the product of a linear solve": lambda: linear_solve.CG()(lambda x: x * NAN, ONES),
    "directions": lambda: diff.ZeroOrder(zero_order.SPSA(num_samples=2))(lambda x: x.log().sum())(
        (-ONES).requires_grad_()
    ).backward(),
    "some directions": lambda: diff.ZeroOrder(zero_order.SPSA(sigma=1.5, num_samples=9), generator=1)(
        lambda x: x.log().sum()
    )(ONES.clone().requires_grad_()).backward(),
}  # fmt: skip


@pytest.mark.parametrize("run", DIVERGED.values(), ids=DIVERGED)
def test_what_diverges_is_caught_by_one_class(run: Callable[[], Any]) -> None:
    with pytest.raises(errors.NonFiniteError, match=r"NaN|nan"):
        run()


def test_a_linear_solve_that_fails_is_caught_as_any_other() -> None:
    short = linear_solve.CG(maxiter=1, on_failure="raise")
    with pytest.raises(errors.NotConvergedError) as caught:
        short(lambda x: torch.tensor([1.0, 3.0]) * x, ONES)
    assert type(caught.value) is errors.LinearSolveError
    assert issubclass(errors.LinearSolveWarning, errors.NotConvergedWarning)
    assert not issubclass(errors.NonFiniteError, errors.NotConvergedError)


def test_no_other_room_has_a_public_class_of_errors() -> None:
    """A class that is raised where users see it stands in `errors`; the others never leave a room."""
    inside = {"BlockedError", *("NotBatchableError", "NotLiveError")}
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
