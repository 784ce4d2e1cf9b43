r"""Non-negative factorization: two penalties by the gradient of the error of held-out pixels.

.. math::
    \min_\varphi\; \ell(C^* D^*; \text{held-out}) \quad\text{with}\quad C^*(\varphi), D^*(\varphi)
    = \arg\min_{C \geq 0,\; 0 \leq D \leq 1}\, \ell(C D; \text{observed})
    + e^{\varphi_1} \lVert C \rVert_1 + \tfrac12 e^{\varphi_2} \lVert D \rVert_2^2

Each image is a sum of parts (rows of D) times sparse codes (a row of C). Block coordinate descent
improves the codes and the parts in turn. The derivative goes through the solution, as in task-driven
dictionary learning (Mairal, Bach and Ponce, 2012). The images are noisy sums of bars (Földiák, 1990),
some of whose pixels are hidden. All points of the grid are fitted together, under ``vmap``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, NamedTuple

import torch
from matplotlib.figure import Figure
from torch.func import vmap

import torchopt
from examples.tools.command import command
from examples.tools.report import Report

Factors = dict[str, torch.Tensor]  # "codes": a row for each image, "parts": an image in each row


@dataclass(frozen=True)
class Config:
    """Settings; the command line's options."""

    side: Annotated[int, "of an image in pixels; there are twice as many bars"] = 5
    images: Annotated[int, "noisy sums of bars"] = 100
    noise: Annotated[float, "standard deviation of the noise"] = 0.3
    observed: Annotated[
        float, "fraction of pixels to fit; of the others, half choose the penalties"
    ] = 0.6
    steps: Annotated[int, "of the outer optimizer"] = 12
    lr: Annotated[float, "its learning rate, on logarithms of penalties"] = 0.3
    grid: Annotated[int, "values of each penalty, from 0.01 to 1"] = 5
    seed: Annotated[int, "of the data and of the start"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        if not 0 < self.observed < 1:
            raise ValueError(f"`observed` is {self.observed:g}, but must lie between 0 and 1.")


class Data(NamedTuple):
    """Images as rows, masks of pixels to fit, to choose penalties and to test, and the true parts."""

    x: torch.Tensor
    masks: tuple[torch.Tensor, ...]
    bars: torch.Tensor


def make_data(config: Config) -> tuple[Data, Factors]:
    """Return images with their masks, and random factors to start from."""
    generator, side = torch.Generator().manual_seed(config.seed), config.side
    uniform = partial(torch.rand, generator=generator, dtype=torch.float64)
    rows = torch.eye(side, dtype=torch.float64)[:, :, None].expand(side, side, side)
    bars = torch.cat([rows, rows.mT]).flatten(1)
    shape = config.images, len(bars)
    codes = (uniform(shape) < 0.2) * (0.5 + uniform(shape))
    noise = torch.randn(config.images, side**2, generator=generator, dtype=torch.float64)
    draw, bound = uniform(noise.shape), (1 + config.observed) / 2
    fitted, test = draw < config.observed, draw >= bound
    masks = tuple(m.double() for m in (fitted, ~(fitted | test), test))
    start = {"codes": uniform(shape), "parts": uniform(bars.shape)}
    return Data(codes @ bars + config.noise * noise, masks, bars), start


def error(factors: Factors, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the mean squared error of the pixels in a mask."""
    return (mask * (factors["codes"] @ factors["parts"] - x)).square().sum() / mask.sum()


def objective(
    factors: Factors, x: torch.Tensor, mask: torch.Tensor, ridge: torch.Tensor
) -> torch.Tensor:
    """Return the smooth part of the training objective."""
    return (error(factors, x, mask) * mask.sum() + ridge * factors["parts"].square().sum()) / 2


def fit(penalties: torch.Tensor, data: Data, start: Factors, *, rtol: float = 1e-6) -> Factors:
    """Return the factors, a differentiable function of the logarithms of both penalties."""
    sparse, ridge = penalties.exp()
    return torchopt.minimize(
        objective,
        start,
        (data.x, data.masks[0], ridge),
        prox={"codes": torchopt.prox.NonNegativeLasso(sparse), "parts": None},
        subject_to={"codes": None, "parts": torchopt.sets.Box(0.0, 1.0)},
        solver=torchopt.solver.BlockCoordinateDescent(rtol=rtol, maxiter=20000),
        diff=torchopt.diff.Implicit(linear_solve=torchopt.linear_solve.Dense()),
    ).params


def search(config: Config, data: Data, start: Factors) -> tuple[torch.Tensor, Factors]:
    """Return all pairs of penalties of the grid, as logarithms, and the factors that they lead to."""
    values = torch.logspace(-2, 0, config.grid, dtype=torch.float64).log()
    grid = torch.cartesian_prod(values, values)
    with torch.no_grad():
        return grid, vmap(lambda penalties: fit(penalties, data, start, rtol=1e-4))(grid)


def descend(
    config: Config, data: Data, start: Factors, report: Report
) -> tuple[torch.Tensor, Factors, list[list[float]]]:
    """Return penalties found by the gradient of the held-out error, the factors, and all penalties."""
    penalties = torch.tensor([0.1, 0.1], dtype=torch.float64).log().requires_grad_()
    optimizer = torch.optim.Adam([penalties], lr=config.lr, betas=(0.8, 0.99))
    factors, way = start, []
    with report.progress("hypergradient", config.steps) as advance:
        for _ in range(config.steps):
            factors = fit(penalties, data, factors)
            way.append(penalties.detach().exp().tolist())
            value = error(factors, data.x, data.masks[1])
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
            factors = {name: part.detach() for name, part in factors.items()}  # the next start
            advance(f"held-out error {value.item():.4f}")
    penalties = penalties.detach()
    return penalties, fit(penalties, data, factors), way


def likeness(parts: torch.Tensor, bars: torch.Tensor) -> torch.Tensor:
    """Return for each bar the cosine of its angle with the nearest part."""
    return torch.cosine_similarity(bars[:, None], parts, dim=2).amax(1)


def run(config: Config, report: Report = Report()) -> dict[str, tuple[float, float]]:
    """Find penalties by a grid and by their gradient; return the held-out and test error of each."""
    data, start = make_data(config)
    grid, fits = search(config, data, start)
    errors = vmap(lambda factors: error(factors, data.x, data.masks[1]))(fits)
    best, few = errors.argmin(), {name: part[0] for name, part in fits.items()}
    penalties, factors, way = descend(config, data, start, report)
    points = {
        "smallest of the grid": (1, grid[0], few),
        "best of the grid": (len(grid), grid[best], {k: v[best] for k, v in fits.items()}),
        "hypergradient": (config.steps + 1, penalties, factors),
    }
    result: dict[str, tuple[float, float]] = {}
    rows = []
    for name, (number, point, at) in points.items():
        held_out, test = (error(at, data.x, mask).item() for mask in data.masks[1:])
        result[name] = held_out, test
        found = (likeness(at["parts"], data.bars) > 0.9).sum().item()
        numbers = (f"{value:.4f}" for value in (*point.exp().tolist(), *result[name]))
        rows.append((name, f"{number}", *numbers, f"{found} of {len(data.bars)}"))
    columns = ("penalties", "fits", "L1", "ridge", "held-out error", "test error", "bars found")
    report.table("factorization", columns, rows)
    report.picture("parts", draw(config, {name: at for name, (_, _, at) in points.items()}))
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes, values = figure.subplots(), grid[:: config.grid, 0].exp()
    surface = errors.view(config.grid, -1)
    levels = axes.contourf(*(t.numpy() for t in (values, values, surface.mT)), 20, cmap="Greys")
    figure.colorbar(levels, label="held-out error")
    axes.plot(*zip(*way, strict=True), "C1.-", label="hypergradient")
    axes.plot(*grid[best].exp().tolist(), "C0o", label="best of the grid")
    axes.set(xscale="log", yscale="log", xlabel="L1 penalty of codes", ylabel="ridge of parts")
    axes.legend()
    report.picture("penalties", figure)
    return result


def draw(config: Config, fits: dict[str, Factors]) -> Figure:
    """Draw the parts of each fit in a row."""
    figure = Figure(figsize=(1.8 * config.side, 3.6), layout="constrained")
    table = figure.subplots(len(fits), 2 * config.side)
    for line, (name, factors) in zip(table, fits.items(), strict=True):
        line[0].set_title(name, loc="left", fontsize=9)
        for axes, part in zip(line, factors["parts"], strict=True):
            axes.imshow(part.view(config.side, -1).numpy(), cmap="gray_r", vmin=0, vmax=1)
            axes.axis("off")
    return figure


PRESETS = {
    "quick": Config(side=3, images=40, grid=3, steps=6),
    "default": Config(),
    "full": Config(side=6, images=200, grid=7, steps=20),
}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())
