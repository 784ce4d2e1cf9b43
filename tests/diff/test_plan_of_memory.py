"""What a plan states is what the policies then take."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import torchopt
from _alive import Alive
from torchopt.diff import Explicit

STEPS = 6


class Problem:
    """A network with batch normalization and dropout on batches."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.net = nn.Sequential(
            nn.Linear(20, 64), nn.BatchNorm1d(64), nn.Tanh(), nn.Dropout(0.1), nn.Linear(64, 1)
        )
        self.model = functools.partial(torchopt.nn.functional_call, self.net)
        self.params = tuple(self.net.parameters())
        self.batches = torch.randn(STEPS, 200, 20)
        self.calls = 0

    def loss(self, p: Any, batch: Tensor) -> Tensor:
        self.calls += 1
        return self.model(p, batch).square().mean()

    def given(self) -> dict[str, Any]:
        return {"solver": torchopt.adam(0.01), "steps": STEPS, "batches": self.batches}


def test_memory_and_evaluations_are_as_stated() -> None:
    problem = Problem()
    plan = torchopt.plan(problem.loss, problem.params, **problem.given())
    for cost in plan.policies:
        if cost.mode.offload:
            continue
        given = {t.untyped_storage()._cdata: 0 for t in (*problem.params, problem.batches)}
        saved = dict(given)

        def pack(t: Tensor, saved: dict[int, int] = saved) -> Tensor:
            saved.setdefault(t.untyped_storage()._cdata, t.untyped_storage().nbytes())
            return t

        problem.calls = 0
        with Alive() as alive, torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            solution = torchopt.minimize(
                problem.loss, problem.params, diff=cost.mode, **problem.given()
            )
        # With the graph of the step that is differentiated, and its cotangents.
        replayed = alive.now + plan.graph
        kept = sum(saved.values()) if cost.mode.memory == "graph" else replayed
        assert abs(kept - cost.memory) <= 0.1 * cost.memory + 2 * plan.carry, cost
        solution.params[0].sum().backward()
        assert problem.calls == cost.evaluations


def test_a_plan_leaves_nothing_behind_and_prints_a_table() -> None:
    problem = Problem()
    buffers = [b.clone() for b in problem.net.buffers()]
    before = torch.get_rng_state()
    plan = torchopt.plan(problem.loss, problem.params, **problem.given())
    assert torch.equal(before, torch.get_rng_state())
    assert all(map(torch.equal, problem.net.buffers(), buffers))
    assert all(p.grad is None for p in problem.params)
    lines = str(plan).splitlines()
    assert lines[0].startswith("6 steps; a carry ")
    assert len(lines) == 2 + len(plan.policies)
    assert repr(plan) == str(plan)


def test_the_fastest_policy_that_fits_is_chosen() -> None:
    problem = Problem()
    plan = torchopt.plan(problem.loss, problem.params, **problem.given())
    costs = {(cost.mode.memory, cost.mode.offload): cost for cost in plan.policies}
    assert plan.within(10**12) == Explicit()
    assert plan.within(costs["graph", None].memory - 1) == Explicit("step")
    with pytest.raises(ValueError, match="no policy keeps at most 10 bytes"):
        plan.within(10)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="pass a gradient transformation"):
        torchopt.plan(lambda p: p.sum(), torch.ones(2), solver=torchopt.solver.Newton(), steps=2)
    with pytest.raises(ValueError, match="use a whole number of steps, at least 1"):
        torchopt.plan(lambda p: p.sum(), torch.ones(2), solver=torchopt.sgd(0.1), steps=0)
