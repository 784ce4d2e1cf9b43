"""The MeZO example: texts, the peak of memory, fine-tuning, and a run of seconds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from results import check_is_one_sentence, check_is_picture

from torchopt.examples.mezo import main
from torchopt.examples.mezo.config import PRESETS, Config
from torchopt.examples.mezo.memory import PeakMemory
from torchopt.examples.mezo.texts import TOPICS, opinions, texts
from torchopt.examples.mezo.training import accuracy, fine_tune, make_model, peaks, pretrain

_TINY = Config(
    width=16, layers=1, heads=2, length=12, pretraining=80, pretraining_lr=1e-2, test_texts=200
)


def test_texts_tell_their_topics() -> None:
    text, topics = texts(400, 30, torch.Generator().manual_seed(0))
    told = torch.stack([(text // 8 == t).sum(1) for t in range(TOPICS)], 1)
    assert (told.argmax(1) == topics).float().mean() > 0.99
    assert 13 < told.sum(1).float().mean() < 17  # the other half are common words
    assert set(topics.tolist()) == set(range(TOPICS))


def test_opinions_split_the_topics_in_halves() -> None:
    found = opinions(torch.arange(TOPICS)) - TOPICS
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
    return peaks(config, make_model(config))


def test_a_step_of_mezo_takes_little_more_than_inference(step_peaks: dict[str, int]) -> None:
    least = step_peaks["inference"]
    assert least <= step_peaks["MeZO"] < 1.1 * least
    assert step_peaks["backpropagation, SGD"] > 3 * least


def test_the_state_of_adam_is_counted(step_peaks: dict[str, int]) -> None:
    model = make_model(replace(_TINY, width=32, layers=4))
    size = sum(4 * p.numel() for p in model.parameters())
    more = step_peaks["backpropagation, Adam"] - step_peaks["backpropagation, SGD"]
    assert 1.9 * size < more < 2.1 * size


def test_fine_tuning_teaches_opinions_and_leaves_the_pre_trained_model() -> None:
    model = pretrain(_TINY)
    assert accuracy(_TINY, model, topics=True) > 0.9
    before = {name: p.clone() for name, p in model.state_dict().items()}
    start = accuracy(_TINY, model)
    config = replace(_TINY, steps=150, lr=3e-3, backprop_lr=1e-2)
    for how in ("MeZO", "backpropagation"):
        losses: list[float] = []
        tuned = fine_tune(config, model, how, on_step=losses.append)
        assert accuracy(config, tuned) > max(start + 0.15, 0.8), how
        assert sum(losses[-10:]) < sum(losses[:10]), how
    assert all(torch.equal(p, before[name]) for name, p in model.state_dict().items())


def test_fine_tuning_is_the_same_for_the_same_seed() -> None:
    config = replace(_TINY, steps=3)
    before = torch.get_rng_state()
    first, again = (fine_tune(config, make_model(config), "MeZO") for _ in range(2))
    assert torch.equal(torch.get_rng_state(), before)
    start = make_model(config).state_dict()
    for name, p in first.state_dict().items():
        assert torch.equal(p, again.state_dict()[name])
        assert not torch.equal(p, start[name])


@pytest.mark.usefixtures("few_threads")
def test_command_writes_tables_and_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    options = (
        "--width=8 --layers=1 --heads=2 --length=4 --batch=4 --pretraining=2 --steps=2 "
        "--backprop-steps=2 --test-texts=8 --memory-batch=4 --threads=1"
    )
    assert main([f"--runs={tmp_path}", "--name=it", *options.split()]) == 0
    out = capsys.readouterr().out
    for text in ("MeZO", "backpropagation, Adam", "inference", "MiB", "s left", "%"):
        assert text in out
    check_is_picture(tmp_path / "it" / "loss_and_memory.png")


@pytest.mark.parametrize(
    ("option", "message"), [("--heads=3", "a multiple of `heads`, 3"), ("--lr=0", "`lr` is 0")]
)
def test_bad_settings_are_one_sentence(
    option: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--runs={tmp_path}", option]) == 1
    check_is_one_sentence(capsys.readouterr().err, message)


def test_every_preset_is_a_valid_configuration() -> None:
    assert set(PRESETS) == {"default", "full"}
