"""What the graph holds does not grow with the number of the solver's steps."""

from __future__ import annotations

import dataclasses
import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import torchopt
from torchopt import diff, solver


class Saved:
    """A tensor that a graph keeps."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor


def held(make: Callable[[], torch.Tensor]) -> int:
    """How many bytes the graph of a result keeps, each storage once."""
    alive: weakref.WeakSet[Saved] = weakref.WeakSet()

    def pack(t: torch.Tensor) -> Saved:
        saved = Saved(t.detach())
        alive.add(saved)
        return saved

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda saved: saved.tensor):
        result = make()
    assert result.requires_grad
    gc.collect()
    storages = {s.tensor.untyped_storage().data_ptr(): s.tensor.nbytes for s in alive}
    return sum(storages.values())


def problem(mode: Any, steps: int) -> Callable[[], torch.Tensor]:
    torch.manual_seed(0)
    X, y = torch.randn(20, 8), torch.randn(20)
    penalty = torch.tensor(0.3, requires_grad=True)

    def objective(w: torch.Tensor, penalty: torch.Tensor) -> torch.Tensor:
        return torch.tanh(X @ w - y).square().mean() + penalty * w.square().sum()

    return lambda: (
        torchopt.minimize(
            objective,
            torch.zeros(8),
            (penalty,),
            solver=torchopt.adam(0.01),
            steps=steps,
            diff=mode,
        ).params
    )


@pytest.mark.filterwarnings("ignore:`Implicit` differentiates a point that is no solution")
def test_memory_of_a_minimum_does_not_grow_with_the_steps() -> None:
    few, many = (held(problem(diff.Implicit(), steps)) for steps in (10, 1000))
    assert few == many
    # What it is measured by does see the steps where they are held.
    assert held(problem(diff.Explicit(), 40)) > 2 * held(problem(diff.Explicit(), 10))


@pytest.mark.parametrize("steps", [10, 1000])
def test_memory_of_a_fixed_point_is_that_of_one_evaluation(steps: int) -> None:
    torch.manual_seed(0)
    layer = nn.Linear(16, 16)
    with torch.no_grad():
        layer.weight.mul_(0.5)

    def function(z: torch.Tensor) -> torch.Tensor:
        return torch.tanh(layer(z))

    def solve(z: torch.Tensor) -> torch.Tensor:
        for _ in range(steps):
            z = function(z)
        return z

    once = held(lambda: function(torch.zeros(16, requires_grad=True)))
    bytes_held = held(lambda: torchopt.fixed_point(function, torch.zeros(16), solver=solve).params)
    # The graph, the solution, and the parameters, which the derivative's derivative reads.
    parameters = sum(p.numel() * p.element_size() for p in layer.parameters())
    assert bytes_held <= once + 2 * 16 * 4 + parameters


def test_the_graph_of_a_solution_has_few_nodes_and_solvers_leave_none() -> None:
    a = torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True)
    for problem_solver in (solver.LBFGS(), solver.Newton(), torchopt.adam(0.05)):
        limits = {} if not isinstance(problem_solver, tuple) else {"steps": 500}
        solution = torchopt.minimize(
            lambda x, a: ((x - a) ** 2).sum() + (x**4).sum(),
            torch.zeros(2, dtype=torch.float64),
            (a,),
            solver=problem_solver,
            diff=diff.Implicit(),
            **limits,
        )
        assert len(nodes(solution.params)) < 10
        leaves = torchopt.pytree.tree_leaves(dataclasses.replace(solution, params=None))
        assert not any(isinstance(t, torch.Tensor) and t.requires_grad for t in leaves)


def nodes(tensor: torch.Tensor) -> set[Any]:
    found: set[Any] = set()
    waiting = [tensor.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found.add(node)
            waiting += [n for n, _ in node.next_functions]
    return found


def test_a_solution_that_is_dropped_frees_what_it_held() -> None:
    class Marked(torch.Tensor):
        pass

    data = torch.randn(5).as_subclass(Marked)
    seen = weakref.ref(data)
    a = torch.tensor(2.0, requires_grad=True)
    solution = torchopt.root(lambda x, a, d: x - a * d.mean(), torch.tensor(0.0), (a, data))
    solution.params.backward()
    del solution, data
    gc.collect()
    assert seen() is None


def test_no_cycle_keeps_a_solution_alive() -> None:
    """What is dropped is freed at once, without the garbage collector."""

    def solve_and_drop() -> weakref.ref[torch.Tensor]:
        a = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
        data = torch.randn(3, dtype=torch.float64)
        solution = torchopt.minimize(
            lambda x, a: ((x - a) ** 2 * data.exp()).sum(),
            torch.zeros(3, dtype=torch.float64),
            (a,),
            solver=solver.LBFGS(),
            diff=diff.Implicit(),
        )
        torch.autograd.grad(solution.params.sum(), a, create_graph=True)
        return weakref.ref(data)

    gc.collect()
    gc.disable()
    try:
        assert solve_and_drop()() is None
    finally:
        gc.enable()
