"""The data selection example: its metagradient by retraining, its wrong labels, and its claim."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from examples.data_selection import PRESETS, Config, Selection, run
from examples.tools.digits import Data, split_digits

_TINY = Config(images=40, clean=10, width=4, steps=6, batch=20)


def test_metagradient_equals_finite_differences_of_retraining() -> None:
    selection = Selection(_TINY)
    selection.start = {name: p.double() for name, p in selection.start.items()}
    selection.noisy, selection.clean = (
        Data(x.double(), y) for x, y in (selection.noisy, selection.clean)
    )
    w = torch.linspace(0.2, 0.8, 40, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(selection.judged(w), w)
    assert gradient.abs().min() > 1e-7
    for i in (0, 13, 39):
        step = torch.zeros_like(w).index_fill(0, torch.tensor([i]), 1e-5)
        with torch.no_grad():
            slope = (selection.judged(w + step) - selection.judged(w - step)) / 2e-5
        torch.testing.assert_close(gradient[i], slope, rtol=1e-5, atol=1e-10)


@pytest.mark.parametrize("by", ["next", "any"])
def test_half_of_the_labels_are_wrong_and_no_image_is_in_two_parts(by: str) -> None:
    selection = Selection(Config(by=by, seed=2))  # type: ignore[arg-type]
    clean, right, test = split_digits(2, 100, 1000)
    off = (selection.noisy.y - right.y) % 10
    assert torch.equal(off == 0, selection.right)
    assert int((off != 0).sum()) == 500
    assert off.unique().tolist() == ([0, 1] if by == "next" else [*range(10)])
    for part, expected in ((selection.clean, clean), (selection.test, test)):
        assert torch.equal(part.x, expected.x)
        assert torch.equal(part.y, expected.y)


@pytest.mark.slow
def test_chosen_images_teach_more_than_random_ones_and_those_of_small_loss() -> None:
    losses = run(replace(PRESETS["quick"], rounds=2))
    chosen = losses["metagradient descent"]
    for other in ("random", "loss filtering", "all images"):
        assert (chosen < 0.6 * losses[other]).all()
    # At 30 %, the smallest losses are those of the easiest images.
    assert (chosen / losses["loss, trained on the clean"])[:, 0] < 0.9
