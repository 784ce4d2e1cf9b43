"""Transformations on trees: what they compute, how they combine, and where they can run."""

from __future__ import annotations

import pickle
from functools import cache
from typing import Any, NamedTuple

import optree
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import _public
import torchopt
from _cases import covering, first_of_each
from _own_rules import NormState, SumsState
from _trees import (
    ALIASES,
    CASES,
    Case,
    advance,
    assert_trees_equal,
    double,
    generator,
    leaves,
    random_like,
    random_params,
    random_tensor,
    saved,
    snapshot,
    trees,
)
from torchopt import transform
from torchopt.pytree import flattening as pytree

#: Each transformation and each optimizer once, and with other options when there is time.
each_once = pytest.mark.parametrize(
    "case", first_of_each({c.name: (c,) for c in CASES}, lambda c: c[0].name.partition("-")[0])
)
SMALL = {"b": (), "w": (2, 3)}


@cache
def _at_work(name: str, one_leaf: bool) -> tuple[Any, Any]:
    (case,) = (case for case in CASES if case.name == name)
    gen = generator(1)
    tx, shapes = case.build(), {"w": SMALL["w"]} if one_leaf else SMALL
    params, state = advance(tx, random_params(gen, shapes), case.warm_up + 1, gen)
    return tx, (random_like(gen, params), state, params)


def at_work(case: Case, *, one_leaf: bool = False) -> tuple[Any, ...]:
    """Return a transformation with gradients, a state that has seen steps, and parameters."""
    tx, made = _at_work(case.name, one_leaf)
    return tx, *snapshot(made)


# --- purity ---------------------------------------------------------------------------------------


@each_once
def test_update_writes_to_none_of_its_arguments(case: Case) -> None:
    tx, grads, state, params = at_work(case)
    before = snapshot((grads, state, params))
    tx.update(grads, state, params=params, inplace=False)
    assert_trees_equal((grads, state, params), before)


@each_once
def test_leaves_without_elements_are_taken(case: Case) -> None:
    params = {"b": torch.zeros(0, 3), "w": torch.ones(2, 3)}
    tx = case.build()
    state = tx.init(params)
    for _ in range(2):
        updates, state = tx.update(params, state, params=params, inplace=False)
        assert updates["b"].shape == (0, 3)
        assert updates["w"].isfinite().all()


# --- torch.func and torch.compile -----------------------------------------------------------------


@each_once
def test_jvp_is_the_transpose_of_the_vjp(case: Case) -> None:
    tx, grads, state, params = at_work(case)
    gen = generator(5)

    def value(grads: Any, params: Any) -> Any:
        return tx.update(grads, state, params=params, inplace=False)[0]

    tangents = (random_like(gen, grads), random_like(gen, params))
    out, forward = torch.func.jvp(value, (grads, params), tangents)
    cotangent = random_like(gen, out)
    _, pullback = torch.func.vjp(value, grads, params)
    backward = pullback(cotangent)
    left = sum((a * b).sum() for a, b in zip(leaves(cotangent), leaves(forward), strict=True))
    right = sum((a * b).sum() for a, b in zip(leaves(backward), leaves(tangents), strict=True))
    torch.testing.assert_close(left, right, rtol=1e-12, atol=1e-13)


@each_once
def test_vmap_over_tasks_equals_a_loop(case: Case) -> None:
    tx = case.build()
    gen = generator(6)
    tasks = []
    for _ in range(2):
        params = random_params(gen, SMALL)
        tasks.append((params, [random_like(gen, params) for _ in range(case.warm_up + 2)]))

    def run(params: Any, gradients: Any) -> Any:
        state = tx.init(params)
        for grads in gradients:
            updates, state = tx.update(grads, state, params=params, inplace=False)
            params = torchopt.apply_updates(params, updates, inplace=False)
        return params, [x for x in leaves(state) if x.is_floating_point()]

    stacked = optree.tree_map(lambda *x: torch.stack(x), *tasks)
    found = torch.func.vmap(run)(*stacked)
    expected = optree.tree_map(lambda *x: torch.stack(x), *(run(*task) for task in tasks))
    assert_trees_equal(found, expected, rtol=1e-12, atol=1e-14)


def test_every_transformation_of_the_package_has_a_case() -> None:
    named = {case.name.partition("-")[0] for case in CASES}
    found = _public.exported(transform, "GradientTransformation")
    assert found.keys() - named == {"chain", "elementwise"}  # which have tests of their own


#: Each formula once, of an optimizer with the most options; compilation is slow.
COMPILED = {
    *("add_decayed_weights", "clip_grad_norm", "clip_grad_norm-inf", "masked", "nan_to_num"),
    *("register_hook", "scale_by_rms", "scale_by_schedule", "trace-nesterov"),
    *("MultiSteps", "apply_if_finite", "conditionally_mask", "lookahead", "lookahead-reset"),
    *("monitor", "named_chain", "partition", "polyak_average", "selective_transform"),
    *{case.name.partition("-")[0]: case.name for case in ALIASES}.values(),
}


@pytest.mark.compiled
@pytest.mark.parametrize(
    "case",
    first_of_each({c.name: (c,) for c in CASES if c.name in COMPILED}, lambda c: c[0] in ALIASES),
)
def test_compiled_update_equals_eager(case: Case) -> None:
    tx, grads, state, params = at_work(case, one_leaf=case in ALIASES and "mask" not in case.name)

    def step(grads: Any, state: Any, params: Any) -> Any:
        updates, state = tx.update(grads, state, params=params, inplace=False)
        return torchopt.apply_updates(params, updates, inplace=False), state

    torch.compiler.reset()
    compiled = torch.compile(step, fullgraph=True, backend="eager")
    expected = step(grads, state, params)
    assert_trees_equal(compiled(grads, state, params), expected, rtol=1e-12, atol=1e-14)


def test_hook_runs_where_gradients_flow_back_in_every_way_of_differentiating() -> None:
    tx = torchopt.transform.register_hook(double)
    g = random_tensor(generator(4), (3,))

    def value(g: torch.Tensor) -> torch.Tensor:
        return tx.update((g,), tx.init((g,)), inplace=False)[0][0].square().sum()

    tracked = g.clone().requires_grad_()
    (found,) = torch.autograd.grad(value(tracked), tracked)
    torch.testing.assert_close(found, 4 * g)
    torch.testing.assert_close(torch.func.grad(value)(g), 4 * g)
    torch.testing.assert_close(torch.func.vmap(torch.func.grad(value))(g[None]), 4 * g[None])


@pytest.mark.compiled
def test_hook_is_not_dropped_without_a_word_by_torch_compile() -> None:
    tx = torchopt.transform.register_hook(double)
    g = random_tensor(generator(4), (3,))

    def value(g: torch.Tensor) -> torch.Tensor:
        return tx.update((g,), tx.init((g,)), inplace=False)[0][0].square().sum()

    torch.compiler.reset()
    compiled = torch.compile(torch.func.grad(value), fullgraph=True, backend="aot_eager")
    with pytest.raises(Exception, match="register_hook cannot be compiled inside"):
        compiled(g)
    leaf = g.clone().requires_grad_()
    torch.compile(value, fullgraph=True, backend="aot_eager")(leaf).backward()
    torch.testing.assert_close(leaf.grad, 4 * g)


# --- chain and identity ---------------------------------------------------------------------------

PARTS = [
    lambda: torchopt.transform.clip_grad_norm(0.8),
    lambda: transform.scale(-0.3),
    lambda: transform.scale_by_adam((0.8, 0.9)),
    lambda: transform.trace(0.7, 0.2),
    lambda: transform.add_decayed_weights(0.1),
    lambda: transform.scale_by_schedule(torchopt.schedule.linear_schedule(1.0, 0.1, 4)),
    lambda: torchopt.transform.identity(),
    lambda: torchopt.rmsprop(0.1, momentum=0.5),
]


def run_steps(tx: Any, params: Any, gradients: list[Any]) -> list[Any]:
    state, out = tx.init(params), []
    for grads in gradients:
        updates, state = tx.update(grads, state, params=params, inplace=False)
        out.append(updates)
        params = torchopt.apply_updates(params, updates, inplace=False)
    return out


parts = st.lists(st.sampled_from(range(len(PARTS))), min_size=3, max_size=3)


@given(parts, trees(), st.integers(0, 999))
def test_chain_is_associative(which: list[int], params: Any, seed: int) -> None:
    gradients = [random_like(generator(seed + k), params) for k in range(2)]
    a, b, c = (PARTS[i]() for i in which)
    chain = torchopt.chain
    expected = run_steps(chain(a, b, c), params, gradients)
    assert_trees_equal(run_steps(chain(chain(a, b), c), params, gradients), expected)
    assert_trees_equal(run_steps(chain(a, chain(b, c)), params, gradients), expected)
    assert_trees_equal(run_steps(a.chain(b).chain(c), params, gradients), expected)


def test_chain_of_nothing_is_the_identity_and_of_one_is_that_one() -> None:
    grads = random_params(generator(1), SMALL)
    assert_trees_equal(run_steps(torchopt.chain(), grads, [grads])[0], grads)
    tx = transform.scale(2.0)
    assert torchopt.chain(tx) is tx


# --- random trees ---------------------------------------------------------------------------------

LEAFWISE = [
    lambda: transform.scale_by_adam((0.8, 0.9)),
    lambda: transform.scale_by_radam((0.8, 0.9)),
    lambda: torchopt.sgd(0.1, momentum=0.5, dampening=0.2, weight_decay=0.1),
    lambda: torchopt.adamw(0.1),
    lambda: torchopt.adagrad(1.0, lr_decay=0.3),
    lambda: torchopt.adadelta(0.1, weight_decay=0.2),
    lambda: torchopt.adamax(0.1, maximize=True),
    lambda: torchopt.rmsprop(0.1, centered=True, momentum=0.4),
]
leafwise = st.sampled_from(range(len(LEAFWISE)))


@given(leafwise, trees(), st.integers(0, 999))
def test_update_of_a_tree_equals_update_of_each_leaf_alone(
    which: int, params: Any, seed: int
) -> None:
    tx = LEAFWISE[which]()
    gradients = [random_like(generator(seed + k), params) for k in range(3)]
    together = [leaves(u) for u in run_steps(tx, params, gradients)]
    per_leaf = [
        run_steps(tx, [p], [[leaves(grads)[index]] for grads in gradients])
        for index, p in enumerate(leaves(params))
    ]
    for step, found in enumerate(together):
        assert_trees_equal(found, [updates[step][0] for updates in per_leaf])


@given(leafwise, trees(), st.integers(0, 999), st.data())
def test_a_missing_gradient_stops_its_leaf_and_no_other(
    which: int, params: Any, seed: int, data: st.DataObject
) -> None:
    tx = LEAFWISE[which]()
    flat, spec = pytree.flatten(params)
    absent = data.draw(st.lists(st.booleans(), min_size=len(flat), max_size=len(flat)))
    first, second = (random_like(generator(seed + k), params) for k in range(2))
    holes = pytree.unflatten(
        spec,
        [None if gone else g for g, gone in zip(pytree.flatten(first)[0], absent, strict=True)],
    )
    state = tx.init(params)
    held, state = tx.update(holes, state, params=params, inplace=False)
    found = pytree.flatten(tx.update(second, state, params=params, inplace=False)[0])[0]
    _, whole = tx.update(first, tx.init(params), params=params, inplace=False)
    with_both = pytree.flatten(tx.update(second, whole, params=params, inplace=False)[0])[0]
    fresh = pytree.flatten(tx.update(second, tx.init(params), params=params, inplace=False)[0])[0]
    for index, gone in enumerate(absent):
        assert (pytree.flatten(held)[0][index] is None) == (gone or flat[index] is None)
        assert_trees_equal([found[index]], [(fresh if gone else with_both)[index]])


@given(trees(), st.integers(0, 999))
def test_apply_updates_adds(params: Any, seed: int) -> None:
    updates = random_like(generator(seed), params)
    before = snapshot(params)
    moved = torchopt.apply_updates(params, updates, inplace=False)
    for p, u, q in zip(leaves(params), leaves(updates), leaves(moved), strict=True):
        assert torch.equal(q, p + u)
        assert q is not p
    assert_trees_equal(params, before)
    # Nothing to add, nothing changed; in place, the same tensors with the same numbers.
    zero = pytree.map_leaves(torch.zeros_like, params)
    assert_trees_equal(torchopt.apply_updates(params, zero, inplace=False), params)
    nothing = pytree.unflatten(pytree.flatten(params)[1], [None] * len(pytree.flatten(params)[0]))
    assert_trees_equal(torchopt.apply_updates(params, nothing, inplace=False), params)
    held = leaves(params)
    written = torchopt.apply_updates(params, updates)
    assert all(a is b for a, b in zip(leaves(written), held, strict=True))
    assert_trees_equal(written, moved)


# --- single transformations -----------------------------------------------------------------------


@pytest.mark.parametrize("norm_type", [0.5, 1, 2.0, 3, float("inf"), "inf"])
@pytest.mark.parametrize("max_norm", [0.3, 7.0, 1e3])
def test_clip_grad_norm_equals_torch(norm_type: Any, max_norm: float) -> None:
    params = random_params(generator(1))
    grads = random_params(generator(2))
    for name, p in params.items():
        p.requires_grad_().grad = grads[name].clone()
    torch.nn.utils.clip_grad_norm_(params.values(), max_norm, float(norm_type))
    tx = torchopt.transform.clip_grad_norm(max_norm, norm_type)
    found, _ = tx.update(grads, tx.init(params), inplace=False)
    expected = {name: p.grad for name, p in params.items()}
    assert_trees_equal(found, expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize("norm_type", [0.5, 1, 2, 3, "inf"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize(("size", "max_norm"), [(300.0, 1.0), (3e4, 0.5), (1e-5, 1e-6)])
def test_clip_grad_norm_of_half_precision_is_that_of_float64(
    norm_type: Any, dtype: torch.dtype, size: float, max_norm: float
) -> None:
    gen = generator(5)
    grads = {"a": random_tensor(gen, (40, 7)), "scalar": random_tensor(gen, ()), "none": None}
    grads = {k: None if g is None else (size * g.tanh()).to(dtype) for k, g in grads.items()}
    exact = [g.double().requires_grad_() for g in grads.values() if g is not None]
    for g in exact:
        g.grad = g.detach().clone()
    torch.nn.utils.clip_grad_norm_(exact, max_norm, float(norm_type))
    tx = torchopt.transform.clip_grad_norm(max_norm, norm_type)
    found, _ = tx.update(grads, tx.init(grads), inplace=False)
    for u, g in zip((found["a"], found["scalar"]), exact, strict=True):
        assert u.dtype == dtype
        finfo = torch.finfo(dtype)
        torch.testing.assert_close(
            u.double(), g.grad, rtol=2 * finfo.eps, atol=finfo.tiny * finfo.eps
        )


@pytest.mark.parametrize("norm_type", [0.1, 6, 10, 40])
@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_powers_in_a_norm_neither_vanish_nor_overflow(norm_type: float, size: float) -> None:
    gen = generator(7)
    units = [torch.randn(n, dtype=torch.float64, generator=gen) for n in (6, 4)]
    exact = [size * u for u in units]
    grads = [g.float() for g in exact]
    norm = size * float(torch.linalg.vector_norm(torch.cat(units), norm_type))
    tx = torchopt.transform.clip_grad_norm(0.3 * norm, norm_type)
    clipped, _ = tx.update(grads, tx.init(grads), inplace=False)
    factor = 0.3 * norm / (norm + 1e-6)
    for c, g in zip(clipped, exact, strict=True):
        torch.testing.assert_close(c, (factor * g).float(), rtol=1e-5, atol=0)


@pytest.mark.parametrize("norm_type", [1, 2, 3, "inf"])
def test_clip_grad_norm_of_zero_gradients_is_zero_with_derivative_one(norm_type: Any) -> None:
    tx = torchopt.transform.clip_grad_norm(0.5, norm_type)
    g = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    (u,), _ = tx.update((g,), tx.init((g,)), inplace=False)
    (slope,) = torch.autograd.grad(u.sum(), g)
    assert torch.equal(u, torch.zeros_like(u))
    assert torch.equal(slope, torch.ones_like(g))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_clip_grad_norm_has_tangents_of_a_gradient(dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(3)
    x, y, w = (
        torch.randn(*shape, generator=generator, dtype=torch.float64)
        for shape in [(5, 3), (5, 2), (3, 2)]
    )
    tx = torchopt.chain(torchopt.transform.clip_grad_norm(0.5), torchopt.sgd(0.1))

    def loss(v: torch.Tensor) -> torch.Tensor:
        data, labels, start = (t.to(v.dtype) for t in (x, y, w))
        solution = torchopt.minimize(
            lambda w: (data @ w * v - labels).square().mean(), start, solver=tx, steps=2
        )
        return solution.params.square().sum()

    v, one = torch.tensor(0.5, dtype=dtype), torch.ones((), dtype=dtype)
    found = torch.func.jvp(torch.func.grad(loss), (v,), (one,))[1]
    assert found.dtype == dtype
    h = torch.tensor(1e-5, dtype=torch.float64)
    sides = [torch.func.grad(loss)(v.double() + s * h) for s in (1, -1)]
    torch.testing.assert_close(
        found.double(), (sides[0] - sides[1]) / (2 * h), rtol=1e-4, atol=1e-5
    )


def test_clip_grad_norm_counts_missing_and_empty_leaves_as_nothing() -> None:
    g = random_tensor(generator(4), (3,))
    empty = torch.empty(0, 2, dtype=torch.float64)
    for norm_type in (1, 2, "inf"):
        tx = torchopt.transform.clip_grad_norm(0.5, norm_type)
        (alone,), _ = tx.update((g,), tx.init((g,)), inplace=False)
        (a, b, c), _ = tx.update((None, g, empty), tx.init((g, g, empty)), inplace=False)
        assert a is None
        assert torch.equal(b, alone)
        assert c.shape == (0, 2)
        (only,), _ = tx.update((empty,), tx.init((empty,)), inplace=False)
        assert only.shape == (0, 2)


def test_clip_grad_norm_raises_for_nonfinite_norms_only_if_asked() -> None:
    g = (torch.tensor([1.0, float("nan")]),)
    with pytest.raises(RuntimeError, match="norm"):
        torchopt.transform.clip_grad_norm(1.0, error_if_nonfinite=True).update(
            g, torchopt.transform.EmptyState()
        )
    updates, _ = torchopt.transform.clip_grad_norm(1.0).update(
        g, torchopt.transform.EmptyState(), inplace=False
    )
    assert updates[0].isnan().all()


def test_nan_to_num_equals_torch_and_stops_derivatives_of_replaced_values() -> None:
    inf, nan = float("inf"), float("nan")
    for options in ({}, {"nan": 0.5, "posinf": 2.0, "neginf": -3.0}):
        g = torch.tensor([nan, inf, -inf, 1.5, -0.5], dtype=torch.float64, requires_grad=True)
        tx = torchopt.transform.nan_to_num(**options)
        updates, _ = tx.update(
            {"g": g, "none": None}, tx.init({"g": g, "none": None}), inplace=False
        )
        assert updates["none"] is None
        assert torch.equal(updates["g"], torch.nan_to_num(g, **options))
        (slope,) = torch.autograd.grad(updates["g"].sum(), g)
        assert slope.tolist() == [0, 0, 0, 1, 1]


def test_register_hook_changes_the_gradient_and_not_the_value_nor_the_callers_tensor() -> None:
    g = random_tensor(generator(1), (3,)).requires_grad_()
    tx = torchopt.transform.register_hook(double)
    (u,), _ = tx.update((g,), tx.init((g,)), inplace=False)
    assert torch.equal(u, g)
    (through,) = torch.autograd.grad(u.sum(), g)
    (around,) = torch.autograd.grad(g.sum(), g)
    assert torch.equal(through, 2 * torch.ones(3, dtype=torch.float64))
    assert torch.equal(around, torch.ones(3, dtype=torch.float64))
    plain = (g.detach(),)
    assert torch.equal(tx.update(plain, tx.init(plain), inplace=False)[0][0], plain[0])


def test_nan_hooks_equal_torch() -> None:
    g = torch.tensor([float("nan"), float("inf"), -2.0])
    assert torch.equal(torchopt.transform.zero_nan_hook(g), torch.tensor([0.0, float("inf"), -2.0]))
    hook = torchopt.transform.nan_to_num_hook(nan=1.0, posinf=3.0)
    assert torch.equal(hook(g), torch.tensor([1.0, 3.0, -2.0]))
    assert torch.equal(pickle.loads(pickle.dumps(hook))(g), hook(g))


MASKS = {
    "tree": {"a": {"w": True, "b": False}, "c": False},
    "prefix": {"a": True, "c": False},
    "callable": lambda tree: pytree.map_leaves(lambda p: p.ndim > 1, tree),
    "all": True,
    "none": False,
    "tensor": {"a": {"w": torch.tensor(True), "b": torch.tensor(False)}, "c": False},
}
KEPT = {
    "tree": {"w"},
    "prefix": {"w", "b"},
    "callable": {"w"},
    "all": {"w", "b", "c"},
    "none": set(),
    "tensor": {"w"},
}


@pytest.mark.parametrize("kind", MASKS)
def test_masked_applies_the_inner_transformation_where_the_mask_is_true(kind: str) -> None:
    gen = generator(1)
    shapes = {"w": (2, 3), "b": (3,), "c": ()}
    params, *gradients = (random_params(gen, shapes) for _ in range(4))

    def nest(flat: dict[str, Any]) -> Any:
        return {"a": {"w": flat["w"], "b": flat["b"]}, "c": flat["c"]}

    gradients[1]["w"] = None
    inner = torchopt.adamw(0.1, weight_decay=0.3)
    expected = []
    state = {name: inner.init([p]) for name, p in params.items()}
    for grads in gradients:
        step = dict(grads)
        for name in KEPT[kind]:
            (step[name],), state[name] = inner.update(
                [grads[name]], state[name], params=[params[name]], inplace=False
            )
        expected.append(nest(step))
    tx = transform.masked(inner, MASKS[kind])
    masked_state = tx.init(nest(params))
    for grads, wanted in zip(gradients, expected, strict=True):
        found, masked_state = tx.update(
            nest(grads), masked_state, params=nest(params), inplace=False
        )
        assert_trees_equal(found, wanted)


def test_masked_without_a_mask_is_the_inner_transformation() -> None:
    inner = transform.scale(2.0)
    assert transform.masked(inner) is inner


def test_callable_mask_may_leave_out_parameters_that_are_none() -> None:
    # optree.tree_map, the tool that users have, gives None for None.
    params = {"w": random_tensor(generator(1), (2, 3)), "b": None}
    tx = torchopt.adamw(0.1, mask=lambda tree: optree.tree_map(lambda p: p.ndim > 1, tree))
    updates, _ = tx.update(params, tx.init(params), params=params, inplace=False)
    expected, _ = torchopt.adamw(0.1).update(
        params, torchopt.adamw(0.1).init(params), params=params, inplace=False
    )
    assert_trees_equal(updates, expected)


def test_hyperparameter_trees_and_prefixes_reach_their_leaves() -> None:
    gen = generator(1)
    params = {"a": {"w": random_tensor(gen, (2, 3)), "b": random_tensor(gen, (3,))}, "c": None}
    grads = random_like(gen, params)
    row = random_tensor(gen, (3,)).abs()
    for lr, w, b in (
        ({"a": 0.5, "c": 9.0}, 0.5, 0.5),
        ({"a": {"w": 0.5, "b": torch.tensor(0.25)}, "c": None}, 0.5, 0.25),
        ({"a": {"w": row, "b": lambda count: 0.25 + count}, "c": 1.0}, row, 0.25),
        (row, row, row),
    ):
        tx = torchopt.sgd(lr)
        updates, _ = tx.update(grads, tx.init(params), params=params, inplace=False)
        torch.testing.assert_close(updates["a"]["w"], -w * grads["a"]["w"], rtol=1e-15, atol=0)
        torch.testing.assert_close(updates["a"]["b"], -b * grads["a"]["b"], rtol=1e-15, atol=0)
        assert updates["c"] is None


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda v: torchopt.rmsprop(0.1, initial_scale=v), "nu"),
        (lambda v: torchopt.adagrad(0.1, initial_accumulator_value=v), "sum_of_squares"),
    ],
    ids=["rmsprop", "adagrad"],
)
def test_initial_values_may_be_tensors_or_trees_as_documented(make: Any, name: str) -> None:
    params = {k: p.float() for k, p in random_params(generator(1), SMALL).items()}
    scalar = torch.tensor(0.5, dtype=torch.float64)
    row = torch.tensor([0.5, 1.0, 1.5], dtype=torch.float64)
    for value, w, b in (
        (0.5, torch.tensor(0.5), torch.tensor(0.5)),
        (scalar, torch.tensor(0.5), torch.tensor(0.5)),
        ({"w": row, "b": 0.25}, row.float(), torch.tensor(0.25)),
    ):
        state = make(value).init(params)
        slot = next(getattr(s, name) for s in state if hasattr(s, name))
        assert_trees_equal(slot, [b.expand(params["b"].shape), w.expand(2, 3)])


# --- dtypes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "kind"),
    covering(CASES, [(torch.bfloat16, "scalar-float64"), (torch.float32, "schedule")]),
    ids=lambda x: x.name if isinstance(x, Case) else "-".join(map(str, x)),
)
def test_dtypes_of_updates_and_state_are_kept(case: Case, kind: tuple[torch.dtype, str]) -> None:
    dtype, hyper = kind
    gen = generator(1)
    params = random_params(gen, SMALL, dtype)
    values: dict[str, Any] = {}
    if hyper == "scalar-float64":
        values = {k: torch.tensor(v, dtype=torch.float64) for k, v in case.hyper.items()}
    else:
        values = {
            k: torchopt.schedule.linear_schedule(v, 0.9 * v, 5)
            for k, v in case.hyper.items()
            if not (k == "lr" and "rprop" in case.name)  # it fills the state
            and not (k == "b1" and "schedule_free" in case.name)  # it is no schedule there
            and k in ("lr", "weight_decay", "b1", "b2", "momentum", "alpha", "rho", "step_size")
        }
    tx = case.build(**values)
    state = tx.init(params)
    for _ in range(2):
        grads = random_like(gen, params)
        updates, state = tx.update(grads, state, params=params, inplace=False)
        params = torchopt.apply_updates(params, updates, inplace=False)
        tensors = [*leaves(updates), *leaves(params)]
        assert all(x.dtype == dtype and x.isfinite().all() for x in tensors)
        for x in leaves(state):
            # Sums, and numbers and matrices made of them, have float32 at least.
            has_wide = case.name.removeprefix("scale_by_") in (
                *("mechanize", "shampoo", "soap", "kron"),
            )
            wide = x.dtype == torch.promote_types(dtype, torch.float32)
            assert x.dtype in (dtype, torch.int64, torch.bool) or (
                wide and (x.dim() == 0 or has_wide)
            )


@each_once
def test_dtypes_may_differ_between_leaves(case: Case) -> None:
    gen = generator(1)
    params = {"b": random_tensor(gen, ()), "w": random_tensor(gen, (2, 3), torch.float32)}
    tx = case.build()
    state = tx.init(params)
    for _ in range(2):
        updates, state = tx.update(random_like(gen, params), state, params=params, inplace=False)
        assert updates["b"].dtype == torch.float64
        assert updates["w"].dtype == torch.float32


def test_a_float64_learning_rate_of_each_element_keeps_float32_parameters() -> None:
    params = (random_tensor(generator(1), (3,), torch.float32),)
    lr = torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64, requires_grad=True)
    tx = torchopt.adam(lr)
    updates, _ = tx.update(params, tx.init(params), params=params, inplace=False)
    assert updates[0].dtype == torch.float32
    assert torch.autograd.grad(updates[0].sum(), lr)[0].all()


# --- pickling and saving --------------------------------------------------------------------------


@each_once
def test_saved_state_and_pickled_transformation_go_on_with_the_same_numbers(case: Case) -> None:
    if case.name == "scale_by_schedule":
        tx = transform.scale_by_schedule(torchopt.schedule.linear_schedule(0.9, 0.2, 7))
    else:
        tx = case.build()
    gen = generator(1)
    params, state = advance(tx, random_params(gen, SMALL), case.warm_up + 1, gen)
    with torch.serialization.safe_globals([SumsState, NormState]):
        loaded = saved(state)
    copied, also = pickle.loads(pickle.dumps((tx, state)))
    assert_trees_equal((loaded, also), (state, state))
    for _ in range(2):
        grads = random_like(gen, params)
        updates, state = tx.update(grads, state, params=params, inplace=False)
        again, loaded = copied.update(grads, loaded, params=params, inplace=False)
        assert_trees_equal((again, loaded), (updates, state))


# --- .flat ----------------------------------------------------------------------------------------

FLAT = {
    "add_decayed_weights": (0.3,),
    "masked": (transform.scale(2.0), [True, False]),
    "nan_to_num": (0.5,),
    "scale": (0.3,),
    "scale_by_adadelta": (),
    "scale_by_adam": (),
    "scale_by_adamax": (),
    "scale_by_radam": (),
    "scale_by_rms": (),
    "scale_by_rss": (),
    "scale_by_schedule": (torchopt.schedule.linear_schedule(1.0, 0.0, 4),),
    "scale_by_stddev": (),
    "trace": (0.9, 0.5),
}


@pytest.mark.parametrize("name", FLAT)
def test_flat_form_of_a_transformation_gives_the_same_numbers_on_lists(name: str) -> None:
    make, gen = getattr(transform, name), generator(1)
    params = [random_tensor(gen, (2, 3)), random_tensor(gen, ())]
    gradients = [random_like(gen, params) for _ in range(3)]
    expected = run_steps(make(*FLAT[name]), params, gradients)
    assert_trees_equal(run_steps(make.flat(*FLAT[name]), params, gradients), expected)


@pytest.mark.parametrize(
    "tx",
    [
        torchopt.sgd((0.1, 0.2)),
        torchopt.adam((0.1, 0.2)),
        transform.masked(torchopt.sgd((0.1, 0.2)), mask=(True, True)),
        torchopt.chain(
            transform.masked(transform.scale(0.0), mask=(True, False)), torchopt.sgd(0.2)
        ),
    ],
)
def test_a_tuple_is_in_the_order_of_the_parameters_not_of_the_gradients(tx: Any) -> None:
    params = {"b": torch.zeros(1), "a": torch.zeros(1)}
    gradients = {"a": torch.ones(1), "b": torch.ones(1)}
    updates, _ = tx.update(gradients, tx.init(params), params=params, inplace=False)
    assert updates["b"].item() == pytest.approx(-0.1, abs=1e-6) or updates["b"].item() == 0
    assert updates["a"].item() == pytest.approx(-0.2, abs=1e-6)


def test_leaves_on_several_devices_have_counters_of_their_own_device() -> None:
    """The meta device stands for a second one: an operation across devices raises there too."""
    params = {"here": torch.ones(2, 3), "there": torch.ones(4, device="meta")}
    tx = torchopt.chain(
        torchopt.adamw(torchopt.schedule.linear_schedule(0.1, 0.0, 5)), transform.trace(0.9, 0.1)
    )
    state = tx.init(params)
    for _ in range(2):
        updates, state = tx.update(params, state, params=params, inplace=False)
    assert {k: u.device.type for k, u in updates.items()} == {
        "here": params["here"].device.type,
        "there": "meta",
    }


def _single(g: torch.Tensor, *slots: torch.Tensor) -> Any:
    return 2 * g


def _pair(g: torch.Tensor, *slots: torch.Tensor) -> Any:
    return 2 * g, g


@pytest.mark.parametrize("shape", [(), (1,), (2,), (1, 3)], ids=str)
@pytest.mark.parametrize(
    ("formula", "slots", "found", "example"),
    [
        (_single, 0, "an object of type Tensor", r"the update, `\(u,\)`"),
        (_single, 1, "an object of type Tensor", r"the update and 1 new slots, `\(u, slot0\)`"),
        (_pair, 0, "2 results", r"the update, `\(u,\)`"),
        (_pair, 2, "2 results", r"the update and 2 new slots, `\(u, slot0, slot1\)`"),
    ],
)
def test_a_formula_that_does_not_return_a_tuple_of_the_right_length_is_refused(
    formula: Any, slots: int, found: str, example: str, shape: tuple[int, ...]
) -> None:
    names = ("a", "b")[:slots]
    state = NamedTuple("state", [(name, Any) for name in names])  # type: ignore[misc]
    tx = transform.elementwise(formula, state=state, slots=dict.fromkeys(names, 0.0))
    params = {"w": torch.ones(shape)}
    sentence = rf"the formula `{formula.__name__}` returned {found}: return a tuple of {example}"
    with pytest.raises(TypeError, match=sentence):
        tx.update(params, tx.init(params))
    with pytest.raises(TypeError, match=sentence):
        torchopt.minimize(lambda p: p["w"].sum(), params, solver=tx, steps=1)


@pytest.mark.parametrize("inplace", [True, False])
def test_schedules_count_updates_also_of_leaves_that_had_no_gradient(inplace: bool) -> None:
    one = torch.ones(())
    tx = torchopt.adam(lambda count: count + 1.0, eps=0.0)
    state = tx.init({"a": one, "b": one})
    for grads in ({"a": one.clone(), "b": None}, {"a": one.clone(), "b": one.clone()}):
        updates, state = tx.update(grads, state, inplace=inplace)
    # The sign of the gradient, times the rate of the second update for both.
    torch.testing.assert_close(updates, {"a": torch.tensor(-2.0), "b": torch.tensor(-2.0)})


def test_counters_of_a_state_that_differ_have_values_of_their_own() -> None:
    grads = {"a": torch.ones(2), "b": torch.ones(2)}
    tx = transform.scale_by_schedule(lambda count: 1.0 + count)
    state = torchopt.pytree.tree_set(
        tx.init(grads), count={"a": torch.tensor(0), "b": torch.tensor(3)}
    )
    updates, _ = tx.update(grads, state, inplace=False)
    assert torch.equal(torch.stack([*updates.values()]), torch.tensor([[1.0, 1.0], [4.0, 4.0]]))
