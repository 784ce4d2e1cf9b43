"""`Solution.value` is the objective at `params` or None; the one before it is `stats.last_value`."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import torch

import _public
import torchopt
from _cases import in_turn
from _traced import TRACED
from torchopt import diff, prox, sets, solver
from torchopt.autodiff import compiler

DTYPE = torch.float64
MATRIX = torch.tensor([[1.4, 0.3, -0.2], [-0.4, 1.1, 0.3], [0.1, -0.5, 1.3]], dtype=DTYPE)
TARGET = torch.tensor([0.7, -0.4, 1.2], dtype=DTYPE)
START = torch.tensor([0.2, 0.5, 0.3], dtype=DTYPE)
#: By the kind of problem; bounds for the solvers that have only these.
TERMS = {"lasso": prox.L1(0.1), "bounds": sets.Box(0.0, 0.4)}
BOUNDED = ("LBFGSB", "LevenbergMarquardt")

#: Runs of solvers that stop early, so that the objective still falls from point to point.
RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    name: (kind, {"solver": dataclasses.replace(method, maxiter=2, on_failure="ignore")})
    for name, (method, kind) in _public.other_solvers(
        {}, frozenset({"minimum", "least_squares"}) | _public.COMPOSITE
    ).items()
} | {
    "to a tolerance": ("minimum", {"solver": torchopt.sgd(0.1), "maxiter": 3, "atol": 1e-9}),
    "projected, to a tolerance": (
        "composite",
        {"solver": torchopt.adam(0.1), "maxiter": 3, "atol": 1e-9},
    ),
    "a term": ("lasso", {"solver": solver.ProximalGradient(maxiter=2, on_failure="ignore")}),
}
#: Modes of every solver; the values of a solution are those of its run.
MODES: dict[str, Any] = {
    "explicit": diff.Explicit(),
    "implicit": diff.Implicit(),
    "one step": diff.OneStep(0.01),
    "zero order": diff.ZeroOrder(),
    "no derivative": None,
}
#: Those of a number of steps.
STEPPED: dict[str, Any] = {
    **MODES,
    **_public.POLICIES,
    "two checkpoints": diff.Explicit("tree", carries=2),
    "truncated": diff.Explicit(truncate=1),
    "truncated, replayed": diff.Explicit("step", truncate=2, hvp="forward"),
    "first order": diff.Explicit(first_order=True),
    "a step of the solver": diff.OneStep(),
}


def residuals(x: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
    return a * (MATRIX @ x) - TARGET + x.square() / 10


def objective(x: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
    return residuals(x, a).square().sum() / 2


def solved(kind: str, a: torch.Tensor, **options: Any) -> Any:
    if kind in TERMS or kind.startswith("composite"):
        bounded = type(options["solver"]).__name__ in BOUNDED
        term = TERMS.get("bounds" if bounded else kind, sets.Simplex())
        options["subject_to" if term.is_set else "prox"] = term
    if kind.endswith("least_squares"):
        return torchopt.least_squares(residuals, START, (a,), **options)
    return torchopt.minimize(objective, START, (a,), **options)


def at_params(kind: str, x: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
    term = 0.1 * x.abs().sum() if kind == "lasso" else 0.0
    return (objective(x, a) + term).detach()


def assert_equal(found: Any, expected: torch.Tensor) -> None:
    assert not found.requires_grad
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.filterwarnings("ignore::torchopt.errors.NotConvergedWarning")
@pytest.mark.parametrize(
    ("run", "mode"),
    # A mode of steps or none, and one that has a solution only: the values are the solver's.
    in_turn([*RUNS], [["explicit", "no derivative"], ["implicit", "one step", "zero order"]]),
)
def test_of_a_run_that_stops_the_value_is_at_the_parameters(run: str, mode: str) -> None:
    kind, options = RUNS[run]
    if mode == "one step" and kind not in ("minimum", "least_squares"):
        mode = "implicit"  # another step than one of descent
    a = torch.tensor(1.1, dtype=DTYPE, requires_grad=MODES[mode] is not None)
    solution = solved(kind, a, diff=MODES[mode], **options)
    assert_equal(solution.value, at_params(kind, solution.params, a))
    assert solution.value < at_params(kind, START, a) - 1e-3
    assert solution.stats.last_value is None


@pytest.mark.filterwarnings("ignore::torchopt.errors.NotConvergedWarning")
@pytest.mark.parametrize("mode", STEPPED)
def test_of_a_number_of_steps_the_last_value_is_that_before_the_last(mode: str) -> None:
    a = torch.tensor(1.1, dtype=DTYPE, requires_grad=STEPPED[mode] is not None)
    options = {"solver": torchopt.adam(0.1), "diff": STEPPED[mode]}
    solution = solved("minimum", a, steps=3, **options)
    before = solved("minimum", a, steps=2, **options).params
    assert_equal(solution.stats.last_value, at_params("minimum", before, a))
    if mode == "implicit":
        assert_equal(solution.value, at_params("minimum", solution.params, a))
    else:
        assert solution.value is None
    if mode == "zero order":
        return  # takes parameters only out of `vmap`
    batched = torch.func.vmap(lambda a: solved("minimum", a, steps=3, **options))(
        torch.stack([a.detach(), a.detach() + 1])
    )
    assert_equal(batched.stats.last_value[0], at_params("minimum", before, a))
    assert (batched.value is None) == (solution.value is None)


@pytest.mark.filterwarnings("ignore::torchopt.errors.NotConvergedWarning")
@pytest.mark.parametrize("mode", ["explicit", "implicit"])
@pytest.mark.compiled
def test_compiled_runs_have_both_values(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "current", TRACED)
    a = torch.tensor(1.1, dtype=DTYPE)  # the derivative is not traced, which takes long
    options = {"solver": torchopt.sgd(0.1), "diff": MODES[mode]}
    solution = solved("minimum", a, steps=2, compile=True, **options)
    before = solved("minimum", a, steps=1, **options).params
    assert_equal(solution.stats.last_value, at_params("minimum", before, a))
    if mode == "implicit":
        assert_equal(solution.value, at_params("minimum", solution.params, a))
    else:
        assert solution.value is None


def test_without_a_step_or_an_evaluation_there_is_neither() -> None:
    a = torch.tensor(1.1, dtype=DTYPE)
    for options in (
        {"solver": torchopt.adam(0.1), "steps": 0},
        {"solver": lambda x, a: x + a, "diff": diff.Explicit()},
    ):
        solution = solved("minimum", a, **options)
        assert solution.value is None
        assert solution.stats.last_value is None
    for solution in (
        torchopt.root(lambda x: x - 1, START),
        torchopt.fixed_point(lambda x: 0.5 * x + 1, START),
    ):
        assert solution.value is None
        assert solution.stats.last_value is None


@pytest.mark.parametrize("mode", [None, diff.CentralPath(0.1)], ids=str)
def test_of_a_quadratic_program_it_is_the_objective_there(mode: Any) -> None:
    Q, c = MATRIX @ MATRIX.T, TARGET
    solution = torchopt.quadratic_program(Q, c, G=-torch.eye(3, dtype=DTYPE), h=-START, diff=mode)
    x = solution.params
    assert_equal(solution.value, x @ Q @ x / 2 + c @ x)
    assert solution.stats.last_value is None
