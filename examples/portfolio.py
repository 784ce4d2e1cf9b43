r"""A portfolio layer: expected returns, learned through the decision that is made with them.

A network predicts the returns :math:`r` of some assets from what is seen before, and the portfolio is

.. math:: w(r) = \arg\min_w \; \tfrac{\gamma}{2} w^\top \Sigma w - r^\top w
          \quad\text{subject to}\quad \mathbf 1^\top w = 1, \; w \ge 0.

Fitted by least squares, a linear predictor is equally wrong everywhere; trained by the utility of the
portfolio, it is right where that matters (Donti, Amos and Kolter, *Task-based End-to-end Model
Learning in Stochastic Optimization*, 2017). Without :math:`w \ge 0` the portfolio is known in closed
form (Merton, 1972), which tells how exact the layer is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import torch
from matplotlib.figure import Figure

import torchopt
from examples.tools.command import command
from examples.tools.report import Report
from examples.tools.statistics import interval


@dataclass(frozen=True)
class Config:
    """Settings; the command line's options."""

    assets: Annotated[int, "to choose from"] = 8
    signals: Annotated[int, "seen before each decision"] = 4
    days: Annotated[int, "to train on"] = 400
    aversion: Annotated[float, "to risk"] = 4.0
    steps: Annotated[int, "of the outer optimizer"] = 200
    lr: Annotated[float, "its learning rate"] = 0.02
    seed: Annotated[int, "of the data"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1


class Market(NamedTuple):
    """Days of a market.

    Attributes:
        x: The signals, with a constant, ``(days, signals + 1)``.
        returns: Of each asset, ``(days, assets)``: observed ones to train on, the expected ones for the
            test.
        covariance: Of the returns, the same each day.
    """

    x: torch.Tensor
    returns: torch.Tensor
    covariance: torch.Tensor


def make_markets(config: Config) -> tuple[Market, Market]:
    """Return days to train on and for the test; returns are not linear in the signals."""
    generator = torch.Generator().manual_seed(config.seed)

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    slopes, curves, factor = (normal(config.signals, config.assets) for _ in range(3))
    covariance = 0.1 * torch.eye(config.assets) + 0.1 * factor.mT @ factor / config.signals
    markets = []
    for days in (config.days, 2000):
        x = normal(days, config.signals)
        mean = 0.2 * x @ slopes + 0.5 * (x.square() - 1) @ curves.clamp(max=0)
        markets.append(Market(torch.cat([x, torch.ones(days, 1)], 1), mean, covariance))
    noise = normal(config.days, config.assets) @ torch.linalg.cholesky(covariance).mT
    markets[0] = markets[0]._replace(returns=markets[0].returns + noise)
    return markets[0], markets[1]


def portfolio(
    returns: torch.Tensor, covariance: torch.Tensor, aversion: float, *, long_only: bool = True
) -> torch.Tensor:
    """Return the weights of the assets, a differentiable function of the returns expected."""
    eye, one = torch.eye(returns.shape[-1], dtype=returns.dtype), returns.new_ones(1)
    G, h = (-eye, torch.zeros_like(eye[0])) if long_only else (None, None)
    return torchopt.quadratic_program(
        aversion * covariance, -returns, G=G, h=h, A=torch.ones_like(eye[:1]), b=one
    ).params


def closed_form(returns: torch.Tensor, covariance: torch.Tensor, aversion: float) -> torch.Tensor:
    """Return the portfolio without bounds: that of least variance, and what returns add to it."""
    both = torch.linalg.solve(covariance, torch.stack([torch.ones_like(returns), returns]).mT)
    least = both[:, 0] / both[:, 0].sum()
    return least + (both[:, 1] - both[:, 1].sum() * least) / aversion


def utility(w: torch.Tensor, market: Market, aversion: float) -> torch.Tensor:
    """Return the expected return less the risk, of each day."""
    risk = torch.einsum("di,ij,dj->d", w, market.covariance, w)
    return (market.returns * w).sum(1) - aversion / 2 * risk


def run(config: Config, report: Report = Report()) -> dict[str, torch.Tensor]:
    """Learn a predictor in both ways; return the utility of each test day."""
    train, test = make_markets(config)
    fitted = torch.linalg.lstsq(train.x, train.returns).solution

    def utilities(weights: torch.Tensor, market: Market) -> torch.Tensor:
        w = portfolio(market.x @ weights, market.covariance, config.aversion)
        return utility(w, market, config.aversion)

    learned, history = fitted.clone().requires_grad_(), []
    optimizer = torch.optim.Adam([learned], config.lr)
    with report.progress("end to end", config.steps) as advance:
        for _ in range(config.steps):
            value = utilities(learned, train).mean()
            optimizer.zero_grad()
            (-value).backward()
            optimizer.step()
            history.append(value.item())
            advance(f"utility {value.item():.4f}")
    with torch.no_grad():
        even = torch.full_like(test.returns, 1 / config.assets)
        best = portfolio(test.returns, test.covariance, config.aversion)
        result = {
            "the same of each asset": utility(even, test, config.aversion),
            "least squares": utilities(fitted, test),
            "end to end": utilities(learned, test),
            "true expected returns": utility(best, test, config.aversion),
        }
    rows = [(name, interval(values)) for name, values in result.items()]
    report.table("utility of test days", ("portfolio of", "mean"), rows)
    report.picture("frontier", frontier(test))
    return result


def frontier(market: Market) -> Figure:
    """Draw the efficient frontiers of the first day."""
    mean, covariance = market.returns[0], market.covariance
    aversions = torch.logspace(-1, 2, 40, dtype=torch.float64)
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    free = aversions[26:]

    def draw(w: torch.Tensor, style: str, label: str) -> None:
        risk = torch.einsum("di,ij,dj->d", w, covariance, w).sqrt()
        axes.plot(risk.tolist(), (w @ mean).tolist(), style, label=label)

    closed = [closed_form(mean, covariance, float(a)) for a in free]
    layer = [portfolio(mean, covariance, float(a), long_only=False) for a in free[::3]]
    bounded = [portfolio(mean, covariance, float(a)) for a in aversions]
    draw(torch.stack(closed), "C0-", "either sign, closed form")
    draw(torch.stack(layer), "C0o", "either sign, layer")
    draw(torch.stack(bounded), "C1.-", "long only, layer")
    axes.set(xlabel="standard deviation", ylabel="expected return")
    axes.legend(fontsize=8)
    return figure


PRESETS = {
    "quick": Config(days=100, steps=40),
    "default": Config(),
    "full": Config(assets=30, days=2000),
}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())
