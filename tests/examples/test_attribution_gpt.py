"""Attribution for a small GPT: its metagradient by retraining, its corpus, and its claim."""

from __future__ import annotations

import pytest
import torch
from torch.func import jacrev

from examples.attribution_gpt import Config, Training, run
from examples.tools.grammars import SOURCES, VOCABULARY, write_corpus
from torchopt.diff import Explicit

_TINY = Config(width=4, layers=1, heads=2, length=8, lines=12, batch=6, steps=4, smoothing=1e-3)


def test_metagradient_equals_finite_differences_of_retraining() -> None:
    generator = torch.Generator().manual_seed(0)
    corpus, queries = (write_corpus(n, 8, 0.2, 0, generator) for n in (12, 2))
    training = Training(_TINY, corpus, torch.float64)
    with torch.no_grad():  # a start from which little is learned would tell little
        for p in training.start.values():
            p.mul_(1.5)

    def losses(w: torch.Tensor) -> torch.Tensor:
        return training.losses(training.run(w, Explicit("sqrt")), queries.text)

    scores = jacrev(losses)(training.ones)
    up = training.ones + 1e-5 * torch.eye(12, dtype=torch.float64)
    changes = training.changes(queries.text, up) - training.changes(queries.text, 2 - up)
    assert scores.abs().max() > 1e-4
    torch.testing.assert_close(scores, changes.T / 2e-5, rtol=1e-5, atol=1e-9)


def test_sources_share_what_follows_a_verb_two_at_a_time_and_noise_shares_nothing() -> None:
    text, source = write_corpus(3000, 16, 0.2, 5, torch.Generator().manual_seed(0))
    assert source.bincount().tolist() == [400] * SOURCES + [600]
    follows = torch.zeros(SOURCES + 1, VOCABULARY, VOCABULARY, dtype=torch.bool)
    follows[source[:, None], text[:, :-1], text[:, 1:]] = True
    # Sentences: four subjects with two verbs each, four verbs with two objects each, full stops.
    verbs = slice(1 + 4 * SOURCES, 1 + 6 * SOURCES)
    assert (text[source < SOURCES][:, 3::4] == 0).all()
    for k in range(0, SOURCES, 2):
        one, other, third = (follows[(k + i) % SOURCES] for i in range(3))
        both = one[verbs].any(1) & other[verbs].any(1)
        assert both.any()
        assert torch.equal(one[verbs][both], other[verbs][both])
        assert not (one[verbs] & third[verbs]).any()
        assert one[1 + 4 * k : 5 + 4 * k].sum(1).tolist() == [2] * 4
        assert not other[1 + 4 * k : 5 + 4 * k].any()
    assert follows[SOURCES].double().mean() > 0.9


@pytest.mark.slow
def test_metagradient_predicts_retraining_better_than_influence_and_gradient_products() -> None:
    small = Config(
        width=16, layers=1, heads=2, length=12, lines=120, steps=40, queries=2, retrainings=10
    )
    result = run(small)
    means = {name: float(x.mean()) for name, x in result.items()}
    assert means["metagradient"] > 0.95
    assert means["metagradient"] > means["influence functions"] > means["gradient products"]
