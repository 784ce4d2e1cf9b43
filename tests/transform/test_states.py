"""Trees, states and chains as programs for the published package use them."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import torchopt
from _trees import CASES, Case, assert_trees_equal, case_id, generator, random_params, random_tensor
from torchopt import transform
from torchopt.base import ChainedGradientTransformation, IdentityGradientTransformation, identity

SMALL = {"b": (3,), "w": (2, 3)}
EMPTY: list[Any] = [{}, [], (), {"a": [], "b": ()}]
#: Transformations whose state has no fields.
STATELESS = {
    *("add_decayed_weights", "clip_grad_norm", "identity", "nan_to_num", "register_hook", "scale"),
    "scale_by_learning_rate",
}


@pytest.mark.parametrize("empty", EMPTY, ids=str)
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_empty_tree_is_a_tree(case: Case, empty: Any) -> None:
    tx = case.make(**case.hyper, **{k: v for k, v in case.options.items() if k != "mask"})
    if case.name == "masked":
        tx = transform.masked(transform.scale_by_adam(), lambda params: params)
    for inplace in (True, False):
        state = tx.init(empty)
        for _ in range(2):
            updates, state = tx.update(empty, state, params=empty, inplace=inplace)
            assert updates == empty
            assert torchopt.apply_updates(empty, updates, inplace=inplace) == empty


def other_containers(tree: Any) -> Any:
    """Return a tree with tuples in place of lists, and lists in place of tuples."""
    if isinstance(tree, (list, tuple)):
        return (tuple if isinstance(tree, list) else list)(map(other_containers, tree))
    return {k: other_containers(x) for k, x in tree.items()} if isinstance(tree, dict) else tree


@pytest.mark.parametrize("inplace", [True, False])
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_lists_and_tuples_are_the_same_container(case: Case, inplace: bool) -> None:
    gen = generator(1)
    tx = case.make(**case.hyper, **{k: v for k, v in case.options.items() if k != "mask"})
    if case.name == "masked":
        tx = transform.masked(transform.scale_by_adam(), [True, [False, True]])
    params = [random_tensor(gen, (2, 3)), (random_tensor(gen, (3,)), random_tensor(gen, ()))]
    grads = [random_tensor(gen, (2, 3)), (random_tensor(gen, (3,)), random_tensor(gen, ()))]
    expected, _ = tx.update(grads, tx.init(params), params=params, inplace=False)
    state = tx.init(params)
    updates, new = tx.update(other_containers(grads), state, params=params, inplace=inplace)
    assert_trees_equal(other_containers(updates), expected, rtol=1e-12)
    # Updates and states keep their own containers.
    moved = torchopt.apply_updates(params, updates, inplace=False)
    assert isinstance(updates, tuple)
    assert isinstance(moved, list)
    assert isinstance(moved[1], tuple)
    assert torchopt.pytree.tree_structure(new) == torchopt.pytree.tree_structure(state)


def test_hyperparameters_in_a_list_are_those_of_a_tuple_of_parameters() -> None:
    params = (torch.ones(2), torch.ones(3))
    opt = torchopt.sgd([1.0, 2.0])
    updates, _ = opt.update(params, opt.init(params), inplace=False)
    assert torch.equal(updates[1], torch.full((3,), -2.0))


def test_leaves_at_other_paths_are_still_refused() -> None:
    opt = torchopt.adam(0.1)
    state = opt.init([torch.ones(2), torch.ones(2)])
    for wrong in ([torch.ones(2)], {"a": torch.ones(2), "b": torch.ones(2)}, torch.ones(2)):
        with pytest.raises(ValueError, match="tree structure"):
            opt.update(wrong, state)


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_none_is_the_state_of_a_transformation_without_one(case: Case) -> None:
    tx, params = case.build(), random_params(generator(2), SMALL)
    if case.name.partition("-")[0] not in STATELESS or "mask" in case.name:
        with pytest.raises((TypeError, ValueError)):
            tx.update(params, None, params=params, inplace=False)
        return
    expected, _ = tx.update(params, tx.init(params), params=params, inplace=False)
    found, _ = tx.update(params, None, params=params, inplace=False)
    assert_trees_equal(found, expected)


def test_chains_that_apply_the_same_are_equal() -> None:
    adam, scale = torchopt.adam(), transform.scale(2.0)
    assert torchopt.chain() == identity()
    assert torchopt.chain(identity(), identity()) == identity()
    assert identity().chain(identity()) == identity()
    assert isinstance(identity(), IdentityGradientTransformation)
    assert isinstance(identity().chain(identity()), ChainedGradientTransformation)
    for same in (adam.chain(identity()), identity().chain(adam), torchopt.chain(adam)):
        assert same == adam
        assert hash(same) == hash(adam)
    assert scale.chain(identity()) == scale == identity().chain(scale)
    assert hash(scale.chain(identity())) == hash(scale)
    assert scale.chain(adam) != adam.chain(scale)
    assert adam != torchopt.adam()
    assert adam != "adam"


def test_states_have_the_fields_of_the_published_package() -> None:
    params = {"b": torch.ones(3), "a": torch.ones(2)}
    schedule = transform.scale_by_schedule(lambda count: 0.5)
    _, state = schedule.update(params, schedule.init(params), inplace=False)
    assert [int(count) for count in torchopt.pytree.tree_leaves(state.count)] == [1, 1]
    adam = transform.scale_by_adam()
    # The order of the leaves, which was that of the lists.
    nu = torchopt.pytree.tree_leaves(adam.init(params).nu)
    assert [tuple(leaf.shape) for leaf in nu] == [(2,), (3,)]
    assert [leaf.shape for leaf in adam.init([*params.values()]).nu] == [(3,), (2,)]
