r"""UPGrad: one step that makes no task worse, by a quadratic program for each of 64 tasks.

Gradients of tasks, the rows of :math:`J`, conflict where their products are negative, and then their
mean makes some task worse. UPGrad projects each gradient onto the cone of directions that conflict
with no task, and takes the mean of the projections:

.. math:: \tfrac1m \sum_i J^\top v_i, \qquad
          v_i = \arg\min_{v \ge e_i} \; \tfrac12 v^\top J J^\top v

(Quinton and Rey, *Jacobian Descent for Multi-Objective Optimization*, 2024, section 3). All quadratic
programs of a step are one batch, which shares the matrix of the products.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated

import torch

import torchopt
from examples.tools.command import command
from examples.tools.pictures import line_figure
from examples.tools.report import Report


@dataclass(frozen=True)
class Config:
    """Settings; the command line's options."""

    tasks: Annotated[int, "regressions that share all weights"] = 64
    features: Annotated[int, "inputs of the regressions"] = 400
    examples: Annotated[int, "of a task"] = 5
    spread: Annotated[float, "how much the scales of tasks differ, in powers of ten"] = 1.0
    steps: Annotated[int, "of gradient descent"] = 50
    lr: Annotated[float, "length of a step, over that for the largest curvature of a task"] = 0.5
    seed: Annotated[int, "of the data"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1


def upgrad_weights(gramian: torch.Tensor) -> torch.Tensor:
    """Return the weight of each task's gradient.

    Args:
        gramian: The products of all pairs of gradients, ``(tasks, tasks)``.
    """
    eye = torch.eye(len(gramian), dtype=gramian.dtype)
    scaled = gramian / gramian.diagonal().mean()  # the weights are the same
    solver = torchopt.solver.InteriorPoint(on_failure="ignore")  # no derivative is asked for
    v = torchopt.quadratic_program(
        scaled, torch.zeros_like(scaled), G=-eye, h=-eye, solver=solver
    ).params
    return v.mean(0)


def mean_weights(gramian: torch.Tensor) -> torch.Tensor:
    """Return the same weight for each task."""
    return torch.full_like(gramian[0], 1 / len(gramian))


def make_tasks(config: Config) -> tuple[torch.Tensor, torch.Tensor]:
    """Return inputs and targets of each task: weights of its own, and targets of its own scale."""
    generator = torch.Generator().manual_seed(config.seed)
    normal = partial(torch.randn, generator=generator, dtype=torch.float64)
    x = normal(config.tasks, config.examples, config.features)
    truth = normal(config.tasks, config.features, 1)
    exponent = torch.rand(config.tasks, 1, 1, generator=generator, dtype=torch.float64)
    scale = 10 ** (config.spread * exponent)
    return x, scale * (x @ truth)


def losses(w: torch.Tensor, tasks: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """Return half of the mean squared error of each task."""
    return (tasks[0] @ w - tasks[1].squeeze(-1)).square().mean(1) / 2


def run(config: Config, report: Report = Report()) -> dict[str, tuple[float, float]]:
    """Descend in both ways; return how often a step made a task worse, and the mean loss."""
    tasks = make_tasks(config)
    curvature = torch.linalg.matrix_norm(tasks[0], 2).square().max() / config.examples
    start = losses(torch.zeros_like(tasks[0][0, 0]), tasks)
    result, rows, worse = {}, [], {}
    for name, weights in (("mean", mean_weights), ("UPGrad", upgrad_weights)):
        w, history = torch.zeros_like(tasks[0][0, 0]), [start]
        with report.progress(name, config.steps) as advance:
            for _ in range(config.steps):
                jacobian = torch.func.jacrev(losses)(w, tasks)
                direction = weights(jacobian @ jacobian.mT) @ jacobian
                w = w - config.lr / curvature * direction
                history.append(losses(w, tasks))
                advance(f"mean loss {history[-1].mean().item():.3f}")
        worse[name] = (torch.stack(history).diff(dim=0) > 0).double().mean(1)
        share = history[-1] / start
        result[name] = worse[name].mean().item(), share.mean().item()
        numbers = (f"{result[name][0]:.1%}", f"{share.mean():.3f}", f"{share.max():.3f}")
        rows.append((name, *numbers))
    columns = ("direction", "steps that make a task worse", "mean of loss / first loss", "largest")
    report.table(f"{config.tasks} tasks", columns, rows)
    curves = {name: values.tolist() for name, values in worse.items()}
    report.picture("upgrad", line_figure(curves, xlabel="step", ylabel="tasks made worse"))
    return result


PRESETS = {
    "quick": Config(tasks=16, features=100, steps=20),
    "default": Config(),
    "full": Config(tasks=256, features=1600),
}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())
