r"""Elastic net: both penalties by the gradient of the validation loss, against a grid search.

.. math::
    \min_\varphi\; \ell(w^*(\varphi); \text{validation}) \quad\text{with}\quad w^*(\varphi)
    = \arg\min_w\, \ell(w; \text{train}) + e^{\varphi_1} \lVert w \rVert_1
    + \tfrac12 e^{\varphi_2} \lVert w \rVert_2^2

The training problem is not smooth, but its solution has a derivative: that of the fixed point of a
proximal gradient step, in which weights that are zero stay zero (Bertrand et al., *Implicit
Differentiation for Fast Hyperparameter Selection in Non-Smooth Convex Learning*, 2022). All points of
the grid are fitted together, under ``vmap``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated

import torch
from matplotlib.figure import Figure
from torch.func import vmap

import torchopt
from examples.tools.command import command
from examples.tools.report import Report


@dataclass(frozen=True)
class Config:
    """Settings; the command line's options."""

    features: Annotated[int, "inputs of the regression; neighbours are correlated"] = 60
    relevant: Annotated[int, "how many of them matter"] = 10
    examples: Annotated[int, "to train on, and as many for the validation"] = 60
    noise: Annotated[float, "standard deviation of the noise"] = 1.0
    steps: Annotated[int, "of the outer optimizer"] = 20
    lr: Annotated[float, "its learning rate, on logarithms of penalties"] = 0.3
    grid: Annotated[int, "values of each penalty, from 0.01 to 1"] = 13
    seed: Annotated[int, "of the data"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        if self.relevant > self.features:
            raise ValueError(f"`relevant` is {self.relevant}, but `features` is {self.features}.")


Data = tuple[torch.Tensor, torch.Tensor]  # inputs and targets


def make_data(config: Config) -> list[Data]:
    """Return training, validation and test data."""
    generator, n = torch.Generator().manual_seed(config.seed), config.features
    normal = partial(torch.randn, generator=generator, dtype=torch.float64)
    truth = torch.zeros(n, dtype=torch.float64)
    truth[: config.relevant] = torch.linspace(0.5, 1, config.relevant, dtype=torch.float64)
    mix = 0.9 ** (torch.arange(n)[:, None] - torch.arange(n)).abs().double()
    parts = []
    for count in (config.examples, config.examples, 4000):
        x = normal(count, n) @ torch.linalg.cholesky(mix).mT
        noise = normal(count)
        parts.append((x, x @ truth + config.noise * noise))
    return parts


def loss(w: torch.Tensor, data: Data) -> torch.Tensor:
    """Return half of the mean squared error."""
    return (data[0] @ w - data[1]).square().mean() / 2


def fit(penalties: torch.Tensor, data: Data, start: torch.Tensor) -> torch.Tensor:
    """Return the weights, a differentiable function of the logarithms of both penalties."""
    l1, l2 = penalties.exp()
    return torchopt.minimize(
        loss,
        start,
        (data,),
        prox=torchopt.prox.ElasticNet(l1=l1, l2=l2),
        solver=torchopt.solver.ProximalGradient(rtol=1e-7, maxiter=20000),
        diff=torchopt.diff.Implicit(linear_solve=torchopt.linear_solve.Dense()),
    ).params


def search(config: Config, parts: list[Data]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return all pairs of penalties of the grid, as logarithms, and the weights that they lead to."""
    values = torch.logspace(-2, 0, config.grid, dtype=torch.float64).log()
    grid, start = torch.cartesian_prod(values, values), torch.zeros_like(parts[0][0][0])
    with torch.no_grad():
        return grid, vmap(lambda penalties: fit(penalties, parts[0], start))(grid)


def descend(
    config: Config, parts: list[Data], report: Report
) -> tuple[torch.Tensor, torch.Tensor, list[list[float]]]:
    """Return penalties found by the gradient of the validation loss, the weights, and all penalties."""
    penalties = torch.tensor([0.3, 0.3], dtype=torch.float64).log().requires_grad_()
    optimizer = torch.optim.Adam([penalties], lr=config.lr, betas=(0.8, 0.99))
    w, way = torch.zeros_like(parts[0][0][0]), []
    with report.progress("hypergradient", config.steps) as advance:
        for _ in range(config.steps):
            w = fit(penalties, parts[0], start=w.detach())  # from the last solution
            way.append(penalties.detach().exp().tolist())
            value = loss(w, parts[1])
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
            advance(f"validation loss {value.item():.4f}")
    return penalties.detach(), fit(penalties.detach(), parts[0], w.detach()), way


def run(config: Config, report: Report = Report()) -> dict[str, tuple[float, float]]:
    """Find penalties by a grid and by their gradient; return the validation and test loss of each."""
    parts = make_data(config)
    grid, fits = search(config, parts)
    losses = torch.stack([vmap(lambda w, part=part: loss(w, part))(fits) for part in parts[1:]], 1)
    best = losses[:, 0].argmin()
    penalties, w, way = descend(config, parts, report)
    points = {
        "best of the grid": (len(grid), grid[best], fits[best]),
        "hypergradient": (config.steps + 1, penalties, w),
    }
    result, rows = {}, []
    for name, (number, point, w) in points.items():
        result[name] = loss(w, parts[1]).item(), loss(w, parts[2]).item()
        numbers = (*point.exp().tolist(), *result[name])
        rows.append(
            (name, f"{number}", *(f"{value:.4f}" for value in numbers), f"{(w != 0).sum()}")
        )
    columns = ("penalties", "fits", "L1", "L2", "validation loss", "test loss", "weights")
    report.table("elastic net", columns, rows)
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes, values = figure.subplots(), grid[:: config.grid, 0].exp()
    surface = losses[:, 0].view(config.grid, -1)
    levels = axes.contourf(*(t.numpy() for t in (values, values, surface.mT)), 20, cmap="Greys")
    figure.colorbar(levels, label="validation loss")
    axes.plot(*zip(*way, strict=True), "C1.-", label="hypergradient")
    axes.plot(*grid[best].exp().tolist(), "C0o", label="best of the grid")
    axes.set(xscale="log", yscale="log", xlabel="L1 penalty", ylabel="L2 penalty")
    axes.legend()
    report.picture("lasso", figure)
    return result


PRESETS = {
    "quick": Config(features=30, relevant=5, examples=40, grid=7, steps=12),
    "default": Config(),
    "full": Config(features=300, relevant=30, examples=200, grid=25, steps=30),
}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())
