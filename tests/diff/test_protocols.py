"""Modes of a program's own, by what :class:`torchopt.diff.Problem` and its kin promise."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

import torchopt
from torchopt import diff
from torchopt.diff.problem import InnerProblem
from torchopt.diff.protocols import differentiated_by

DTYPE = torch.float64
B = torch.tensor([1.0, -2.0, 0.5], dtype=DTYPE)
M = torch.tensor([[0.2, 0.1, 0.0], [-0.1, 0.3, 0.05], [0.15, 0.0, -0.2]], dtype=DTYPE)
WEIGHTS = torch.tensor([0.7, 1.1, -0.4], dtype=DTYPE)


def affine(x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return M @ x + b


class Neumann:
    """The implicit derivative, by a number of terms of a series in vector-Jacobian products."""

    def __init__(self, terms: int) -> None:
        self.terms = terms

    def differentiate(self, problem: diff.Problem) -> diff.Solution:
        with torch.no_grad():
            solution = problem.run()
        x = solution.params
        for _ in range(self.terms):
            x = x - problem.residual(x, problem.args)
        return replace(solution, params=x)


class FurtherStep:
    """The derivative of one further step of the solver from its last point."""

    def differentiate(self, problem: diff.Problem) -> diff.Solution:
        with torch.no_grad():
            solution = problem.run()
        return problem.step(solution, index=1)


class Unroll:
    """A number of steps, one by one."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def differentiate(self, problem: diff.Problem) -> diff.Solution:
        solution = problem.step()
        for index in range(1, self.steps):
            solution = problem.step(solution, index=index)
        return solution


class Difference:
    """The derivative with respect to one scalar argument, by a central difference of two runs."""

    def differentiate(self, problem: diff.Problem) -> diff.Solution:
        (phi,) = problem.args
        with torch.no_grad():
            there, here = (
                problem.at(problem.params, (phi + e,)).run().params for e in (1e-4, -1e-4)
            )
            solution = problem.run()
        slope = (there - here) / 2e-4
        return replace(solution, params=solution.params + slope * (phi - phi.detach()))


def test_every_member_of_the_protocol_is_one_of_our_problems() -> None:
    members = {name for name in vars(diff.Problem) if not name.startswith("_")}
    assert members == {"params", "args", "run", "residual", "step", "at"}
    for name in members - {"params", "args"}:
        ours = inspect.signature(getattr(InnerProblem, name)).parameters
        assert list(ours) == list(inspect.signature(getattr(diff.Problem, name)).parameters)


def test_the_series_of_residuals_is_that_of_neumann() -> None:
    b = B.clone().requires_grad_()
    x = torchopt.fixed_point(affine, torch.zeros_like(B), (b,), diff=Neumann(3)).params
    eye = torch.eye(3, dtype=DTYPE)
    torch.testing.assert_close(x.detach(), torch.linalg.solve(eye - M, B))
    (found,) = torch.autograd.grad(WEIGHTS @ x, b)
    torch.testing.assert_close(found, (eye + M + M @ M).T @ WEIGHTS)


def test_the_residual_over_batches_is_the_mean() -> None:
    seen = []

    class Look(Neumann):
        def differentiate(self, problem: diff.Problem) -> diff.Solution:
            seen.append(problem.residual(B, problem.args))
            return problem.run()

    targets = torch.stack([B + 1, 3 * B])
    torchopt.minimize(
        lambda x, t: (x - t).square().sum() / 2,
        torch.zeros_like(B),
        solver=torchopt.sgd(0.1),
        steps=2,
        batches=targets,
        diff=Look(1),
    )
    torch.testing.assert_close(seen, [B - targets.mean(0)])
    with pytest.raises(ValueError, match="`batches` is a function: pass a list"):
        torchopt.minimize(
            lambda x, t: (x - t).square().sum() / 2,
            torch.zeros_like(B),
            solver=torchopt.sgd(0.1),
            steps=2,
            batches=lambda step: targets[step],
            diff=Look(1),
        )


def test_steps_one_by_one_are_the_explicit_mode() -> None:
    scales = torch.tensor([1.0, 0.5, 2.0], dtype=DTYPE)

    def derivative(mode: Any) -> Any:
        b = B.clone().requires_grad_()
        solution = torchopt.minimize(
            lambda x, b, s: s * (x - b).square().sum() + (x * b).sum().square(),
            torch.ones_like(B),
            (b,),
            solver=torchopt.adam(0.1),
            steps=3,
            batches=scales,
            diff=mode,
        )
        return solution.iterations, *torch.autograd.grad(WEIGHTS @ solution.params, b)

    torch.testing.assert_close(derivative(Unroll(3)), derivative(diff.Explicit()))


def test_a_further_step_goes_on_with_the_state_of_the_solver() -> None:
    b = B.clone().requires_grad_()
    solution = torchopt.minimize(
        lambda x, b: (x - b).square().sum() / 2,
        torch.zeros_like(B),
        (b,),
        solver=torchopt.sgd(0.5, momentum=0.5),
        steps=1,
        diff=FurtherStep(),
    )
    # x1 = b / 2 with buffer -b; the second step: buffer -b / 2 - (b - x1) = -b, x2 = x1 + b / 2.
    torch.testing.assert_close(solution.params.detach(), B)
    assert solution.iterations == 2
    # Only the last gradient depends on b: its part of the step is 0.5 * b.
    (found,) = torch.autograd.grad(solution.params.sum(), b)
    torch.testing.assert_close(found, torch.full_like(B, 0.5))


def test_a_step_of_a_solver_is_that_of_newton() -> None:
    a = torch.tensor(8.0, dtype=DTYPE, requires_grad=True)
    start = torch.tensor(3.0, dtype=DTYPE)
    solution = torchopt.root(lambda x, a: x**3 - a, start, (a,), diff=Unroll(1))
    torch.testing.assert_close(solution.params.detach(), start - (27 - 8) / (3 * start**2))
    (found,) = torch.autograd.grad(solution.params, a)
    torch.testing.assert_close(found, 1 / (3 * start**2))
    with pytest.raises(ValueError, match="not for `Minimum`: use `torchopt"):
        torchopt.minimize(lambda x: x * x, start, solver=torchopt.solver.Broyden(), diff=Unroll(1))
    with pytest.raises(TypeError, match="the solver, which is a function and has none"):
        torchopt.root(lambda x: x, start, solver=lambda x: x, diff=Unroll(1))


def test_other_arguments_make_another_run() -> None:
    phi = torch.tensor(0.3, dtype=DTYPE, requires_grad=True)
    x = torchopt.root(lambda x, p: x**3 - p.exp(), torch.ones_like(phi), (phi,), diff=Difference())
    (found,) = torch.autograd.grad(x.params, phi)
    torch.testing.assert_close(found, (phi.detach() / 3).exp() / 3, rtol=1e-6, atol=0.0)


def test_modes_wrap_modes() -> None:
    calls = []

    class Counted:
        def differentiate(self, problem: diff.Problem) -> diff.Solution:
            calls.append(problem.params)
            return diff.Implicit().differentiate(problem)

    b = B.clone().requires_grad_()
    x = torchopt.fixed_point(affine, torch.zeros_like(B), (b,), diff=Counted()).params
    (found,) = torch.autograd.grad(WEIGHTS @ x, b)
    torch.testing.assert_close(found, torch.linalg.solve(torch.eye(3).double() - M.T, WEIGHTS))
    assert len(calls) == 1


class _Params:
    """Returns the parameters instead of a solution, as a solver that is a function does."""

    def differentiate(self, problem: Any) -> Any:
        return problem.run().params


def test_what_is_no_solution_is_refused_wherever_a_mode_is_called() -> None:
    x = torch.zeros(1, requires_grad=True)
    level = torchopt.multilevel.Level
    inner = level(
        "inner",
        lambda p, values, batch: (p - values["outer"]).square().sum(),
        solver=torchopt.sgd(0.1),
        diff=_Params(),
    )
    outer = level(
        "outer",
        lambda p, values, batch: (p * values["inner"]).sum(),
        solver=torchopt.sgd(0.1),
        lowers=[inner],
    )
    for call in (
        lambda: torchopt.fixed_point(torch.cos, x, diff=_Params()),
        lambda: torchopt.minimize(
            lambda x: x.square().sum(),
            x,
            solver=torchopt.sgd(0.1),
            steps=1,
            diff=_Params(),
            verbose=True,
        ),
        lambda: outer.step(outer.init({"outer": x, "inner": x})),
        lambda: _program(_Params()).run(),
    ):
        with pytest.raises(
            TypeError,
            match=r"the result of `_Params.differentiate` is an object of type (Tensor|list)",
        ):
            call()


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"a": torch.zeros(3)}, ValueError, r"params` does not have"),
        ({"a": torch.zeros(3), "b": torch.zeros(())}, ValueError, r"params\['b'\]` has shape \(\)"),
        ({"a": torch.zeros(3), "b": 0.0}, TypeError, r"params\['b'\]` is an object of type float"),
    ],
)
def test_params_of_another_tree_or_shape_are_refused(
    params: Any, error: type[Exception], words: str
) -> None:
    class Other:
        def differentiate(self, problem: diff.Problem) -> diff.Solution:
            return replace(problem.run(), params=params)

    start = {"a": torch.zeros(3), "b": torch.zeros(1)}
    with pytest.raises(error, match=r"^`Other\.differentiate\(problem\)\." + words):
        torchopt.fixed_point(lambda x: x, start, diff=Other())


# What a multilevel program asks of a mode.


@pytest.mark.parametrize(
    ("mode", "answer"),
    [
        (diff.Explicit(), "steps"),
        (diff.ZeroOrder(), "run"),
        (diff.OneStep(), "step"),
        (diff.OneStep(step_size=0.1), "solution"),
        (diff.Implicit(), "conditions"),
    ],
)
def test_each_of_our_modes_says_what_it_differentiates(mode: Any, answer: str) -> None:
    assert differentiated_by(mode) == answer
    assert differentiated_by(Neumann(1)) == "run"


class _Recorded:
    """Implicit, and what it was given: a level mode that has no options of ours."""

    def __init__(self, differentiates: str) -> None:
        self.differentiates = differentiates
        self.weight_gradients: list[torch.Tensor] = []

    def differentiate(self, problem: diff.Problem) -> diff.Solution:
        zero = [torch.full_like(p, 2.0) for p in problem.params]
        self.weight_gradients += problem.residual(zero, problem.args)
        return diff.Implicit().differentiate(problem)


class _Lower(torchopt.multilevel.Problem):
    def training_step(self, batch: Any) -> torch.Tensor:
        return (self.module.weight - self.upper.module.weight).square().sum() / 2


class _Upper(torchopt.multilevel.Problem):
    def training_step(self, batch: Any) -> torch.Tensor:
        return self.lower.module.weight.square().sum()


@pytest.mark.parametrize(("differentiates", "decay"), [("conditions", 0.25), ("solution", 0.0)])
def test_a_mode_gets_the_weight_decay_for_its_conditions(differentiates: str, decay: float) -> None:
    mode = _Recorded(differentiates)
    _program(mode).run()
    torch.testing.assert_close(mode.weight_gradients[0], torch.tensor([[2.0 + 1.5 + decay * 2.0]]))


def test_a_mode_of_steps_that_is_not_explicit_is_refused() -> None:
    with pytest.raises(TypeError, match='differentiates "steps", but _Recorded is another'):
        _program(_Recorded("steps"))


def _program(mode: Any) -> torchopt.multilevel.Engine:
    modules = torch.nn.Linear(1, 1, bias=False), torch.nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        modules[0].weight.fill_(0.5)
        modules[1].weight.fill_(-1.5)
    config = torchopt.multilevel.Config
    lower = _Lower(
        "lower",
        config=config(diff=mode),
        module=modules[0],
        optimizer=torch.optim.SGD(modules[0].parameters(), lr=0.1, weight_decay=0.25),
        train_data_loader=[0],
    )
    upper = _Upper(
        "upper",
        config=config(),
        module=modules[1],
        optimizer=torch.optim.SGD(modules[1].parameters(), lr=0.1),
        train_data_loader=[0],
    )
    return torchopt.multilevel.Engine(
        config=torchopt.multilevel.EngineConfig(train_iters=1),
        problems=[upper, lower],
        dependencies={"u2l": {upper: [lower]}, "l2u": {lower: [upper]}},
    )


# Modes of plain functions.


def straight_through(function: Callable[..., Any]) -> Callable[..., Any]:
    def differentiable(x: torch.Tensor) -> torch.Tensor:
        return x + (function(x) - x).detach()

    return differentiable


@pytest.mark.parametrize(
    ("mode", "slope"),
    [
        (straight_through, 1.0),
        # A rounded line, smoothed by a normal distribution, is the line.
        (
            diff.ZeroOrder(
                diff.zero_order.Antithetic(num_samples=20000, sigma=2.0),
                diff.zero_order.Vmap(),
                generator=0,
            ),
            1.0,
        ),
    ],
    ids=["straight through", "zero order"],
)
def test_modes_of_functions(mode: diff.FunctionMode, slope: float) -> None:
    x = torch.tensor(1.6, dtype=DTYPE, requires_grad=True)
    y = mode(torch.round)(x)
    assert y.item() == 2.0
    (found,) = torch.autograd.grad(y, x)
    torch.testing.assert_close(found, torch.tensor(slope, dtype=DTYPE), rtol=0.05, atol=0.0)
