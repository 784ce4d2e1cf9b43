"""The few-shot problem that all contenders solve.

It needs torch alone, so that every environment can import it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

LEARNING_RATE = {"sgd": 0.1, "adam": 0.01}


class Task(NamedTuple):
    """Support and query examples of one task; with a leading axis, of all tasks."""

    x: Tensor
    y: Tensor
    query_x: Tensor
    query_y: Tensor


@dataclass(frozen=True)
class Problem:
    """A classifier, tasks, and how the inner loop runs."""

    module: nn.Module
    tasks: list[Task]
    optimizer: str
    steps: int

    @property
    def lr(self) -> float:
        """The inner learning rate."""
        return LEARNING_RATE[self.optimizer]

    @property
    def stacked(self) -> Task:
        """All tasks along a leading axis."""
        return Task(*map(torch.stack, zip(*self.tasks, strict=True)))


def problem(case: dict[str, Any]) -> Problem:
    """Return the problem of a case: 5-way, 15 queries a class, on 28 x 28 noise.

    The activations are smooth: at the exact zeros of a ReLU's gradient, the published Adam's
    meta-gradient is NaN, and there would be nothing to compare.
    """
    ways, queries = 5, 15
    generator = torch.Generator().manual_seed(1)
    torch.manual_seed(0)
    place = {"dtype": getattr(torch, case["dtype"]), "device": case["device"]}

    def task() -> Task:
        def draw(count: int) -> tuple[Tensor, Tensor]:
            x = torch.randn(ways * count, 1, 28, 28, generator=generator, dtype=torch.float64)
            return x.to(**place), torch.arange(ways, device=case["device"]).repeat(count)

        return Task(*draw(case["shots"]), *draw(queries))

    module = MODELS[case["model"]](case["width"], ways).double().to(**place)
    return Problem(module, [task() for _ in range(case["tasks"])], case["optimizer"], case["steps"])


def _mlp(width: int, ways: int) -> nn.Module:
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(784, width),
        nn.Tanh(),
        nn.Linear(width, width),
        nn.Tanh(),
        nn.Linear(width, ways),
    )


def _cnn(width: int, ways: int) -> nn.Module:
    channels = width // 4
    layers: list[nn.Module] = []
    for i in range(3):
        layers += [nn.Conv2d(channels if i else 1, channels, 3, stride=2, padding=1), nn.Tanh()]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(16 * channels, ways))


MODELS = {"mlp": _mlp, "cnn": _cnn}
