"""Formulas that see a leaf with its shape: slots of any shape, and every way of running them."""

from __future__ import annotations

import io
import pickle
from typing import Any, NamedTuple

import optree
import pytest
import torch

import torchopt
from _trees import (
    assert_trees_equal,
    generator,
    leaves,
    random_like,
    random_params,
    snapshot,
)
from torchopt import transform
from torchopt.transform.chaining import Chain, owner_of

SHAPES = {"b": (), "t": (2, 1, 4), "v": (3,), "w": (3, 2)}


class SumsState(NamedTuple):
    """Sums of squares along each axis, momentum, the whole sum of what has no axes, and counters."""

    sums: Any
    trace: Any
    whole: Any
    count: Any
    step: Any = ()


def _axes(leaf: torch.Tensor) -> Any:
    return tuple(leaf.new_zeros(n) for n in leaf.shape) if leaf.dim() else None


def _whole(leaf: torch.Tensor) -> Any:
    return None if leaf.dim() else leaf.new_zeros(1)


def _formula(g: Any, p: Any, sums: Any, trace: Any, whole: Any, *, decay: Any, t: Any) -> Any:
    square = (g + 0.1 * p).square()
    trace = decay * trace + g
    if sums is None:
        whole = whole + square
        return trace / (whole.sum() + t), None, trace, whole
    new, scale = [], 1.0
    for axis, old in enumerate(sums):
        others = [a for a in range(g.dim()) if a != axis]
        new.append(decay * old + (square.sum(others) if others else square))
        scale = scale * new[-1].reshape([-1 if a == axis else 1 for a in range(g.dim())])
    return trace / (scale + t), tuple(new), trace, None


def _time(t: Any, **_: Any) -> dict[str, Any]:
    return {"t": t}


def along_axes(decay: Any = 0.9) -> Any:
    """Return a transformation whose slots are a tuple, a tensor like the leaf, and None."""
    return transform.leafwise(
        _formula,
        state=SumsState,
        slots={"sums": _axes, "trace": 0.0, "whole": _whole},
        hyper={"decay": decay},
        scalars=_time,
        needs_params=True,
    )


def by_hand(params: Any, gradients: Any, decay: float = 0.9) -> Any:
    """Return the last updates, computed leaf by leaf without the library."""
    out = {}
    for name, p in params.items():
        sums, trace, whole, t = _axes(p), torch.zeros_like(p), _whole(p), 0
        for grads in gradients:
            if grads[name] is not None:
                t += 1
                u, sums, trace, whole = _formula(
                    grads[name], p, sums, trace, whole, decay=decay, t=t
                )
        out[name] = u
    return out


def problem(seed: int = 1, steps: int = 3) -> tuple[Any, list[Any]]:
    gen = generator(seed)
    params = random_params(gen, SHAPES)
    return params, [random_like(gen, params) for _ in range(steps)]


def run(tx: Any, params: Any, gradients: Any, **options: Any) -> tuple[Any, Any]:
    state = tx.init(params)
    for grads in gradients:
        updates, state = tx.update(grads, state, params=params, **options)
    return updates, state


@pytest.mark.parametrize("inplace", [False, True])
def test_slots_of_other_shapes_are_kept_from_step_to_step(inplace: bool) -> None:
    params, gradients = problem()
    updates, state = run(along_axes(), params, gradients, inplace=inplace)
    assert_trees_equal(updates, by_hand(params, gradients), rtol=1e-14)
    shapes = optree.tree_map(lambda x: tuple(x.shape), state.sums, none_is_leaf=False)
    assert shapes == [(), ((2,), (1,), (4,)), ((3,),), ((3,), (2,))]  # in the order of the names
    assert state.whole[1:] == [(), (), ()]
    assert state.whole[0].shape == (1,)


def test_new_slots_are_written_into_the_old_ones_in_place() -> None:
    params, gradients = problem()
    tx = along_axes()
    state = tx.init(params)
    held = leaves((state.sums, state.trace, state.whole))
    _, new = tx.update(gradients[0], state, params=params)
    now = leaves((new.sums, new.trace, new.whole))
    assert all(a is b for a, b in zip(now, held, strict=True))
    before = snapshot(new)
    tx.update(gradients[1], new, params=params, inplace=False)
    assert_trees_equal(new, before)


def test_a_leaf_without_gradient_keeps_its_state() -> None:
    params, gradients = problem()
    gradients[0]["w"] = gradients[1]["b"] = None
    updates, state = run(along_axes(), params, gradients, inplace=False)
    assert_trees_equal(updates, by_hand(params, gradients), rtol=1e-14)
    assert [int(n) for n in state.count] == [2, 3, 3, 2]
    held, _ = along_axes().update({**gradients[2], "v": None}, state, params=params, inplace=False)
    assert held["v"] is None


@pytest.mark.parametrize("wrap", [tuple, list, lambda x: x[0]], ids=["tuple", "list", "leaf"])
def test_every_container_of_parameters_gives_the_same_numbers(wrap: Any) -> None:
    params, gradients = problem()
    tx = along_axes()
    names = ["w"] if wrap not in (tuple, list) else [*params]
    found, state = run(
        tx,
        wrap([params[n] for n in names]),
        [wrap([g[n] for n in names]) for g in gradients],
        inplace=False,
    )
    expected = by_hand(params, gradients)
    assert_trees_equal(found, wrap([expected[n] for n in names]), rtol=1e-14)
    again = pickle.loads(pickle.dumps(state))
    assert_trees_equal(leaves(again), leaves(state))


def test_a_chain_applies_it_between_kernels_and_adds_the_update() -> None:
    params, gradients = problem()
    tx = torchopt.chain(torchopt.adam(0.1), along_axes(), torchopt.sgd(0.5, momentum=0.9))
    owner = owner_of(tx)
    assert isinstance(owner, Chain)
    assert len(owner.segments) == 3
    state = tx.init(params)
    updates, new = tx.update(gradients[0], state, params=params, inplace=False)
    moved, advanced = transform.advance(tx, gradients[0], state, params)
    assert_trees_equal(moved, torchopt.apply_updates(params, updates, inplace=False))
    assert_trees_equal(advanced, new)
    alone = along_axes()
    moved, _ = transform.advance(alone, gradients[0], alone.init(params), params)
    expected = {k: params[k] + u for k, u in by_hand(params, gradients[:1]).items()}
    assert_trees_equal(moved, expected, rtol=1e-14)


def test_vmap_gives_the_formula_the_leaf_of_one_task() -> None:
    tasks = [problem(seed) for seed in range(3)]
    stacked = optree.tree_map(lambda *x: torch.stack(x), *tasks)

    assert_trees_equal(
        torch.func.vmap(along_axes().init)(stacked[0]).sums[3],
        (torch.zeros(3, 3, dtype=torch.float64), torch.zeros(3, 2, dtype=torch.float64)),
    )

    def last(params: Any, gradients: Any) -> Any:
        return run(along_axes(), params, gradients, inplace=False)[0]

    expected = optree.tree_map(lambda *x: torch.stack(x), *(by_hand(*task) for task in tasks))
    assert_trees_equal(torch.func.vmap(last)(*stacked), expected, rtol=1e-12)


def test_hyperparameters_are_numbers_schedules_tensors_and_trees_of_these() -> None:
    params, gradients = problem()
    expected = by_hand(params, gradients, 0.5)
    half = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    tree = {"b": 0.5, "t": half, "v": 0.5, "w": half}
    for decay in (half, tree, lambda count: 0.5 + 0 * count):
        updates, _ = run(along_axes(decay), params, gradients, inplace=False)
        assert_trees_equal(updates, expected, rtol=1e-12)
    tx = along_axes({**tree, "w": torch.tensor([0.5, 0.6], dtype=torch.float64)})
    with pytest.raises(ValueError, match=r"`decay` of `updates\['w'\]` has shape \(2,\).*a scalar"):
        run(tx, params, gradients)


def test_a_class_keeps_and_saves_the_slots_of_each_parameter() -> None:
    params, gradients = problem()
    tensors = [p.clone().requires_grad_() for p in params.values()]
    optimizer = torchopt.Optimizer(tensors, along_axes())
    gradients[0]["w"] = None
    for k, grads in enumerate(gradients):
        for p, start, g in zip(tensors, params.values(), grads.values(), strict=True):
            p.data, p.grad = start.clone(), None if g is None else g.clone()
        optimizer.step()
        if k == 1:  # another one goes on with what was saved
            file = io.BytesIO()
            torch.save(optimizer.state_dict(), file)
            file.seek(0)
            optimizer = torchopt.Optimizer(tensors, along_axes())
            optimizer.load_state_dict(torch.load(file, weights_only=True))
    moved = {name: p.detach() - params[name] for name, p in zip(params, tensors, strict=True)}
    assert_trees_equal(moved, by_hand(params, gradients), rtol=1e-10, atol=1e-12)
    mine = optimizer.state[tensors[[*params].index("w")]]
    assert [tuple(x.shape) for x in mine["sums"]] == [(3,), (2,)]
    assert mine["step"] == 2
    assert "whole" not in mine


class RowsState(NamedTuple):
    """Sums of rows."""

    rows: Any


def _row(leaf: torch.Tensor) -> Any:
    return leaf.new_zeros(leaf.shape[0]) if leaf.dim() else None


def _formula_of_rows(g: Any, rows: Any) -> Any:
    return g, rows if g.dim() < 2 else rows + g.flatten(1).sum(1)


def _reduced(g: Any) -> Any:
    return (g.sum(0),)


def _short(g: Any, rows: Any) -> Any:
    return (g,)


def _transposed(g: Any, rows: Any) -> Any:
    return g, rows[:1]


def test_wrong_shapes_are_refused_with_the_path_of_the_leaf() -> None:
    params = {"w": torch.ones(3, 2)}
    tx = transform.leafwise(_reduced)
    with pytest.raises(
        ValueError, match=r"`_reduced` returned shape \(2,\) for the update of `upd"
    ):
        tx.update(params, tx.init(params))
    tx = transform.leafwise(_transposed, state=RowsState, slots={"rows": _row})
    with pytest.raises(ValueError, match=r"shape \(1,\) for the new `rows` of `updates\['w'\]`"):
        tx.update(params, tx.init(params))
    tx = transform.leafwise(_formula_of_rows, state=RowsState, slots={"rows": _row})
    state = tx.init({"w": torch.ones(4, 2)})
    with pytest.raises(ValueError, match=r"`updates\['w'\]` .* `rows` has shape \(3,\), but shape"):
        tx.update(params, state)
    with pytest.raises(ValueError, match="parameter was None"):
        tx.update(params, tx.init({"w": None}))
    with pytest.raises(ValueError, match=r"number of leaves of `updates` is 2, but that .* is 1"):
        tx.update({"v": torch.ones(3, 2), "w": torch.ones(3, 2)}, state)
    tx = transform.leafwise(_short, state=RowsState, slots={"rows": _row})
    with pytest.raises(TypeError, match="return a tuple of the update and 1 new slots"):
        tx.update(params, tx.init(params))
