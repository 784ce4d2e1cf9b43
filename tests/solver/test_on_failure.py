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


def test_a_solver_in_other_units_states_its_error_in_those_of_the_user() -> None:
    with pytest.raises(NotConvergedError) as told:
        torchopt.root(
            lambda x: 1e20 * (x**2 - 2),
            NINE,
            solver=solver.Newton(maxiter=1, line_search=False, on_failure="raise"),
        )
    x = 9 - (81 - 2) / 18
    assert told.value.error == pytest.approx(1e20 * (x**2 - 2), rel=1e-12)


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
