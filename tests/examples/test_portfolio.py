"""The portfolio example: closed forms, its derivative, its claim, a run of a second."""

from __future__ import annotations

import pytest
import torch

from examples.portfolio import (
    PRESETS,
    Config,
    closed_form,
    make_markets,
    portfolio,
    run,
)


def _day(assets: int = 5) -> tuple[torch.Tensor, torch.Tensor]:
    market, _ = make_markets(Config(assets=assets, days=3, seed=1))
    return market.returns[0], market.covariance


@pytest.mark.parametrize("aversion", [0.5, 4.0, 100.0])
def test_portfolio_without_bounds_is_the_closed_form(aversion: float) -> None:
    returns, covariance = _day()
    expected = closed_form(returns, covariance, aversion)
    found = portfolio(returns, covariance, aversion, long_only=False)
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)
    # Its derivative in the returns: the inverse covariance, without what changes the sum.
    one = torch.ones_like(returns)
    inverse = torch.linalg.inv(covariance)
    slope = inverse - torch.outer(inverse @ one, one @ inverse) / (one @ inverse @ one)
    jacobian = torch.func.jacrev(lambda r: portfolio(r, covariance, aversion, long_only=False))(
        returns
    )
    torch.testing.assert_close(jacobian, slope / aversion, rtol=1e-8, atol=1e-9)


def test_long_only_portfolio_of_uncorrelated_assets_is_a_threshold() -> None:
    # w_i = max(r_i - t, 0) / (aversion * variance), with the threshold t for which they sum to one.
    returns = torch.tensor([0.9, 0.1, 0.5, -0.4], dtype=torch.float64)
    variance, aversion = torch.tensor([0.5, 0.2, 0.4, 0.1], dtype=torch.float64), 2.0
    low, high = -10.0, 10.0
    for _ in range(100):
        t = (low + high) / 2
        w = (returns - t).clamp(min=0) / (aversion * variance)
        low, high = (t, high) if w.sum() > 1 else (low, t)
    assert 0 < int((w > 0).sum()) < 4
    found = portfolio(returns, variance.diag(), aversion)
    torch.testing.assert_close(found, w, rtol=1e-9, atol=1e-9)


def test_days_are_a_batch() -> None:
    market, _ = make_markets(Config(assets=4, days=6))
    together = portfolio(market.returns, market.covariance, 4.0)
    for returns, w in zip(market.returns, together, strict=True):
        torch.testing.assert_close(portfolio(returns, market.covariance, 4.0), w)
    torch.testing.assert_close(together.sum(1), torch.ones(6, dtype=torch.float64))
    assert together.min() >= -1e-12


@pytest.mark.slow
def test_end_to_end_has_more_utility_than_least_squares() -> None:
    utility = {name: values.mean().item() for name, values in run(PRESETS["default"]).items()}
    assert utility["end to end"] > utility["least squares"] + 0.3
    assert utility["true expected returns"] > utility["end to end"]
