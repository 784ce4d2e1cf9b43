"""Draw and explain gradient graphs: of MAML, of an implicit problem and of a problem of three levels.

Each is written as a picture (SVG) and as a page that opens in a browser (HTML); what the graph holds
alive, and what the gradient of each input is, is printed. It needs no extra.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.func import functional_call

import torchopt
from torchopt.visual import GradGraph, explain, record

__all__ = ["PROBLEMS", "Problem", "main"]


@dataclass(frozen=True)
class Problem:
    """A problem of several levels, computed once.

    Attributes:
        loss: The loss of the outermost level.
        inputs: What it is differentiated with respect to, by name.
    """

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


def main(argv: Sequence[str] | None = None) -> int:
    """Draw and explain each problem; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m torchopt.examples graph",
        description="Draw and explain the gradient graphs of problems of several levels.",
    )
    parser.add_argument("--out", type=Path, default=Path("runs/graph"), help="where to write")
    parser.add_argument("--seed", type=int, default=0, help="of the data and the networks")
    options = parser.parse_args(argv)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, build in PROBLEMS.items():
        torch.manual_seed(options.seed)
        with record() as recording:  # the lines that made each operation
            problem = build()
        graph = GradGraph(problem.loss, problem.inputs, gradients=True)
        graph.to_svg(options.out / f"{name}.svg")
        graph.to_html(options.out / f"{name}.html")
        print(f"== {name}: {_first_line(build)}\n")
        print(f"{graph.summary()}\n\n{graph.memory()}\n")
        print(f"{explain(problem.loss, problem.inputs, recording=recording)}\n")
    print(f"{options.out}: {', '.join(sorted(path.name for path in options.out.iterdir()))}")
    return 0


def _first_line(function: Callable[..., Any]) -> str:
    return (function.__doc__ or "").splitlines()[0]
