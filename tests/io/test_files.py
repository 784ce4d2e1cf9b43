"""Files that 0.8 has written load in this release, and what they hold goes on (docs/versions.md)."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import make_files
import pytest
import torch
from make_files import GRADS, START

import torchopt
from torchopt.diff import zero_order

FILES = Path(__file__).with_name("files")
NAMES = sorted(path.stem for path in FILES.glob("*.pt"))
#: After two steps of Adam with the same gradient, each as long as the rate up to `eps`.
MOMENTS = [0.19 * GRADS, 0.001999 * GRADS**2]
TWO_STEPS, THREE_STEPS = START - 0.2 * GRADS.sign(), START - 0.3 * GRADS.sign()


def load(name: str) -> Any:
    return torch.load(FILES / f"{name}.pt", weights_only=True)


def is_close(found: Any, expected: Any) -> bool:
    found, expected = torch.as_tensor(found).detach().double(), torch.as_tensor(expected).double()
    return found.numel() == expected.numel() and torch.allclose(
        found.ravel(), expected.ravel(), rtol=1e-7, atol=1e-14
    )


def one_more_step(module: torch.nn.Linear, optimizer: Any) -> torch.Tensor:
    loss = (module.weight * GRADS).sum()
    if isinstance(optimizer, torchopt.MetaOptimizer):
        optimizer.step(loss)
    else:
        loss.backward()
        optimizer.step()
    return module.weight


#: The tensors that each file holds among others: those of a state have no promised names.
HELD: dict[str, list[Any]] = {
    "transformation": [*MOMENTS, 2],
    "optimizer": [*MOMENTS, 2],
    "meta_optimizer": [*MOMENTS, 2],
    "extracted": [TWO_STEPS, *MOMENTS, 2],
    "checkpoint": [TWO_STEPS, *MOMENTS, 2, 7],
    "multilevel": [0.25, 0.875, 2],
    "search": [START, [2.0, 2.0], 0],
    "solution": [GRADS + (START - GRADS) / 8, GRADS, 3],
}


@pytest.mark.parametrize("name", NAMES)
def test_each_file_loads_without_running_code_and_has_its_numbers(name: str) -> None:
    leaves = torchopt.pytree.tree_leaves(load(name))
    numbers = [x for x in leaves if isinstance(x, (torch.Tensor, int, float))]
    for expected in HELD[name]:
        assert any(is_close(x, expected) for x in numbers), (name, expected)


def test_states_of_transformations_go_on_from_each_kind_of_file() -> None:
    pickled = pickle.loads((FILES / "transformation.pickle").read_bytes())
    checkpoint = torchopt.checkpoint.load(FILES / "checkpoint.pt")
    assert (checkpoint["step"], checkpoint["seed"]) == (2, 7)
    assert is_close(checkpoint["net"]["weight"], TWO_STEPS)
    for state in (load("transformation"), pickled, checkpoint["state"]):
        tx = make_files.adam()
        updates, _ = tx.update({"w": GRADS}, state, params={"w": TWO_STEPS}, inplace=False)
        assert torch.allclose(updates["w"], -0.05 * GRADS.sign(), rtol=1e-6)  # half of the rate


@pytest.mark.parametrize("kind", ["optimizer", "meta_optimizer", "extracted"])
def test_optimizers_go_on(kind: str) -> None:
    module = make_files.net()
    with torch.no_grad():
        module.weight.copy_(TWO_STEPS)
    if kind == "optimizer":
        optimizer: Any = torchopt.optim.Adam(module.parameters(), lr=0.1)
        optimizer.load_state_dict(load(kind))
    else:
        optimizer = torchopt.MetaAdam(module, lr=0.1)
        if kind == "meta_optimizer":
            optimizer.load_state_dict(load(kind))
        else:
            for target, state in zip((module, optimizer), load(kind), strict=True):
                torchopt.recover_state_dict(target, state)
    assert torch.allclose(one_more_step(module, optimizer), THREE_STEPS, rtol=1e-7)


def test_a_multilevel_program_goes_on() -> None:
    engine = make_files.engine()
    engine.resume(FILES / "multilevel.pt")
    upper, lower = engine.problems
    assert engine.global_step == 2
    assert (lower.params.item(), upper.params.item()) == (0.25, 0.875)
    engine.train_step()
    # w goes half of its way to phi, whose gradient is then (w - 1) / 2.
    assert (lower.params.item(), upper.params.item()) == (0.5625, 1.09375)


def test_searches_and_solutions_go_on() -> None:
    searches, solutions = load("search"), load("solution")
    population = zero_order.GaussianSearch(population=4).ask(searches["gaussian"])["w"]
    assert is_close(population.mean(0), START)  # two pairs, one on each side of it
    assert not is_close(population[0], START)
    steps, found = solutions["steps"], solutions["lbfgs"]
    assert isinstance(steps, torchopt.diff.Solution)
    assert steps.stats.iterations == 3
    assert is_close(steps.params, GRADS + (START - GRADS) / 8)  # each step halves the distance
    assert bool(found.stats.converged)
    again = torchopt.minimize(make_files.parabola, found.params, solver=torchopt.solver.LBFGS())
    assert is_close(again.params, found.params)
