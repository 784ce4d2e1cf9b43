"""What is done about solves that do not converge: the same for solvers and for linear solvers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchopt
from torchopt import solver
from torchopt.errors import (
    LinearSolveError,
    LinearSolveWarning,
    NotConvergedError,
    NotConvergedWarning,
)
from torchopt.linear_solve import CG, OnFailure

A = torch.tensor([[4.0, 1.0], [1.0, 3.0]], dtype=torch.float64)


def heron(a: torch.Tensor, on_failure: OnFailure, diff: Any = None) -> torch.Tensor:
    """Two steps of Heron's iteration for the square root of `a`, from 1."""
    return torchopt.fixed_point(
        lambda x, a: (x + a / x) / 2,
        torch.ones_like(a),
        (a,),
        solver=solver.FixedPointIteration(maxiter=2, on_failure=on_failure),
        diff=diff or torchopt.diff.Implicit(),
    ).params


def one_product(a: torch.Tensor, on_failure: OnFailure) -> torch.Tensor:
    """One step of conjugate gradients, for ``a A x = (1, 2)``."""
    return CG(maxiter=1, on_failure=on_failure)(lambda v: a * (A @ v), A.new_tensor([1.0, 2.0]))


CASES: dict[str, tuple[Callable[..., torch.Tensor], type[Exception], type[Warning]]] = {
    "solver": (heron, NotConvergedError, NotConvergedWarning),
    "linear": (one_product, LinearSolveError, LinearSolveWarning),
}
cases = pytest.mark.parametrize(("solve", "error", "warning"), CASES.values(), ids=CASES)
NINE = torch.tensor(9.0, dtype=torch.float64)


@cases
def test_a_failure_warns_raises_or_is_ignored(
    solve: Callable[..., torch.Tensor], error: type[Exception], warning: type[Warning]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = solve(NINE, "ignore")
    with pytest.warns(warning, match=r"did not converge: the norm .* raise `maxiter`") as told:
        found = solve(NINE, "warn")
    assert torch.equal(found, expected)
    words = r"did not converge: the norm of the residual is [\d.]+ after"
    with pytest.raises(error, match=words) as raised:
        solve(NINE, "raise")
    assert vars(raised.value) == vars(told[0].message)


def test_attributes_are_the_error_and_the_number_of_steps() -> None:
    # From 1: 5, 3.4, and the next would be 3.0235.
    with pytest.raises(NotConvergedError) as told:
        heron(NINE, "raise")
    assert told.value.error == pytest.approx(3.4 - (3.4 + 9 / 3.4) / 2, rel=1e-12)
    assert (told.value.iterations, told.value.failed) == (2, 1)


@cases
def test_a_batch_raises_if_any_problem_fails_and_counts(
    solve: Callable[..., torch.Tensor], error: type[Exception], warning: type[Warning]
) -> None:
    # Heron's iteration begins at the root of 1; a product that is zero or NaN is no system.
    values = torch.stack([NINE, NINE / 9, 2 * NINE])
    failing = 2 if solve is heron else 3
    batched = torch.func.vmap(lambda a: solve(a, "raise"))
    with pytest.raises(error, match=f"for {failing} of 3 problems: the norm") as told:
        batched(values)
    assert vars(told.value)["failed"] == failing
    if solve is heron:
        torch.testing.assert_close(batched(values[1:2]), values[1:2])
    with pytest.warns(warning, match="for some problems"):
        torch.func.vmap(lambda a: solve(a, "warn"))(values)


@pytest.mark.parametrize(
    ("solve", "error", "warning"),
    # Of linear solvers the fast tests have it in diff/implicit/test_compiled.py.
    [CASES["solver"], pytest.param(*CASES["linear"], marks=pytest.mark.slow)],
    ids=["solver", "linear"],
)
def test_compiled_code_says_it_too(
    solve: Callable[..., torch.Tensor], error: type[Exception], warning: type[Warning]
) -> None:
    torch._dynamo.reset()

    def compiled(on_failure: OnFailure) -> torch.Tensor:
        return torch.compile(lambda a: 2 * solve(a, on_failure), backend="eager")(NINE)

    torch.testing.assert_close(compiled("ignore"), 2 * solve(NINE, "ignore"))
    with pytest.warns(warning, match="did not converge"):
        compiled("warn")
    with pytest.raises(error, match="did not converge"):
        compiled("raise")


def test_a_solver_in_other_units_states_its_error_in_those_of_the_user() -> None:
    with pytest.raises(NotConvergedError) as told:
        torchopt.root(
            lambda x: 1e20 * (x**2 - 2),
            NINE,
            solver=solver.Newton(maxiter=1, line_search=False, on_failure="raise"),
        )
    x = 9 - (81 - 2) / 18
    assert told.value.error == pytest.approx(1e20 * (x**2 - 2), rel=1e-12)


def test_without_rtol_the_absolute_tolerance_alone_decides() -> None:
    # Rounding leaves a residual of about 2e4 here, so that 1e-3 cannot be met, and 1e5 can.
    def residual(x: torch.Tensor) -> torch.Tensor:
        return 1e20 * (x**2 - 2)

    for atol, met in ((1e-3, False), (1e5, True)):
        newton = solver.Newton(rtol=0.0, atol=atol, on_failure="ignore")
        solution = torchopt.root(residual, NINE / 9, solver=newton)
        assert bool(solution.converged) is met
        assert (solution.error <= atol) == met
    assert torchopt.root(residual, NINE / 9, solver=solver.Newton(on_failure="raise")).converged


def test_all_steps_are_done_without_tolerances() -> None:
    gd = solver.FixedPointIteration(rtol=0.0, maxiter=200, on_failure="ignore")
    solution = torchopt.fixed_point(lambda x: 0.99 * x + 1, NINE, solver=gd)
    assert solution.iterations == 200
    torch.testing.assert_close(solution.params, 100 - 91 * NINE.new_tensor(0.99) ** 200)


@pytest.mark.parametrize("on_failure", ["warn", "raise"])
def test_a_residual_that_is_not_finite_is_named(on_failure: OnFailure) -> None:
    newton = solver.Newton(on_failure=on_failure)
    words = r"Newton did not converge: the norm of the residual is not finite; look for the values"
    with (
        pytest.warns(NotConvergedWarning, match=words)
        if on_failure == "warn"
        else pytest.raises(NotConvergedError, match=words)
    ):
        torchopt.root(lambda x: x.log(), -torch.ones(2), solver=newton)
