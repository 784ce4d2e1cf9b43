"""An optimizer goes on from the state of one with other hyperparameters, as those of PyTorch do."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import _public
import torchopt
from torchopt.transform import EmptyState

STEPS = 4
START = torch.tensor([[1.0, -2.0, 0.5], [3.0, 0.25, -1.5]], dtype=torch.float64)
SCHEDULE = torchopt.schedule.linear_schedule(0.2, 0.1, STEPS)
CLASSES = {
    "adadelta": torch.optim.Adadelta,
    "adagrad": torch.optim.Adagrad,
    "adam": torch.optim.Adam,
    "adamax": torch.optim.Adamax,
    "adamw": torch.optim.AdamW,
    "radam": torch.optim.RAdam,
    "rmsprop": torch.optim.RMSprop,
    "sgd": torch.optim.SGD,
}
#: Where they are not PyTorch's.
DEFAULTS: dict[str, dict[str, Any]] = {
    "adamax": {"eps": 1e-8},
    "adamw": {"weight_decay": 0.0},
    "radam": {"eps": 1e-8},
}
#: What may be other than by default.
CHANGES: dict[str, list[dict[str, Any]]] = {
    "adadelta": [],
    "adagrad": [],
    "adam": [{"amsgrad": True}],
    "adamax": [],
    "adamw": [{"amsgrad": True}],
    "radam": [],
    "rmsprop": [{"momentum": 0.9}, {"centered": True}, {"centered": True, "momentum": 0.9}],
    "sgd": [
        {"momentum": 0.9},
        {"momentum": 0.9, "dampening": 0.3},
        {"momentum": 0.9, "nesterov": True},
    ],
}
COMMON: list[dict[str, Any]] = [{}, {"maximize": True}, {"weight_decay": 0.01}]
#: Buffers that PyTorch makes in the first step only, and does not do without later.
LATE = {"amsgrad": "max_exp_avg_sq", "centered": "grad_avg", "momentum": "momentum_buffer"}


def _pairs() -> Iterator[Any]:
    for name, own in CHANGES.items():
        assert name in _public.ALIASES
        for old, new in itertools.permutations([*COMMON, *own], 2):
            words = ["-".join(options) or "default" for options in (old, new)]
            yield pytest.param(name, old, new, id=f"{name}:{words[0]}:{words[1]}")


def gradients(seed: int, steps: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return list(torch.randn(steps, *START.shape, dtype=torch.float64, generator=generator))


def made(name: str, options: dict[str, Any], lr: Any = 0.1) -> Any:
    return getattr(torchopt.optimizers, name)(lr, **{**DEFAULTS.get(name, {}), **options})


def trained(tx: Any, params: Any, state: Any, seed: int) -> tuple[Any, Any]:
    for g in gradients(seed, STEPS):
        updates, state = tx.update({"w": g}, state, params=params, inplace=False)
        params = torchopt.apply_updates(params, updates, inplace=False)
    return params, state


def train_torch(optimizer: torch.optim.Optimizer, w: torch.Tensor, seed: int) -> None:
    for g in gradients(seed, STEPS):
        w.grad = g.clone()
        optimizer.step()


@pytest.mark.parametrize(("name", "old", "new"), [*_pairs()])
def test_training_goes_on_with_other_hyperparameters(name: str, old: Any, new: Any) -> None:
    before, after = made(name, old), made(name, new)
    params = {"w": START}
    params, state = trained(before, params, before.init(params), 1)
    params, state = trained(after, params, state, 2)

    w = START.clone().requires_grad_()
    cls = CLASSES[name]
    optimizer = cls([w], lr=0.1, **{"weight_decay": 0.0, **old})
    train_torch(optimizer, w, 1)
    optimizer.param_groups[0].update(cls([w], lr=0.1, **{"weight_decay": 0.0, **new}).defaults)
    for option, buffer in LATE.items():
        if new.get(option) and not old.get(option) and name != "sgd":
            optimizer.state[w][buffer] = torch.zeros_like(w)
    train_torch(optimizer, w, 2)
    torch.testing.assert_close(params["w"], w.detach(), rtol=1e-12, atol=1e-12)
    assert [*map(type, state)] == [*map(type, after.init(params))]


def by_hand(name: str, params: Any, state: Any, seed: int) -> tuple[Any, Any]:
    """Train with the values of the schedule as numbers."""
    for index, g in enumerate(gradients(seed, STEPS)):
        tx = made(name, {}, float(SCHEDULE(index)))
        updates, state = tx.update({"w": g}, state, params=params, inplace=False)
        params = torchopt.apply_updates(params, updates, inplace=False)
    return params, state


@pytest.mark.parametrize("name", CLASSES)
def test_a_schedule_may_follow_a_number_and_a_number_a_schedule(name: str) -> None:
    params = {"w": START}
    number, schedule = made(name, {}), made(name, {}, SCHEDULE)
    found = expected = trained(number, params, number.init(params), 1)
    found = trained(schedule, *found, 2)
    expected = by_hand(name, *expected, 2)
    torch.testing.assert_close(found[0], expected[0], rtol=1e-12, atol=0)
    found, expected = (trained(number, *one, 3) for one in (found, expected))
    torch.testing.assert_close(found[0], expected[0], rtol=1e-12, atol=0)
    assert [*map(type, found[1])] == [*map(type, number.init(params))]


def test_decay_of_the_learning_rate_counts_from_where_it_begins() -> None:
    params = {"w": START}
    before, after = torchopt.adagrad(0.1), torchopt.adagrad(0.1, lr_decay=0.5)
    state = trained(before, params, before.init(params), 1)[1]
    (g,) = gradients(2, 1)
    for factor in (1.0, 1.5):
        plain, same = before.update({"w": g}, state, params=params, inplace=False)
        updates, state = after.update({"w": g}, state, params=params, inplace=False)
        torch.testing.assert_close(updates["w"], plain["w"] / factor, rtol=1e-12, atol=0)
        assert torch.equal(state[2].sum_of_squares[0], same[2].sum_of_squares[0])


def test_masked_decay_may_begin_late() -> None:
    params = {"w": START, "b": START + 1}
    grads = {"w": START / 2, "b": START / 3}
    mask = {"w": True, "b": False}
    off, on = (torchopt.adamw(0.1, weight_decay=x, mask=mask) for x in (0.0, 0.1))
    _, state = off.update(grads, off.init(params), params=params, inplace=False)
    updates, _ = on.update(grads, state, params=params, inplace=False)
    plain, _ = off.update(grads, state, params=params, inplace=False)
    torch.testing.assert_close(updates["w"], plain["w"] - 0.1 * 0.1 * params["w"])
    torch.testing.assert_close(updates["b"], plain["b"], rtol=1e-14, atol=0.0)


def test_an_optimizer_without_buffers_keeps_none() -> None:
    state = torchopt.sgd(0.1).init({"w": START})
    assert torchopt.pytree.tree_leaves(state) == []
    assert {*map(type, state)} == {EmptyState}


def test_the_state_of_another_optimizer_is_refused() -> None:
    params = {"w": START}
    expected = "ScaleByAdamState is expected, but ScaleByRssState was given"
    rss = torchopt.adagrad().init(params)
    with pytest.raises(TypeError, match=re.escape(expected)):
        torchopt.adam().update(params, rss[:5], params=params)
    with pytest.raises(TypeError, match="EmptyState is expected, but ScaleByAdamState was given"):
        torchopt.sgd(0.1).update(params, torchopt.adam().init(params), params=params)
    with pytest.raises(ValueError, match="not a tuple of 5 states"):
        torchopt.adam().update(params, rss, params=params)


STATES = Path(__file__).parents[1] / "io" / "states" / "optimizers.pt"


@pytest.mark.parametrize("name", CLASSES)
def test_states_of_0_8_go_on(name: str) -> None:
    """Two steps by 0.8, and one more: three steps by this release."""
    params = {"w": torch.tensor([1.0, 3.0], dtype=torch.float64)}
    grads = {"w": torch.tensor([0.5, -2.0], dtype=torch.float64)}
    options: dict[str, dict[str, Any]] = {
        "adagrad": {"lr_decay": 0.1},
        "adam": {"lr": torchopt.schedule.linear_schedule(0.1, 0.0, 4)},
        "adamw": {"mask": {"w": True}},
        "sgd": {"lr": 0.1, "momentum": 0.9, "dampening": 0.1},
    }
    tx = getattr(torchopt.optimizers, name)(**options.get(name, {}))
    found = torch.load(STATES, weights_only=True)[name][0]
    state = tx.init(params)
    for _ in range(2):
        _, state = tx.update(grads, state, params=params, inplace=False)
    expected, state = tx.update(grads, state, params=params, inplace=False)
    updates, found = tx.update(grads, found, params=params, inplace=False)
    torch.testing.assert_close(updates, expected, rtol=1e-12, atol=0)
    slots, expected = map(torchopt.pytree.tree_leaves, (found[2], state[2]))
    torch.testing.assert_close(slots, expected, rtol=1e-12, atol=0)
