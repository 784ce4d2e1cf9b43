"""Digits in three qualities: right, labelled wrong, and upside down."""

from __future__ import annotations

from typing import NamedTuple

import torch

from torchopt.examples.tools.digits import Data, split_digits
from torchopt.examples.trilevel.config import Config

__all__ = ["KINDS", "Digits", "load"]

KINDS = ("right", "wrong label", "upside down")


class Digits(NamedTuple):
    """The parts of the data.

    Attributes:
        source: Doubtful examples.
        kind: Of each of them, a number of ``KINDS``.
        tune: Clean examples to finetune on.
        judge: Clean examples to judge by.
        test: Clean examples that nothing is learned from.
    """

    source: Data
    kind: torch.Tensor
    tune: Data
    judge: Data
    test: Data

    @property
    def clean(self) -> Data:
        """All clean examples that may be learned from."""
        return Data(*(torch.cat(parts) for parts in zip(self.tune, self.judge, strict=True)))


def load(config: Config) -> Digits:
    """Return the data of a configuration."""
    source, tune, judge, test = split_digits(config.seed, config.source, config.tune, config.judge)
    generator = torch.Generator().manual_seed(config.seed)
    count = len(source.y)
    place = torch.randperm(count, generator=generator) / count
    kind = (place < config.wrong + config.foreign).long() + (place < config.foreign).long()
    other = (source.y + torch.randint(1, 10, (count,), generator=generator)) % 10
    y = torch.where(kind == 1, other, source.y)
    # An image turned by 180 degrees is its pixels in reverse order.
    x = torch.where((kind == 2)[:, None], source.x.flip(1), source.x)
    return Digits(Data(x, y), kind, tune, judge, test)
