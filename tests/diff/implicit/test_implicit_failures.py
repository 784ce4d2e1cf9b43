"""What is wrong is told: solves that fail, solvers that raise, conditions that are singular."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import torchopt
from torchopt import diff, linear_solve, solver

DOUBLE = torch.float64


def double(*values: float) -> torch.Tensor:
    data = torch.tensor(values, dtype=DOUBLE)
    return data[0] if len(values) == 1 else data


def variable(*values: float) -> torch.Tensor:
    return double(*values).clone().requires_grad_()


def hard(a: torch.Tensor, **options: Any) -> torch.Tensor:
    """Eight unknowns with condition 10^4."""
    scales = torch.logspace(0, 4, 8, dtype=DOUBLE)
    return torchopt.minimize(
        lambda x, a: (scales * (x - a) ** 2).sum() / 2 + x.sum() ** 2 / 2,
        torch.zeros(8, dtype=DOUBLE),
        (a,),
        solver=solver.Newton(rtol=0.0, atol=1e-9),
        **options,
    ).params


def test_a_linear_solve_that_stops_early_warns() -> None:
    a = variable(*range(1, 9))
    x = hard(a, diff=diff.Implicit(linear_solve=linear_solve.CG(maxiter=2)))
    with pytest.warns(torchopt.errors.LinearSolveWarning, match="CG did not converge") as told:
        torch.autograd.grad(x.sum(), a)
    assert told[0].message.iterations == 2


@pytest.mark.parametrize("name", ["CG", "GMRES", "BiCGSTAB", "MINRES"])
def test_singular_conditions_are_told_and_give_numbers(name: str) -> None:
    a = variable(2.0, 3.0)
    mode = diff.Implicit(linear_solve=getattr(linear_solve, name)())
    x = torchopt.minimize(
        lambda x, a: (x[0] - a[0]) ** 2 + 0 * x[1],
        double(0.0, 0.0),
        (a,),
        solver=lambda x, a: a,
        diff=mode,
    ).params
    with pytest.warns(torchopt.errors.LinearSolveWarning, match="did not converge"):
        (found,) = torch.autograd.grad(x.sum(), a)
    assert found.isfinite().all()


def test_singular_conditions_are_an_error_of_the_dense_solver() -> None:
    a = variable(2.0)
    x = torchopt.root(
        lambda x, a: (x - a) ** 3,
        double(2.0),
        (a,),
        solver=lambda x, a: a,
        diff=diff.Implicit(linear_solve=linear_solve.Dense()),
    ).params
    with pytest.raises(torchopt.errors.LinearSolveError, match="singular"):
        torch.autograd.grad(x, a)


def test_a_cotangent_that_is_nan_is_an_error_and_zero_is_zero() -> None:
    a = variable(2.0)
    x = torchopt.root(lambda x, a: x**3 - a, double(1.0), (a,)).params
    assert torch.autograd.grad(x, a, double(0.0), retain_graph=True)[0] == 0
    with pytest.raises(ValueError, match="NaN or infinity"):
        torch.autograd.grad(x, a, double(float("nan")))


def test_a_parameter_that_the_objective_does_not_read_stays_and_has_gradient_zero() -> None:
    a = variable(2.0)
    x = torchopt.minimize(
        lambda x, a: ((x["u"] - a) ** 2).sum(),
        {"u": double(0.0, 0.0), "v": double(1.0, 2.0, 3.0)},
        (a,),
        solver=solver.LBFGS(),
        diff=diff.Implicit(),
    ).params
    assert x["v"].tolist() == [1, 2, 3]
    (found,) = torch.autograd.grad(x["u"].sum() + x["v"].sum(), a)
    torch.testing.assert_close(found, double(2.0))


def test_the_error_of_a_plain_function_is_measured() -> None:
    with pytest.warns(torchopt.errors.NotConvergedWarning, match="is no solution") as caught:
        solution = torchopt.minimize(
            lambda x: (x**2).sum(), double(0.0, 0.0), solver=lambda x: x + 1, diff=diff.Implicit()
        )
    torch.testing.assert_close(solution.error, double(8**0.5))
    assert solution.converged is None
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("output", "error"),
    [
        (None, "returned None: return the solution"),
        ({"w": torch.zeros(3)}, "shape"),
        (torch.zeros(2), "structure"),
        ({"w": torch.zeros(2, dtype=torch.long)}, "int64"),
        ({"w": None}, "w"),
        ({"w": 0.0}, "float"),
    ],
)
def test_what_a_plain_function_returns_is_checked(output: Any, error: str) -> None:
    with pytest.raises((TypeError, ValueError), match=error):
        torchopt.minimize(
            lambda x: (x["w"] ** 2).sum(),
            {"w": torch.ones(2)},
            solver=lambda x: output,
            diff=diff.Implicit(),
        )


@pytest.mark.parametrize("given", [torch.float32, torch.float64])
@pytest.mark.parametrize("returned", [torch.float32, torch.float64])
def test_a_plain_function_may_compute_in_another_dtype(
    given: torch.dtype, returned: torch.dtype
) -> None:
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(8, 3, dtype=given, generator=generator)
    y = torch.randn(8, dtype=given, generator=generator)
    penalty = torch.tensor(0.4, dtype=given, requires_grad=True)

    def objective(w: torch.Tensor, penalty: torch.Tensor) -> torch.Tensor:
        return ((x @ w - y) ** 2).sum() + penalty * (w**2).sum()

    def ridge(penalty: torch.Tensor) -> torch.Tensor:
        eye = torch.eye(3, dtype=torch.float64)
        return torch.linalg.solve(
            x.T.double() @ x.double() + penalty * eye, x.T.double() @ y.double()
        )

    solution = torchopt.minimize(
        objective,
        torch.zeros(3, dtype=given),
        (penalty,),
        solver=lambda w, penalty: ridge(penalty).to(returned),
        diff=diff.Implicit(),
    )
    assert solution.params.dtype == given
    (gradient,) = torch.autograd.grad(solution.params.sum(), penalty)
    (expected,) = torch.autograd.grad(ridge(penalty).sum(), penalty)
    torch.testing.assert_close(gradient, expected, rtol=1e-4, atol=1e-6)


def test_a_plain_function_that_raises_is_heard() -> None:
    def fails(x: torch.Tensor) -> torch.Tensor:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        torchopt.minimize(lambda x: x**2, double(1.0), solver=fails, diff=diff.Implicit())


@pytest.mark.parametrize(
    "wrap", [lambda x: x.detach(), lambda x: x.data, lambda x: torch.tensor(x.item())]
)
def test_an_objective_cut_off_from_its_parameters_is_an_error(wrap: Any) -> None:
    a = variable(2.0)
    with pytest.raises(ValueError, match=r"detach|depend"):
        torchopt.minimize(
            lambda x, a: (wrap(x) - a) ** 2,
            double(1.0),
            (a,),
            solver=lambda x, a: a,
            diff=diff.Implicit(),
        )


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"hvp": "backward"}, "`hvp` is 'backward'"),
        ({"linear_solve": 3}, "`linear_solve` is an object of type int"),
    ],
)
def test_wrong_options_are_told_when_the_mode_is_made(options: Any, error: str) -> None:
    with pytest.raises((TypeError, ValueError), match=error):
        diff.Implicit(**options)


def test_gauss_newton_needs_residuals() -> None:
    with pytest.raises(ValueError, match=r"needs residuals: use `torchopt.least_squares`"):
        torchopt.minimize(
            lambda x: x**2,
            double(1.0),
            solver=solver.LBFGS(),
            diff=diff.Implicit(hvp="gauss_newton"),
        )


def test_batches_that_are_a_function_cannot_be_known_at_the_solution() -> None:
    with pytest.raises(ValueError, match="stack them in a tree"):
        torchopt.minimize(
            lambda x, b: (x - b) ** 2,
            double(1.0),
            solver=torchopt.sgd(0.1),
            steps=2,
            batches=lambda k: double(float(k)),
            diff=diff.Implicit(),
        )


def test_a_linear_solver_of_the_user_sees_trees() -> None:
    a = variable(2.0, 3.0)
    seen = []

    def jacobi(matvec: Any, b: Any) -> Any:
        seen.append(b)
        product = matvec({"x": torch.ones_like(b["x"])})
        return {"x": b["x"] / product["x"]}

    x = torchopt.root(
        lambda x, a: {"x": 4 * x["x"] - a},
        {"x": double(0.0, 0.0)},
        (a,),
        diff=diff.Implicit(linear_solve=jacobi),
    ).params
    (found,) = torch.autograd.grad(x["x"].sum(), a)
    torch.testing.assert_close(found, double(0.25, 0.25))
    assert seen[0]["x"].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("returned", "error"),
    [
        (lambda v: None, "structure|NoneType"),
        (lambda v: v["x"], "structure"),
        (lambda v: {"x": v["x"][:1]}, "shape"),
    ],
)
def test_what_a_linear_solver_of_the_user_returns_is_checked(returned: Any, error: str) -> None:
    a = variable(2.0, 3.0)
    x = torchopt.root(
        lambda x, a: {"x": x["x"] - a},
        {"x": double(0.0, 0.0)},
        (a,),
        diff=diff.Implicit(linear_solve=lambda matvec, b: returned(b)),
    ).params
    with pytest.raises((TypeError, ValueError), match=error):
        torch.autograd.grad(x["x"].sum(), a)
