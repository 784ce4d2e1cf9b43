"""Gradient graphs: draw and explain what a meta-gradient flows through, for three problems.

Each graph is written as a picture (SVG) and as a page that opens in a browser (HTML). What the graph
keeps in memory, and which inputs the gradient reaches, is printed. :class:`torchopt.visual.GradGraph`
finds inner steps in autograd's graph, :func:`torchopt.visual.explain` says where a gradient is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import torch
from torch import nn
from torch.func import functional_call

import torchopt
from examples.tools.command import command
from examples.tools.report import Report
from torchopt.visual import GradGraph, explain, record


@dataclass(frozen=True)
class Config:
    """The settings of a run."""

    seed: Annotated[int, "of the data and the networks"] = 0
    threads: Annotated[int, "CPU threads"] = 1


class Problem(NamedTuple):
    """The loss of the outermost level, and what it is differentiated by, by name."""

    loss: torch.Tensor
    inputs: dict[str, Any]


def maml(steps: int = 5) -> Problem:
    """MAML: a network's start, and the learning rate of its adaptation to a sine wave."""
    net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))
    start = dict(net.named_parameters())
    lr = torch.tensor(0.05, requires_grad=True)
    x, query = torch.rand(10, 1) * 6, torch.rand(10, 1) * 6
    optimizer = torchopt.MetaSGD(net, lr=lr)
    for _ in range(steps):
        optimizer.step(nn.functional.mse_loss(net(x), x.sin()))
    return Problem(nn.functional.mse_loss(net(query), query.sin()), {"net": start, "lr": lr})


def implicit(features: int = 6) -> Problem:
    """One penalty for each weight of a regression, by the condition that its solution meets."""
    X, X_val = torch.randn(20, features), torch.randn(20, features)
    truth = torch.linspace(0, 1, features).round()
    y, y_val = X @ truth + 0.1 * torch.randn(20), X_val @ truth + 0.1 * torch.randn(20)
    log_penalty = torch.zeros(features, requires_grad=True)

    def objective(w: torch.Tensor, penalty: torch.Tensor) -> torch.Tensor:
        return (X @ w - y).square().mean() + (penalty * w.square()).sum()

    solution = torchopt.minimize(
        objective,
        torch.zeros(features),
        (log_penalty.exp(),),
        solver=torchopt.solver.LBFGS(),
        diff=torchopt.diff.Implicit(),
    )
    loss = (X_val @ solution.params - y_val).square().mean()
    return Problem(loss, {"log_penalty": log_penalty})


def trilevel(outer_steps: int = 2, inner_steps: int = 3) -> Problem:
    """Three levels: weights within importances of examples within how these are learned.

    Weights descend the training loss, in which each example counts by its importance; importances
    descend the validation loss of these weights; the test loss is differentiated with respect to
    where the importances start, and to the learning rate of the weights.
    """
    net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
    start = dict(net.named_parameters())
    train, validation, test = ((torch.randn(12, 3), torch.randn(12, 1)) for _ in range(3))
    importance = torch.zeros(12, 1, requires_grad=True)
    lr = torch.tensor(0.1, requires_grad=True)

    def loss_of(params: Any, data: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        x, y = data
        return (functional_call(net, params, (x,)) - y).square()

    def weights(scores: torch.Tensor) -> Any:
        return torchopt.minimize(
            lambda params: (scores.sigmoid() * loss_of(params, train)).mean(),
            start,
            solver=torchopt.sgd(lr),
            steps=inner_steps,
        ).params

    scores = torchopt.minimize(
        lambda scores: loss_of(weights(scores), validation).mean(),
        importance,
        solver=torchopt.sgd(1.0),
        steps=outer_steps,
    ).params
    loss = loss_of(weights(scores), test).mean()
    return Problem(loss, {"net": start, "importance": importance, "lr": lr})


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "maml": maml,
    "implicit": implicit,
    "trilevel": trilevel,
}


def run(config: Config, report: Report = Report()) -> dict[str, GradGraph]:
    """Return the graph of each problem; write and explain it."""
    graphs = {}
    for name, build in PROBLEMS.items():
        torch.manual_seed(config.seed)
        with record() as recording:  # the lines that made each operation
            loss, inputs = build()
        graph = graphs[name] = GradGraph(loss, inputs, gradients=True)
        if report.folder is not None:
            graph.to_svg(report.folder / f"{name}.svg")
            graph.to_html(report.folder / f"{name}.html")
        title = f"== {name}: {(build.__doc__ or '').splitlines()[0]}"
        why = explain(loss, inputs, recording=recording)
        text = "\n\n".join([title, graph.summary(), f"{why}\n"])
        report.console.print(text, markup=False, highlight=False, soft_wrap=True)
    return graphs


PRESETS = {"quick": Config(), "default": Config()}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())
