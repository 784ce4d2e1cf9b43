"""A solver with optimality conditions of its own: mirror descent on a simplex for each leaf."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import pytest
import torch

import torchopt
from torchopt import diff, pytree
from torchopt.solver import FlatProblem, Solver

Tree = dict[str, torch.Tensor]
START: Tree = {
    "a": torch.full((2,), 1 / 2, dtype=torch.float64),
    "b": torch.full((2, 3), 1 / 3, dtype=torch.float64),
}
COST: Tree = {
    "a": torch.tensor([0.2, -0.5], dtype=torch.float64),
    "b": torch.tensor([[0.3, 1.1, -0.4], [0.0, 0.6, 0.9]], dtype=torch.float64),
}
WEIGHTS: Tree = {
    "a": torch.tensor([1.0, -0.7], dtype=torch.float64),
    "b": torch.tensor([[0.4, -1.3, 0.8], [1.7, 0.1, -0.6]], dtype=torch.float64),
}


class Fixed(NamedTuple):
    residual: torch.Tensor


class PlainMirrorDescent(Solver[Fixed]):
    """Mirror descent, whose conditions nobody is told of."""

    kinds = frozenset({diff.Minimum})

    def _change(self, problem: FlatProblem, x: torch.Tensor) -> torch.Tensor:
        grads = problem.unravel(problem.gradient(x))
        images = pytree.tree_map(
            lambda p, g: (p.log() - 0.4 * g).softmax(-1), problem.unravel(x), grads
        )
        return x - problem.ravel(images)

    def init(self, problem: FlatProblem, x: torch.Tensor) -> Fixed:
        return Fixed(self._change(problem, x))

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: Fixed
    ) -> tuple[torch.Tensor, Fixed]:
        x = x - state.residual
        return x, Fixed(self._change(problem, x))


class MirrorDescent(PlainMirrorDescent):
    def stationarity(self, problem: FlatProblem, x: torch.Tensor) -> torch.Tensor:
        return self._change(problem, x)


def entropic(p: Tree, cost: Tree) -> torch.Tensor:
    """At the minimum, each row is the softmax of its negative costs."""
    return sum((p[k] * (cost[k] + p[k].log())).sum() for k in p)  # type: ignore[return-value]


def outer(
    cost: Tree, objective: Any = entropic, mode: Any = None, solver: Any = None
) -> torch.Tensor:
    p = torchopt.minimize(
        objective,
        START,
        (cost,),
        solver=solver or MirrorDescent(rtol=0.0, atol=1e-13),
        diff=mode or diff.Implicit(),
    ).params
    return sum((WEIGHTS[k] * p[k]).sum() for k in p)  # type: ignore[return-value]


def closed_form(cost: Tree) -> torch.Tensor:
    return sum((WEIGHTS[k] * (-cost[k]).softmax(-1)).sum() for k in cost)  # type: ignore[return-value]


def assert_close(actual: Any, expected: Any, rtol: float = 1e-9) -> None:
    torch.testing.assert_close(actual, expected, rtol=rtol, atol=1e-10)


@pytest.mark.parametrize("hvp", ["reverse", "forward"])
def test_hypergradient_of_two_simplices_is_the_closed_form(hvp: Any) -> None:
    gradient = torch.func.grad(closed_form)(COST)
    mode = diff.Implicit(hvp=hvp)
    leaves = {k: c.clone().requires_grad_() for k, c in COST.items()}
    found = torch.autograd.grad(outer(leaves, mode=mode), list(leaves.values()))
    assert_close(dict(zip(leaves, found, strict=True)), gradient, 1e-7)


def test_forward_mode_and_second_order_are_those_of_the_closed_form() -> None:
    tangent = {k: (c + 1).cos() for k, c in COST.items()}
    _, expected = torch.func.jvp(closed_form, (COST,), (tangent,))
    assert_close(torch.func.jvp(outer, (COST,), (tangent,))[1], expected)
    expected = torch.func.hessian(closed_form)(COST)
    assert_close(torch.func.jacrev(torch.func.grad(outer))(COST), expected)
    assert_close(torch.func.jacfwd(torch.func.grad(outer))(COST), expected)


def test_a_batch_of_problems() -> None:
    costs = {k: torch.stack([c, c.flip(-1), 2 * c]) for k, c in COST.items()}
    found = torch.func.vmap(torch.func.grad(outer))(costs)
    assert_close(found, torch.func.vmap(torch.func.grad(closed_form))(costs))


def test_what_converged_means_is_measured_by_the_conditions_of_the_solver() -> None:
    solution = torchopt.minimize(entropic, START, (COST,), solver=MirrorDescent())
    assert solution.converged
    assert solution.error < 1e-8
    gradient = torch.func.grad(entropic)(solution.params, COST)
    assert all(g.norm() > 0.1 for g in gradient.values())
    assert_close(solution.params, {k: (-c).softmax(-1) for k, c in COST.items()}, 1e-7)


def test_a_solver_with_conditions_of_its_own_is_run_in_the_units_of_the_user() -> None:
    cost = torch.linspace(-1, 1, 1000, dtype=torch.float64)
    start = torch.full((1000,), 1e-3, dtype=torch.float64)  # another solver would see ones
    solution = torchopt.minimize(
        lambda p: (p * (cost + p.log())).sum(), start, solver=MirrorDescent()
    )
    assert_close(solution.params, (-cost).softmax(0), 1e-6)


def test_without_its_conditions_implicit_warns() -> None:
    cost = {k: c.clone().requires_grad_() for k, c in COST.items()}
    with pytest.warns(
        torchopt.errors.NotConvergedWarning, match="give it a `stationarity`"
    ) as caught:
        outer(cost, solver=PlainMirrorDescent(rtol=0.0, atol=1e-13))
    assert caught[0].message.error > 0.1  # type: ignore[union-attr]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outer(COST, solver=PlainMirrorDescent(rtol=0.0, atol=1e-13), mode=diff.Explicit())


def test_modes_that_have_no_use_for_the_conditions_say_so() -> None:
    with pytest.raises(TypeError, match=r"MirrorDescent has a `stationarity` .*JacobianFree"):
        outer(COST, mode=diff.OneStep(step_size=0.1))
    with pytest.raises(ValueError, match=r"MirrorDescent has a `stationarity` .*another `hvp`"):
        outer(COST, mode=diff.Implicit(hvp="gauss_newton"))
