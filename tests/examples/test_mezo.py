"""The MeZO example: the peak of memory, a step, fine-tuning."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
import torch

from examples.mezo import Config, mezo_step, opinion_loss, peaks, run
from examples.tools.topics import OPINIONS, TOPICS, VOCABULARY, texts
from examples.tools.transformer import Classifier

_TINY = Config(width=16, layers=1, heads=2, length=12, pretraining=80, pretraining_lr=1e-2)


def _model(config: Config) -> Classifier:
    torch.manual_seed(0)
    shape = (config.length, config.width, config.layers, config.heads)
    return Classifier(VOCABULARY, TOPICS + OPINIONS, *shape)


@pytest.fixture(scope="module")
def step_peaks() -> dict[str, int]:
    config = replace(_TINY, width=32, layers=4, memory_batch=32)
    return peaks(_model(config), config)


def test_a_step_of_mezo_takes_little_more_than_inference(step_peaks: dict[str, int]) -> None:
    least = step_peaks["inference"]
    assert least <= step_peaks["MeZO"] < 1.1 * least
    assert step_peaks["SGD"] > 3 * least


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
