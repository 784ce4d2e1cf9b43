"""The portfolio example: a closed form, its derivative, its claim."""

from __future__ import annotations

import pytest
import torch

from examples.portfolio import PRESETS, Config, closed_form, make_markets, portfolio, run


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


@pytest.mark.slow
def test_end_to_end_has_more_utility_than_least_squares() -> None:
    utility = {name: values.mean().item() for name, values in run(PRESETS["quick"]).items()}
    assert utility["end to end"] > utility["least squares"] + 0.3
    assert utility["true expected returns"] > utility["end to end"]
