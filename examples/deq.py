"""DEQ: classify digits by a network whose only layer is applied until nothing changes.

The layer's output is its fixed point, ``z = T(z, x, w)``, found by any solver. The backward pass is
one linear equation there, ``dL/dw = dL/dz (I - dT/dz)^-1 dT/dw``, so its memory does not depend on
the number of solver steps (Bai, Kolter and Koltun, *Deep Equilibrium Models*, 2019, theorem 1).
GMRES solves it, as dT/dz is not symmetric. The Jacobian-free gradient replaces the inverse by the
identity (Fung et al., *JFB: Jacobian-Free Backpropagation for Implicit Networks*, 2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import torch
from matplotlib.figure import Figure
from torch import nn
from torch.nn.functional import conv2d, cross_entropy

import torchopt
from examples.tools.command import command
from examples.tools.digits import Data, draw_digits, split_digits
from examples.tools.memory import saved_bytes
from examples.tools.pictures import draw_lines
from examples.tools.report import Report
from torchopt.diff import DifferentiationMode, Explicit, Implicit
from torchopt.linear_solve import GMRES, JacobianFree
from torchopt.solver import Anderson, FixedPointIteration

MODES: dict[str, DifferentiationMode] = {
    "Jacobian-free": Implicit(linear_solve=JacobianFree()),
    "exact (GMRES)": Implicit(linear_solve=GMRES(rtol=1e-3)),
}
STEPS = (10, 100, 1000)


@dataclass(frozen=True)
class Config:
    """The settings of a run."""

    channels: Annotated[int, "of the equilibrium"] = 16
    contraction: Annotated[float, "bound on the layer's slope in z, below one"] = 0.9
    atol: Annotated[float, "on the norm of T(z) - z, of a batch"] = 1e-2
    epochs: Annotated[int, "passes over the training images"] = 30
    batch: Annotated[int, "images in a step"] = 128
    lr: Annotated[float, "Adam's learning rate; it falls along a straight line"] = 0.01
    seed: Annotated[int, "of the split, the batches and the start"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        if self.contraction >= 1:
            raise ValueError(f"`contraction` is {self.contraction}: use a number below one.")
        if self.batch > 1297:
            raise ValueError(f"`batch` is {self.batch}, but there are 1297 images to train on.")


class Result(NamedTuple):
    """Accuracy and losses for each gradient, and bytes kept for each number of solver steps."""

    accuracy: dict[str, float]
    losses: dict[str, list[float]]
    kept: dict[str, list[int]]


def layer(z: torch.Tensor, weight: torch.Tensor, injected: torch.Tensor) -> torch.Tensor:
    """Return the layer's output, of the shape of ``z``; the network's output is its fixed point."""
    return (conv2d(z, weight, padding=1) + injected).relu()


class Classifier(nn.Module):
    """An equilibrium of one convolution, and a linear classifier of it."""

    def __init__(self, config: Config, diff: DifferentiationMode) -> None:
        super().__init__()
        self.contraction = config.contraction
        self.inject = nn.Conv2d(1, config.channels, 3, padding=1)
        self.recur = nn.Conv2d(config.channels, config.channels, 3, padding=1, bias=False)
        self.head = nn.Linear(64 * config.channels, 10)
        # With `batch_dims=0` a batch is one vector, with one tolerance for all its images.
        solver = Anderson(rtol=0.0, atol=config.atol)
        self.equilibrium = torchopt.nn.Equilibrium(layer, batch_dims=0, solver=solver, diff=diff)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the logits of images, which are rows of 64 numbers."""
        injected, weight = self.inject(x.view(-1, 1, 8, 8)), self.recur.weight
        # Bounded row sums make the layer a contraction, so there is exactly one equilibrium.
        size = weight.abs().sum((1, 2, 3), keepdim=True)
        weight = weight * (self.contraction / size.clamp_min(self.contraction))
        z = self.equilibrium(torch.zeros_like(injected), weight, injected)
        return self.head(z.flatten(1))


def train(model: Classifier, config: Config, data: Data, report: Report, name: str) -> list[float]:
    """Train a network; return the loss at each step."""
    optimizer = torch.optim.Adam(model.parameters(), config.lr)
    steps = config.epochs * (len(data.y) // config.batch)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, steps)
    generator = torch.Generator().manual_seed(config.seed)
    losses = []
    with report.progress(name, steps) as advance:
        for _ in range(config.epochs):
            order = torch.randperm(len(data.y), generator=generator)
            for batch in order.split(config.batch)[: steps // config.epochs]:
                loss = cross_entropy(model(data.x[batch]), data.y[batch])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()
                losses.append(loss.item())
                advance(f"loss {losses[-1]:.3f}")
    return losses


def run(config: Config, report: Report = Report()) -> Result:
    """Train with both gradients, and count what the backward pass needs."""
    test, data = split_digits(config.seed, 500)
    result = Result({}, {}, {})
    for name, diff in MODES.items():
        torch.manual_seed(config.seed)  # the same start for each mode
        model = Classifier(config, diff)
        result.losses[name] = train(model, config, data, report, name)
        with torch.no_grad():
            guesses = model(test.x).argmax(1)
        result.accuracy[name] = (guesses == test.y).double().mean().item()
    report.picture("predictions", draw_digits(test, guesses))
    rows = [(name, f"{100 * value:.2f} %") for name, value in result.accuracy.items()]
    report.table(f"accuracy on {len(test.y)} held-out digits", ("gradient", "accuracy"), rows)
    for name, diff in {"implicit": MODES["exact (GMRES)"], "unrolled": Explicit()}.items():
        model, result.kept[name] = Classifier(config, diff), []
        for steps in STEPS:
            solver = FixedPointIteration(rtol=0.0, maxiter=steps, on_failure="ignore")
            model.equilibrium.solver = solver
            result.kept[name].append(saved_bytes(model, data.x[:16]))
    sizes = [(name, *(f"{n / 2**20:.2f} MiB" for n in kept)) for name, kept in result.kept.items()]
    columns = ("solver steps", *map(str, STEPS))
    report.table("kept for the backward pass of 16 images", columns, sizes)
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_lines(left, result.losses, xlabel="step", ylabel="training loss", yscale="log")
    draw_lines(right, result.kept, STEPS, style="o-", xscale="log", yscale="log")
    right.set(xlabel="solver steps", ylabel="bytes kept for the backward pass")
    report.picture("training_and_memory", figure)
    return result


PRESETS = {"quick": Config(epochs=10), "default": Config(), "full": Config(channels=48, epochs=60)}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())
