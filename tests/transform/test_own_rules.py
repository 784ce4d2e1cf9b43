"""`leafwise` and `reduced`: formulas that see shapes or sums; what holds for all has cases of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import optree
import pytest
import torch

import torchopt
from _cases import by_error
from _own_rules import along_axes, along_axes_by_hand, by_running_norm, running_norm_by_hand
from _trees import assert_trees_close, assert_trees_equal, drawn, leaves
from torchopt import transform
from torchopt.ops import function

SHAPES = {"b": (), "t": (2, 1, 4), "v": (3,), "w": (3, 2)}


def run(tx: Any, params: Any, gradients: Any, *, move: bool = True) -> Any:
    """Return updates of the last step and the state."""
    state = tx.init(params)
    for grads in gradients:
        updates, state = tx.update(grads, state, params=params, inplace=False)
        params = torchopt.apply_updates(params, updates, inplace=False) if move else params
    return updates, state


both = pytest.mark.parametrize("over", ["leaf", "tree"])


def test_slots_of_other_shapes_are_kept_from_step_to_step() -> None:
    params, gradients = drawn(1, 3, SHAPES)
    updates, state = run(along_axes(), params, gradients, move=False)
    assert_trees_equal(updates, along_axes_by_hand(params, gradients), rtol=1e-14)
    shapes = optree.tree_map(lambda x: tuple(x.shape), state.sums, none_is_leaf=False)
    assert shapes == [(), ((2,), (1,), (4,)), ((3,),), ((3,), (2,))]  # in the order of the names
    assert state.whole[1:] == [(), (), ()]
    assert state.whole[0].shape == (1,)


@pytest.mark.parametrize("kind", ["tensor", "tree", "schedule"])
def test_hyperparameters_are_tensors_trees_and_schedules(kind: str) -> None:
    params, gradients = drawn(1, 3, SHAPES)
    half = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    tree = {"b": 0.5, "t": half, "v": 0.5, "w": half}
    value = {"tensor": half, "tree": tree, "schedule": lambda count: 0.5 + 0 * count}[kind]
    expected = along_axes_by_hand(params, gradients, 0.5)
    assert_trees_equal(
        run(along_axes(value), params, gradients, move=False)[0], expected, rtol=1e-12
    )
    for over in ("leaf", "tree"):
        rate = 0.5 if (kind, over) == ("tree", "tree") else value
        found, _ = run(by_running_norm(over, b=value, rate=rate), params, gradients)
        expected = running_norm_by_hand(params, gradients, over, 0.5, 0.5)
        assert_trees_equal(found, expected, rtol=1e-12)


@both
@pytest.mark.parametrize("fused", [None, True, False], ids=["default", "kernels", "plain"])
def test_steps_and_two_derivatives_equal_the_formula_by_hand(over: str, fused: bool | None) -> None:
    params, gradients = drawn(1, 3, SHAPES)
    b, rate = (torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (0.8, 0.5))
    inputs = [x.requires_grad_() for x in leaves((params, gradients))] + [b, rate]
    results = []
    for updates in (
        run(by_running_norm(over, b=b, rate=rate, fused=fused), params, gradients)[0],
        running_norm_by_hand(params, gradients, over, b, rate),
    ):
        total = sum((u.sin() * k).sum() for k, u in enumerate(updates.values(), start=1))
        first = torch.autograd.grad(total, inputs, create_graph=True)
        second = torch.autograd.grad(sum(x.square().sum() for x in first), inputs)
        results.append((updates, first, second))
    assert_trees_close(*results, ulps=8192)


@both
def test_the_formula_is_a_kernel_if_it_is_asked_for(
    over: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []
    run_kernel = function._run
    monkeypatch.setattr(
        function, "_run", lambda how, *rest: calls.append(how.leaves) or run_kernel(how, *rest)
    )
    run(by_running_norm(over, fused=True), *drawn(1, 1, SHAPES))
    assert calls == (4 * [1] if over == "leaf" else [4])


@both
def test_leaves_without_gradient_are_left_out(over: str) -> None:
    params, (grads,) = drawn(1, 1, SHAPES)
    tx, kept = by_running_norm(over), {k: p for k, p in params.items() if k != "w"}
    state = tx.init(params)
    u, new = tx.update({**grads, "w": None}, state, params=params, inplace=False)
    alone, _ = tx.update({k: grads[k] for k in kept}, tx.init(kept), params=kept, inplace=False)
    assert_trees_equal(u, {**alone, "w": None})
    count = {"b": 1, "t": 1, "v": 1, "w": 0} if over == "leaf" else 1
    assert new.count == count
    u, same = tx.update(dict.fromkeys(params), new, params=params, inplace=False)
    assert u == dict.fromkeys(params)
    assert_trees_equal(same, new)


@both
def test_sums_of_half_precision_are_in_float32(over: str) -> None:
    params = {"w": torch.full((4096,), 300.0, dtype=torch.float16)}
    tx = transform.reduced(
        lambda g, *, norm: (g / norm,),
        prepare=lambda g: {"norm": (g[0] * g[0]).sum().sqrt()},
        over=over,
    )
    updates, _ = tx.update(params, tx.init(params), inplace=False)
    assert torch.equal(updates["w"], torch.full_like(params["w"], 1 / 64))
    assert {x.dtype for x in leaves(by_running_norm(over).init(params).norm)} == {torch.float32}


def test_other_transformations_come_before_and_after_in_a_chain() -> None:
    params, gradients = drawn(1, 3, SHAPES)
    parts = [
        transform.scale(0.5),
        by_running_norm("tree"),
        along_axes(),
        transform.trace(0.9),
        by_running_norm("leaf"),
        torchopt.sgd(0.1),
    ]
    p, states = params, [part.init(params) for part in parts]
    for grads in gradients:
        u = grads
        for k, part in enumerate(parts):
            u, states[k] = part.update(u, states[k], params=p, inplace=False)
        p = torchopt.apply_updates(p, u, inplace=False)
    tx = torchopt.chain(*parts)
    assert_trees_close(run(tx, params, gradients)[0], u)
    assert_trees_equal(
        transform.advance(tx, gradients[0], tx.init(params), params)[0],
        torchopt.apply_updates(params, run(tx, params, gradients[:1])[0], inplace=False),
    )


@both
def test_parameters_in_the_state_are_constants_in_place_and_differentiable_otherwise(
    over: str,
) -> None:
    params, gradients = drawn(1, 2, SHAPES)
    params = {k: p.requires_grad_() for k, p in params.items()}
    tx = by_running_norm(over)
    state = tx.init(params)
    moved = {k: p.detach() + 1 for k, p in params.items()}
    updates, _ = tx.update(gradients[0], state, params=moved, inplace=False)
    slopes = torch.autograd.grad(sum(u.sum() for u in updates.values()), [*params.values()])
    assert all(g.any() for g in slopes)
    for grads in gradients:
        updates, state = tx.update(grads, state, params=params)
        assert not any(x.requires_grad for x in leaves((updates, state)))
        torchopt.apply_updates(params, updates)


@pytest.mark.compiled
@pytest.mark.parametrize("over", ["leaf", pytest.param("tree", marks=pytest.mark.slow)])
def test_compiled_steps_equal_eager_ones(over: str) -> None:
    params, gradients = drawn(1, 2, SHAPES)
    some = "w" if over == "leaf" else "vw"  # to trace more leaves takes longer
    params, *gradients = ({k: tree[k] for k in some} for tree in (params, *gradients))

    def value(rate: Any, params: Any, gradients: Any) -> torch.Tensor:
        # Made within the compiled function, too.
        updates, _ = run(by_running_norm(over, rate=rate), params, gradients)
        return sum(u.sin().sum() for u in updates.values())

    torch.compiler.reset()
    derivative = torch.func.grad(value, argnums=(0, 1))
    given = torch.tensor(0.5, dtype=torch.float64), params, gradients
    compiled = torch.compile(derivative, fullgraph=True, backend="eager")
    assert_trees_close(compiled(*given), derivative(*given), ulps=256)


class RowsState(NamedTuple):
    """Sums of rows."""

    rows: Any


def _rows(g: Any, rows: Any) -> Any:
    return g, rows if g.dim() < 2 else rows + g.flatten(1).sum(1)


def _cut(g: Any, rows: Any) -> Any:
    return g, rows[:1]


def _of_rows(formula: Any, params: Any, grads: Any) -> Any:
    def row(leaf: torch.Tensor) -> Any:
        return leaf.new_zeros(leaf.shape[0]) if leaf.dim() else None

    tx = transform.leafwise(formula, state=RowsState, slots={"rows": row})
    return tx.update(grads, tx.init(params))


def _prepared(formula: Any, prepare: Any) -> Any:
    tx = transform.reduced(formula, prepare=prepare, hyper={"eps": 0.1})
    return tx.update(W, tx.init(W))


def _of_norm(over: str, value: Any) -> Any:
    params, (grads,) = drawn(1, 1, SHAPES)
    tx = by_running_norm(over, rate=value)
    return tx.update(grads, tx.init(params), params=params)


W = {"w": torch.ones(3, 2)}
FOUR = {"b": 0.5, "t": 0.5, "v": 0.5, "w": torch.ones(2)}
WRONG: dict[type[Exception], list[tuple[Any, str]]] = {
    ValueError: [
        (
            lambda: transform.leafwise(lambda g: (g.sum(0),)).update(
                W, torchopt.transform.EmptyState()
            ),
            r"returned shape \(2,\) for the update of `upd",
        ),
        (lambda: _of_rows(_cut, W, W), r"shape \(1,\) for the new `rows` of `updates\['w'\]`"),
        (
            lambda: _of_rows(_rows, {"w": torch.ones(4, 2)}, W),
            r"`updates\['w'\]` .* `rows` has shape \(3,\), but shape",
        ),
        (lambda: _of_rows(_rows, {"w": None}, W), "parameter was None"),
        (
            lambda: _of_rows(_rows, W, {"v": torch.ones(3, 2), **W}),
            r"number of leaves of `updates` is 2, but that .* is 1",
        ),
        (
            lambda: run(along_axes({**FOUR, "t": 0.1}), *drawn(1, 1, SHAPES)),
            r"`decay` of `updates\['w'\]` has shape \(2,\).*a scalar",
        ),
        (lambda: by_running_norm("all"), '`over` is \'all\', but it must be "leaf" or "tree"'),
        (lambda: _of_norm("leaf", FOUR), r"`rate` has shape \(2,\), but one number of each leaf"),
        (
            lambda: _of_norm("tree", dict(zip(SHAPES, (0.1, 0.2, 0.3, 0.4), strict=True))),
            "`rate` is a tree, but one number of all leaves",
        ),
        (
            lambda: _prepared(lambda g, *, norm: (g / norm,), lambda g: {"norm": g[0].abs()}),
            r"`prepare` returned `norm` of shape \(\d.*\): return scalars",
        ),
        (
            lambda: transform.scale_by_dadapt_adam(estim_lr0={"w": 0.1}).init(W),
            r"`estim_lr0` is .* number of all leaves",
        ),
    ],
    TypeError: [
        (
            lambda: _of_rows(lambda g, rows: (g,), W, W),
            "return a tuple of the update and 1 new slots",
        ),
        (
            lambda: _prepared(lambda g, *, norm: (g / norm,), lambda g, *, esp: {}),
            "takes `esp` by keyword, but there are only `eps`",
        ),
        (
            lambda: _prepared(lambda g, *, nrom: (g / nrom,), lambda g, *, eps: {"norm": eps}),
            "takes `nrom` by keyword, but there are only",
        ),
        (
            lambda: _prepared(lambda g, *, eps: (g / eps,), lambda g: ("norm",)),
            "`prepare` returned a tuple: return a dict of numbers",
        ),
    ],
}


@pytest.mark.parametrize(("call", "error", "words"), by_error(WRONG))
def test_what_is_wrong_is_said(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
