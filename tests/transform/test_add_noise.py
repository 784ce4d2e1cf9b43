"""Noise is a function of its key, the step and the place."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from torchopt import transform
from torchopt.pytree import tree_set

ZEROS = {"a": torch.zeros(300, 400, dtype=torch.float64), "b": torch.zeros(300, 400).double()}


def noise_of(steps: int, **options: Any) -> list[dict[str, torch.Tensor]]:
    tx = transform.add_noise(**{"eta": 1.0, "gamma": 0.0, **options})
    state, drawn = tx.init(ZEROS), []
    for _ in range(steps):
        noise, state = tx.update(ZEROS, state, inplace=False)
        drawn.append(noise)
    return drawn


def test_noise_is_normal_and_independent_between_leaves_steps_and_keys() -> None:
    first, second = noise_of(2)
    (other,) = noise_of(1, generator=1)
    samples = [first["a"], first["b"], second["a"], second["b"], other["a"]]
    rows = torch.stack([x.flatten() for x in samples])
    # Of 120000 numbers: five standard errors.
    error = 5 / rows.shape[1] ** 0.5
    assert rows.mean(1).abs().max() < error
    assert (torch.corrcoef(rows) - torch.eye(len(rows)).double()).abs().max() < error
    assert (torch.corrcoef(rows[:1].reshape(2, -1))[0, 1]).abs() < 2 * error
    probabilities = torch.special.ndtr(rows.flatten()).sort().values
    steps = torch.arange(1, len(probabilities) + 1) / len(probabilities)
    # Kolmogorov and Smirnov: larger in one of 10^7 cases.
    assert (probabilities - steps).abs().max() < 2.9 / len(probabilities) ** 0.5


def test_tasks_of_vmap_share_noise_or_have_keys_of_their_own() -> None:
    tx = transform.add_noise(1.0)
    g = torch.zeros(3, 5)
    state = tx.init(g[0])
    shared = torch.vmap(lambda g: tx.update(g, state, inplace=False)[0])(g)
    assert torch.equal(shared[0], shared[2])
    keys = torch.arange(3)
    own = torch.vmap(lambda g, key: tx.update(g, tree_set(state, key=key), inplace=False)[0])
    expected = [
        tx.update(g[k], tree_set(state, key=keys[k]), inplace=False)[0] for k in range(len(keys))
    ]
    torch.testing.assert_close(own(g, keys), torch.stack(expected))
    assert not torch.equal(expected[0], expected[1])


def test_a_generator_gives_a_key_at_each_init() -> None:
    def keys(generator: Any) -> list[int]:
        tx = transform.add_noise(generator=generator)
        return [int(tx.init(torch.zeros(2)).key) for _ in range(2)]

    assert keys(5) == [5, 5]
    assert int(transform.add_noise().init(torch.zeros(2)).key) == 0  # in each process
    first = keys(torch.Generator().manual_seed(1))
    assert first == keys(torch.Generator().manual_seed(1))
    assert first[0] != first[1]
    with torch.random.fork_rng():
        torch.manual_seed(1)
        own = keys(None)
        torch.manual_seed(1)
        assert own == keys(None)
    with pytest.raises(TypeError, match="`generator` is 'seed'"):
        transform.add_noise(generator="seed")  # type: ignore[arg-type]


def test_leaves_without_gradient_have_no_noise_and_others_keep_theirs() -> None:
    tx = transform.add_noise(1.0)
    state = tx.init(ZEROS)
    every, _ = tx.update(ZEROS, state, inplace=False)
    some, _ = tx.update({**ZEROS, "a": None}, state, inplace=False)
    assert some["a"] is None
    assert torch.equal(some["b"], every["b"])


def test_derivatives_are_finite_at_a_variance_of_zero() -> None:
    eta = torch.zeros((), dtype=torch.float64, requires_grad=True)
    tx = transform.add_noise(eta)
    u, _ = tx.update(ZEROS, tx.init(ZEROS), inplace=False)
    assert u["a"].abs().max() < 1e-100
    (slope,) = torch.autograd.grad(u["a"].sum(), eta)
    assert slope == 0
