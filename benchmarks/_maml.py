"""The few-shot problems that all contenders solve.

It needs torch alone, so that every environment can import it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, mse_loss

from benchmarks._transformer import Transformer, token_loss

LEARNING_RATE = {"sgd": 0.1, "adam": 0.01}


class Task(NamedTuple):
    """Support and query examples of one task; with a leading axis, of all tasks."""

    x: Tensor
    y: Tensor
    query_x: Tensor
    query_y: Tensor


@dataclass(frozen=True)
class Problem:
    """A network, tasks, and how the inner loop runs."""

    module: nn.Module
    tasks: list[Task]
    loss: Callable[[Tensor, Tensor], Tensor]
    optimizer: str
    steps: int
    eps: float
    lr: float

    @property
    def options(self) -> dict[str, float]:
        """The optimizer's arguments after the learning rate."""
        return {"eps": self.eps} if self.optimizer == "adam" else {}

    @property
    def stacked(self) -> Task:
        """All tasks along a leading axis."""
        return Task(*map(torch.stack, zip(*self.tasks, strict=True)))


def problem(case: dict[str, Any]) -> Problem:
    """Return the problem of a case.

    The activations are smooth: at the exact zeros of a ReLU's gradient, the published Adam's
    meta-gradient is NaN, and there would be nothing to compare.
    """
    generator = torch.Generator().manual_seed(1)
    torch.manual_seed(0)
    kind = KINDS[case["model"]]
    place = {"dtype": getattr(torch, case["dtype"]), "device": case["device"]}

    def put(x: Tensor) -> Tensor:
        return x.to(**place) if x.is_floating_point() else x.to(case["device"])

    module = kind.module(case["width"]).double().to(**place)
    tasks = [Task(*map(put, kind.draw(case["shots"], generator))) for _ in range(case["tasks"])]
    eps = case.get("eps", 1e-8)
    lr = LEARNING_RATE[case["optimizer"]] * case.get("pace", 1.0)
    return Problem(module, tasks, kind.loss, case["optimizer"], case["steps"], eps, lr)


class Kind(NamedTuple):
    """A network of some width, the draw of a task from the number of its shots, and the loss."""

    module: Callable[[int], nn.Module]
    draw: Callable[[int, torch.Generator], Task]
    loss: Callable[[Tensor, Tensor], Tensor]


WAYS, QUERIES = 5, 15
TOKENS, LENGTH = 16, 32  # few tokens: each is in every task, else its root is taken at zero


def _images(shots: int, generator: torch.Generator) -> Task:
    """Draw 5 ways of 28 x 28 noise, with 15 queries a class."""

    def draw(count: int) -> tuple[Tensor, Tensor]:
        x = torch.randn(WAYS * count, 1, 28, 28, generator=generator, dtype=torch.float64)
        return x, torch.arange(WAYS).repeat(count)

    return Task(*draw(shots), *draw(QUERIES))


def _sinusoid(shots: int, generator: torch.Generator) -> Task:
    """Draw a sine of some amplitude and phase, as Finn et al. (2017), section 5.1."""

    def uniform(low: float, high: float, *shape: int) -> Tensor:
        return low + (high - low) * torch.rand(shape, generator=generator, dtype=torch.float64)

    amplitude, phase = uniform(0.1, 5.0), uniform(0.0, math.pi)
    x, query_x = uniform(-5.0, 5.0, shots, 1), uniform(-5.0, 5.0, shots, 1)
    return Task(x, amplitude * (x - phase).sin(), query_x, amplitude * (query_x - phase).sin())


def _text(shots: int, generator: torch.Generator) -> Task:
    """Draw sequences in which each token follows from the one before, up to noise."""
    follows = torch.randperm(TOKENS, generator=generator)

    def draw() -> tuple[Tensor, Tensor]:
        tokens = [torch.randint(TOKENS, (shots,), generator=generator)]
        for _ in range(LENGTH):
            noise = torch.randint(3, (shots,), generator=generator)
            tokens.append((follows[tokens[-1]] + noise) % TOKENS)
        text = torch.stack(tokens, 1)
        return text[:, :-1], text[:, 1:]

    return Task(*draw(), *draw())


def _mlp(width: int) -> nn.Module:
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(784, width),
        nn.Tanh(),
        nn.Linear(width, width),
        nn.Tanh(),
        nn.Linear(width, WAYS),
    )


def _cnn(width: int) -> nn.Module:
    channels = width // 4
    layers: list[nn.Module] = []
    for i in range(3):
        layers += [nn.Conv2d(channels if i else 1, channels, 3, stride=2, padding=1), nn.Tanh()]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(16 * channels, WAYS))


def _regressor(hidden: int) -> Callable[[int], nn.Module]:
    def make(width: int) -> nn.Module:
        layers: list[nn.Module] = [nn.Linear(1, width), nn.Tanh()]
        for _ in range(hidden - 1):
            layers += [nn.Linear(width, width), nn.Tanh()]
        return nn.Sequential(*layers, nn.Linear(width, 1))

    return make


def _transformer(width: int) -> nn.Module:
    return Transformer(width=width, blocks=2, heads=4, tokens=TOKENS, length=LENGTH)


KINDS = {
    "mlp": Kind(_mlp, _images, cross_entropy),
    "cnn": Kind(_cnn, _images, cross_entropy),
    "sinusoid": Kind(_regressor(2), _sinusoid, mse_loss),
    "deep": Kind(_regressor(8), _sinusoid, mse_loss),
    "transformer": Kind(_transformer, _text, token_loss),
}
