r"""Implicit differentiation: learn a penalty for every weight by the gradient of the validation loss.

A grid search can afford one penalty for all weights. Here each weight of a logistic regression has its
own, and gradient descent on the validation loss finds all of them:

.. math::
    \min_\lambda\; \ell(w^*(\lambda); \text{validation}) \quad\text{with}\quad w^*(\lambda)
    = \arg\min_w\, \ell(w; \text{train}) + \tfrac12 \sum_i e^{\lambda_i} w_i^2

The implicit function theorem gives the gradient in all penalties for one linear solve, however
:math:`w^*` was found (Lorraine, Vicol and Duvenaud, *Optimizing Millions of Hyperparameters by Implicit
Differentiation*, 2020).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import torch
from matplotlib.figure import Figure
from torch.nn.functional import binary_cross_entropy_with_logits

import torchopt
from examples.tools.command import command
from examples.tools.report import Report


@dataclass(frozen=True)
class Config:
    """Settings; the command line's options."""

    features: Annotated[int, "inputs of the logistic regression"] = 60
    relevant: Annotated[int, "how many of them matter"] = 6
    examples: Annotated[int, "to train on; four times as many to choose penalties by"] = 100
    start: Annotated[float, "every penalty at the start"] = 0.02
    steps: Annotated[int, "of the outer optimizer"] = 40
    lr: Annotated[float, "its learning rate, on logarithms of penalties"] = 0.2
    grid: Annotated[int, "points of the grid search, from 1e-3 to 1"] = 25
    seed: Annotated[int, "of the data"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        if self.relevant > self.features:
            raise ValueError(f"`relevant` is {self.relevant}, but `features` is {self.features}.")


Data = tuple[torch.Tensor, torch.Tensor]  # inputs, and classes 0 and 1


def make_data(config: Config) -> list[Data]:
    """Return training, validation and test data; most inputs are noise."""
    generator = torch.Generator().manual_seed(config.seed)
    truth = torch.zeros(config.features, dtype=torch.float64)
    signs = (-1.0) ** torch.arange(config.relevant)
    truth[: config.relevant] = torch.linspace(1.0, 3.0, config.relevant) * signs
    parts = []
    for count in (config.examples, 4 * config.examples, 4000):
        x = torch.randn(count, config.features, generator=generator, dtype=torch.float64)
        parts.append((x, torch.bernoulli((x @ truth).sigmoid(), generator=generator)))
    return parts


def loss(w: torch.Tensor, data: Data) -> torch.Tensor:
    """Return the mean loss of logistic regression."""
    return binary_cross_entropy_with_logits(data[0] @ w, data[1])


def objective(w: torch.Tensor, log_penalties: torch.Tensor, data: Data) -> torch.Tensor:
    """Return what training minimizes."""
    return loss(w, data) + 0.5 * (log_penalties.exp() * w.square()).sum()


def fit(log_penalties: torch.Tensor, data: Data, start: torch.Tensor) -> torch.Tensor:
    """Train to convergence; the weights are a differentiable function of the penalties."""
    return torchopt.minimize(
        objective,
        start,
        (log_penalties, data),
        solver=torchopt.solver.LBFGS(rtol=0.0, atol=1e-9, maxiter=2000),
        diff=torchopt.diff.Implicit(linear_solve=torchopt.linear_solve.CG(rtol=1e-6)),
    ).params


def descend(
    config: Config, parts: list[Data], report: Report
) -> tuple[torch.Tensor, list[list[float]]]:
    """Return penalties found by the gradient of the validation loss, and the losses at each step."""
    train, validation, _ = parts
    w, history = torch.zeros(config.features, dtype=torch.float64), []
    log_penalties = torch.full_like(w, config.start).log().requires_grad_()
    optimizer = torch.optim.Adam([log_penalties], lr=config.lr)
    with report.progress("hypergradient", config.steps + 1) as advance:
        for _ in range(config.steps + 1):
            # From the last solution: the gradient does not depend on the way to the new one.
            w = fit(log_penalties, train, start=w.detach())
            penalties = log_penalties.detach().exp()
            history.append([loss(w, data).item() for data in parts])
            optimizer.zero_grad()
            loss(w, validation).backward()
            optimizer.step()
            advance(f"validation loss {history[-1][1]:.3f}")
    return penalties, history


def grid_search(config: Config, parts: list[Data]) -> tuple[float, list[float]]:
    """Return the best single penalty for all weights, and its losses."""
    start, losses = torch.zeros(config.features, dtype=torch.float64), {}
    for penalty in torch.logspace(-3, 0, config.grid, dtype=torch.float64):
        w = fit(penalty.log().expand(config.features), parts[0], start)
        losses[penalty.item()] = [loss(w, data).item() for data in parts]
    return min(losses.items(), key=lambda item: item[1][1])


def run(config: Config, report: Report = Report()) -> dict[str, list[float]]:
    """Find penalties by their gradient and over a grid; return the losses of each."""
    parts = make_data(config)
    shared, best = grid_search(config, parts)
    penalties, history = descend(config, parts, report)
    result = {"the start": history[0], "best of the grid": best, "hypergradient": history[-1]}
    rows = [(name, *(f"{value:.4f}" for value in losses)) for name, losses in result.items()]
    report.table("loss", ("penalties", "train", "validation", "test"), rows)

    figure = Figure(figsize=(9, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    for part, name, style in ((1, "validation", "-"), (2, "test", "--")):
        left.plot([each[part] for each in history], f"C0{style}", label=f"hypergradient, {name}")
        left.axhline(best[part], color="C1", ls=style, label=f"grid, {name}")
    left.set(xlabel="outer step", ylabel="loss")
    right.bar(range(1, config.features + 1), penalties.numpy())
    right.axhline(shared, color="C1")
    right.set(yscale="log", xlabel=f"input (1 to {config.relevant} matter)", ylabel="penalty")
    left.legend(fontsize=8)
    report.picture("penalties", figure)
    return result


PRESETS = {
    "quick": Config(features=30, steps=20, grid=9, lr=0.4),
    "default": Config(),
    "full": Config(features=200, relevant=10, examples=200, steps=150, lr=0.1, grid=49),
}

main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())
