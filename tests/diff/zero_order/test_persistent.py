"""Estimates over truncations: unbiased for the whole episode, against closed forms."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch

from torchopt.diff import zero_order as zo

D = 2
THETA = torch.tensor([0.3, -0.5], dtype=torch.float64)
START = torch.tensor([0.4, 0.2], dtype=torch.float64)
DECAY, TRUNCATIONS = 0.8, 3
KINDS = [zo.PersistentES, zo.NoiseReuseES]


def truncation(theta: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    x = DECAY * x + theta
    return (x**2).sum() / 2 + x.sum(), x


def linear(theta: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    x = DECAY * x + theta
    return x @ torch.tensor([1.0, 2.0], dtype=torch.float64), x


def total(theta: torch.Tensor, fn: Any = truncation) -> torch.Tensor:
    x, losses = START, []
    for _ in range(TRUNCATIONS):
        loss, x = fn(theta, x)
        losses.append(loss)
    return torch.stack(losses)


def estimates(estimator: Any, count: int, fn: Any = truncation) -> torch.Tensor:
    """Return estimates of shape ``(count, truncations, d)``."""
    found = []
    for seed in range(count):
        particles = estimator.init(THETA, START, generator=seed)
        rows = []
        for _ in range(TRUNCATIONS):
            truncated = estimator(fn, THETA, particles)
            particles = truncated.particles
            rows.append(truncated.grads)
        found.append(torch.stack(rows))
    return torch.stack(found)


@functools.cache
def many(kind: Any) -> torch.Tensor:
    return estimates(kind(num_samples=9, sigma=0.2, evaluation=zo.Vmap()), 100)


@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_in_each_truncation_is_the_derivative_of_its_loss_through_all_before(
    kind: Any,
) -> None:
    found = many(kind)
    error = found.std(0) / len(found) ** 0.5
    assert ((found.mean(0) - torch.func.jacrev(total)(THETA)).abs() < 4 * error).all()


def test_an_estimate_from_a_truncation_alone_would_be_biased() -> None:
    """That the test above can tell the difference."""
    found = many(zo.PersistentES)
    error = found.std(0) / len(found) ** 0.5
    x = DECAY * (DECAY * START + THETA) + THETA
    alone = torch.func.grad(lambda theta: truncation(theta, x)[0])(THETA)
    assert ((found.mean(0)[2] - alone).abs() > 6 * error[2]).any()


@pytest.mark.parametrize("kind", KINDS)
def test_the_variance_in_each_truncation_is_that_of_the_formula(kind: Any) -> None:
    n, g = 32, torch.tensor([1.0, 2.0], dtype=torch.float64)
    found = estimates(kind(num_samples=n, sigma=0.2, evaluation=zo.Vmap()), 150, linear)
    for t in range(1, TRUNCATIONS + 1):
        slopes = torch.stack([DECAY ** (t - tau) * g for tau in range(1, t + 1)])
        whole = float(slopes.sum(0).square().sum())
        expected = (D + 1) * whole
        if kind is zo.PersistentES:
            expected = whole + t * D * float(slopes.square().sum())
        measured = float(found[:, t - 1].var(0).sum())
        assert measured == pytest.approx(expected / n, rel=0.25)


@pytest.mark.parametrize("kind", KINDS)
def test_a_loop_and_a_batch_give_the_same_numbers_for_trees(kind: Any) -> None:
    def fn(params: Any, state: Any, data: torch.Tensor) -> Any:
        x = state["x"] * params["a"] + params["b"][0] + data
        return x.sin().sum(), {"x": x, "t": state["t"] + 1}

    params = {"a": torch.tensor(0.9).double(), "b": [THETA]}
    state = {"x": START, "t": torch.tensor(0)}
    found = []
    for evaluation in (zo.Loop(), zo.Vmap(), zo.Vmap(chunk_size=3)):
        estimator = kind(num_samples=2, sigma=0.1, evaluation=evaluation)
        particles = estimator.init(params, state, generator=0)
        for k in range(2):
            truncated = estimator(fn, params, particles, torch.tensor(float(k)))
            gradient, particles = truncated.grads, truncated.particles
        assert particles.states["t"].tolist() == [2] * 4
        assert type(truncated) is zo.TruncatedGradient
        assert gradient["b"][0].shape == THETA.shape
        found.append((gradient["a"], gradient["b"][0], truncated.loss, particles.states["x"]))
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            torch.testing.assert_close(a, b)


def test_noise_reuse_keeps_its_directions_and_persistent_noise_adds_up() -> None:
    for kind in KINDS:
        estimator = kind(num_samples=3, sigma=0.1)
        particles = estimator.init(THETA, START, generator=0)
        first = estimator(truncation, THETA, particles).particles
        second = estimator(truncation, THETA, first).particles
        assert torch.equal(first.noise, second.noise) == (kind is zo.NoiseReuseES)


def test_particles_see_the_same_random_numbers_of_the_function() -> None:
    seen = []

    def fn(theta: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        seen.append(torch.rand(()))
        return theta.sum(), x

    estimator = zo.PersistentES(num_samples=2)
    particles = estimator.init(THETA, START, generator=0)
    particles = estimator(fn, THETA, particles).particles
    assert len({float(s) for s in seen}) == 1
    estimator(fn, THETA, particles)
    assert len({float(s) for s in seen}) == 2


@pytest.mark.parametrize("count", [lambda n: n, lambda n: n > 400, lambda n: n.item()])
@pytest.mark.parametrize("estimator", [zo.PersistentES, zo.NoiseReuseES])
def test_a_loss_may_be_a_count(estimator: Any, count: Any) -> None:
    levels = torch.linspace(-1, 1, 801)

    def loss_of(kind: Any) -> torch.Tensor:
        es = estimator(num_samples=4, sigma=0.1)
        particles = es.init(torch.zeros(1), torch.zeros(1), generator=0)
        return es(lambda p, s: (kind((levels < p).sum()), s), torch.zeros(1), particles).grads

    assert torch.equal(loss_of(count), loss_of(lambda n: torch.as_tensor(count(n)).float()))
    assert loss_of(count).item() > 0
