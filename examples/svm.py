r"""Support vector machine: its penalty and kernel width by the gradient of the validation loss.

The dual problem of a support vector machine with kernel :math:`K` and labels :math:`y = \pm 1` is a
quadratic program,

.. math:: \min_\alpha \; \tfrac12 \alpha^\top (y y^\top \circ K) \alpha - \mathbf 1^\top \alpha
          \quad\text{subject to}\quad 0 \le \alpha \le C, \; y^\top \alpha = 0,

whose multiplier of the equality is the intercept. The machine is a differentiable function of
:math:`C` and of the width of the kernel, which are learned together (Chapelle, Vapnik, Bousquet and
Mukherjee, *Choosing Multiple Parameters for Support Vector Machines*, 2002).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import torch
from matplotlib.figure import Figure
from torch.nn.functional import softplus

import torchopt
from examples.tools.command import command
from examples.tools.report import Report


@dataclass(frozen=True)
class Config:
    """Settings; the command line's options."""

    examples: Annotated[int, "to train on, and as many for the validation"] = 120
    noise: Annotated[float, "standard deviation, of two half circles of radius one"] = 0.45
    steps: Annotated[int, "of the outer optimizer"] = 40
    lr: Annotated[float, "its learning rate, on logarithms"] = 0.3
    grid: Annotated[int, "values of the penalty, and of the width"] = 9
    seed: Annotated[int, "of the data"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1


Data = tuple[torch.Tensor, torch.Tensor]  # points, and labels -1 and 1


def make_data(config: Config) -> list[Data]:
    """Return training, validation and test data: two half moons."""
    generator, parts = torch.Generator().manual_seed(config.seed), []
    for count in (config.examples, config.examples, 4000):
        label = torch.arange(count, dtype=torch.float64) % 2 * 2 - 1
        angle = torch.pi * torch.rand(count, generator=generator, dtype=torch.float64)
        moon = torch.stack([label * angle.cos() + label / 2, label * (angle.sin() - 0.25)], 1)
        noise = torch.randn(count, 2, generator=generator, dtype=torch.float64)
        parts.append((moon + config.noise * noise, label))
    return parts


def kernel(a: torch.Tensor, b: torch.Tensor, width: torch.Tensor) -> torch.Tensor:
    """Return ``exp(-|a - b|² / 2 width²)`` for all pairs of points."""
    return (-(a[:, None] - b).square().sum(2) / (2 * width.square())).exp()


def decide(settings: torch.Tensor, train: Data, points: torch.Tensor) -> torch.Tensor:
    """Return the machine's decision function at some points.

    Args:
        settings: The logarithms of the penalty and of the kernel's width.
        train: The data to train on.
        points: Where.
    """
    (penalty, width), (x, y) = settings.exp(), train
    eye, one = torch.eye(len(y), dtype=y.dtype), torch.ones_like(y)
    solution = torchopt.quadratic_program(
        y[:, None] * y * kernel(x, x, width) + 1e-10 * eye,
        -one,
        G=torch.cat([eye, -eye]),
        h=torch.cat([penalty * one, 0 * one]),
        A=y[None],
        b=y.new_zeros(1),
        # Where a point changes to or from its margin, the derivative of one side will do.
        solver=torchopt.solver.InteriorPoint(on_failure="ignore"),
    )
    assert isinstance(solution.stats, torchopt.diff.QuadraticStats)
    return kernel(points, x, width) @ (y * solution.params) + solution.stats.equality_duals


def loss(settings: torch.Tensor, train: Data, data: Data) -> torch.Tensor:
    """Return the mean logistic loss of the decisions on other data."""
    return softplus(-data[1] * decide(settings, train, data[0])).mean()


def run(config: Config, report: Report = Report()) -> dict[str, tuple[float, float]]:
    """Find settings over a grid and by their gradient; return validation loss and test accuracy."""
    train, validation, test = make_data(config)
    ranges = (-2.0, 5.0), (-1.5, 1.5)  # of the logarithms
    grid = torch.cartesian_prod(*(torch.linspace(*r, config.grid).double() for r in ranges))
    losses = []
    with torch.no_grad(), report.progress("grid", len(grid)) as advance:
        for point in grid:
            losses.append(loss(point, train, validation).item())
            advance(f"validation loss {losses[-1]:.4f}")
    settings, way = torch.zeros(2, dtype=torch.float64, requires_grad=True), []
    optimizer = torch.optim.Adam([settings], config.lr, betas=(0.7, 0.99))
    with report.progress("hypergradient", config.steps) as advance:
        for _ in range(config.steps):
            value = loss(settings, train, validation)
            way.append((value.item(), settings.detach().clone()))
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
            advance(f"validation loss {value.item():.4f}")
    found = {
        "best of the grid": (len(grid), grid[int(torch.tensor(losses).argmin())]),
        "hypergradient": (config.steps, min(way, key=lambda each: each[0])[1]),
    }
    result, rows = {}, []
    for name, (number, point) in found.items():
        right = (decide(point, train, test[0]) * test[1] > 0).double().mean().item()
        result[name] = loss(point, train, validation).item(), right
        C, width = (f"{value:.3f}" for value in point.exp().tolist())
        rows.append((name, f"{number}", C, width, f"{result[name][0]:.4f}", f"{right:.1%}"))
    columns = ("settings", "fits", "C", "width", "validation loss", "test accuracy")
    report.table("support vector machine", columns, rows)
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes, side = figure.subplots(), torch.linspace(-3, 3, 80, dtype=torch.float64)
    plane = torch.cartesian_prod(side, side)
    surface = decide(found["hypergradient"][1], train, plane).view(80, 80).mT.numpy()
    axes.contour(side.numpy(), side.numpy(), surface, levels=[-1, 0, 1], colors="grey")
    for label in (-1, 1):
        axes.plot(*train[0][train[1] == label].mT.numpy(), ".", label=f"label {label}")
    axes.set(title="decision and margins with the learned settings", aspect="equal")
    axes.legend()
    report.picture("svm", figure)
    return result


PRESETS = {
    "quick": Config(examples=40, steps=12, grid=5),
    "default": Config(),
    "full": Config(examples=300, grid=15, steps=40),
}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())
