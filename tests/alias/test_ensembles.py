"""An ensemble of parameters in one vmapped ``init`` and ``update`` equals a loop of single ones."""

from __future__ import annotations

from functools import partial
from typing import Any

import optree
import pytest
import torch

import torchopt
from _trees import (
    ALIASES,
    Case,
    assert_trees_equal,
    case_id,
    generator,
    random_like,
    random_params,
    snapshot,
)

SHAPES = {"b": (2,), "s": (), "w": (2, 3)}


def member(trees: Any, index: int) -> Any:
    """Return one member of an ensemble."""
    return optree.tree_map(lambda x: x[index].clone(), trees)


@pytest.mark.parametrize("case", ALIASES, ids=case_id)
def test_ensemble_equals_a_loop(case: Case) -> None:
    members = 100 if case.name == "adam" else 4
    options = dict(case.options)
    if "mask" in options:
        options["mask"] = {"b": False, "s": True, "w": True}
    opt = case.make(**case.hyper, **options)
    gen = generator(3)
    together = random_params(gen, {k: (members, *shape) for k, shape in SHAPES.items()})
    gradients = [random_like(gen, together) for _ in range(3)]
    assert None not in optree.tree_leaves(
        torch.vmap(opt.init)(together), none_is_leaf=True, namespace="torchopt"
    )

    def step(grads: Any, state: Any, params: Any, *, inplace: bool) -> Any:
        updates, state = opt.update(grads, state, params=params, inplace=inplace)
        return torchopt.apply_updates(params, updates, inplace=False), state

    single = []
    for index in range(members):
        params = member(together, index)
        state = opt.init(params)
        for grads in gradients:
            params, state = step(member(grads, index), state, params, inplace=True)
        single.append(params)
    expected = optree.tree_map(lambda *leaves: torch.stack(leaves), *single)
    for inplace in (True, False):
        params, state = together, torch.vmap(opt.init)(together)
        for grads in snapshot(gradients):  # a step in place may write into them
            params, state = torch.vmap(partial(step, inplace=inplace))(grads, state, params)
        assert_trees_equal(params, expected, rtol=1e-12, atol=1e-12)
