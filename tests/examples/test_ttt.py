"""The test-time training example: what is read when, its meta-gradient, its claim, a run of seconds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from torch.nn.functional import cross_entropy

import torchopt
from examples.tools.documents import ALPHABET, entropy, split_words, write
from examples.tools.report import Report
from examples.tools.transformer import WindowAttention
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


def test_no_word_of_a_held_out_document_is_in_training() -> None:
    words = split_words(0)
    sets = [set(part) for part in words]
    assert all(len(found) == len(part) > 100 for found, part in zip(sets, words, strict=True))
    assert len(set.union(*sets)) == sum(map(len, sets))
    assert split_words(0) == words
    assert split_words(1) != words


def test_documents_have_a_dictionary_each() -> None:
    texts = [
        "".join(ALPHABET[i] for i in row) for row in _texts(replace(_TINY, chunks=60)).tolist()
    ]
    dictionaries = [set(text.split()[:-1]) for text in texts]  # the last word may be cut off
    assert [len(d) for d in dictionaries] == [3, 3, 3]
    assert len(set.union(*dictionaries)) > 6
    assert set.union(*dictionaries) <= set(split_words(0).train)


def test_entropy_is_that_of_the_words() -> None:
    # Four words, two bits each, of three letters and a space.
    assert entropy(["one", "two", "six", "ten"], of=4) == pytest.approx(0.5)


@pytest.mark.parametrize("learns", [False, True])
def test_later_text_changes_no_earlier_loss(learns: bool) -> None:
    reader = _reader(learns=learns)
    text = _texts(_TINY, 1)[0]
    losses = reader.losses(reader.meta, text)
    for k in range(_TINY.chunks):
        changed = text.clone()
        # The characters that chunk k predicts, and all later ones.
        changed[_TINY.chunk * k + 1 :] = (changed[_TINY.chunk * k + 1 :] + 5) % len(ALPHABET)
        found = reader.losses(reader.meta, changed)
        assert torch.equal(found[:k], losses[:k])
        assert not torch.isclose(found[k], losses[k])


def test_only_inner_steps_remember_what_attention_does_not_see() -> None:
    config = replace(_TINY, layers=1, chunk=8, window=4)  # attention sees three characters back
    text = _texts(config, 1)[0]
    changed = text.clone()
    changed[:4] = (changed[:4] + 5) % len(ALPHABET)
    for learns in (False, True):
        reader = _reader(config, learns=learns)
        same = torch.isclose(
            reader.losses(reader.meta, text), reader.losses(reader.meta, changed), rtol=1e-12
        )
        assert same.tolist() == [False, *[not learns] * (config.chunks - 1)]


def test_attention_equals_one_with_a_full_mask() -> None:
    torch.manual_seed(1)
    attention, length, window = WindowAttention(8, heads=2, window=8), 16, 8
    with torch.no_grad():
        attention.distances.normal_()
        x = torch.randn(length, 8)
        q, k, v = attention.read(attention.norm(x)).view(length, 3, 2, 4).unbind(1)
        place = torch.arange(length)
        distance = place[:, None] - place
        bias = attention.distances[:, distance.clamp(0, window - 1)]
        scores = torch.einsum("ihc,jhc->hij", q, k) / 2 + bias
        scores[:, (distance < 0) | (distance >= window)] = -torch.inf
        mixed = torch.einsum("hij,jhc->ihc", scores.softmax(-1), v).flatten(1)
        torch.testing.assert_close(attention(x), x + attention.write(mixed))


def test_inner_steps_of_rate_zero_are_the_frozen_reader() -> None:
    frozen = _reader(learns=False)
    texts = _texts(_TINY)
    expected = frozen.bits(frozen.meta, texts)
    still, moving = ({**frozen.meta, "rates": frozen.rates(rate)} for rate in (0.0, 0.5))
    torch.testing.assert_close(frozen.bits(still, texts), expected)
    assert (frozen.bits(moving, texts) - expected).abs().max() > 1e-2


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


def test_documents_in_a_batch_do_not_see_each_other() -> None:
    reader = _reader()
    texts = _texts(_TINY)
    together = reader.bits(reader.meta, texts)
    for text, bits in zip(texts, together, strict=True):
        torch.testing.assert_close(reader.bits(reader.meta, text[None])[0], bits)


def test_training_is_the_same_for_the_same_seed() -> None:
    first, again = (_reader().meta for _ in range(2))
    leaves = torchopt.pytree.tree_leaves
    start = Reader(_TINY, Explicit(), learns=True).meta
    for a, b, c in zip(leaves(first), leaves(again), leaves(start), strict=True):
        assert torch.equal(a, b)
        assert not torch.equal(a, c)


@pytest.mark.slow
def test_trained_through_inner_steps_it_learns_the_words_that_others_do_not() -> None:
    torch.set_default_dtype(torch.float32)
    bits = {name: found.mean(0) for name, found in run(PRESETS["quick"]).items()}
    learner = bits["through the steps"]
    assert learner[0] > 3
    assert learner[-1] < 2
    assert bits["frozen"].min() > 3
    assert bits["frozen, adapted at test time"][-1] > learner[-1] + 0.5, bits
