"""Two inner problems: training with penalties that are to be found.

In both, most inputs are noise and the examples are few, so that how strongly each weight is held
back matters, and one penalty for all weights is a compromise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits

from torchopt.nn import functional_call

__all__ = ["Data", "InnerProblem", "logistic_regression", "network"]

Params = dict[str, torch.Tensor]
Data = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class InnerProblem:
    """Training with penalties: ``loss(params, train) + 1/2 sum_i exp(log_penalties[i]) |w_i|^2``.

    Attributes:
        name: What is trained.
        outputs: ``outputs(params, x)`` returns logits.
        squares: ``squares(params)`` returns ``|w_i|^2`` of each group that has a penalty.
        labels: The name of each group.
        start: Where training starts.
        train: Examples to train on.
        validation: Examples to choose the penalties by.
        test: Examples that nobody chooses by.
    """

    name: str
    outputs: Callable[[Params, torch.Tensor], torch.Tensor]
    squares: Callable[[Params], torch.Tensor]
    labels: list[str]
    start: Params
    train: Data
    validation: Data
    test: Data

    def loss(self, params: Params, data: Data) -> torch.Tensor:
        """Return the mean loss on some examples."""
        x, y = data
        return binary_cross_entropy_with_logits(self.outputs(params, x), y)

    def objective(self, params: Params, log_penalties: torch.Tensor) -> torch.Tensor:
        """Return what training minimizes."""
        penalty = 0.5 * (log_penalties.exp() * self.squares(params)).sum()
        return self.loss(params, self.train) + penalty


def logistic_regression(*, features: int, relevant: int, examples: int, seed: int) -> InnerProblem:
    """Return logistic regression with one penalty for each feature.

    Args:
        features: The number of inputs.
        relevant: How many of them, the first, have to do with the class.
        examples: The number of examples to train on.
        seed: Of the data.
    """
    generator = torch.Generator().manual_seed(seed)
    truth = torch.zeros(features, dtype=torch.float64)
    truth[:relevant] = torch.linspace(1.0, 3.0, relevant) * (-1.0) ** torch.arange(relevant)

    def sample(count: int) -> Data:
        x = torch.randn(count, features, generator=generator, dtype=torch.float64)
        return x, torch.bernoulli((x @ truth).sigmoid(), generator=generator)

    return InnerProblem(
        name="logistic regression",
        outputs=lambda params, x: x @ params["weight"],
        squares=lambda params: params["weight"].square(),
        labels=[f"feature {i + 1}" for i in range(features)],
        start={"weight": torch.zeros(features, dtype=torch.float64)},
        train=sample(examples),
        validation=sample(4 * examples),
        test=sample(4000),
    )


def network(*, features: int, relevant: int, examples: int, width: int, seed: int) -> InnerProblem:
    """Return a network of two hidden layers with one weight decay for each parameter tensor.

    Args:
        features: The number of inputs.
        relevant: How many of them have to do with the class.
        examples: The number of examples to train on.
        width: Of the hidden layers.
        seed: Of the data and of the network's start.
    """
    generator = torch.Generator().manual_seed(seed + 1)

    def sample(count: int) -> Data:
        x = torch.randn(count, features, generator=generator, dtype=torch.float64)
        score = (x[:, :relevant].square().sum(-1) - relevant) * 2.0
        return x, torch.bernoulli(score.sigmoid(), generator=generator)

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = nn.Sequential(
            nn.Linear(features, width),
            nn.Tanh(),
            nn.Linear(width, width),
            nn.Tanh(),
            nn.Linear(width, 1),
        ).double()
    start = {name: p.detach() for name, p in net.named_parameters()}
    return InnerProblem(
        name="network",
        outputs=lambda params, x: functional_call(net, params, x).squeeze(-1),
        squares=lambda params: torch.stack([p.square().sum() for p in params.values()]),
        labels=list(start),
        start=start,
        train=sample(examples),
        validation=sample(4 * examples),
        test=sample(4000),
    )
