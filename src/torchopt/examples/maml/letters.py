"""N-way K-shot classification of letters, with a small convolutional network."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from torchopt.examples.maml.problem import Tasks

__all__ = ["BatchNorm", "Letters", "Split", "conv_net", "sample_episodes"]


class Split(NamedTuple):
    """Letters of some scripts.

    Attributes:
        images: Bytes of shape ``(letters, writers, height, width)``; ink is bright.
        scripts: The script of each letter.
    """

    images: torch.Tensor
    scripts: tuple[str, ...]


class Letters:
    """Tasks that each ask to tell a few letters apart.

    Args:
        splits: The letters for ``"train"``, ``"validation"`` and ``"test"``, of different scripts.
        ways: Letters in a task.
        shots: Examples of each letter to learn from.
        queries: Examples of each letter to be judged on, in meta-training.
        test_queries: The same in validation and test.
        channels: Width of the network.
        dtype: Of the images.

    Raises:
        ValueError: If a split has too few letters or writers for a task.
    """

    score_name = "accuracy"

    def __init__(
        self,
        splits: dict[str, Split],
        *,
        ways: int,
        shots: int,
        queries: int,
        test_queries: int,
        channels: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        for name, split in splits.items():
            letters, writers = split.images.shape[:2]
            if letters < ways or writers < shots + max(queries, test_queries):
                raise ValueError(
                    f"the {name} split has {letters} letters by {writers} writers, too few for "
                    f"{ways} ways, {shots} shots and {max(queries, test_queries)} queries."
                )
        self.splits = splits
        self.reference = ("chance", 1 / ways)
        self._ways, self._shots = ways, shots
        self._queries, self._test_queries = queries, test_queries
        self._channels, self._dtype = channels, dtype

    def sample(self, split: str, count: int, generator: torch.Generator) -> Tasks:
        """Draw tasks; see :class:`Problem`."""
        return sample_episodes(
            self.splits[split].images,
            count,
            ways=self._ways,
            shots=self._shots,
            queries=self._queries if split == "train" else self._test_queries,
            generator=generator,
            dtype=self._dtype,
        )

    def network(self) -> nn.Module:
        """Make the network."""
        size = self.splits["train"].images.shape[-1]
        return conv_net(ways=self._ways, channels=self._channels, size=size)

    @staticmethod
    def loss(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Return the mean cross entropy on one task."""
        return cross_entropy(output, target)

    @staticmethod
    def score(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Return the fraction that is read right on one task."""
        return (output.argmax(-1) == target).to(output.dtype).mean()


def sample_episodes(
    images: torch.Tensor,
    count: int,
    *,
    ways: int,
    shots: int,
    queries: int,
    generator: torch.Generator,
    dtype: torch.dtype = torch.float32,
) -> Tasks:
    """Draw classification tasks; a letter's examples in a task are by different writers.

    Args:
        images: Bytes of shape ``(letters, writers, height, width)``.
        count: How many tasks.
        ways: Letters in a task.
        shots: Support examples of each letter.
        queries: Query examples of each letter.
        generator: The source of randomness.
        dtype: Of the images returned.

    Returns:
        Images of shape ``(count, examples, 1, height, width)`` in [0, 1], labels ``0 .. ways - 1``.
    """
    letters, writers, *size = images.shape
    # The largest of random keys: a draw without replacement for all tasks at once.
    chosen = torch.rand(count, letters, generator=generator).topk(ways).indices
    by = torch.rand(count, ways, writers, generator=generator).topk(shots + queries).indices
    x = images[chosen[..., None], by].to(dtype) / 255
    y = torch.arange(ways)[None, :, None].expand(count, ways, shots + queries)

    def part(start: int, stop: int) -> tuple[torch.Tensor, torch.Tensor]:
        return (
            x[:, :, start:stop].reshape(count, -1, 1, *size),
            y[:, :, start:stop].reshape(count, -1),
        )

    return Tasks(*part(0, shots), *part(shots, shots + queries))


class BatchNorm(nn.Module):
    """Batch normalization by the statistics of the batch at hand, without running ones.

    Written out, because the double backward of PyTorch's own is silently wrong under ``vmap``
    (2.13: a meta-gradient of -0.337 where the loop and finite differences say -0.208).

    Args:
        channels: Size of the second axis.
        eps: Added to the variance.
    """

    def __init__(self, channels: int, *, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Normalize ``(batch, channels, height, width)``."""
        # Two passes over the activations: statistics, then one scale and shift.
        variance, mean = torch.var_mean(x, (0, 2, 3), correction=0)
        scale = self.weight * (variance + self.eps).rsqrt()
        shift = self.bias - mean * scale
        return x * scale[:, None, None] + shift[:, None, None]


def conv_net(*, ways: int, channels: int, size: int = 28) -> nn.Module:
    """Make the network of four strided convolutions of the MAML paper.

    Batch normalization uses the statistics of the batch at hand, in test too, as there: a task's
    queries are read together.

    Args:
        ways: Number of outputs.
        channels: Filters in each layer.
        size: Height and width of the images.

    References:
        Finn et al., *MAML*, 2017, section 5.2. Vinyals et al., *Matching Networks*, 2016.
    """
    layers: list[nn.Module] = []
    for index in range(4):
        layers += [
            nn.Conv2d(channels if index else 1, channels, 3, stride=2, padding=1, bias=False),
            BatchNorm(channels),
            nn.ReLU(),
        ]
        size = (size + 1) // 2
    net = nn.Sequential()
    net.add_module("features", nn.Sequential(*layers, nn.Flatten()))
    net.add_module("head", nn.Linear(channels * size * size, ways))
    # From a zero head, no task starts with a guess of its own.
    nn.init.zeros_(net.get_parameter("head.weight"))
    nn.init.zeros_(net.get_parameter("head.bias"))
    return net
