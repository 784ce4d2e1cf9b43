"""The variables of `docs/metagradients.md`: each derivative equals finite differences."""

from __future__ import annotations

import gc
import sys
from types import ModuleType
from typing import Any

import pytest
import torch

import torchopt
from test_docs import ROOT, read
from torchopt.diff import Explicit

PAGE = "docs/metagradients.md"
STEPS = 6
POLICIES: dict[str, Explicit] = {
    "graph": Explicit(),
    "step": Explicit("step"),
    "step, forward": Explicit("step", hvp="forward"),
    "tree": Explicit("tree"),
}


@pytest.fixture(scope="module")
def page() -> Any:
    """Return the program of the page, up to its first derivative, with a few steps."""
    before, program = torch.get_default_dtype(), ModuleType("metagradients")
    sys.modules["metagradients"] = program
    torch.set_default_dtype(torch.float64)
    try:
        for block in read(PAGE)[:3]:
            if block.language == "python":
                text = block.text.replace("= 7, 8, 24", f"= 7, 8, {STEPS}")
                exec(compile(text, str(ROOT / PAGE), "exec"), vars(program))
        assert len(program.variables["rates"]) == STEPS
        yield program
    finally:
        torch.set_default_dtype(before)
        del sys.modules["metagradients"]


@pytest.mark.parametrize(
    "name", ["example", "token", "source", "noise", "smoothing", "rates", "start"]
)
def test_a_derivative_equals_finite_differences(page: Any, name: str) -> None:
    gen = torch.Generator().manual_seed(0)
    x = page.v[name]
    direction = torchopt.pytree.tree_map(
        lambda t: torch.randn(t.shape, generator=gen, dtype=torch.float64), x
    )

    def moved(size: float) -> Any:
        with torch.no_grad():
            there = torchopt.pytree.tree_map(lambda t, d: t + size * d, x, direction)
            return page.held_out_loss({**page.v, name: there})

    h = 1e-5
    expected = (moved(h) - moved(-h)) / (2 * h)
    slope, along = map(torchopt.pytree.tree_leaves, (page.slope[name], direction))
    found = sum((g * d).sum() for g, d in zip(slope, along, strict=True))
    assert found != 0
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("policy", POLICIES)
def test_policies_agree_and_take_batches_of_queries(page: Any, policy: str) -> None:
    queries = page.token_losses(page.trained(page.v, POLICIES[policy]), page.held_out).mean(1)
    values, _ = torchopt.pytree.tree_flatten(page.v)

    def along(cotangent: torch.Tensor) -> Any:
        return torch.autograd.grad(queries, values, cotangent, retain_graph=True)

    eye = torch.eye(len(queries), dtype=torch.float64)
    found = torch.func.vmap(along, randomness="same", chunk_size=4)(eye)
    every = torchopt.pytree.tree_leaves(page.slope)
    for each, mean in zip(found, every, strict=True):
        torch.testing.assert_close(each.mean(0), mean, rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(found[0][2], along(eye[2])[0], rtol=1e-10, atol=1e-12)


def calls(entries: int, policy: Explicit) -> int:
    """Return the calls of Python functions in a run of a few steps, and in its backward pass."""
    rates = torch.full((entries,), 0.1, dtype=torch.float64).requires_grad_()
    start = torch.ones(3, dtype=torch.float64)
    solver = torchopt.adam(torchopt.schedule.table_schedule(rates))

    def run() -> None:
        params = torchopt.minimize(
            lambda x: (x**4).sum(), start, solver=solver, steps=4, diff=policy
        ).params
        torch.autograd.grad(params.sum(), rates)

    counts: list[int] = []

    def note(frame: Any, event: str, argument: Any) -> None:
        counts[-1] += event == "call"

    before = sys.getprofile()
    gc.collect()  # what that would call in the middle
    for _ in range(3):  # what is made once is in the first
        counts.append(0)
        sys.setprofile(note)
        try:
            run()
        finally:
            sys.setprofile(before)
    return min(counts)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_step_reads_a_long_table_as_a_short_one(policy: str) -> None:
    calls(4, POLICIES[policy])  # what a process makes once
    assert calls(500, POLICIES[policy]) == calls(4, POLICIES[policy]) > 100
