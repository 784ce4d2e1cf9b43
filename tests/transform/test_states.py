"""Trees, states and chains as programs for the published package use them."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import torchopt
from _cases import diagonal
from _trees import CASES, Case, assert_trees_equal, case_id, generator, random_params, random_tensor
from torchopt import transform
from torchopt.transform import ChainedGradientTransformation, identity

SMALL = {"b": (3,), "w": (2, 3)}
EMPTY: list[Any] = [{}, [], (), {"a": [], "b": ()}]
#: The fields of states in TorchOpt 0.7.3; its `t` is `count`.
PUBLISHED = {
    **dict.fromkeys(("ScaleByAdam", "ScaleByAdamax", "ScaleByRAdam"), "mu nu count"),
    **dict.fromkeys(("ScaleByAdadelta", "ScaleByRStdDev"), "mu nu"),
    **{"ScaleByRms": "nu", "ScaleByRss": "sum_of_squares", "ScaleBySchedule": "count"},
    **{"Masked": "inner_state", "Trace": "trace"},
}
#: Transformations whose state has no fields.
STATELESS = {
    *("add_decayed_weights", "clip_grad_norm", "identity", "nan_to_num", "register_hook", "scale"),
    *("clip", "set_to_zero", "scale_by_learning_rate", "scale_by_sign"),
    *("scale_by_trust_ratio", "normalize_by_update_norm", "clip_by_block_rms"),
    *("adaptive_grad_clip", "centralize", "project", "scale_by_polyak"),
}


@pytest.mark.parametrize(
    ("case", "empty"), diagonal(CASES, EMPTY), ids=lambda x: getattr(x, "name", str(x))
)
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


@pytest.mark.parametrize(
    ("case", "inplace"), diagonal(CASES, [True, False]), ids=lambda x: getattr(x, "name", str(x))
)
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
    assert isinstance(identity(), torchopt.base.IdentityGradientTransformation)
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
    for name, fields in PUBLISHED.items():
        assert {*fields.split()} <= {*getattr(transform, f"{name}State")._fields}, name
    params = {"b": torch.ones(3), "a": torch.ones(2)}
    schedule = transform.scale_by_schedule(lambda count: 0.5)
    _, state = schedule.update(params, schedule.init(params), inplace=False)
    assert [int(count) for count in torchopt.pytree.tree_leaves(state.count)] == [1, 1]
    assert transform.ScaleByScheduleState(count=state.count)._asdict() == {"count": state.count}
    adam = transform.scale_by_adam()
    assert adam.init(params).nu.keys() == params.keys()
    assert [leaf.shape for leaf in adam.init([*params.values()]).nu] == [(3,), (2,)]


def second_moments(state: Any) -> Any:
    return next(part.nu for part in state if hasattr(part, "nu"))


def test_states_of_optimizers_hold_lists_of_leaves_in_the_order_of_sorted_keys() -> None:
    params = {"b": torch.ones(3), "a": {"d": torch.ones(()), "c": torch.ones(2)}}
    opt = torchopt.adamw(lambda count: 0.1)
    state = opt.init(params)
    for _ in range(2):
        updates, state = opt.update(params, state, params=params, inplace=False)
    assert type(second_moments(state)) is list
    assert [tuple(nu.shape) for nu in second_moments(state)] == [(2,), (), (3,)]
    assert [int(count) for count in state[-1].count] == [2, 2, 2]
    assert updates.keys() == params.keys()
    net = torch.nn.Linear(3, 2)
    meta = torchopt.MetaAdam(net)
    meta.step(net(torch.ones(3)).square().sum())
    (state,) = torchopt.extract_state_dict(meta)
    assert [tuple(nu.shape) for nu in second_moments(state)] == [(2,), (2, 3)]


@pytest.mark.parametrize("inplace", [True, False])
def test_lists_tuples_and_trees_of_moments_give_the_same_numbers(inplace: bool) -> None:
    """A list is what the published package has, a tree what programs make by hand."""
    params, grads = (random_params(generator(seed), SMALL) for seed in (1, 2))
    moment = random_params(generator(3), SMALL)
    opt = torchopt.sgd(0.1, momentum=0.9)
    expected = {name: -0.1 * (0.9 * moment[name] + g) for name, g in grads.items()}
    for form in (lambda x: [x["b"], x["w"]], lambda x: (x["b"], x["w"]), dict):
        trace = form({name: m.clone() for name, m in moment.items()})
        state = [
            part._replace(trace=trace) if isinstance(part, transform.TraceState) else part
            for part in opt.init(params)
        ]
        own = {name: g.clone() for name, g in grads.items()}
        updates, new = opt.update(own, tuple(state), params=params, inplace=inplace)
        assert_trees_equal(updates, expected, rtol=1e-12)
        (after,) = (part for part in new if isinstance(part, transform.TraceState))
        assert type(after.trace) is list


def test_a_state_as_the_published_package_saves_it_goes_on() -> None:
    """It has lists, no part that changes nothing, and no field for schedules."""
    params, grads = (random_params(generator(seed), SMALL) for seed in (1, 2))
    opt = torchopt.adam(0.1)
    _, state = opt.update(grads, opt.init(params), inplace=False)
    (adam,) = (part for part in state if isinstance(part, transform.ScaleByAdamState))
    saved = (
        transform.ScaleByAdamState(mu=adam.mu, nu=adam.nu, count=adam.count),
        torchopt.transform.EmptyState(),
    )
    expected, _ = opt.update(grads, state, inplace=False)
    assert_trees_equal(opt.update(grads, saved, inplace=False)[0], expected)


def test_parts_of_a_flat_chain_are_given_lists() -> None:
    """A transformation that is written for lists, as programs for the published package have them."""
    seen: list[Any] = []

    def init(params: Any) -> Any:
        return [torch.zeros_like(p) for p in params]

    def update(updates: Any, state: Any, *, params: Any = None, inplace: bool = True) -> Any:
        seen.append((updates, params))
        sums = [s if g is None else s + g for s, g in zip(state, updates, strict=True)]
        return [None if g is None else s for s, g in zip(sums, updates, strict=True)], sums

    own = torchopt.GradientTransformation(init, update)
    tx = torchopt.chain.flat(own, transform.trace.flat(0.5), transform.scale.flat(-1.0))
    params = {"b": torch.ones(3), "a": (torch.ones(2), torch.ones(1))}
    grads = {"b": torch.full((3,), 2.0), "a": (torch.ones(2), None)}
    state = tx.init(params)
    for factor in (-1.0, -2.5):
        updates, state = tx.update(grads, state, params=params, inplace=False)
        expected = torchopt.pytree.tree_scalar_mul(factor, grads)
        assert_trees_equal(updates, expected, rtol=1e-6)
    assert all(type(tree) is list and len(tree) == 3 for pair in seen for tree in pair)
    assert [type(state[1].trace), len(state[1].trace)] == [list, 3]
    tx.update(grads, state)
    assert seen[-1][1] is None
    assert torchopt.chain.flat() == identity()
