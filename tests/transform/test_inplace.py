"""``update(inplace=True)`` writes into the old tensors where no graph is asked for."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch

import _public
import torchopt
from _trees import (
    CASES,
    Case,
    assert_trees_close,
    case_id,
    generator,
    leaves,
    random_like,
    random_params,
    snapshot,
)

SMALL = {"b": (3,), "w": (2, 3)}

#: Whose updates take the place of the gradients, as in the published package 0.7.3, or with noise.
OVERWRITE = {
    *("adadelta", "add_decayed_weights", "clip_grad_norm", "identity", "masked", "nan_to_num"),
    *("register_hook", "rmsprop", "scale", "scale_by_adadelta", "scale_by_learning_rate"),
    *("scale_by_rms", "scale_by_schedule", "scale_by_stddev", "sgd", "trace"),
    "clip",
    *("add_noise", "noisy_sgd"),
}
#: Whose state has new measurements, not moments.
MEASURING = {"monitor", "snapshot"}
MEASURING |= {"mechanize", "reduce_on_plateau"}
MEASURING |= {"scale_by_backtracking_linesearch", "scale_by_lbfgs", "scale_by_zoom_linesearch"}


def moments(state: Any) -> list[torch.Tensor]:
    """Return the tensors of a state without its counters."""
    return [leaf for leaf in leaves(state) if leaf.is_floating_point()]


def start(case: Case) -> tuple[Any, Any, Any, torch.Generator]:
    """Return a transformation, parameters, a state after a step, and a source of gradients."""
    gen = generator(7)
    tx, params = case.build(), random_params(gen, SMALL)
    _, state = tx.update(random_like(gen, params), tx.init(params), params=params, inplace=False)
    return tx, params, state, gen


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_moments_are_written_into_the_old_state_and_counters_are_new(case: Case) -> None:
    tx, params, state, gen = start(case)
    grads = random_like(gen, params)
    before = snapshot(state)
    expected, expected_state = tx.update(snapshot(grads), before, params=params, inplace=False)
    updates, new = tx.update(grads, state, params=params)
    assert_trees_close(updates, expected)
    assert_trees_close(new, expected_state)
    if case.name in MEASURING:
        return
    for old, now, right in zip(moments(state), moments(new), moments(expected_state), strict=True):
        assert now is old
        assert_trees_close(old, right)
    counters = [leaf for leaf in leaves(state) if not leaf.is_floating_point()]
    known = [leaf for leaf in leaves(before) if not leaf.is_floating_point()]
    assert all(torch.equal(a, b) for a, b in zip(counters, known, strict=True))


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_updates_take_the_place_of_gradients_where_they_did_in_the_published_package(
    case: Case,
) -> None:
    tx, params, state, gen = start(case)
    grads = random_like(gen, params)
    known = snapshot(grads)
    updates, _ = tx.update(grads, state, params=params)
    overwritten = case.name.partition("-")[0] in OVERWRITE and case.name != "masked"
    for name, g in grads.items():
        if overwritten:
            assert updates[name] is g
        elif not case.name.startswith("masked"):
            assert torch.equal(g, known[name])


@pytest.mark.parametrize("memory_format", [torch.channels_last, torch.contiguous_format])
def test_moments_of_any_layout_are_written(memory_format: torch.memory_format) -> None:
    weight = torch.randn(2, 3, 4, 5, generator=generator(0)).to(memory_format=memory_format)
    opt, grads = torchopt.adam(0.1), [torch.randn_like(weight)]
    state = opt.init([weight])
    mu = moments(state)[0]
    opt.update(grads, state)
    torch.testing.assert_close(mu, 0.1 * grads[0])


def test_memory_that_is_used_twice_is_left_alone() -> None:
    shared = torch.tensor([1.0, 2.0])
    lrs = [torch.tensor(1.0), torch.tensor(2.0)]
    opt = torchopt.sgd(lrs)
    updates, _ = opt.update([shared, shared], opt.init([shared, shared]))
    assert torch.equal(torch.stack(updates), torch.tensor([[-1.0, -2.0], [-2.0, -4.0]]))
    expanded = torch.ones(()).expand(3)
    (update,), _ = torchopt.sgd(0.5).update([expanded], torchopt.sgd(0.5).init([expanded]))
    assert torch.equal(update, torch.full((3,), -0.5))
    params = [torch.tensor([2.0])]
    opt = torchopt.sgd(0.5, weight_decay=0.5)
    opt.update(params, opt.init(params), params=params)
    assert torch.equal(params[0], torch.tensor([2.0]))


@pytest.mark.parametrize("what", ["gradient", "state", "hyperparameter"])
@pytest.mark.parametrize("fused", [None, False], ids=["kernels", "operations"])
def test_nothing_is_written_where_a_graph_is_asked_for(what: str, fused: bool | None) -> None:
    gen = generator(5)
    params = random_params(gen, SMALL)
    lr: Any = torch.tensor(0.1, dtype=torch.float64, requires_grad=what == "hyperparameter")
    opt = torchopt.sgd(
        lr,
        momentum=0.9,
        weight_decay=0.1,
        moment_requires_grad=what == "state",
        use_accelerated_op=fused,
    )
    state, grads = opt.init(params), random_like(gen, params)
    if what == "gradient":
        grads["w"].requires_grad_()
    known = snapshot((state, grads))
    updates, _ = opt.update(grads, state, params=params)
    assert any(u.requires_grad for u in updates.values())
    assert_trees_close((state, grads), known)


@pytest.mark.parametrize("fused", [None, False], ids=["kernels", "operations"])
def test_computed_parameters_are_constants_as_leaves_are(fused: bool | None) -> None:
    gen = generator(5)
    leaf = {name: p.requires_grad_() for name, p in random_params(gen, SMALL).items()}
    grads = random_like(gen, leaf)
    opt = torchopt.adamw(0.1, weight_decay=0.5, use_accelerated_op=fused)
    states, found = [], []
    for params in (leaf, {name: 1 * p for name, p in leaf.items()}):
        states.append(opt.init(params))
        found.append(opt.update(snapshot(grads), states[-1], params=params)[0])
        assert not any(u.requires_grad for u in found[-1].values())
        assert all(moment.any() for moment in moments(states[-1]))
    assert_trees_close(*found)
    assert_trees_close(*states)


#: Each with a moment at least.
MAPPED: dict[str, Any] = dict(_public.ALIASES)
MAPPED["sgd"] = functools.partial(torchopt.sgd, momentum=0.9)
# Of a well-conditioned matrix, since roots differ in their last bits.
MAPPED["shampoo"] = functools.partial(torchopt.optimizers.shampoo, matrix_eps=0.3)


@pytest.mark.parametrize("name", MAPPED)
@pytest.mark.parametrize("fused", [None, False], ids=["kernels", "operations"])
def test_a_mapped_update_writes_the_moments_of_each_network(name: str, fused: bool | None) -> None:
    gen, opt = generator(5), MAPPED[name](0.1, use_accelerated_op=fused)
    params = {k: torch.stack([p, 2 * p, -p]) for k, p in random_params(gen, SMALL).items()}
    grads = random_like(gen, params)
    states = torch.vmap(opt.init)(params)
    torch.vmap(lambda g, s, p: opt.update(g, s, params=p))(snapshot(grads), states, params)
    for i in range(3):
        one = {k: p[i].clone() for k, p in params.items()}
        state = opt.init(one)
        opt.update({k: g[i].clone() for k, g in grads.items()}, state, params=one)
        assert_trees_close([m[i] for m in moments(states)], moments(state))


def test_a_moment_for_all_networks_is_left_alone() -> None:
    opt, params = torchopt.sgd(0.5, momentum=0.9), torch.tensor([1.0, 2.0])
    one, many = opt.init(params), torch.vmap(opt.init)(params.expand(3, 2))
    wide = torchopt.pytree.tree_map(lambda t: t[:1].expand(3, *t.shape[1:]), many)
    known = snapshot((one, wide))
    grads = torch.randn(3, 2, generator=generator(0))
    torch.vmap(lambda g: opt.update(g, one)[0])(grads.clone())
    torch.vmap(opt.update)(grads.clone(), wide)
    torch.vmap(opt.update, in_dims=(0, None))(grads.clone(), one)
    assert_trees_close((one, wide), known)


@pytest.mark.parametrize("transformed", [torch.func.vmap, torch.func.grad, torch.func.jvp])
def test_nothing_is_written_inside_torch_func(transformed: Any) -> None:
    opt = torchopt.sgd(0.5, momentum=0.9)
    params = torch.tensor([1.0, 2.0])
    state = opt.init(params)
    known = snapshot(state)

    def total(g: torch.Tensor) -> torch.Tensor:
        return opt.update(g, state)[0].sum()

    if transformed is torch.func.jvp:
        torch.func.jvp(total, (params,), (params,))
    elif transformed is torch.func.vmap:
        torch.func.vmap(total)(torch.stack([params, params]))
    else:
        torch.func.grad(total)(params)
    assert_trees_close(state, known)


def test_autograd_finds_what_it_has_saved_changed() -> None:
    opt = torchopt.sgd(0.5, momentum=0.9)
    params = [torch.tensor([1.0, 2.0])]
    state = opt.init(params)
    x = torch.tensor([3.0, 4.0], requires_grad=True)
    loss = (moments(state)[0] * x).sum()
    opt.update([torch.ones(2)], state)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_state_of_inference_mode_is_left_alone_outside_of_it() -> None:
    opt = torchopt.adam(0.1)
    params = [torch.tensor([1.0, 2.0])]
    with torch.inference_mode():
        state = opt.init(params)
        opt.update([torch.ones(2)], state)
        assert moments(state)[0].any()
    known = snapshot(moments(state))
    opt.update([torch.ones(2)], state)
    assert_trees_close(moments(state), known)


@pytest.mark.compiled
def test_compiled_update_writes_the_state_too() -> None:
    opt = torchopt.adam(0.1)
    params = {"w": torch.tensor([1.0, 2.0])}
    state, grads = opt.init(params), {"w": torch.tensor([0.5, -1.0])}
    torch.compiler.reset()
    compiled = torch.compile(lambda g, s: opt.update(g, s), fullgraph=True, backend="aot_eager")
    compiled(grads, state)
    torch.testing.assert_close(moments(state)[0], 0.1 * grads["w"])


def test_hook_is_on_the_tensor_itself_in_place_and_on_an_alias_otherwise() -> None:
    tx = torchopt.transform.register_hook(torch.neg)
    for inplace in (True, False):
        g = torch.tensor([1.0], requires_grad=True)
        (u,), _ = tx.update((g,), None, inplace=inplace)
        assert (u is g) == inplace
        (3 * u).sum().backward()
        assert torch.equal(g.grad, torch.tensor([-3.0]))


@pytest.mark.parametrize("make", [torchopt.sgd, torchopt.rmsprop, torchopt.adadelta])
@pytest.mark.parametrize("reverse", [False, True])
def test_gradients_that_overlap_are_not_written_into(make: Any, reverse: bool) -> None:
    memory = torch.arange(1.0, 7.0, dtype=torch.float64)
    views = [memory[:3], memory[1:4], memory[5:]]  # two share two elements
    order = [*reversed(range(3))] if reverse else [*range(3)]
    apart, grads = [views[i].clone() for i in order], [views[i] for i in order]
    params = [torch.zeros_like(views[i]) for i in order]
    tx = make(0.1)
    expected, _ = tx.update(apart, tx.init(params), params=params, inplace=False)
    found, _ = tx.update(grads, tx.init(params), params=params, inplace=True)
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-14, atol=0.0)
