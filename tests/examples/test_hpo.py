"""The hyperparameter example: its hypergradient, the search."""

from __future__ import annotations

import pytest
import torch

from examples.hpo import Config, fit, loss, make_data, run
from examples.tools.report import Report

_SMALL = Config(features=8, relevant=3, examples=30, steps=15, lr=0.4, grid=9)


def test_hypergradient_equals_difference_quotients() -> None:
    train, validation, _ = make_data(_SMALL)
    start = torch.zeros(8, dtype=torch.float64)

    def outer_loss(log_penalties: torch.Tensor) -> torch.Tensor:
        return loss(fit(log_penalties, train, start), validation)

    at = torch.linspace(-3.5, -2.5, 8, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(outer_loss(at), at)
    assert gradient.abs().max() > 1e-3
    for i, g in enumerate(gradient):
        step = torch.zeros_like(start)
        step[i] = 1e-3
        with torch.no_grad():
            up, down = outer_loss(at + step), outer_loss(at - step)
        torch.testing.assert_close(g, (up - down) / 2e-3, rtol=1e-3, atol=1e-5)


@pytest.mark.slow
def test_a_penalty_for_each_weight_beats_the_best_shared_penalty() -> None:
    report = Report()
    result = run(_SMALL, report)
    start, shared, found = result.values()
    assert [*result] == [row[0] for row in report.tables[0][2]]
    assert found[1] < min(shared[1], start[1])
    bars = report.pictures["penalties"].axes[1].patches
    penalties = torch.tensor([bar.get_height() for bar in bars])  # type: ignore[attr-defined]
    # Weights of inputs that matter are held back less.
    assert penalties[:3].max() < penalties[3:].median()
