"""The MeZO example: texts, the peak of memory, fine-tuning, and a run of seconds."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
import torch

from examples.mezo import (
    Config,
    accuracy,
    mezo_step,
    opinion_loss,
    peaks,
    run,
    train,
)
from examples.tools.memory import PeakMemory
from examples.tools.topics import OPINIONS, TOPICS, VOCABULARY, opinions, texts
from examples.tools.transformer import Classifier

_TINY = Config(width=16, layers=1, heads=2, length=12, pretraining=80, pretraining_lr=1e-2)


def _model(config: Config) -> Classifier:
    torch.manual_seed(0)
    shape = (config.length, config.width, config.layers, config.heads)
    return Classifier(VOCABULARY, TOPICS + OPINIONS, *shape)


def test_texts_tell_their_topics() -> None:
    text, topics = texts(400, 30, torch.Generator().manual_seed(0))
    told = torch.stack([(text // 8 == t).sum(1) for t in range(TOPICS)], 1)
    assert (told.argmax(1) == topics).float().mean() > 0.99
    assert 13 < told.sum(1).float().mean() < 17  # the other half are common words
    assert set(topics.tolist()) == set(range(TOPICS))


def test_opinions_split_the_topics_in_halves() -> None:
    found = opinions(torch.arange(TOPICS))
    assert found.sum() == TOPICS // 2
    assert set(found.tolist()) == {0, 1}


def test_peak_counts_what_is_alive_at_the_same_time() -> None:
    given = torch.ones(1000)
    with PeakMemory() as one:
        x = given.exp()
        del x
        y = given.exp()
        y.mul_(2)  # in place
        z = y[:500].view(5, 100)  # no memory of its own
    assert one.peak == 4000
    assert z.shape == (5, 100)
    with PeakMemory() as two:
        kept = [given.exp() for _ in range(3)]
        kept.pop()
        kept.append(given.exp())
        kept[0].exp()
    assert two.peak == 16_000


def test_peak_counts_what_backpropagation_keeps() -> None:
    x = torch.ones(1000, requires_grad=True)
    with PeakMemory() as memory:
        y = x
        for _ in range(10):
            y = y.sin().exp()  # sin keeps its input, and exp its output: the same tensors
        y.sum().backward()
    assert 10 * 4000 <= memory.peak <= 14 * 4000


@pytest.fixture(scope="module")
def step_peaks() -> dict[str, int]:
    config = replace(_TINY, width=32, layers=4, memory_batch=32)
    return peaks(_model(config), config)


def test_a_step_of_mezo_takes_little_more_than_inference(step_peaks: dict[str, int]) -> None:
    least = step_peaks["inference"]
    assert least <= step_peaks["MeZO"] < 1.1 * least
    assert step_peaks["SGD"] > 3 * least


def test_the_state_of_adam_is_counted(step_peaks: dict[str, int]) -> None:
    model = _model(replace(_TINY, width=32, layers=4))
    size = sum(4 * p.numel() for p in model.parameters())
    more = step_peaks["Adam"] - step_peaks["SGD"]
    assert 1.9 * size < more < 2.1 * size


def test_a_step_moves_along_a_seeds_direction_by_the_central_difference() -> None:
    model = _model(_TINY).double()
    text, topics = texts(8, _TINY.length, torch.Generator().manual_seed(1))
    before = [p.detach().clone() for p in model.parameters()]
    start = opinion_loss(model, text, topics)
    gradients = torch.autograd.grad(start, [*model.parameters()], allow_unused=True)
    loss = partial(opinion_loss, model, text, topics)
    mezo_step(model, replace(_TINY, sigma=1e-5), loss, torch.Generator().manual_seed(2), 0.5)
    moves = [p.detach() - q for p, q in zip(model.parameters(), before, strict=True)]
    # A move is -lr (z . gradient) z, of a standard normal z: its square is -lr times its slope squared.
    lr = _TINY.lr * (1 - 0.9 * 0.5)
    slope = sum((m * g).sum() for m, g in zip(moves, gradients, strict=True) if g is not None)
    direction = torch.cat([m.flatten() for m in moves]) / (-slope / lr).sqrt() / lr
    assert slope < 0
    assert direction.std() == pytest.approx(1, abs=0.05)
    assert abs(float(direction.mean())) < 0.05


@pytest.mark.slow
def test_fine_tuning_teaches_opinions() -> None:
    found, _ = run(replace(_TINY, steps=150, lr=3e-3, backprop_lr=1e-2))
    for how in ("MeZO", "backpropagation"):
        assert found[how] > max(found["none"] + 0.15, 0.8), how


def test_training_is_the_same_for_the_same_seed() -> None:
    models = [_model(_TINY) for _ in range(2)]
    found = []
    for model in models:
        step = partial(mezo_step, model, _TINY)
        found.append([*train(step, partial(opinion_loss, model), 3, _TINY, 0)])
    assert found[0] == found[1]
    assert accuracy(models[0], _TINY) == accuracy(models[1], _TINY)
    start = _model(_TINY).state_dict()
    for name, p in models[0].state_dict().items():
        assert torch.equal(p, models[1].state_dict()[name])
        assert not torch.equal(p, start[name])
