"""Combinators and wrappers: what is their own beside what holds for all transformations."""

from __future__ import annotations

import functools
import math
import pickle
from typing import Any

import pytest
import torch

import torchopt
from _trees import (
    assert_trees_close,
    assert_trees_equal,
    drawn,
    generator,
    leaves,
    random_tensor,
    saved,
    snapshot,
    trained,
)
from torchopt import transform
from torchopt.pytree import tree_get

SMALL = {"b": (), "w": (2, 3)}
NAN = math.nan


def draw(seed: int, steps: int) -> tuple[Any, list[Any]]:
    return drawn(seed, steps, SMALL)


# --- groups of leaves and names ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [
        ("x", "y"),
        {"b": "x", "w": "y"},
        lambda tree: {name: "y" if p.dim() else "x" for name, p in tree.items()},
    ],
    ids=["tuple", "dict", "function"],
)
def test_labels_are_a_tree_or_a_function_of_the_parameters(labels: Any) -> None:
    params, (grads,) = draw(2, 1)
    tx = transform.partition({"x": transform.scale(2.0), "y": transform.scale(3.0)}, labels)
    updates, _ = tx.update(grads, tx.init(params), params=params, inplace=False)
    assert_trees_equal(updates, {"b": 2.0 * grads["b"], "w": 3.0 * grads["w"]})


def test_labels_that_do_not_fit_are_refused_with_their_place() -> None:
    params, _ = draw(2, 1)
    tx = transform.partition({"x": torchopt.sgd(0.1)}, {"b": "x", "w": "z"})
    with pytest.raises(ValueError, match=r"`param_labels\['w'\]` is 'z', which is no key .* 'x'"):
        tx.init(params)
    tx = transform.partition({"x": torchopt.sgd(0.1)}, {"b": "x"})
    with pytest.raises(ValueError, match=r"`param_labels\['w'\]` is missing"):
        tx.init(params)
    with pytest.raises(TypeError, match=r"`transforms\['x'\]` is the function `sgd` itself"):
        transform.partition({"x": torchopt.sgd}, "x")  # type: ignore[dict-item]


def test_named_chain_refuses_other_arguments_and_states() -> None:
    sgd = torchopt.sgd(0.1)
    with pytest.raises(ValueError, match="several transformations of the name 'a'"):
        transform.named_chain(("a", sgd), ("a", sgd))
    with pytest.raises(TypeError, match="argument 1 of `named_chain`"):
        transform.named_chain(("a", sgd), sgd)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="`b` is an object of type int"):
        transform.named_chain(("a", sgd), ("b", 3))  # type: ignore[arg-type]
    tx = transform.named_chain(("a", sgd))
    with pytest.raises(ValueError, match="no dict with these keys"):
        tx.update({"w": torch.ones(2)}, {"b": ()})


@pytest.mark.parametrize(
    "mask", [True, {"w": True, "b": False}, lambda tree: {"w": True, "b": False}]
)
def test_frozen_parameters_stay_whatever_their_gradient_is(mask: Any) -> None:
    params, gradients = draw(4, 3)
    gradients[1]["w"][0, 0] = NAN
    chain = torchopt.chain(torchopt.adam(0.1, weight_decay=0.1), transform.freeze(mask))
    selective = transform.selective_transform(
        torchopt.adam(0.1, weight_decay=0.1), freeze_mask=mask
    )
    for tx in (chain, selective):
        found, _ = trained(tx, params, gradients)
        assert torch.equal(found["w"], params["w"])
        assert torch.equal(found["b"], params["b"]) == (mask is True)
    assert tree_get(selective.init(params), "mu")[1] is None


# --- conditions -----------------------------------------------------------------------------------


def test_updates_that_are_not_finite_are_left_out_of_values_and_derivatives() -> None:
    params, gradients = draw(5, 5)
    gradients[2]["b"] = torch.tensor(math.inf, dtype=torch.float64)
    gradients[3]["w"][1, 2] = NAN
    adam = torchopt.adam(0.1)
    tx = transform.apply_if_finite(adam, 5)
    tracked = [{k: g.clone().requires_grad_() for k, g in grads.items()} for grads in gradients]
    state, p = tx.init(params), params
    for grads in tracked:
        updates, state = tx.update(grads, state, params=p, inplace=False)
        p = torchopt.apply_updates(p, updates, inplace=False)
    expected, _ = trained(adam, params, [gradients[i] for i in (0, 1, 4)])
    assert_trees_close({k: x.detach() for k, x in p.items()}, expected)
    assert (state.total_notfinite, state.notfinite_count, state.last_finite) == (2, 0, True)
    slopes = torch.autograd.grad(sum(x.sum() for x in p.values()), leaves(tracked))
    assert all(s.isfinite().all() for s in slopes)
    assert all((s == 0).all() for s in slopes[4:8])
    assert all((s != 0).all() for s in (*slopes[:4], *slopes[8:]))


def test_after_too_many_errors_updates_are_taken_as_they_are() -> None:
    g = (torch.tensor([NAN, 1.0]),)
    tx = transform.apply_if_finite(transform.scale(2.0), 2)
    state, found = tx.init(g), []
    for _ in range(4):
        (u,), state = tx.update(g, state)
        found.append(u[1].item())
    assert found == [0.0, 0.0, 2.0, 2.0]
    assert state.notfinite_count == state.total_notfinite == 4


@pytest.mark.parametrize("inplace", [True, False])
def test_nothing_of_a_step_that_is_left_out_remains_in_the_state(inplace: bool) -> None:
    params, gradients = draw(6, 4)
    gradients[2]["w"][0, 1] = NAN
    adam = torchopt.adam(0.1, weight_decay=0.1)
    expected = trained(adam, params, [gradients[i] for i in (0, 1, 3)], inplace=inplace)
    found, state = trained(transform.apply_if_finite(adam, 9), params, gradients, inplace=inplace)
    assert_trees_close((found, state.inner_state), expected)


def test_conditions_are_given_the_step_and_further_arguments_of_update() -> None:
    def small(step: torch.Tensor, *, value: torch.Tensor) -> torch.Tensor:
        return (step > 0) & (value < 5)

    g, value = {"w": torch.ones(2)}, torch.tensor(3.0)
    tx = transform.conditionally_transform(transform.scale(3.0), small, forward_extra_args=True)
    tx = torchopt.chain(tx, transform.scale(2.0))
    assert tx.reads == {"value"}
    state, found = tx.init(g), []
    for loss in (value, value, 2 * value):
        updates, state = tx.update(g, state, inplace=False, value=loss)
        found.append(updates["w"][0].item())
    assert found == [2, 6, 2]
    with pytest.raises(TypeError, match="reads `value`, the loss"):
        tx.update(g, state)


def _by_value(
    updates: Any, state: Any, *, params: Any = None, inplace: bool = True, value: Any
) -> Any:
    return torchopt.pytree.tree_map(lambda u: None if u is None else value * u, updates), state


BY_VALUE = torchopt.transform.GradientTransformationExtraArgs(
    lambda params: torchopt.transform.EmptyState(), _by_value
)
READERS = {
    "partition": transform.partition({"x": BY_VALUE}, "x"),
    "named_chain": transform.named_chain(("x", BY_VALUE)),
    "selective_transform": transform.selective_transform(BY_VALUE, freeze_mask=False),
    "apply_if_finite": transform.apply_if_finite(BY_VALUE, 3),
    "conditionally_transform": transform.conditionally_transform(BY_VALUE, lambda step: step < 9),
    "conditionally_mask": transform.conditionally_mask(BY_VALUE, lambda step: step < 9),
    "MultiSteps": transform.MultiSteps(BY_VALUE, 1),
    "lookahead": transform.lookahead(BY_VALUE, 1, 1.0),
    "lookahead-reset": transform.lookahead(BY_VALUE, 1, 1.0, reset_state=True),
    "inject_hyperparams": transform.inject_hyperparams(lambda lr: BY_VALUE)(0.1),
    "monitor": transform.monitor({"x": BY_VALUE}),
}


@pytest.mark.parametrize("name", READERS)
def test_further_arguments_reach_the_inner_transformation(name: str) -> None:
    params, (grads,) = draw(7, 1)
    tx = READERS[name]
    assert tx.reads == {"value"}
    state = tx.init(params)
    value = torch.tensor(0.25, dtype=torch.float64)
    updates, state = tx.update(grads, state, params=params, inplace=False, value=value)
    found = state.measurements["x"] if name == "monitor" else updates
    assert_trees_close(found, {k: 0.25 * g for k, g in grads.items()})
    with pytest.raises(TypeError, match="reads `value`, the loss"):
        tx.update(grads, state, params=params, inplace=False)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (1.0, "an object of type float"),
        (torch.tensor(1), r"a tensor of dtype torch.int64 and shape \(\)"),
        (torch.tensor([True]), r"a tensor of dtype torch.bool and shape \(1,\)"),
    ],
)
def test_a_condition_that_is_no_boolean_is_refused(value: Any, found: str) -> None:
    g = {"w": torch.ones(2)}
    for wrap in (transform.conditionally_transform, transform.conditionally_mask):
        tx = wrap(transform.scale(3.0), lambda step: value)
        with pytest.raises(TypeError, match=f"`should_transform_fn` returned {found}"):
            tx.update(g, tx.init(g))


# --- several steps --------------------------------------------------------------------------------


def test_a_leaf_without_a_gradient_keeps_what_it_has_accumulated() -> None:
    g, one = torch.tensor([1.0]), torch.tensor([1.0])
    tx = transform.MultiSteps(torchopt.sgd(1.0), 2, use_grad_mean=False)
    state = tx.init({"a": g, "b": g})
    found = []
    for grads in ({"a": one, "b": one}, {"a": one, "b": None}) * 2:
        updates, state = tx.update(grads, state, inplace=False)
        found.append((updates["a"].item(), updates["b"]))
    assert [a for a, _ in found] == [0, -2, 0, -2]
    assert [b is None for _, b in found] == [False, True, False, True]
    assert state.acc_grads["b"] == 2
    for _ in range(2):
        updates, state = tx.update({"a": one, "b": one}, state, inplace=False)
    assert updates["b"] == -4


def test_steps_that_a_test_refuses_count_as_not_done() -> None:
    params, gradients = draw(9, 6)
    bad = snapshot(gradients)
    bad[1]["w"][0, 0] = NAN
    bad[4]["b"] = 100 * bad[4]["b"]
    for test, index in (
        (transform.skip_not_finite, 1),
        (functools.partial(transform.skip_large_updates, max_squared_norm=99.0), 4),
    ):
        given = [*gradients[:index], bad[index], *gradients[index:]]
        tx = transform.MultiSteps(torchopt.adam(0.1), 2, should_skip_update_fn=test)
        plain = transform.MultiSteps(torchopt.adam(0.1), 2)
        found, state = trained(tx, params, given)
        expected, known = trained(plain, params, gradients)
        assert_trees_close(found, expected)
        assert_trees_close(state.inner_opt_state, known.inner_opt_state)
        tracked = {k: g.clone().requires_grad_() for k, g in bad[index].items()}
        updates, _ = tx.update(tracked, state, params=params, inplace=False)
        slopes = torch.autograd.grad(sum(u.sum() for u in leaves(updates)), leaves(tracked))
        assert not any(s.any() for s in slopes)
    assert tree_get(trained(tx, params, bad[4:5])[1], "should_skip")


def test_what_the_tests_of_steps_return() -> None:
    updates = {"a": torch.tensor([3.0, NAN]), "b": None, "c": torch.tensor([4.0])}
    skip, seen = transform.skip_not_finite(updates, None, None)
    assert skip
    assert seen["num_not_finite"] == 1
    assert transform.skip_large_updates(updates, None, None, 1e9)[0]  # NaN
    updates["a"] = torch.tensor([3.0, 0.0])
    skip, seen = transform.skip_large_updates(updates, None, None, 25.5)
    assert not skip
    assert seen["norm_squared"] == 25
    assert not transform.skip_not_finite((), None, None)[0]
    assert not transform.skip_large_updates((), None, None, 1.0)[0]


def test_multi_steps_is_a_transformation_itself() -> None:
    inner = torchopt.sgd(0.5)
    tx = transform.MultiSteps(inner, 4, accumulator_dtype=torch.float32)
    assert isinstance(tx, torchopt.GradientTransformation)
    assert tx.inner_opt is inner
    assert repr(tx) == (
        "MultiSteps(sgd(lr=0.5), every_k_schedule=4, accumulator_dtype=torch.float32)"
    )
    assert repr(pickle.loads(pickle.dumps(tx))) == repr(tx)
    state = tx.init({"w": torch.zeros(2, dtype=torch.bfloat16)})
    assert state.acc_grads["w"].dtype == torch.float32
    assert not tx.has_updated(state)
    with pytest.raises(ValueError, match="`every_k_schedule` is 0: use a whole number of steps"):
        transform.MultiSteps(inner, 0)
    with pytest.raises(TypeError, match="`opt` is an object of type int"):
        transform.MultiSteps(3, 2)  # type: ignore[arg-type]


def test_gradients_of_other_parameters_are_refused_with_their_place() -> None:
    tx = transform.MultiSteps(torchopt.sgd(0.5), 2)
    state = tx.init({"a": torch.ones(2), "b": None})
    for grads, found in (
        ({"a": torch.ones(3), "b": None}, r"`updates\['a'\]` has shape \(3,\), .* has \(2,\)"),
        ({"a": None, "b": torch.ones(1)}, r"`updates\['b'\]` has shape \(1,\), .* was None"),
        ({"a": None}, r"`updates\['b'\]` is missing"),
    ):
        with pytest.raises(ValueError, match=found):
            tx.update(grads, state)


# --- averages -------------------------------------------------------------------------------------


@pytest.mark.parametrize("decay", [None, 0.8])
def test_average_of_parameters_is_that_of_torch(decay: float | None) -> None:
    params, gradients = draw(10, 20)
    module = torch.nn.ParameterDict({k: p.clone() for k, p in params.items()})
    multi = None if decay is None else torch.optim.swa_utils.get_ema_multi_avg_fn(decay)
    twin = torch.optim.swa_utils.AveragedModel(module, multi_avg_fn=multi)
    optimizer = torch.optim.Adam(module.parameters(), 0.1)
    tx = torchopt.chain(torchopt.adam(0.1), transform.polyak_average(decay))
    state = tx.init(params)
    assert_trees_equal(tree_get(state, "average"), params)
    assert tree_get(state, "average")["w"] is not params["w"]
    p = params
    for grads in gradients:
        for name, weight in module.items():
            weight.grad = grads[name].clone()
        optimizer.step()
        twin.update_parameters(module)
        updates, state = tx.update(grads, state, params=p, inplace=False)
        p = torchopt.apply_updates(p, updates, inplace=False)
    expected = {k: x.detach() for k, x in twin.module.items()}
    assert_trees_equal(tree_get(state, "average"), expected, rtol=1e-12, atol=1e-14)


# --- hyperparameters in the state -----------------------------------------------------------------


def test_averages_and_slow_weights_of_training_have_no_graph() -> None:
    params, gradients = draw(12, 3)
    weights = {k: p.requires_grad_() for k, p in params.items()}
    inner = transform.MultiSteps(torchopt.adamw(0.1), 2)
    tx = torchopt.chain(transform.lookahead(inner, 2, 0.5), transform.polyak_average())
    state = tx.init(weights)
    for grads in gradients:
        updates, state = tx.update(grads, state, params=weights)
        assert not any(x.requires_grad for x in leaves((updates, state)))
        torchopt.apply_updates(weights, updates)


def test_hyperparameters_in_the_state_are_read_and_written() -> None:
    params, gradients = draw(13, 4)
    tx = transform.inject_hyperparams(torchopt.adam)(0.1, betas=(0.8, 0.9))
    state, p = tx.init(params), params
    assert {*state.hyperparams} == {"lr", "betas", "eps"}
    for step, grads in enumerate(gradients):
        if step == 2:
            state.hyperparams["lr"] = 0.02
            state = torchopt.pytree.tree_set(state, betas=(torch.tensor(0.5), 0.9))
        updates, state = tx.update(grads, state, params=p, inplace=False)
        p = torchopt.apply_updates(p, updates, inplace=False)
    state_of, q = torchopt.adam(0.1, (0.8, 0.9)).init(params), params
    for step, grads in enumerate(gradients):
        plain = torchopt.adam(0.1, (0.8, 0.9)) if step < 2 else torchopt.adam(0.02, (0.5, 0.9))
        updates, state_of = plain.update(grads, state_of, params=q, inplace=False)
        q = torchopt.apply_updates(q, updates, inplace=False)
    assert_trees_equal(p, q, rtol=1e-12)
    assert state.count == 4
    del state.hyperparams["lr"]
    with pytest.raises(ValueError, match="`hyperparams` of the state has no `lr`"):
        tx.update(gradients[0], state, params=p)


@pytest.mark.parametrize("order", [1, 2])
def test_hyperparameters_in_the_state_are_learned(order: int) -> None:
    params, gradients = draw(15, 3)
    tx = transform.inject_hyperparams(torchopt.adam)(0.1, eps=0.05, weight_decay=0.1)

    def outer(lr: torch.Tensor, decay: torch.Tensor) -> torch.Tensor:
        p: Any = params
        state = torchopt.pytree.tree_set(tx.init(p), lr=lr, weight_decay=decay)
        for grads in gradients:
            updates, state = tx.update(grads, state, params=p, inplace=False)
            p = torchopt.apply_updates(p, updates, inplace=False)
        return sum(x.sin().sum() for x in p.values())

    inputs = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (0.2, 0.3)]
    check = torch.autograd.gradcheck if order == 1 else torch.autograd.gradgradcheck
    assert check(outer, inputs)
    many = torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64)
    found = torch.func.vmap(torch.func.grad(outer), in_dims=(0, None))(many, inputs[1].detach())
    expected = [torch.func.grad(outer)(x, inputs[1].detach()) for x in many]
    torch.testing.assert_close(found, torch.stack(expected), rtol=1e-10, atol=1e-12)


# --- clipping of examples -------------------------------------------------------------------------


def test_injected_transformation_and_state_are_saved() -> None:
    params, gradients = draw(16, 2)
    make = transform.inject_hyperparams(transform.trace, static_args="momentum")
    tx = make(0.5, dampening=0.1)
    assert {*tx.init(params).hyperparams} == {"dampening"}
    expected, state = trained(tx, params, gradients)
    found, _ = trained(pickle.loads(pickle.dumps(make))(0.5, dampening=0.1), params, gradients)
    assert_trees_equal(found, expected)
    found, _ = trained(pickle.loads(pickle.dumps(tx)), params, gradients)
    assert_trees_equal(found, expected)
    assert_trees_equal(saved(state), state)
    with pytest.raises(ValueError, match="`static_args` has 'lr', which is no argument of `trace`"):
        transform.inject_hyperparams(transform.trace, static_args=["lr"])
    with pytest.raises(TypeError, match=r"pass the function itself, such as `torchopt.adam`"):
        transform.inject_hyperparams(torchopt.adam(0.1))


def test_dtypes_of_parameters_are_kept_with_hyperparameters_in_the_state() -> None:
    params = {"w": random_tensor(generator(1), (3,), torch.float32)}
    for dtype in (None, torch.float32):
        tx = transform.inject_hyperparams(torchopt.adam, hyperparam_dtype=dtype)(0.1)
        found, state = trained(tx, params, [params, params])
        assert found["w"].dtype == torch.float32
        assert state.hyperparams["lr"].dtype == (dtype or torch.float64)


def per_example(seed: int) -> dict[str, torch.Tensor]:
    gen = generator(seed)
    return {"b": random_tensor(gen, (4,)), "w": random_tensor(gen, (4, 2, 3))}


def test_gradient_of_each_example_is_clipped_to_a_norm() -> None:
    grads = per_example(1)
    norms = torch.stack(
        [torch.cat([g[i].flatten() for g in grads.values()]).norm() for i in range(4)]
    )
    bound = float(norms.sort().values[1:3].mean())
    sums, clipped = transform.per_example_global_norm_clip(grads, bound)
    scale = (bound / norms).clamp(max=1)
    for name, g in grads.items():
        expected = sum(s * x for s, x in zip(scale, g, strict=True))
        torch.testing.assert_close(sums[name], expected, rtol=1e-12, atol=0)
    assert clipped == 2
    sums, _ = transform.per_example_global_norm_clip(grads, math.inf)
    assert_trees_close(sums, {k: g.sum(0) for k, g in grads.items()})


@pytest.mark.parametrize("uniform", [True, False])
def test_norms_of_layers_are_clipped_to_their_share(uniform: bool) -> None:
    grads = per_example(2)
    shares = {"b": 1 / 2, "w": 1 / 2} if uniform else {"b": 1 / 7, "w": 6 / 7}
    sums, counts = transform.per_example_layer_norm_clip(grads, 1.5, uniform)
    for name, g in grads.items():
        one, count = transform.per_example_global_norm_clip((g,), 1.5 * math.sqrt(shares[name]))
        torch.testing.assert_close(sums[name], one[0], rtol=1e-12, atol=0)
        assert counts[name] == count


def test_clipping_of_examples_is_differentiable_also_at_zero() -> None:
    grads = per_example(3)
    bound = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)

    def clip(bound: torch.Tensor, *leaves: torch.Tensor) -> Any:
        sums, _ = transform.per_example_global_norm_clip(list(leaves), bound)
        return tuple(sums)

    inputs = [bound, *(g.requires_grad_() for g in grads.values())]
    assert torch.autograd.gradcheck(clip, inputs)
    assert torch.autograd.gradgradcheck(clip, inputs)
    zero = torch.zeros(3, 2, requires_grad=True)
    (total,) = clip(torch.tensor(0.5), zero)
    (slope,) = torch.autograd.grad(total.sum(), zero)
    assert torch.equal(slope, torch.ones(3, 2))


def test_noise_of_the_private_mean_has_the_deviation_of_its_bound() -> None:
    tx = transform.differentially_private_aggregate(0.5, 3.0, generator=1)
    grads = {"w": torch.zeros(4, 20_000)}
    state = tx.init({"w": torch.zeros(20_000)})
    first, state = tx.update(grads, state)
    second, _ = tx.update(grads, state)
    assert first["w"].std().item() == pytest.approx(0.5 * 3.0 / 4, rel=0.03)
    assert abs(first["w"].mean().item()) < 0.02
    assert abs(torch.corrcoef(torch.stack([first["w"], second["w"]]))[0, 1]) < 0.03
    with pytest.raises(TypeError, match="`l2_norm_clip` is an object of type dict: use one number"):
        transform.differentially_private_aggregate({"w": 0.5}, 3.0)
    # By default, runs have noise of their own.
    fresh = transform.differentially_private_aggregate(0.5, 3.0)
    noise = [fresh.update(grads, fresh.init(grads))[0]["w"] for _ in range(2)]
    assert not torch.equal(*noise)


def test_gradients_without_a_dimension_of_examples_are_refused() -> None:
    for other in (torch.ones(()), torch.ones(3, 2)):
        for clip in (transform.per_example_global_norm_clip, transform.per_example_layer_norm_clip):
            with pytest.raises(
                ValueError, match=r"`updates\['w'\]` has shape .* one gradient for each"
            ):
                clip({"b": torch.ones(4), "none": None, "w": other}, 1.0)


# --- measurements ---------------------------------------------------------------------------------


def largest(updates: Any) -> torch.Tensor:
    return torch.stack([u.abs().max() for u in leaves(updates)]).max()


def is_large(updates: Any) -> torch.Tensor:
    return largest(updates) > 1.5


def test_measurements_are_those_of_their_place_in_the_chain() -> None:
    params, gradients = draw(17, 3)
    often = transform.measure_with_ema(is_large, 0.5)
    tx = torchopt.chain(
        transform.snapshot("before", largest),
        transform.scale(-0.5),
        transform.monitor({"after": largest, "often": often}),
    )
    state, mean = tx.init(params), 0.0
    for step, grads in enumerate(gradients):
        updates, state = tx.update(grads, state, inplace=False)
        size = largest(grads)
        mean = 0.5 * mean + 0.5 * float(0.5 * size > 1.5)
        assert tree_get(state, "before") == size
        assert tree_get(state, "after") == 0.5 * size
        assert float(tree_get(state, "often")) == pytest.approx(mean / (1 - 0.5 ** (step + 1)))
    assert_trees_equal(updates, {k: -0.5 * g for k, g in gradients[-1].items()})
    for wrong in (lambda: transform.snapshot("x", 3), lambda: transform.monitor({"x": 3})):
        with pytest.raises(TypeError, match="is an object of type int: pass a function"):
            wrong()  # type: ignore[no-untyped-call]


# --- all of them together -------------------------------------------------------------------------


def everything(lr: Any) -> Any:
    inner = torchopt.chain(transform.clip(0.9), torchopt.adam(lr), transform.ema(0.5))
    inner = transform.partition({"x": inner, "y": torchopt.sgd(lr)}, {"w": "x", "b": "y"})
    inner = transform.lookahead(transform.apply_if_finite(inner, 3), 2, 0.5, reset_state=True)
    inner = transform.named_chain(("inner", inner), ("average", transform.polyak_average(0.5)))
    return transform.MultiSteps(inner, 2, should_skip_update_fn=transform.skip_not_finite)


START, _ = draw(18, 1)


def outer(lr: torch.Tensor) -> torch.Tensor:
    def inner(p: Any) -> torch.Tensor:
        return (p["w"].sin() * p["w"]).sum() + p["b"].cos() * p["w"].sum()

    solution = torchopt.minimize(inner, START, solver=everything(lr), steps=6)
    return sum(x.square().sum() for x in solution.params.values())


def test_wrappers_within_wrappers_have_the_derivatives_of_differences() -> None:
    lr = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(outer, (lr,))
    many = torch.tensor([0.1, 0.2], dtype=torch.float64)
    found = torch.func.vmap(torch.func.grad(outer))(many)
    expected = torch.stack([torch.func.grad(outer)(x) for x in many])
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


def test_optimizers_with_parameters_of_their_own_take_wrappers() -> None:
    params, gradients = draw(20, 4)
    inner = transform.lookahead(transform.apply_if_finite(torchopt.adam(0.1), 3), 2, 0.5)
    tx = transform.MultiSteps(torchopt.chain(inner, transform.polyak_average()), 2)
    expected, _ = trained(tx, params, gradients)
    weights = {k: torch.nn.Parameter(p.clone()) for k, p in params.items()}
    optimizer = torchopt.Optimizer(weights.values(), tx)
    module = torch.nn.ParameterDict({k: p.clone() for k, p in params.items()})
    meta = torchopt.MetaOptimizer(module, tx)
    scale = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    for grads in gradients:
        for name, p in weights.items():
            p.grad = grads[name].clone()
        optimizer.step()
        meta.step(scale * sum((module[name] * g).sum() for name, g in grads.items()))
    assert_trees_close({k: p.detach() for k, p in weights.items()}, expected)
    assert_trees_close({k: module[k].detach() for k in params}, expected)
    (slope,) = torch.autograd.grad(sum(module[k].sum() for k in params), scale)
    assert slope.isfinite()
    assert slope != 0
