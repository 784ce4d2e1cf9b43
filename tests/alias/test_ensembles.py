"""An ensemble of parameters in one vmapped ``init`` and ``update`` equals a loop of single ones."""

from __future__ import annotations

from typing import Any

import optree
import pytest
import torch

import torchopt
from _trees import ALIASES, Case, assert_trees_equal, case_id, generator, random_like, random_params

SHAPES = {"b": (2,), "s": (), "w": (2, 3)}


def member(trees: Any, index: int) -> Any:
    """Return one member of an ensemble."""
    return optree.tree_map(lambda x: x[index].clone(), trees)


@pytest.mark.parametrize("case", ALIASES, ids=case_id)
@pytest.mark.parametrize("inplace", [True, False], ids=["default", "out of place"])
def test_ensemble_equals_a_loop(case: Case, inplace: bool) -> None:
    members = 100 if case.name == "adam" else 6
    options = dict(case.options)
    if "mask" in options:
        options["mask"] = {"b": False, "s": True, "w": True}
    opt = case.make(**case.hyper, **options)
    gen = generator(3)
    together = random_params(gen, {k: (members, *shape) for k, shape in SHAPES.items()})
    single = [member(together, index) for index in range(members)]
    state = torch.vmap(opt.init)(together)
    states = [opt.init(params) for params in single]
    assert None not in optree.tree_leaves(state, none_is_leaf=True, namespace="torchopt")

    def step(grads: Any, state: Any, params: Any) -> Any:
        updates, state = opt.update(grads, state, params=params, inplace=inplace)
        return torchopt.apply_updates(params, updates, inplace=False), state

    for _ in range(3):
        grads = random_like(gen, together)
        for index in range(members):
            single[index], states[index] = step(member(grads, index), states[index], single[index])
        together, state = torch.vmap(step)(grads, state, together)
    expected = optree.tree_map(lambda *leaves: torch.stack(leaves), *single)
    assert_trees_equal(together, expected, rtol=1e-12, atol=1e-12)
