"""What is learned: a source of tasks, with the network and the loss that go with them."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import torch
from torch import nn

__all__ = ["Problem", "Tasks", "build"]


class Tasks(NamedTuple):
    """A batch of tasks; the first axis of every tensor counts them.

    Attributes:
        support_x: Inputs to learn from.
        support_y: Their targets.
        query_x: Inputs to be judged on.
        query_y: Their targets.
    """

    support_x: torch.Tensor
    support_y: torch.Tensor
    query_x: torch.Tensor
    query_y: torch.Tensor


class Problem(Protocol):
    """A distribution of tasks.

    Attributes:
        score_name: What :meth:`score` measures.
        reference: What needs no learning at all, and its score.
    """

    score_name: str
    reference: tuple[str, float]

    def sample(self, split: str, count: int, generator: torch.Generator) -> Tasks:
        """Draw tasks from ``"train"``, ``"validation"`` or ``"test"``."""
        ...

    def network(self) -> nn.Module:
        """Make the network, with its last layer called ``head``."""
        ...

    def loss(self, output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Return the loss on one task, a scalar."""
        ...

    def score(self, output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Return the score on one task, a scalar."""
        ...


def build(problem: Problem, *, seed: int, dtype: torch.dtype) -> nn.Module:
    """Make a problem's network from a seed, without touching the global random state."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return problem.network().to(dtype)
