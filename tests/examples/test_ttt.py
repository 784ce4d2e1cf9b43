"""The test-time training example: its losses, its meta-gradient, its claim."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from torch.nn.functional import cross_entropy

import torchopt
from examples.tools.documents import split_words, write
from examples.tools.report import Report
from examples.ttt import PRESETS, Config, Meta, Reader, run, train
from torchopt.diff import Explicit
from torchopt.nn import functional_call

_TINY = Config(words=3, chunk=4, chunks=4, window=8, width=8, heads=2, batch=3, steps=1)


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


def _texts(config: Config, count: int = 3, *, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    length = config.chunk * config.chunks + 1
    return write(split_words(0).train, count, length, of=config.words, generator=generator)


def _reader(config: Config = _TINY, *, learns: bool = True, first_order: bool = False) -> Reader:
    """Return a reader after a step of training: none of its weights is zero."""
    reader = Reader(config, Explicit(first_order=first_order), learns)
    train(reader, lambda: _texts(config, seed=9), Report(), "a step")
    return reader


def _mean_loss(reader: Reader, meta: Meta, texts: torch.Tensor) -> torch.Tensor:
    return torch.stack([reader.losses(meta, text) for text in texts]).mean()


def test_losses_are_those_of_a_loop_over_autograd() -> None:
    reader = _reader()
    text = _texts(_TINY, 1)[0]
    meta = reader.meta
    features = functional_call(reader.parts["backbone"], meta["backbone"], text[:-1])
    fast = {name: p.clone().requires_grad_() for name, p in meta["fast"].items()}
    expected = []
    for x, y in zip(features.split(_TINY.chunk), text[1:].split(_TINY.chunk), strict=True):
        hidden = functional_call(reader.parts["fast"], fast, x)
        loss = cross_entropy(functional_call(reader.parts["head"], meta["head"], hidden), y)
        grads = torch.autograd.grad(loss, tuple(fast.values()))
        fast = {
            name: (p - math.exp(meta["rates"][name]) * g).detach().requires_grad_()
            for (name, p), g in zip(fast.items(), grads, strict=True)
        }
        expected.append(loss.item())
    assert reader.losses(meta, text).tolist() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("first_order", [False, True])
def test_meta_gradient_equals_finite_differences(first_order: bool) -> None:
    reader = _reader(first_order=first_order)
    texts = _texts(_TINY)
    meta_grad = torchopt.meta_grad_and_value(lambda *args: reader.all_losses(*args).mean())
    grads, loss = meta_grad(reader.meta, texts)
    torch.testing.assert_close(loss, _mean_loss(reader, reader.meta, texts))
    generator = torch.Generator().manual_seed(4)
    step = 1e-5
    for part, start in reader.meta.items():
        away = {
            name: torch.randn(p.shape, dtype=p.dtype, generator=generator)
            for name, p in start.items()
        }

        def loss_at(
            t: float, part: str = part, start: dict = start, away: dict = away
        ) -> torch.Tensor:
            moved = {name: p + t * away[name] for name, p in start.items()}
            return _mean_loss(reader, {**reader.meta, part: moved}, texts)

        expected = (loss_at(step) - loss_at(-step)) / (2 * step)
        found = sum((g * away[name]).sum() for name, g in grads[part].items())
        assert abs(expected) > 1e-4
        exact = torch.isclose(found, expected, rtol=1e-6, atol=1e-9)
        assert bool(exact) == (not first_order), part  # all parts act through inner gradients too


@pytest.mark.slow
def test_trained_through_inner_steps_it_learns_the_words_that_others_do_not() -> None:
    torch.set_default_dtype(torch.float32)
    results = run(replace(PRESETS["quick"], steps=20))
    bits = {name: found.mean(0) for name, found in results.items()}
    learner = bits["through the steps"]
    assert learner[0] > 3
    assert learner[-1] < 2
    assert bits["frozen"].min() > 3
    assert bits["frozen, adapted at test time"][-1] > learner[-1] + 0.5, bits
