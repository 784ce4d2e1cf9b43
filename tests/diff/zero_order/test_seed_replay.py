"""Seed replay: the antithetic estimate in the memory of inference, parameters untouched."""

from __future__ import annotations

import pickle
import weakref
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn

from torchopt.diff import zero_order as zo
from torchopt.diff.zero_order._seed_replay import _Moved
from torchopt.errors import NonFiniteWarning


def model(dtype: torch.dtype = torch.float64) -> nn.Module:
    torch.manual_seed(0)
    encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.1)
    net = nn.Sequential(nn.Embedding(11, 8), encoder, nn.Flatten(), nn.Linear(24, 3))
    return net.to(dtype)


TOKENS = torch.tensor([[1, 4, 10], [7, 7, 0]])
LABELS = torch.tensor([0, 2])


def bits(net: nn.Module) -> list[bytes]:
    return [p.detach().view(torch.uint8).numpy().tobytes() for p in net.parameters()]


def test_the_projection_is_the_derivative_along_the_direction_of_the_seed() -> None:
    net = model().eval()
    loss = nn.functional.cross_entropy
    projected = zo.SeedReplay(num_samples=3, sigma=1e-5)(lambda: loss(net(TOKENS), LABELS), net)
    true = torch.autograd.grad(loss(net(TOKENS), LABELS), list(net.parameters()))
    for seed, slope in zip(projected.seeds, projected.projections, strict=True):
        one = replace(projected, seeds=(seed,), projections=(1.0,)).gradients(net)
        along = sum((g * z).sum() for g, z in zip(true, one, strict=True))
        assert slope == pytest.approx(along.item(), rel=1e-5, abs=1e-8)
    assert projected.loss == pytest.approx(loss(net(TOKENS), LABELS).item(), rel=1e-5)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_parameters_are_the_same_bit_for_bit_afterwards_also_when_the_function_raises(
    dtype: torch.dtype,
) -> None:
    net = model(dtype)
    before, versions = bits(net), [p._version for p in net.parameters()]
    estimator = zo.SeedReplay(num_samples=3, sigma=0.1)
    estimator(lambda: nn.functional.cross_entropy(net(TOKENS), LABELS), net)
    calls = []

    def failing() -> torch.Tensor:
        calls.append(net(TOKENS))
        if len(calls) == 3:
            raise RuntimeError("in the middle")
        return calls[-1].sum()

    with pytest.raises(RuntimeError, match="in the middle"):
        estimator(failing, net)
    assert bits(net) == before
    assert [p._version for p in net.parameters()] == versions
    assert torch.isfinite(net(TOKENS)).all()


def test_what_an_operation_saw_moved_is_dropped_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    net = nn.Sequential(*[nn.Linear(8, 8) for _ in range(20)])
    made: list[weakref.ref[torch.Tensor]] = []
    most = 0
    moved = _Moved.moved

    def watched(self: _Moved, tensor: torch.Tensor) -> torch.Tensor:
        nonlocal most
        out = moved(self, tensor)
        made.append(weakref.ref(out))
        most = max(most, sum(ref() is not None for ref in made))
        return out

    monkeypatch.setattr(_Moved, "moved", watched)
    x = torch.ones(2, 8)
    zo.SeedReplay()(lambda: net(x).sum(), net)
    assert len(made) == 2 * 40
    assert most <= 3  # a weight and its bias, and one that goes


def test_a_step_is_that_of_descent_along_the_gradient() -> None:
    one, two = model().eval(), model().eval()
    estimator = zo.SeedReplay(num_samples=2, sigma=1e-3)
    projected = estimator(lambda: one(TOKENS).square().sum(), one, generator=0)
    gradients = projected.gradients(one)
    projected.step_(one, lr=0.1, weight_decay=0.01)
    with torch.no_grad():
        for p, g in zip(two.parameters(), gradients, strict=True):
            p.mul_(1 - 0.1 * 0.01).sub_(0.1 * g)
    for p, q in zip(one.parameters(), two.parameters(), strict=True):
        torch.testing.assert_close(p, q)


def test_a_log_of_seeds_and_projections_repeats_a_training_bit_for_bit() -> None:
    net, log = model(torch.float32), []
    estimator = zo.SeedReplay(num_samples=2, sigma=1e-3)
    for _ in range(5):
        projected = estimator(lambda: nn.functional.cross_entropy(net(TOKENS), LABELS), net)
        projected.step_(net, lr=0.05)
        log.append(projected)
    assert type(projected) is zo.SeedReplayGradient
    again = model(torch.float32)
    for entry in pickle.loads(pickle.dumps(log)):
        entry.step_(again, lr=0.05)
    assert bits(net) == bits(again)


def test_evaluations_see_the_same_dropout_and_buffers_advance_once() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 50), nn.BatchNorm1d(50), nn.Dropout(0.5)).double()
    reference = nn.Sequential(nn.Linear(4, 50), nn.BatchNorm1d(50), nn.Dropout(0.5)).double()
    reference.load_state_dict(net.state_dict())
    x = torch.randn(6, 4, dtype=torch.float64)
    masks = []

    def closure() -> torch.Tensor:
        y = net(x)
        masks.append(y == 0)
        return y.square().mean()

    torch.manual_seed(1)
    zo.SeedReplay(num_samples=2, sigma=1e-9)(closure, net, generator=0)
    after = torch.rand(1)
    torch.manual_seed(1)
    reference(x)
    assert torch.equal(after, torch.rand(1))
    assert len(masks) == 4
    assert all(torch.equal(m, masks[0]) for m in masks)
    for found, expected in zip(net.buffers(), reference.buffers(), strict=True):
        torch.testing.assert_close(found, expected)


def test_frozen_parameters_are_not_moved_and_tied_ones_move_together() -> None:
    net = nn.Sequential(nn.Linear(3, 3, bias=False), nn.Linear(3, 3, bias=False)).double()
    net[0].weight.requires_grad_(False)
    seen: list[Any] = []

    def closure() -> torch.Tensor:
        seen.append([net[0].weight + 0, net[1].weight + 0])
        return net[1].weight.sum()

    zo.SeedReplay(sigma=0.1)(closure, net)
    assert all(torch.equal(first, net[0].weight) for first, _ in seen)
    assert all(not torch.equal(second, net[1].weight) for _, second in seen)
    net[0].weight = net[1].weight
    seen.clear()
    zo.SeedReplay(sigma=0.1)(closure, net)
    assert all(torch.equal(first, second) for first, second in seen)


def test_the_seed_decides() -> None:
    x = torch.ones(3)
    estimator = zo.SeedReplay(num_samples=2)
    first = estimator(lambda: x.sin().sum(), x, generator=1)
    assert estimator(lambda: x.sin().sum(), {"x": x}, generator=1) == first
    assert estimator(lambda: x.sin().sum(), x, generator=2) != first
    generator = torch.Generator().manual_seed(1)
    assert estimator(lambda: x.sin().sum(), x, generator=generator) == first


@pytest.mark.compiled
def test_compiled_models_give_the_same_numbers_and_scripted_ones_are_refused() -> None:
    net, x = nn.Linear(3, 2), torch.ones(4, 3)
    estimator = zo.SeedReplay(num_samples=2)
    eager = estimator(lambda: net(x).sum(), net, generator=0)
    compiled = torch.compile(lambda: net(x).sum(), backend="eager")
    compiled()
    assert estimator(compiled, net, generator=0) == eager
    traced = torch.jit.trace(net, x)
    with pytest.raises(ValueError, match="reads none of `params`"):
        estimator(lambda: traced(x).sum(), net)


def test_values_that_are_nan_are_dropped_counted_and_reported() -> None:
    x = torch.zeros(2, dtype=torch.float64)

    def rough() -> torch.Tensor:
        return x.sum() if float(x[0]) < 1.5 else torch.tensor(torch.nan)

    estimator = zo.SeedReplay(num_samples=50, sigma=1.0, nonfinite="drop")
    with pytest.warns(NonFiniteWarning, match="left out") as told:
        projected = estimator(rough, x, generator=0)
    assert 30 < len(projected.seeds) == len(projected.projections) < 50
    assert told[0].message.dropped == 50 - len(projected.seeds)
    with pytest.raises(ValueError, match="of 50 directions"):
        zo.SeedReplay(num_samples=50, sigma=1.0)(rough, x, generator=0)
