"""The solution as a value: a frozen tree with a value and statistics."""

from __future__ import annotations

import dataclasses
import io
import pickle
from contextlib import nullcontext
from typing import Any

import optree
import pytest
import torch
from torch.utils import _pytree as torch_pytree

import _public
import torchopt
from torchopt.diff import Explicit, Implicit, OneStep, Solution, ZeroOrder
from torchopt.errors import NotConvergedWarning

CENTRES = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.0]], dtype=torch.float64)
SOLVERS: dict[str, dict[str, Any]] = {
    "steps": {"solver": torchopt.adam(0.1), "steps": 3},
    "steps to a tolerance": {"solver": torchopt.sgd(0.25), "maxiter": 60, "atol": 1e-6},
    "a solver": {"solver": torchopt.solver.LBFGS()},
    "a function": {"solver": lambda x, centre: centre.clone(), "diff": Implicit()},
    "implicit steps": {"solver": torchopt.sgd(0.25), "steps": 60, "diff": Implicit()},
}


def objective(x: torch.Tensor, centre: torch.Tensor) -> torch.Tensor:
    return (x - centre).square().sum() + 1


def solve(centre: torch.Tensor, **options: Any) -> Solution[torch.Tensor, Any]:
    return torchopt.minimize(objective, torch.zeros_like(centre), (centre,), **options)


@pytest.mark.parametrize("options", SOLVERS.values(), ids=SOLVERS)
def test_it_comes_out_of_vmap(options: dict[str, Any]) -> None:
    batched = torch.func.vmap(lambda c: solve(c, **options))(CENTRES)
    assert isinstance(batched, Solution)
    for i, centre in enumerate(CENTRES):
        alone = solve(centre, **options)
        torch.testing.assert_close(batched.params[i], alone.params)
        for mine, theirs in zip(
            torch_pytree.tree_leaves(batched), torch_pytree.tree_leaves(alone), strict=True
        ):
            torch.testing.assert_close(mine[i], theirs, check_stride=False)


@pytest.mark.parametrize("memory", ["graph", *_public.POLICIES, 2])
def test_each_policy_has_the_value_and_no_gradient_through_it(memory: Any) -> None:
    centre = CENTRES[0].clone().requires_grad_()
    solution = solve(centre, solver=torchopt.sgd(0.1), steps=4, diff=_public.keeping(memory))
    # x_k = (1 - 0.8^k) c, and the last update starts at x_3.
    expected = (0.8**3 * CENTRES[0]).square().sum() + 1
    value = solution.stats.last_value
    assert value is not None
    assert not value.requires_grad
    torch.testing.assert_close(value, expected)
    (g,) = torch.autograd.grad(solution.params.sum(), centre)
    torch.testing.assert_close(g, torch.full_like(g, 1 - 0.8**4))


@pytest.mark.parametrize("mode", [OneStep(), ZeroOrder(), Implicit(), Explicit()], ids=str)
def test_micro_batches_give_the_mean_value_in_each_mode(mode: Any) -> None:
    # No step is done: to `Implicit` the start is no solution.
    warned = pytest.warns(NotConvergedWarning) if isinstance(mode, Implicit) else nullcontext()
    with warned:
        solution = torchopt.minimize(
            lambda x, batch: (x - batch).square().mean(),
            torch.tensor(0.5, dtype=torch.float64),
            solver=torchopt.sgd(0.0),
            steps=2,
            batches=torch.arange(8.0, dtype=torch.float64).reshape(2, 4),
            micro_batches=2,
            diff=mode,
        )
    seen = torch.arange(8.0, dtype=torch.float64)
    mean = (seen - 0.5).square().mean() if isinstance(mode, Implicit) else None
    torch.testing.assert_close(solution.value, mean)
    torch.testing.assert_close(solution.stats.last_value, (seen[4:] - 0.5).square().mean())


def test_it_is_a_tree_for_pytorch_optree_and_the_library() -> None:
    solution = solve(CENTRES[0], **SOLVERS["a solver"])
    twice = torch_pytree.tree_map(lambda t: 2 * t, solution)
    for doubled in (
        twice,
        optree.tree_map(lambda t: 2 * t, solution),
        torchopt.pytree.tree_map(lambda t: 2 * t, solution),
    ):
        assert isinstance(doubled, Solution)
        assert torch.equal(doubled.params, 2 * solution.params)
        assert doubled.aux is None
        assert torch.equal(doubled.stats.iterations, 2 * solution.stats.iterations)


def test_it_is_frozen_and_keeps_its_short_names() -> None:
    solution = solve(CENTRES[0], **SOLVERS["a solver"])
    with pytest.raises(dataclasses.FrozenInstanceError):
        solution.params = None  # type: ignore[misc]
    for name in ("iterations", "error", "converged"):
        assert getattr(solution, name) is getattr(solution.stats, name)
    assert [field.name for field in dataclasses.fields(solution)] == [
        *("params", "aux", "value", "state", "stats")
    ]


@pytest.mark.parametrize("options", SOLVERS.values(), ids=SOLVERS)
def test_it_is_pickled_and_saved(options: dict[str, Any]) -> None:
    solution = solve(CENTRES[0], **options)
    file = io.BytesIO()
    torch.save(solution, file)
    file.seek(0)
    for again in (pickle.loads(pickle.dumps(solution)), torch.load(file, weights_only=True)):
        assert torch.equal(again.params, solution.params)
        for name in ("value", "last_value"):
            theirs, mine = (
                getattr(s, name, getattr(s.stats, name, None)) for s in (again, solution)
            )
            assert (theirs is None and mine is None) or torch.equal(theirs, mine)


@pytest.mark.parametrize(
    ("params", "name", "hint"),
    [
        (torch.ones(2), "detach", r"use `solution\.params\.detach`"),
        (torch.ones(2), "shape", r"use `solution\.params\.shape`"),
        ({"w": torch.ones(2)}, "w", r"use `solution\.params\['w'\]`"),
        ({"w": torch.ones(2)}, "items", r"use `solution\.params\.items`"),
        (torch.ones(2), "last_value", r"use `solution\.stats\.last_value`"),
        ({"w": torch.ones(2)}, "backward", r"the solution is `solution\.params`, a dict"),
    ],
)
def test_an_attribute_of_the_parameters_says_where_they_are(
    params: Any, name: str, hint: str
) -> None:
    with pytest.raises(AttributeError, match=rf"has no attribute `{name}`: {hint}\.$"):
        getattr(Solution(params, None), name)


@pytest.mark.parametrize("name", ["parms", "_private", "__deepcopy__"])
def test_any_other_missing_attribute_has_no_hint(name: str) -> None:
    solution = Solution(torch.ones(2), None)
    assert not hasattr(solution, name)
    with pytest.raises(AttributeError, match=rf"a `Solution` has no attribute `{name}`\.$"):
        getattr(solution, name)
