"""What really happens: training again without some of the images."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch.nn.functional import cosine_similarity

from torchopt.examples.attribution.training import Training
from torchopt.examples.tools.digits import Data
from torchopt.meta import vmap_tasks

__all__ = ["Retrained", "draw_subsets", "predict", "retrain", "spearman", "without"]


class Retrained(NamedTuple):
    """Trainings without some of the images.

    Attributes:
        weights: 0 for those that were left out, else 1; of shape ``(subsets, images)``.
        change: Of the targets' losses, of shape ``(subsets, targets)``.
    """

    weights: torch.Tensor
    change: torch.Tensor

    def agreement(self, scores: torch.Tensor) -> torch.Tensor:
        """Return the rank correlation of predicted and real changes for each target.

        Its mean is the linear datamodeling score (Park et al., *TRAK*, 2023, definition 2.3).
        """
        return spearman(predict(scores, self.weights), self.change)


@torch.no_grad()
def retrain(training: Training, targets: Data, weights: torch.Tensor) -> Retrained:
    """Train once for each row of weights, all at the same time."""

    def losses(weights: torch.Tensor) -> torch.Tensor:
        return training.losses(training.run(weights), targets)

    found = vmap_tasks(losses, chunk_size=100)(weights)
    return Retrained(weights, found - losses(training.all_images))


def draw_subsets(
    like: torch.Tensor, fraction: float, count: int, generator: torch.Generator
) -> torch.Tensor:
    """Return rows of weights like the given ones, 0 for a fraction of the images at random."""
    order = torch.rand(count, len(like), generator=generator).argsort(-1)
    return (order >= round(fraction * len(like))).to(like.dtype)


def without(places: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Return rows of weights like the given ones, 0 for the images at each row of places."""
    return like.repeat(len(places), 1).scatter(1, places, 0.0)


def predict(scores: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Return the change of the targets' losses to first order, of shape ``(subsets, targets)``."""
    return (weights - 1) @ scores.T


def spearman(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the rank correlation of the columns of two matrices; ties share their mean rank."""
    return cosine_similarity(_ranks(x), _ranks(y), dim=0)


def _ranks(x: torch.Tensor) -> torch.Tensor:
    """Return of each entry how many of its column are smaller, less how many are larger."""
    return (x[:, None] - x[None]).sign().sum(1).double()
