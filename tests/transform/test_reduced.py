"""Formulas that read sums over a leaf or over all leaves, and numbers that are kept."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
import torch

import torchopt
from _trees import (
    assert_trees_close,
    assert_trees_equal,
    generator,
    leaves,
    random_like,
    random_params,
)
from torchopt import transform
from torchopt.ops import function

SMALL = {"b": (), "m": (2, 3), "w": (4,)}


class State(NamedTuple):
    """Momentum, the parameters at the start, a running norm, and counters."""

    mu: Any
    start: Any
    norm: Any
    count: Any
    step: Any = ()


def prepare(
    g: Any, p: Any, mu: Any, start: Any, *, momentum: Any, norm: Any, count: Any, rate: Any
) -> dict[str, Any]:
    rows = [*zip(g, p, mu, start, strict=True)]
    square = sum(((momentum * m + x) ** 2 + (y - z) ** 2).sum() for x, y, m, z in rows)
    size = sum(x.numel() for x in g)
    new = norm * rate + (square / size).sqrt() / count
    return {"norm": new, "before": norm, "size": size}


def formula(
    g: Any, p: Any, mu: Any, start: Any, *, b: Any, norm: Any, before: Any, size: Any
) -> tuple[Any, ...]:
    mu = b * mu + g
    return (mu / norm + before * p / size), mu, start


def itself(p: torch.Tensor) -> torch.Tensor:
    return p


def make(over: Any = "leaf", *, b: Any = 0.8, rate: Any = 0.5, **options: Any) -> Any:
    return transform.reduced(
        formula,
        prepare=prepare,
        over=over,
        memory={"norm": ("scale", 0.3)},
        state=State,
        slots={"mu": 0.0, "start": itself},
        hyper={"b": b, "momentum": 0.8 if isinstance(b, dict) else b, "rate": rate},
        needs_params=True,
        **options,
    )


def by_hand(params: Any, gradients: Any, over: str, b: Any, rate: Any) -> Any:
    """Return the updates of the last step."""
    groups = [[k] for k in params] if over == "leaf" else [[*params]]
    updates = {}
    for group in groups:
        norm, mu = 0.3, dict.fromkeys(group, 0.0)
        p = {k: params[k] for k in group}
        for t, grads in enumerate(gradients, start=1):
            mu = {k: b * mu[k] + grads[k] for k in group}
            square = sum((mu[k] ** 2 + (p[k] - params[k]) ** 2).sum() for k in group)
            size = sum(p[k].numel() for k in group)
            before, norm = norm, norm * rate + (square / size).sqrt() / t
            u = {k: mu[k] / norm + before * p[k] / size for k in group}
            p = {k: p[k] + u[k] for k in group}
        updates |= u
    return {k: updates[k] for k in params}


def run(tx: Any, params: Any, gradients: Any) -> Any:
    state = tx.init(params)
    for grads in gradients:
        updates, state = tx.update(grads, state, params=params, inplace=False)
        params = torchopt.apply_updates(params, updates, inplace=False)
    return updates


def drawn(steps: int = 3) -> Any:
    gen = generator(1)
    params = random_params(gen, SMALL)
    return params, [random_like(gen, params) for _ in range(steps)]


both = pytest.mark.parametrize("over", ["leaf", "tree"])
fusing = pytest.mark.parametrize("fused", [None, True, False], ids=["default", "kernels", "plain"])


@both
@fusing
def test_steps_and_two_derivatives_equal_the_formula_by_hand(over: str, fused: bool | None) -> None:
    params, gradients = drawn()
    b, rate = (torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (0.8, 0.5))
    inputs = [x.requires_grad_() for x in leaves((params, gradients))] + [b, rate]
    tx = make(over, b=b, rate=rate, fused=fused)
    results = []
    for updates in (run(tx, params, gradients), by_hand(params, gradients, over, b, rate)):
        total = sum((u.sin() * k).sum() for k, u in enumerate(updates.values(), start=1))
        first = torch.autograd.grad(total, inputs, create_graph=True)
        second = torch.autograd.grad(sum(x.square().sum() for x in first), inputs)
        results.append((updates, first, second))
    assert_trees_close(*results, ulps=4096)


@both
def test_the_formula_is_a_kernel_if_it_is_asked_for(
    over: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []
    run_kernel = function._run
    monkeypatch.setattr(
        function, "_run", lambda how, *rest: calls.append(how.leaves) or run_kernel(how, *rest)
    )
    params, gradients = drawn(1)
    run(make(over, fused=True), params, gradients)
    assert calls == ([1, 1, 1] if over == "leaf" else [3])


@both
def test_leaves_without_gradient_are_left_out(over: str) -> None:
    params, gradients = drawn(2)
    tx = make(over)
    state = tx.init(params)
    without = [{**grads, "m": None} for grads in gradients]
    u, new = tx.update(without[0], state, params=params, inplace=False)
    kept = {k: p for k, p in params.items() if k != "m"}
    alone, _ = tx.update(
        {k: gradients[0][k] for k in kept}, tx.init(kept), params=kept, inplace=False
    )
    assert u["m"] is None
    assert_trees_equal({k: u[k] for k in kept}, alone)
    if over == "leaf":
        assert new.norm["m"] is state.norm["m"]
        assert (new.count["m"], new.count["w"]) == (0, 1)
    else:
        assert new.count == 1
    nothing = dict.fromkeys(params)
    u, same = tx.update(nothing, new, params=params, inplace=False)
    assert u == nothing
    assert_trees_equal(same, new)


@both
def test_sums_of_half_precision_are_in_float32(over: str) -> None:
    params = {"w": torch.full((4096,), 300.0, dtype=torch.float16)}
    (u,) = (
        transform.reduced(
            lambda g, *, norm: (g / norm,),
            prepare=lambda g: {"norm": (g[0] * g[0]).sum().sqrt()},
            over=over,
        )
        .update(params, torchopt.base.EmptyState())[0]
        .values()
    )
    assert torch.equal(u, torch.full_like(u, 1 / 64))
    assert make(over).init(params).mu["w"].dtype == torch.float16
    assert {x.dtype for x in leaves(make(over).init(params).norm)} == {torch.float32}


def test_other_transformations_come_before_and_after_in_a_chain() -> None:
    params, gradients = drawn()
    parts = [
        transform.scale(0.5),
        make("tree"),
        transform.trace(0.9),
        make("leaf"),
        torchopt.sgd(0.1),
    ]
    found = run(torchopt.chain(*parts), params, gradients)
    p, states = params, [part.init(params) for part in parts]
    for grads in gradients:
        u = grads
        for k, part in enumerate(parts):
            u, states[k] = part.update(u, states[k], params=p, inplace=False)
        p = torchopt.apply_updates(p, u, inplace=False)
    assert_trees_close(found, u)
    tx = torchopt.chain(*parts)
    assert_trees_equal(
        transform.advance(tx, gradients[0], tx.init(params), params)[0],
        torchopt.apply_updates(params, run(tx, params, gradients[:1]), inplace=False),
    )


@both
def test_schedules_and_trees_are_hyperparameters(over: str) -> None:
    params, gradients = drawn()
    schedule = torchopt.schedule.linear_schedule(0.9, 0.3, 5)
    tx = make(over, b={"b": 0.8, "m": 0.7, "w": schedule}, rate=schedule)
    state = tx.init(params)
    for count, grads in enumerate(gradients):
        now = schedule(torch.tensor(float(count), dtype=torch.float64))
        one = make(over, b={"b": 0.8, "m": 0.7, "w": now}, rate=now)
        expected, _ = one.update(grads, state._replace(step=()), params=params, inplace=False)
        updates, state = tx.update(grads, state, params=params, inplace=False)
        assert_trees_equal(updates, expected)


@both
def test_parameters_in_the_state_are_constants_in_place_and_differentiable_otherwise(
    over: str,
) -> None:
    params, gradients = drawn(2)
    params = {k: p.requires_grad_() for k, p in params.items()}
    tx = make(over)
    state = tx.init(params)
    assert all(x.requires_grad for x in state.start.values())
    moved = {k: p.detach() + 1 for k, p in params.items()}
    updates, _ = tx.update(gradients[0], state, params=moved, inplace=False)
    assert all(
        g.any()
        for g in torch.autograd.grad(sum(u.sum() for u in updates.values()), [*params.values()])
    )
    for grads in gradients:
        updates, state = tx.update(grads, state, params=params)
        assert not any(x.requires_grad for x in leaves((updates, state)))
        torchopt.apply_updates(params, updates)


@pytest.mark.compiled
@pytest.mark.parametrize("over", ["leaf", pytest.param("tree", marks=pytest.mark.slow)])
def test_compiled_steps_equal_eager_ones(over: str) -> None:
    params, gradients = drawn(2)
    some = "m" if over == "leaf" else "mw"  # to trace more leaves takes longer
    params, *gradients = ({k: tree[k] for k in some} for tree in (params, *gradients))

    def value(rate: Any, params: Any, gradients: Any) -> torch.Tensor:
        # Made within the compiled function, too.
        return sum(u.sin().sum() for u in run(make(over, rate=rate), params, gradients).values())

    torch.compiler.reset()
    rate = torch.tensor(0.5, dtype=torch.float64)
    derivative = torch.func.grad(value, argnums=(0, 1))
    compiled = torch.compile(derivative, fullgraph=True, backend="eager")
    assert_trees_close(
        compiled(rate, params, gradients), derivative(rate, params, gradients), ulps=256
    )


def test_what_is_wrong_is_said() -> None:
    params, (grads,) = drawn(1)
    with pytest.raises(ValueError, match='`over` is \'all\', but it must be "leaf" or "tree"'):
        make("all")
    wrong: Any
    for over, wrong, message in (
        ("leaf", torch.ones(4), r"`rate` has shape \(4,\), but one number of each leaf"),
        ("tree", {"b": 0.1, "m": 0.2, "w": 0.3}, "`rate` is a tree, but one number of all leaves"),
    ):
        value = {"b": 0.5, "m": 0.5, "w": wrong} if over == "leaf" else wrong
        tx = make(over, rate=value)
        with pytest.raises(ValueError, match=message):
            tx.update(grads, tx.init(params), params=params)
    tx = transform.reduced(
        lambda g, *, norm: (g / norm,), prepare=lambda g, *, esp: {}, hyper={"eps": 0.1}
    )
    with pytest.raises(TypeError, match="takes `esp` by keyword, but there are only `eps`"):
        tx.update(grads, tx.init(params))
    tx = transform.reduced(
        lambda g, *, nrom: (g / nrom,),
        prepare=lambda g: {"norm": g[0].norm()},
    )
    with pytest.raises(TypeError, match="takes `nrom` by keyword, but there are only"):
        tx.update(grads, tx.init(params))


def test_a_number_of_all_leaves_cannot_begin_with_a_tree() -> None:
    params = {"w": torch.ones(2)}
    with pytest.raises(ValueError, match=r"`estim_lr0` is .* number of all leaves"):
        transform.scale_by_dadapt_adam(estim_lr0={"w": 0.1}).init(params)
